"""Where the results of a run go as they come: lines of JSON and an archive, from which a run resumes."""
