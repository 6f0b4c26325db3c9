"""Dialect: cells, colours and predicates."""

from arcbatt.dsl.ops.grids import palette
from arcbatt.dsl.table import op, restriction
from arcbatt.dsl.types import (
    IJ,
    AnyValue,
    Boolean,
    Cell,
    Color,
    Grid0,
    Integer,
    IntegersT,
    LocationsT,
    Object,
    Tuple,
)
from arcbatt.dsl.work import CONSTANT, COUNTING


@op
def ascell(ij: IJ, c: Color) -> Cell:
    """The cell of a colour at a location.

    >>> call("ascell", (1, 2), 5)
    (5, (1, 2))
    """
    return (c, ij)


@op
def astriple(i: Integer, j: Integer, c: Color) -> Cell:
    """The cell of a colour in a row and column.

    >>> call("astriple", 1, 2, 5)
    (5, (1, 2))
    """
    return (c, (i, j))


@op(selects=True)
def toij(c: Cell) -> IJ:
    """The location of a cell.

    >>> call("toij", (5, (1, 2)))
    (1, 2)
    """
    return c[1]


@op(signature="Tuple[IJ], Tuple[Integer] -> Tuple[Cell]")
def celltuple(a: LocationsT, b: IntegersT) -> Tuple:
    """Cells from locations and colours, as many as the shorter Tuple has.

    >>> call("celltuple", ((0, 1), (2, 3)), (7, 8, 9))
    ((7, (0, 1)), (8, (2, 3)))
    """
    return tuple((color, location) for location, color in zip(a, b))


restriction("c_branch", "branch", group="cells", result=Integer, a=Color, b=Color)


@op(signature="Grid -> Tuple[Integer]", order_sensitive=True, work=COUNTING)
def p_g(grid: Grid0) -> Tuple:
    """The colours of a grid, ascending.

    >>> call("p_g", ((3, 1), (1, 2)))
    (1, 2, 3)
    """
    return tuple(sorted(palette(grid)))


@op(signature="Object -> Tuple[Integer]", order_sensitive=True)
def p_o(obj: Object) -> Tuple:
    """The colours of an object, ascending.

    >>> call("p_o", frozenset({(3, (0, 0)), (1, (0, 1))}))
    (1, 3)
    """
    return tuple(sorted(palette(obj)))


restriction("p_f", "palette", group="cells", element=Object)


@op(signature="a -> Integer", work=CONSTANT)
def is_no_grid(x: AnyValue) -> Boolean:
    """Whether a value is anything but rows of Integers.

    >>> call("is_no_grid", ((1, 2), (3,)))
    0
    """
    return int(
        type(x) is not tuple or not all(type(row) is tuple and all(type(v) is int for v in row) for row in x)
    )


restriction("f_ofcolor", "ofcolor", group="cells", value=("color", Color))
