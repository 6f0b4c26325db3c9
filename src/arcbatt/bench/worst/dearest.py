"""The applications that take longest for their units of work, of all ops and kinds of arguments."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from heapq import nlargest
from math import gcd, prod
from pathlib import Path

from arcbatt.bench.measures import Bench, Measure
from arcbatt.dsl.contract import COLLECT_WORK
from arcbatt.dsl.functions import fn
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import Op, Param
from arcbatt.dsl.values import Function, Value, weight
from arcbatt.testing.extremes import LARGEST, Extreme, always, extreme, extremes, functions

# The weight of large arguments in the first pass over all combinations: of ops that apply functions, and of
# all others. The first may make an application for each pair of elements.
LOOPED, MEDIUM = 4_000, 60_000
MOST, MOST_IF_QUICK = (
    1_000,
    100,
)  # combinations of an op; where there are more, so many are tried, spread evenly over all
WORST_OF_OP = 8  # combinations of an op that may be measured again
AGAIN = 800  # combinations that are measured again, with the largest arguments
KEPT = 100
FILE = Path(__file__).with_suffix(".jsonl")
MOST_LINES = 10_000  # of a program
REPEATED = 240_000  # applications of an op in one line, about as many as the limit of items allows
ROOM = 1_000  # left by the arguments of a function for the function itself
SEVERAL = 10  # lines that are run of an evaluation with many equal ones


@dataclass(frozen=True)
class ApplicationCost:
    """One op on some arguments, by their names: what an application costs, in seconds and units of work."""

    op: str
    arguments: tuple[str, ...]
    columns: bool
    status: str
    seconds: float
    units: int

    @property
    def at_the_limit(self) -> float:
        """The seconds of an evaluation that applies the op until the limit of work ends it.

        An op that fails ends the line that applies it, so it is applied once a line.
        """
        times = DEFAULT_LIMITS.work / (self.units + COLLECT_WORK)
        return self.seconds * (times if self.status == "ok" else min(times, MOST_LINES))

    def line(self) -> str:
        """The figures on one line."""
        cost = f"{self.seconds * 1e3:.4f} ms for {self.units:,} units"
        how = "" if self.columns else ", without columns"
        return (
            f"{self.at_the_limit:.2f} s: {self.op}({', '.join(self.arguments)}): {cost}, {self.status}{how}"
        )

    def as_json(self) -> dict[str, object]:
        """The figures as plain data."""
        return asdict(self) | {"at_the_limit": self.at_the_limit}


def candidates(param: Param, heavy: int) -> list[Extreme]:
    """The values, or functions, that a parameter admits."""
    if param.type.is_function and param.type.name != "Fns":
        pool: Iterable[Extreme] = (entry for arity in (1, 2, 3, 4) for entry in functions(arity))
    elif param.choices is not None:
        pool = (Extreme(str(choice), choice, False) for choice in param.choices)
    elif param.type.name == "Boolean":
        pool = extremes(heavy)[:2]
    else:
        pool = extremes(heavy)
    found = [entry for entry in pool if param.type.admits(entry.value)]
    if param.requirement == "filled":
        found = [entry for entry in found if not param.type.is_empty(entry.value)]
    return found


def combinations(op: Op, heavy: int, most: int = MOST) -> Iterator[tuple[Extreme, ...]]:
    """The combinations of arguments of an op: all, or so many of them, spread evenly."""
    lists = [candidates(param, heavy) for param in op.params]
    total = prod(map(len, lists))
    step = 1 if total <= most else _coprime(total, int(total * 0.618))
    for k in range(min(total, most)):
        place = k * step % total
        chosen = []
        for entries in lists:
            place, here = divmod(place, len(entries))
            chosen.append(entries[here])
        yield tuple(chosen)


def _coprime(total: int, near: int) -> int:
    return next(step for step in range(max(1, near), total + near + 2) if gcd(step, total) == 1)


class Meter:
    """Runs ops in the compiled core on values that stay packed there."""

    def __init__(self, heavy: int, limits: Limits = DEFAULT_LIMITS) -> None:
        from arcbatt import _core
        from arcbatt.engine.backends.native import CoreOptions

        self.heavy = heavy
        self._options = CoreOptions(limits)
        self._core = _core.OpMeter(self._options.limits, self._options.foreign)
        self._places: dict[str, int] = {}

    def measured(self, op: Op, arguments: Sequence[Extreme], columns: bool) -> ApplicationCost:
        """What an op costs on some arguments."""
        for entry in arguments:
            if entry.name not in self._places:
                self._places[entry.name] = self._core.keep(entry.value)
        return self._run(op.name, tuple(entry.name for entry in arguments), columns)

    def again(self, dear: ApplicationCost) -> ApplicationCost:
        """The least of three measurements of the same op on arguments of the same names."""
        for name in dear.arguments:
            if name not in self._places:
                self._places[name] = self._core.keep(extreme(name, self.heavy))
        tries = [self._run(dear.op, dear.arguments, dear.columns) for _ in range(3)]
        return min(tries, key=lambda one: one.seconds)

    def evaluation(self, dear: ApplicationCost) -> float:
        """The seconds of an evaluation that repeats an op until the limit of work ends it.

        `apply` repeats it; if that ends before, the evaluation has several such lines. An op that fails, or
        whose arguments are too heavy for one function, is in as many lines as the limit or a program allows.
        """
        values = [extreme(name, self.heavy) for name in dear.arguments]
        op, arguments = dear.op, dear.arguments
        if dear.status == "ok" and sum(map(weight, values)) < LARGEST - ROOM:
            op, arguments = "apply", (f"{dear.line()} repeated", "elements")
            self._places[arguments[0]] = self._core.keep(repeating(dear.op, values))
            self._places[arguments[1]] = self._core.keep(tuple(range(REPEATED)))
        spent, units, lines = 0.0, 0, 0
        while units < DEFAULT_LIMITS.work and lines < MOST_LINES:
            line = self.again(dear) if op == dear.op else self._run(op, arguments, dear.columns)
            spent, units, lines = spent + line.seconds, units + max(1, line.units), lines + 1
            if lines == SEVERAL:  # the rest are equal
                lines_left = min((DEFAULT_LIMITS.work - units) * lines / units, MOST_LINES - lines)
                return spent * (1 + max(0.0, lines_left) / lines)
        return spent

    def _run(self, op: str, arguments: tuple[str, ...], columns: bool) -> ApplicationCost:
        places = tuple(self._places[name] for name in arguments)
        seconds, units, status = self._core.run(op, places, columns)
        return ApplicationCost(op, arguments, columns, status, seconds, units)


def repeating(op: str, arguments: Sequence[Value]) -> Function:
    """The function that applies an op to these arguments, whatever its own argument, and gives 0."""
    applied, fixed = fn(op), list(arguments)
    while len(fixed) > 2:
        applied = Function("lbind", (applied, fixed.pop(0)), applied.arity - 1)
    name = "fork" if len(fixed) == 2 else "compose"
    applied = Function(name, (applied, *map(always, fixed)), 1)
    return Function("compose", (always(0), applied), 1)


def searched(ops: Iterable[Op], most: int = MOST) -> Iterator[ApplicationCost]:
    """Every op on every kind of arguments; ops that apply functions also without columns."""
    bounded = replace(DEFAULT_LIMITS, work=DEFAULT_LIMITS.work // 10)
    meters = {heavy: Meter(heavy, bounded) for heavy in (LOOPED, MEDIUM)}
    for op in ops:
        heavy = LOOPED if op.higher_order else MEDIUM
        for arguments in combinations(op, heavy, 2 * most if op.higher_order else most):
            yield meters[heavy].measured(op, arguments, True)
            if op.higher_order:
                yield meters[heavy].measured(op, arguments, False)


def worst(found: Iterable[ApplicationCost], count: int) -> list[ApplicationCost]:
    """Those whose evaluations would take longest."""
    return nlargest(count, found, key=lambda dear: dear.at_the_limit)


def dearest(found: Sequence[ApplicationCost], again: int = AGAIN) -> list[ApplicationCost]:
    """The worst of what was found in a first pass, measured again with the largest arguments.

    No op fills the list alone: of each only the worst few are taken.
    """
    by_op: dict[str, dict[tuple[str, ...], ApplicationCost]] = {}
    for dear in sorted(found, key=lambda dear: dear.at_the_limit):
        by_op.setdefault(dear.op, {})[dear.arguments] = dear  # with columns or without, whichever is worse
    few = [dear for group in by_op.values() for dear in worst(group.values(), WORST_OF_OP)]
    meter = Meter(LARGEST)
    measured = [meter.again(dear) for dear in worst(few, again)]
    return worst(measured, KEPT)


def confirmed(found: Iterable[ApplicationCost]) -> Iterator[tuple[ApplicationCost, float]]:
    """Each with the seconds of a whole evaluation that repeats it until the limit of work ends it."""
    meter = Meter(LARGEST)
    for dear in found:
        yield dear, meter.evaluation(dear)


def worst_known() -> list[tuple[ApplicationCost, int]]:
    """The worst combinations of the last search, and the units of each on arguments of weight LOOPED."""
    rows = map(json.loads, FILE.read_text().splitlines())
    return [
        (
            ApplicationCost(
                row["op"],
                tuple(row["arguments"]),
                row["columns"],
                row["status"],
                row["seconds"],
                row["units"],
            ),
            row["units_of_less"],
        )
        for row in rows
    ]


def written(found: Iterable[ApplicationCost]) -> Iterator[str]:
    """Combinations as lines of JSON, with the units of the same on arguments of weight LOOPED."""
    meter = Meter(LOOPED)
    for dear in found:
        yield json.dumps(dear.as_json() | {"units_of_less": meter.again(dear).units}) + "\n"


def dearest_known(bench: Bench) -> Measure:
    """The hundred worst combinations, measured again: the seconds of the worst evaluation."""
    meter = Meter(LARGEST)
    known = [dear for dear, _ in worst_known()][:: 10 if bench.quick else 1]
    (first,) = worst((meter.again(dear) for dear in known), 1)
    detail = (
        f"{first.op}({', '.join(first.arguments)}), {first.seconds * 1e3:.3f} ms for {first.units:,} units"
    )
    return Measure("worst evaluation until the limit of work", first.at_the_limit, "s", 1, False, detail)


MEASURES = (dearest_known,)
