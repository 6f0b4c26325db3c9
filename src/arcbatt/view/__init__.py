"""Everything that users see: tables, grids, reports, the language on a page."""
