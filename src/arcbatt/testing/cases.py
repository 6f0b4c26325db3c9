"""Cases for fuzzing: random programs with the samples, limits and failure modes to run them with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.values import Value, size_of
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.plan import Plan, plan_of, plan_of_lines, wanted_root
from arcbatt.program.graph import Batt, Node, Program, ProgramKind, topological
from arcbatt.tasks import Sample, Task
from arcbatt.tasks.samples import Samples, TaskLike
from arcbatt.testing.loops import LoopWriter, input_types, input_value
from arcbatt.testing.random_programs import mutated, random_program
from arcbatt.testing.random_values import grid

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
MOST_LOOPS = 5
MODES: tuple[FailureMode, ...] = ("fail", "fail", "default", "default", "pile")


@dataclass(frozen=True)
class Case:
    """Nodes to compare, the samples to run them on, and how."""

    nodes: Sequence[Node]
    task: TaskLike
    limits: Limits
    mode: FailureMode
    seed: int

    @property
    def plan(self) -> Plan:
        """The plan in which every node is wanted; in mode `pile` each is a line."""
        if self.mode != "pile":
            return plan_of(self.nodes)
        programs = (Program(str(place), "differ", INPUTS, node) for place, node in enumerate(self.nodes))
        return plan_of_lines(Batt(tuple(programs)))

    def under(self, limits: Limits) -> "Case | None":
        """The case under other limits, on the samples that these admit; None if they admit no sample."""

        def fits(value: Value | None) -> bool:
            weight, nest = (0, 0) if value is None else _size_of(value)
            return weight <= limits.items and nest <= limits.depth

        samples = [sample for sample in self.task.samples if all(map(fits, sample))]
        if not samples or not fits(self.task.pairs):
            return None
        return replace(self, task=Samples(self.task.id, self.task.pairs, samples), limits=limits)


_size_of = lru_cache(1 << 12)(size_of)  # the same values are sized for each of many limits


def computed(roots: Sequence[Node]) -> list[Node]:
    """The nodes that are computed for some roots, in topological order."""
    return [node for node in topological(roots) if node.kind in ("op", "call")]


def program_case(seed: int, real: list[Task], library: Sequence[Program]) -> Case:
    """A program, well typed, ill typed or from the library and mutated, on real or random grids."""
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
    nodes = computed([wanted_root(program)])
    return Case(nodes, _within(task, limits), limits, random.choice(MODES), seed)


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


def loop_cases(seed: int, samples: int, usual: Limits) -> Iterator[Case]:
    """A program of higher-order ops, on samples of which I, C and S are of any type.

    It runs under the usual limits, and under some that it may well pass.
    """
    random = Random(seed)
    inputs = input_types(random)
    loops = LoopWriter(random, inputs).loops(1 + random.randrange(MOST_LOOPS))
    needed = frozenset().union(*(node.needs for node in loops))

    def some(number: int) -> Value | None:
        """A value of an input; one that nobody needs would only be in the way of tight limits."""
        name, wanted = inputs[number]
        return input_value(random, wanted) if name in needed else None

    rows = [(input_value(random, inputs[0].type), some(1)) for _ in range(samples)]
    task = Samples(f"{seed}", some(2), rows)
    whole = Case(computed(loops), task, usual, random.choice(MODES), seed)
    tight = _tight(random, usual)
    cases = [whole.under(usual), replace(whole, mode=random.choice(MODES)).under(tight)]
    yield from (case for case in cases if case is not None)


def _tight(random: Random, usual: Limits) -> Limits:
    """Limits that many programs pass somewhere in the middle."""
    match random.choice(("items", "calls", "depth", "work", "work")):
        case "items":
            return replace(usual, items=int(10 ** random.uniform(1, 4)))
        case "calls":
            return replace(usual, calls=int(10 ** random.uniform(0, 3)))
        case "depth":
            return replace(usual, depth=random.randrange(2, 12))
    return replace(usual, work=int(10 ** random.uniform(1, 6)))
