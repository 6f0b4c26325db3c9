"""Runs through the public interface: pairs, failures, defaults, limits, withheld answers, statistics."""

import pickle
from typing import Any

import numpy as np
import pytest

import arcbatt as ab
from arcbatt.engine.results import Interrupted
from arcbatt.errors import ArcbattError, BackendError, ValueRefused
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Sample

SOLVERS = """
def solve_67a3c6ac(I):
    return vmirror(I)

def solve_68b16354(I):
    return hmirror(I)

def solve_nothing(I):
    return first(difference(I, I))
"""


@pytest.fixture(scope="module")
def tasks() -> ab.TaskSet:
    return ab.load_tasks("arc1/training").pick(["67a3c6ac", "68b16354", "00d62c1b"])


def run_one(body: str, task: ab.Task, **options: object) -> tuple[object, ...]:
    programs = ab.parse_programs(f"def solve_it(S, I, C): {body}", strict=True)
    result = ab.run(programs, [task], pairs="all", **options)  # type: ignore[arg-type]
    return result["solve_it", task.id].outputs


def test_own_pairs_run_each_program_on_the_task_of_its_name(tasks: ab.TaskSet) -> None:
    result = ab.run(ab.merge(ab.parse_programs(SOLVERS)), tasks)
    assert result.solved == {("solve_67a3c6ac", "67a3c6ac"), ("solve_68b16354", "68b16354")}
    assert len(result) == 2
    assert result.stats.evaluations == sum(len(task.samples) for task in tasks if task.id != "00d62c1b")


def test_all_pairs_run_every_program_on_every_sample(tasks: ab.TaskSet) -> None:
    result = ab.run(ab.merge(ab.parse_programs(SOLVERS)), tasks, pairs="all")
    assert result.solved == {("solve_67a3c6ac", "67a3c6ac"), ("solve_68b16354", "68b16354")}
    assert result.stats.evaluations == 3 * sum(len(task.samples) for task in tasks)
    failures = sum(len(task.samples) for task in tasks)
    assert result.stats.failures["EMPTY"] == failures
    assert result["solve_nothing", "00d62c1b"].failures == {"EMPTY": len(tasks["00d62c1b"].samples)}


def test_outputs_are_plain_values_demo_then_test(tasks: ab.TaskSet) -> None:
    task = tasks["67a3c6ac"]
    outcome = ab.run(ab.parse_programs(SOLVERS), tasks)["solve_67a3c6ac", task.id]
    assert outcome.outputs == tuple(sample.output for sample in task.samples)
    assert outcome.demo == (True,) * len(task.demo)
    assert outcome.test == (True,) * len(task.test)


def test_a_failure_names_its_kind_and_the_node_where_it_began(tasks: ab.TaskSet) -> None:
    empty = Node.op("difference", Node.input("I"), Node.input("I"))
    outputs = run_one("return rot90(first(difference(I, I)))", tasks[0])
    assert set(outputs) == {ab.Failure("EMPTY", Node.op("first", empty))}
    assert str(outputs[0].node) == "first(difference(I, I))"  # type: ignore[attr-defined]


def test_the_first_failed_argument_counts_callee_first(tasks: ab.TaskSet) -> None:
    assert run_one("return add(divide(1, 0), first(()))", tasks[0])[0].kind == "ZERO"  # type: ignore[attr-defined]
    assert run_one("return first(())(divide(1, 0))", tasks[0])[0].kind == "EMPTY"  # type: ignore[attr-defined]


def test_what_the_result_does_not_need_cannot_fail_it(tasks: ab.TaskSet) -> None:
    programs = ab.parse_programs("def solve_it(I):\n    x = divide(1, 0)\n    return ONE")
    assert ab.run(programs, tasks, pairs="all")["solve_it", tasks[0].id].outputs[0] == 1


@pytest.mark.parametrize(
    ("body", "default"),
    [
        ("return ofcolor(ONE, ONE)", frozenset()),
        ("return rot90(ONE)", ()),
        ("return astuple(divide(1, 0), rot90(ONE))", (0, ())),
        ("return add(ONE, first(divide(1, 0)))", 0),
        ("return first(ONE)", ()),
        ("return ulcorner(ONE)", ()),
        ("return compose(ONE, ONE)(I)", ()),
        ("return first((ONE, TWO))(I)", ()),
        ("return size(C)", 0),
    ],
)
def test_default_mode_replaces_a_failure_by_the_default_of_its_type(
    body: str, default: object, tasks: ab.TaskSet
) -> None:
    assert set(run_one(body, tasks[0], on_failure="default")) == {default}


