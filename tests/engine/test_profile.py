"""Profiles: runs by stage, failures by kind, what merging and staging save; alike on all backends."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from time import sleep
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.engine.backend import FailureMode, RunOptions, StepTime
from arcbatt.engine.choose import AVAILABLE, choose
from arcbatt.engine.plan import plan
from arcbatt.engine.profile.costs import LONGEST, REPEATS, Cost, PlanRuns, step_costs, total
from arcbatt.engine.profile.profile import OpCost, Profile, profile
from arcbatt.engine.profile.sharing import MOST_OUTCOMES, probes
from arcbatt.engine.run import Pairs
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.program.batt_files.read import parse_batt
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Sample

STAGES = "def solve_it(S, I, C): return fill(I, add(ONE, TWO), ofcolor(I, size(S)))"
FAILING = "def solve_it(I): return increment(divide(height(I), ZERO))"
SHARING = "def a(I): return hmirror(rot90(I))\ndef b(I): return vmirror(rot90(I))"

BATT = """
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = rot90(I)
    t2 = hmirror(I)
    t3 = rot90(I)
    t4 = vmirror(t3)
    o.append((1, False, 'one', t1))
    o.append((4, False, 'two', t4))
    return o, s
"""


@pytest.fixture(scope="module")
def tasks() -> ab.TaskSet:
    return ab.load_tasks("arc1/training")[:3]


def samples_of(tasks: Sequence[ab.Task]) -> int:
    return sum(len(task.samples) for task in tasks)


def measured(
    text: str,
    tasks: Sequence[ab.Task],
    backend: str,
    on_failure: FailureMode = "fail",
    pairs: Pairs = "all",
) -> Profile:
    return profile(ab.parse_programs(text), tasks, pairs, backend, on_failure)


def by_op(found: Profile) -> dict[str, OpCost]:
    return {op.name: op for op in found.ops}


def counts(found: Profile) -> dict[str, tuple[object, ...]]:
    """All of a profile that no clock has a say in."""
    return {op.name: (op.nodes, op.cost.runs, op.cost.skipped, dict(op.cost.failures)) for op in found.ops}


def test_nodes_run_as_often_as_their_stage_says(backend: str, tasks: ab.TaskSet) -> None:
    samples = samples_of(tasks)
    found = measured(STAGES, tasks, backend)
    runs = {name: op.cost.runs for name, op in by_op(found).items()}
    assert runs == {"add": 1, "size": len(tasks), "ofcolor": samples, "fill": samples}
    assert (found.programs, found.tasks, found.samples) == (1, 3, samples)


def test_what_staging_saves_is_counted(backend: str, tasks: ab.TaskSet) -> None:
    samples = samples_of(tasks)
    found = measured(STAGES, tasks, backend)
    assert found.staging.turns_unstaged == 4 * samples
    assert found.staging.turns == 1 + len(tasks) + 2 * samples
    assert found.staging.seconds >= 0


def test_failures_belong_to_the_op_that_failed_and_others_are_skipped(
    backend: str, tasks: ab.TaskSet
) -> None:
    samples = samples_of(tasks)
    ops = by_op(measured(FAILING, tasks, backend))
    assert ops["divide"].cost.failures == {"ZERO": samples}
    assert (ops["divide"].cost.runs, ops["divide"].cost.skipped) == (samples, 0)
    assert (ops["increment"].cost.runs, ops["increment"].cost.skipped) == (0, samples)
    assert ops["increment"].cost.failed == 0
    assert ops["increment"].cost.seconds_per_run == 0


def test_failures_that_give_defaults_are_counted_and_nothing_is_skipped(
    backend: str, tasks: ab.TaskSet
) -> None:
    samples = samples_of(tasks)
    found = measured(FAILING, tasks, backend, "default")
    assert found.cost.failures == {"ZERO": samples}
    assert (found.cost.runs, found.cost.skipped) == (3 * samples, 0)


def test_node_that_is_skipped_here_and_fails_there_is_counted_for_both(backend: str) -> None:
    rows = [Sample(((0,) * width,), None) for width in (1, 2, 3)]
    task = ab.Task("00000001", (Sample(((0, 0),), ((0,),)),), tuple(rows))
    text = "def solve_it(I): return divide(SEVEN, divide(ONE, decrement(width(I))))"
    cost = by_op(measured(text, [task], backend))["divide"].cost
    assert (cost.runs, cost.skipped, cost.failures) == (7, 1, {"ZERO": 2})


def test_what_fails_once_a_task_is_counted_once_a_task(backend: str, tasks: ab.TaskSet) -> None:
    text = "def solve_it(S, I, C): return fill(I, first(difference(S, S)), asindices(I))"
    ops = by_op(measured(text, tasks, backend))
    assert ops["first"].cost.failures == {"EMPTY": len(tasks)}
    assert ops["fill"].cost.skipped == samples_of(tasks)


def test_constant_that_fails_is_counted_once(backend: str, tasks: ab.TaskSet) -> None:
    ops = by_op(measured("def solve_it(I): return fill(I, increment(divide(ONE, ZERO)), I)", tasks, backend))
    assert ops["divide"].cost.failures == {"ZERO": 1}
    assert ops["increment"].cost.skipped == 1


def test_calls_of_functions_stand_under_a_name_of_their_own(backend: str, tasks: ab.TaskSet) -> None:
    ops = by_op(measured("def solve_it(I): return compose(increment, height)(I)", tasks, backend))
    assert ops["(call)"].cost.runs == samples_of(tasks)
    wrong = by_op(measured("def solve_it(I): return height(I)(I)", tasks, backend))
    assert wrong["(call)"].cost.failures == {"TYPE": samples_of(tasks)}


def test_node_that_needs_an_unknown_output_is_skipped(backend: str) -> None:
    grid = ((1, 2), (3, 4))
    task = ab.Task("00000001", (Sample(grid, grid),), (Sample(grid, None),))
    ops = by_op(measured("def differ_it(S, I, C): return astuple(size(C), I)", [task], backend))
    assert (ops["size"].cost.runs, ops["size"].cost.skipped) == (1, 1)
    assert (ops["astuple"].cost.runs, ops["astuple"].cost.skipped) == (1, 1)


def test_totals_are_sums(backend: str, tasks: ab.TaskSet) -> None:
    found = profile(load_library("solvers")[:12], tasks, "all", backend)
    over_ops = total(op.cost for op in found.ops)
    for cost in (over_ops, total(found.nodes.values())):
        assert (cost.runs, cost.skipped, cost.failures) == (
            found.cost.runs,
            found.cost.skipped,
            found.cost.failures,
        )
        assert cost.seconds == pytest.approx(found.cost.seconds)
    assert sum(op.nodes for op in found.ops) == len(found.nodes)
    assert found.cost.runs + found.cost.skipped == found.staging.turns == found.merging.turns
    assert sum(found.share(op.cost) for op in found.ops) == pytest.approx(1)
    times = [cost.seconds for _, cost in found.slowest(len(found.nodes))]
    assert times == sorted(times, reverse=True)


def test_what_merging_saves_is_counted(backend: str, tasks: ab.TaskSet) -> None:
    samples = samples_of(tasks)
    found = measured(SHARING, tasks, backend).merging
    assert (found.nodes_alone, found.nodes) == (4, 3)
    assert (found.turns_alone, found.turns) == (4 * samples, 3 * samples)


def test_own_pairs_run_each_program_on_its_task_and_a_shared_constant_once(
    backend: str, tasks: ab.TaskSet
) -> None:
    text = "\n".join(
        f"def solve_{task.id}(I): return fill(I, add(ONE, TWO), asindices(I))" for task in tasks[:2]
    )
    found = measured(text + "\ndef turn(I): return rot90(I)", tasks, backend, pairs="own")
    samples = samples_of(tasks[:2])
    assert counts(found) == {
        "add": (1, 1, 0, {}),
        "asindices": (1, samples, 0, {}),
        "fill": (1, samples, 0, {}),
    }
    assert (found.programs, found.tasks, found.samples) == (2, 2, samples)
    assert (found.merging.nodes_alone, found.merging.nodes) == (6, 3)
    assert (found.merging.turns_alone, found.merging.turns) == (2 + 2 * samples, 1 + 2 * samples)
    assert found.staging.turns_unstaged == 3 * samples


def test_lines_that_no_output_needs_do_not_run(backend: str, tasks: ab.TaskSet) -> None:
    found = profile(parse_batt(BATT), tasks, "all", backend)
    assert found.lines is not None
    assert (found.lines.lines, found.lines.unneeded, found.lines.repeated) == (4, 1, 1)
    assert not found.lines.all_run
    assert {name: op.cost.runs // found.samples for name, op in by_op(found).items()} == {
        "rot90": 1,
        "vmirror": 1,
    }


def test_all_lines_of_a_pile_run(backend: str, tasks: ab.TaskSet) -> None:
    found = profile(parse_batt(BATT), tasks, "all", backend, "pile")
    assert found.lines is not None
    assert found.lines.all_run
    assert {name: op.cost.runs // found.samples for name, op in by_op(found).items()} == {
        "rot90": 2,
        "hmirror": 1,
        "vmirror": 1,
    }
    assert found.staging.turns == found.staging.turns_unstaged == 4 * found.samples
    assert found.merging.turns_alone == found.merging.turns == 3 * found.samples


def test_programs_have_no_lines(backend: str, tasks: ab.TaskSet) -> None:
    assert measured(STAGES, tasks, backend).lines is None


def test_equal_arguments_of_equal_ops_are_found(backend: str) -> None:
    task = ab.Task("00000001", (Sample(((1, 2), (3, 4)), ((1,),)),), (Sample(((5, 6), (7, 8)), None),))
    text = "def a(I): return rot90(I)\ndef b(I): return rot90(hmirror(hmirror(I)))"
    sharing = measured(text, [task], backend).sharing
    assert (sharing.samples, sharing.runs, sharing.repeats) == (2, 8, 2)
    assert 0 <= sharing.share_of_time <= 1


def test_skipped_nodes_and_constants_of_later_samples_are_not_looked_at(backend: str) -> None:
    grid = ((1, 2), (3, 4))
    task = ab.Task("00000001", (Sample(grid, grid), Sample(grid, grid)), ())
    text = "def a(I): return increment(divide(height(I), subtract(ONE, ONE)))"
    sharing = measured(text, [task], backend).sharing
    assert (sharing.samples, sharing.runs, sharing.repeats) == (2, 5, 0)


def test_few_values_are_looked_at_and_from_all_over() -> None:
    task = ab.load_tasks("00d62c1b")[0]
    programs = plan(load_library("solvers")[:30])
    works = [PlanRuns(programs, [task] * 500)]
    chosen = probes(works)
    outcomes = sum(len(programs.steps) * len(probe.task.samples) for probe in chosen)
    assert MOST_OUTCOMES / 2 < outcomes <= MOST_OUTCOMES
    places = [probe.place for probe in chosen]
    assert places[0] == 0
    assert len({later - before for before, later in pairwise(places)}) == 1
    assert places[-1] > 400


def test_of_a_huge_batt_at_least_one_sample_is_looked_at() -> None:
    task = ab.load_tasks("00d62c1b")[0]
    small = plan(load_library("solvers")[:2])
    huge = type(small)(tuple(small.steps) * MOST_OUTCOMES, small.roots)
    (probe,) = probes([PlanRuns(huge, [task] * 3)])
    assert len(probe.task.samples) == 1


@pytest.mark.skipif(len(AVAILABLE) < 2, reason="needs two backends")
@pytest.mark.parametrize("on_failure", ["fail", "default", "pile"])
def test_backends_agree_on_all_but_time(on_failure: FailureMode) -> None:
    grid = ((1, 2, 0), (3, 4, 0))
    unknown = ab.Task("00000001", (Sample(grid, grid),), (Sample(grid, None),))
    batt = batt_of(load_library("solvers")[::30], load_library("differs")[::2])
    tasks = [*ab.load_tasks("arc1/training")[40:42], unknown]
    one, other = (profile(batt, tasks, "all", backend, on_failure) for backend in AVAILABLE)
    assert counts(one) == counts(other)
    assert one.cost.failed
    assert (one.sharing.runs, one.sharing.repeats) == (other.sharing.runs, other.sharing.repeats)
    assert one.merging.turns_alone == other.merging.turns_alone
    assert one.staging.turns_unstaged == other.staging.turns_unstaged


def test_json_has_all_ops_and_the_slowest_nodes(backend: str, tasks: ab.TaskSet) -> None:
    found = profile(load_library("solvers")[:5], tasks, "all", backend)
    data = found.as_json(top=2)
    assert [op["op"] for op in data["ops"]] == [op.name for op in found.ops]
    assert sum(op["runs"] for op in data["ops"]) == data["total"]["runs"] == found.cost.runs
    assert len(data["slowest_nodes"]) == 2
    assert data["sharing_by_value"]["seconds"] == found.seconds_by_sharing
    assert data["lines"] is None


def test_a_profile_says_what_is_wrong(tasks: ab.TaskSet) -> None:
    with pytest.raises(ArcbattError, match="no program runs on any of the tasks"):
        measured("def turn(I): return rot90(I)", tasks, "auto", pairs="own")
    with pytest.raises(ArcbattError, match="pairs: expected one of own, all, got 'some'"):
        measured(STAGES, tasks, "auto", pairs="some")  # type: ignore[arg-type]
    with pytest.raises(ArcbattError, match="on_failure: expected one of fail, default, pile, got 'cry'"):
        measured(STAGES, tasks, "auto", "cry")  # type: ignore[arg-type]


def test_every_task_is_reported(backend: str, tasks: ab.TaskSet) -> None:
    done: list[object] = []
    profile(ab.parse_programs(STAGES), tasks, "all", backend, on_task=done.append)
    assert len(done) == len(tasks)


def test_no_cost_has_no_mean() -> None:
    none = total([])
    assert none == Cost(0, 0, 0.0, {})
    assert (none.turns, none.seconds_per_run, none.seconds_per_turn) == (0, 0.0, 0.0)


def test_turns_are_runs_and_what_was_skipped() -> None:
    cost = total([Cost(2, 1, 0.5, {"TYPE": 1}), Cost(0, 5, 0.5, {})])
    assert (cost.turns, cost.seconds_per_run, cost.seconds_per_turn) == (8, 0.5, 0.125)


class Ticking:
    """A clock of a thread: each reading is a tick later, but for some readings before which it jumps."""

    def __init__(self, jumps: Mapping[int, int]) -> None:
        self.jumps, self.readings, self.now = jumps, 0, 0

    def __call__(self) -> int:
        self.readings += 1
        self.now += 1000 + self.jumps.get(self.readings, 0)
        return self.now


def shares(costs: Sequence[Cost]) -> list[float]:
    return [cost.seconds / total(costs).seconds for cost in costs]


@pytest.mark.parametrize("reading", [20, 21, 50, 51, 111])
def test_one_jump_of_the_clock_makes_no_step_expensive(reading: int, tasks: ab.TaskSet) -> None:
    """With the mean of one run a step that took 9 s of 9.0001 had nearly all of the time."""
    work = PlanRuns(plan(ab.parse_programs(STAGES)), tasks)
    reference, _ = choose("reference")
    undisturbed, disturbed = (
        step_costs(reference, work, RunOptions(), 0.0, lambda task: None, Ticking(jumps))
        for jumps in ({}, {reading: 9 * 10**9})
    )
    assert shares(disturbed) == pytest.approx(shares(undisturbed))
    assert max(shares(disturbed)) < 0.5


@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
@pytest.mark.parametrize("bad", [0, 1, 2])
def test_one_bad_round_of_the_core_makes_no_step_expensive(bad: int, tasks: ab.TaskSet) -> None:
    from arcbatt.engine.backends.native import NativeBackend

    class Disturbed(NativeBackend):
        rounds = 0

        def profile(self, *arguments: Any) -> list[StepTime]:
            rows = [step._replace(nanoseconds=100 * step.turns) for step in super().profile(*arguments)]
            if self.rounds == bad:
                rows[3] = rows[3]._replace(nanoseconds=10**9)
            self.rounds += 1
            return rows

    backend = Disturbed()
    work = PlanRuns(plan(ab.parse_programs(STAGES)), tasks)
    costs = step_costs(backend, work, RunOptions(), 0.0, lambda task: None)
    assert [cost.seconds for cost in costs] == pytest.approx([1e-7 * cost.turns for cost in costs])
    assert backend.rounds == REPEATS


def test_what_takes_long_is_not_repeated(tasks: ab.TaskSet) -> None:
    work = PlanRuns(plan(ab.parse_programs(STAGES)), tasks)
    done: list[object] = []
    clock = Ticking({3: int(LONGEST * 1e9)})
    step_costs(choose("reference")[0], work, RunOptions(), 0.0, done.append, clock)
    once = clock.readings
    clock = Ticking({})
    step_costs(choose("reference")[0], work, RunOptions(), 0.0, done.append, clock)
    assert clock.readings > 2 * once
    assert len(done) == 2 * len(tasks)


def test_time_that_a_thread_sleeps_is_not_counted(backend: str, tasks: ab.TaskSet) -> None:
    """A sleeping thread uses no processor, as one that was preempted does not."""

    def doze(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
        sleep(0.02)
        return grid

    ab.register_op(doze)
    try:
        cost = by_op(measured("def a(I): return doze(I)", tasks[:1], backend))["doze"].cost
    finally:
        ab.unregister_op("doze")
    assert cost.runs == samples_of(tasks[:1])
    assert cost.seconds_per_run < 0.02
