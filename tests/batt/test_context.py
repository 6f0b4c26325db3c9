"""Inside the context a batt function gives what it gives as plain Python, for many inputs together."""

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Barrier, Thread
from types import FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.batt.callables import DslFailure
from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.coordinator import BatchInput
from arcbatt.batt.env import OKT
from arcbatt.batt.runtime import (
    ONE,
    ORIGIN,
    TWO,
    ZERO,
    Env,
    add,
    asindices,
    crop,
    difference,
    divide,
    hmirror,
    o_g,
    rot90,
)
from arcbatt.dsl.registry import own_ops, register_op, unregister_op
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import Grid, Integer
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.program.graph import Batt, Style
from arcbatt.program.merge import batt_of
from arcbatt.program.write_batt import batt_source
from arcbatt.testing.strategies import mutants, programs, tasks

STYLES: tuple[Style, ...] = ("pile", "guarded", "vectorized", "hybrid")
law = settings(derandomize=True, max_examples=60, deadline=None, database=None)

# A solver that looks at C would be shown it by a file and not by a differ that scores it.
solvers = st.one_of(programs(), programs(well_typed=False), mutants(programs())).filter(
    lambda program: "C" not in program.root.needs
)
differs = programs(kind="differ") | programs(well_typed=False, kind="differ")
batts = st.builds(batt_of, st.lists(solvers, min_size=1, max_size=4), st.lists(differs, max_size=2))
Arguments = tuple[str, Any, Any, Any, str | None]


@pytest.fixture(scope="module")
def inputs() -> list[Arguments]:
    """Samples of a few tasks, some of them without the expected output."""
    tasks = list(ab.load_tasks("arc1/training"))[:6]
    return [
        (task.id, task.pairs, given, None if number % 3 == 1 else expected, None)
        for task in tasks
        for number, (given, expected) in enumerate(task.samples)
    ]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ModuleType]:
    """Imports a text of our own from a file."""
    folder = tmp_path_factory.mktemp("batts")
    numbers = count()

    def imported(text: str) -> ModuleType:
        path = folder / f"batt_{next(numbers)}.py"
        path.write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return imported


def text_of(number: int, style: Style) -> str:
    """A batt of a few programs of the library, others for each number."""
    solvers = load_library("solvers")[4 * number : 4 * number + 4]
    return batt_source(batt_of(solvers, load_library("differs")[:2]), style)


def piled(task_id, S, I, C, log_path):
    """Lines that fail at once, in kinds that have a stand-in and kinds that have none."""
    s = []
    o = []
    env = Env(7, task_id, S, log_path)
    t1 = env.do_pile(1, [crop, I, ORIGIN, TWO], True)
    t2 = env.do_pile(2, [o_g, t1.t, TWO], t1.ok)
    t3 = env.do_pile(3, [asindices, C], True)
    t4 = env.do_pile(4, [difference, t3.t, t2.t], t3.ok and t2.ok)
    t5 = env.do_pile(5, [divide, ONE, ZERO], True)
    t6 = env.do_pile(6, [rot90, I], True)
    t7 = env.do_pile(7, [asindices, t5.t], t5.ok)
    o.append((6, False, "one#2", t6))
    o.append((1, True, "two", t1))
    s.append((4, "None", "differ_a", t4))
    s.append((7, "one", "differ_b", t7))
    return o, s


def looping(task_id, S, I, C, log_path):
    """No straight-line function."""
    o = []
    for number in range(2):
        o += [(number, False, "x", add(number, ONE))]
    return o, []


def brighten(grid: Grid, by: Integer) -> Grid:
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)


def brightened(task_id, S, I, C, log_path):
    """A batt with an op of a user's own."""
    s = []
    o = []
    env = Env(0, task_id, S, log_path)
    t1 = env.do_pile(1, [brighten, I, ONE], True)
    t2 = env.do_pile(2, [hmirror, t1.t], t1.ok)
    o.append((2, False, "x", t2))
    return o, s


def plainly(function: Callable[..., Any], calls: Sequence[Any]) -> list[Any]:
    return [function(*arguments) for arguments in calls]


def values(result: Any) -> list[Any]:
    return [entry[-1] for entries in result for entry in entries]


