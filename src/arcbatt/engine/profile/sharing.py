"""The time that sharing by value would save: one run for nodes of equal op and equal argument values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import Backend, RunOptions
from arcbatt.engine.plan import Plan, with_all_outcomes
from arcbatt.engine.profile.costs import Cost, PlanRuns, computes, is_due
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.tasks.samples import TaskLike, some_of

MOST_OUTCOMES = 40_000  # values to compare, unless a single sample has more


@dataclass(frozen=True)
class Sharing:
    """The runs compared, those that repeat another run on the same sample, and their share of the time.

    The engine shares equal expressions, not equal values: this is what it would save if it did.
    """

    samples: int
    runs: int
    repeats: int
    share_of_time: float


class Probe(NamedTuple):
    """A task whose runs are compared: the number of its work, its place in it, and some of its samples."""

    work: int
    place: int
    task: TaskLike


def sharing_by_value(
    backend: Backend, works: Sequence[PlanRuns], costs: Sequence[Sequence[Cost]], options: RunOptions
) -> Sharing:
    """The runs that repeat by value, on tasks spread evenly over all; `costs` are those of each step."""
    samples = runs = repeats = 0
    seconds = saved = 0.0
    for number, place, task in probes(works):
        plan = works[number].plan
        (rows,) = backend.outcomes(with_all_outcomes(plan), [task], options)
        samples += len(rows)
        for sample, row in enumerate(rows):
            for step, repeated in repeats_in(plan, row):
                if is_due(plan.steps[step].stage, place, sample):
                    spent = costs[number][step].seconds_per_turn
                    runs, repeats = runs + 1, repeats + repeated
                    seconds, saved = seconds + spent, saved + repeated * spent
    return Sharing(samples, runs, repeats, saved / seconds if seconds else 0.0)


def probes(works: Sequence[PlanRuns]) -> list[Probe]:
    """Every task, or every second, third and so on, so that there are not too many values to compare."""
    every = [
        Probe(number, place, task)
        for number, work in enumerate(works)
        for place, task in enumerate(work.tasks)
    ]
    outcomes = sum(len(work.plan.steps) * work.samples for work in works)
    chosen = every[:: 1 + outcomes // MOST_OUTCOMES]
    return [_shortened(probe, len(works[probe.work].plan.steps)) for probe in chosen]


def _shortened(probe: Probe, steps: int) -> Probe:
    most = max(1, MOST_OUTCOMES // steps)
    return probe._replace(task=some_of(probe.task, 0, most))


def repeats_in(plan: Plan, outcomes: Outputs) -> Iterator[tuple[int, bool]]:
    """The steps that ran on a sample, stage by stage, and whether each repeats an earlier one by value."""
    numbers: dict[Value, int] = {}  # equal values get the same number
    known = [
        None if isinstance(outcome, Failure) else numbers.setdefault(outcome, len(numbers))
        for outcome in outcomes
    ]
    seen: set[tuple[str | int | None, ...]] = set()
    for place in sorted(range(len(plan.steps)), key=lambda place: plan.steps[place].stage):
        step = plan.steps[place]
        arguments = [known[arg] for arg in step.args]
        if computes(step.node) and None not in arguments:
            run = (step.node.head, *arguments)
            yield place, run in seen
            seen.add(run)
