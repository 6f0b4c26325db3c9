"""The coordinator: every sample once, the same whatever the batches, workers and backend."""

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt import coordinator as coordinator_module
from arcbatt.batt.callables import DslFailure
from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.coordinator import BatchInput, MegaBatchCoordinator, file_of_module
from arcbatt.batt.env import OKT
from arcbatt.batt.per_op_backend import Selection
from arcbatt.bench.drop_ins import module_of
from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt
from arcbatt.program.merge import batt_of
from support.backends import needs_core
from support.plain_batts import function_of

STYLES = ("pile", "guarded", "vectorized", "hybrid", "gpu-direct", "batch")


@pytest.fixture(scope="module")
def batt() -> Batt:
    return batt_of(load_library("solvers")[::50], load_library("differs")[:2])


@pytest.fixture(scope="module")
def tasks() -> ab.TaskSet:
    return ab.load_tasks("arc1/training")[:3]


@pytest.fixture
def file(tmp_path: Path, batt: Batt) -> Any:
    def write(style: Any) -> str:
        path = tmp_path / f"{style}.py"
        path.write_text(batt_source(batt, style))
        return str(path)

    return write


def plain(file: str, tasks: ab.TaskSet) -> dict[str, Any]:
    """What the file gives when Python runs it, sample by sample."""
    namespace: dict[str, Any] = {}
    exec(compile(Path(file).read_text(), file, "exec"), namespace)  # noqa: S102 - written by batt_source
    return {
        task.id: {
            kind: {
                number: dict(
                    zip("os", namespace["batt"](task.id, task.pairs, sample.input, sample.output, None))
                )
                for number, sample in enumerate(samples)
            }
            for kind, samples in (("demo", task.demo), ("test", task.test))
        }
        for task in tasks
    }


@pytest.mark.parametrize("style", ["pile", "guarded", "hybrid"])
def test_results_are_those_of_the_file_as_plain_python(
    style: str, backend: str, file: Any, tasks: Any
) -> None:
    with MegaBatchCoordinator(file(style), backend=backend, on_failure="file") as coordinator:
        results, _ = coordinator.process_all(tasks, tasks.ids)
    assert results == plain(file(style), tasks)


def test_every_style_gives_the_values_of_typed_defaults_unless_told_otherwise(file: Any, tasks: Any) -> None:
    def values(entries: Any) -> list[Any]:
        return [entry[-1].t if isinstance(entry[-1], OKT) else entry[-1] for entry in entries]

    found = []
    for style in STYLES:
        with MegaBatchCoordinator(file(style)) as coordinator:
            results, _ = coordinator.process_all(tasks)
        samples = [s for task in results.values() for kind in task.values() for s in kind.values()]
        found.append([(values(sample["o"]), values(sample["s"])) for sample in samples])
        assert all(isinstance(e[-1], OKT) == (style == "pile") for sample in samples for e in sample["o"])
    assert all(other == found[0] for other in found)
    assert () in [value for o, _ in found[0] for value in o]


