"""A batch gives for every row what the op gives for that row alone; a bad row costs only itself."""

from collections.abc import Callable
from inspect import signature
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import arcbatt as ab
from arcbatt.batt.operations import GPUDSLOperations, batch_of
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.batt.runtime import first, rot90, toindices
from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.own_ops import own_ops
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import Grid, Integer
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import ValueRefused
from arcbatt.testing.values import random_argument, random_value
from support.strategies import any_value

SQUARE = ((1, 2), (3, 4))
WIDE = ((1, 2, 3), (4, 5, 6))
TYPE = ab.Failure("TYPE")


@pytest.fixture(scope="module")
def operations(backend: str) -> GPUDSLOperations:
    """Batches on each backend."""
    return GPUDSLOperations(backend=backend)


def one_by_one(op: str, *columns: list[Any]) -> list[Any]:
    """What the reference gives row by row."""
    return [ab.call(op, *row, backend="reference") for row in zip(*columns)]


def grids(count: int) -> list[Any]:
    tasks = ab.load_tasks("arc1/training")
    return [sample.input for task in tasks for sample in task.samples][:count]


@pytest.mark.parametrize("group", sorted({op.group for op in TABLE.values()}))
def test_every_op_gives_on_columns_what_it_gives_on_rows(group: str, operations: GPUDSLOperations) -> None:
    for op in (op for op in TABLE.values() if op.group == group):
        random = Random(op.name)
        rows: list[tuple[Value, ...]] = [
            tuple(random_argument(random, param) for param in op.params) for _ in range(8)
        ]
        rows += [tuple(random_value(random, "Any") for _ in op.params) for _ in range(3)]
        columns = [list(column) for column in zip(*rows)]
        assert operations.batch(op.name, *columns) == one_by_one(op.name, *columns), op.name


@given(any_value())
@settings(derandomize=True, max_examples=300, database=None)
def test_a_value_comes_back_as_it_went_in(value: Value) -> None:
    for name in AVAILABLE:
        (found,) = GPUDSLOperations(backend=name).batch("identity", [value])
        assert found == value
        assert_same_types(found, value)


def assert_same_types(found: Any, value: Any) -> None:
    assert type(found) is type(value)
    if isinstance(value, tuple):
        for one, other in zip(found, value):
            assert_same_types(one, other)
    elif isinstance(value, frozenset):
        by_value = {element: element for element in value}
        for element in found:
            assert_same_types(element, by_value[element])


@pytest.mark.parametrize("kind", range(8))
def test_objects_of_many_grids_equal_those_of_each(kind: int, operations: GPUDSLOperations) -> None:
    given = grids(60)
    assert operations.batch_o_g(given, kind) == one_by_one("o_g", given, [kind] * len(given))


