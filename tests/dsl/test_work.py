"""What ops cost, and that every backend stops at the same point."""

from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt import Limits, fn
from arcbatt.dsl.contract import CALL_WORK as CALL
from arcbatt.dsl.contract import COLLECT_WORK as COLLECT
from arcbatt.dsl.contract import MATCH_WORK as MATCH
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import weight
from arcbatt.dsl.work import BUILD, SCAN, SEEK, SORT, TALLY
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.choose import AVAILABLE, choose
from arcbatt.engine.plan import plan
from arcbatt.tasks.samples import Samples
from support.cases import Call, failed, setof

ATTACKS = Path(__file__).parents[1] / "data" / "attacks"
GRID = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
CELLS = ab.call("asobject", GRID)
LOCATIONS = ab.call("asindices", GRID)


def costs(call: Call, expected: int, *made: Any) -> bool:
    """Whether a call needs exactly so much work."""
    enough = call(*made, limits=Limits(work=expected))
    return failed(enough) != "CALLS" and failed(call(*made, limits=Limits(work=expected - 1))) == "CALLS"


def test_numbers_and_what_is_not_looked_into_cost_nothing(call: Call) -> None:
    free = Limits(work=0)
    assert call("add", 1, (2, 3), limits=free) == (3, 4)
    assert call("size", GRID, limits=free) == 3
    assert call("index", GRID, (1, 1), limits=free) == 4
    assert call("branch", 1, GRID, CELLS, limits=free) == GRID
    assert failed(call("hmirror", GRID, limits=free)) == "CALLS"


def test_an_op_costs_its_units_for_each_item_of_its_arguments_and_its_result(call: Call) -> None:
    assert costs(call, BUILD * 2 * weight(GRID), "hmirror", GRID)
    assert costs(call, SCAN * weight(CELLS) + SCAN, "height", CELLS)
    assert costs(call, SORT * (weight(GRID) + weight(call("partition", GRID))), "partition", GRID)


def test_the_lighter_argument_of_a_difference_costs_what_sorting_does(call: Call) -> None:
    few = setof((0, 0), (1, 1))
    rest = weight(call("difference", LOCATIONS, few))
    both = SEEK * weight(LOCATIONS) + SCAN * weight(few)
    assert costs(call, both + SORT * weight(few) + BUILD * rest, "difference", LOCATIONS, few)


def test_a_long_tuple_is_gone_through_by_a_difference(call: Call) -> None:
    """Its elements are sought among those of the other argument; in a Set these are sought themselves."""
    row = tuple(range(1000))
    lighter = SEEK * 2 + SORT * 2 + BUILD * 2
    assert costs(call, lighter + TALLY * 2 + (SCAN + TALLY) * weight(row), "difference", (-1,), row)
    assert costs(call, lighter + TALLY * 2 + SCAN * weight(row), "difference", (-1,), frozenset(row))
    assert costs(call, lighter + SCAN * weight(row), "difference", frozenset({-1}), frozenset(row))


@pytest.mark.slow
def test_a_program_of_differences_with_a_long_tuple_ends_early() -> None:
    """The limit of work ends it before each element of its loop has gone through the Tuple."""
    text = (ATTACKS / "stall.py").read_text()
    (whole,) = ab.parse_programs(text)
    (part,) = ab.parse_programs(text.replace("200000", "10"))
    assert failed(whole(GRID)) == "CALLS"
    for backend in ("reference", "native"):
        if backend in AVAILABLE:
            assert failed(_outcome(part, backend, Limits())) != "CALLS"
            assert failed(_outcome(part, backend, Limits(work=10 * TALLY * 50_000))) == "CALLS"


def _outcome(program: ab.Program, backend: str, limits: Limits) -> Any:
    samples = Samples("of this test", None, [(GRID, None)])
    ((row,),) = choose(backend)[0].outcomes(plan([program]), [samples], RunOptions(limits=limits))
    return row[0]


def test_occurrences_cost_the_product_of_grid_and_object(call: Call) -> None:
    wide = ab.call("canvas", 1, (20, 20))
    grid, cells = weight(wide), weight(CELLS)
    assert costs(call, SCAN * (grid + cells) + (grid * cells >> 6) + BUILD, "occurrences", wide, CELLS)


def test_a_higher_order_op_pays_for_each_result_it_gets_and_for_what_it_makes_of_them(call: Call) -> None:
    read, applied = SCAN * 4, 3 * (CALL + COLLECT)
    assert costs(call, read + applied + 4 * COLLECT, "apply", fn("double"), (1, 2, 3))
    read = SORT * (weight(GRID) + weight(fn("size")))
    assert costs(call, read + applied + BUILD * weight(GRID), "order", GRID, fn("size"))


def test_each_application_costs_something(call: Call) -> None:
    tower = ab.call("power", fn("identity"), 20)
    assert costs(call, 39 * CALL, tower, 1)


def test_each_pair_of_elements_costs_what_sorting_its_result_does(call: Call) -> None:
    read, applied = SCAN * 7, 6 * (CALL + COLLECT + SORT)
    assert costs(call, read + applied + 5 * COLLECT, "prapply", fn("add"), (1, 2, 3), (10, 11))


def test_a_matcher_pays_for_what_it_compares(call: Call) -> None:
    assert costs(call, 2 * CALL + MATCH * weight(GRID), fn("matcher", fn("identity"), GRID), GRID)


