"""A generated batt file runs as ordinary Python through the runtime, and gives what the engine gives."""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import arcbatt as ab
from arcbatt.batt import runtime
from arcbatt.batt.callables import FAILURES, DslFailure
from arcbatt.batt.env import OKT
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.table import ALIASES, TABLE, add, record
from arcbatt.dsl.types import RETURNS_NOTHING, Grid, Integer
from arcbatt.dsl.values import Function
from arcbatt.library import load_library
from arcbatt.program.batt_files.read import parse_batt
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt, Style
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Sample
from support.plain_batts import engine_tuples, function_of, plain_tuples

STYLES: tuple[Style, ...] = get_args(Style)
GRID = ((1, 2), (3, 4))


@pytest.fixture(scope="module")
def library() -> Batt:
    return batt_of(load_library("solvers")[:24], load_library("differs"))


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_the_library_gives_what_the_engine_gives(style: Style, library: Batt, backend: str) -> None:
    text = batt_source(library, style)
    task = ab.load_tasks("arc1/training")[7]
    small = ab.Task(task.id, task.demo[:1], task.test)
    assert plain_tuples(text, small) == engine_tuples(parse_batt(text), small, backend)


@pytest.mark.parametrize("style", ["guarded", "hybrid"])
def test_a_solver_that_looks_at_c_gets_none_where_it_solves(style: Style, backend: str) -> None:
    solvers = ab.parse_programs("def solve_x(S, I, C): return vconcat(I, ofcolor(C, ONE))")
    text = batt_source(batt_of(solvers, []), style)
    task = ab.Task("00d62c1b", (), (Sample(GRID, None),))
    assert plain_tuples(text, task) == engine_tuples(parse_batt(text), task, backend)


@pytest.mark.slow
def test_a_batch_gives_each_sample_what_it_gets_alone(library: Batt) -> None:
    namespace: dict[str, Any] = {}
    exec(batt_source(library, "batch"), namespace)  # noqa: S102 - text of this test
    tasks = list(ab.load_tasks("arc1/training"))[5:8]
    samples = [(task.id, task.pairs, given, wanted) for task in tasks for given, wanted in task.samples]
    odd = [None, [[1, 2], [3, 4]], "no grid", (), ((True, 2), (3, 300))]
    samples += [("odd", (), given, None) for given in odd]
    columns = (*zip(*samples), [None] * len(samples))
    together = namespace["batt_batch"](*columns)
    assert together == [namespace["batt"](*sample, None) for sample in samples]
    assert namespace["batt_batch"]([], [], [], [], []) == []


def test_a_batch_refuses_columns_of_different_lengths() -> None:
    (solver,) = ab.parse_programs("def solve_x(I): return rot90(I)")
    namespace: dict[str, Any] = {}
    exec(batt_source(batt_of([solver], []), "batch"), namespace)  # noqa: S102 - text of this test
    with pytest.raises(ab.ArcbattError, match="one length, got 1, 2, 1"):
        namespace["batt_batch"](["x"], [()], [GRID, GRID], [None], [None])


def test_a_direct_batt_keeps_the_entries_before_the_first_failure() -> None:
    solvers = ab.parse_programs(
        "def a(I): return rot90(I)\ndef b(I): return divide(I, ZERO)\ndef c(I): return I"
    )
    batt = function_of(batt_source(batt_of(solvers, []), "gpu-direct"))
    assert batt("x", (), GRID, None, None) == ([(1, False, "a", ((3, 1), (4, 2)))], [])


def test_a_piled_batt_gives_okts() -> None:
    (solver,) = ab.parse_programs("def solve_x(I): return rot90(I)")
    batt = function_of(batt_source(batt_of([solver], []), "pile"))
    assert batt("x", (), GRID, None, None) == ([(1, False, "solve_x", OKT(True, ((3, 1), (4, 2))))], [])
    assert batt("x", (), 3, None, None) == ([(1, False, "solve_x", OKT(True, ()))], [])


