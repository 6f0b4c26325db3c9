"""Everything that a person sees: tables, grids, reports, the language on a page."""
