"""The states of searches in archives: programs as plain data, and damage told in a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arcbatt.errors import ArcbattError
from arcbatt.json_lines import BAD_DATA
from arcbatt.program.forms.graph_text import graph_from_text, graph_text
from arcbatt.program.graph import Program


@contextmanager
def state_decoding_errors(file: str | None = None) -> Iterator[None]:
    """Convert errors of decoding a stored state into ArcbattError.

    The data stand in an archive, if no file is named.
    """
    try:
        yield
    except BAD_DATA as error:
        reason = f"{type(error).__name__}: {error}"
        if file is not None:
            raise ArcbattError(
                f"{file}: the state of this run is damaged: {reason}; remove the file to start another run"
            ) from None
        raise ArcbattError(
            f"the state of this run is damaged in the archive: {reason}; "
            "start another run, in another archive"
        ) from None


def program_as_json(program: Program) -> list[Any]:
    """A program as plain data: its name, its inputs and its graph."""
    return [program.name, program.inputs, graph_text(program.nodes)]


def program_from(name: Any, inputs: Any, graph: Any) -> Program:
    """The solver that plain data describes; anything else raises an error."""
    if not isinstance(name, str) or not all(isinstance(each, str) for each in inputs):
        raise ValueError(f"{name!r} is no name of a program")
    return Program(name, "solver", tuple(inputs), graph_from_text(graph))


def differ_from(name: Any, inputs: Any, graph: Any) -> Program:
    """The differ that plain data describes."""
    return program_from(name, inputs, graph).altered(kind="differ")


def count_from(number: Any) -> int:
    """A number of things, which is a whole number that is not negative."""
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is no count")
    return number


def require_form(data: Any, form: int) -> None:
    """Refuse a state in another form than the one that is known."""
    if data["form"] != form:
        raise ValueError(f"its form is {data['form']!r}, and {form} is known")