def test_a_piled_batt_logs_its_failures(tmp_path: Path) -> None:
    (solver,) = ab.parse_programs("def solve_x(I): return rot90(hmirror(divide(ONE, ZERO)))")
    batt = function_of(batt_source(batt_of([solver], []), "pile"))
    batt("00d62c1b", (), GRID, None, tmp_path / "log")
    assert (tmp_path / "log").read_text() == "00d62c1b t1 ZERO divide(1, 0)\n"


def test_a_vectorized_batt_raises_where_a_line_fails() -> None:
    (solver,) = ab.parse_programs("def solve_x(I): return rot90(I)")
    batt = function_of(batt_source(batt_of([solver], []), "vectorized"))
    assert batt("x", (), [[1, 2], [3, 4]], None, None) == ([(1, False, "solve_x", ((3, 1), (4, 2)))], [])
    with pytest.raises(TypeError, match="rot90 fails with TYPE"):
        batt("x", (), None, None, None)


def test_every_name_of_the_language_is_there() -> None:
    assert {*TABLE, *ALIASES, *CONSTANTS, "Env", "OKT", "_get_safe_default", "DslFailure"} <= {
        *runtime.__all__
    }
    assert all(getattr(runtime, name) is not None for name in runtime.__all__)
    assert all(getattr(runtime, name) == value for name, value in CONSTANTS.items())
    assert all(getattr(runtime, name) == ab.fn(name) for name in (*TABLE, *ALIASES))


def test_a_star_import_brings_every_name() -> None:
    namespace: dict[str, Any] = {}
    exec("from arcbatt.batt.runtime import *", namespace)  # noqa: S102 - text of this test
    assert {*runtime.__all__} <= namespace.keys()


def test_a_name_that_does_not_exist_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="rot09"):
        runtime.rot09  # noqa: B018


def brighten(grid: Grid, by: Integer) -> Grid:
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)


@pytest.fixture
def user_op() -> Iterator[None]:
    add(record(brighten, trusted=False))
    yield
    TABLE.pop("brighten", None)


@pytest.mark.usefixtures("user_op")
@pytest.mark.parametrize("style", STYLES)
def test_an_op_that_was_registered_later_is_there(style: Style, backend: str) -> None:
    assert "brighten" in runtime.__all__
    assert runtime.brighten(GRID, 1) == ((2, 3), (4, 5))
    (solver,) = ab.parse_programs(
        "def solve_x(I): return apply(rbind(brighten, TWO), astuple(I, brighten(I, ONE)))"
    )
    text = batt_source(batt_of([solver], []), style)
    task = ab.Task("00d62c1b", (), (Sample(GRID, None),))
    assert plain_tuples(text, task) == engine_tuples(parse_batt(text), task, backend)


@pytest.mark.usefixtures("user_op")
def test_an_op_that_is_no_longer_registered_fails() -> None:
    gone = runtime.brighten
    del TABLE["brighten"]
    with pytest.raises(DslFailure):
        gone(GRID, 1)
    assert runtime._get_safe_default(gone) == ()
    assert runtime.Env(0, "x", ()).do_pile(1, [gone, GRID, 1]) == OKT(False, None)
    assert not hasattr(runtime, "brighten")


def failure(head: Any, *arguments: Any) -> DslFailure:
    with pytest.raises(DslFailure) as caught:
        head(*arguments)
    assert "\n" not in str(caught.value)
    return caught.value


FAILING: list[tuple[str, tuple[Any, ...], str, type[Exception]]] = [
    ("rot90", (3,), "TYPE", TypeError),
    ("first", ((),), "EMPTY", ValueError),
    ("divide", (1, 0), "ZERO", ZeroDivisionError),
    ("index", (GRID, (9, 9)), "INDEX", IndexError),
    ("multiply", (1 << 30, 4), "RANGE", OverflowError),
    ("canvas", (0, (1000, 1000)), "SIZE", MemoryError),
    ("power", (ab.fn("rot90"), 101), "DEPTH", RecursionError),
]


@pytest.mark.parametrize(("op", "arguments", "kind", "builtin"), FAILING)
def test_a_failure_is_the_exception_one_expects(
    op: str, arguments: tuple[Any, ...], kind: str, builtin: type[Exception]
) -> None:
    found = failure(getattr(runtime, op), *arguments)
    assert found.kind == kind
    assert isinstance(found, builtin)
    assert str(found).startswith(f"{op} fails with {kind}")


