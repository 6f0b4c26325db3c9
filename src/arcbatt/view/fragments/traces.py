"""A trace as a fragment and as a page: each line with its value, then why it failed or is wrong."""

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value
from arcbatt.engine.tracing.recording_machine import Application
from arcbatt.engine.tracing.trace import FailedApplication, InnerExpression, Trace, TraceStep
from arcbatt.engine.tracing.words import kind_in_words
from arcbatt.view.fragments.html_pieces import (
    ARROW,
    cell_size,
    compared,
    grid_figure,
    more,
    paragraph,
    row_of,
)
from arcbatt.view.fragments.page import page
from arcbatt.view.fragments.programs import source_html
from arcbatt.view.fragments.results import MARK, ROOM
from arcbatt.view.grids import MOST
from arcbatt.view.html import element, escape
from arcbatt.view.pictures import picture_of
from arcbatt.view.svg import picture_svg
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

MOST_STEPS = 200


def trace(one: Trace) -> str:
    """A trace: the sample, why the program failed or where its output differs, and each line."""
    return paragraph(one.summary, "title") + _body(one)


def trace_page(one: Trace, into: int | None = None) -> str:
    """A trace as a complete page; with `into`, it includes the inside of that line."""
    inside = "" if into is None else _inside(one, into)
    return page(one.summary, _body(one) + inside)


def _body(one: Trace) -> str:
    shown = one.steps[:MOST_STEPS]
    drawn: dict[int, int] = {}
    steps = "".join(_step(one, step, drawn) for step in shown)
    left_out = paragraph(left_out_words(one)) if one.left_out else ""
    rest = more(len(one.steps) - len(shown), "line")
    failure = "" if one.failure is None else _failure(one.failure)
    return paragraph(where_words(one)) + _sample(one) + failure + steps + rest + left_out


def _sample(one: Trace) -> str:
    """The input, the expected output and the output, wrong cells marked."""
    sample = one.task.samples[one.sample]
    cell = cell_size([grid for grid in sample if grid is not None], ROOM)
    parts = [grid_figure("I: input", sample.input, cell), ARROW]
    if sample.output is not None:
        parts.append(grid_figure("expected", sample.output, cell))
    legend = ""
    if one.program.kind == "solver" and is_filled_grid(one.output):
        parts.append(compared(one.output, sample.output, cell, one.sample_name))  # type: ignore[arg-type]
        legend = paragraph(MARK) if one.exact is False else ""
    elif not isinstance(one.output, Failure):
        parts.append(paragraph(f"the output is not a grid: {value_words(one.output)}"))
    return row_of(parts) + legend


def _failure(failure: FailedApplication) -> str:
    """The applications down to the one that failed, and the reason."""
    title = paragraph(f"{failure.kind} in line {failure.line}: {one_line(failure.source)}", "title")
    tree = paragraph(failure.reason)
    for words in reversed(path_words(failure.path)):
        tree = element("ul", element("li", element("code", escape(words)) + tree))
    return element("div", title + tree, class_="card")


def _step(one: Trace, step: TraceStep, drawn: dict[int, int]) -> str:
    """A line and its value; `drawn` has the lines in which values were drawn, by their identity."""
    if step.failure is not None:
        more_words = "; see above" if step.failure == one.failure else f": {step.failure.reason}"
        value = paragraph(f"fails with {step.failure.where}{more_words}")
    elif step.value is None or isinstance(step.value, Failure):
        value = paragraph(no_value_words(step.value, step.blocked_by))
    elif isinstance(step.value, tuple | frozenset) and id(step.value) in drawn:
        value = paragraph(f"{kind_in_words(step.value)}, the value of line {drawn[id(step.value)]}")
    else:
        drawn[id(step.value)] = step.line
        value = _value(one, step.value)
    notes = note_words(step)
    return element(
        "div",
        _source(step) + (paragraph(notes) if notes else "") + value,
        class_="step failed" if step.failure is not None else "step",
        role="group",
        aria_label=f"line {step.line}",
    )


def _source(step: TraceStep) -> str:
    first, *others = step.source.split("\n")
    margin = " " * (len(str(step.line)) + 2)
    return source_html([f"{step.line}  {first}", *(margin + line for line in others)])


def _value(one: Trace, value: Value) -> str:
    given = one.task.samples[one.sample].input
    picture = picture_of(value, size=(len(given), len(given[0]) if given else 0))
    if picture is None:
        return paragraph(value_words(value))
    kind = kind_in_words(value)
    longest = max(picture.height, picture.width)
    cell = cell_size([((0,) * min(longest, MOST),)], ROOM)
    cut = cut_words(picture)
    return paragraph(kind) + picture_svg(picture, cell=cell, description=kind) + (cut and paragraph(cut))


def _inside(one: Trace, line: int) -> str:
    """The inside of a line."""
    found = one.into(line)
    shown = "".join(
        _source(step) + "".join(_part(one, part) for part in parts) for step, parts in found[:MOST_CALLS]
    )
    return element("h2", f"Inside line {line}") + shown + more(len(found) - MOST_CALLS, "call")


def _part(one: Trace, part: InnerExpression) -> str:
    if part.value is None or isinstance(part.value, Failure):
        value = paragraph(no_value_words(part.value, 0))
    else:
        value = _value(one, part.value)
    tree = "" if part.application is None else _applications(part.application)
    return element("p", element("code", escape(one_line(part.source)))) + value + tree


def _applications(outer: Application, level: int = 1) -> str:
    """The tree of applications below an application."""
    if level > DEEPEST_TREE and outer.inner:
        return element("ul", element("li", DEEPER))
    items = [
        element("li", element("code", escape(application_words(each))) + _applications(each, level + 1))
        for each in outer.inner
    ]
    if outer.left_out:
        is_last_failed = bool(outer.inner) and outer.inner[-1].kind is not None
        place = len(items) - 1 if is_last_failed else len(items)
        items.insert(place, element("li", escape(left_out_applications(outer))))
    return element("ul", "".join(items)) if items else ""
