"""The measurements of a cluster on the cores of this machine: `python -m arcbatt.bench.cluster`."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import Terms
from arcbatt.bench.archive import population
from arcbatt.bench.measures import STATUS, Measure, seconds_of
from arcbatt.engine.cluster.local import LOCAL
from arcbatt.engine.cluster.pool import ClusterPool
from arcbatt.engine.cores import cores
from arcbatt.engine.records.record import Record
from arcbatt.engine.results import Results
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task, load_tasks
from arcbatt.text import plural

RESULTS, RESULTS_IF_QUICK = 1_000_000, 100_000
REPEATS = 3
LONGER = 4  # times as many results for the overhead, so that the first second of a run counts little
SETTLED = 0.2  # of the results, after which the memory should grow no further
UNITS, UNITS_IF_QUICK = 20_000, 4_000  # that do nothing, for the pace of the queue


def megabytes() -> float:
    """The memory that this process has now."""
    return int(STATUS.read_text().split("VmRSS:")[1].split()[0]) / 1024


@dataclass
class Driver:
    """Writes results to an archive as a command does, and notes how its memory grows."""

    archive: Archive
    results: int = 0
    memory: list[tuple[int, float]] = field(default_factory=list)
    terms: Terms = field(default_factory=Terms)

    def add(self, record: Record) -> None:
        """Take the results of a portion."""
        self.archive.add_record(record, self.terms)
        self.archive.settle()
        self.results += len(record.programs)
        self.memory.append((self.results, megabytes()))

    def growth(self) -> float:
        """Megabytes from the moment at which all is warm to the end."""
        settled = next(size for count, size in self.memory if count >= SETTLED * self.results)
        return self.memory[-1][1] - settled


def on_cluster(programs: Sequence[Program], tasks: Sequence[Task]) -> Results:
    """A run on a cluster of this machine's cores."""
    return run(programs, tasks, "all", "native", cluster=LOCAL)


def overhead(programs: Sequence[Program], tasks: Sequence[Task]) -> Measure:
    """The same run on the same cores, without Ray and with it; the start of Ray does not count.

    Each runs several times in turn, and the medians count.
    """
    times = [_times(programs, tasks) for _ in range(REPEATS)]
    seconds, on_ray, start = map(median, zip(*times))
    detail = (
        f"{len(programs) * len(tasks):,} results in {seconds:.1f} s on {plural(cores(), 'thread')}, in "
        f"{on_ray:.1f} s on a cluster of the same cores, which took {start:.1f} s to start"
    )
    return Measure("overhead of a cluster", 100 * (on_ray / seconds - 1), "%", 10, False, detail)


def _times(programs: Sequence[Program], tasks: Sequence[Task]) -> tuple[float, float, float]:
    """The seconds of a run without Ray, of one with it, and of the start of Ray."""
    here = seconds_of(run(programs, tasks, "all", "native"))
    there = on_cluster(programs, tasks)
    return here, seconds_of(there), there.stats.seconds_by_stage["reaching the cluster"]


def through_the_driver(programs: Sequence[Program], tasks: Sequence[Task]) -> Iterator[Measure]:
    """Results from a cluster into an archive: the driver's pace and memory."""
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "bench.db") as archive:
        driver, started = Driver(archive), process_time()
        run(programs, tasks, "all", "native", partial_scores=True, on_record=driver.add, cluster=LOCAL)
        archive.commit()
        processor = process_time() - started
    pace = driver.results / processor / 1000
    detail = f"{driver.results:,} results in {processor:.1f} s of the processor of the driver"
    yield Measure("results through the driver", pace, "thousand a CPU second", 50, True, detail)
    detail = f"from {SETTLED:.0%} of {driver.results:,} results on, {driver.memory[-1][1]:.0f} MB at the end"
    yield Measure("growth of the driver's memory", driver.growth(), "MB", 64, False, detail)


def units_a_second(count: int) -> Measure:
    """Units that do nothing: how many places a driver can keep busy with units of a second."""
    pool: ClusterPool[int, int] = ClusterPool(abs, LOCAL, lambda _: None)
    with pool:
        answers = pool.as_answered(iter(range(count)))
        next(answers)
        started = perf_counter()
        done = sum(1 for _ in answers)
        seconds = perf_counter() - started
        places = pool.cluster.places
    detail = f"{done:,} empty units in {seconds:.1f} s on {places} places"
    return Measure("units a second", done / seconds, "a second", 100, True, detail)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what a cluster costs: each figure is of this one run, on this machine."""
    parser = argparse.ArgumentParser(description=main.__doc__, prog="python -m arcbatt.bench.cluster")
    parser.add_argument("--quick", action="store_true", help="less work, rougher figures")
    given = parser.parse_args(arguments)
    tasks = list(load_tasks("arc1/training"))
    count = (RESULTS_IF_QUICK if given.quick else RESULTS) // len(tasks)
    programs = population(count)
    try:
        for measure in through_the_driver(programs, tasks):  # first: memory that is free later hides growth
            print(measure.line(), flush=True)
        print(overhead(population(LONGER * count), tasks).line(), flush=True)
        print(units_a_second(UNITS_IF_QUICK if given.quick else UNITS).line(), flush=True)
    except ArcbattError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
