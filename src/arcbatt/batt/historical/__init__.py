"""What the papers and old files call by other words, or expect besides: safe ops, columns of single calls."""