@pytest.mark.slow
def test_too_many_applications_are_a_failure_as_well() -> None:
    step = runtime.power(runtime.identity, 6)
    found = failure(runtime.apply, step, runtime.repeat(0, 100_000))
    assert (found.kind, isinstance(found, RuntimeError)) == ("CALLS", True)


def test_every_kind_of_failure_can_be_raised_and_pickled() -> None:
    assert tuple(FAILURES) == KINDS
    for kind, error in FAILURES.items():
        again = pickle.loads(pickle.dumps(error("a sentence")))
        assert (type(again), again.kind, str(again)) == (error, kind, "a sentence")


def test_an_op_that_is_called_makes_no_application_and_a_variable_makes_one() -> None:
    """So applications nested as deep as the limit fit into an op by its name, not into one from a line."""
    deep = runtime.power(runtime.identity, 100)
    assert runtime.apply(deep, (7,)) == (7,)
    assert failure(runtime.identity(runtime.apply), deep, (7,)).kind == "DEPTH"


def test_function_values_are_values_that_can_be_called() -> None:
    shifted = runtime.rbind(runtime.add, 3)
    assert shifted == ab.fn("rbind", ab.fn("add"), 3)
    assert (shifted(4), runtime.apply(shifted, (1, 2))) == (7, (4, 5))
    chosen = runtime.first(runtime.astuple(runtime.rot90, shifted))
    assert chosen(GRID) == runtime.rot90(GRID)
    assert ab.call("apply", shifted, (1, 2)) == (4, 5)
    assert type(pickle.loads(pickle.dumps(shifted))) is Function


def test_a_list_that_changes_is_taken_as_it_is_each_time() -> None:
    for row in ([1, 2], {1, 2}):
        holder = (row,)
        before = runtime.identity(holder)
        row.clear()
        assert len(before[0]) == 2
        assert len(runtime.identity(holder)[0]) == 0


def test_values_keep_their_identity_in_a_long_run() -> None:
    """What is remembered of values seen lately never stands for another one."""
    for number in range(2000):
        value = (number, (number, True))
        assert runtime.astuple(value, number) == ((number, (number, 1)), number)
        assert type(runtime.last(runtime.last(value))) is int


@pytest.mark.parametrize("name", TABLE)
def test_the_safe_default_of_an_op_is_its_typed_default(name: str) -> None:
    head = getattr(runtime, name)
    assert runtime._get_safe_default(head) == TABLE[name].default
    assert runtime._get_safe_default(runtime.identity(head)) == TABLE[name].default


def test_the_safe_default_of_a_builder_of_functions_can_be_called() -> None:
    nothing = runtime._get_safe_default(runtime.compose)
    assert nothing == RETURNS_NOTHING
    assert nothing(GRID) == ()


@pytest.mark.parametrize("head", [None, 3, GRID, len, frozenset()])
def test_the_safe_default_of_anything_else_is_an_empty_tuple(head: object) -> None:
    assert runtime._get_safe_default(head) == ()


def test_samples_at_once_are_what_the_four_lines_give() -> None:
    samples = (GRID, ((5,),)), (((5, 5),), ((6, 7),))
    inputs, outputs, colors_in, colors_out = runtime.batch_process_samples_gpu(samples)
    assert (inputs, outputs) == ((GRID, ((5, 5),)), (((5,),), ((6, 7),)))
    assert (colors_in, colors_out) == ((1, 2, 3, 4, 5), (5, 6, 7))
    with pytest.raises(DslFailure):
        runtime.batch_process_samples_gpu(None)


@pytest.mark.process
def test_a_file_runs_in_a_python_of_its_own(tmp_path: Path) -> None:
    read = parse_batt(batt_source(batt_of(load_library("solvers")[:2], []), "pile"))
    (tmp_path / "mine.py").write_text(batt_source(read, "hybrid"))
    code = f"import mine; print(mine.batt('x', (), {GRID}, None, None))"
    path = os.pathsep.join((str(tmp_path), *sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.stdout.startswith("([(")
