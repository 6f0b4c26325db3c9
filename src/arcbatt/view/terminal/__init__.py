"""The reports of the commands, in the terminal and as lines of JSON."""