@law
@given(batts, tasks(3), st.sampled_from(STYLES))
def test_a_batt_gives_what_it_gives_as_plain_python(
    load: Callable[[str], ModuleType], backend: str, batt: Batt, task: ab.Task, style: Style
) -> None:
    function = load(batt_source(batt, style)).batt
    calls = [(task.id, task.pairs, given, expected, None) for given, expected in task.samples]
    with batch_dsl_context(backend, threads=2) as batch:
        results = batch.map(function, calls)
    assert [entry.style for entry in batch.report.recorded] == [style]
    assert (batch.report.plain, batch.report.plain_inputs, batch.report.inputs) == ([], 0, len(calls))
    for arguments, result in zip(calls, results):
        if any(isinstance(value, ab.Failure) for value in values(result)):
            assert style == "vectorized"
            with pytest.raises(DslFailure):  # a line fails alone where plain Python gives up
                function(*arguments)
        else:
            assert result == function(*arguments)


@pytest.mark.parametrize("style", STYLES)
def test_the_library_gives_what_it_gives_as_plain_python(
    load: Callable[[str], ModuleType], inputs: list[Arguments], backend: str, style: Style
) -> None:
    batt = load(text_of(0, style)).batt
    few = inputs[:6]
    with batch_dsl_context(backend) as batch:
        results = batch.map(batt, few)
    for arguments, result in zip(few, results):
        with suppress(DslFailure):
            assert result == batt(*arguments)
    assert batch.report.recorded[0].style == style


@pytest.mark.parametrize("failing", range(5))
def test_stand_ins_depend_on_how_many_lines_have_failed(
    load: Callable[[str], ModuleType], inputs: list[Arguments], backend: str, failing: int
) -> None:
    lines = [f"    t{n} = env.do_pile({n}, [asindices, ZERO], True)" for n in range(1, failing + 1)]
    lines += [
        "    t8 = env.do_pile(8, [crop, I, ORIGIN, NEG_ONE], True)",
        "    t9 = env.do_pile(9, [o_g, t8.t, TWO], t8.ok)",
        *(f"    o.append(({n}, False, 'x{n}', t{n}))" for n in (*range(1, failing + 1), 8, 9)),
    ]
    text = (
        "from arcbatt.batt.runtime import NEG_ONE, ORIGIN, TWO, ZERO, Env, asindices, crop, o_g\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    env = Env(0, task_id, S, log_path)\n" + "\n".join(lines) + "\n    return o, s\n"
    )
    batt = load(text).batt
    with batch_dsl_context(backend) as batch:
        results = batch.map(batt, inputs)
    assert results == plainly(batt, inputs)
    nothing, none = OKT(True, frozenset()), OKT(False, None)
    assert values(results[0])[:failing] == [nothing, nothing, none, none][:failing]
    assert batch.report.failures == sum(value == none for result in results for value in values(result))


def test_entries_are_as_the_function_makes_them(inputs: list[Arguments], backend: str) -> None:
    with batch_dsl_context(backend) as batch:
        results = batch.map(piled, inputs)
    assert results == plainly(piled, inputs)
    assert [entry[:3] for entry in results[0][0]] == [(6, False, "one#2"), (1, True, "two")]


def test_a_log_is_written_as_plain_python_writes_it(
    load: Callable[[str], ModuleType], inputs: list[Arguments], backend: str, tmp_path: Path
) -> None:
    for batt in (piled, *(load(text_of(seed, "pile")).batt for seed in range(4))):
        paths = [tmp_path / f"{batt.__module__}_{kind}.log" for kind in ("plain", "batch")]
        plain, batched = ([(*arguments[:4], str(path)) for arguments in inputs] for path in paths)
        with batch_dsl_context(backend) as batch:
            assert batch.map(batt, batched) == plainly(batt, plain)
        logs = [path.read_text("utf-8") if path.exists() else "" for path in paths]
        assert logs[0] == logs[1]


def test_a_function_value_can_be_called(load: Callable[[str], ModuleType], backend: str) -> None:
    batt = load(
        "from arcbatt.batt.runtime import compose, hmirror, rot90\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n    t1 = compose(hmirror, rot90)\n"
        "    o.append((1, False, 'x', t1))\n    return o, s\n"
    ).batt
    with batch_dsl_context(backend) as batch:
        ((o, _),) = batch.map(batt, [("", (), ((1,),), None, None)])
    assert o[0][3](((1, 2),)) == hmirror(rot90(((1, 2),)))


def test_a_batch_input_is_a_call(inputs: list[Arguments]) -> None:
    task_id, pairs, given, expected, _ = inputs[0]
    with batch_dsl_context() as batch:
        (result,) = batch.map(piled, [BatchInput(task_id, 0, "demo", 0, pairs, given, expected)])
        assert batch.map(piled, []) == []
    assert result == piled(*inputs[0])


