"""What the command line reads and draws: programs by name, grids, tables, reports, the language on a page."""
