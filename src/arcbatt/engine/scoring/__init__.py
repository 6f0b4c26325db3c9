"""Scores of programs: by differs, by exact samples, counted over a task."""
