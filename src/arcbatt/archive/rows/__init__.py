"""Rows of the database: programs, tasks and results, written and read back."""
