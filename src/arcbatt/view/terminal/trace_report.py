"""A trace in the terminal: each line with its value and a picture of it, then why it failed or is wrong."""

import textwrap
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value
from arcbatt.engine.tracing.recording_machine import Application
from arcbatt.engine.tracing.trace import FailedApplication, InnerExpression, Trace, TraceStep
from arcbatt.engine.tracing.words import kind_in_words
from arcbatt.text import plural
from arcbatt.view.grids import (
    LOCATION,
    MOST,
    OPEN,
    Palette,
    Panel,
    differing,
    grid_lines,
    shape,
    side_by_side,
)
from arcbatt.view.pictures import picture_of
from arcbatt.view.svg import Picture, clipped
from arcbatt.view.task_drawing import comparison
from arcbatt.view.trace_words import (
    DEEPER,
    DEEPEST_TREE,
    MOST_CALLS,
    application_words,
    cut_words,
    left_out_applications,
    left_out_words,
    no_value_words,
    note_words,
    one_line,
    path_words,
    value_words,
    where_words,
)

WIDEST = 100  # columns of a sentence
INDENT = "  "


class TraceReport:
    """Draws a trace for a terminal of some width and colours; None means no terminal, or plain."""

    def __init__(self, trace: Trace, width: int | None, styles: Palette | None) -> None:
        self._trace, self._styles = trace, styles
        self._width = width
        self._gutter = max((len(str(step.line)) for step in trace.steps), default=1) + 2
        given = trace.task.samples[trace.sample].input
        self._size = (len(given), len(given[0]) if given else 0)
        self._drawn: dict[int, int] = {}  # the line in which a value was drawn, by its identity

    def lines(self) -> Iterator[Text]:
        """The whole trace."""
        yield from self._heading()
        yield Text()
        yield from side_by_side(list(self._sample()), self._width)
        for step in self._trace.steps:
            yield Text()
            yield from self._step(step)
        if self._trace.left_out:
            yield Text()
            yield from self._sentence(left_out_words(self._trace), "")
        yield from self._end()

    def inside(self, line: int) -> Iterator[Text]:
        """The inside of one line."""
        found = self._trace.into(line)
        yield from self._heading()
        for step, parts in found[:MOST_CALLS]:
            yield Text()
            yield from self._source(step)
            for part in parts:
                yield Text()
                yield from self._part(part)
        if len(found) > MOST_CALLS:
            yield Text()
            yield Text(f"and {plural(len(found) - MOST_CALLS, 'call')} more of this line")

    def _heading(self) -> Iterator[Text]:
        trace = self._trace
        style = {True: "bold green", False: "bold red", None: "bold"}[trace.exact and trace.failure is None]
        yield from self._sentence(trace.summary, "", style)
        yield from self._sentence(where_words(trace), "")

    def _sample(self) -> Iterator[Panel]:
        """The input and the expected output."""
        sample = self._trace.task.samples[self._trace.sample]
        yield Panel(f"I: input {shape(sample.input)}", grid_lines(sample.input, self._styles), leads=True)
        if sample.output is not None:
            yield Panel(f"expected {shape(sample.output)}", grid_lines(sample.output, self._styles))

    def _end(self) -> Iterator[Text]:
        """The failure, or a wrong output beside the expected one."""
        trace = self._trace
        if trace.failure is not None:
            yield Text()
            yield from self._failure(trace.failure)
        elif trace.exact is False:
            yield Text()
            if is_filled_grid(trace.output):
                *_, expected = self._sample()
                yield from side_by_side([expected, self._output(trace.output)], self._width)
            else:
                assert not isinstance(trace.output, Failure)
                yield from self._sentence(f"the output is not a grid: {value_words(trace.output)}", "")

    def _output(self, output: Any) -> Panel:
        expected = self._trace.expected
        marked = frozenset() if expected is None else differing(output, expected)
        title = f"output: {comparison(output, expected, len(marked))}"
        return Panel(title, grid_lines(output, self._styles, marked))

    def _failure(self, failure: FailedApplication) -> Iterator[Text]:
        """The applications down to the one that failed, and the reason."""
        title = f"{failure.kind} in line {failure.line}: {one_line(failure.source)}"
        yield from self._sentence(title, "", "bold red")
        path = path_words(failure.path)
        for depth, words in enumerate(path, 1):
            yield from self._sentence(words, INDENT * depth)
        yield from self._sentence(failure.reason, INDENT * (len(path) + 1), "bold")

    def _step(self, step: TraceStep) -> Iterator[Text]:
        yield from self._source(step)
        indent = " " * self._gutter
        if step.failure is not None and step.failure == self._trace.failure:
            yield from self._sentence(f"fails with {step.failure.where}; see below", indent, "red")
        elif step.failure is not None:
            yield from self._sentence(f"fails with {step.failure.where}: {step.failure.reason}", indent)
        else:
            yield from self._value(step.value, indent, step)

    def _source(self, step: TraceStep) -> Iterator[Text]:
        first, *more = step.source.split("\n")
        line = Text().append(f"{step.line:>{self._gutter - 2}}  ", "bright_black").append(first, "bold")
        notes = note_words(step)
        if notes:
            line.append(f"  ({notes})", "bright_black")
        yield line
        for other in more:
            yield Text(" " * self._gutter + other, "bold")

    def _value(
        self, value: Value | Failure | None, indent: str, step: TraceStep | None = None
    ) -> Iterator[Text]:
        if value is None or isinstance(value, Failure):
            blocked_by = 0 if step is None else step.blocked_by
            yield from self._sentence(no_value_words(value, blocked_by), indent, "bright_black")
            return
        picture = picture_of(value, size=self._size)
        if picture is None:
            yield from self._sentence(value_words(value), indent)
            return
        if step is not None and id(value) in self._drawn:
            yield Text(f"{indent}{kind_in_words(value)}, the value of line {self._drawn[id(value)]}")
            return
        if step is not None:
            self._drawn[id(value)] = step.line
        yield Text(f"{indent}{kind_in_words(value)}")
        for line in picture_lines(picture, self._styles):
            yield Text(indent).append_text(line)

    def _part(self, part: InnerExpression) -> Iterator[Text]:
        indent = " " * self._gutter
        yield Text(indent + one_line(part.source), "bold")
        indent += INDENT
        yield from self._value(part.value, indent)
        if part.application is not None:
            yield from self._inner(part.application, indent)

    def _inner(self, outer: Application, indent: str, level: int = 1) -> Iterator[Text]:
        """The tree of applications below an application."""
        if level > DEEPEST_TREE and outer.inner:
            yield Text(f"{indent}{DEEPER}", "bright_black")
            return
        failed = outer.inner[-1:] if outer.left_out and outer.inner and outer.inner[-1].kind else ()
        for application in outer.inner[: len(outer.inner) - len(failed)]:
            yield from self._application(application, indent, level)
        if outer.left_out:
            yield Text(f"{indent}{left_out_applications(outer)}", "bright_black")
        for application in failed:
            yield from self._application(application, indent, level)

    def _application(self, application: Application, indent: str, level: int) -> Iterator[Text]:
        style = "red" if application.kind else ""
        yield from self._sentence(application_words(application), indent, style)
        yield from self._inner(application, indent + INDENT, level + 1)

    def _sentence(self, words: str, indent: str, style: str = "") -> Iterator[Text]:
        width = max(min(self._width or WIDEST, WIDEST), len(indent) + 20)
        wrapped = textwrap.wrap(
            words, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        for line in wrapped:
            yield Text(line, style)


def trace_text(trace: Trace) -> str:
    """A trace as plain text.

    >>> found = trace("def solve_x(I): return vmirror(I)", "67a3c6ac")
    >>> trace_text(found).splitlines()[0]
    'solve_x on 67a3c6ac, demo 1: it is exact'
    """
    return "\n".join(line.plain.rstrip() for line in TraceReport(trace, None, None).lines())


def picture_lines(picture: Picture, styles: Palette | None) -> tuple[Text, ...]:
    """A picture as lines; a dot means no cell, `#` a location, which has no colour.

    >>> [line.plain for line in picture_lines(picture_of(frozenset({(0, 1), (1, 0)})), None)]
    ['. #', '# .']
    """
    seen = clipped(picture, MOST)
    rows = [[_sign(seen, i, j) for j in range(seen.width)] for i in range(seen.height)]
    cut = cut_words(picture)
    return (*grid_lines(rows, styles), *([Text(cut)] if cut else []))


def _sign(picture: Picture, i: int, j: int) -> int | str:
    if (i, j) not in picture.cells:
        return OPEN
    color = picture.cells[i, j]
    return LOCATION if color is None else color
