"""The switch of columns changes no result, and the counters tell how many elements ran in columns."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

import arcbatt as ab
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.functions import fn
from arcbatt.dsl.values import weight
from arcbatt.engine.backend import Backend, ColumnMode, Elements, RunOptions
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE, choose
from arcbatt.engine.packed import PackedOutcomes
from arcbatt.engine.plan import Plan, plan, plan_of
from arcbatt.engine.profile.profile import profile
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.program.graph import Node
from arcbatt.program.parse import parse_programs
from arcbatt.tasks.samples import Samples
from arcbatt.testing.fuzz import RunMode, fuzz, ways_of
from support.device_work import on_devices

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

ATTACKS = Path(__file__).parents[1] / "data" / "attacks"
PROGRAMS = """
def solve_shifted(I):
    x1 = rbind(add, UNITY)
    x2 = asindices(I)
    return apply(x1, x2)

def solve_kept(I):
    x1 = fork(add, first, last)
    x2 = compose(even, x1)
    x3 = asindices(I)
    return sfilter(x3, x2)
"""
GRIDS = [((0,) * 4,) * 3, ((1,) * 2,) * 5]
CELLS = 3 * 4 + 5 * 2


def planned() -> Plan:
    """Two programs, each of which goes over the indices of its input."""
    return plan(parse_programs(PROGRAMS))


def samples() -> Samples:
    """The inputs, without known outputs."""
    return Samples("grids", None, [(grid, None) for grid in GRIDS])


def counted(backend: Backend, columns: ColumnMode) -> Elements:
    """The elements that the backend counts in one run."""
    before = backend.elements
    list(backend.outcomes(planned(), [samples()], RunOptions(columns=columns)))
    return backend.elements - before


@pytest.mark.parametrize("columns", get_args(ColumnMode))
@pytest.mark.parametrize("backend", [NativeBackend(), on_devices()], ids=["native", "emulated"])
def test_every_element_is_counted_on_the_cpu_and_on_a_warp(backend: Backend, columns: ColumnMode) -> None:
    found = counted(backend, columns)
    assert found.count == 2 * CELLS
    assert columns != "always" or found.share == 1.0


@pytest.mark.parametrize("backend", [NativeBackend(), on_devices()], ids=["native", "emulated"])
def test_no_element_runs_in_columns_where_they_are_switched_off(backend: Backend) -> None:
    assert counted(backend, "never").in_columns == 0


OVER_A_GRID = """
def solve_kept(I):
    x1 = asindices(I)
    x2 = fork(add, first, last)
    x3 = compose(even, x2)
    return sfilter(x1, x3)

def solve_moved(I):
    x1 = asindices(I)
    x2 = lbind(add, UNITY)
    x3 = compose(double, x2)
    return apply(x3, x1)

def solve_colored(I):
    x1 = asindices(I)
    x2 = lbind(index, I)
    x3 = matcher(x2, ONE)
    return sfilter(x1, x3)

def solve_drawn(I):
    x1 = asindices(I)
    x2 = rbind(shoot, UP)
    return mapply(x2, x1)

def solve_by_body(I):
    x1 = asindices(I)
    x2 = compose(size, neighbors)
    return argmax(x1, x2)
