"""The measurements of columns: `batch_*` calls and batts on columns against loops over the Python bodies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from time import process_time
from typing import Any

from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.bench.measures import Bench, Measure, cpu_seconds
from arcbatt.bench.plain_python import bare_function, function_of, plain_op
from arcbatt.dsl.functions import fn
from arcbatt.dsl.values import Function, ordered
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.merge import batt_of
from arcbatt.program.parse import parse_programs
from arcbatt.tasks import load_tasks

ROWS = 1000
FEW = 80
ROUNDS, ROUNDS_OF_FEW = 5, 60
AT_LEAST, CHAINED_AT_LEAST = 1.5, 5
LIGHT, LIGHT_AT_LEAST = ("batch_rot90", "batch_flip", "batch_transpose"), 4
OTHER_NAMES = {"batch_flip": "rot180", "batch_transpose": "dmirror"}  # the ops that these stand for
LIGHT_PROGRAMS = """
def solve_a(I):
    x1 = rot90(I)
    x2 = vmirror(x1)
    return dmirror(x2)

def solve_b(I):
    x1 = rot180(I)
    x2 = rot270(x1)
    return cmirror(x2)

def solve_c(I):
    x1 = dmirror(I)
    return rot270(x1)

def solve_d(I):
    x1 = vmirror(I)
    return rot180(x1)
"""
MIXTURE = """
def solve_a(I):
    x1 = o_g(I, R5)
    x2 = colorfilter(x1, TWO)
    x3 = difference(x1, x2)
    x4 = mapply(toindices, x3)
    x5 = fill(I, THREE, x4)
    return rot90(x5)

def solve_b(I):
    x1 = fgpartition(I)
    x2 = apply(size, x1)
    x3 = f_ofcolor(I, ONE)
    x4 = fill(I, FOUR, x3)
    x5 = replace(x4, ZERO, FIVE)
    return vmirror(x5)

def solve_c(I):
    x1 = p_g(I)
    x2 = first(x1)
    x3 = colorcount(I, x2)
    return canvas(x3, UNITY)
"""
Columns = tuple[Any, ...]


@dataclass(frozen=True)
class BenchGrids:
    """Grids of ARC-AGI-1 and what is in them, one of each for a row; made by the Python bodies."""

    grids: list[Any]
    colors: list[int]
    objects: list[Any]
    some_objects: list[Any]
    patches: list[Any]


def material(rows: int = ROWS) -> BenchGrids:
    """The material of so many rows: every second object of a grid is among its `some_objects`."""
    tasks = load_tasks("arc1/training")
    grids = [sample.input for task in tasks for sample in task.samples][:rows]
    colors = [1 + row % 9 for row in range(len(grids))]
    objects = [plain_op("o_g")(grid, 5) for grid in grids]
    some = [frozenset(ordered(found)[::2]) for found in objects]
    patches = [plain_op("f_ofcolor")(grid, color) for grid, color in zip(grids, colors)]
    return BenchGrids(grids, colors, objects, some, patches)


def columns_of(made: BenchGrids) -> dict[str, Columns]:
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
        "batch_call": ([fn(("rot90", "vmirror")[row % 2]) for row in range(len(grids))], grids),
        "batch_compose": (fn("fill"), list(zip(grids, colors, made.patches))),
    }


def in_a_loop(name: str, columns: Columns) -> Callable[[], list[Any]]:
    """A loop over the rows with the Python body of an op."""
    if name == "batch_compose":
        function, rows = _plain(columns[0]), columns[1]
        return lambda: [function(*row) for row in rows]
    if name == "batch_call":
        functions, grids = [_plain(function) for function in columns[0]], columns[1]
        return lambda: [function(grid) for function, grid in zip(functions, grids)]
    body = plain_op(OTHER_NAMES.get(name, name.removeprefix("batch_")))
    count = max(len(column) for column in columns if isinstance(column, list))
    filled = [column if isinstance(column, list) else [_plain(column)] * count for column in columns]
    return lambda: [body(*row) for row in zip(*filled)]


def _plain(argument: Any) -> Any:
    return plain_op(argument.name) if isinstance(argument, Function) else argument


def _best(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The CPU seconds of the quickest of some rounds."""
    return min(cpu_seconds(work) for _ in range(rounds))


