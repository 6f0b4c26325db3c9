"""Differential fuzzing: random programs run in several ways, every node compared, differences shrunk."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count, islice
from random import Random
from time import monotonic
from typing import Any, Literal, get_args

from arcbatt.arguments import require_one_of
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import RANGES, Limits
from arcbatt.dsl.table import TABLE, Callee, Op, find
from arcbatt.dsl.values import Function, Value, ordered, text
from arcbatt.engine.backend import Backend, Elements, RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import plan_of
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import load_tasks
from arcbatt.tasks.samples import Samples, some_of
from arcbatt.testing.cases import Case, computed, loop_cases, program_case

ColumnChoice = Literal["always", "never", "both"]
# Whether functions run in columns, for each way to compare.
COLUMNS: dict[ColumnChoice, tuple[bool, ...]] = {"always": (True,), "never": (False,), "both": (True, False)}
# The samples of a program of loops and its limits: with the reference, which is slow, and in the core alone.
SAMPLES, LOOP_LIMITS = 16, Limits(items=5_000, calls=600)
SAMPLES_IN_CORE, LOOP_LIMITS_IN_CORE = 24, Limits(items=20_000, calls=4_000)
PROGRAMS = 16  # every so many-th program is of any kind
EDGES = 4  # every so many-th one runs under drawn limits, too; in the core alone all do
DRAWS = 3  # of limits for a program
# Limits of what a program holds and of what it does. Those that ops pass in the middle are drawn more often.
HELD, DONE = ("items", "items", "memory"), ("calls", "depth", "work", "work")
MOST_TRIES = 500  # to shrink a difference


@dataclass(frozen=True)
class RunMode:
    """A way to run programs: a backend by name, and whether it runs functions in columns.

    >>> RunMode("reference").call("add", 1, 2)
    3
    >>> print(RunMode("native", columns=False))
    native, columns never
    """

    name: str
    columns: bool = True

    def __str__(self) -> str:
        return self.name if self.columns else f"{self.name}, columns never"

    @cached_property
    def backend(self) -> Backend:
        """The backend."""
        return choose(self.name)[0]

    def outcomes(self, case: Case) -> list[Outputs]:
        """For each sample the outcomes of the nodes."""
        options = RunOptions(case.limits, case.mode, columns=self.columns)
        return next(self.backend.outcomes(case.plan, [case.task], options))

    def call(self, op: str | Callee, *arguments: Value, limits: Limits | None = None) -> Value | Failure:
        """An op on values, or with the callee of calls the first value applied to the others."""
        callee = find(op) if isinstance(op, str) else op
        constants = [Node.constant(argument) for argument in arguments]
        node = Node.op(callee.name, *constants) if isinstance(callee, Op) else Node.call(*constants)
        options = RunOptions(limits or Limits(), columns=self.columns)
        sample = Samples("call", (), [((), None)])
        outcome = next(self.backend.outcomes(plan_of([node]), [sample], options))[0][0]
        return Failure(outcome.kind) if isinstance(outcome, Failure) else outcome


RunModes = tuple[RunMode, RunMode]


def ways_of(backends: Sequence[str], columns: ColumnChoice = "always") -> list[RunMode]:
    """The ways to compare: with `both`, each backend of the core runs functions in columns, and does not.

    >>> list(map(str, ways_of(["reference", "reference"], "both")))  # the reference has no columns
    ['reference', 'reference']
    """
    require_one_of("columns", columns, get_args(ColumnChoice))
    ways = [
        RunMode(name, in_columns)
        for name in backends
        for in_columns in (COLUMNS[columns] if choose(name)[0].in_core else (True,))
    ]
    if len(ways) < 2:
        raise ArcbattError("one backend is no comparison; name two, or compare both modes of columns")
    return ways


@dataclass(frozen=True)
class FuzzDifference:
    """An op, or a call of a function, on which two ways disagree."""

    ways: RunModes
    callee: Callee
    arguments: tuple[Value, ...]
    limits: Limits
    outcomes: tuple[Value | Failure, Value | Failure]
    seed: int

    def as_test(self) -> str:
        """The difference as a test case."""
        is_op = isinstance(self.callee, Op)
        given = [repr(self.callee.name) if is_op else "FUNCTION_CALL", *map(literal, self.arguments)]
        call = f"way.call({', '.join(given)}, limits=ab.{self.limits})"
        shown = "".join(
            f"    # {way}: {text_of(outcome)}\n" for way, outcome in zip(self.ways, self.outcomes)
        )
        if self.outcomes[0] == self.outcomes[1]:
            shown += "    # the values are equal, but their packed forms are not\n"
        subject = self.callee.name if is_op else "a_call"
        return (
            f"def test_the_ways_agree_on_{subject}_{self.seed}() -> None:\n{shown}"
            f"    results = [{call} for way in {self.ways!r}]\n    assert results[0] == results[1]\n"
        )


@dataclass
class FuzzReport:
    """The counts and the findings of a fuzzing run."""

    programs: int = 0
    evaluations: int = 0
    nodes: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    elements: Elements = field(default_factory=Elements)  # where columns run wherever they can
    differences: list[FuzzDifference] = field(default_factory=list)
    interrupted: bool = False


def literal(value: Value) -> str:
    """A value as a Python expression."""
    if isinstance(value, Function):
        parts = "".join(f", {literal(part)}" for part in value.parts)
        return f'ab.fn("{value.name}"{parts})'
    if type(value) is frozenset:
        return f"frozenset(({', '.join(map(literal, ordered(value)))}{',' * (len(value) == 1)}))"
    if type(value) is tuple:
        return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
    return str(value)


def text_of(outcome: Value | Failure) -> str:
    """An outcome on one line."""
    return outcome.kind if isinstance(outcome, Failure) else text(outcome, 200)


def fuzz(
    seconds: float,
    seed: int = 0,
    backends: Sequence[str] = ("reference", "native"),
    library: Sequence[Program] = (),
    evaluations: int | None = None,
    on_program: Callable[[FuzzReport], None] | None = None,
    columns: ColumnChoice = "always",
) -> FuzzReport:
    """Compare backends for some seconds or evaluations; the same seed gives the same sequence.

    With `columns="both"` most programs are loops over containers, and each backend of the core runs them with
    columns wherever it can and without any.

    >>> fuzz(60, seed=1, backends=("reference", "reference"), evaluations=20).differences
    []
    """
    ways = ways_of(backends, columns)
    programs = _programs(seed, ways, library)
    cases = _loops_mostly(seed, ways, programs) if columns == "both" else chain.from_iterable(programs)
    report = FuzzReport()
    started = monotonic()
    try:
        for case in cases:
            difference = _compare(ways, case, report)
            if difference is not None:
                report.differences.append(_shrunk(difference))
            if on_program is not None:
                on_program(report)
            is_enough = evaluations is not None and report.evaluations >= evaluations
            if is_enough or monotonic() - started >= seconds:
                break
    except KeyboardInterrupt:
        report.interrupted = True
    return report


def _programs(seed: int, ways: Sequence[RunMode], library: Sequence[Program]) -> Iterator[Iterator[Case]]:
    """The cases of each of endlessly many programs of all kinds."""
    real = list(load_tasks("arc1/training"))

    def cases(number: int) -> Iterator[Case]:
        case = program_case(number, real, library)
        yield case
        yield from _under_drawn_limits(ways[-1], case)

    return map(cases, count(seed * 1_000_000_007 + 1))


def _loops_mostly(seed: int, ways: Sequence[RunMode], programs: Iterator[Iterator[Case]]) -> Iterator[Case]:
    """Loops over containers, some of them at the edge of a limit, and now and then any program."""
    is_fast = all(way.backend.in_core for way in ways)
    samples, usual = (SAMPLES_IN_CORE, LOOP_LIMITS_IN_CORE) if is_fast else (SAMPLES, LOOP_LIMITS)
    for number in count(seed * 1_000_000_007 + 1):
        if number % PROGRAMS == 0:
            yield from next(programs)
        for case in loop_cases(number, samples, usual):
            yield case
            if is_fast or number % EDGES == 0:
                yield from _under_drawn_limits(ways[-1], case)


def _under_drawn_limits(way: RunMode, whole: Case) -> Iterator[Case]:
    """Nodes of the case on one sample, under limits that they just keep, pass by one, or pass on the way.

    A limit drawn without looking is mostly far above what an op uses, or passed before the op begins. So the
    tightest limit that changes nothing is found first. A second limit at its edge, under a first one that is
    passed, shows whether all ways agree on which of the two is passed first.
    """
    random = Random(whole.seed)
    loops = [node for node in whole.nodes if node.kind == "op" and TABLE[node.head].higher_order]
    for _ in range(DRAWS if whole.nodes else 0):
        index = random.randrange(len(whole.task.samples))
        case = replace(whole, task=some_of(whole.task, index, index + 1))
        first, second = random.sample([random.choice(HELD), random.choice(DONE)], 2)
        if "memory" in (first, second):  # a program may always hold one value of the greatest weight
            case = _under(case, "items", _tightest(way, case, "items")) or case
        else:
            case = replace(case, nodes=computed([random.choice(loops or whole.nodes)]))
        tightest = yield from _at_the_edge(way, case, first)
        passed = _under(case, first, random.randint(RANGES[first][0], tightest))
        if passed is not None:
            yield passed
            yield from _at_the_edge(way, passed, second)


def _at_the_edge(way: RunMode, case: Case, kind: str) -> Generator[Case, None, int]:
    """The case under the tightest limit of a kind that changes nothing, and under one tighter by one.

    Returns the limit.
    """
    tightest = _tightest(way, case, kind)
    for bound in (tightest, max(tightest - 1, RANGES[kind][0])):
        limited = _under(case, kind, bound)
        if limited is not None:
            yield limited
    return tightest


def _tightest(way: RunMode, case: Case, kind: str) -> int:
    """The tightest limit of a kind under which the outcomes of a case stay the same."""
    (expected,) = way.outcomes(case)
    low: int = RANGES[kind][0]
    high: int = getattr(case.limits, kind)
    while low < high:
        middle = (low + high) // 2
        limited = _under(case, kind, middle)
        if limited is not None and not _differing(way.outcomes(limited)[0], expected):
            high = middle
        else:
            low = middle + 1
    return high


def _under(case: Case, kind: str, bound: int) -> Case | None:
    """The case with one limit changed, on the samples that it admits; None if it admits none."""
    return case.under(replace(case.limits, **{kind: bound}))


def _differing(one: Any, other: Any) -> tuple[int, ...]:
    """The place of the first of a sample's outcomes that differs, if any; the core compares packed ones."""
    if type(one) is type(other) and hasattr(one, "first_difference"):
        place = one.first_difference(other)
        return () if place is None else (place,)
    return tuple(place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)[:1]


