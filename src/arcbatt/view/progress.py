"""The progress of a command, as a bar or a line, on standard error if that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from rich.console import Console
from rich.text import Text

from arcbatt.notices import tell

BETWEEN_LINES = 60.0  # seconds, if the output is not a terminal


class _Unwrapped(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        """Print lines of any length unchanged."""
        super().print(*objects, **options | {"soft_wrap": True})


@contextmanager
def status() -> Iterator[Callable[[str], None] | None]:
    """A changing line, if standard error is a terminal; yields the function that changes it, else None."""
    console = _Unwrapped(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return
    with console.status("") as line:
        yield lambda text: line.update(Text(text))


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """A function that shows a line: it changes on a terminal; elsewhere it is printed once a minute."""
    with status() as show:
        told = monotonic()

        def update(line: str) -> None:
            nonlocal told
            if show is not None:
                show(line)
            elif monotonic() - told >= BETWEEN_LINES:
                told = monotonic()
                tell(line)

        yield update


@contextmanager
def progress(total: int | None, what: str) -> Iterator[Callable[[object], None]]:
    """A progress bar, if standard error is a terminal; yields the function to call after each step."""
    console = _Unwrapped(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Output to the terminal is printed above the bar; output to a file must bypass it.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=total)
        yield lambda _: bar.advance(task)
