"""Fragments of HTML for notebooks and reports: one style, tables, figures, values as pictures."""

from collections.abc import Iterable, Sequence
from typing import Any

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import text
from arcbatt.view.grids import CUT, MOST
from arcbatt.view.markup import escape as escape
from arcbatt.view.pictures import picture_of
from arcbatt.view.svg import grid_description, picture_svg
from arcbatt.view.tables import Column
from arcbatt.view.task_drawing import LONGEST_TEXT, failure_words

# Text and background have the colours of the page, so a fragment fits light and dark pages and the themes of
# Jupyter and VS Code; lines are a grey that is visible on both. The class is repeated to make the rules on
# tables stronger than those of Jupyter.
STYLE = """<style>
.arcbatt { color: inherit; line-height: 1.4; max-width: 100%; overflow-x: auto }
.arcbatt p { margin: .3em 0 }
.arcbatt .title { font-weight: bold }
.arcbatt .row { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .5em 1.5em; margin: .4em 0 }
.arcbatt .row > span { align-self: center }
.arcbatt .pair { display: flex; flex-wrap: wrap; align-items: center; gap: .6em }
.arcbatt figure { margin: 0; max-width: 100% }
.arcbatt figcaption { font-size: .85em; margin: 0 0 .2em; padding: 0; text-align: left }
.arcbatt svg { display: inline-block; max-width: 100%; height: auto; vertical-align: top }
.arcbatt pre, .arcbatt code { font-family: monospace; background: none; color: inherit; white-space: pre-wrap;
  overflow-wrap: anywhere }
.arcbatt pre { margin: .4em 0; padding: .4em .8em; border-left: 3px solid #808080 }
.arcbatt abbr { text-decoration: underline dotted #808080; cursor: help }
.arcbatt table { border-collapse: collapse; margin: .4em 0; font-size: inherit }
.arcbatt.arcbatt table th, .arcbatt.arcbatt table td { border: 0; border-bottom: 1px solid #80808080;
  padding: .2em .8em .2em 0; text-align: left; vertical-align: top; background: none; color: inherit }
.arcbatt.arcbatt table .right { text-align: right; font-variant-numeric: tabular-nums }
.arcbatt .step { margin: 1em 0 }
.arcbatt .step > :not(pre) { margin-left: 1.2em }
.arcbatt .failed > pre { border-left-color: #e5484d }
.arcbatt .card { border: 1px solid #80808080; border-radius: 4px; padding: .4em .6em; max-width: 100% }
</style>"""


def fragment(body: str) -> str:
    """A body of HTML with the style that it needs, for any page.

    >>> fragment("<p>2 tasks</p>").endswith('</style><p>2 tasks</p></div>')
    True
    """
    return f'<div class="arcbatt">{STYLE}{body}</div>'


def element(tag: str, content: str, **attributes: str) -> str:
    """An element around HTML; the values of its attributes are text.

    Names of attributes are spelled for Python: `class_`, `aria_label`.

    >>> element("p", escape("1 < 2"), class_="title", title='"one"')
    '<p class="title" title="&quot;one&quot;">1 &lt; 2</p>'
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items()
    )
    return f"<{tag}{told}>{content}</{tag}>"


def figure(picture: str, caption: str) -> str:
    """A picture, as HTML, below its caption, as text.

    >>> figure("<svg></svg>", "input 3 x 3")
    '<figure><figcaption>input 3 x 3</figcaption><svg></svg></figure>'
    """
    return element("figure", element("figcaption", escape(caption)) + picture)


def html_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """A table with rows of cells that are HTML.

    >>> html_table([Column("task")], [["a"]])
    '<table><thead><tr><th scope="col">task</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>'
    """
    sides: list[dict[str, str]] = [{"class_": "right"} if column.right else {} for column in columns]
    head = "".join(
        element("th", escape(column.title), scope="col", **side) for column, side in zip(columns, sides)
    )
    body = "".join(
        element("tr", "".join(element("td", cell, **side) for cell, side in zip(row, sides))) for row in rows
    )
    return element("table", element("thead", element("tr", head)) + element("tbody", body))


def value_html(value: Any, size: tuple[int, int] | None = None) -> str:
    """A value or a Failure: as a picture if it has one, else as text; a Failure in words.

    An Object is drawn on an open grid of some size (height, width), if one is given.

    >>> value_html(frozenset({(0, 1), (0, 2)})).count("<svg")
    1
    >>> value_html(7), value_html(Failure("ZERO"))
    ('<code>7</code>', '<p>ZERO: division by zero, or a step or factor of zero</p>')
    """
    if isinstance(value, Failure):
        first, *more = failure_words(value)
        words = [f"{value.kind}: {first}", *more]
        return "".join(element("p", escape(line)) for line in words)
    picture = picture_of(value, size=size)
    if picture is None:
        return element("code", escape(text(value, LONGEST_TEXT)))
    drawn = picture_svg(picture, description=grid_description("grid", value) if is_filled_grid(value) else "")
    return drawn + (element("p", CUT) if max(picture.height, picture.width) > MOST else "")