def test_inside_a_function_nothing_defaults_by_itself(tasks: ab.TaskSet) -> None:
    body = "return apply(rbind(divide, ZERO), astuple(ONE, TWO))"
    assert run_one(body, tasks[0], on_failure="default")[0] == ()


def test_a_solver_does_not_see_the_answer_and_a_differ_does(tasks: ab.TaskSet) -> None:
    programs = ab.parse_programs(
        "def solve_it(S, I, C): return C\ndef differ_it(S, I, C): return astuple(ONE, C)"
    )
    result = ab.run(ab.merge(programs), tasks, pairs="all")
    task = tasks[0]
    assert {output.kind for output in result["solve_it", task.id].outputs} == {"TYPE"}  # type: ignore[union-attr]
    assert result["differ_it", task.id].outputs == tuple((1, sample.output) for sample in task.samples)
    assert not result["differ_it", task.id].solved
    assert set(result["differ_it", task.id].demo) == {None}


def test_samples_without_output_are_not_judged() -> None:
    grid = ((1, 2), (3, 4))
    task = ab.Task("00000001", (Sample(grid, grid),), (Sample(grid, None),))
    outcome = ab.run(ab.parse_programs("def solve_00000001(I): return I"), [task])["solve_00000001", task.id]
    assert outcome.solved
    assert outcome.outputs == (grid, grid)


@pytest.mark.parametrize("backend", ab.engine.choose.AVAILABLE)
def test_a_task_without_samples_hides_no_other(backend: str, tasks: ab.TaskSet) -> None:
    given = [ab.Task("empty", (), ()), *tasks, ab.Task("also empty", (), ())]
    result = ab.run(ab.parse_programs(SOLVERS), given, "all", backend)
    assert list(result.records) == [task.id for task in given]
    assert result.solved == {("solve_67a3c6ac", "67a3c6ac"), ("solve_68b16354", "68b16354")}


@pytest.mark.parametrize("backend", ab.engine.choose.AVAILABLE)
def test_grids_of_lists_are_judged_as_those_of_tuples(backend: str) -> None:
    task = ab.Task("00000001", (Sample([[1, 2]], [[2, 1]]),), ())
    result = ab.run(ab.parse_programs("def solve_00000001(I): return vmirror(I)"), [task], backend=backend)
    assert result["solve_00000001", task.id].solved


def test_results_are_found_by_name_and_task(tasks: ab.TaskSet) -> None:
    results = ab.run(ab.parse_programs(SOLVERS), tasks)
    assert ("solve_67a3c6ac", "67a3c6ac") in results
    for other in [("solve_67a3c6ac", "00d62c1b"), ("nobody", "67a3c6ac"), "solve_67a3c6ac", 3, ("a",)]:
        assert other not in results
        with pytest.raises(KeyError, match=r"^there is no result for .* ask for \(program name, task id\)$"):
            results[other]  # type: ignore[index]


def test_results_go_through_pickle(backend: str, tasks: ab.TaskSet) -> None:
    for mode in ("fail", "pile"):
        results = ab.run(ab.parse_programs(SOLVERS), tasks, "all", backend, on_failure=mode)  # type: ignore[arg-type]
        again = pickle.loads(pickle.dumps(results))
        assert list(again) == list(results)
        assert [outcome.outputs for outcome in again] == [outcome.outputs for outcome in results]


def test_an_outcome_shows_what_is_exact_and_what_failed(tasks: ab.TaskSet) -> None:
    results = ab.run(ab.parse_programs(SOLVERS), tasks, "all")
    shown = [repr(results[f"solve_{name}", "67a3c6ac"]) for name in ("67a3c6ac", "nothing")]
    assert shown == [
        "<solve_67a3c6ac on 67a3c6ac: demo 3/3, test 1/1>",
        "<solve_nothing on 67a3c6ac: demo 0/3, test 0/1, EMPTY 4>",
    ]
    assert repr(results) == "<results of 3 programs on 3 tasks, 2 solved>"


def test_one_task_will_do_and_other_things_are_refused(tasks: ab.TaskSet) -> None:
    programs = ab.parse_programs(SOLVERS)
    assert ab.run(programs, tasks["67a3c6ac"]).solved == {("solve_67a3c6ac", "67a3c6ac")}
    for other in (5, [(5,)], [None]):
        with pytest.raises(ArcbattError, match="expected a task, got "):
            ab.run(programs, other)  # type: ignore[arg-type]


