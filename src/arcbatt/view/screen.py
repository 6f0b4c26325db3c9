"""Where output goes: a console that colours on a terminal and elsewhere gives plain lines of any length."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from arcbatt.text import printable


class Screen:
    """Prints lines of text; `width` is None where lines may have any length."""

    def __init__(self, colors: bool = True, stderr: bool = False) -> None:
        self._console = _Console(
            stderr=stderr, highlight=False, markup=False, emoji=False, no_color=None if colors else True
        )

    @property
    def width(self) -> int | None:
        """The number of columns of the terminal."""
        return self._console.width if self._console.is_terminal else None

    @property
    def color_system(self) -> str | None:
        """Which colours the terminal has, as rich calls them; None where no colours will be seen."""
        return None if self._console.no_color else self._console.color_system

    def print(self, lines: Iterable[Text]) -> None:
        """Print lines; those that a terminal is too narrow for are folded at words."""
        for line in lines:
            self._console.print(printable_text(line), soft_wrap=self.width is None)

    def draw(self, lines: Iterable[Text]) -> None:
        """Print lines as they are; nothing is folded or cut off."""
        for line in lines:
            self._console.print(printable_text(line), soft_wrap=True)


def printable_text(line: Text) -> Text:
    """A line in which names from files cannot steer the terminal; its styles stay."""
    if line.plain.isprintable():
        return line
    shown = Text(style=line.style)
    for place, letter in enumerate(line.plain):
        shown.append_text(line[place] if letter.isprintable() else Text(printable(letter)))
    return shown


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave a reader that went away to the command line."""
        raise BrokenPipeError
