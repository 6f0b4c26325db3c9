"""The work that every runner does: a plan with the backend and the options to run it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from arcbatt.dsl.contract import Judging
from arcbatt.engine.backend import Backend, FailureMode, Job, Report, RunOptions
from arcbatt.engine.plan import Plan, plan, plan_of_lines
from arcbatt.engine.records.verdicts import Judged, Outputs, with_failures
from arcbatt.program.graph import Batt, Program
from arcbatt.tasks.samples import TaskLike


def plan_for(batt: Batt, on_failure: FailureMode) -> Plan:
    """The plan of a batt in a failure mode: in mode `pile` all lines run, in file order."""
    return plan_of_lines(batt) if on_failure == "pile" else plan(batt)


@dataclass(frozen=True)
class Work:
    """A plan with the backend and the options to run it, in this process or in a worker.

    `programs` are the programs of the roots; verdicts need them. `solving` is the plan of the solvers alone:
    in mode `default` it runs in mode `fail` besides, to tell which solvers failed at some node. With
    `partial_scores` solvers get partial scores.
    """

    backend: Backend
    plan: Plan
    options: RunOptions
    programs: Sequence[Program] = ()
    solving: Plan | None = None
    partial_scores: bool = False

    def outputs(self, tasks: Sequence[TaskLike]) -> list[list[Outputs]]:
        """For each task, for each sample the outcomes of the roots."""
        return list(self.backend.outcomes(self.plan, tasks, self.options))

    def judge(
        self, tasks: Sequence[TaskLike], report: Report, wanted: Sequence[Sequence[int]] | None = None
    ) -> dict[str, float]:
        """Judge all programs, or on each task the wanted ones; returns the seconds spent by stage."""
        every = range(len(self.plan.roots))
        asked = wanted or [every] * len(tasks)
        return self.backend.run(Job(self.plan, self._judging, tasks, asked, self.options), report)

    def judged(
        self, tasks: Sequence[TaskLike], wanted: Sequence[Sequence[int]] | None = None
    ) -> list[Judged]:
        """The verdicts and scores on each task: of all programs, or of those at the wanted places.

        With `solving`, a solver that failed at some node, and is not exact, has the failure as its verdict.
        """
        found: dict[int, Judged] = {}
        self.judge(tasks, lambda number, verdicts, scores: found.update({number: (verdicts, scores)}), wanted)
        judged = [found[number] for number in range(len(tasks))]
        if self.solving is None or not self.solving.roots:
            return judged
        asked = wanted or [range(len(self.programs))] * len(tasks)
        numbers = {place: number for number, place in enumerate(self._solvers)}
        of_solvers = [[numbers[place] for place in places if place in numbers] for places in asked]
        rows = [[row for row, place in enumerate(places) if place in numbers] for places in asked]
        return [
            (with_failures(verdicts, solvers, failures, len(task.samples)), scores)
            for task, (verdicts, scores), solvers, (failures, _) in zip(
                tasks, judged, rows, self._failing.judged(tasks, of_solvers)
            )
        ]

    @cached_property
    def _judging(self) -> list[Judging]:
        """How the result of each program is judged."""
        of_solvers = Judging.in_parts if self.partial_scores else Judging.as_whole
        return [of_solvers if program.kind == "solver" else Judging.as_score for program in self.programs]

    @cached_property
    def _solvers(self) -> list[int]:
        """The places of the solvers."""
        return [place for place, program in enumerate(self.programs) if program.kind == "solver"]

    @cached_property
    def _failing(self) -> "Work":
        """The solvers in mode `fail`."""
        assert self.solving is not None
        options = replace(self.options, on_failure="fail")
        return Work(self.backend, self.solving, options, [self.programs[place] for place in self._solvers])