def _compared(
    name: str,
    plain: Callable[[], Any],
    fast: Callable[[], Sequence[Any]],
    target: float,
    rounds: int = ROUNDS,
) -> Measure:
    """A measure of both; the results must be the same, and all of them are read as Python values."""
    first = _best(lambda: list(fast()), 1)
    if list(fast()) != plain():
        raise AssertionError(f"{name} gives something else than a loop")
    in_loop, read, unread = (
        _best(plain, max(2, rounds // 3)),
        _best(lambda: list(fast()), rounds),
        _best(fast, rounds),
    )
    detail = (
        f"{in_loop * 1e3:.3f} ms in a loop, {read * 1e3:.3f} ms with all results read "
        f"(the first time {first * 1e3:.3f} ms), {unread * 1e3:.3f} ms unread"
    )
    return Measure(name, in_loop / read, "x", target, True, detail)


def _measure_of(name: str) -> Callable[[Bench], Measure]:
    def measure(bench: Bench) -> Measure:
        columns = columns_of(material(ROWS // 5 if bench.quick else ROWS))[name]
        method = getattr(GPUDSLOperations(), name)
        return _compared(name, in_a_loop(name, columns), lambda: method(*columns), AT_LEAST)

    measure.__name__ = name
    return measure


def _measure_of_few(name: str) -> Callable[[Bench], Measure]:
    def measure(bench: Bench) -> Measure:
        columns = columns_of(material(FEW))[name]
        method = getattr(GPUDSLOperations(), name)
        title, plain = f"{name}, {FEW} grids", in_a_loop(name, columns)
        return _compared(title, plain, lambda: method(*columns), LIGHT_AT_LEAST, ROUNDS_OF_FEW)

    measure.__name__ = f"{name}_of_few"
    return measure


def chained_in_a_loop(made: BenchGrids) -> list[Any]:
    """Six ops on each grid, by their Python bodies."""
    names = ("o_g", "colorfilter", "difference", "merge", "fill", "rot90")
    o_g, colorfilter, difference, merge, fill, rot90 = map(plain_op, names)
    turned = []
    for grid, color in zip(made.grids, made.colors):
        objects = o_g(grid, 5)
        others = difference(objects, colorfilter(objects, color))
        turned.append(rot90(fill(grid, 3, merge(others))))
    return turned


def chained_in_batches(made: BenchGrids) -> Sequence[Any]:
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


def _once(work: Callable[[Sequence[Any]], Any], columns: Sequence[Sequence[Any]]) -> float:
    """The CPU seconds of a column, each of which is new."""
    started = process_time()
    for grids in columns:
        work(grids)
    return (process_time() - started) / len(columns)


def _measure_of_batt(name: str, programs: str, target: float, bench: Bench) -> Measure:
    batt = batt_of(parse_programs(programs), [])
    bare = bare_function(batt)
    together = function_of(batt_source(batt, "batch"), "batt_batch", {})
    tasks = load_tasks("arc1/training")
    grids = (sample.input for task in tasks for sample in task.samples)
    columns = [list(islice(grids, FEW)) for _ in range(3 if bench.quick else 15)]

    def in_a_loop(grids: Sequence[Any]) -> Any:
        return [bare("", (), grid, None, None) for grid in grids]

    def in_columns(grids: Sequence[Any]) -> Any:
        return together([""] * FEW, [()] * FEW, grids, [None] * FEW, [None] * FEW)

    first, *others = columns
    if in_columns(first) != in_a_loop(first):
        raise AssertionError(f"{name} gives something else than a loop")
    new = _once(in_a_loop, others) / _once(in_columns, others)
    plain, fast = _best(lambda: in_a_loop(first)), _best(lambda: in_columns(first), ROUNDS_OF_FEW)
    detail = (
        f"{plain * 1e3:.2f} ms in a loop and {fast * 1e3:.2f} ms for {FEW} grids, all results read; "
        f"{new:.1f} x on grids that are new"
    )
    return Measure(name, plain / fast, "x", target, True, detail)


def light_ops(bench: Bench) -> Measure:
    """Flips and rotations."""
    return _measure_of_batt("batt_batch on light ops", LIGHT_PROGRAMS, 8, bench)


def mixture(bench: Bench) -> Measure:
    """Objects, filters, fills and light ops."""
    return _measure_of_batt("batt_batch on a mixture of ops", MIXTURE, 15, bench)


NAMES = tuple(columns_of(BenchGrids([], [], [], [], [])))
MEASURES = (*map(_measure_of, NAMES), *map(_measure_of_few, LIGHT), chain, light_ops, mixture)
