"""Pictures as files, and rows as data frames."""
