"""The work that every pool does: a plan with the backend and the options to run it, on chunks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Protocol

from arcbatt.dsl.contract import Judging
from arcbatt.dsl.own.errors import OpError
from arcbatt.engine.backend import Backend, FailureMode, Job, Report, RunOptions
from arcbatt.engine.chunks import TRIAL, Chunk, ChunkQueue
from arcbatt.engine.plan import Plan, plan, plan_of_lines
from arcbatt.engine.records.record import LostSample
from arcbatt.engine.records.verdicts import Judged, Outputs, with_failures
from arcbatt.program.graph import Batt, Program

CALL = 1.0  # seconds of a call of the engine, after each of which the pace is measured anew


class ChunkReport(Protocol):
    """Called with each finished chunk, its verdicts and scores as in `Report`, and what else a record has."""

    def __call__(
        self,
        chunk: Chunk,
        verdicts: bytes,
        scores: bytes,
        lost: tuple[LostSample, ...] = (),
        op_errors: tuple[OpError, ...] = (),
    ) -> None: ...


def plan_for(batt: Batt, on_failure: FailureMode) -> Plan:
    """The plan of a batt in a failure mode: in mode `pile` all lines run, in file order."""
    return plan_of_lines(batt) if on_failure == "pile" else plan(batt)


@dataclass(frozen=True)
class Work:
    """A plan with the backend and the options to run it, in this process or in a worker.

    `programs` are the programs of the roots; verdicts need them. With `partial_scores` solvers get partial
    scores. `failing` is the work of the solvers in mode `fail`: in mode `default` it runs besides, to tell
    which solvers failed at some node. Where only some programs of a batt are planned, `rows` has their
    numbers here by their indices in the batt, which chunks name.
    """

    backend: Backend
    plan: Plan
    options: RunOptions
    programs: Sequence[Program] = ()
    failing: "Work | None" = None
    partial_scores: bool = False
    rows: Mapping[int, int] | None = None

    @classmethod
    def of_batt(cls, batt: Batt, backend: Backend, options: RunOptions, partial_scores: bool) -> "Work":
        """The work of a batt, which tells failures of solvers also in mode `default`."""
        work = cls(backend, plan_for(batt, options.on_failure), options, batt.programs, None, partial_scores)
        solvers = [index for index, program in enumerate(batt.programs) if program.kind == "solver"]
        if options.on_failure != "default" or not solvers:
            return work
        failing = replace(work.of_some(solvers), options=replace(options, on_failure="fail"))
        return replace(work, failing=replace(failing, partial_scores=False))

    def of_some(self, indices: Sequence[int]) -> "Work":
        """The work of some of the programs, planned by themselves."""
        programs = [self.programs[index] for index in indices]
        rows = {index: row for row, index in enumerate(indices)}
        return replace(self, plan=plan(programs), programs=programs, failing=None, rows=rows)

    def on_threads(self, threads: int) -> "Work":
        """The same work on so many threads."""
        failing = None if self.failing is None else self.failing.on_threads(threads)
        return replace(self, options=replace(self.options, threads=threads), failing=failing)

    def rows_of(self, chunk: Chunk) -> Sequence[int]:
        """The numbers of the roots of a chunk's programs."""
        return chunk.programs if self.rows is None else [self.rows[index] for index in chunk.programs]

    def outputs(self, chunks: Iterable[Chunk]) -> list[list[Outputs]]:
        """For each chunk, for each sample the outcomes of all roots."""
        return list(self.backend.outcomes(self.plan, [chunk.task for chunk in chunks], self.options))

    def judge(self, chunks: Sequence[Chunk], report: Report) -> dict[str, float]:
        """Judge chunks, and report each by its number among them; returns the seconds spent by stage."""
        tasks, wanted = [chunk.task for chunk in chunks], list(map(self.rows_of, chunks))
        return self.backend.run(Job(self.plan, self._judging, tasks, wanted, self.options), report)

    def judged(self, chunks: Sequence[Chunk]) -> list[Judged]:
        """The verdicts and scores of each chunk.

        With `failing`, a solver that failed at some node, and is not exact, has the failure as its verdict.
        """
        found: dict[int, Judged] = {}
        self.judge(chunks, lambda number, *judged: found.update({number: judged}))
        judged = [found[number] for number in range(len(chunks))]
        if self.failing is None or self.failing.rows is None:
            return judged
        solvers = self.failing.rows
        rows = [[row for row, index in enumerate(chunk.programs) if index in solvers] for chunk in chunks]
        of_solvers = [
            chunk._replace(programs=[chunk.programs[row] for row in some])
            for chunk, some in zip(chunks, rows)
        ]
        return [
            (with_failures(verdicts, some, failures, len(chunk.samples)), scores)
            for chunk, (verdicts, scores), some, (failures, _) in zip(
                chunks, judged, rows, self.failing.judged(of_solvers)
            )
        ]

    def judge_tasks(
        self, wanted: Iterable[Chunk], report: ChunkReport, at_once: bool = False
    ) -> dict[str, float]:
        """Judge tasks in this process, `at_once` or in chunks as they come; returns the seconds by stage."""

        def judge(chunks: Sequence[Chunk]) -> dict[str, float]:
            return self.judge(chunks, lambda number, *judged: report(chunks[number], *judged))

        if at_once:
            return judge(list(wanted))
        stages: Counter[str] = Counter()
        queue, threads, seconds = ChunkQueue(wanted, self.plan.whole), self.options.threads, TRIAL
        while chunks := queue.take(seconds * threads):
            started = perf_counter()
            stages.update(judge(chunks))
            queue.note(chunks, (perf_counter() - started) * threads)
            seconds = CALL
        return dict(stages)

    @cached_property
    def _judging(self) -> list[Judging]:
        """How the result of each program is judged."""
        of_solvers = Judging.in_parts if self.partial_scores else Judging.as_whole
        return [of_solvers if program.kind == "solver" else Judging.as_score for program in self.programs]
