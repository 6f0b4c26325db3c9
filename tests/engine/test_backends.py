"""The protocol that every backend keeps, and that callers ask it instead of its name."""

import re
from pathlib import Path
from time import thread_time_ns

import pytest

import arcbatt as ab
from arcbatt.dsl.table import FUNCTION_CALL, TABLE
from arcbatt.engine.backend import Backend, RunOptions
from arcbatt.engine.choose import BACKENDS, choose
from arcbatt.engine.plan import plan
from arcbatt.errors import BackendError
from support.backends import HERE

SOURCES = Path(ab.__file__).parent


def test_every_backend_but_auto_is_a_file_of_its_name() -> None:
    files = {file.stem for file in (SOURCES / "engine" / "backends").glob("*.py")}
    assert set(BACKENDS) - {"auto"} <= files


def test_nobody_but_the_choice_asks_for_the_name_of_a_backend() -> None:
    asks = re.compile(rf"\.name\s*(==|!=|in\b)\s*\(?[\"']({'|'.join(BACKENDS)})[\"']")
    files = [file for file in SOURCES.rglob("*.py") if file.name != "choose.py"]
    assert [str(file) for file in files if asks.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", HERE)
def test_a_backend_opens_by_its_name_and_is_whole(name: str) -> None:
    backend, _ = choose(name)
    assert isinstance(backend, Backend)
    assert backend.name == name
    assert not backend.decides
    assert not backend.for_one_op.gpus


@pytest.mark.parametrize("name", HERE)
def test_a_callee_is_an_op_or_the_call_of_the_first_argument(name: str) -> None:
    backend, _ = choose(name)
    limits = ab.Limits()
    assert backend.call(TABLE["add"], (1, 2), limits) == 3
    assert backend.call(FUNCTION_CALL, (ab.fn("add"), 1, 2), limits) == 3
    assert backend.call(FUNCTION_CALL, (7, 1), limits) == ab.Failure("TYPE")
    many = backend.call_many(FUNCTION_CALL, [[ab.fn("double"), 7], [4, 4]], limits)
    assert list(many) == [8, ab.Failure("TYPE")]


@pytest.mark.parametrize("name", HERE)
def test_a_backend_tells_the_times_of_steps_or_that_it_does_not(name: str) -> None:
    backend, _ = choose(name)
    planned = plan(ab.parse_programs("def solve_a(I): return divide(size(I), ZERO)"))
    task = ab.load_tasks("00d62c1b")[0]
    done: list[object] = []
    if not backend.tells_times:
        with pytest.raises(BackendError, match=f"^backend '{name}' does not tell times by op$"):
            backend.profile(planned, [task], RunOptions(), done.append, thread_time_ns)
        return
    steps = backend.profile(planned, [task], RunOptions(), done.append, thread_time_ns)
    samples = len(task.samples)
    of_ops = [step for step, planned_step in zip(steps, planned.steps) if planned_step.node.kind == "op"]
    assert [(step.turns, step.failures) for step in of_ops] == [(samples, 0), (samples, samples)]
    assert done == [task]
