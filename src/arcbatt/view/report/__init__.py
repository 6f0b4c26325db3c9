"""The report of a run or an archive: one HTML file that needs no network."""
