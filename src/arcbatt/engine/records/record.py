"""The record of a task, and the outcome of each of its programs."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from arcbatt.dsl.contract import EXACT, NO_SCORE, WRONG
from arcbatt.dsl.failures import KINDS, Kind
from arcbatt.dsl.own.errors import OpError, summed
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import VERDICTS, Judged, Outputs, Verdict
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.rendered import Rendered
from arcbatt.tasks import Task
from arcbatt.tasks.sample_names import sample_name
from arcbatt.text import shorten

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class LostSample(NamedTuple):
    """A program on a sample, both by their indices in a record, that has no result; and how it ended."""

    place: int
    sample: int
    end: Reply[Judged]


class Record(NamedTuple):
    """The results of one task: its programs, and for each program and sample a verdict and a score.

    The score of a solver is its partial score, if the run was asked for these.
    `ends` are the samples whose worker failed, by number, or all samples of a task that was refused; no
    program is exact or has a score there.
    `lost` are single programs on samples of which the same is true, in order. `op_errors` are the faults of
    a user's own ops, each kind with its first case and its count.
    """

    task: Task
    programs: Sequence[Program]
    verdicts: bytes
    scores: bytes
    ends: tuple[tuple[int, Reply[Judged]], ...] = ()
    lost: tuple[LostSample, ...] = ()
    op_errors: tuple[OpError, ...] = ()

    def table(self) -> "npt.NDArray[np.uint8]":
        """The verdicts as an array, with a row for each program and a column for each sample.

        >>> import arcbatt as ab
        >>> programs = ab.parse_programs("def a(I): return I\\ndef b(I): return divide(I, 0)")
        >>> task = ab.Task("t", demo=(ab.Sample(((1,),), ((1,),)), ab.Sample(((2,),), ((1,),))), test=())
        >>> ab.run(programs, task, "all").records["t"].table() == EXACT
        array([[ True, False],
               [False, False]])
        """
        import numpy as np  # not above: the import takes longer than the start of a command without it

        codes = np.frombuffer(self.verdicts, np.uint8)
        return codes.reshape(len(self.programs), len(self.task.samples))

    def codes(self, index: int) -> bytes:
        """The verdicts on a program, one for each sample."""
        count = len(self.task.samples)
        return self.verdicts[index * count : (index + 1) * count]

    def solved_by(self) -> Iterator[Program]:
        """The programs that are exact on every sample with a known output."""
        samples = self.task.samples
        known = [number for number, sample in enumerate(samples) if sample.output is not None]
        first = self.verdicts[known[0] :: len(samples)] if known else b""  # most programs fail here already
        index = first.find(EXACT)
        while index >= 0:
            start = index * len(samples)
            if all(self.verdicts[start + number] == EXACT for number in known):
                yield self.programs[index]
            index = first.find(EXACT, index + 1)

    def outcomes(self) -> "Iterator[Outcome]":
        """The outcome of each program, without its outputs."""
        return (self.outcome(index, _without_outputs) for index in range(len(self.programs)))

    def outcome(self, index: int, rerun: Callable[[Program, Task], Outputs]) -> "Outcome":
        """The outcome of the program at an index; `rerun` computes its outputs when they are asked for."""
        count = len(self.task.samples)
        scores = memoryview(self.scores[4 * index * count : 4 * (index + 1) * count]).cast("i")
        return Outcome(
            self.programs[index],
            self.task,
            tuple(map(VERDICTS.__getitem__, self.codes(index))),
            tuple(None if score == NO_SCORE else score for score in scores),
            rerun,
            self.lost_of(index) + len(self.ends),
            self.refused,
        )

    @property
    def refused(self) -> str:
        """Why no program ran on the task; empty if some did."""
        return self.ends[0][1].kind if self.ends and self.ends[0][1].status == "refused" else ""

    def lost_of(self, index: int) -> int:
        """The number of samples on which the program at an index, for itself, has no result."""
        return bisect_left(self.lost, (index + 1,)) - bisect_left(self.lost, (index,)) if self.lost else 0


def _without_outputs(program: Program, task: Task) -> Outputs:
    raise ArcbattError(f"the outputs of {program.name} on {task.id} are not kept; run it alone to see them")


def joined(task: Task, programs: Sequence[Program], parts: Sequence[Record]) -> Record:
    """The record of a task from records of some of its programs each, in the order of `programs`.

    Programs of which no part tells are left out.
    """
    if len(parts) == 1 and len(parts[0].programs) == len(programs):
        return parts[0]._replace(programs=programs)
    present, verdicts, scores = _rows_in_order(task, programs, parts)
    ends = {number: end for part in reversed(parts) for number, end in part.ends}
    whole = programs if len(present) == len(programs) else tuple(present)
    index_of = {id(program): index for index, program in enumerate(present)}
    lost = [one._replace(place=index_of[id(part.programs[one.place])]) for part in parts for one in part.lost]
    errors = sorted((error for part in parts for error in part.op_errors), key=lambda error: error.rank)
    return Record(
        task,
        whole,
        verdicts,
        scores,
        tuple(sorted(ends.items(), key=itemgetter(0))),
        tuple(sorted(lost, key=itemgetter(0, 1))),
        summed(errors),
    )


def _rows_in_order(
    task: Task, programs: Sequence[Program], parts: Sequence[Record]
) -> tuple[list[Program], bytes, bytes]:
    """The programs that some part tells of, in order, with their verdicts and scores."""
    index_of = {id(program): index for index, program in enumerate(programs)}
    filled = (part for part in parts if part.programs)
    in_order = sorted(filled, key=lambda part: index_of[id(part.programs[0])])
    present = [program for part in in_order for program in part.programs]
    if present == list(programs):  # the usual case: each part has some neighbours
        verdicts = b"".join(part.verdicts for part in in_order)
        return present, verdicts, b"".join(part.scores for part in in_order)
    count = len(task.samples)
    rows: dict[int, tuple[bytes, bytes]] = {}
    for part in parts:
        for index, program in enumerate(part.programs):
            rows[id(program)] = part.codes(index), part.scores[4 * index * count : 4 * (index + 1) * count]
    present = [program for program in programs if id(program) in rows]
    verdicts, scores = (b"".join(rows[id(program)][column] for program in present) for column in (0, 1))
    return present, verdicts, scores


class RecordBuilder:
    """The record of some programs on a task, filled in with replies for some of its samples.

    `indices` are those of the programs in their batt, by default the numbers of their rows: they rank faults.
    """

    def __init__(self, task: Task, programs: Sequence[Program], indices: Sequence[int] | None = None) -> None:
        self._task, self._programs = task, programs
        self._indices = range(len(programs)) if indices is None else indices
        self._samples = len(task.samples)
        self._cells = len(programs) * self._samples
        self._whole: Judged | None = None
        self._ends: list[tuple[int, Reply[Judged]]] = []
        self._lost: list[LostSample] = []
        self._errors: list[OpError] = []

    def add(self, first: int, count: int, reply: Reply[Judged], rows: Sequence[int] | None = None) -> None:
        """Enter what became of all programs, or those of some rows, on `count` samples from `first` on."""
        rows = range(len(self._programs)) if rows is None else rows
        for fault in reply.seen:
            row = rows[fault.row]
            error = fault.of(self._programs[row], self._task.id, sample_name(self._task, first))
            self._errors.append(replace(error, rank=(first, self._indices[row])))
        if reply.result is None:
            self._ends.append((first, reply))
        elif len(rows) * count == self._cells:
            self._whole = reply.result
        else:
            verdicts, scores = reply.result
            for number, row in enumerate(rows):
                cell, given = row * self._samples + first, number * count
                self._verdicts[cell : cell + count] = verdicts[given : given + count]
                self._scores[4 * cell : 4 * (cell + count)] = scores[4 * given : 4 * (given + count)]

    def lose(self, sample: int, reply: Reply[Judged], rows: Iterable[int]) -> None:
        """Enter that the programs of some rows, each for itself, have no result on a sample."""
        self._lost += [LostSample(row, sample, reply) for row in rows]

    def record(self) -> Record:
        """The record; where nothing was entered, no program is exact or has a score."""
        verdicts, scores = self._whole or (bytes(self._verdicts), bytes(self._scores))
        lost = tuple(sorted(self._lost, key=itemgetter(0, 1)))
        errors = summed(sorted(self._errors, key=lambda error: error.rank))
        return Record(self._task, self._programs, verdicts, scores, tuple(self._ends), lost, errors)

    @cached_property
    def _verdicts(self) -> bytearray:
        return bytearray([WRONG]) * self._cells

    @cached_property
    def _scores(self) -> bytearray:
        return bytearray(array("i", [NO_SCORE]).tobytes()) * self._cells


def record_of(
    task: Task, programs: Sequence[Program], replies: Iterable[tuple[int, Reply[Judged]]]
) -> Record:
    """The record of a task from replies for its samples in order, each after the number of its samples."""
    builder, first = RecordBuilder(task, programs), 0
    for count, reply in replies:
        builder.add(first, count, reply)
        first += count
    return builder.record()


def refused_record(task: Task, programs: Sequence[Program], reason: str) -> Record:
    """The record of a task that is too heavy to run any program on it."""
    end: Reply[Judged] = Reply("refused", kind=reason)
    return record_of(task, programs, ((1, end) for _ in task.samples))


@dataclass(frozen=True, repr=False)
class Outcome(Rendered):
    """One program on one task.

    `scores` are a differ's, or the partial scores of a solver if the run was asked for them (see
    `partial_score`); None where there is no score. `lost` is the number of samples that a limit of time or
    memory, or a crash, has ended: the program is not exact there. `refused` says why a task was too heavy to
    run any program on it.
    """

    program: Program
    task: Task
    verdicts: tuple[Verdict, ...]
    scores: tuple[int | None, ...]
    _rerun: Callable[[Program, Task], Outputs] = field(compare=False)
    lost: int = 0
    refused: str = ""

    @property
    def demo(self) -> tuple[bool | None, ...]:
        """For each demo sample whether the output is exact; None for a differ, which is not judged."""
        return self._exact[: len(self.task.demo)]

    @property
    def test(self) -> tuple[bool | None, ...]:
        """For each test sample whether the output is exact; None also where the right one is unknown."""
        return self._exact[len(self.task.demo) :]

    @cached_property
    def _exact(self) -> tuple[bool | None, ...]:
        judged = self.program.kind == "solver"
        return tuple(
            verdict is True if judged and sample.output is not None else None
            for verdict, sample in zip(self.verdicts, self.task.samples)
        )

    @property
    def solved(self) -> bool:
        """Whether every sample with a known output is exact."""
        known = [exact for exact in self._exact if exact is not None]
        return bool(known) and all(known)

    @property
    def failures(self) -> dict[Kind, int]:
        """The number of failed samples by kind."""
        found = [verdict for verdict in self.verdicts if isinstance(verdict, str)]
        return {kind: found.count(kind) for kind in KINDS if kind in found} if found else {}

    @cached_property
    def outputs(self) -> Outputs:
        """For each sample, demo then test, a value or a Failure; computed when first asked for."""
        return self._rerun(self.program, self.task)

    @property
    def shares(self) -> tuple[str, str]:
        """The exact ones of the judged demo samples and test samples, as text such as 2/3."""
        known = ([exact for exact in part if exact is not None] for part in (self.demo, self.test))
        demo, test = (f"{sum(part)}/{len(part)}" if part else "unknown" for part in known)
        return demo, test

    def __repr__(self) -> str:
        demo, test = self.shares
        failures = "".join(f", {kind} {count}" for kind, count in self.failures.items())
        failures += f", lost {self.lost}" if self.lost else ""
        return (
            f"<{shorten(self.program.name)} on {shorten(self.task.id)}: demo {demo}, test {test}{failures}>"
        )

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain data; in JSON, None of `demo` and `test` is null."""
        return {
            "program": self.program.name,
            "task": self.task.id,
            "demo": list(self.demo),
            "test": list(self.test),
            "solved": self.solved,
            "failures": self.failures,
            **({"lost": self.lost} if self.lost else {}),
            **({"refused": self.refused} if self.refused else {}),
        }
