"""Foreign text inside HTML and SVG: none of it is markup, and all of it can be written to a file."""

import html

from arcbatt.text import printable


def escape(text: str) -> str:
    """A text for the content of an element or for an attribute in quotes; line breaks stay.

    Control characters, line separators and lone surrogates are escaped.

    >>> escape('<script>"'), escape("a\\nb\\u2028"), escape("\\ud800")
    ('&lt;script&gt;&quot;', 'a\\nb\\\\u2028', '\\\\ud800')
    """
    return html.escape("\n".join(map(printable, text.split("\n"))))
