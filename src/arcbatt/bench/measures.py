"""The measurements of `arcbatt bench`: each compares two ways to do the same work in one run."""

import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import exp, log
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any

from arcbatt.bench.plain_python import PlainProgram, plain_op
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import plan_of, wanted_root
from arcbatt.engine.results import Results
from arcbatt.engine.run import run
from arcbatt.library import load_library
from arcbatt.program.graph import Node, Program, topological
from arcbatt.tasks import Task, load_tasks
from arcbatt.tasks.samples import some_of
from arcbatt.testing.random_programs import mutated

SEED = 20
PATIENCE = 2.0  # seconds
PLAIN_MEMORY = 6 << 30
LIMIT_FAILURES = ("SIZE", "CALLS", "DEPTH")
STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Measure:
    """One result: a figure, what it should be at least or at most, and what it came from."""

    name: str
    figure: float
    unit: str
    target: float
    at_least: bool
    detail: str

    @property
    def met(self) -> bool:
        """Whether the figure reaches its target."""
        return self.figure >= self.target if self.at_least else self.figure <= self.target

    def line(self) -> str:
        """The result on one line."""
        bound = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "missed"
        return (
            f"{self.name}: {self.figure:.1f} {self.unit} ({bound} {self.target:g}: {verdict}); {self.detail}"
        )


class Bench:
    """The work that the measurements share."""

    def __init__(self, quick: bool = False) -> None:
        self.quick = quick
        self.tasks = list(load_tasks("arc1/training"))
        self.by_id = {task.id: task for task in self.tasks}
        self.programs = [program for program in load_library("solvers") if self._runs_plainly(program)]

    def _runs_plainly(self, program: Program) -> bool:
        """Whether plain Python runs a program; it cannot order functions, so a few have no baseline."""
        task = self.by_id[str(program.task_id)]
        try:
            return bool(PlainProgram(program)(task.pairs, task.demo[0].input, None) == task.demo[0].output)
        except Exception:
            return False


def seconds(work: Callable[[], Any]) -> float:
    """The seconds that a call takes."""
    started = perf_counter()
    work()
    return perf_counter() - started


def cpu_seconds(work: Callable[[], Any]) -> float:
    """The CPU time that a call takes, that of its threads included: other processes do not count."""
    started = process_time()
    work()
    return process_time() - started