def test_a_wrapped_function_runs_through_the_engine_until_the_context_is_left(
    inputs: list[Arguments],
) -> None:
    with batch_dsl_context() as batch:
        wrapped = batch.wrap(piled)
        assert wrapped(*inputs[0]) == piled(*inputs[0])
        assert batch.report.inputs == 1
    assert wrapped(*inputs[0]) == piled(*inputs[0])
    assert batch.report.inputs == 1
    with pytest.raises(ArcbattError, match="has been left"):
        batch.map(piled, inputs)


def test_what_is_not_straight_line_runs_as_plain_python_and_is_reported(inputs: list[Arguments]) -> None:
    with batch_dsl_context() as batch:
        with pytest.warns(RuntimeWarning, match="looping runs as plain Python: .*a loop") as warned:
            results = batch.map(looping, inputs)
        assert batch.map(looping, inputs[:1]) == results[:1]  # without a second warning
    assert warned[0].filename == __file__
    assert results == plainly(looping, inputs)
    (plain,) = batch.report.plain
    assert (plain.function, plain.file) == ("looping", __file__)
    assert plain.line == looping.__code__.co_firstlineno + 3
    assert "a loop is no part of a batt" in plain.reason
    assert (batch.report.recorded, batch.report.plain_inputs) == ([], len(inputs) + 1)


@pytest.mark.parametrize("what", [max, lambda *arguments: len(arguments), FunctionType, str.join])
def test_any_callable_runs(what: Any) -> None:
    with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="plain Python"):
        batch.map(what, [])
    assert len(batch.report.plain) == 1


def test_a_function_without_its_source_runs_as_plain_python(inputs: list[Arguments]) -> None:
    nowhere = FunctionType(piled.__code__.replace(co_filename="<nowhere>"), globals())
    elsewhere = FunctionType(
        looping.__code__.replace(co_firstlineno=piled.__code__.co_firstlineno), globals()
    )
    for function, reason in ((nowhere, "not at hand"), (elsewhere, "has changed")):
        with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match=reason):
            assert batch.map(function, inputs) == plainly(function, inputs)


def test_a_file_that_has_changed_since_is_not_what_the_function_does(
    load: Callable[[str], ModuleType], inputs: list[Arguments]
) -> None:
    text = text_of(0, "pile")
    module = load(text)
    path = Path(str(module.__file__))
    with batch_dsl_context() as batch:
        expected = batch.map(module.batt, inputs)
        path.write_text(text.replace(", False, ", ", True, "), "utf-8")
        assert batch.map(module.batt, inputs) == expected  # it is recorded once
    assert batch.report.plain == []
    with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="has changed"):
        assert batch.map(module.batt, inputs) == expected


def test_a_name_that_the_module_has_for_something_else_is_not_taken_for_the_op(
    load: Callable[[str], ModuleType], inputs: list[Arguments]
) -> None:
    module = load(
        "from arcbatt.batt.runtime import ONE, Env, add, rot90\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    env = Env(0, task_id, S, log_path)\n    t1 = env.do_pile(1, [rot90, I], True)\n    t2 = env.do_pile(2, [add, ONE, ONE], True)\n"
        "    o.append((1, False, 'x', t1))\n    o.append((2, False, 'y', t2))\n    return o, s\n"
    )
    original = plainly(module.batt, inputs)

    class Other(Env):
        """An environment that is not ours."""

    for name, other in (
        ("rot90", hmirror),
        ("rot90", lambda grid: 5),
        ("ONE", 2),
        ("ONE", True),
        ("Env", Other),
    ):
        kept = getattr(module, name)
        setattr(module, name, other)
        with batch_dsl_context() as batch:
            with pytest.warns(RuntimeWarning, match=f"'{name}' is not that of arcbatt.batt.runtime"):
                assert batch.map(module.batt, inputs) == plainly(module.batt, inputs)
            setattr(module, name, kept)
            assert batch.map(module.batt, inputs) == original
        assert (len(batch.report.plain), len(batch.report.recorded)) == (1, 1)
    del module.rot90
    with (
        batch_dsl_context() as batch,
        pytest.warns(RuntimeWarning, match="nothing"),
        pytest.raises(NameError),
    ):
        batch.map(module.batt, inputs)
    with batch_dsl_context(trust_names=True) as batch:
        assert batch.map(module.batt, inputs) == original


