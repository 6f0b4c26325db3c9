"""The ops of the language; importing this package fills the op table."""

from arcbatt.dsl.ops import (  # noqa: I001  (the order of the table)
    numbers as numbers,
    containers as containers,
    functions as functions,
    grids as grids,
    patches as patches,
    objects as objects,
    drawing as drawing,
    scaling as scaling,
    search as search,
    ranks as ranks,
    codes as codes,
    samples as samples,
    cells as cells,
    typed as typed,
    panels as panels,
    regions as regions,
    rays as rays,
    completion as completion,
)
