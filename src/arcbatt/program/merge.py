"""Merging programs into a batt."""

from collections.abc import Iterable
from dataclasses import replace

from arcbatt.program.graph import Batt, Program


def merge(programs: Iterable[Program]) -> Batt:
    """One batt of many programs. A program's result in the batt is its result alone.

    Nodes are shared already, since equal expressions are one object. What is left is to give each program a
    name of its own: the same program under the same name stands once, another one becomes `name#2`.
    """
    by_name: dict[str, Program] = {}
    for program in programs:
        name, count = program.name, 1
        while name in by_name and (by_name[name].root, by_name[name].kind) != (program.root, program.kind):
            count += 1
            name = f"{program.name}#{count}"
        by_name[name] = program if name == program.name else replace(program, name=name)
    return Batt(tuple(by_name.values()))
