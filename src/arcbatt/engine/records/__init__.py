"""What programs did on the samples of a task: verdicts, replies of workers, records."""
