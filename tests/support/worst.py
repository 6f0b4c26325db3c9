"""A search for the program that costs most: random programs, climbed by mutation for time or for memory.

For maintainers: `PYTHONPATH=tests python -m support.worst --seconds 60 --for time`. Each program is evaluated
on one sample with a large grid, natively, under the default limits, in a child process; the worst so far is
printed.
"""

import resource
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from time import monotonic, perf_counter
from typing import Literal

from arcbatt.engine.backend import RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import plan_of
from arcbatt.library import load_library
from arcbatt.program.emit import source
from arcbatt.program.graph import Program
from arcbatt.tasks.samples import Samples, TaskLike
from arcbatt.testing.random_programs import mutated, random_program

Aim = Literal["time", "memory"]
LONGEST = 60.0  # seconds after which an evaluation is given up
KEPT = 16  # programs that mutation starts from
WIDTHS = (30, 120, 500)  # of the grids; the last is about as heavy as a value may be
COLORS = (2, 10, 1 << 31)


@dataclass(frozen=True)
class Cost:
    """What one evaluation took: seconds, and bytes beyond those that the process had before."""

    seconds: float
    memory: int

    def of(self, aim: Aim) -> float:
        """The one that is sought."""
        return self.seconds if aim == "time" else self.memory


def sample(seed: int) -> TaskLike:
    """A sample whose input is a large grid of random colours."""
    random = Random(seed)
    width, colors = random.choice(WIDTHS), random.choice(COLORS)
    rows = tuple(tuple(random.randrange(colors) for _ in range(width)) for _ in range(width))
    small = tuple(row[:20] for row in rows[:20])
    return Samples("worst", ((small, small),), [(rows, None)])


def cost_of(program: Program, inputs: TaskLike) -> Cost:
    """What an evaluation costs, in a child process; one that takes too long counts with the time it had."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_evaluate, args=(program, inputs, there))
    child.start()
    there.close()
    try:
        cost: Cost = here.recv() if here.poll(LONGEST) else Cost(LONGEST, 0)
    except EOFError:
        cost = Cost(LONGEST, 1 << 40)  # the process died
    child.kill()
    child.join()
    return cost


def _evaluate(program: Program, inputs: TaskLike, there: Connection) -> None:
    backend, _ = choose("native")
    plan, options = plan_of([program.root]), RunOptions(threads=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = perf_counter()
    for _ in backend.outcomes(plan, [inputs], options):
        pass
    seconds = perf_counter() - started
    there.send(Cost(seconds, 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)))


def search(aim: Aim, seconds: float, seed: int = 0) -> Iterator[tuple[Cost, Program, int]]:
    """The worst program so far with its cost and the seed of its sample, each time a worse one is found."""
    random, ends = Random(seed), monotonic() + seconds
    library = list(load_library("solvers"))
    kept: list[tuple[float, Program, int]] = []
    while monotonic() < ends:
        number = random.randrange(64)
        if kept and random.randrange(4):
            _, program, number = random.choice(kept)
            for _ in range(1 + random.randrange(3)):
                program = mutated(program, random)
        elif random.randrange(3):
            program = random_program(random, 4 + random.randrange(20))
        else:
            program = random.choice(library)
        cost = cost_of(program, sample(number))
        if not kept or cost.of(aim) > kept[0][0]:
            yield cost, program, number
        kept = sorted([*kept, (cost.of(aim), program, number)], key=lambda entry: -entry[0])[:KEPT]


def main() -> None:
    """Search for some seconds and print each program that is worse than all before."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--for", dest="aim", choices=("time", "memory"), default="time")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for cost, program, number in search(options.aim, options.seconds, options.seed):
        print(f"{cost.seconds:.3f} s, {cost.memory / 2**20:.0f} MiB, sample {number}", flush=True)
        print(source(program), flush=True)


if __name__ == "__main__":
    main()