def test_an_op_that_would_cost_too_much_fails_after_its_checks_and_before_it_runs(call: Call) -> None:
    nothing = Limits(work=0)
    assert failed(call("hmirror", 5, limits=nothing)) == "TYPE"
    assert failed(call("mostcolor", ((),), limits=nothing)) == "EMPTY"
    assert failed(call("downscale", GRID, 0, limits=nothing)) == "ZERO"
    assert failed(call("other", (1, 1), 1, limits=nothing)) == "CALLS"
    assert failed(call("other", (1, 1), 1, limits=Limits(work=10))) == "INDEX"


def test_applications_add_up_within_a_top_level_op_and_start_anew_in_the_next(call: Call) -> None:
    once = fn("compose", fn("size"), fn("hmirror"))
    grids = (GRID,) * 5
    each = 3 * CALL + BUILD * 2 * weight(GRID) + COLLECT
    assert costs(call, SCAN * weight(grids) + 5 * each + COLLECT * 6, "apply", once, grids)


@pytest.mark.parametrize(
    "made",
    [
        ("mapply", fn("dneighbors"), LOCATIONS),
        ("sfilter", LOCATIONS, fn("matcher", fn("first"), 1)),
        ("mfilter", setof(CELLS, setof()), fn("identity")),
        ("mfilter", setof(CELLS, setof()), fn("size")),
        ("extract", ((1, 2), (3, 4)), fn("matcher", fn("first"), 3)),
        ("argmax", ab.call("partition", GRID), fn("fork", fn("combine"), fn("toindices"), fn("box"))),
        ("prapply", fn("connect"), LOCATIONS, LOCATIONS),
        ("rapply", (fn("hmirror"), fn("vmirror"), fn("height")), GRID),
        ("mpapply", fn("astuple"), GRID, GRID),
        ("c_iz_n", ((GRID, ((1,),)), (GRID, GRID)), fn("palette"), fn("first")),
        (ab.call("power", fn("fork", fn("combine"), fn("identity"), fn("outbox")), 6), LOCATIONS),
        (ab.call("power", fn("fork", fn("intersection"), fn("backdrop"), fn("identity")), 40), LOCATIONS),
        (
            fn("chain", fn("dedupe"), fn("totuple"), fn("fork", fn("product"), fn("identity"), fn("box"))),
            CELLS,
        ),
    ],
)
def test_every_backend_needs_the_same_work(made: tuple[Any, ...]) -> None:
    least = _least_work(made)
    for backend in AVAILABLE:
        enough = ab.call(*made, backend=backend, limits=Limits(work=least))
        assert enough == ab.call(*made, backend=backend)
        assert failed(ab.call(*made, backend=backend, limits=Limits(work=least - 1))) == "CALLS"


def _least_work(made: tuple[Any, ...]) -> int:
    low, high = -1, Limits().work
    while high - low > 1:
        middle = (low + high) // 2
        if failed(ab.call(*made, limits=Limits(work=middle))) == "CALLS":
            low = middle
        else:
            high = middle
    return high


def test_occurrences_of_a_large_object_in_a_large_grid_fail_calls(call: Call) -> None:
    grid = fn("rbind", fn("canvas"), (510, 510))
    cells = fn("compose", fn("asobject"), fn("rbind", fn("canvas"), (225, 225)))
    costly = fn("compose", fn("size"), fn("fork", fn("occurrences"), grid, cells))
    assert failed(call("apply", costly, tuple(range(60_000)))) == "CALLS"


LARGE = ab.call("asobject", ab.call("canvas", 0, (100, 100)))
ROW = ab.call("asobject", ab.call("canvas", 0, (1, 2000)))
SPREAD = frozenset((1 << 20 | k, k) for k in range(40_000))


@pytest.mark.slow
@pytest.mark.parametrize(
    "costly",
    [
        fn("compose", fn("size"), fn("lbind", fn("shift"), LARGE)),
        fn("compose", fn("lbind", fn("gravitate"), LARGE), fn("lbind", fn("shift"), LARGE)),
        fn("compose", fn("lbind", fn("manhattan"), SPREAD), fn("lbind", fn("shift"), LARGE)),
        fn("compose", fn("lbind", fn("difference"), SPREAD), fn("lbind", fn("shift"), SPREAD)),
        fn("compose", fn("hperiod"), fn("lbind", fn("shift"), ROW)),
    ],
)
def test_costly_applications_that_would_go_on_for_minutes_fail_calls(costly: Any) -> None:
    many = tuple((k, k) for k in range(80_000))
    assert failed(ab.call("apply", fn("compose", fn("initset"), costly), many)) == "CALLS"


def test_the_limit_of_work_is_a_number_within_its_range() -> None:
    for wrong in (-1, 1.5, True, 1 << 61):
        with pytest.raises(ab.ArcbattError, match="limit work: expected an integer"):
            Limits(work=wrong)  # type: ignore[arg-type]


def test_a_restricted_op_costs_what_the_op_does_unless_it_makes_a_set_of_a_tuple() -> None:
    dearer = {op.name for op in TABLE.values() if op.restricts and op.work != TABLE[op.restricts].work}
    assert dearer == {"sfilter_f"}
    assert TABLE["sfilter_f"].work.listed == TALLY
