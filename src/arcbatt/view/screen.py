"""The output of commands: coloured and folded on a terminal, elsewhere plain lines of any length."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from arcbatt.text import printable


class Screen:
    """Prints lines of text."""

    def __init__(self, colors: bool = True, stderr: bool = False) -> None:
        self._console = _Console(
            stderr=stderr, highlight=False, markup=False, emoji=False, no_color=None if colors else True
        )

    @property
    def width(self) -> int | None:
        """The number of columns of the terminal; None if the output is not a terminal."""
        return self._console.width if self._console.is_terminal else None

    @property
    def color_system(self) -> str | None:
        """The colour system of the terminal, by its name in rich; None without colours."""
        return None if self._console.no_color else self._console.color_system

    def print(self, lines: Iterable[Text]) -> None:
        """Print lines; fold those that are too long for the terminal at words."""
        for line in lines:
            self._console.print(printable_text(line), soft_wrap=self.width is None)

    def draw(self, lines: Iterable[Text]) -> None:
        """Print lines unchanged; nothing is folded or cut off."""
        for line in lines:
            self._console.print(printable_text(line), soft_wrap=True)


def printable_text(line: Text) -> Text:
    """A line without control characters, with which names from files could control the terminal."""
    if line.plain.isprintable():
        return line
    shown = Text(style=line.style)
    for place, letter in enumerate(line.plain):
        shown.append_text(line[place] if letter.isprintable() else Text(printable(letter)))
    return shown


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let `main` handle a closed pipe."""
        raise BrokenPipeError
