"""The one way to tell the user something besides results: a line on standard error."""

import sys
from functools import cache

from arcbatt.text import printable


def tell(sentence: str) -> None:
    """Tell the user."""
    note(f"arcbatt: {sentence}")


def note(line: str) -> None:
    """Tell the user what begins with the place that it is about, such as `file.py:7: ...`."""
    print(printable(line), file=sys.stderr)


@cache
def tell_once(sentence: str) -> None:
    """Tell the user, once in a process."""
    tell(sentence)
