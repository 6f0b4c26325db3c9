"""Patches and geometry: corners, lines, boxes and neighbours of sets of locations and cells."""

from bisect import bisect_left, bisect_right
from typing import Any

from arcbatt.dsl.contract import FRONTIER, HIGHEST, LOCATION_WEIGHT, LOWEST, REACH
from arcbatt.dsl.ops.grids import bounds, crop, extent, locations, relocated
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import (
    IJ,
    Boolean,
    Color,
    FilledObjectT,
    FilledPatch,
    FilledPatchC,
    FilledPatchT,
    Grid,
    Grid0,
    Indices,
    Integer,
    Object,
    Patch,
    PatchC,
    PatchT,
)
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import CONSTANT, PLACING, SCANNING, SORTING

PAIRS_WORTH_A_SWEEP = 1 << 13
NOWHERE = -(1 << 40)  # farther than any sum of two Integers


def fits(*numbers: int) -> bool:
    """Whether all of these numbers fit 32 bits."""
    return all(LOWEST <= number <= HIGHEST for number in numbers)


def _indices_forecast(count: int, in_range: bool = True) -> Forecast:
    return Forecast(1 + LOCATION_WEIGHT * count, 2 if count else 1, in_range)


@op(
    signature="PatchC -> Indices; Tuple[IJ] -> Tuple[IJ]",
    selects=True,
    idempotent=True,
)
def toindices(patch: PatchT) -> Indices:
    """The locations of a patch; a Tuple of locations is returned unchanged.

    >>> call("toindices", frozenset({(3, (0, 1))}))
    frozenset({(0, 1)})
    """
    return locations(patch)


def _corner(patch: PatchT, vertical: int, horizontal: int) -> Any:
    if not patch:
        return ()
    box = bounds(patch)
    return (box[vertical], box[horizontal])


@op(work=SCANNING)
def ulcorner(patch: PatchT) -> IJ:
    """The upper left corner of the bounding box; `()` of an empty patch.

    >>> call("ulcorner", frozenset({(1, 5), (3, 2)}))
    (1, 2)
    """
    return _corner(patch, 0, 1)


@op(work=SCANNING)
def urcorner(patch: PatchT) -> IJ:
    """The upper right corner of the bounding box; `()` of an empty patch.

    >>> call("urcorner", frozenset({(1, 5), (3, 2)}))
    (1, 5)
    """
    return _corner(patch, 0, 3)


@op(work=SCANNING)
def llcorner(patch: PatchT) -> IJ:
    """The lower left corner of the bounding box; `()` of an empty patch.

    >>> call("llcorner", frozenset({(1, 5), (3, 2)}))
    (3, 2)
    """
    return _corner(patch, 2, 1)


@op(work=SCANNING)
def lrcorner(patch: PatchT) -> IJ:
    """The lower right corner of the bounding box; `()` of an empty patch.

    >>> call("lrcorner", frozenset({(1, 5), (3, 2)}))
    (3, 5)
    """
    return _corner(patch, 2, 3)


@op(work=SCANNING)
def uppermost(patch: FilledPatchT) -> Integer:
    """The smallest row index.

    >>> call("uppermost", frozenset({(1, 5), (3, 2)}))
    1
    """
    return bounds(patch)[0]


@op(work=SCANNING)
def lowermost(patch: FilledPatchT) -> Integer:
    """The largest row index.

    >>> call("lowermost", frozenset({(1, 5), (3, 2)}))
    3
    """
    return bounds(patch)[2]


@op(work=SCANNING)
def leftmost(patch: FilledPatchT) -> Integer:
    """The smallest column index.

    >>> call("leftmost", frozenset({(1, 5), (3, 2)}))
    2
    """
    return bounds(patch)[1]


@op(work=SCANNING)
def rightmost(patch: FilledPatchT) -> Integer:
    """The largest column index.

    >>> call("rightmost", frozenset({(1, 5), (3, 2)}))
    5
    """
    return bounds(patch)[3]


def middle(patch: Any) -> tuple[int, int]:
    """The middle of the bounding box; of two middle lines the lower or right one."""
    top, left, bottom, right = bounds(patch)
    return top + (bottom - top + 1) // 2, left + (right - left + 1) // 2


@op(work=SCANNING)
def center(patch: FilledPatch) -> IJ:
    """The middle of the bounding box; of two middle lines the lower or right one.

    >>> call("center", frozenset({(0, 0), (2, 3)}))
    (1, 2)
    """
    return middle(patch)


