"""Objects that notebooks and data frames render: the one place where a low layer reaches up to `view`."""

from importlib import import_module
from typing import Any, Literal, TypeAlias

Library: TypeAlias = Literal["pandas", "polars"]


def rendered_html(thing: object) -> str | None:
    """An object as HTML for a notebook; None if that fails, so that its repr is shown.

    >>> print(rendered_html(Sample(((1,),), None))[:21])
    <div class="arcbatt">
    """
    try:
        html: str = import_module("arcbatt.view.notebook").html_of(thing)
    except Exception:  # a cell must show something whatever is wrong with the object
        return None
    return html


def rendered_text(trace: object) -> str:
    """A trace as plain text, as the command prints it."""
    text: str = import_module("arcbatt.view.terminal.trace_report").trace_text(trace)
    return text


class Rendered:
    """Objects that Jupyter and VS Code show as pictures and tables."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return rendered_html(self)


class Tabular:
    """Objects that are tables of rows."""

    __slots__ = ()

    def to_dataframe(self, library: Library | None = None) -> Any:
        """The rows as a data frame of pandas or, if that is not installed, of polars; or of the one named.

        >>> frame = load_tasks("00d62c1b,0520fde7").to_dataframe("polars")
        >>> frame.filter(frame["task"] == "0520fde7").select("sample", "input_width", "output_width").rows()
        [('demo 1', 7, 3), ('demo 2', 7, 3), ('demo 3', 7, 3), ('test 1', 7, 3)]
        """
        return import_module("arcbatt.view.export.dataframes").dataframe_of(self, library)
