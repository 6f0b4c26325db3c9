"""The measurements of loops, in nanoseconds an element of higher-order ops, and of `objects`."""

from itertools import product
from statistics import mean

from arcbatt.bench.measures import Bench, Measure
from arcbatt.dsl.functions import fn
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.values import Value
from arcbatt.engine.profile.profile import profile
from arcbatt.engine.run import call
from arcbatt.program.graph import Node, Program

SIDE = 5  # of the square whose locations some loops go over
TRIES, ROUND = 12, 2e-3  # rounds, and the seconds of one
ARE_EVEN = fn("compose", fn("even"), fn("fork", fn("add"), fn("first"), fn("last")))
ALL_FLAGS = tuple(product((0, 1), repeat=3))  # of `objects`


def mean_indices(bench: Bench) -> frozenset[tuple[int, int]]:
    """The indices of the training input whose number of cells is nearest to the mean."""
    shapes = [(len(grid), len(grid[0])) for task in bench.tasks for grid, _ in task.samples]
    cells = mean(height * width for height, width in shapes)
    height, width = min(shapes, key=lambda shape: abs(shape[0] * shape[1] - cells))
    return frozenset(product(range(height), range(width)))


def square() -> frozenset[tuple[int, int]]:
    """The locations of a square."""
    return frozenset(product(range(SIDE), range(SIDE)))


def seconds_of_op(name: str, *arguments: Value) -> float:
    """The seconds of an op on values that the core has packed already: the best of some short rounds."""
    from arcbatt import _core
    from arcbatt.engine.backends.native import CoreOptions

    options = CoreOptions(DEFAULT_LIMITS)
    once = _core.time_op(name, arguments, options.limits, 1, options.foreign)
    rounds = max(1, int(ROUND / once))
    return min(_core.time_op(name, arguments, options.limits, rounds, options.foreign) for _ in range(TRIES))


def _element(name: str, target: float, elements: int, spent: float, what: str) -> Measure:
    detail = f"{elements:,} {what}, {spent * 1e6:.2f} us in all"
    return Measure(f"element of {name}", spent / elements * 1e9, "ns", target, False, detail)


def filtered_indices(bench: Bench) -> Measure:
    """`sfilter(asindices(I), compose(even, fork(add, first, last)))`."""
    indices = mean_indices(bench)
    spent = seconds_of_op("sfilter", indices, ARE_EVEN)
    return _element("sfilter by the sum of coordinates", 8, len(indices), spent, "indices of the mean grid")


def filtered_pairs(bench: Bench) -> Measure:
    """`sfilter(product(x, x), fork(equality, power(first, TWO), compose(first, last)))` besides `product`."""
    pairs = frozenset(product(square(), repeat=2))
    twice = call("power", fn("first"), 2)
    share_rows = fn("fork", fn("equality"), twice, fn("compose", fn("first"), fn("last")))
    spent = seconds_of_op("sfilter", pairs, share_rows)
    return _element("sfilter of a product", 8, len(pairs), spent, "pairs of locations, besides the product")


def shifted_indices(bench: Bench) -> Measure:
    """`apply(rbind(add, UNITY), asindices(I))`."""
    indices = mean_indices(bench)
    spent = seconds_of_op("apply", fn("rbind", fn("add"), (1, 1)), indices)
    return _element("apply of an addition", 6, len(indices), spent, "indices of the mean grid")


def merged_lines(bench: Bench) -> Measure:
    """`mapply(rbind(shoot, UP), x)`."""
    spent = seconds_of_op("mapply", fn("rbind", fn("shoot"), (-1, 0)), square())
    return _element("mapply of shoot", 40, SIDE * SIDE, spent, "locations")


def found_objects(bench: Bench) -> Measure:
    """`objects` with all its flags on the inputs of training tasks: the mean of all runs."""
    roots = [Node.op("objects", Node.input("I"), *map(Node.constant, flags)) for flags in ALL_FLAGS]
    programs = [Program(f"objects_{number}", "solver", ("I",), root) for number, root in enumerate(roots)]
    found = profile(programs, bench.tasks[:: 40 if bench.quick else 8], "all", "native")
    spent = [found.nodes[root].seconds_per_run * 1e6 for root in roots]
    detail = f"{found.samples:,} grids, {min(spent):.2f} to {max(spent):.2f} us by the flags"
    return Measure("objects on the mean training grid", mean(spent), "us", 2.2, False, detail)


MEASURES = (filtered_indices, filtered_pairs, shifted_indices, merged_lines, found_objects)
