"""Batt files: what is written is read back, runs as plain Python, and gives what the engine gives."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.choose import AVAILABLE
from arcbatt.program.batt_files.read import parse_batt
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt, Node, Program, Style, listing_of
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Task
from support.plain_batts import engine_outcomes, engine_tuples, plain_tuples
from support.strategies import mutants, programs, tasks

law = settings(derandomize=True, max_examples=30, database=None)
quick = settings(law, max_examples=60)

STYLES: tuple[Style, ...] = get_args(Style)
MODES: tuple[FailureMode, ...] = get_args(FailureMode)

# A solver that looks at C would see it in a file that is run with one; the engine withholds it.
solvers = st.one_of(programs(), programs(well_typed=False), mutants(programs())).filter(
    lambda program: "C" not in program.root.needs
)
evolving = st.builds(lambda solver, evo: replace(solver, evo=evo), solvers, st.booleans())
differs = programs(kind="differ") | programs(well_typed=False, kind="differ")
batts = st.builds(
    batt_of, st.lists(evolving, min_size=1, max_size=3), st.lists(differs, min_size=1, max_size=2)
)
# Names of their own, and nothing that source could only say in other words.
plain_batts = st.builds(
    batt_of,
    st.lists(programs(), max_size=4, unique_by=lambda program: program.name),
    st.lists(programs(kind="differ"), min_size=1, max_size=2, unique_by=lambda program: program.name),
)
styles = st.sampled_from(STYLES)


@quick
@given(plain_batts, styles)
def test_a_file_reads_back_as_the_same_programs(batt: Batt, style: Style):
    again = parse_batt(batt_source(batt, style))
    assert again.style == style
    assert [facts(program) for program in again] == [facts(program) for program in batt]
    assert again.listing == listing_of(program.root for program in batt)


def facts(program: Program) -> tuple[object, ...]:
    root = program.root if program.root.args else Node.op("identity", program.root)
    return program.name, program.kind, root, program.evo, program.scored


@quick
@given(batts, styles, styles)
def test_a_file_that_was_read_is_written_as_it_was_in_any_style(batt: Batt, style: Style, other: Style):
    text = batt_source(batt, style)
    there = batt_source(parse_batt(text), other)
    assert batt_source(parse_batt(there), style) == text


@law
@given(batts, tasks(3), styles)
def test_a_file_run_as_plain_python_gives_what_the_engine_gives(
    backend: str, batt: Batt, task: Task, style: Style
):
    text = batt_source(batt, style)
    assert plain_tuples(text, task) == engine_tuples(parse_batt(text), task, backend)


@law
@given(batts, tasks(3), styles, st.sampled_from(MODES))
def test_a_batt_gives_the_same_after_it_was_written_and_read(
    backend: str, batt: Batt, task: Task, style: Style, mode: FailureMode
):
    again = parse_batt(batt_source(batt, style))
    inputs = task
    # An input that is an output as it stands needs a line in a file, and that line has a default.
    whole = replace(batt, programs=tuple(replace(p, root=facts(p)[2]) for p in batt))
    assert engine_outcomes(again, inputs, backend, mode) == engine_outcomes(whole, inputs, backend, mode)


@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
@law
@given(batts, tasks(3), st.sampled_from(MODES))
def test_backends_agree_in_every_failure_mode(batt: Batt, task: Task, mode: FailureMode):
    assert engine_outcomes(batt, task, "native", mode) == engine_outcomes(batt, task, "reference", mode)


@quick
@given(st.lists(solvers, min_size=1, max_size=4))
def test_programs_of_a_file_are_what_load_programs_gives(programs: list[Program]):
    text = batt_source(ab.merge(programs), "guarded")
    assert tuple(ab.parse_programs(text)) == parse_batt(text).programs
