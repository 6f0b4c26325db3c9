# Grids from grids.
grid 1: I
grid 2: vmirror(?grid)