@op
def centerofmass(patch: PatchT) -> IJ:
    """The mean location, rounded down; `()` of an empty patch.

    >>> call("centerofmass", frozenset({(0, 0), (0, 3), (3, 0)}))
    (1, 1)
    """
    if not patch:
        return ()  # type: ignore[return-value]
    spots = locations(patch)
    return sum(i for i, _ in spots) // len(patch), sum(j for _, j in spots) // len(patch)


@op(work=SCANNING, idempotent=True)
def corners(patch: FilledPatchT) -> Indices:
    """The corners of the bounding box.

    >>> sorted(call("corners", frozenset({(0, 0), (2, 3)})))
    [(0, 0), (0, 3), (2, 0), (2, 3)]
    """
    top, left, bottom, right = bounds(patch)
    return frozenset(((top, left), (top, right), (bottom, left), (bottom, right)))


@op(signature="IndicesT, IJ -> Indices; ObjectT, IJ -> Object", may_leave_range=True, work=PLACING)
def shift(patch: PatchT, directions: IJ) -> Patch:
    """The patch moved by (rows, columns).

    >>> call("shift", frozenset({(7, (0, 0))}), (1, 2))
    frozenset({(7, (1, 2))})
    """
    if not patch:
        return patch  # type: ignore[return-value]
    down, right = directions
    return relocated(patch, lambda i, j: (i + down, j + right))


@op(signature="IndicesT -> Indices; ObjectT -> Object", may_leave_range=True, work=PLACING, idempotent=True)
def normalize(patch: PatchT) -> Patch:
    """The patch moved so that its bounding box begins at the origin.

    >>> call("normalize", frozenset({(3, 4)}))
    frozenset({(0, 0)})
    """
    if not patch:
        return patch  # type: ignore[return-value]
    top, left, _, _ = bounds(patch)
    return shift(patch, (-top, -left))


@op(work=PLACING)
def recolor(value: Color, patch: PatchT) -> Object:
    """The patch in one colour.

    >>> call("recolor", 3, frozenset({(0, 1)}))
    frozenset({(3, (0, 1))})
    """
    return frozenset((value, location) for location in locations(patch))


@op(order_sensitive=True, selects=True, work=CONSTANT)
def color(obj: FilledObjectT) -> Integer:
    """The colour of the first cell; of a Set the smallest colour.

    >>> call("color", frozenset({(3, (0, 1))}))
    3
    """
    return ordered(obj)[0][0]


@op(may_leave_range=True)
def dneighbors(loc: IJ) -> Indices:
    """The 4 locations next to a location.

    >>> sorted(call("dneighbors", (1, 1)))
    [(0, 1), (1, 0), (1, 2), (2, 1)]
    """
    i, j = loc
    return frozenset(((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)))


@op(may_leave_range=True)
def ineighbors(loc: IJ) -> Indices:
    """The 4 locations diagonally next to a location.

    >>> sorted(call("ineighbors", (1, 1)))
    [(0, 0), (0, 2), (2, 0), (2, 2)]
    """
    i, j = loc
    return frozenset(((i - 1, j - 1), (i - 1, j + 1), (i + 1, j - 1), (i + 1, j + 1)))


@op(may_leave_range=True)
def neighbors(loc: IJ) -> Indices:
    """The 8 locations around a location.

    >>> len(call("neighbors", (1, 1)))
    8
    """
    return dneighbors(loc) | ineighbors(loc)


@op(work=SCANNING)
def vline(patch: Patch) -> Boolean:
    """Whether the patch is a vertical line.

    >>> call("vline", frozenset({(0, 3), (1, 3)}))
    1
    """
    rows, columns = extent(patch)
    return int(columns == 1 and rows == len(patch))


@op(work=SCANNING)
def hline(patch: Patch) -> Boolean:
    """Whether the patch is a horizontal line.

    >>> call("hline", frozenset({(0, 3), (1, 3)}))
    0
    """
    rows, columns = extent(patch)
    return int(rows == 1 and columns == len(patch))


@op(commutes=True)
def hmatching(a: PatchT, b: PatchT) -> Boolean:
    """Whether the patches share a row.

    >>> call("hmatching", frozenset({(0, 3)}), frozenset({(0, 9)}))
    1
    """
    return int(not {i for i, _ in locations(a)}.isdisjoint(i for i, _ in locations(b)))


@op(commutes=True)
def vmatching(a: PatchT, b: PatchT) -> Boolean:
    """Whether the patches share a column.

    >>> call("vmatching", frozenset({(0, 3)}), frozenset({(0, 9)}))
    0
    """
    return int(not {j for _, j in locations(a)}.isdisjoint(j for _, j in locations(b)))


