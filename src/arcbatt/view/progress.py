"""How far a command is: a bar on standard error, where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class _Unwrapped(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        """Print lines of any length as they are."""
        super().print(*objects, **options | {"soft_wrap": True})


@contextmanager
def progress(total: int | None, what: str) -> Iterator[Callable[[object], None]]:
    """A progress bar on a terminal's standard error; the function to call after each step."""
    console = _Unwrapped(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Lines that go to a terminal make room for the bar; those that go to a file are none of its business.
    with Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=sys.stdout.isatty(),
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda _: bar.advance(task)