def test_a_function_inside_a_function_has_the_names_it_sees(
    load: Callable[[str], ModuleType], inputs: list[Arguments]
) -> None:
    make = load(
        "from arcbatt.batt.runtime import identity, rot90\n"
        "def make(rot90):\n    def one(task_id, S, I, C, log_path):\n        s = []\n        o = []\n"
        "        t1 = identity(I)\n        t2 = rot90(t1)\n        o.append((2, False, 'x', t2))\n"
        "        return o, s\n    return one\n"
    ).make
    with batch_dsl_context() as batch:
        assert batch.map(make(rot90), inputs) == plainly(make(rot90), inputs)
        with pytest.warns(RuntimeWarning, match="'rot90' is not that"):
            assert batch.map(make(hmirror), inputs) == plainly(make(hmirror), inputs)


def test_a_solver_that_looks_at_c_sees_what_the_call_gives(
    load: Callable[[str], ModuleType], inputs: list[Arguments], backend: str
) -> None:
    looking = ab.parse_programs(
        "def solve_x(S, I, C): return rot90(C)\ndef solve_y(S, I, C): return hmirror(rot90(C))"
    )
    for style in ("pile", "guarded", "hybrid"):
        batt = load(batt_source(ab.merge(looking), style)).batt
        with batch_dsl_context(backend) as batch:
            assert batch.map(batt, inputs) == plainly(batt, inputs)
        assert batch.report.plain == []


def test_a_hybrid_batt_needs_both_bodies(load: Callable[[str], ModuleType], inputs: list[Arguments]) -> None:
    module = load(text_of(1, "hybrid"))
    expected = plainly(module.batt, inputs)
    for other in (None, looping):
        module.batt_gpu_resident = other
        with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="plain Python"):
            results = batch.map(module.batt, inputs)
        assert results == (plainly(module.batt, inputs) if other else expected)


HEAVY = ((0,) * 600,) * 600


@pytest.mark.parametrize("bad", ["text", None, 1.5, ((1, 2), ("x",)), ((1 << 40,),), ((1.0,),), HEAVY])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_an_input_that_the_engine_does_not_take_costs_only_itself(
    inputs: list[Arguments], backend: str, bad: Any, place: int
) -> None:
    calls = [list(arguments) for arguments in inputs[:7]]
    calls[4][place] = bad
    with batch_dsl_context(backend) as batch:
        assert batch.map(piled, calls) == plainly(piled, calls)
    assert batch.report.plain_inputs == (0 if bad is None and place == 3 else 1)


def test_lists_are_taken_for_tuples(inputs: list[Arguments], backend: str) -> None:
    calls = [(task, pairs, [list(row) for row in given], *rest) for task, pairs, given, *rest in inputs]
    with batch_dsl_context(backend) as batch:
        assert batch.map(piled, calls) == plainly(piled, inputs)
    assert batch.report.plain_inputs == 0


@pytest.fixture
def registered() -> Iterator[None]:
    register_op(brighten)
    yield
    unregister_op("brighten")


@pytest.mark.usefixtures("registered")
def test_an_op_registered_at_run_time_works(
    load: Callable[[str], ModuleType], inputs: list[Arguments], backend: str
) -> None:
    programs = ab.parse_programs(
        "def solve_x(I): return apply(rbind(brighten, ONE), astuple(I, brighten(I, I)))"
    )
    for style in ("pile", "guarded", "hybrid"):
        batt = load(batt_source(ab.merge(programs), style)).batt
        with batch_dsl_context(backend) as batch:
            assert batch.map(batt, inputs) == plainly(batt, inputs)
            assert batch.map(brightened, inputs) == plainly(brightened, inputs)
        assert batch.report.plain == []


def test_an_op_that_comes_and_goes_is_there_while_it_is_there(inputs: list[Arguments]) -> None:
    with batch_dsl_context() as batch:
        for _ in range(2):
            register_op(brighten)
            assert batch.map(brightened, inputs) == plainly(brightened, inputs)
            unregister_op("brighten")
        assert batch.report.plain == []
        with pytest.warns(RuntimeWarning, match="no op or variable 'brighten'"):
            assert batch.map(brightened, inputs) == plainly(brightened, inputs)


def test_ops_of_a_context_end_with_it(inputs: list[Arguments], backend: str) -> None:
    with batch_dsl_context(backend, ops=[brighten]) as batch:
        assert batch.map(brightened, inputs) == plainly(brightened, inputs)
        assert "brighten" in TABLE
    assert batch.report.plain == []
    assert "brighten" not in TABLE
    with pytest.raises(ZeroDivisionError), batch_dsl_context(backend, ops=[brighten]):
        1 / 0  # noqa: B018
    assert "brighten" not in TABLE