"""


@pytest.mark.parametrize("backend", [NativeBackend(), on_devices()], ids=["native", "emulated"])
def test_most_elements_of_loops_over_a_grid_run_in_columns_without_being_told_to(backend: Backend) -> None:
    grid = tuple(tuple((i * j) % 3 for j in range(12)) for i in range(11))
    before = backend.elements
    list(
        backend.outcomes(
            plan(parse_programs(OVER_A_GRID)), [Samples("grid", None, [(grid, None)])], RunOptions()
        )
    )
    found = backend.elements - before
    assert found.count == 5 * 11 * 12
    assert found.share > 0.9


def test_a_function_that_is_made_anew_for_each_element_is_not_taken_for_the_one_before() -> None:
    """It may be in the same place of memory."""
    twice = fn("fork", fn("combine"), fn("identity"), fn("identity"))
    kept = fn("fork", fn("argmin_t"), twice, fn("lbind", fn("rbind"), fn("remove")))
    ways = ways_of(["reference", "native", "emulated"], "both")
    assert [way.call("mfilter", ((0, 0), (1, 0)), kept) for way in ways] == [(1, 0)] * len(ways)


NUMBERS: list[tuple[int, ...]] = [(0, 1, -1, 7, -8), (2**31 - 1,), (-(2**31),)]
OPS_OF_ONE = (
    *("invert", "double", "halve", "increment", "decrement", "crement", "sign"),
    *("even", "positive", "flip"),
)
OPS_OF_TWO = ("add", "subtract", "multiply", "greater", "both", "either")


@pytest.mark.parametrize("op", [*OPS_OF_ONE, *OPS_OF_TWO])
def test_an_op_on_numbers_is_the_same_in_columns_on_the_cpu_and_on_a_warp(op: str) -> None:
    ways = ways_of(["reference", "native", "emulated"], "both")
    for numbers in NUMBERS:
        either = numbers, tuple(zip(numbers, reversed(numbers), strict=True))
        loops: list[tuple[Any, ...]] = [("apply", fn(op), these) for these in either]
        if op in OPS_OF_TWO:
            loops = [("papply", fn(op), a, b) for a in either for b in either]
        for loop in loops:
            found = [way.call(*loop, limits=ab.Limits()) for way in ways]
            assert all(other == found[0] for other in found), loop


@pytest.mark.parametrize("columns", get_args(ColumnMode))
def test_the_switch_changes_no_outcome(columns: ColumnMode) -> None:
    expected = [ab.call("shift", ab.call("asindices", grid), (1, 1)) for grid in GRIDS]
    (rows,) = NativeBackend().outcomes(planned(), [samples()], RunOptions(columns=columns))
    assert [row[0] for row in rows] == expected


def test_the_statistics_of_a_run_have_the_elements_of_this_run_alone() -> None:
    task = ab.Task("t", (ab.Sample(GRIDS[0], GRIDS[0]),), ())
    for _ in range(2):
        stats = ab.run(parse_programs(PROGRAMS), [task], "all", "native").stats
        assert stats.elements == 2 * 12
        assert 0 <= stats.elements_in_columns <= stats.elements


def test_a_profile_has_the_elements_of_each_op() -> None:
    task = ab.Task("t", (ab.Sample(GRIDS[0], GRIDS[0]),), ())
    found = profile(parse_programs(PROGRAMS), [task], "all", "native")
    counts = {op.name: op.cost.elements.count for op in found.ops}
    assert counts == {"apply": 12, "sfilter": 12, "asindices": 0, "rbind": 0, "fork": 0, "compose": 0}
    assert found.as_json(1)["total"]["elements"] == 24


def test_random_loops_have_the_same_outcomes_with_columns_without_them_and_on_the_reference() -> None:
    report = fuzz(600, seed=11, library=list(load_library("solvers")), evaluations=1000, columns="both")
    assert report.evaluations >= 1000
    assert not report.differences, report.differences[0].as_test()


def test_random_loops_have_the_same_packed_outcomes_with_columns_and_without() -> None:
    report = fuzz(600, seed=12, backends=["native"], evaluations=8000, columns="both")
    assert not report.differences, report.differences[0].as_test()


def test_random_loops_have_the_same_outcomes_on_a_warp() -> None:
    report = fuzz(600, seed=13, backends=["native", "emulated"], evaluations=150, columns="both")
    assert not report.differences, report.differences[0].as_test()


@pytest.mark.parametrize(
    ("kind", "slack"), [("items", 1), ("calls", 1), ("depth", 1), ("work", 1), ("memory", 96)]
)
def test_fuzzing_finds_a_way_whose_limit_is_one_off(
    kind: str, slack: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = NativeBackend.outcomes

    def outcomes(self: NativeBackend, plan: Plan, tasks: Any, options: RunOptions) -> Any:
        more = slack if options.columns == "always" else 0
        limits = replace(options.limits, **{kind: getattr(options.limits, kind) + more})
        return honest(self, plan, tasks, replace(options, limits=limits))

    monkeypatch.setattr(NativeBackend, "outcomes", outcomes)
    report = fuzz(600, seed=1, backends=["native"], evaluations=3000, columns="both")
    (found, *_) = report.differences
    assert "RunMode(name='native', columns='always')" in found.as_test()


@pytest.mark.parametrize("backend", ["reference", "native", "emulated"])
@pytest.mark.parametrize("columns", ["always", "worthwhile", "never"])
def test_the_first_limit_that_a_merge_of_patches_passes_is_the_same_everywhere(
    backend: str, columns: ColumnMode
) -> None:
    """The patches pass the limit of what is held first, and that of work in a later block of elements."""
    (_, program) = parse_programs((ATTACKS / "limits_differ.py").read_text())
    (task,) = ab.load_tasks(ATTACKS / "limits_differ.json")
    (merged,) = [node for node in program.root.args if node.head == "mapply"]
    rows = next(choose(backend)[0].outcomes(plan_of([merged]), [task], RunOptions(columns=columns)))
    assert [outcome.kind for (outcome,) in rows] == ["SIZE", "SIZE"]


def test_only_backends_of_the_core_are_compared_with_themselves() -> None:
    ways = ways_of(["reference", "native"], "both")
    assert ways == [RunMode("reference"), RunMode("native", "always"), RunMode("native", "never")]


def test_one_way_is_no_comparison() -> None:
    with pytest.raises(ArcbattError, match="one backend is no comparison"):
        fuzz(1, backends=["native"], columns="always")
    with pytest.raises(
        ArcbattError, match="columns: expected one of worthwhile, never, always, both, got 'some'"
    ):
        fuzz(1, columns="some")  # type: ignore[arg-type]


def test_packed_outcomes_tell_where_they_first_differ() -> None:
    rows = [
        next(NativeBackend().outcomes(plan_of([Node.input("I"), node]), [samples()], RunOptions()))[0]
        for node in (Node.constant(1), Node.constant(1), Node.constant(2))
    ]
    assert isinstance(rows[0], PackedOutcomes)
    assert rows[0].first_difference(rows[1]) is None
    assert rows[0].first_difference(rows[2]) == 1
    assert (rows[0][0], rows[0].first_difference(rows[2])) == (GRIDS[0], 1)


SUM = fn("fork", fn("add"), fn("first"), fn("last"))
INNER = fn("compose", fn("size"), fn("lbind", fn("apply"), fn("compose", fn("increment"), fn("increment"))))
DEEPER = fn("chain", fn("identity"), fn("identity"), INNER)
LOCATIONS = frozenset({(0, 1), (2, 3), (4, 4097), (5, 1)})
COLORED = frozenset({(3, (0, 1)), (2, (2, 2))})
BOTH_ORDERS = (fn("identity"), fn("last")), (fn("last"), fn("identity"))
SWAPPED = [fn("fork", fn("astuple"), *parts) for parts in BOTH_ORDERS]
LOOPS: list[tuple[Any, ...]] = [
    ("sfilter", LOCATIONS, fn("compose", fn("even"), SUM)),
    ("apply", fn("fork", fn("multiply"), SUM, SUM), LOCATIONS),
    ("apply", fn("rbind", fn("astuple"), (3, (1, 2))), (5, 6)),
    ("order", LOCATIONS, fn("fork", fn("subtract"), fn("last"), fn("first"))),
    ("extract", ((1, 2), (3, 4), (5, 6)), fn("matcher", SUM, 7)),
    ("sfilter", LOCATIONS, fn("rbind", fn("contained"), frozenset({(5, 1), (1, 2)}))),
    ("sfilter", COLORED, fn("fork", fn("equality"), *SWAPPED)),
    (
        "apply",
        fn("fork", fn("add"), INNER, fn("chain", fn("identity"), fn("identity"), DEEPER)),
        ((1, 2), (3,), ()),
    ),
    ("mapply", fn("rbind", fn("shoot"), (-1, 0)), LOCATIONS),
    ("prapply", fn("multiply"), (1, 2, 1 << 16), (3, 4)),
    ("papply", fn("astuple"), (1, 2, 3), ((4, 5), (6, 7))),
    ("argmax", COLORED, fn("compose", fn("first"), fn("identity"))),
    ("valmin", (), fn("double")),
    ("apply", fn("divide"), (1, 2)),
    ("apply", fn("lbind", fn("divide"), 6), (1, 0, 2)),
    ("mfilter", frozenset({COLORED, frozenset()}), fn("rbind", fn("colorcount"), 3)),
]
TIGHT = [
    *(ab.Limits(depth=depth) for depth in range(1, 16)),
    *(ab.Limits(calls=calls) for calls in range(36)),
    *(ab.Limits(items=items) for items in range(1, 40)),
    *(ab.Limits(work=work) for work in (*range(0, 400, 3), *range(400, 2400, 16))),
]


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop[0])
def test_each_limit_ends_a_loop_in_columns_where_it_ends_one_without(loop: tuple[Any, ...]) -> None:
    ways = ways_of(["reference", "native"], "both")
    found = [[way.call(*loop, limits=limits) for limits in TIGHT] for way in ways]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("place", [0, 1, 2, 9, 10, 41, 42, 200, 255, 256, 600, 699, 700])
def test_an_element_is_found_wherever_it_stands_at_the_same_cost(place: int) -> None:
    """Blocks begin with few elements and become longer; 700 is not there."""
    loop = "extract", tuple(range(700)), fn("matcher", fn("compose", fn("decrement"), fn("increment")), place)
    limits = [ab.Limits(), *(ab.Limits(calls=calls) for calls in (3 * place + 2, 3 * place + 3))]
    ways = ways_of(["reference", "native"], "both")
    found = [[way.call(*loop, limits=limit) for limit in limits] for way in ways]
    assert found[0] == found[1] == found[2]


def test_a_loop_may_go_over_many_blocks() -> None:
    numbers = tuple(range(10_000))
    for way in ways_of(["native"], "both"):
        assert way.call("apply", fn("increment"), numbers) == tuple(range(1, 10_001))


@pytest.mark.parametrize("name", ["native", "emulated"])
def test_a_set_that_is_too_heavy_only_with_its_repeats_is_made_in_columns(name: str) -> None:
    row = tuple((0, column) for column in range(24))
    lines = ab.call("prapply", fn("connect"), row, row, backend="reference")
    exact, way = weight(lines), RunMode(name, "always")
    assert 1.5 * exact < 1 + sum(weight(ab.call("connect", a, b)) for a in row for b in row)
    for items, expected in ((exact, lines), (exact - 1, Failure("SIZE"))):
        before = way.backend.elements
        assert way.call("prapply", fn("connect"), row, row, limits=ab.Limits(items=items)) == expected
        found = way.backend.elements - before
        assert (found.count, found.in_columns == 576) == (576, items == exact)


CELLS_OF_ONE_BLOCK = tuple((k % 7, (k, k)) for k in range(60))


@pytest.mark.parametrize("conditions", range(1, 7))
@pytest.mark.parametrize("name", ["native", "emulated"])
def test_a_function_that_needs_more_columns_than_there_are_runs_without_them(
    name: str, conditions: int
) -> None:
    """A column of cells takes several: with some number of them exactly none is left for the next step."""
    steps = [fn("rbind", fn("lbind", fn("branch"), 1 + k % conditions), (3, (1, 1))) for k in range(40)]
    function = steps[0]
    for step in steps[1:]:
        function = fn("compose", function, step)
    for way in ways_of([name], "both"):
        assert way.call("apply", function, CELLS_OF_ONE_BLOCK) == CELLS_OF_ONE_BLOCK


def test_elements_behind_the_one_that_is_found_are_not_counted() -> None:
    """A block runs again without them, and with it the loops inside of its function."""
    rows = tuple((k,) * (2 if k < 9 else 3) for k in range(40))
    loop = (
        "extract",
        rows,
        fn("matcher", fn("compose", fn("size"), fn("lbind", fn("apply"), fn("increment"))), 3),
    )
    counts = []
    for way in ways_of(["native"], "both"):
        before = way.backend.elements
        assert way.call(*loop) == (9, 9, 9)
        counts.append((way.backend.elements - before).count)
    assert counts == [40 + 9 * 2 + 3] * 2


SHALLOW = fn("lbind", fn("apply"), fn("increment"))
DEEP = fn("compose", fn("identity"), fn("compose", fn("identity"), SHALLOW))


@pytest.mark.parametrize("parts", [(SHALLOW, DEEP), (DEEP, SHALLOW)], ids=["shallow first", "deep first"])
def test_a_step_that_is_shared_is_as_deep_as_its_deepest_use(parts: tuple[Any, Any]) -> None:
    """The loop inside is one step for both parts: six applications are active in one of them."""
    function = fn("fork", fn("combine"), *parts)
    for depth, expected in ((5, Failure("DEPTH")), (6, ((2, 3, 2, 3), (4, 4)))):
        for way in ways_of(["reference", "native"], "both"):
            assert way.call("apply", function, ((1, 2), (3,)), limits=ab.Limits(depth=depth)) == expected
