"""The results of a run: a verdict for each program, task and sample, outputs on demand, and statistics."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from arcbatt.arguments import require_kind, shown
from arcbatt.dsl.contract import (
    BEST_SCORE,
    COLOR_COUNT,
    EXACT,
    FAILED,
    NO_SCORE,
    PART_OF_CELLS,
    PART_OF_COLORS,
    PART_OF_SIDE,
    UNJUDGED,
    WRONG,
    Status,
)
from arcbatt.dsl.failures import KINDS, Failure, Kind
from arcbatt.dsl.own.errors import OpError, summed
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value
from arcbatt.errors import AmbiguousName, ArcbattError, ResultMissing
from arcbatt.program.graph import Batt, Program
from arcbatt.program.names import ProgramIndex
from arcbatt.rendered import Rendered, Tabular
from arcbatt.tasks import Task
from arcbatt.tasks.intake import id_of
from arcbatt.tasks.sample_names import sample_name
from arcbatt.text import plural, shorten, solved_in_words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from arcbatt.engine.backend import RunOptions

# Exact or not; the kind of a failure; None for a value that is compared with nothing.
Verdict: TypeAlias = bool | Kind | None
Outputs: TypeAlias = Sequence[Value | Failure]
# The verdicts and scores of a task as backends write them: program by program, sample by sample.
Judged: TypeAlias = tuple[bytes, bytes]
Ending = Literal["ok", "failed", "timeout", "out of memory", "crashed", "given up", "refused"]
Result = TypeVar("Result")

# The meaning of a verdict's byte.
FAILURES: dict[int, Kind] = {FAILED + Status[kind]: kind for kind in KINDS}
VERDICTS: dict[int, Verdict] = {WRONG: False, EXACT: True, UNJUDGED: None, **FAILURES}


def verdict_code(outcome: Value | Failure, expected: Any, judged: bool) -> int:
    """The verdict on an outcome, as a byte; an outcome that is not judged is neither right nor wrong."""
    if isinstance(outcome, Failure):
        return FAILED + Status[outcome.kind]
    if expected is None or not judged:
        return UNJUDGED
    return EXACT if outcome == expected else WRONG


def failures_in(rows: Sequence[bytes]) -> dict[Kind, int]:
    """The number of failures among verdicts, by kind."""
    return {kind: sum(row.count(code) for row in rows) for code, kind in FAILURES.items()}


def with_failures(verdicts: bytes, solvers: Sequence[int], failures: bytes, samples: int) -> bytes:
    """Verdicts of mode `default` with the `failures` that some solvers, by place, have in mode `fail`.

    An exact output stays exact; any other output counts as failed if a node failed in mode `fail`.

    >>> type_failure = verdict_code(Failure("TYPE"), None, True)
    >>> [VERDICTS[code] for code in with_failures(bytes([WRONG, EXACT]), [0], bytes([type_failure] * 2), 2)]
    ['TYPE', True]
    """
    import numpy as np  # not above: the import takes longer than the start of a command without it

    if not failures:
        return verdicts
    changed = np.frombuffer(verdicts, np.uint8).reshape(-1, samples).copy()
    failed = np.frombuffer(failures, np.uint8).reshape(-1, samples)
    of_solvers = changed[solvers]
    changed[solvers] = np.where((failed >= FAILED) & (of_solvers != EXACT), failed, of_solvers)
    return changed.tobytes()


def partial_score(outcome: Value | Failure, expected: Any) -> int:
    """How near an output comes to the expected grid, from 0 to 1000; 1000 for the expected output alone.

    100 for the right height and 100 for the right width, 700 for the share of right cells in the larger of
    the two grids, 100 for the share of common colours in the colours of both; each is rounded down. Integers
    that are no colour, 0 to 9, count as one colour more. A failure, or a value that is no grid, has 0.

    >>> partial_score(((1, 2), (3, 4)), ((1, 2), (3, 3)))
    800
    >>> partial_score(((1, 2),), ((1, 2), (3, 3)))
    516
    """
    if isinstance(outcome, Failure):
        return 0
    if outcome == expected:
        return BEST_SCORE
    if not (is_filled_grid(outcome) and is_filled_grid(expected)):
        return 0
    given: Any = outcome
    sides = (len(given) == len(expected)) + (len(given[0]) == len(expected[0]))
    right = sum(a == b for rows in zip(given, expected) for a, b in zip(*rows))
    larger = max(len(grid) * len(grid[0]) for grid in (given, expected))
    found, wanted = (
        {cell if 0 <= cell < COLOR_COUNT else COLOR_COUNT for row in grid for cell in row}
        for grid in (given, expected)
    )
    colors = PART_OF_COLORS * len(found & wanted) // len(found | wanted)
    score: int = PART_OF_SIDE * sides + PART_OF_CELLS * right // larger + colors
    return score


def score_of(outcome: Value | Failure) -> int:
    """The score of a differ's outcome: the Integer that the pair begins with, or NO_SCORE.

    >>> score_of((700, ()))
    700
    """
    if type(outcome) is tuple and len(outcome) == 2 and type(outcome[0]) is int:
        return outcome[0]
    return NO_SCORE


class OpFault(NamedTuple):
    """A kind of fault of own ops on a sample: the first program that it came up in, and in how many it did.

    `row` is the number of that program among those that ran together.
    """

    error: OpError
    row: int
    programs: int

    def of(self, program: Program, task: str, sample: str) -> OpError:
        """The fault with its first case."""
        return replace(self.error, program=program.name, task=task, sample=sample, count=self.programs)


@dataclass(frozen=True)
class Reply(Generic[Result]):
    """The result of a piece of work in a worker, or why there is none.

    `kind` is the class of the exception if the status is `failed`, the end of the process (`SIGSEGV`,
    `exit 3`) if it is `crashed`, the op at fault if it was `given up`, and what a task weighs that was
    `refused`. `reason` says more on a failure and on an op that was given up. `op` is the user's own op that
    was at work when a limit of time or memory, or a crash, came. `seen` are the faults of own ops.
    """

    status: Ending
    result: Result | None = None
    kind: str = ""
    reason: str = ""
    op: str = field(default="", repr=False)
    seen: tuple[OpFault, ...] = field(default=(), repr=False)


class LostSample(NamedTuple):
    """A program on a sample, both by their places in a record, that has no result; and how it ended."""

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

    def codes(self, place: int) -> bytes:
        """The verdicts on a program, one for each sample."""
        count = len(self.task.samples)
        return self.verdicts[place * count : (place + 1) * count]

    def solved_by(self) -> Iterator[Program]:
        """The programs that are exact on every sample with a known output."""
        samples = self.task.samples
        known = [number for number, sample in enumerate(samples) if sample.output is not None]
        first = self.verdicts[known[0] :: len(samples)] if known else b""  # most programs fail here already
        place = first.find(EXACT)
        while place >= 0:
            start = place * len(samples)
            if all(self.verdicts[start + number] == EXACT for number in known):
                yield self.programs[place]
            place = first.find(EXACT, place + 1)

    def outcomes(self) -> "Iterator[Outcome]":
        """The outcome of each program, without its outputs."""
        return (self.outcome(place, _without_outputs) for place in range(len(self.programs)))

    def outcome(self, place: int, rerun: Callable[[Program, Task], Outputs]) -> "Outcome":
        """The outcome of the program at a place; `rerun` computes its outputs when they are asked for."""
        count = len(self.task.samples)
        scores = memoryview(self.scores[4 * place * count : 4 * (place + 1) * count]).cast("i")
        return Outcome(
            self.programs[place],
            self.task,
            tuple(map(VERDICTS.__getitem__, self.codes(place))),
            tuple(None if score == NO_SCORE else score for score in scores),
            rerun,
            self.lost_of(place) + len(self.ends),
            self.refused,
        )

    @property
    def refused(self) -> str:
        """Why no program ran on the task; empty if some did."""
        return self.ends[0][1].kind if self.ends and self.ends[0][1].status == "refused" else ""

    def lost_of(self, place: int) -> int:
        """The number of samples on which the program at a place, for itself, has no result."""
        return bisect_left(self.lost, (place + 1,)) - bisect_left(self.lost, (place,)) if self.lost else 0


def _without_outputs(program: Program, task: Task) -> Outputs:
    raise ArcbattError(f"the outputs of {program.name} on {task.id} are not kept; run it alone to see them")


def joined(task: Task, programs: Sequence[Program], parts: Sequence[Record]) -> Record:
    """The record of a task from records of some of its programs each, in the order of `programs`.

    Programs of which no part tells are left out.
    """
    if len(parts) == 1 and len(parts[0].programs) == len(programs):
        return parts[0]._replace(programs=programs)
    told, verdicts, scores = _rows_in_order(task, programs, parts)
    ends = {number: end for part in reversed(parts) for number, end in part.ends}
    whole = programs if len(told) == len(programs) else tuple(told)
    place_of = {id(program): place for place, program in enumerate(told)}
    lost = [one._replace(place=place_of[id(part.programs[one.place])]) for part in parts for one in part.lost]
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
    place_of = {id(program): place for place, program in enumerate(programs)}
    filled = (part for part in parts if part.programs)
    in_order = sorted(filled, key=lambda part: place_of[id(part.programs[0])])
    told = [program for part in in_order for program in part.programs]
    if told == list(programs):  # the usual case: each part has some neighbours
        verdicts = b"".join(part.verdicts for part in in_order)
        return told, verdicts, b"".join(part.scores for part in in_order)
    count = len(task.samples)
    rows: dict[int, tuple[bytes, bytes]] = {}
    for part in parts:
        for place, program in enumerate(part.programs):
            rows[id(program)] = part.codes(place), part.scores[4 * place * count : 4 * (place + 1) * count]
    told = [program for program in programs if id(program) in rows]
    verdicts, scores = (b"".join(rows[id(program)][column] for program in told) for column in (0, 1))
    return told, verdicts, scores


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


@dataclass
class Stats:
    """The numbers of a run, and its time.

    `seconds` are those of the run itself, including packing; `seconds_by_stage` has earlier stages, too.
    `threads` are those of this process, or of all nodes of a cluster, one for each place where a unit runs.
    `elements` counts those that higher-order ops applied functions to in the core of this process, and
    `elements_in_columns` those of them that ran all at once.
    """

    backend: str
    why: str
    threads: int
    programs: int = 0
    tasks: int = 0
    nodes: int = 0
    evaluations: int = 0
    failures: dict[Kind, int] = field(default_factory=dict)
    seconds: float = 0.0
    seconds_by_stage: dict[str, float] = field(default_factory=dict)
    elements: int = 0
    elements_in_columns: int = 0

    @property
    def evaluations_per_second(self) -> float:
        """Programs run on samples in a second."""
        return self.evaluations / self.seconds if self.seconds else 0.0


class Results(Rendered, Tabular):
    """The outcomes of a run by (program, task); each is made when it is asked for.

    A program is asked for by itself, by its hash, or by its name; a name that several programs share means
    none of them. A task is asked for by itself or by its id.
    """

    def __init__(
        self,
        stats: Stats,
        rerun: Callable[[Program, Task], Outputs],
        options: "RunOptions | None" = None,
        whole: Batt | None = None,
    ) -> None:
        self.stats = stats
        self.options, self.whole = options, whole  # in mode `pile` results depend on the whole batt
        self.records: dict[str, Record] = {}
        self._rerun = rerun
        self._asked: dict[tuple[str, int], Outcome] = {}
        self._indices: dict[int, ProgramIndex] = {}  # by the ids of the programs, which the records keep

    def add(self, record: Record) -> None:
        """Add the record of a task; one that was refused counts neither as a task nor as evaluations."""
        require_kind(record, Record, "record of a task; `records` of results has them")
        self.records[record.task.id] = record
        self.__dict__.pop("solved", None)
        if record.refused:
            return
        self.stats.evaluations += len(record.verdicts)
        self.stats.tasks += bool(record.programs)

    @cached_property
    def solved(self) -> frozenset[tuple[str, str]]:
        """The pairs (program name, task id) that are exact on every sample with a known output."""
        return frozenset(
            (program.name, task_id)
            for task_id, record in self.records.items()
            for program in record.solved_by()
        )

    @property
    def tasks_solved(self) -> int:
        """The number of tasks that some program solves."""
        return len({task_id for _, task_id in self.solved})

    @property
    def solved_in_words(self) -> str:
        """The number of solved tasks as text, and of solving pairs if several programs solve a task."""
        return solved_in_words(len(self.solved), self.tasks_solved, self.stats.tasks)

    @property
    def programs_run(self) -> int:
        """The number of programs that ran on some task: with pairs `own` some may have none."""
        ran = {id(record.programs): record.programs for record in self.records.values()}
        return len({id(program) for programs in ran.values() for program in programs})

    def failures(self) -> dict[Kind, int]:
        """The number of failed evaluations by kind."""
        return failures_in([record.verdicts for record in self.records.values()])

    @property
    def op_errors(self) -> tuple[OpError, ...]:
        """The faults of a user's own ops: exceptions and wrong results, by op and line, the first first."""
        return summed(error for record in self.records.values() for error in record.op_errors)

    @property
    def lost(self) -> Counter[tuple[Ending, str]]:
        """The number of evaluations without a result, by how they ended and by own op or signal."""
        ends = (lost.end for record in self.records.values() for lost in record.lost)
        return Counter((end.status, end.kind or end.op) for end in ends)

    @property
    def refused(self) -> dict[str, str]:
        """The tasks that were too heavy to run any program on them, by id, and what each of them weighs."""
        return {task_id: record.refused for task_id, record in self.records.items() if record.refused}

    @property
    def given_up(self) -> dict[str, str]:
        """The own ops that were stopped so often that programs with them did not run any more, and why."""
        ends = (lost.end for record in self.records.values() for lost in record.lost)
        return {end.kind: end.reason for end in ends if end.status == "given up"}

    def __getitem__(self, key: tuple[Program | str, Task | str]) -> Outcome:
        record, places = self._found(key)
        if record is None or not places:
            raise ResultMissing(
                f"there is no result for {shown(key)} in this run; ask for (program name, task id)"
                f"{self._nearest(key)}"
            )
        outcomes = [self._remembered(record, place) for place in places]
        if len({(outcome.verdicts, outcome.scores) for outcome in outcomes}) > 1:
            lines = ", ".join(str(outcome.program.line) for outcome in outcomes)
            raise AmbiguousName(
                f"{outcomes[0].program.name!r} stands in lines {lines} of its file, and in mode pile these "
                "gave different results; go through the results to see them all"
            )
        return outcomes[0]

    def _nearest(self, key: object) -> str:
        """A hint at a task or program of a name that is nearly the one asked for."""
        match key:
            case (str() as program, str() as task):
                near = get_close_matches(task, self.records, 1)
                names = [each.name for each in self.records[near[0]].programs] if near else []
                known = get_close_matches(program, names, 1)
                return f"; the nearest is {(known[0], near[0])!r}" if known else ""
        return ""

    def __contains__(self, key: object) -> bool:
        try:
            return bool(self._found(key)[1])
        except AmbiguousName:
            return False

    def _found(self, key: object) -> tuple[Record | None, list[int]]:
        """The record of a task, and the places of the program in it."""
        match key:
            case ((Program() | str()) as program, task):
                record = self.records.get(task.id if isinstance(task, Task) else id_of(task) or "")
                if record is not None:
                    return record, self._index(record.programs).places(program)
        return None, []

    def _index(self, programs: Sequence[Program]) -> ProgramIndex:
        """The index of some programs by name, shared by tasks that ran the same ones."""
        known = self._indices.get(id(programs))
        if known is None or known.programs is not programs:
            known = self._indices[id(programs)] = ProgramIndex(programs)
        return known

    def _remembered(self, record: Record, place: int) -> Outcome:
        """The outcome of a place, the same object at each call, so that its outputs are computed once."""
        known = self._asked.get((record.task.id, place))
        if known is None or known.task is not record.task:
            known = self._asked[record.task.id, place] = record.outcome(place, self._rerun)
        return known

    def __iter__(self) -> Iterator[Outcome]:
        for record in self.records.values():
            for place in range(len(record.programs)):
                yield record.outcome(place, self._rerun)

    def __len__(self) -> int:
        return sum(len(record.programs) for record in self.records.values())

    def __repr__(self) -> str:
        stats = self.stats
        programs, tasks = plural(self.programs_run, "program"), plural(stats.tasks, "task")
        return f"<results of {programs} on {tasks}, {self.tasks_solved:,} solved>"

    def summary(self) -> dict[str, Any]:
        """The run in numbers, as plain data."""
        stats = self.stats
        lost = {" ".join(filter(None, how)): count for how, count in sorted(self.lost.items())}
        errors = [error.as_json() for error in self.op_errors]
        return {
            "programs": stats.programs,
            "tasks": stats.tasks,
            "evaluations": stats.evaluations,
            "solved": len(self.solved),
            "tasks_solved": self.tasks_solved,
            "seconds": round(stats.seconds, 6),
            "evaluations_per_second": round(stats.evaluations_per_second, 1),
            "backend": stats.backend,
            "threads": stats.threads,
            **({"lost": lost} if lost else {}),
            **({"refused": self.refused} if self.refused else {}),
            **({"given_up": self.given_up} if self.given_up else {}),
            **({"op_errors": errors} if errors else {}),
        }


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `results` has the tasks that were done."""

    def __init__(self, results: Results) -> None:
        super().__init__("the run was interrupted")
        self.results = results