def test_tasks_of_one_id_are_refused(tasks: ab.TaskSet) -> None:
    with pytest.raises(ArcbattError, match="task 67a3c6ac stands twice"):
        ab.run(ab.parse_programs(SOLVERS), [tasks["67a3c6ac"], tasks[2], tasks["67a3c6ac"]])


@pytest.mark.parametrize("backend", ab.engine.choose.AVAILABLE)
def test_the_seconds_are_told_by_stage(backend: str, tasks: ab.TaskSet) -> None:
    stats = ab.run(ab.parse_programs(SOLVERS), tasks, backend=backend).stats
    assert {"merging", "planning", "evaluation"} <= set(stats.seconds_by_stage)
    assert 0 < stats.seconds_by_stage["evaluation"] <= stats.seconds


def test_constants_run_once_and_samples_once_a_task(
    monkeypatch: pytest.MonkeyPatch, tasks: ab.TaskSet
) -> None:
    from arcbatt.dsl.machine import Machine

    counts: dict[str, int] = {}
    original = Machine.run

    def counted(self: Machine, op: object, arguments: tuple[object, ...]) -> object:
        counts[op.name] = counts.get(op.name, 0) + 1  # type: ignore[attr-defined]
        return original(self, op, arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Machine, "run", counted)
    text = "def solve_it(S, I, C): return fill(I, add(ONE, TWO), ofcolor(I, size(S)))"
    ab.run(ab.parse_programs(text), tasks, pairs="all", backend="reference")
    assert counts["add"] == 1
    assert counts["size"] == len(tasks)
    assert counts["ofcolor"] == sum(len(task.samples) for task in tasks)


def test_limits_hold_in_a_run(tasks: ab.TaskSet) -> None:
    assert run_one("return upscale(I, 1000)", tasks[0])[0].kind == "SIZE"  # type: ignore[attr-defined]
    small = ab.Limits(calls=3)
    assert run_one("return apply(identity, I)", tasks[0], limits=small)[0].kind == "CALLS"  # type: ignore[attr-defined]
    with pytest.raises(ValueRefused):
        run_one("return I", tasks[0], limits=ab.Limits(items=10))


def test_deep_applications_fit_into_python(tasks: ab.TaskSet) -> None:
    body = "return power(compose(power(identity, 90), identity), 8)(I)"
    assert run_one(body, tasks[0])[0] == tasks[0].samples[0].input
    nested = Node.op("identity", Node.input("I"))
    for _ in range(60):
        nested = Node.op("apply", Node.op("lbind", Node.function("apply"), Node.function("identity")), nested)
    program = Program("solve_deep", "solver", ("I",), nested)
    assert ab.run(program, [tasks[0]], pairs="all").stats.evaluations


def test_threads_are_no_more_than_samples(backend: str, tasks: ab.TaskSet) -> None:
    results = ab.run(ab.parse_programs(SOLVERS), tasks, backend=backend, threads=1024)
    samples = sum(len(task.samples) for task in tasks[:2])  # there is no solver for the third
    assert results.stats.threads == (1 if backend == "reference" else samples)


def test_wrong_settings_are_refused_in_a_sentence(tasks: ab.TaskSet) -> None:
    programs = ab.parse_programs(SOLVERS)
    for threads in (0, 1.5, "2", 100_000):
        with pytest.raises(ArcbattError, match="from 1 to 1,024"):
            ab.run(programs, tasks, threads=threads)  # type: ignore[arg-type]
    with pytest.raises(ArcbattError, match="expected limits, got None"):
        ab.run(programs, tasks, limits=None)  # type: ignore[arg-type]
    with pytest.raises(ArcbattError, match="expected limits, got None"):
        ab.call("add", 1, 2, limits=None)  # type: ignore[arg-type]
    for options in ({"pairs": "some"}, {"on_failure": "ignore"}, {"backend": "fast"}):
        with pytest.raises(ArcbattError, match="one of"):
            ab.run(programs, tasks, **options)  # type: ignore[arg-type]
    with pytest.raises(ArcbattError, match="depth"):
        ab.Limits(depth=0)
    with pytest.raises(BackendError, match="cuda"):
        ab.call("add", 1, 2, backend="cuda")
    with pytest.raises(ArcbattError, match="no result"):
        ab.run(programs, tasks)["solve_67a3c6ac", "00d62c1b"]


