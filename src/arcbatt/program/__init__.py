"""Programs as data: the graph, reading and writing source, merging."""
