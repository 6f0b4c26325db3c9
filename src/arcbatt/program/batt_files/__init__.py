"""Batt files: reading them as data, and writing them in six styles."""
