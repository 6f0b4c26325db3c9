"""The loop of `card` and `run-batt`: solvers and differs bred round after round, partial solvers kept."""
