"""Completion: the cells of one colour, the mask, replaced by what a symmetry or a period implies."""

from collections.abc import Callable, Iterator

from arcbatt.dsl.contract import (
    FILL_ROUNDS,
    MIRROR_REACH,
    PERIOD_REACH,
    SHIFT_COLUMNS,
    SHIFT_ROWS,
    TURN_REACH,
)
from arcbatt.dsl.ops.grids import extent
from arcbatt.dsl.table import op
from arcbatt.dsl.types import Color, Grid
from arcbatt.dsl.work import BUILD, TRIAL, WorkRule

Image = Callable[[int, int], tuple[int, int]]
TRYING = WorkRule(TRIAL, BUILD)


def _from_middle(twice: int, step: int = 1) -> Iterator[int]:
    """The axes within reach of a middle, nearest first: twice their position, or that in steps of two."""
    for distance in range(MIRROR_REACH + 1):
        for place in sorted({twice - distance, twice + distance}):
            if place % step == 0:
                yield place // step


def _centres(height: int, width: int) -> Iterator[tuple[int, int]]:
    """Twice the centres within reach of the middle, nearest first."""
    reach = range(-TURN_REACH, TURN_REACH + 1)
    for _, down, right in sorted((abs(down) + abs(right), down, right) for down in reach for right in reach):
        yield height - 1 + down, width - 1 + right


def _left_right(a: int) -> Image:
    return lambda i, j: (i, a - j)


def _up_down(a: int) -> Image:
    return lambda i, j: (a - i, j)


def _diagonal(a: int) -> Image:
    return lambda i, j: (j + a, i - a)


def _counter_diagonal(a: int) -> Image:
    return lambda i, j: (a - j, a - i)


def _half_turn(centre: tuple[int, int]) -> Image:
    a, b = centre
    return lambda i, j: (a - i, b - j)


def _symmetries(height: int, width: int) -> Iterator[Iterator[Image]]:
    """The symmetries of each class to try, as functions that give the image of a location."""
    yield map(_left_right, _from_middle(width - 1))
    yield map(_up_down, _from_middle(height - 1))
    yield map(_diagonal, _from_middle(height - width, 2))
    yield map(_counter_diagonal, _from_middle(height + width - 2, 2))
    yield map(_half_turn, _centres(height, width))


Known = dict[tuple[int, int], int]


def _related(known: Known, image: Image) -> int:
    """How many cells a symmetry relates to others; none if it relates two that differ."""
    count = 0
    for at, color in known.items():
        other = image(*at)
        if known.get(other, color) != color:
            return 0
        count += other in known and other != at
    return count


def _known(grid: Grid, mask: int) -> Known:
    return {(i, j): cell for i, row in enumerate(grid) for j, cell in enumerate(row) if cell != mask}


@op(order_sensitive=True, work=TRYING)
def symmetric(grid: Grid, color: Color) -> Grid:
    """Cells of a colour, the mask, replaced by their images under the symmetries of the other cells.

    There are five classes: left-right, up-down, both diagonals, half turns. A symmetry holds if all
    unmasked cells that it relates are equal, and it relates at least half of them to others. Each class
    uses the symmetry that relates most cells, then the nearest to the middle of the grid, then the first.
    Axes are at most 32 half steps from the middle, centres of half turns at most 4 down and 4 across.

    Each of at most eight rounds gives a masked cell the colour of its image under the first class whose
    image is known. Cells that stay unknown keep their colour.

    >>> call("symmetric", ((1, 2, 2, 1), (3, 4, 9, 9)), 9)
    ((1, 2, 2, 1), (3, 4, 4, 3))
    """
    height, width = extent(grid)
    known = _known(grid, color)
    if len(known) == height * width:
        return grid
    chosen = []
    for kind in _symmetries(height, width):
        best, most = None, 0
        for image in kind:
            count = _related(known, image)
            if count > most and 2 * count >= len(known):
                best, most = image, count
        if best is not None:
            chosen.append(best)
    for _ in range(FILL_ROUNDS):
        found: Known = {}
        for at in ((i, j) for i in range(height) for j in range(width)):
            if at not in known:
                images = (image(*at) for image in chosen)
                found.update((at, known[other]) for other in [*filter(known.__contains__, images)][:1])
        known |= found
    return tuple(tuple(known.get((i, j), color) for j in range(width)) for i in range(height))


def _holds(known: Known, shift: tuple[int, int], height: int, width: int) -> bool:
    """Whether cells a whole number of shifts apart are equal, and enough of them repeat an earlier one."""
    down, right = shift
    seen: Known = {}
    repeats = 0
    for i in range(height):
        for j in range(width):
            earlier, own = seen.get((i - down, j - right)), known.get((i, j))
            if own is not None and earlier is not None:
                if own != earlier:
                    return False
                repeats += 1
            last = earlier if own is None else own
            if last is not None:
                seen[i, j] = last
    return 0 < len(known) <= 4 * repeats


def _slants() -> Iterator[tuple[int, int]]:
    """The shifts down and across, short ones first."""
    columns = [right for right in range(-SHIFT_COLUMNS, SHIFT_COLUMNS + 1) if right]
    shifts = [(down + abs(right), down, right) for down in range(1, SHIFT_ROWS + 1) for right in columns]
    yield from ((down, right) for _, down, right in sorted(shifts))


@op(order_sensitive=True, work=TRYING)
def periodic(grid: Grid, color: Color) -> Grid:
    """Cells of a colour, the mask, replaced according to the period of the other cells.

    A shift holds if unmasked cells that are any number of shifts apart are equal, and at least a quarter of
    the unmasked cells repeat an earlier one in this way. The least shift that holds down the columns, and
    the least along the rows, of 1 to 32, are the periods. A masked cell takes the colour of the first
    unmasked one that is a number of periods away. If neither holds, the least slanting shift that holds
    counts, of at most 4 rows and 8 columns: the one of fewest rows and columns together, then of fewest
    rows, then the leftmost. Cells that stay unknown keep their colour.

    >>> call("periodic", ((1, 2, 1, 2, 1), (3, 4, 9, 9, 3)), 9)
    ((1, 2, 1, 2, 1), (3, 4, 3, 4, 3))
    """
    height, width = extent(grid)
    known = _known(grid, color)
    if len(known) == height * width:
        return grid
    far = PERIOD_REACH + 1
    rows = next((p for p in range(1, min(height, far)) if _holds(known, (p, 0), height, width)), height)
    columns = next((q for q in range(1, min(width, far)) if _holds(known, (0, q), height, width)), width)
    filled: Known = {}
    if rows < height or columns < width:
        first: Known = {}
        for (i, j), own in known.items():
            first.setdefault((i % rows, j % columns), own)
        filled = {
            (i, j): first.get((i % rows, j % columns), color) for i in range(height) for j in range(width)
        }
    elif slant := next((shift for shift in _slants() if _holds(known, shift, height, width)), None):
        for down, right in (slant, (-slant[0], -slant[1])):
            order = range(height) if down > 0 else range(height - 1, -1, -1)
            passed = dict(known)
            for i in order:
                for j in range(width):
                    if (i, j) not in passed and (i - down, j - right) in passed:
                        passed[i, j] = passed[i - down, j - right]
            filled = passed | filled
    filled |= known
    return tuple(tuple(filled.get((i, j), color) for j in range(width)) for i in range(height))
