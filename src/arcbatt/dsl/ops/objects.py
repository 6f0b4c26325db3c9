"""Objects and partition: connected components, one object per colour, full lines."""

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.ops.grids import asobject, mostcolor
from arcbatt.dsl.ops.patches import color
from arcbatt.dsl.table import op
from arcbatt.dsl.types import Boolean, Color, Grid, Grid0, Objects, Set
from arcbatt.dsl.work import BUILD, SCAN, SORT, SORTING, WorkRule

SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
AROUND = (*SIDES, (-1, -1), (-1, 1), (1, -1), (1, 1))


@op(signature="Grid, Integer, Integer, Integer -> Set[Object]", order_sensitive=True, work=SORTING)
def objects(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Set:
    """The connected objects: of one colour each or not, joined diagonally or not, background left out or not.

    >>> len(call("objects", ((1, 0, 2), (1, 0, 0)), 1, 0, 1))
    2
    """
    background = mostcolor(grid) if without_bg else None
    steps = AROUND if diagonal else SIDES
    free = {(i, j): c for i, row in enumerate(grid) for j, c in enumerate(row) if c != background}
    found = []
    while free:
        start, its_color = free.popitem()
        cells, frontier = [(its_color, start)], [start]
        while frontier:
            i, j = frontier.pop()
            for di, dj in steps:
                spot = (i + di, j + dj)
                if spot in free and (free[spot] == its_color or not univalued):
                    cells.append((free.pop(spot), spot))
                    frontier.append(spot)
        found.append(frozenset(cells))
    return frozenset(found)


@op(signature="Grid -> Set[Object]", work=SORTING)
def partition(grid: Grid0) -> Set:
    """One object for each colour.

    >>> len(call("partition", ((1, 2), (2, 3))))
    3
    """
    cells_by_color: dict[int, list[tuple[int, tuple[int, int]]]] = {}
    for cell in asobject(grid):
        cells_by_color.setdefault(cell[0], []).append(cell)
    return frozenset(map(frozenset, cells_by_color.values()))


@op(signature="Grid -> Set[Object]", order_sensitive=True, work=SORTING)
def fgpartition(grid: Grid) -> Set:
    """One object for each colour except the most frequent.

    >>> len(call("fgpartition", ((1, 2), (2, 3))))
    2
    """
    background = mostcolor(grid)
    return frozenset(cells for cells in partition(grid) if color(cells) != background)


@op(
    signature="k[Object], Integer -> Set[Object]; k[Tuple[Cell]], Integer -> Set[Tuple[Cell]]",
    order_sensitive=True,
    selects=True,
    work=WorkRule((SORT // 2, SCAN), BUILD),
    idempotent=True,
)
def colorfilter(objs: Objects, value: Color) -> Set:
    """The objects of a colour.

    >>> call("colorfilter", (frozenset({(3, (0, 0))}), frozenset({(4, (1, 1))})), 4)
    frozenset({frozenset({(4, (1, 1))})})
    """
    if not all(objs):
        raise OpFailed("EMPTY")
    return frozenset(cells for cells in objs if color(cells) == value)


@op(signature="Grid -> Set[Object]", work=SORTING)
def frontiers(grid: Grid) -> Set:
    """The rows and columns of a single colour, each as an object.

    >>> len(call("frontiers", ((1, 1), (1, 2))))
    2
    """
    rows = {
        frozenset((row[0], (i, j)) for j in range(len(row)))
        for i, row in enumerate(grid)
        if len(set(row)) == 1
    }
    columns = {
        frozenset((column[0], (i, j)) for i in range(len(column)))
        for j, column in enumerate(zip(*grid))
        if len(set(column)) == 1
    }
    return frozenset(rows | columns)
