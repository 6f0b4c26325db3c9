"""The static types of the language: what a signature says of an op before anything runs."""