def _failures(row: Any) -> Iterable[str]:
    """The kinds of failure among outcomes, which stay packed if they are."""
    packed: Counter[str] | None = getattr(row, "failures", None)
    if packed is not None:
        return packed.elements()
    return (outcome.kind for outcome in row if isinstance(outcome, Failure))


def _compare(ways: Sequence[RunMode], case: Case, report: FuzzReport) -> FuzzDifference | None:
    """The first node on which two ways differ, with the values it was given."""
    report.programs += 1
    if not case.nodes:
        return None
    found = []
    for way in ways:
        before = way.backend.elements
        found.append(way.outcomes(case))
        if way.columns:
            report.elements += way.backend.elements - before
    report.evaluations += len(case.task.samples)
    report.nodes += len(case.nodes) * len(case.task.samples)
    # The last two first: if both are of the core, neither has been unpacked by then.
    for place in range(len(ways) - 1, 0, -1):
        for number, rows in enumerate(zip(found[place - 1], found[place], strict=True)):
            for differing in _differing(*rows):
                return _difference((ways[place - 1], ways[place]), case, number, differing, rows)
    for row in found[0]:
        report.failures.update(_failures(row))
    return None


def _difference(
    ways: RunModes, case: Case, number: int, place: int, rows: tuple[Outputs, Outputs]
) -> FuzzDifference:
    """The node with two outcomes on a sample."""
    given, expected = case.task.samples[number]
    inputs = {"S": case.task.pairs, "I": given, "C": expected}
    known = dict(zip(case.nodes, rows[0]))
    node = case.nodes[place]
    arguments = tuple(_argument(arg, known, inputs) for arg in node.args)
    return FuzzDifference(
        ways, node.callee, arguments, case.limits, (rows[0][place], rows[1][place]), case.seed
    )


