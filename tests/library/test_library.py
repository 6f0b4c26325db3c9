"""The library solves what it says, uses most of the language, and its differs score as they should."""

import pytest

import arcbatt as ab
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function
from arcbatt.library import load_library

CORE = {"numbers", "containers", "functions", "grids", "patches", "objects", "drawing", "scaling", "search"}


def ops_used(program: ab.Program) -> set[str]:
    """The ops of a program, called or handed on as functions."""
    called = {node.head for node in program.nodes if node.kind == "op"}
    handed_on = {node.head.name for node in program.nodes if isinstance(node.head, Function)}
    return called | handed_on


def is_core(program: ab.Program) -> bool:
    return all(TABLE[name].group in CORE for name in ops_used(program))


@pytest.fixture(scope="module")
def solvers() -> list[ab.Program]:
    return list(load_library("solvers"))


@pytest.fixture(scope="module")
def tasks() -> ab.TaskSet:
    return ab.load_tasks("arc1/training")


def test_every_solver_solves_every_pair_of_its_task(solvers: list[ab.Program], tasks: ab.TaskSet) -> None:
    result = ab.run(ab.merge(solvers), tasks)
    unsolved = [program.name for program in solvers if (program.name, program.task_id) not in result.solved]
    assert not unsolved
    assert len(result.solved) == len(solvers)


def test_the_library_is_large_and_uses_most_of_the_language(solvers: list[ab.Program]) -> None:
    core = [program for program in solvers if is_core(program)]
    dialect = [program for program in solvers if not is_core(program)]
    assert len(core) >= 270
    assert len(dialect) >= 30
    used = set().union(*map(ops_used, core))
    assert len(used) >= 155
    assert (
        sum("compose" in ops_used(p) or "fork" in ops_used(p) or "chain" in ops_used(p) for p in core) >= 80
    )


def test_names_and_programs_of_the_library_are_distinct(solvers: list[ab.Program]) -> None:
    assert len({program.name for program in solvers}) == len(solvers)
    assert len({program.task_id for program in solvers}) == len(solvers)


def test_source_of_every_solver_reads_back_as_the_same_program(solvers: list[ab.Program]) -> None:
    again = ab.parse_programs("\n".join(program.source() for program in solvers), strict=True)
    assert [program.hash for program in again] == [program.hash for program in solvers]