def _nearest_by_sweep(a: Any, b: Any) -> int:
    """The smallest distance, found by sweeping down and right from every location, in four rotations."""
    best = -NOWHERE
    for down, right in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        places = sorted(j * right for _, j in a)
        farthest = [NOWHERE] * (len(places) + 1)
        for i, j, is_goal in sorted(
            [(i * down, j * right, 0) for i, j in a] + [(i * down, j * right, 1) for i, j in b]
        ):
            slot = bisect_right(places, j) if is_goal else bisect_left(places, j) + 1
            while is_goal and slot:
                best = min(best, i + j - farthest[slot])
                slot &= slot - 1
            while not is_goal and slot < len(farthest):
                farthest[slot] = max(farthest[slot], i + j)
                slot += slot & -slot
    return best


@op(may_leave_range=True, work=SORTING, commutes=True)
def manhattan(a: FilledPatchT, b: FilledPatchT) -> Integer:
    """The smallest distance in steps between a location of a and one of b.

    >>> call("manhattan", frozenset({(0, 0)}), frozenset({(2, 3), (5, 5)}))
    5
    """
    spots_a, spots_b = locations(a), locations(b)
    if len(spots_a) * len(spots_b) > PAIRS_WORTH_A_SWEEP:
        return _nearest_by_sweep(spots_a, spots_b)
    return min(abs(i - k) + abs(j - m) for i, j in spots_a for k, m in spots_b)


def touching(a: Any, b: Any) -> bool:
    """Whether two sets of locations are one step apart and do not overlap."""
    if not a.isdisjoint(b):
        return False
    return any((i - 1, j) in b or (i + 1, j) in b or (i, j - 1) in b or (i, j + 1) in b for i, j in a)


@op(work=SORTING, commutes=True)
def adjacent(a: FilledPatchT, b: FilledPatchT) -> Boolean:
    """Whether the patches are one step apart.

    >>> call("adjacent", frozenset({(0, 0)}), frozenset({(0, 1)}))
    1
    """
    return int(touching(frozenset(locations(a)), frozenset(locations(b))))


@op(work=SCANNING)
def bordering(patch: FilledPatchT, grid: Grid) -> Boolean:
    """Whether the patch reaches an edge of the grid.

    >>> call("bordering", frozenset({(1, 1)}), ((0, 0, 0), (0, 0, 0), (0, 0, 0)))
    0
    """
    top, left, bottom, right = bounds(patch)
    return int(top == 0 or left == 0 or bottom == len(grid) - 1 or right == len(grid[0]) - 1)


@op(work=SCANNING)
def position(a: FilledPatchC, b: FilledPatchC) -> IJ:
    """The direction from a to b, judged by their centres.

    >>> call("position", frozenset({(0, 0)}), frozenset({(4, 4)}))
    (1, 1)
    """
    (ia, ja), (ib, jb) = middle(a), middle(b)
    down = 0 if ia == ib else 1 if ia < ib else -1
    right = 0 if ja == jb and down else 1 if ja < jb else -1
    return (down, right)


def _is_straight(down: int, right: int) -> bool:
    return down == 0 or right == 0 or abs(down) == abs(right)


def _line_forecast(a: IJ, b: IJ) -> Forecast:
    down, right = b[0] - a[0], b[1] - a[1]
    return _indices_forecast(max(abs(down), abs(right)) + 1 if _is_straight(down, right) else 0)


@op(forecast=_line_forecast, commutes=True)
def connect(a: IJ, b: IJ) -> Indices:
    """The straight or diagonal line from a to b, both included; `{}` if no such line exists.

    >>> sorted(call("connect", (0, 0), (2, 2)))
    [(0, 0), (1, 1), (2, 2)]
    """
    down, right = b[0] - a[0], b[1] - a[1]
    if not _is_straight(down, right):
        return frozenset()
    steps = max(abs(down), abs(right))
    if not steps:
        return frozenset((a,))
    di, dj = down // steps, right // steps
    return frozenset((a[0] + k * di, a[1] + k * dj) for k in range(steps + 1))


def _end_of_ray(start: IJ, direction: IJ) -> IJ:
    return (start[0] + REACH * direction[0], start[1] + REACH * direction[1])


def _ray_forecast(start: IJ, direction: IJ) -> Forecast:
    end = _end_of_ray(start, direction)
    return _line_forecast(start, end)._replace(in_range=fits(*end))


@op(forecast=_ray_forecast)
def shoot(start: IJ, direction: IJ) -> Indices:
    """The line from start to 42 times the direction away.

    >>> len(call("shoot", (0, 0), (0, 1)))
    43
    """
    return connect(start, _end_of_ray(start, direction))


