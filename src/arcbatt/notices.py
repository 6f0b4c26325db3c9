"""Messages to the user besides results: lines on standard error."""

import sys
from functools import cache

from arcbatt.text import printable


def tell(sentence: str) -> None:
    """Print a message of the program."""
    note(f"arcbatt: {sentence}")


def note(line: str) -> None:
    """Print a message that begins with a location, such as `file.py:7: ...`."""
    print(printable(line), file=sys.stderr)


@cache
def tell_once(sentence: str) -> None:
    """Print a message of the program once in a process."""
    tell(sentence)
