"""The command line: its main part, and what each command does."""