def test_ctrl_c_keeps_what_is_done(tasks: ab.TaskSet) -> None:
    def interrupt(task: ab.Task) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        ab.run(ab.parse_programs(SOLVERS), tasks, on_task=interrupt)
    assert ("solve_67a3c6ac", "67a3c6ac") in caught.value.results.solved


def test_each_record_comes_before_the_next_task_is_done(backend: str, tasks: ab.TaskSet) -> None:
    seen: list[object] = []
    result = ab.run(
        ab.parse_programs(SOLVERS),
        tasks,
        "all",
        backend,
        on_record=seen.append,
        on_task=lambda task: seen.append(task.id),
    )
    records, done = seen[::2], seen[1::2]
    assert sorted(map(str, done)) == sorted(task.id for task in tasks)
    assert [result.records[str(task_id)] for task_id in done] == records


def test_programs_of_one_name_are_told_apart() -> None:
    one, other = (ab.parse_programs(f"def solve_x(I): return {op}(I)")[0] for op in ("rot90", "rot180"))
    names = [f"solve_x~{program.hash[:6]}" for program in (one, other)]
    assert [program.name for program in ab.merge([one, other, one])] == names
    assert ab.parse_programs(ab.merge([one, other]).programs[1].source())[0].hash == other.hash


def test_merging_shares_equal_expressions() -> None:
    programs = ab.parse_programs("def a(I): return rot90(rot90(I))\ndef b(I): return hmirror(rot90(I))")
    assert len(ab.merge(programs).nodes) == 4


@pytest.mark.parametrize("backend", ab.engine.choose.AVAILABLE)
def test_arrays_and_numbers_of_numpy_are_taken_in(backend: str) -> None:
    grid = np.array([[1, 2], [3, 4]], np.int8)
    assert ab.call("fill", grid, np.int64(5), [(0, np.uint8(1))], backend=backend) == ((1, 5), (3, 4))
    assert ab.call("identity", [np.array(7), grid[0] > 1], backend=backend) == (7, (0, 1))
    task = ab.Task("00000001", (Sample(grid, grid[:, ::-1]),), ())
    result = ab.run(ab.parse_programs("def solve_00000001(I): return vmirror(I)"), [task], backend=backend)
    assert result["solve_00000001", task.id].solved
    for odd in (
        np.array([1.5]),
        np.float32(1),
        np.array(["a"]),
        np.array([1 << 40]),
        np.zeros((600, 600), int),
    ):
        with pytest.raises(ValueRefused):
            ab.call("identity", odd, backend=backend)


def test_encode_and_decode_refuse_what_is_no_value() -> None:
    deep: Any = ()
    deep_data: Any = 1
    for _ in range(10_000):
        deep, deep_data = (deep,), {"t": [deep_data]}
    odd = (None, 1.5, "text", [1], {1}, True, 1 << 40, (1, (2.5,)), frozenset({1.5}), frozenset({True, ()}))
    for value in (*odd, deep):
        with pytest.raises(ValueRefused):
            ab.encode(value)  # type: ignore[arg-type]
    with pytest.raises(ValueRefused, match="nested too deeply"):
        ab.decode(deep_data)


def test_call_refuses_what_is_no_value() -> None:
    deep: object = ()
    for _ in range(10_000):
        deep = (deep,)
    for odd in (None, 1.5, "text", {1: 2}, 1 << 31, deep, range(3)):
        with pytest.raises(ValueRefused):
            ab.call("identity", odd)
    with pytest.raises(ValueRefused, match="fill"):
        ab.call("fil", 1)


TURN = ab.parse_programs("def turn(I): return rot90(I)")
FOR_ANOTHER_SET = ab.parse_programs("def solve_00576224(I): return I\ndef solve_009d5c81(I): return I")


@pytest.mark.parametrize(
    ("programs", "tasks", "sentence"),
    [
        (TURN, "00d62c1b", r'turn has no task id in its name; pairs="all" runs it on every task$'),
        (
            FOR_ANOTHER_SET,
            "arc1/training",
            r"^no program runs on any of the tasks: solve_00576224 and 1 more are for tasks of arc1/eval"
            r'uation; give load_tasks\("arc1/evaluation"\)$',
        ),
        ([], "00d62c1b", "^there are no programs to run; give some$"),
        (TURN, [], "^there are no tasks to run programs on; give some$"),
    ],
)
def test_a_run_that_has_nothing_to_do_warns_and_says_why(programs: Any, tasks: Any, sentence: str) -> None:
    with pytest.warns(ab.NothingRunWarning, match=sentence):
        assert len(ab.run(programs, tasks)) == 0
