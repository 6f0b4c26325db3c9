"""Work on many machines: a pool of Ray workers that answers items exactly once, whatever dies meanwhile."""
