"""Profiling: what the steps of programs cost."""