def _argument(node: Node, known: dict[Node, Value | Failure], inputs: dict[str, Value | None]) -> Value:
    """The value that a node had; `()` for one that had none, which no differing op can have used."""
    if node.kind == "constant":
        constant: Value = node.head
        return constant
    outcome = known[node] if node in known else inputs.get(node.head)
    return () if outcome is None or isinstance(outcome, Failure) else outcome


def _differ(difference: FuzzDifference, arguments: tuple[Value, ...]) -> FuzzDifference | None:
    """The difference on other arguments, if there is one."""
    a, b = (way.call(difference.callee, *arguments, limits=difference.limits) for way in difference.ways)
    return None if a == b else replace(difference, arguments=arguments, outcomes=(a, b))


def _shrunk(difference: FuzzDifference) -> FuzzDifference:
    """The difference with the smallest arguments found that still show it."""
    found = _differ(difference, difference.arguments)
    left = MOST_TRIES
    while found is not None and left:
        difference, found = found, None
        for arguments in islice(_smaller_arguments(difference), left):
            left -= 1
            found = _differ(difference, arguments)
            if found is not None:
                break
    return difference


def _smaller_arguments(difference: FuzzDifference) -> Iterator[tuple[Value, ...]]:
    arguments = difference.arguments
    for place, argument in enumerate(arguments):
        for less in _smaller(argument):
            yield (*arguments[:place], less, *arguments[place + 1 :])


def _smaller(value: Value) -> Iterator[Value]:
    """Values that are one step smaller."""
    if isinstance(value, Function):
        yield from (part for part in value.parts if isinstance(part, Function) and part.arity == value.arity)
    elif type(value) is int:
        yield from {0, value // 2} - {value} if value else ()
    elif isinstance(value, tuple | frozenset):
        elements, kind = ordered(value), type(value)
        half = len(elements) // 2
        if half:
            yield kind(elements[:half])
            yield kind(elements[half:])
        for place, element in enumerate(elements[:20]):
            yield kind((*elements[:place], *elements[place + 1 :]))
            yield from (kind((*elements[:place], less, *elements[place + 1 :])) for less in _smaller(element))
