"""The faults of own ops on one sample, and the programs that they came up in: whatever ran the sample."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from arcbatt.dsl.own.errors import Fault, OpError
from arcbatt.engine.plan import Plan
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.tasks.sample_names import sample_name


class Sighting(NamedTuple):
    """A kind of fault on a sample: the first program that it came up in, by place, and in how many it did."""

    error: OpError
    place: int
    programs: int

    def on(self, programs: Sequence[Program], place: int, task: Task, sample: int) -> OpError:
        """The same with its first case: the program at a place, on a sample of a task."""
        named = self._replace(place=place).of(programs, task.id, sample_name(task, sample))
        return replace(named, rank=(sample, place))

    def of(self, programs: Sequence[Program], task: str, sample: str) -> OpError:
        """The same where the sample is known by its name."""
        name = programs[self.place].name
        return replace(self.error, program=name, task=task, sample=sample, count=self.programs)


def sightings(
    notes: Iterable[tuple[Any, Fault]], plan: Plan, wanted: Sequence[int] | None = None
) -> tuple[Sighting, ...]:
    """The kinds of fault among notes of failed nodes, in the order of the programs: all, or the wanted ones.

    A fault comes up in every program that has the failed node: that program alone would have met it, too. So
    the count does not depend on which programs ran together.
    """
    notes = list(notes)
    if not notes:
        return ()
    programs = _programs_by_node(plan, range(len(plan.roots)) if wanted is None else wanted)
    concerned: dict[tuple[str, str, str, int], int] = {}
    first: dict[tuple[str, str, str, int], tuple[int, Fault]] = {}
    met: set[Any] = set()
    for node, fault in notes:
        if node in met:  # a lane that ran out of memory has started again
            continue
        met.add(node)
        places = programs.get(node, 0)
        if places:
            place = _lowest(places)
            concerned[fault.key] = concerned.get(fault.key, 0) | places
            if fault.key not in first or place < first[fault.key][0]:
                first[fault.key] = place, fault
    return tuple(
        Sighting(fault.error, place, concerned[fault.key].bit_count())
        for place, fault in sorted(first.values(), key=itemgetter(0))
    )


def _programs_by_node(plan: Plan, wanted: Sequence[int]) -> dict[Any, int]:
    """For each node the wanted programs that have it, as the bits of a number."""
    places = [0] * len(plan.steps)
    for place, root in enumerate(wanted):
        places[plan.roots[root]] |= 1 << place
    for number in range(len(places) - 1, -1, -1):
        for arg in plan.steps[number].args:
            places[arg] |= places[number]
    found: dict[Any, int] = {}
    for step, bits in zip(plan.steps, places):
        found[step.node] = found.get(step.node, 0) | bits
    return found


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
