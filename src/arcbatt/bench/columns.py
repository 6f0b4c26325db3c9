"""The measurements of columns: each `batch_*` call against a loop over the Python bodies of the same op."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.bench.measures import Bench, Measure, seconds
from arcbatt.bench.plain import plain_op
from arcbatt.dsl.functions import fn
from arcbatt.dsl.values import Function, ordered
from arcbatt.tasks import load_tasks

ROWS = 1000
ROUNDS = 5
AT_LEAST, CHAINED_AT_LEAST = 1.5, 5
OTHER_NAMES = {"batch_flip": "rot180", "batch_transpose": "dmirror"}  # the ops that these stand for
Columns = tuple[Any, ...]


@dataclass(frozen=True)
class Material:
    """Grids of ARC-AGI-1 and what is in them, one of each for a row; made by the Python bodies."""

    grids: list[Any]
    colors: list[int]
    objects: list[Any]
    some_objects: list[Any]
    patches: list[Any]


def material(rows: int = ROWS) -> Material:
    """The material of so many rows: every second object of a grid is among its `some_objects`."""
    tasks = load_tasks("arc1/training")
    grids = [sample.input for task in tasks for sample in task.samples][:rows]
    colors = [1 + row % 9 for row in range(len(grids))]
    objects = [plain_op("o_g")(grid, 5) for grid in grids]
    some = [frozenset(ordered(found)[::2]) for found in objects]
    patches = [plain_op("f_ofcolor")(grid, color) for grid, color in zip(grids, colors)]
    return Material(grids, colors, objects, some, patches)


def columns_of(made: Material) -> dict[str, Columns]:
    """The arguments of each `batch_*` call."""
    tuples, some_tuples = (list(map(ordered, sets)) for sets in (made.objects, made.some_objects))
    grids, colors = made.grids, made.colors
    return {
        "batch_o_g": (grids, 5),
        "batch_mapply": (fn("toindices"), made.objects),
        "batch_apply": (fn("size"), made.objects),
        "batch_colorfilter": (made.objects, colors),
        "batch_p_g": (grids,),
        "batch_fgpartition": (grids,),
        "batch_difference": (made.objects, made.some_objects),
        "batch_difference_tuple": (tuples, some_tuples),
        "batch_f_ofcolor": (grids, colors),
        "batch_replace": (grids, 0, colors),
        "batch_fill": (grids, colors, made.patches),
        "batch_colorcount": (grids, colors),
        "batch_rot90": (grids,),
        "batch_flip": (grids,),
        "batch_transpose": (grids,),
        "batch_compose": (fn("fill"), list(zip(grids, colors, made.patches))),
    }


def in_a_loop(name: str, columns: Columns) -> Callable[[], list[Any]]:
    """A loop over the rows with the Python body of an op."""
    if name == "batch_compose":
        function, rows = _plain(columns[0]), columns[1]
        return lambda: [function(*row) for row in rows]
    body = plain_op(OTHER_NAMES.get(name, name.removeprefix("batch_")))
    count = max(len(column) for column in columns if isinstance(column, list))
    filled = [column if isinstance(column, list) else [_plain(column)] * count for column in columns]
    return lambda: [body(*row) for row in zip(*filled)]


def _plain(argument: Any) -> Any:
    return plain_op(argument.name) if isinstance(argument, Function) else argument


def _best(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The seconds of the quickest of some rounds."""
    return min(seconds(work) for _ in range(rounds))


def _compared(
    name: str, plain: Callable[[], Any], fast: Callable[[], Sequence[Any]], target: float
) -> Measure:
    """A measure of both; the results must be the same, and all of them are read as Python values."""
    first = _best(lambda: list(fast()), 1)
    if list(fast()) != plain():
        raise AssertionError(f"{name} gives something else than a loop")
    in_loop, read = _best(plain, 2), _best(lambda: list(fast()))
    detail = (
        f"{in_loop * 1e3:.2f} ms in a loop, {read * 1e3:.2f} ms with all results read "
        f"(the first time {first * 1e3:.2f} ms)"
    )
    return Measure(name, in_loop / read, "x", target, True, detail)


def _measure_of(name: str) -> Callable[[Bench], Measure]:
    def measure(bench: Bench) -> Measure:
        columns = columns_of(material(ROWS // 5 if bench.quick else ROWS))[name]
        method = getattr(GPUDSLOperations(), name)
        return _compared(name, in_a_loop(name, columns), lambda: method(*columns), AT_LEAST)

    measure.__name__ = name
    return measure


def chained_in_a_loop(made: Material) -> list[Any]:
    """Six ops on each grid, by their Python bodies."""
    names = ("o_g", "colorfilter", "difference", "merge", "fill", "rot90")
    o_g, colorfilter, difference, merge, fill, rot90 = map(plain_op, names)
    turned = []
    for grid, color in zip(made.grids, made.colors):
        objects = o_g(grid, 5)
        others = difference(objects, colorfilter(objects, color))
        turned.append(rot90(fill(grid, 3, merge(others))))
    return turned


def chained_in_batches(made: Material) -> Sequence[Any]:
    """The same, column by column."""
    operations = GPUDSLOperations()
    objects = operations.batch_o_g(made.grids, 5)
    others = operations.batch_difference(objects, operations.batch_colorfilter(objects, made.colors))
    return operations.batch_rot90(operations.batch_fill(made.grids, 3, operations.batch("merge", others)))


def chain(bench: Bench) -> Measure:
    """Batches that take what others gave."""
    made = material(ROWS // 5 if bench.quick else ROWS)
    return _compared(
        "six batch_* calls in a chain",
        lambda: chained_in_a_loop(made),
        lambda: chained_in_batches(made),
        CHAINED_AT_LEAST,
    )


NAMES = tuple(columns_of(Material([], [], [], [], [])))
MEASURES = (*map(_measure_of, NAMES), chain)
