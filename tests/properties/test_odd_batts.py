"""Damaged batt files are read, and what no damage reaches gives what it gave before."""

from functools import cache
from random import Random

import pytest

import arcbatt as ab
from arcbatt.dsl.failures import Failure
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import load_library
from arcbatt.program.batt_files.read import parse_batt
from arcbatt.program.batt_files.write import STYLES, batt_source
from arcbatt.program.graph import Batt, Style
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Task
from support.odd_batts import KINDS, odd_file
from support.plain_batts import engine_outcomes, function_of

BACKENDS = (*AVAILABLE, *(["emulated"] if "native" in AVAILABLE else []))
FAST = AVAILABLE[-1]
TASKS = tuple(ab.load_tasks("arc1/training"))[:20]


@cache
def batt_and_task(seed: int, most: int = 4) -> tuple[Batt, Task]:
    random = Random(seed)
    solvers = random.sample(load_library("solvers")[:80], random.randrange(1, most))
    differs = random.sample(load_library("differs"), random.randrange(3))
    return batt_of(solvers, differs), random.choice(TASKS)


def require_sound(seed: int, style: Style, count: int, kinds: list[str] | None = None) -> None:
    batt, task = batt_and_task(seed)
    made = odd_file(batt, style, seed, count, kinds)
    odd = parse_batt(made.text, f"{seed}.py")
    assert len(odd) == len(batt), made.damage
    modes: tuple[FailureMode, ...] = ("fail", "default")
    for mode in modes:
        before = engine_outcomes(parse_batt(batt_source(batt, style)), task, FAST, mode)
        after = engine_outcomes(odd, task, FAST, mode)
        for row, again in zip(before, after):
            assert [row[place] for place in made.sound] == [again[place] for place in made.sound], made.damage


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("style", STYLES)
def test_one_kind_of_damage_costs_what_depends_on_it(kind: str, style: Style) -> None:
    require_sound(17, style, 2, [kind])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_damage_of_all_kinds_together_costs_what_depends_on_it(seed: int) -> None:
    require_sound(seed, STYLES[seed % len(STYLES)], 1 + seed % 12)


@pytest.mark.parametrize("seed", range(12))
def test_an_odd_batt_is_written_and_read_back_as_it_was(seed: int) -> None:
    batt, task = batt_and_task(seed)
    odd = parse_batt(odd_file(batt, STYLES[seed % len(STYLES)], seed, 6).text)
    for style in STYLES:
        again = parse_batt(batt_source(odd, style))
        modes: tuple[FailureMode, ...] = ("fail", "default")
        for mode in modes:
            assert engine_outcomes(again, task, FAST, mode) == engine_outcomes(odd, task, FAST, mode)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_conditions_of_a_pile_mean_what_they_mean_in_plain_python(seed: int) -> None:
    batt, task = batt_and_task(seed, most=3)
    solving = ab.merge(batt.solvers)  # differs see C, which is not there while solving
    kinds = ["condition", "condition_false", "condition", "extra_arguments", "constant_called"]
    text = odd_file(solving, "pile", seed, 12, kinds).text
    plain = function_of(text.replace("from dsl import *", "from arcbatt.batt.runtime import *"))
    given = [
        [entry[-1] for entry in plain(task.id, task.pairs, grid, None, None)[0]] for grid, _ in task.samples
    ]
    odd = parse_batt(text)
    for backend in BACKENDS:
        rows = engine_outcomes(odd, task, backend, "pile")
        values = [[None if is_failure(x) else x for x in row] for row in rows]
        assert values == [[entry.t for entry in row] for row in given]
        assert [[not is_failure(x) for x in row] for row in rows] == [[e.ok for e in row] for row in given]


def is_failure(outcome: object) -> bool:
    return isinstance(outcome, Failure) or (isinstance(outcome, str) and outcome.startswith("failed"))


def test_the_same_seed_gives_the_same_file() -> None:
    batt, _ = batt_and_task(3)
    assert odd_file(batt, "pile", 5) == odd_file(batt, "pile", 5) != odd_file(batt, "pile", 6)