CELLS = frozenset({(1, (0, 0)), (2, (0, 1))})
NAMED: dict[str, tuple[Any, ...]] = {
    "batch_o_g": ([SQUARE, WIDE], [4, 5]),
    "batch_mapply": (ab.fn("toindices"), [frozenset({CELLS}), ()]),
    "batch_apply": (ab.fn("first"), [(SQUARE, WIDE), (WIDE,)]),
    "batch_colorfilter": ([frozenset({frozenset({(1, (0, 0))})}), frozenset()], [1, 2]),
    "batch_p_g": ([SQUARE, WIDE],),
    "batch_fgpartition": ([SQUARE, ()],),
    "batch_difference": ([(1, 2, 3), frozenset({1, 2})], [(2,), frozenset({2})]),
    "batch_difference_tuple": ([(1, 2, 3), frozenset({1})], [(2,), (1,)]),
    "batch_f_ofcolor": ([SQUARE, WIDE], [2, 7]),
    "batch_replace": ([SQUARE, WIDE], [1, 2], [8, 9]),
    "batch_fill": ([SQUARE, WIDE], [0, 9], [frozenset({(0, 1)}), frozenset({(5, 5)})]),
    "batch_colorcount": ([SQUARE, CELLS], [2, 2]),
    "batch_rot90": ([SQUARE, WIDE],),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_named_batch_is_the_op_of_its_name(name: str, operations: GPUDSLOperations) -> None:
    columns = [column if isinstance(column, list) else [column, column] for column in NAMED[name]]
    method: Callable[..., Any] = getattr(operations, name)
    expected = one_by_one(name.removeprefix("batch_"), *columns)
    assert method(*NAMED[name]) == expected
    assert method(**dict(zip(signature(method).parameters, NAMED[name]))) == expected
    assert method.__name__ == name
    with pytest.raises(TypeError):
        method()


def test_every_batch_of_the_class_is_tested_here() -> None:
    made = {name for name, member in vars(GPUDSLOperations).items() if name.startswith("batch_")}
    assert made == {*NAMED, "batch_call", "batch_compose", "batch_flip", "batch_transpose"}
    assert batch_of("rot90", "grids").__doc__ == "`rot90` on every row. A quarter turn clockwise."


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -2])
def test_flip_and_transpose_are_those_of_numpy(axis: int | None, operations: GPUDSLOperations) -> None:
    given = grids(20)
    flipped = [tuple(map(tuple, np.flip(np.array(grid), axis).tolist())) for grid in given]
    assert operations.batch_flip(given, axis) == flipped
    transposed = [tuple(map(tuple, np.transpose(np.array(grid)).tolist())) for grid in given]
    assert operations.batch_transpose(given) == transposed


def test_a_list_is_a_column_and_all_else_the_same_for_all_rows(operations: GPUDSLOperations) -> None:
    assert operations.batch("add", [1, 2, 3], 10) == [11, 12, 13]
    assert operations.batch("add", (1, 2), [10, (1, 1)]) == [(11, 12), (2, 3)]
    assert operations.batch("fill", SQUARE, [5, 6], frozenset({(0, 0)})) == [
        ((5, 2), (3, 4)),
        ((6, 2), (3, 4)),
    ]
    assert operations.batch("add", [], 10) == []


def test_a_function_value_can_stand_for_the_op(operations: GPUDSLOperations) -> None:
    assert operations.batch(ab.fn("rbind", ab.fn("subtract"), 1), [1, 2, ()]) == [0, 1, TYPE]
    assert operations.batch(rot90, [SQUARE]) == [((3, 1), (4, 2))]


def test_functions_of_generated_code_serve_as_arguments(operations: GPUDSLOperations) -> None:
    assert operations.batch_apply(first, [(SQUARE, WIDE)]) == [((1, 2), (1, 2, 3))]
    assert operations.batch_mapply(toindices, [frozenset({CELLS})]) == [frozenset({(0, 0), (0, 1)})]


def test_a_composition_is_applied_last_function_first(operations: GPUDSLOperations) -> None:
    double, increment = ab.fn("double"), ab.fn("increment")
    assert operations.batch_compose((double, increment), [1, 2]) == [4, 6]
    assert operations.batch_compose((increment, double, increment), [1, 2]) == [5, 7]
    assert operations.batch_compose(double, [1, 2]) == [2, 4]


def test_each_row_may_have_its_own_composition(operations: GPUDSLOperations) -> None:
    double, increment = ab.fn("double"), ab.fn("increment")
    rows = [(double, increment), (increment, double), increment, (), 5, (ab.fn("add"), double)]
    assert operations.batch_compose(rows, 3) == [8, 7, 4, TYPE, TYPE, TYPE]


def test_a_function_is_called_with_the_arguments_of_its_row(operations: GPUDSLOperations) -> None:
    add, fill, double = ab.fn("add"), ab.fn("fill"), ab.fn("double")
    assert operations.batch_compose([add, add], [(1, 2), ((1, 1), 3)]) == [3, (4, 4)]
    assert operations.batch_compose(add, [(1, 2), (3, 4)]) == [3, 7]
    assert operations.batch_compose(funcs=[add, ab.fn("subtract")], args=(7, 2)) == [9, 5]
    rows: list[Any] = [(SQUARE, 9, frozenset({(0, 0)})), (4,), (1, 2), 5, ()]
    found = operations.batch_compose([fill, double, add, double, add], rows)
    assert found == [((9, 2), (3, 4)), 8, 3, 10, TYPE]
    assert operations.batch_compose(rot90, [(SQUARE,), SQUARE]) == [((3, 1), (4, 2)), TYPE]
    assert operations.batch_compose(double, []) == []


