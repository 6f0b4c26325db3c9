"""Running a batt on samples: in this process, or in worker processes."""
