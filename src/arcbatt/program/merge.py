"""Merging programs into a batt: one graph that holds every distinct expression once."""

from collections.abc import Iterable
from dataclasses import replace

from arcbatt.arguments import listed
from arcbatt.program.graph import A_PROGRAM, RAW_INPUT, WITHHELD_NAME, Batt, Node, Program, substituted
from arcbatt.program.names import Content, content_of, under_own_names

WITHHELD = Node.input(WITHHELD_NAME)


def merge(programs: Iterable[Program]) -> Batt:
    """Merge many programs into one batt. A program's result in the batt equals its result alone.

    Nodes are shared already, since equal expressions are one object; only names must become unique. A program
    given twice appears once; programs that share a name but differ get a hash suffix, such as `name~1f3a9c`.
    A batt keeps all its lines.
    """
    if isinstance(programs, Batt):
        own = under_own_names(programs.programs)
        return programs if own is programs.programs else replace(programs, programs=own)
    given = listed(programs, Program, A_PROGRAM)
    if len({program.name for program in given}) == len(given):
        return Batt(tuple(given))
    found: dict[tuple[str, Content], Program] = {}
    for program in given:
        found.setdefault((program.name, content_of(program)), program)
    return Batt(under_own_names(found.values()))


def distinct(programs: Iterable[Program]) -> list[Program]:
    """The programs without repeats; of those with the same content the first stays.

    >>> from arcbatt.program.parse import parse_programs
    >>> text = "def a(I): return rot90(I)\\ndef b(I): return rot90(I)\\ndef c(I): return I"
    >>> [program.name for program in distinct(parse_programs(text))]
    ['a', 'c']
    """
    by_root: dict[Node, Program] = {}
    for program in programs:
        by_root.setdefault(program.root, program)
    return list(by_root.values())


def solving_root(solver: Program) -> Node:
    """The root of a solver as it runs: with C withheld."""
    return without_answer(solver.root)


def without_answer(root: Node) -> Node:
    """A node with C withheld."""
    return substituted(root, {Node.input("C"): WITHHELD}) if "C" in root.needs else root


def applied(differ: Program, solver: Program | None) -> Program:
    """A differ that scores a solver's output, or with None the raw input.

    >>> from arcbatt.program.parse import parse_programs
    >>> (solver,) = parse_programs("def solve_x(I): return rot90(I)")
    >>> (differ,) = parse_programs("def differ_y(S, I, C): return astuple(I, C)")
    >>> applied(differ, solver), applied(differ, solver).root
    (<differ differ_y(solve_x) ...>, astuple(rot90(I), C))
    """
    candidate = Node.input("I") if solver is None else solving_root(solver)
    scored = RAW_INPUT if solver is None else solver.name
    root = substituted(differ.root, {Node.input("I"): candidate})
    evo = differ.evo or (solver is not None and solver.evo)
    changes = differ.changes if solver is None else ()  # listed once, in terms of the candidate
    name = f"{differ.id}({scored})"
    return Program(name, "differ", ("S", "I", "C"), root, evo, scored, changes, entry_id=differ.id)


def unapplied(differs: Iterable[Program]) -> list[Program]:
    """The differs as `applied` takes them: of those in a batt, each once, in its form for the raw input.

    >>> from arcbatt.program.parse import parse_programs
    >>> solvers = parse_programs("def solve_x(I): return rot90(I)")
    >>> differs = parse_programs("def differ_y(S, I, C): return astuple(I, C)")
    >>> unapplied(batt_of(solvers, differs).differs) == list(differs)
    True
    """
    return [
        differ if differ.scored is None else replace(differ, name=differ.id, scored=None, entry_id=None)
        for differ in differs
        if differ.scored in (None, RAW_INPUT)
    ]


def batt_of(solvers: Iterable[Program], differs: Iterable[Program]) -> Batt:
    """The batt of some solvers, with each differ on the raw input and on every solver's output.

    The differs may be those of another batt. The id of a solver is its name, which is unique.
    """
    differs = listed(differs, Program, A_PROGRAM)
    solving = [replace(solver, entry_id=None) for solver in merge(solvers)]
    scoring = merge(unapplied(differs)).programs
    candidates: tuple[Program | None, ...] = (None, *solving)
    return merge((*solving, *(applied(differ, solver) for solver in candidates for differ in scoring)))