def test_a_composition_of_other_things_is_refused(operations: GPUDSLOperations) -> None:
    for functions in ((), (object(), ab.fn("double")), 5):
        with pytest.raises(ab.ArcbattError, match="a composition is a function or a tuple of functions"):
            operations.batch_compose(functions, [1])


def endless() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def doubled(times: int) -> tuple[Any, ...]:
    value: tuple[Any, ...] = ()
    for _ in range(times):
        value = (value, value)
    return value


@pytest.mark.parametrize(
    "bad",
    [
        None,
        1.5,
        "grid",
        abs,
        object(),
        1 << 31,
        (1, (2, None)),
        frozenset({1.5}),
        (0,) * 300_000,
        ((0,) * 600,) * 600,
        endless(),
        doubled(90),
        doubled(3000),
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_what_is_no_value_fails_only_its_row(bad: Any, operations: GPUDSLOperations) -> None:
    assert operations.batch("identity", [1, bad, (2,), bad, bad, 3]) == [1, TYPE, (2,), TYPE, TYPE, 3]
    assert operations.batch("combine", [(1,), (2,), (3,)], [(4,), bad, (5,)]) == [(1, 4), TYPE, (3, 5)]
    left, right = ((1, 2), (3, 4)), ((5, 6), (7, 8))
    beside = ((1, 2, 5, 6), (3, 4, 7, 8))  # also where the row before had the same grid, and failed
    assert operations.batch("hconcat", left, [bad, right, bad, right]) == [TYPE, beside, TYPE, beside]


def test_what_python_people_write_for_values_is_taken_in(operations: GPUDSLOperations) -> None:
    rows: list[Any] = [[[1, 2], [3, 4]], {(0, 1)}, True, [True, (False,)], np.array([[1]]).tolist()]
    taken = operations.batch("identity", rows)
    assert taken == [SQUARE, frozenset({(0, 1)}), 1, (1, (0,)), ((1,),)]
    assert [type(value) for value in taken] == [tuple, frozenset, int, tuple, tuple]


def test_failures_are_those_of_the_rows(operations: GPUDSLOperations) -> None:
    found = operations.batch("divide", [7, 7, (), 7], [2, 0, 1, ()])
    assert found == [3, ab.Failure("ZERO"), TYPE, TYPE]


def test_limits_hold_in_every_row(backend: str) -> None:
    narrow = GPUDSLOperations(backend=backend, limits=ab.Limits(items=20, calls=3, depth=4))
    assert narrow.batch("canvas", 0, [(2, 2), (9, 9), (3, 3)]) == [
        ((0, 0), (0, 0)),
        ab.Failure("SIZE"),
        ((0, 0, 0),) * 3,
    ]
    counted = narrow.batch_apply(ab.fn("increment"), [(1, 2, 3), (1, 2, 3, 4), (1,)])
    assert counted == [(2, 3, 4), ab.Failure("CALLS"), (2,)]
    assert narrow.batch("identity", [doubled(3), doubled(4), (0,) * 19, (0,) * 20]) == [
        doubled(3),
        TYPE,
        (0,) * 19,
        TYPE,
    ]


def test_a_row_that_needs_much_memory_leaves_the_others_alone(operations: GPUDSLOperations) -> None:
    sizes = [(2, 2), (500, 500), (1, 1), (480, 520), (3, 1)]
    areas = operations.batch(
        ab.fn(
            "compose", ab.fn("size"), ab.fn("compose", ab.fn("asindices"), ab.fn("lbind", ab.fn("canvas"), 0))
        ),
        sizes,
    )
    assert areas == [4, ab.Failure("SIZE"), 1, ab.Failure("SIZE"), 3]
    canvases = operations.batch("canvas", 0, sizes)
    assert [len(canvas) for canvas in canvases if isinstance(canvas, tuple)] == [2, 500, 1, 480, 3]


def test_arguments_that_recur_are_told_apart_from_new_ones(operations: GPUDSLOperations) -> None:
    """More than fits the first memory of a lane, with columns that change at different rows."""
    random = Random(5)
    shown = grids(300)
    given = [random.choice(shown) for _ in range(3000)]
    steady = [grid for grid in shown[:3] for _ in range(1000)]
    expected = [int(a == b) for a, b in zip(given, steady)]
    assert operations.batch("equality", given, steady) == expected
    assert operations.batch("equality", steady, given) == expected


def test_values_that_the_engine_holds_are_arguments_too(operations: GPUDSLOperations) -> None:
    with GPUEnv(0, "00d62c1b", (), enable_gpu=False) as env:
        held = env.do_pile(1, [rot90, SQUARE]).t
    assert operations.batch_rot90([held, SQUARE]) == [((4, 3), (2, 1)), ((3, 1), (4, 2))]
    assert operations.batch("equality", [SQUARE, ((3, 1), (4, 2))], held) == [0, 1]


def brighten(grid: Grid, by: Integer) -> Grid:
    """Every colour raised; whatever it raises is a failure."""
    return tuple(tuple(12 // (12 - color - by) and color + by for color in row) for row in grid)


def test_an_op_of_a_user_runs_on_columns(operations: GPUDSLOperations) -> None:
    with own_ops(brighten):
        found = operations.batch("brighten", [SQUARE, (), ((9,),)], 3)
    assert found == [((4, 5), (6, 7)), ab.Failure("EMPTY"), ab.Failure("ZERO")]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (("o_g", (SQUARE,), 1), "a batch of o_g has no column; give a list"),
        (
            ("add", [1, 2], [1, 2, 3]),
            "the columns of a batch of add have 2, 3 rows; they must be equally long",
        ),
        (
            ("add", [1]),
            r"a batch of add\(a: Numerical, b: Numerical\) -> Numerical needs 2 columns, not 1 column",
        ),
        (("add", [1], 1, 1), "needs 2 columns, not 3 columns"),
        (("ad", [1], 1), "there is no op 'ad'; did you mean 'add'?"),
        ((ab.fn("increment"), [1], [2]), "a batch of increment needs 1 column, not 2 columns"),
        (("add", [1], None), "NoneType is no value of the language"),
        (("apply", object(), [(1,)]), "object is no value of the language"),
    ],
)
def test_a_wrong_batch_is_refused_in_one_sentence(
    columns: tuple[Any, ...], sentence: str, operations: GPUDSLOperations
) -> None:
    before = operations.get_stats()
    with pytest.raises(ab.ArcbattError, match=sentence) as refused:
        operations.batch(*columns)
    assert "\n" not in str(refused.value)
    assert operations.get_stats() == before


def test_a_grid_has_two_axes(operations: GPUDSLOperations) -> None:
    with pytest.raises(ab.ArcbattError, match="a grid has no axis 2; use 0"):
        operations.batch_flip([SQUARE], 2)


def test_stats_add_up(backend: str) -> None:
    operations = GPUDSLOperations(backend=backend)
    nothing = operations.get_stats()
    assert (nothing.calls, nothing.rows, nothing.seconds, dict(nothing.failures)) == (0, 0, 0.0, {})
    operations.batch("divide", [1, 2, 3, ()], [0, 1, 0, 1])
    operations.batch_rot90([SQUARE, None])
    stats = operations.get_stats()
    assert (stats.calls, stats.rows, dict(stats.failures)) == (2, 6, {"ZERO": 2, "TYPE": 2})
    assert stats.seconds > 0
    assert (stats.backend, stats.why) == (backend, "asked for")
    assert set(stats.failures) <= set(KINDS)


def test_without_a_gpu_batches_run_on_the_best_backend_there_is() -> None:
    for enable_gpu in (True, False):
        assert GPUDSLOperations(enable_gpu).get_stats().backend == AVAILABLE[-1]


def test_a_column_goes_from_batch_to_batch(operations: GPUDSLOperations) -> None:
    given = [*grids(60), None]
    objects = operations.batch_o_g(given, 5)
    assert operations.batch_difference(objects, objects) == [frozenset()] * 60 + [TYPE]
    filled = operations.batch_fill(given, 3, operations.batch("merge", objects))
    turned = operations.batch_rot90(filled)
    one_by = [ab.call("o_g", grid, 5, backend="reference") for grid in given[:-1]]
    expected = [
        ab.call("rot90", ab.call("fill", grid, 3, ab.call("merge", found)))
        for grid, found in zip(given, one_by)
    ]
    assert turned == [*expected, TYPE]
    assert objects == [*one_by, TYPE]
    assert operations.batch_rot90(turned) == operations.batch("rot180", filled)  # also after a look at it


def test_threads_may_share_the_operations(backend: str) -> None:
    operations = GPUDSLOperations(backend=backend)
    given = grids(50)
    expected = one_by_one("rot90", given)
    found: list[Any] = []
    threads = [Thread(target=lambda: found.append(operations.batch_rot90(given))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
    assert operations.get_stats().rows == 200


def test_a_function_comes_back_as_a_function(operations: GPUDSLOperations) -> None:
    (made,) = operations.batch("compose", [ab.fn("first")], ab.fn("last"))
    assert type(made) is Function
    assert made == ab.fn("compose", ab.fn("first"), ab.fn("last"))


def test_a_value_that_is_the_same_for_all_rows_must_be_one(operations: GPUDSLOperations) -> None:
    with pytest.raises(ValueRefused, match="heavier than the limit"):
        operations.batch("combine", [(1,)], (0,) * 300_000)


@pytest.mark.skipif("native" not in AVAILABLE, reason="installed without the compiled core")
def test_what_only_passes_through_a_batch_is_the_object_that_went_in() -> None:
    operations = GPUDSLOperations(backend="native")
    kept, dropped = frozenset({(1, (0, 0)), (1, (0, 1))}), frozenset({(2, (5, 5)), (2, (5, 6))})
    (found,) = operations.batch_difference([frozenset({kept, dropped})], [frozenset({dropped})])
    assert next(iter(found)) is kept
    assert operations.batch_difference([frozenset({kept})], [frozenset({dropped})])[0] == {kept}


def test_a_number_that_only_equals_an_integer_comes_out_as_the_integer(operations: GPUDSLOperations) -> None:
    odd = (True, (2, False), frozenset({(True, 0)}))
    for _ in range(2):
        (found,) = operations.batch("identity", [odd])
        assert_same_types(found, (1, (2, 0), frozenset({(1, 0)})))


def test_columns_of_another_batch_obey_the_limits_of_this_one(backend: str) -> None:
    wide, narrow = (GPUDSLOperations(backend=backend, limits=ab.Limits(items=n)) for n in (1000, 20))
    column = wide.batch("canvas", 0, [(2, 2), (9, 9)])
    assert narrow.batch_rot90(column) == [((0, 0), (0, 0)), TYPE]


def test_functions_in_a_column_keep_their_meaning_when_ops_come_and_go(backend: str) -> None:
    operations = GPUDSLOperations(backend=backend)

    def darken(grid: Grid) -> Grid:
        return ((0,),)

    with own_ops(brighten):
        functions = operations.batch("rbind", [ab.fn("brighten")], 1)
        assert operations.batch_compose(functions, [(SQUARE,)]) == [((2, 3), (4, 5))]
    with own_ops(darken, brighten):
        assert operations.batch("apply", functions, [(SQUARE,)]) == [(((2, 3), (4, 5)),)]


def test_columns_larger_than_what_is_remembered_give_the_same(operations: GPUDSLOperations) -> None:
    sizes = [(100 + k % 7, 400) for k in range(120)]
    canvases = [tuple((k % 9,) * width for _ in range(height)) for k, (height, width) in enumerate(sizes)]
    for _ in range(2):
        assert operations.batch("height", canvases) == [height for height, _ in sizes]


def test_grids_of_every_width_are_turned_as_by_the_reference(operations: GPUDSLOperations) -> None:
    """Among them are rows that share a beginning and an end, and more rows than are kept for later ones."""
    random = Random(11)
    made = []
    for width in range(1, 41):
        for _ in range(6):
            colors = random.choice([(0, 1), (-128, 127), (-5, 256), range(-20, 21)])
            height = random.randint(1, 40)
            made.append(tuple(tuple(random.choice(colors) for _ in range(width)) for _ in range(height)))
            base = [list(row) for row in made[-1]]
            base[height // 2][width // 2] += 1
            made.append(tuple(map(tuple, base)))
    turned = [tuple(zip(*grid[::-1])) for grid in made]
    for _ in range(2):
        assert operations.batch_rot90(made) == turned
        assert operations.batch_flip(made, 0) == [grid[::-1] for grid in made]
    for found, wanted in zip(operations.batch_rot90(made), turned):
        assert_same_types(found, wanted)


def test_rows_that_are_read_stay_as_they_are_when_others_take_their_place(
    operations: GPUDSLOperations,
) -> None:
    read = list(operations.batch_rot90([WIDE, SQUARE]))
    for start in range(0, 12_000, 1000):
        many = [tuple((k % 100, k // 100) for k in range(start, start + 1000))]
        assert len(operations.batch("rot180", many)[0]) == 1000
    assert read == [((4, 1), (5, 2), (6, 3)), ((3, 1), (4, 2))]


def test_failed_rows_take_typed_defaults_where_that_is_asked_for(backend: str) -> None:
    safe = GPUDSLOperations(backend=backend, on_failure="default")
    turned = safe.batch_rot90([SQUARE, None, 3])
    assert turned == [((3, 1), (4, 2)), (), ()]
    assert safe.batch("size", turned) == [2, 0, 0]
    assert safe.batch("toindices", [frozenset({(1, (0, 0))}), 5]) == [frozenset({(0, 0)}), frozenset()]
    assert safe.batch("divide", [4, 5], [0, 1]) == [0, 5]
    assert safe.batch_compose([ab.fn("rot90"), None], [(SQUARE,), (SQUARE,)]) == [((3, 1), (4, 2)), ()]
    assert safe.batch("compose", [ab.fn("first"), 3], ab.fn("last"))[1] == ab.call(
        "identity", TABLE["compose"].default
    )
    assert safe.get_stats().failures == {"TYPE": 5, "ZERO": 1}
    with pytest.raises(ab.ArcbattError, match="on_failure: expected one of fail, default, got 'pile'"):
        GPUDSLOperations(on_failure="pile")  # type: ignore[arg-type]


def test_a_call_takes_the_function_of_each_row(operations: GPUDSLOperations) -> None:
    functions = operations.batch("compose", [ab.fn("size"), ab.fn("first")], ab.fn("first"))
    assert operations.batch_call(functions, [SQUARE, 5]) == [2, TYPE]
    assert operations.batch_call(ab.fn("add"), [1, 2], 3) == [4, 5]
    assert operations.batch_call([ab.fn("add"), 7], [1, 2]) == [TYPE, TYPE]
    assert operations.batch_call([ab.fn("rot90")]) == [TYPE]


def test_arguments_may_be_nested_as_deeply_as_the_limits_allow(backend: str) -> None:
    def nested(kind: Any, depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = kind([value])
        return value

    def far_down(frames: int, call: Callable[[], Any]) -> Any:
        return call() if frames == 0 else far_down(frames - 1, call)

    operations = GPUDSLOperations(backend=backend, limits=ab.Limits(depth=250))
    for kind in (tuple, list):
        deep = nested(kind, 240)
        for frames in (0, 700):
            (shared,) = far_down(frames, lambda: operations.batch("astuple", [1], (deep,)))  # noqa: B023
            (in_a_row,) = far_down(frames, lambda: operations.batch("astuple", [1], [deep]))  # noqa: B023
            assert shared == (1, (nested(tuple, 240),))
            assert in_a_row == (1, nested(tuple, 240))