def test_contexts_nest(inputs: list[Arguments], backend: str) -> None:
    def darken(grid: Grid) -> Grid:
        return grid

    with batch_dsl_context(backend, ops=[brighten]) as outer:
        with batch_dsl_context(backend, ops=[brighten, darken]) as inner:
            assert inner.map(brightened, inputs) == outer.map(brightened, inputs)
            assert "darken" in TABLE
        assert "darken" not in TABLE
        assert outer.map(brightened, inputs) == plainly(brightened, inputs)
        with own_ops(darken):
            assert outer.map(brightened, inputs[:1]) == plainly(brightened, inputs[:1])
    assert (outer.report.plain, inner.report.plain) == ([], [])
    assert "brighten" not in TABLE


TWISTED = """
from arcbatt.batt.runtime import Env, apply, astuple, identity
def make(twist):
    def batt(task_id, S, I, C, log_path):
        s = []
        o = []
        env = Env(0, task_id, S, log_path)
        t1 = env.do_pile(1, [twist, I], True)
        t2 = env.do_pile(2, [astuple, t1.t, I], t1.ok)
        t3 = env.do_pile(3, [apply, twist, t2.t], t2.ok)
        o.append((3, False, 'x', t3))
        return o, s
    return batt
"""


def test_threads_do_not_see_the_ops_of_each_other(
    load: Callable[[str], ModuleType], inputs: list[Arguments], backend: str
) -> None:
    make = load(TWISTED).make
    both = Barrier(2)
    results: dict[str, list[Any]] = {}

    def work(turn: str) -> None:
        def twist(grid: Grid) -> Grid:
            return ab.call(turn, grid, backend="reference")

        def alone(grid: Grid) -> Grid:
            return grid

        alone.__name__ = f"only_{turn}"
        with batch_dsl_context(backend, ops=[twist, alone]) as batch:
            batt = make(twist)
            both.wait(60)
            results[turn] = [batch.map(batt, inputs) for _ in range(3)]
            results[f"own {turn}"] = [name for name in TABLE if not TABLE[name].trusted]
            both.wait(60)

    threads = [Thread(target=work, args=(turn,)) for turn in ("rot90", "hmirror")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for turn, op in (("rot90", rot90), ("hmirror", hmirror)):
        expected = [OKT(True, (op(op(given)), op(given))) for _, _, given, _, _ in inputs]
        assert [[values(result)[0] for result in rows] for rows in results[turn]] == [expected] * 3
        assert results[f"own {turn}"] == ["twist", f"only_{turn}"]
    assert "twist" not in TABLE


def test_threads_may_share_a_context(inputs: list[Arguments], backend: str) -> None:
    found: list[Any] = []
    with batch_dsl_context(backend, ops=[brighten]) as batch:
        threads = [Thread(target=lambda: found.append(batch.map(brightened, inputs))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [plainly(brightened, inputs)] * 3
    assert (batch.report.inputs, batch.report.plain) == (3 * len(inputs), [])


def test_wrong_use_is_refused_in_a_sentence(inputs: list[Arguments]) -> None:
    with batch_dsl_context() as batch, pytest.raises(ArcbattError, match="input 1 has 2 arguments; a batt"):
        batch.map(piled, [inputs[0], ("00d62c1b", ())])
    with pytest.raises(ArcbattError, match="threads is 0"), batch_dsl_context(threads=0):
        pass
    with pytest.raises(ArcbattError, match="no backend 'fast'"), batch_dsl_context("fast"):
        pass
    with pytest.raises(ArcbattError, match="does not say what it returns"), batch_dsl_context(ops=[len]):
        pass
    with pytest.raises(ArcbattError, match="the name 'rot90' is taken"):
        register_op(brighten, name="rot90")


def test_what_a_plain_function_raises_reaches_the_caller_and_leaves_nothing_behind(
    inputs: list[Arguments],
) -> None:
    def broken(*arguments: Any) -> Any:
        raise KeyError("broken")

    def work() -> None:
        with batch_dsl_context(ops=[brighten]) as batch:
            batch.map(brightened, inputs)
            batch.map(broken, inputs)

    before = dict(globals())
    with pytest.warns(RuntimeWarning, match="broken runs as plain"), pytest.raises(KeyError, match="broken"):
        work()
    assert "brighten" not in TABLE
    assert globals() == before
