"""Tools for tests and fuzzing: random values of every type, random programs, and strategies of both."""
