"""Laws that hold for all values: one property each, over small random values."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt import fn
from support.cases import Call, failed, setof, shown

law = settings(derandomize=True, max_examples=80)

COLORS = st.integers(0, 4)
LOCATIONS = st.tuples(st.integers(-3, 5), st.integers(-3, 5))
INDICES = st.frozensets(LOCATIONS, max_size=6)
OBJECTS = st.frozensets(st.tuples(COLORS, LOCATIONS), max_size=6)
PATCHES = INDICES | OBJECTS
FILLED = PATCHES.filter(bool)
PRIMITIVES = st.sampled_from(["identity", "first", "size", "initset", "size_f"]).map(fn)
FUNCTIONS = st.recursive(
    PRIMITIVES,
    lambda inner: (
        st.builds(fn, st.just("compose"), inner, inner)
        | st.builds(fn, st.just("matcher"), inner, st.integers(-1, 1) | inner)
        | st.builds(fn, st.just("rbind"), st.just(fn("add")), st.integers(-1, 1))
    ),
    max_leaves=4,
)
VALUES = st.recursive(
    st.integers(-3, 12) | FUNCTIONS,
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
    max_leaves=10,
)
TUPLES = st.lists(VALUES, max_size=5).map(tuple)
SETS = st.frozensets(VALUES, max_size=5)
CONTAINERS = TUPLES | SETS


@st.composite
def grids(draw: Callable[..., Any], smallest: int = 1, largest: int = 4) -> Any:
    height, width = draw(st.integers(smallest, largest)), draw(st.integers(smallest, largest))
    row = st.tuples(*[COLORS] * width)
    return draw(st.tuples(*[row] * height))


GRIDS = grids()


def in_order(left: Any, right: Any) -> bool:
    """Whether two values ascend in the canonical order, straight from the words of section 1.3."""
    return compare(left, right) < 0


def compare(left: Any, right: Any) -> int:
    kinds = [int, tuple, frozenset, type(fn("add"))]
    ranks = kinds.index(type(left)), kinds.index(type(right))
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    if type(left) is int:
        return (left > right) - (left < right)
    if type(left) is tuple:
        return compare_sequences(left, right)
    if type(left) is frozenset:
        return compare_sequences(ascending(left), ascending(right))
    if left.name != right.name:
        return -1 if left.name < right.name else 1
    return compare_sequences(left.parts, right.parts)


def compare_sequences(left: Any, right: Any) -> int:
    for one, other in zip(left, right):
        if found := compare(one, other):
            return found
    return (len(left) > len(right)) - (len(left) < len(right))


def ascending(elements: Any) -> list[Any]:
    found: list[Any] = []
    for element in elements:
        place = next((k for k, other in enumerate(found) if in_order(element, other)), len(found))
        found.insert(place, element)
    return found


@pytest.mark.slow
@given(SETS)
@law
def test_totuple_of_a_set_ascends(call: Call, elements: Any) -> None:
    assert call("totuple", elements) == tuple(ascending(elements))


@pytest.mark.slow
@given(VALUES, VALUES)
@law
def test_equality_is_having_no_order(call: Call, left: Any, right: Any) -> None:
    assert call("equality", left, right) == (compare(left, right) == 0)
    assert call("equality", left, left) == 1


@pytest.mark.slow
@given(CONTAINERS, CONTAINERS)
@law
def test_combine_holds_both_and_difference_takes_away_again(call: Call, one: Any, other: Any) -> None:
    both = call("combine", one, other)
    assert set(both) == set(one) | set(other)
    assert type(both) is type(one)
    if type(one) is tuple:
        assert call("size", both) == len(one) + len(other)
    rest = call("difference", both, other)
    assert rest == call("difference", one, other)
    assert all(call("contained", element, other) == 0 for element in rest)


@pytest.mark.slow
@given(SETS, SETS)
@law
def test_intersection_and_difference_make_up_the_whole(call: Call, one: Any, other: Any) -> None:
    common = call("intersection", one, other)
    assert call("combine", common, call("difference", one, other)) == one
    assert call("intersection", other, one) == common


@pytest.mark.slow
@given(TUPLES)
@law
def test_dedupe_keeps_first_occurrences(call: Call, elements: Any) -> None:
    assert call("dedupe", elements) == tuple(dict.fromkeys(elements))


@pytest.mark.slow
@given(CONTAINERS, VALUES)
@law
def test_remove_is_difference_with_one_element(call: Call, elements: Any, value: Any) -> None:
    assert call("remove", value, elements) == call("difference", elements, setof(value))


@pytest.mark.slow
@given(CONTAINERS)
@law
def test_apply_identity_changes_nothing(call: Call, elements: Any) -> None:
    assert call("apply", fn("identity"), elements) == elements
    assert call("mapply", fn("initset"), elements) == elements


@pytest.mark.slow
@given(TUPLES, st.integers(-7, 6))
@law
def test_rank_of_a_tuple_is_its_index(call: Call, elements: Any, rank: int) -> None:
    expected = "EMPTY" if not elements else "INDEX" if not -len(elements) <= rank < len(elements) else None
    outcome = call("get_nth_t", elements, rank)
    assert failed(outcome) == (expected or elements[rank])


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6).map(tuple))
@law
def test_ranks_run_from_the_maximum_to_the_minimum(call: Call, numbers: Any) -> None:
    ranked = [call("get_rank", numbers, rank) for rank in range(len(numbers))]
    assert ranked == sorted(numbers, reverse=True)
    assert ranked[0] == call("maximum", numbers)
    assert ranked[-1] == call("minimum", numbers)
    invert = fn("invert")
    assert call("get_val_rank", numbers, invert, 0) == call("valmax", numbers, invert)
    assert call("get_arg_rank", numbers, fn("even"), 0) == call("argmax", numbers, fn("even"))
    assert call("get_common_rank", numbers, 0) == call("mostcommon", numbers)


@given(GRIDS)
@law
def test_four_quarter_turns_are_none(call: Call, grid: Any) -> None:
    turned = grid
    for _ in range(4):
        turned = call("rot90", turned)
    assert turned == grid
    assert call("rot90", call("rot270", grid)) == grid
    assert call("rot90", call("rot90", grid)) == call("rot180", grid)


@pytest.mark.slow
@given(GRIDS | FILLED)
@law
@pytest.mark.parametrize("mirror", ["hmirror", "vmirror", "dmirror", "cmirror"])
def test_mirroring_twice_is_not_mirroring(call: Call, mirror: str, piece: Any) -> None:
    assert call(mirror, call(mirror, piece)) == piece


@pytest.mark.slow
@given(GRIDS)
@law
def test_turns_are_two_mirrors(call: Call, grid: Any) -> None:
    assert call("rot90", grid) == call("vmirror", call("dmirror", grid))
    assert call("rot180", grid) == call("hmirror", call("vmirror", grid))
    assert call("cmirror", grid) == call("rot180", call("dmirror", grid))


@given(GRIDS, st.integers(1, 4))
@law
def test_downscale_undoes_upscale(call: Call, grid: Any, factor: int) -> None:
    large = call("upscale", grid, factor)
    assert call("downscale", large, factor) == call("downscale", large, -factor) == grid
    assert call("vupscale", call("hupscale", grid, factor), factor) == large


@given(GRIDS)
@law
def test_halves_and_their_middle_make_up_the_grid(call: Call, grid: Any) -> None:
    height = len(grid)
    top, bottom = call("tophalf", grid), call("bottomhalf", grid)
    assert (top, bottom) == (grid[: height // 2], grid[height - height // 2 :])
    assert call("vconcat", top, call("vconcat", grid[height // 2 : height - height // 2], bottom)) == grid


@pytest.mark.slow
@given(GRIDS)
@law
@pytest.mark.parametrize("flags", [(u, d, b) for u in (0, 1) for d in (0, 1) for b in (0, 1)], ids=shown)
def test_objects_divide_the_cells_that_are_not_background(call: Call, flags: Any, grid: Any) -> None:
    univalued, diagonal, without_bg = flags
    objects = call("objects", grid, *flags)
    cells = [cell for item in objects for cell in item]
    background = call("mostcolor", grid) if without_bg else None
    assert sorted(cells) == sorted(cell for cell in call("asobject", grid) if cell[0] != background)
    for item in objects:
        assert call("numcolors", item) == 1 or not univalued
        assert connected(item, diagonal)
        for other in objects - {item}:
            mergeable = not univalued or call("color", item) == call("color", other)
            assert not (mergeable and connected(item | other, diagonal))


def connected(cells: Any, diagonal: int) -> bool:
    places = {place for _, place in cells}
    reached, fresh = set(), {min(places)}
    while fresh:
        reached |= fresh
        fresh = {p for p in places - reached if any(touching(p, q, diagonal) for q in fresh)}
    return reached == places


def touching(one: Any, other: Any, diagonal: int) -> bool:
    rows, columns = abs(one[0] - other[0]), abs(one[1] - other[1])
    return max(rows, columns) == 1 if diagonal else rows + columns == 1


@given(GRIDS)
@law
def test_painting_a_grid_on_itself_changes_nothing(call: Call, grid: Any) -> None:
    cells = call("asobject", grid)
    assert call("paint", grid, cells) == grid
    assert call("paint", call("canvas", 9, call("shape", grid)), cells) == grid
    assert call("merge", call("partition", grid)) == cells
    assert call("subgrid", cells, grid) == grid


@given(GRIDS, PATCHES, COLORS)
@law
def test_fill_sets_the_places_of_the_patch_and_no_others(
    call: Call, grid: Any, patch: Any, color: int
) -> None:
    places = call("toindices", patch)
    expected = tuple(
        tuple(color if (i, j) in places else value for j, value in enumerate(row))
        for i, row in enumerate(grid)
    )
    assert call("fill", grid, color, patch) == expected
    assert call("paint", grid, call("recolor", color, patch)) == expected


@given(FILLED, LOCATIONS)
@law
def test_shift_moves_and_normalize_moves_back(call: Call, patch: Any, offset: Any) -> None:
    shifted = call("shift", patch, offset)
    assert call("shift", shifted, call("invert", offset)) == patch
    assert call("normalize", shifted) == call("normalize", patch)
    assert call("ulcorner", call("normalize", patch)) == (0, 0)
    assert call("shape", shifted) == call("shape", patch)


@given(FILLED)
@law
def test_backdrop_is_the_patch_and_its_delta(call: Call, patch: Any) -> None:
    places, holes = call("toindices", patch), call("delta", patch)
    assert call("combine", places, holes) == call("backdrop", patch)
    assert call("intersection", places, holes) == setof()
    height, width = call("shape", patch)
    assert call("size", call("backdrop", patch)) == height * width
    assert call("difference", call("box", patch), call("backdrop", patch)) == setof()
    inner = call("box", patch)
    assert call("inbox", call("outbox", patch)) == inner


@given(LOCATIONS, LOCATIONS)
@law
def test_connect_goes_both_ways(call: Call, one: Any, other: Any) -> None:
    line = call("connect", one, other)
    assert line == call("connect", other, one)
    rows, columns = abs(one[0] - other[0]), abs(one[1] - other[1])
    straight = rows == 0 or columns == 0 or rows == columns
    assert len(line) == (max(rows, columns) + 1 if straight else 0)


@given(GRIDS)
@law
def test_grid_occurs_in_itself(call: Call, grid: Any) -> None:
    assert call("occurrences", grid, call("asobject", grid)) == setof((0, 0))
    cell = setof((grid[0][0], (0, 0)))
    assert call("occurrences", grid, cell) == call("ofcolor", grid, grid[0][0])


@given(OBJECTS.filter(bool))
@law
def test_hperiod_is_the_smallest_step_that_maps_the_object_into_itself(call: Call, obj: Any) -> None:
    cells, width = call("normalize", obj), call("width", obj)
    moved = {step: {(c, (i, j - step)) for c, (i, j) in cells if j >= step} for step in range(1, width)}
    expected = next((step for step, places in moved.items() if places <= cells), width)
    assert call("hperiod", obj) == expected
    assert call("vperiod", call("dmirror", obj)) == expected


@pytest.mark.slow
@given(GRIDS, st.integers(0, 6))
@law
def test_way_a_grid_was_turned_is_found_again(call: Call, grid: Any, code: int) -> None:
    turned = call("mir_rot_t", grid, code)
    found = call("a_mr", ((grid, turned),))
    assert found <= code
    assert call("mir_rot_t", grid, found) == turned


@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(-9, 9).filter(bool))
@law
def test_interval_is_the_range_of_python(call: Call, start: int, stop: int, step: int) -> None:
    assert call("interval", start, stop, step) == tuple(range(start, stop, step))


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
@law
def test_arithmetic_is_exact_or_out_of_range(call: Call, one: int, other: int) -> None:
    exact = {"add": one + other, "subtract": one - other, "multiply": one * other}
    exact |= {"divide": one // other} if other else {}
    for op, expected in exact.items():
        within = -(2**31) <= expected < 2**31
        assert failed(call(op, one, other)) == (expected if within else "RANGE")


@given(VALUES)
@law
def test_encoding_and_pickling_bring_every_value_back(value: Any) -> None:
    for copy in (ab.decode(ab.encode(value)), pickle.loads(pickle.dumps(value))):
        assert copy == value
        assert hash(copy) == hash(value)


@given(CONTAINERS, FUNCTIONS)
@law
def test_same_call_gives_the_same_outcome_as_one_inside_a_function(
    call: Call, elements: Any, function: Any
) -> None:
    alone = call("apply", function, elements)
    assert call(fn("lbind", fn("apply"), function), elements) == alone
    assert call(fn("rbind", fn("apply"), elements), function) == alone