def figure_of(script: str) -> float:
    """The number that a script prints, in a Python process of its own."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout)


def seconds_of(results: Results) -> float:
    """The seconds that the core spent on evaluation."""
    return results.stats.seconds_by_stage["evaluation"]


def _ended(results: Results) -> set[tuple[str, str, int]]:
    """The runs that a limit has ended."""
    return {
        (outcome.program.name, outcome.task.id, number)
        for outcome in results
        for number, verdict in enumerate(outcome.verdicts)
        if verdict in LIMIT_FAILURES
    }


def _plain_seconds(runs: list[tuple[PlainProgram, Task, int]]) -> float:
    """Seconds that plain Python takes for programs on samples, exceptions included.

    Plain Python has no limits: a run that takes longer than PATIENCE, or more memory than there is, is broken
    off there and counts with the time it has had.
    """
    import resource

    def give_up(number: int, frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    memory = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (PLAIN_MEMORY, memory[1]))
    started = perf_counter()
    try:
        for program, task, sample in runs:
            try:
                signal.setitimer(signal.ITIMER_REAL, PATIENCE)
                program(task.pairs, task.samples[sample].input, None)
            except Exception:
                continue
        return perf_counter() - started
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, memory)


def own_tasks(bench: Bench) -> Measure:
    """The library on its own tasks."""
    tasks = [bench.by_id[str(program.task_id)] for program in bench.programs]
    plain = [PlainProgram(program) for program in bench.programs]
    runs = [(p, task, k) for p, task in zip(plain, tasks) for k in range(len(task.samples))]
    python = _plain_seconds(runs)
    every = list(dict.fromkeys(tasks))
    native = median(seconds_of(run(bench.programs, every, "own", "native", 1)) for _ in range(15))
    return _ratio("library, own tasks, one thread", python / len(runs), native / len(runs), 130)


def all_pairs(bench: Bench) -> Measure:
    """The library on samples of all tasks; what a limit ends is left out of plain Python, which has none."""
    tasks = bench.tasks[:: 40 if bench.quick else 16]
    results = run(bench.programs, tasks, "all", "native", 1)
    ended = _ended(results)
    plain = {program.name: PlainProgram(program) for program in bench.programs}
    runs = [
        (plain[program.name], task, k)
        for task in tasks
        for program in bench.programs
        for k in range(len(task.samples))
        if (program.name, task.id, k) not in ended
    ]
    python = _plain_seconds(runs)
    evaluations = sum(len(task.samples) for task in tasks) * len(bench.programs)
    return _ratio(
        "library, all pairs, one thread", python / len(runs), seconds_of(results) / evaluations, 130
    )


def population(bench: Bench) -> Measure:
    """32 programs with 50 mutants each on 100 samples; plain Python on a random part of it."""
    random = Random(SEED)
    parents = random.sample(bench.programs, 32)
    mutants = [mutated(parent, random) for parent in parents for _ in range(50)]
    programs = [
        Program(f"m{k}", "solver", ("S", "I"), wanted_root(mutant)) for k, mutant in enumerate(mutants)
    ]
    tasks, samples = [], 0
    for task in random.sample(bench.tasks, 40):
        if samples < 100:
            tasks.append(task)
            samples += len(task.samples)
    results = run(programs, tasks, "all", "native", 1)
    ended = _ended(results)
    chosen = []
    for _ in range(1000 if bench.quick else 4000):
        program, task = random.choice(programs), random.choice(tasks)
        sample = random.randrange(len(task.samples))
        if (program.name, task.id, sample) not in ended:
            chosen.append((PlainProgram(program), task, sample))
    python = _plain_seconds(chosen)
    native = seconds_of(results) / (samples * len(programs))
    return _ratio("mutated population, one thread", python / len(chosen), native, 100)


def _ratio(name: str, python: float, native: float, target: float) -> Measure:
    detail = f"plain Python {python * 1e6:.1f} us, native {native * 1e6:.2f} us an evaluation"
    return Measure(name, python / native, "x", target, True, detail)


def _real_arguments(bench: Bench) -> dict[str, list[tuple[Value, ...]]]:
    """For each op arguments that it gets when the library runs on its tasks."""
    reference = choose("reference")[0]
    seen: dict[str, list[tuple[Value, ...]]] = {}
    for program in bench.programs:
        task = bench.by_id[str(program.task_id)]
        nodes = topological([program.root])
        ops = [node for node in nodes if node.kind == "op" and not TABLE[node.head].takes_functions]
        if all(len(seen.get(node.head, ())) >= 8 for node in ops):
            continue
        one_sample = some_of(task, 0, 1)
        ((row,),) = reference.outcomes(plan_of(nodes), [one_sample], RunOptions())
        known: dict[Node, Any] = dict(zip(nodes, row))
        for node in ops:
            arguments = tuple(known[arg] for arg in node.args)
            seen.setdefault(node.head, []).append(arguments)
    return {name: calls[:8] for name, calls in seen.items()}


def single_ops(bench: Bench) -> Measure:
    """Each first-order op on real arguments: the geometric mean of the ratios."""
    from arcbatt import _core
    from arcbatt.engine.backends.native import CoreOptions

    options = CoreOptions(DEFAULT_LIMITS)
    ratios: dict[str, float] = {}
    for name, calls in _real_arguments(bench).items():
        python = mean(_best(plain_op(name), arguments) for arguments in calls)
        native = mean(_core.time_op(name, a, options.limits, 200, options.foreign) for a in calls)
        ratios[name] = python / native
    figure = exp(mean(map(log, ratios.values())))
    slowest = ", ".join(f"{name} {ratios[name]:.0f}x" for name in sorted(ratios, key=ratios.__getitem__)[:6])
    return Measure(
        "single ops, geometric mean", figure, "x", 55, True, f"{len(ratios)} ops; least: {slowest}"
    )


def _best(body: Callable[..., Any], arguments: tuple[Value, ...]) -> float:
    """Seconds of one call: the best of five rounds of twenty."""

    def twenty_calls() -> None:
        for _ in range(20):
            body(*arguments)

    return min(seconds(twenty_calls) for _ in range(5)) / 20


def threads(bench: Bench) -> Measure:
    """Two threads against one on all pairs."""
    tasks = bench.tasks[:: 8 if bench.quick else 2]
    one, two = (
        min(seconds_of(run(bench.programs, tasks, "all", "native", count)) for _ in range(2))
        for count in (1, 2)
    )
    return Measure("two threads : one, all pairs", one / two, "x", 1.8, True, f"{one:.2f} s and {two:.2f} s")


def overhead(bench: Bench) -> Measure:
    """What a trivial op costs inside a program, machine included."""
    task, count = bench.tasks[0], 20_000
    chain = [Node.op("identity", Node.input("I"))]
    for _ in range(count):
        chain.append(Node.op("identity", chain[-1]))
    sizes = Node.op("size", chain[0])
    for node in chain[1 : count // 4]:
        sizes = Node.op("add", sizes, Node.op("size", node))
    nanoseconds = {}
    for name, root in (("identity", chain[-1]), ("identity, size and add", sizes)):
        program = Program("trivial", "solver", ("I",), root)
        least = min(seconds_of(run([program], [task], "all", "native", 1)) for _ in range(10))
        nanoseconds[name] = least / len(task.samples) / len(program.nodes) * 1e9
    detail = ", ".join(f"{name} {spent:.1f} ns" for name, spent in nanoseconds.items())
    return Measure("machine and a trivial op", max(nanoseconds.values()), "ns", 40, False, detail)


def peak_memory() -> float:
    """The most memory that this process has had, in MB; what its parent had does not count."""
    return int(STATUS.read_text().split("VmHWM:")[1].split()[0]) / 1024


def memory(bench: Bench) -> Measure:
    """Peak memory of a process that runs 400 programs on all samples."""
    script = (
        "import random, arcbatt as ab\n"
        "from arcbatt.library import load_library\n"
        "from arcbatt.testing.random_programs import mutated\n"
        "programs, chance = list(load_library('solvers')), random.Random(1)\n"
        "more = [mutated(p, chance) for p in programs]\n"
        "ab.run(ab.merge((programs + more)[:400]), ab.load_tasks('arc1/training'), 'all', 'native')\n"
        "from arcbatt.bench.measures import peak_memory\n"
        "print(peak_memory())\n"
    )
    return Measure(
        "peak memory, 400 programs, all pairs", figure_of(script), "MB", 300, False, "whole process"
    )


# Figures that a system has no means for are left out: Windows cannot stop plain Python that runs away, and
# only Linux tells the peak of memory.
AGAINST_PLAIN = (own_tasks, all_pairs, population) if find_spec("resource") else ()
MEASURES = (*AGAINST_PLAIN, single_ops, threads, overhead, *([memory] if STATUS.exists() else ()))
