"""Words and pictures of a trace, for the terminal and for HTML."""

from collections.abc import Sequence

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value, text
from arcbatt.engine.tracing.recording_machine import Application
from arcbatt.engine.tracing.trace import Trace, TraceStep
from arcbatt.engine.tracing.words import LONGEST_VALUE, MOST_WORDS, brief, described, ends, kind_in_words
from arcbatt.text import plural
from arcbatt.view.grids import CUT, MOST
from arcbatt.view.svg import Picture

LONGEST_TEXT = 300  # characters of a value without a picture
CUT_TEXT = "; only the beginning is shown"
DEEPEST_TREE = 12  # levels of a tree of applications
DEEPER = "the applications inside are left out"
MOST_CALLS = 5  # of a function, when its line is looked into


def cut_words(picture: Picture) -> str:
    """What a picture does not show; empty if it shows all.

    >>> cut_words(Picture("", {(0, 0): 1, (9, 9): 2}, 2, 2))
    'cells outside of this picture are not shown'
    """
    if max(picture.height, picture.width) > MOST:
        return CUT
    inside = (0 <= i < picture.height and 0 <= j < picture.width for i, j in picture.cells)
    return "" if all(inside) else "cells outside of this picture are not shown"


def where_words(trace: Trace) -> str:
    """The file of the lines of a trace."""
    if trace.file:
        return f"lines of {trace.file}"
    return "lines of the program's source text, since it was read from no file"


def note_words(step: TraceStep) -> str:
    """Notes about a line: the function that it belongs to, whether it is needed.

    >>> note_words(TraceStep(3, "y", "y = rot90(grid)", 0, function="turned", calls=(8,)))
    'in turned, called by line 8'
    """
    notes = []
    if step.function:
        lines = ", ".join(map(str, step.calls))
        notes.append(f"in {step.function}, called by line {lines}")
    if not step.used:
        notes.append("not needed for the result")
    return "; ".join(notes)


def no_value_words(value: Failure | None, blocked_by: int) -> str:
    """The reason that a line or an expression has no value.

    >>> no_value_words(Failure("TYPE"), 4)
    'does not run, because line 4 failed'
    """
    if value is None:
        return "its value is not kept: the values of the program are too heavy together"
    if blocked_by:
        return f"does not run, because line {blocked_by} failed"
    return f"has no value: {value.kind}"


def value_words(value: Value) -> str:
    """A value without a picture, and its type.

    >>> value_words((1, 2, 3)), value_words(tuple(range(1000)))[-38:]
    ('(1, 2, 3), a Tuple of 3 Integers', '75, 76...; only the beginning is shown')
    """
    content = text(value, LONGEST_TEXT)
    if len(content) <= LONGEST_VALUE:
        return described(value)
    return f"{kind_in_words(value)}: {content}{CUT_TEXT if content.endswith('...') else ''}"


def path_words(path: Sequence[Application]) -> list[str]:
    """The applications down to the one that failed, each with the element that it was made for.

    >>> path_words([Application("apply", (7,)), Application("height", ((1, 2, 3),))])
    ['apply(7)', 'height((1, 2, 3))']
    """
    words = [f"{each}, for {each.element}" if each.element is not None else str(each) for each in path]
    return ends(words, f"{plural(len(words) - MOST_WORDS, 'application')} left out here")


def application_words(application: Application) -> str:
    """An application and its result.

    >>> application_words(Application("add", (1, 2), 3))
    'add(1, 2) = 3'
    >>> application_words(Application("first", ((),), kind="EMPTY"))
    'first(()) fails with EMPTY'
    """
    place = f"{application.element}: " if application.element is not None else ""
    if application.kind is not None:
        return f"{place}{application} fails with {application.kind}"
    assert application.result is not None
    return f"{place}{application} = {brief(application.result)}"


def left_out_applications(outer: Application) -> str:
    """The number of applications left out of a tree."""
    return f"{plural(outer.left_out, 'application')} left out here"


def left_out_words(trace: Trace) -> str:
    """The number of calls of functions left out of the steps."""
    return f"the lines of {plural(trace.left_out, 'call')} of other functions are left out"


def one_line(source: str) -> str:
    """The text of a statement on one line.

    >>> one_line("x = f(I,\\n      J)")
    'x = f(I, J)'
    """
    return " ".join(source.split())
