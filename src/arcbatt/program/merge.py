"""Merging programs into a batt."""

from collections.abc import Iterable
from dataclasses import replace

from arcbatt.program.graph import Batt, Node, Program, ProgramKind


def merge(programs: Iterable[Program]) -> Batt:
    """One batt of many programs. A program's result in the batt is its result alone.

    Nodes are shared already, since equal expressions are one object. What is left is to give each program a
    name of its own: the same program under the same name stands once, another one becomes `name#2`.
    """
    known: set[tuple[str, Node, ProgramKind]] = set()
    namesakes: dict[str, int] = {}
    merged: dict[str, Program] = {}
    for program in programs:
        identity = (program.name, program.root, program.kind)
        if identity in known:
            continue
        known.add(identity)
        name = program.name
        while name in merged:
            namesakes[program.name] = namesakes.get(program.name, 1) + 1
            name = f"{program.name}#{namesakes[program.name]}"
        merged[name] = program if name == program.name else replace(program, name=name)
    return Batt(tuple(merged.values()))
