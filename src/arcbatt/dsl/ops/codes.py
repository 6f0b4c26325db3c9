"""Dialect: ops with a number as a choice: kind of objects, mirror or turn, corner, edge."""

from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.ops import grids, patches
from arcbatt.dsl.ops.objects import objects
from arcbatt.dsl.table import alias, op
from arcbatt.dsl.types import (
    IJ,
    Boolean,
    Code,
    FilledPatchT,
    Grid,
    Grid0,
    Integer,
    Patch,
    PatchT,
    PatchTurn,
    Set,
    Side,
    Tuple,
    Turn,
)
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import SCANNING, SORTING

TURNS = (
    grids.hmirror,
    grids.dmirror,
    grids.vmirror,
    grids.cmirror,
    grids.rot90,
    grids.rot180,
    grids.rot270,
)
PATCH_TURNS = TURNS[:4]
CORNERS = (patches.ulcorner, patches.urcorner, patches.llcorner, patches.lrcorner)
EDGES = (patches.lowermost, patches.uppermost, patches.leftmost, patches.rightmost)


def _chosen(choices: tuple[Any, ...], code: int, otherwise: Any = None) -> Any:
    if 0 <= code < len(choices):
        return choices[code]
    if otherwise is None:
        raise OpFailed("INDEX")
    return otherwise


def _unchanged(value: Any) -> Any:
    return value


def _in_tuples(found: Set) -> Tuple:
    return tuple(ordered(cells) for cells in ordered(found))


@op(signature="Grid, Integer -> Set[Object]", order_sensitive=True, work=SORTING)
def o_g(grid: Grid, type: Code) -> Set:
    """The connected objects: 4 for one colour each, plus 2 for diagonals, plus 1 without background.

    >>> len(call("o_g", ((1, 0, 2), (1, 0, 0)), 5))
    2
    """
    if not 0 <= type <= 7:
        raise OpFailed("INDEX")
    return objects(grid, type >> 2, type >> 1 & 1, type & 1)


@op(signature="Grid, Integer -> Tuple[Tuple[Cell]]", order_sensitive=True, work=SORTING)
def o_g_t(grid: Grid, type: Code) -> Tuple:
    """The objects of o_g as a Tuple of Tuples of cells.

    >>> call("o_g_t", ((1, 0, 2), (1, 0, 0)), 5)
    (((1, (0, 0)), (1, (1, 0))), ((2, (0, 2)),))
    """
    return _in_tuples(o_g(grid, type))


@op(signature="Grid, Integer, Integer, Integer -> Tuple[Tuple[Cell]]", order_sensitive=True, work=SORTING)
def objects_t(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Tuple:
    """The connected objects as a Tuple of Tuples of cells.

    >>> call("objects_t", ((1, 0, 2), (1, 0, 0)), 1, 0, 1)
    (((1, (0, 0)), (1, (1, 0))), ((2, (0, 2)),))
    """
    return _in_tuples(objects(grid, univalued, diagonal, without_bg))


alias("o_g_tuple", "o_g_t")
alias("objects_g", "objects_t")


@op
def mir_rot_t(grid: Grid0, type: Turn) -> Grid0:
    """The grid by number: 0 hmirror, 1 dmirror, 2 vmirror, 3 cmirror, 4 rot90, 5 rot180, 6 rot270.

    >>> call("mir_rot_t", ((1, 2), (3, 4)), 4)
    ((3, 1), (4, 2))
    """
    return _chosen(TURNS, type, _unchanged)(grid)


@op(signature="Indices, Integer -> Indices; Object, Integer -> Object", may_leave_range=True)
def mir_rot_f(patch: Patch, type: PatchTurn) -> Patch:
    """The patch by number: 0 hmirror, 1 dmirror, 2 vmirror, 3 cmirror.

    >>> call("mir_rot_f", frozenset({(0, 1), (1, 0), (1, 1)}), 7) == frozenset({(0, 1), (1, 0), (1, 1)})
    True
    """
    return _chosen(PATCH_TURNS, type, _unchanged)(patch)


@op(work=SCANNING)
def corner(patch: PatchT, type: Side) -> IJ:
    """A corner by number: 0 upper left, 1 upper right, 2 lower left, 3 lower right.

    >>> call("corner", frozenset({(1, 5), (3, 2)}), 3)
    (3, 5)
    """
    return _chosen(CORNERS, type, patches.ulcorner)(patch)


@op(work=SCANNING)
def col_row(patch: FilledPatchT, type: Side) -> Integer:
    """An edge by number: 0 lowermost, 1 uppermost, 2 leftmost, 3 rightmost.

    >>> call("col_row", frozenset({(1, 5), (3, 2)}), 2)
    2
    """
    return _chosen(EDGES, type)(patch)
