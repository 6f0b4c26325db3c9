"""The record of a task: which programs solve it, and failures of one mode among verdicts of another."""

from random import Random

import pytest

import arcbatt as ab
from arcbatt.dsl.contract import EXACT, FAILED, UNJUDGED, WRONG
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import with_failures

CODES = (WRONG, EXACT, UNJUDGED, FAILED + 1, FAILED + 5)
GRID = ((1,),)


def a_record(known: list[bool], verdicts: bytes) -> Record:
    """The record of a task whose test samples have a known output or not."""
    task = ab.Task("t", (), tuple(ab.Sample(GRID, GRID if is_known else None) for is_known in known))
    count = len(verdicts) // len(known) if known else 2
    programs = ab.parse_programs("".join(f"def p{number}(I): return I\n" for number in range(count)))
    return Record(task, programs, verdicts, b"")


@pytest.mark.parametrize(
    ("known", "solvers"),
    [
        ([True, True], ["p1"]),
        ([True, False], ["p0", "p1"]),
        ([False, True], ["p1", "p3"]),
        ([False, False], []),
    ],
)
def test_a_solver_is_exact_on_every_sample_with_a_known_output(known: list[bool], solvers: list[str]) -> None:
    verdicts = bytes([EXACT, WRONG, EXACT, EXACT, WRONG, WRONG, FAILED + 1, EXACT])
    assert [program.name for program in a_record(known, verdicts).solved_by()] == solvers


def test_a_task_without_samples_has_no_solver() -> None:
    assert list(a_record([], b"").solved_by()) == []


@pytest.mark.parametrize("seed", range(20))
def test_failures_replace_all_verdicts_of_solvers_but_exact_ones(seed: int) -> None:
    random = Random(seed)
    programs, samples = random.randrange(1, 7), random.randrange(1, 5)
    solvers = sorted(random.sample(range(programs), random.randrange(programs + 1)))
    verdicts = bytes(random.choices(CODES, k=programs * samples))
    failures = bytes(random.choices(CODES, k=len(solvers) * samples))
    expected = bytearray(verdicts)
    for number, solver in enumerate(solvers):
        for sample in range(samples):
            failure, place = failures[number * samples + sample], solver * samples + sample
            if failure >= FAILED and verdicts[place] != EXACT:
                expected[place] = failure
    assert with_failures(verdicts, solvers, failures, samples) == bytes(expected)


def test_without_samples_there_are_no_failures() -> None:
    assert with_failures(b"", [0, 1], b"", 0) == b""
