"""The HTML of a report: page, style and scripts of the folder `page`, with the data in blocks of JSON."""

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path

from arcbatt.text import printable

FOLDER = Path(__file__).parent / "page"
SCRIPTS = ("data.js", "elements.js", "grids.js", "lists.js", "list.js", "summary.js", "details.js", "main.js")
_SLOT = re.compile("{{([a-z ]+)}}")


def html(title: str, blocks: Mapping[str, str]) -> str:
    """The text of the page: it loads nothing from elsewhere, and its policy forbids it.

    >>> html("<mine>", {"core": "{}"}).count("&lt;mine&gt;")
    1
    """
    style = (FOLDER / "page.css").read_text("utf-8")
    code = '"use strict";\n' + "\n".join((FOLDER / name).read_text("utf-8") for name in SCRIPTS)
    data = "\n".join(
        f'<script type="application/json" id="data-{name}">{content}</script>'
        for name, content in blocks.items()
    )
    slots = {
        "title": escape(printable(title)),
        "style": style,
        "style hash": _hash(style),
        "script": code,
        "script hash": _hash(code),
        "data": data,
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], (FOLDER / "page.html").read_text("utf-8"))


def _hash(text: str) -> str:
    """The name of an inline style or script in a content security policy."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
