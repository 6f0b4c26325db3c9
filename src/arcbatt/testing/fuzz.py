"""Differential fuzzing: random programs on two backends, every node compared, differences shrunk."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import Callee, Op
from arcbatt.dsl.values import Function, Value, ordered, text
from arcbatt.engine.backend import Backend, FailureMode, RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import Plan, plan_of, plan_of_lines, wanted_root
from arcbatt.program.graph import Batt, Node, Program, ProgramKind, topological
from arcbatt.tasks import Grid, Sample, Task, load_tasks
from arcbatt.testing.programs import mutated, random_program
from arcbatt.testing.values import grid

SMALL_LIMITS = (
    Limits(items=60),
    Limits(items=2000),
    Limits(calls=20),
    Limits(depth=4),
    Limits(2000, 500, 12),
    Limits(work=300),
    Limits(2000, work=20_000),
)
# The limits of most programs: a million applications would take the reference minutes.
USUAL_LIMITS = Limits(items=100_000, calls=10_000)
FOREIGN_TASKS = 4

Pair = tuple[Backend, Backend]


@dataclass(frozen=True)
class Case:
    """A program to compare, and where and how."""

    program: Program
    task: Task
    limits: Limits
    mode: FailureMode
    seed: int


@dataclass(frozen=True)
class Difference:
    """An op, or a call of a function, on which two backends disagree."""

    callee: Callee
    arguments: tuple[Value, ...]
    limits: Limits
    outcomes: tuple[Value | Failure, Value | Failure]
    seed: int

    def as_test(self, backends: tuple[str, str]) -> str:
        """The difference as a test case."""
        is_op = isinstance(self.callee, Op)
        given = [*([repr(self.callee.name)] if is_op else []), *map(literal, self.arguments)]
        call = f"ab.call({', '.join(given)}, backend=backend, limits=ab.{self.limits})"
        shown = "".join(
            f"    # {backend}: {text_of(outcome)}\n" for backend, outcome in zip(backends, self.outcomes)
        )
        subject = self.callee.name if is_op else "a_call"
        return (
            f"def test_backends_agree_on_{subject}_{self.seed}() -> None:\n{shown}"
            f"    results = [{call} for backend in {backends!r}]\n    assert results[0] == results[1]\n"
        )


@dataclass
class Report:
    """The counts and the findings of a fuzzing run."""

    programs: int = 0
    evaluations: int = 0
    nodes: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
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
    backends: tuple[str, str] = ("reference", "native"),
    library: Sequence[Program] = (),
    evaluations: int | None = None,
    on_program: Callable[[Report], None] | None = None,
) -> Report:
    """Compare two backends for some seconds or evaluations; the same seed gives the same sequence.

    >>> fuzz(60, seed=1, backends=("reference", "reference"), evaluations=20).differences
    []
    """
    first, second = (choose(name)[0] for name in backends)
    real = list(load_tasks("arc1/training"))
    report = Report()
    started = monotonic()
    number = seed * 1_000_000_007
    try:
        while monotonic() - started < seconds and (evaluations is None or report.evaluations < evaluations):
            number += 1
            difference = _compare((first, second), _case(number, real, library), report)
            if difference is not None:
                report.differences.append(_shrunk((first, second), difference))
            if on_program is not None:
                on_program(report)
    except KeyboardInterrupt:
        report.interrupted = True
    return report


def _case(seed: int, real: list[Task], library: Sequence[Program]) -> Case:
    random = Random(seed)
    source = random.randrange(4 if library else 3)
    if source == 3:
        program = random.choice(library)
        for _ in range(random.randrange(4)):
            program = mutated(program, random)
    else:
        kinds: tuple[ProgramKind, ...] = ("solver", "solver", "differ")
        program = random_program(random, 1 + random.randrange(24), source != 2, random.choice(kinds))
    task = _random_task(random) if random.randrange(3) == 0 else _real_task(random, real)
    little_work = replace(USUAL_LIMITS, work=int(10 ** random.uniform(2, 8)))
    unusual = (*SMALL_LIMITS, DEFAULT_LIMITS, little_work, little_work)
    limits = random.choice(unusual) if random.randrange(4) == 0 else USUAL_LIMITS
    modes: tuple[FailureMode, ...] = ("fail", "fail", "default", "default", "pile")
    return Case(program, _within(task, limits), limits, random.choice(modes), seed)


def _random_task(random: Random) -> Task:
    demo = tuple(Sample(grid(random), grid(random)) for _ in range(1 + random.randrange(3)))
    test = tuple(Sample(grid(random), None) for _ in range(8))
    return Task(f"{random.getrandbits(32):08x}", demo, test)


def _real_task(random: Random, real: list[Task]) -> Task:
    """A task whose test samples are the demo samples of some others: more samples for one program."""
    task = random.choice(real)
    foreign = (sample for _ in range(FOREIGN_TASKS) for sample in random.choice(real).demo)
    return Task(task.id, task.demo, tuple(foreign))


def _within(task: Task, limits: Limits) -> Task:
    """The task; under small limits one small sample of it, since heavier inputs are refused."""
    if limits not in SMALL_LIMITS:
        return task
    tiny = tuple(row[:3] for row in task.demo[0].input[:3])
    return Task(task.id, (Sample(tiny, tiny[:2]),), ())


def _compare(backends: Pair, case: Case, report: Report) -> Difference | None:
    """The first node on which the backends differ, with the values it was given."""
    report.programs += 1
    nodes = [node for node in topological([wanted_root(case.program)]) if node.kind in ("op", "call")]
    if not nodes:
        return None
    plan = _plan(case, nodes)
    options = RunOptions(case.limits, case.mode)
    both = [next(backend.outcomes(plan, [case.task], options)) for backend in backends]
    for sample, one, other in zip(case.task.samples, *both, strict=True):
        report.evaluations += 1
        report.nodes += len(nodes)
        for node, a, b in zip(nodes, one, other, strict=True):
            if isinstance(a, Failure):
                report.failures[a.kind] += 1
            if a != b:
                inputs = {"S": case.task.pairs, "I": sample.input, "C": sample.output}
                arguments = tuple(_argument(arg, dict(zip(nodes, one)), inputs) for arg in node.args)
                return Difference(node.callee, arguments, case.limits, (a, b), case.seed)
    return None


def _plan(case: Case, nodes: list[Node]) -> Plan:
    """The plan in which every node is wanted; in mode `pile` each is a line."""
    if case.mode != "pile":
        return plan_of(nodes)
    programs = tuple(Program(str(number), "differ", INPUTS, node) for number, node in enumerate(nodes))
    return plan_of_lines(Batt(programs))


def _argument(node: Node, known: dict[Node, Value | Failure], inputs: dict[str, Grid | None]) -> Value:
    """The value that a node had; `()` for one that had none, which no differing op can have used."""
    if node.kind == "constant":
        constant: Value = node.head
        return constant
    outcome = known[node] if node in known else inputs.get(node.head)
    return () if outcome is None or isinstance(outcome, Failure) else outcome


def _differ(backends: Pair, difference: Difference, arguments: tuple[Value, ...]) -> Difference | None:
    """The difference on other arguments, if there is one."""
    a, b = (backend.call(difference.callee, arguments, difference.limits) for backend in backends)
    return None if a == b else replace(difference, arguments=arguments, outcomes=(a, b))


def _shrunk(backends: Pair, difference: Difference) -> Difference:
    """The difference with the smallest arguments found that still show it."""
    found = _differ(backends, difference, difference.arguments)
    while found is not None:
        difference = found
        tries = (_differ(backends, difference, arguments) for arguments in _smaller_arguments(difference))
        found = next((smaller for smaller in tries if smaller is not None), None)
    return difference


def _smaller_arguments(difference: Difference) -> Iterator[tuple[Value, ...]]:
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
