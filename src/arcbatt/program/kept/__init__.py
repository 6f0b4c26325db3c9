"""Populations kept as files, whose paths tell tasks, scores and times."""
