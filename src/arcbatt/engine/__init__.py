"""Running programs: the backends, the plan they follow and the results they give."""