def test_the_seconds_are_those_of_collecting_running_and_merging(
    file: Any, tasks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(coordinator_module, "perf_counter", lambda: now[0])

    def slow(name: str, seconds: float) -> None:
        step = getattr(MegaBatchCoordinator, name)

        def after_a_while(*arguments: Any) -> Any:
            now[0] += seconds
            return step(*arguments)

        monkeypatch.setattr(MegaBatchCoordinator, name, after_a_while)

    slow("collect_inputs", 1.0)
    slow("process_batch", 0.25)
    slow("merge_results", 4.0)
    count = sum(len(task.samples) for task in tasks)
    with MegaBatchCoordinator(file("pile"), batch_size=1) as coordinator:
        for _ in range(2):
            assert coordinator.process_all(tasks, tasks.ids)[1] == 5.0 + 0.25 * count


@pytest.mark.parametrize("style", STYLES)
def test_results_do_not_depend_on_batches_workers_or_backend(style: str, file: Any, tasks: Any) -> None:
    found = []
    for backend in AVAILABLE:
        for size, workers in ((1, 1), (4, 2), (1000, 3)):
            options: dict[str, Any] = {"batch_size": size, "max_workers": workers, "backend": backend}
            with MegaBatchCoordinator(file(style), **options) as coordinator:
                found.append(coordinator.process_all(tasks, tasks.ids)[0])
    assert all(other == found[0] for other in found)


def test_tasks_may_come_in_any_of_the_usual_forms(file: Any, tasks: Any) -> None:
    def rows(samples: Any) -> list[dict[str, Any]]:
        return [{"input": [list(r) for r in s.input], "output": [list(r) for r in s.output]} for s in samples]

    forms = [
        tasks,
        {task.id: task for task in tasks},
        {task.id: {"train": rows(task.demo), "test": rows(task.test)} for task in tasks},
        {"demo": {t.id: rows(t.demo) for t in tasks}, "test": {t.id: rows(t.test) for t in tasks}},
    ]
    with MegaBatchCoordinator(file("guarded")) as coordinator:
        found = [coordinator.process_all(form)[0] for form in forms]
    assert all(other == found[0] for other in found)
    assert list(found[0]) == list(tasks.ids)


def test_a_bad_sample_is_named_and_costs_only_itself(file: Any, tasks: Any, tmp_path: Path) -> None:
    with MegaBatchCoordinator(file("pile"), batch_size=5) as coordinator:
        inputs = coordinator.collect_inputs(tasks, [tasks.ids[0]])
        first = inputs[0]
        log = tmp_path / "log.txt"
        bad = BatchInput(first.task_id, 0, "demo", 99, first.S, {"no": "grid"}, None, str(log))
        results = coordinator.process_batch([first, bad, *inputs[1:]])
        clean = coordinator.process_batch(inputs)
    assert (results[1].status, results[1].o_result, results[1].s_result) == ("failed", [], [])
    assert log.read_text().startswith(f"{first.task_id} demo 100 failed")
    assert [r.o_result for r in results[:1] + results[2:]] == [r.o_result for r in clean]
    assert [r.batch_idx for r in results] == list(range(len(inputs) + 1))


def test_a_hybrid_of_piled_bodies_gives_what_it_gives_as_plain_python(
    backend: str, file: Any, tasks: Any
) -> None:
    piled = Path(file("pile"))
    text, hybrid = piled.read_text(), Path(file("hybrid")).read_text()
    bodies = [text.replace("def batt(", f"def batt_{name}(") for name in ("gpu_resident", "cpu_fallback")]
    piled.write_text("\n\n\n".join([*bodies, "def batt(" + hybrid.rpartition("def batt(")[2]]))
    expected = plain(str(piled), tasks)
    with MegaBatchCoordinator(str(piled), backend=backend, on_failure="file") as coordinator:
        results, _ = coordinator.process_all(tasks)
    assert results == expected
    module = module_of(piled)
    calls = [
        (task.id, task.pairs, sample.input, sample.output, None) for task in tasks for sample in task.demo
    ]
    with batch_dsl_context(backend) as batch:
        assert batch.map(module.batt, calls) == [module.batt(*call) for call in calls]
        assert not batch.report.plain


def test_values_of_a_pile_are_okt_and_solvers_come_before_differs(file: Any, batt: Batt, tasks: Any) -> None:
    with MegaBatchCoordinator(file("pile")) as coordinator:
        (result, *_) = coordinator.process_batch(coordinator.collect_inputs(tasks)[:1])
    assert [entry[2] for entry in result.o_result] == [solver.id for solver in batt.solvers]
    assert all(isinstance(entry[-1], OKT) for entry in (*result.o_result, *result.s_result))
    assert {entry[1] for entry in result.s_result} == {"None", *(solver.id for solver in batt.solvers)}


def test_entries_are_used_as_the_lists_they_stand_for(file: Any, tasks: Any) -> None:
    with MegaBatchCoordinator(file("vectorized")) as coordinator:
        (result, *_) = coordinator.process_batch(coordinator.collect_inputs(tasks)[:1])
    o, s = result.o_result, result.s_result
    assert o + s == [*o, *s]  # type: ignore[operator]
    assert list(s) + o == [*s, *o]  # type: ignore[operator]
    assert pickle.loads(pickle.dumps(o)) == list(o)


def test_failures_are_appended_to_the_log(file: Any, tasks: Any, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("before\n")
    with MegaBatchCoordinator(file("vectorized"), on_failure="fail") as coordinator:
        coordinator.process_all(tasks, tasks.ids, str(log))
    lines = log.read_text().splitlines()
    assert lines[0] == "before"
    assert len(lines) > 1
    assert all(line.split()[0] in tasks.ids for line in lines[1:])


@pytest.mark.parametrize("style", STYLES)
def test_with_typed_defaults_every_failed_line_is_logged_whatever_the_style(
    style: str, backend: str, file: Any, tasks: Any, tmp_path: Path
) -> None:
    log = tmp_path / "log.txt"
    with MegaBatchCoordinator(file(style), backend=backend) as coordinator:
        without_log, _ = coordinator.process_all(tasks)
        results, _ = coordinator.process_all(tasks, log_path=str(log))
        inputs = coordinator.collect_inputs(tasks)
    assert results == without_log
    guarded = function_of(Path(file("guarded")).read_text())
    logged = [line.split() for line in log.read_text().splitlines()]
    assert [f"{words[0]} {words[2]}" for words in logged] == list(failed_lines(guarded, inputs))
    assert all(words[1].startswith("t") and "(" in words[3] for words in logged)


def test_the_fallback_of_a_hybrid_logs_every_failed_line_as_the_engine_does(
    backend: str, file: Any, tasks: Any, tmp_path: Path
) -> None:
    logs = [tmp_path / "engine.txt", tmp_path / "plain.txt"]
    name = file("hybrid")
    with MegaBatchCoordinator(name, backend=backend) as coordinator:
        coordinator.process_all(tasks, log_path=str(logs[0]))
        inputs = coordinator.collect_inputs(tasks, log_path=str(logs[1]))
    namespace: dict[str, Any] = {}
    exec(compile(Path(name).read_text(), name, "exec"), namespace)  # noqa: S102 - written by batt_source
    for given in inputs:
        namespace["batt"](*given.to_args())
    assert logs[0].read_text() == logs[1].read_text()
    assert " ZERO divide(0, 0)\n" in logs[0].read_text()


def failed_lines(guarded: Any, inputs: Any) -> Iterator[str]:
    """The log of a guarded function, made by asking at every failed line what it was."""
    failed: list[str] = []
    number_of_head = guarded.__globals__["_get_safe_default"]

    def noting(head: Any) -> Any:
        error = sys.exc_info()[1]
        assert isinstance(error, DslFailure)
        failed.append(error.kind)
        return number_of_head(head)

    guarded.__globals__["_get_safe_default"] = noting
    for given in inputs:
        failed.clear()
        guarded(*given.to_args())
        yield from (f"{given.task_id} {kind}" for kind in failed)


def test_a_pile_logs_what_it_logs_as_plain_python(
    backend: str, file: Any, tasks: Any, tmp_path: Path
) -> None:
    logs = [tmp_path / "engine.txt", tmp_path / "plain.txt"]
    name = file("pile")
    with MegaBatchCoordinator(name, backend=backend, on_failure="file") as coordinator:
        without_log, _ = coordinator.process_all(tasks)
        results, _ = coordinator.process_all(tasks, log_path=str(logs[0]))
        inputs = coordinator.collect_inputs(tasks, log_path=str(logs[1]))
    batt = function_of(Path(name).read_text())
    for given in inputs:
        batt(*given.to_args())
    assert logs[0].read_text() == logs[1].read_text()
    assert " t48 EMPTY paint((), ())\n" in logs[0].read_text()
    assert results == without_log


def test_results_may_come_in_lists_by_batch(file: Any, tasks: Any) -> None:
    with MegaBatchCoordinator(file("guarded"), batch_size=4, use_gpu=False) as coordinator:
        assert (coordinator.enable_gpu, coordinator.use_gpu, coordinator.parallel) == (False, False, True)
        inputs = coordinator.collect_inputs(tasks, list(tasks.ids), None)
        batches = coordinator.create_batches(inputs)
        results = [coordinator.process_batch(batch, number) for number, batch in enumerate(batches)]
        flat = [result for batch in results for result in batch]
        assert coordinator.merge_results(inputs, results) == coordinator.merge_results(inputs, flat)
        assert coordinator.merge_results(inputs, results) == coordinator.process_all(tasks)[0]
        with pytest.raises(ab.ArcbattError, match=f"there are {len(inputs)} inputs and 4 results"):
            coordinator.merge_results(inputs, results[:1])


@pytest.mark.parametrize("words", [{}, {"use_gpu": True}, {"enable_gpu": True}, {"use_gpu": None}])
def test_a_gpu_is_asked_for_by_either_word(words: dict[str, Any], file: Any) -> None:
    with MegaBatchCoordinator(file("pile"), **words) as coordinator:
        assert coordinator.enable_gpu
        assert coordinator.use_gpu


@needs_core
def test_an_op_that_is_switched_off_runs_on_the_reference(file: Any, tasks: Any) -> None:
    selection = Selection()
    selection.choose("objects", "reference")
    with MegaBatchCoordinator(file("pile")) as coordinator:
        expected, _ = coordinator.process_all(tasks)
        assert coordinator.runner.work.options.on_reference == frozenset()
    with MegaBatchCoordinator(file("pile"), selection=selection) as coordinator:
        assert coordinator.process_all(tasks)[0] == expected
        assert coordinator.runner.work.options.on_reference == {"objects"}


def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, file: Any, tasks: Any) -> None:
    with pytest.raises(ab.ArcbattError, match=r"nowhere\.py.*cannot be read"):
        MegaBatchCoordinator(str(tmp_path / "nowhere.py"))
    with pytest.raises(ab.ArcbattError, match="batch_size: expected an integer >= 1, got 0"):
        MegaBatchCoordinator(file("pile"), batch_size=0)
    for workers in (0, -1):
        with pytest.raises(
            ab.ArcbattError, match=f"max_workers: expected an integer from 1 to 1,024, got {workers}"
        ):
            MegaBatchCoordinator(file("pile"), max_workers=workers)
    with (
        MegaBatchCoordinator(file("pile")) as coordinator,
        pytest.raises(ab.ArcbattError, match="no task 'x'"),
    ):
        coordinator.process_all({"demo": {}, "test": {}}, ["x"])
    with pytest.raises(ab.ArcbattError, match="task_list is '67a3c6ac'; it must be a list of task ids"):
        coordinator.process_all(tasks, "67a3c6ac")
    inputs = coordinator.collect_inputs(tasks)
    with pytest.raises(ab.ArcbattError, match=f"there are {len(inputs)} inputs and 0 results"):
        coordinator.merge_results(inputs, [])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mine", "mine.py"),
        ("batts.mine", "batts/mine.py"),
        ("mine.py", "mine.py"),
        ("./mine", "mine.py"),
        ("../mine", "../mine.py"),
        ("some.batts/mine", "some.batts/mine.py"),
        ("batts/mine.old", "batts/mine.old.py"),
        ("/batts/mine.py", "/batts/mine.py"),
        ("notes.txt", "notes.txt"),
        ("folder", "folder.py"),
    ],
)
def test_a_batt_is_named_by_its_file_or_its_module(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").touch()
    Path("folder").mkdir()
    assert file_of_module(name) == Path(file)


@pytest.mark.parametrize("name", ["", ".", "..", "/", "batts/", "batts/..", "mine.", ".mine", "a..b"])
def test_what_names_no_batt_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(ab.ArcbattError, match="names no batt; give a file"):
        file_of_module(name)
