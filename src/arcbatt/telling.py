"""The one way to tell the user something besides results: a line on standard error."""

import sys
from functools import cache

from arcbatt.words import printable


def tell(sentence: str) -> None:
    """Tell the user."""
    print(f"arcbatt: {printable(sentence)}", file=sys.stderr)


@cache
def tell_once(sentence: str) -> None:
    """Tell the user, once in a process."""
    tell(sentence)
