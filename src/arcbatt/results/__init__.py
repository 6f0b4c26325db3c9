"""The results of a run, written as they come: lines of JSON and an archive, from which a run resumes."""
