"""Hypothesis strategies for values, programs and tasks; they draw from the seeded generators, and shrink."""

from collections.abc import Callable
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from arcbatt.dsl.types import Type
from arcbatt.dsl.values import Function, Value
from arcbatt.program.graph import Program, ProgramKind
from arcbatt.tasks import Grid, Sample, Task
from arcbatt.testing import random_values as make
from arcbatt.testing.random_programs import DEFAULT_NODES, mutated, random_program

Drawn = TypeVar("Drawn")

SIZE = 4


def _made(maker: Callable[[Random], Drawn]) -> st.SearchStrategy[Drawn]:
    return st.randoms(use_true_random=False).map(maker)


def values(kind: str | Type, size: int = SIZE) -> st.SearchStrategy[Value]:
    """Values that a type admits, named as in the op table."""
    return _made(lambda random: make.random_value(random, kind, size))


def any_value(size: int = SIZE) -> st.SearchStrategy[Value]:
    """Values of every kind, also mixed and nested ones."""
    return values("Any", size)


def grids(size: int = SIZE, degenerate: bool = False) -> st.SearchStrategy[Grid]:
    """Grids with at least one cell, or also without."""
    return _made(lambda random: (make.grid_or_none if degenerate else make.grid)(random, size))


def indices(size: int = SIZE) -> st.SearchStrategy[Value]:
    """Sets of locations, empty ones included."""
    return values("Indices", size)


def objects(size: int = SIZE) -> st.SearchStrategy[Value]:
    """Sets of cells, empty ones included."""
    return values("Object", size)


def functions(arity: int) -> st.SearchStrategy[Function]:
    """Functions of an arity from 1 to 4: ops and composites."""
    return _made(lambda random: make.function(random, arity))


def samples(size: int = SIZE) -> st.SearchStrategy[Sample]:
    """An input grid with its output, which may be unknown."""
    return st.builds(Sample, grids(size), st.none() | grids(size))


def tasks(size: int = SIZE) -> st.SearchStrategy[Task]:
    """Tasks of one to three demo samples and one or two test samples."""
    shown = st.builds(Sample, grids(size), grids(size))
    return st.builds(
        Task,
        st.integers(0, 0xFFFFFFFF).map("{:08x}".format),
        st.lists(shown, min_size=1, max_size=3).map(tuple),
        st.lists(samples(size), min_size=1, max_size=2).map(tuple),
    )


def programs(
    well_typed: bool = True, nodes: int = DEFAULT_NODES, kind: ProgramKind = "solver"
) -> st.SearchStrategy[Program]:
    """Programs of up to about that many ops; a failing one shrinks in their number."""
    return st.builds(
        lambda seed, count: random_program(seed, count, well_typed, kind),
        st.integers(0, 0xFFFFFFFF),
        st.integers(1, nodes),
    )


def mutants(programs: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    """Programs with one small change that heeds no types."""
    return st.builds(mutated, programs, st.integers(0, 0xFFFFFFFF).map(Random))
