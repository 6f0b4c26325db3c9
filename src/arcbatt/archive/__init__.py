"""The archive: programs, tasks, results and runs, kept in one SQLite database."""
