"""Batt files: reading them as data, and writing them in four styles."""
