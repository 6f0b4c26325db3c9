"""The project's benchmarks: the same work on every backend and on plain Python, as ratios of one run."""
