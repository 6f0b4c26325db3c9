"""Programs as files of another form: functions of solvers, one-liners, and batts of each style."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import get_args

from arcbatt.dsl.constants import INPUTS
from arcbatt.errors import ArcbattError
from arcbatt.program.batt_files.write import STYLES, batt_source
from arcbatt.program.emit import function_name, source
from arcbatt.program.forms.one_liners import one_liner
from arcbatt.program.forms.spelling import as_source_says
from arcbatt.program.graph import Batt, Program, Style, stem
from arcbatt.program.merge import batt_of, unapplied
from arcbatt.program.names import names_of_functions
from arcbatt.program.parse import parse_programs
from arcbatt.text import shorten

SOLVERS, ONE_LINERS = "solvers", "one-liners"
FORMS: tuple[str, ...] = (SOLVERS, ONE_LINERS, *get_args(Style))
HEADER = "from dsl import *\nfrom constants import *\n"  # the beginning of arc-dsl's file of solvers


@dataclass(frozen=True)
class Conversion:
    """The text of a file, the number of its programs, and the reasons why others are not in it."""

    text: str
    programs: int
    left_out: tuple[str, ...] = ()


def converted(batt: Batt, form: str) -> Conversion:
    """The programs of a batt as a file of some form, in which each stays the same program.

    A batt file becomes a batt of another style line by line. Functions and one-liners are read back to prove
    that they are the same programs; those that no text can express are left out. A differ that scores each
    solver of a batt appears once.

    >>> programs = parse_programs("def solve_x(I):\\n x1 = trim(I)\\n return hconcat(x1, x1)")
    >>> print(converted(Batt(tuple(programs)), "one-liners").text, end="")
    def solve_x(S, I, C): return hconcat(trim(I), trim(I))
    """
    for style in STYLES:
        if form == style:
            whole = batt if batt.style else _batt_of(batt)
            return Conversion(batt_source(whole, style), len(whole.solvers) + len(unapplied(whole.differs)))
    programs = (*batt.solvers, *unapplied(batt.differs))
    if not programs:
        raise ArcbattError("there is no solver, and no differ that scores the raw input; name another file")
    named = [(_function_name(program), program.hash) for program in programs]
    write = _function if form == SOLVERS else _one_liner
    texts, reasons = list[str](), list[str]()
    for program, name in zip(programs, names_of_functions(named)):
        try:
            texts.append(_sound(program, name, write))
        except ArcbattError as error:
            reasons.append(str(error))
    if not texts:
        raise ArcbattError(reasons[0])
    text = "\n\n".join((HEADER, *texts)) if form == SOLVERS else "".join(texts)
    return Conversion(text, len(texts), tuple(reasons))


def _batt_of(batt: Batt) -> Batt:
    return batt_of(batt.solvers, unapplied(batt.differs)) if batt.solvers else batt


def _function_name(program: Program) -> str:
    """A name under which a program reads back as its kind; a solver named by a task alone is `solve_`."""
    name = function_name(program)
    if program.kind == "solver" and stem(program.name) == program.task_id:
        return f"solve_{name.removeprefix('solve_')}"
    fits = (program.kind == "differ") == name.startswith("differ") and not iskeyword(name)
    return name if fits else f"{'solve' if program.kind == 'solver' else 'differ'}_{name}"


def _function(program: Program, name: str) -> Iterator[str]:
    """The source of a program; if it does not read back, that of one with the same value."""
    inputs = ("I",) if program.root.needs <= {"I"} else INPUTS
    yield source(program.altered(name=name, inputs=inputs))
    yield source(program.altered(name=name, inputs=inputs, root=as_source_says(program.root)))


def _one_liner(program: Program, name: str) -> Iterator[str]:
    yield one_liner(program, name)


def _sound(program: Program, name: str, write: Callable[[Program, str], Iterator[str]]) -> str:
    """The text of a program that reads back as the same program, or as one with its values and failures."""
    same = {program.root, as_source_says(program.root)}
    for text in write(program, name):
        if _roots_in(text) <= same:
            return text
    raise ArcbattError(
        f"{shorten(program.name)}: expected calls of functions, got a call of None; "
        "write it with --to solvers"
    )


def _roots_in(text: str) -> set[object]:
    try:
        again: Sequence[Program] = parse_programs(text, on_refused="raise")
    except ArcbattError:
        return {None}
    return {program.root for program in again}