@op
def vfrontier(location: IJ) -> Indices:
    """The column of a location, rows 0 to 29.

    >>> len(call("vfrontier", (3, 4)))
    30
    """
    return frozenset((i, location[1]) for i in range(FRONTIER))


@op
def hfrontier(location: IJ) -> Indices:
    """The row of a location, columns 0 to 29.

    >>> len(call("hfrontier", (3, 4)))
    30
    """
    return frozenset((location[0], j) for j in range(FRONTIER))


def _box_forecast(patch: PatchT) -> Forecast:
    if not patch:
        return _indices_forecast(0)
    top, left, bottom, right = bounds(patch)
    return _indices_forecast((bottom - top + 1) * (right - left + 1))


@op(forecast=_box_forecast, idempotent=True)
def backdrop(patch: PatchT) -> Indices:
    """All locations of the bounding box.

    >>> sorted(call("backdrop", frozenset({(0, 0), (1, 1)})))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    if not patch:
        return frozenset()
    top, left, bottom, right = bounds(patch)
    return frozenset((i, j) for i in range(top, bottom + 1) for j in range(left, right + 1))


@op(forecast=_box_forecast)
def delta(patch: PatchC) -> Indices:
    """The locations of the bounding box outside the patch.

    >>> sorted(call("delta", frozenset({(0, 0), (1, 1)})))
    [(0, 1), (1, 0)]
    """
    return backdrop(patch) - frozenset(locations(patch))


def _outline_forecast(top: int, left: int, bottom: int, right: int) -> Forecast:
    rows, columns = bottom - top + 1, right - left + 1
    count = 2 * (rows + columns) - 4 if rows > 1 and columns > 1 else rows * columns
    return _indices_forecast(count, fits(top, left, bottom, right))


def _outline(top: int, left: int, bottom: int, right: int) -> frozenset[tuple[int, int]]:
    level = {(i, j) for i in (top, bottom) for j in range(left, right + 1)}
    upright = {(i, j) for i in range(top, bottom + 1) for j in (left, right)}
    return frozenset(level | upright)


@op(
    forecast=lambda patch: _outline_forecast(*bounds(patch)) if patch else _indices_forecast(0),
    idempotent=True,
)
def box(patch: PatchT) -> Indices:
    """The outline of the bounding box.

    >>> len(call("box", frozenset({(0, 0), (3, 3)})))
    12
    """
    return _outline(*bounds(patch)) if patch else patch  # type: ignore[return-value]


def _inner(patch: PatchT) -> tuple[int, int, int, int]:
    top, left, bottom, right = bounds(patch)
    rows, columns = sorted((top + 1, bottom - 1)), sorted((left + 1, right - 1))
    return rows[0], columns[0], rows[1], columns[1]


@op(forecast=lambda patch: _outline_forecast(*_inner(patch)))
def inbox(patch: FilledPatchT) -> Indices:
    """The outline one step inside the bounding box.

    >>> sorted(call("inbox", frozenset({(0, 0), (2, 2)})))
    [(1, 1)]
    """
    return _outline(*_inner(patch))


def _outer(patch: PatchT) -> tuple[int, int, int, int]:
    top, left, bottom, right = bounds(patch)
    return top - 1, left - 1, bottom + 1, right + 1


@op(forecast=lambda patch: _outline_forecast(*_outer(patch)))
def outbox(patch: FilledPatchT) -> Indices:
    """The outline one step outside the bounding box.

    >>> len(call("outbox", frozenset({(0, 0)})))
    8
    """
    return _outline(*_outer(patch))


@op(work=PLACING, idempotent=True)
def toobject(patch: PatchT, grid: Grid) -> Object:
    """The cells of a grid at the locations of a patch; those outside are dropped.

    >>> call("toobject", frozenset({(0, 1), (5, 5)}), ((7, 8),))
    frozenset({(8, (0, 1))})
    """
    rows, columns = extent(grid)
    return frozenset((grid[i][j], (i, j)) for i, j in locations(patch) if 0 <= i < rows and 0 <= j < columns)


@op(selects=True, work=SCANNING)
def subgrid(patch: FilledPatch, grid: Grid0) -> Grid0:
    """The part of a grid under the bounding box of a patch.

    >>> call("subgrid", frozenset({(0, 1), (1, 2)}), ((1, 2, 3), (4, 5, 6)))
    ((2, 3), (5, 6))
    """
    top, left, _, _ = bounds(patch)
    return crop(grid, (top, left), extent(patch))
