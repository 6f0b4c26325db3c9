"""What takes longest for its units of work."""
