"""Finding programs: `evolve` breeds a population on each task."""
