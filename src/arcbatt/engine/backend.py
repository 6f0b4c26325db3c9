"""The protocol of backends, and the jobs and options that they get."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from arcbatt.arguments import require_count, require_kind
from arcbatt.dsl.contract import Judging
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import Callee
from arcbatt.dsl.values import Value, intake, weight
from arcbatt.engine.cores import cores
from arcbatt.engine.plan import Plan
from arcbatt.engine.results import Outputs
from arcbatt.errors import BackendError, ValueRefused
from arcbatt.program.graph import Node
from arcbatt.settings import SettingSpec
from arcbatt.tasks import Task
from arcbatt.tasks.samples import Samples, TaskLike
from arcbatt.text import shorten

if TYPE_CHECKING:
    from arcbatt.engine.gpu.gpu import Gpu

BackendName = Literal["auto", "reference", "native", "cuda", "emulated"]
FailureMode = Literal["fail", "default", "pile"]
OWN_SECONDS = 60.0  # time limit for a sample, if ops of a user's own run on it
ColumnMode = Literal["worthwhile", "never", "always"]
MOST_THREADS = 1024  # more threads, or worker processes, help on no machine


def on_failure_setting(modes: Sequence[str]) -> SettingSpec:
    """What takes the place of a failed op's value, in one of some modes."""
    help = "What a failed op gives. fail: no value; default: the default value of its op"
    pile = "; pile: what a batt file of that style gives" if "pile" in modes else ""
    file = "; file: what the style of the given file gives" if "file" in modes else ""
    return SettingSpec(f"{help}{pile}{file}.", name="on_failure", allowed=tuple(modes))


@dataclass(frozen=True)
class RunOptions:
    """The limits of a run, the failure mode (what becomes of a failed node), and the number of threads.

    The ops named in `on_reference` run in Python on every backend. `columns` says where the core runs a
    function over all elements of a container at once: where that pays, never, or wherever it can. It pays
    wherever it can, so far. No result depends on it.
    """

    limits: Limits = DEFAULT_LIMITS
    on_failure: FailureMode = "fail"
    threads: int = 1
    on_reference: frozenset[str] = frozenset()
    columns: ColumnMode = "worthwhile"


@dataclass(frozen=True)
class Job:
    """A plan to judge: what the outcomes of its roots are, and which roots are wanted for each task.

    A root's number in `judged` is a `Judging` of the contract: a differ's score, or an output, which is
    compared with C and may get a partial score.
    """

    plan: Plan
    judged: Sequence[int]
    tasks: Sequence[TaskLike]
    wanted: Sequence[Sequence[int]]
    options: RunOptions


class SolverScores(NamedTuple):
    """The verdicts on the solvers of a task, and the scores of their outputs on its first samples.

    `verdicts` are as in a `Record`. `outputs` has for each solver and scored sample the number of its output
    among the distinct ones of that sample, a u32, or NO_OUTPUT where it is exact. `scores` has for each
    scored sample the scores, as in a `Record`, of each differ for each of these outputs.
    """

    verdicts: bytes
    outputs: bytes
    scores: list[bytes]


NO_OUTPUT = 0xFFFFFFFF


class Examination(NamedTuple):
    """What was found of candidates on the samples of a task, as bytes: candidate by candidate.

    `verdicts` and `scores` are as in a `Record`, with partial scores. `behaviours` has a u64 a candidate, see
    `behaviour_of`. `outputs` and `marks` are as in `SolverScores`.
    """

    verdicts: bytes
    scores: bytes
    behaviours: bytes
    outputs: bytes
    marks: list[bytes]


# Judges the roots of candidates on a task that stays the same; the roots of solvers, with C withheld.
Examiner = Callable[[Sequence[Node]], Examination]

# Called with each finished task: its number in the job, and the verdicts and scores of each wanted root on
# each sample, as `results.py` encodes them.
Report = Callable[[int, bytes, bytes], None]

# The nanoseconds that the thread has run.
Clock = Callable[[], int]


def require_limits(limits: object) -> None:
    """Refuse anything but `Limits`."""
    require_kind(limits, Limits, "limits; arcbatt.Limits(...) makes them")


def how_many(name: str, asked: int | None) -> int:
    """The number of threads or worker processes to use: by default the number of cores.

    >>> how_many("threads", 3)
    3
    """
    if asked is None:
        return min(cores(), MOST_THREADS)
    require_count(name, asked, 1, MOST_THREADS)
    return asked


def task_input(task_id: str, value: Any, limits: Limits) -> Value:
    """An input of a task as a value; the error for a bad one names the task."""
    try:
        return intake(value, limits)
    except ValueRefused as refusal:
        raise type(refusal)(f"task {shorten(task_id)}: {refusal}") from None


def too_heavy(task: Task, limits: Limits) -> str:
    """Why a task is too heavy to run any program on it; empty if it is not.

    >>> task = Task("mirror", demo=(Sample(((1, 2),), ((2, 1),)),), test=())
    >>> too_heavy(task, Limits(items=9)), too_heavy(task, DEFAULT_LIMITS)
    ('S weighs 10 items, more than the limit of 9', '')
    """
    weights = {"S": 1 + sum(1 + _weight(before) + _weight(after) for before, after in task.demo)}
    for number, (given, expected) in enumerate(task.test, 1):
        weights[f"the input of test {number}"] = _weight(given)
        weights[f"the output of test {number}"] = 0 if expected is None else _weight(expected)
    for name, weighs in weights.items():
        if weighs > limits.items:
            return f"{name} weighs {weighs:,} items, more than the limit of {limits.items:,}"
    return ""


def _weight(value: Any) -> int:
    """The weight of a value. Grids are most of them: their cells are not looked at one by one."""
    if isinstance(value, tuple | list):
        if all(isinstance(row, tuple | list) and row and type(row[0]) is int for row in value):
            return 1 + len(value) + sum(map(len, value))
        return 1 + sum(map(_weight, value))
    return weight(value)


@dataclass(frozen=True)
class Elements:
    """The elements that higher-order ops applied functions to, and how many of them ran in columns.

    >>> Elements(30, 20) + Elements(10, 10)
    Elements(count=40, in_columns=30)
    """

    count: int = 0
    in_columns: int = 0

    def __add__(self, other: "Elements") -> "Elements":
        return Elements(self.count + other.count, self.in_columns + other.in_columns)

    def __sub__(self, other: "Elements") -> "Elements":
        return Elements(self.count - other.count, self.in_columns - other.in_columns)

    @property
    def share(self) -> float:
        """The share of the elements that ran in columns."""
        return self.in_columns / self.count if self.count else 0.0


class StepTime(NamedTuple):
    """A step in a profile: the number of its turns, their nanoseconds, and how many of them failed.

    `elements` are those that it applied functions to; the reference does not count them.
    """

    turns: int
    nanoseconds: int
    failures: int
    elements: Elements = Elements()


class Backend(ABC):
    """A way to run programs. All backends give the same values and the same failures.

    The attributes tell the differences, so that no caller asks for the name of a backend.
    """

    name: BackendName
    in_core: bool = True  # it runs in the compiled core
    uses_threads: bool = True  # it runs samples on threads; if not, only worker processes are faster
    tells_times: bool = False  # it has `profile`
    decides: bool = False  # its `pick` chooses between other backends
    gpus: "Sequence[Gpu]" = ()  # the GPUs it runs on
    reran: int = 0  # samples that ran on the CPU although they were meant for a GPU
    elements: Elements = Elements()  # of all runs so far; the reference does not count them

    @abstractmethod
    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report its tasks in order; returns the seconds spent by stage."""

    @abstractmethod
    def score(self, job: Job, scored: Sequence[int], differs: Plan) -> list[SolverScores]:
        """Judge solvers, and run differs on each distinct output of a sample that is not exact.

        Of each task the first samples are scored, as many as `scored` says; `plan_for_outputs` plans differs.
        In mode `default`, a solver with a failed node whose output is not exact has the failure as verdict.
        """

    @abstractmethod
    def examiner(self, task: TaskLike, scored: int, options: RunOptions, differs: Plan) -> Examiner:
        """A function that judges candidates on one task, for which all is prepared but the candidates.

        Differs run on each distinct output of the first samples, as many as `scored` says.
        """

    @abstractmethod
    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""

    def caller(self, plan: Plan, options: RunOptions) -> "SampleCaller":
        """What runs a plan on single samples, one call after the other."""
        return SampleCaller(self, plan, options)

    @abstractmethod
    def call(self, callee: Callee, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """An op on values, or a call of the first value with the others."""

    @abstractmethod
    def call_many(
        self, callee: Callee, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """The same on each row of equally long columns.

        A row with an object that is no value fails with TYPE.
        """

    def can_run(self, plan: Plan) -> bool:
        """Whether the backend itself has all ops of a plan."""
        return True

    @property
    def for_one_op(self) -> "Backend":
        """The backend for a single op, which is never worth a device."""
        return self

    def pick(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        options: RunOptions,
        wanted: Sequence[Sequence[int]] | None = None,
    ) -> "tuple[Backend, str]":
        """The backend for some work, and why; `wanted` are the roots for each task, by default all."""
        return self, "there is no other to pick"

    def profile(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        options: RunOptions,
        on_task: Callable[[TaskLike], None],
        clock: Clock,
    ) -> list[StepTime]:
        """The times of the steps of a plan; the weight and work of a sample have no bound."""
        raise BackendError(f"backend {self.name!r} does not tell times by op")

    def time_of_nothing(self, count: int, options: RunOptions, clock: Clock) -> int:
        """The nanoseconds that a profile takes to time `count` steps that do nothing."""
        raise BackendError(f"backend {self.name!r} does not tell times by op")


class SampleCaller:
    """Runs a plan on single samples: a call gives the outcomes of the roots on a task of one sample."""

    def __init__(self, backend: Backend, plan: Plan, options: RunOptions) -> None:
        self.backend, self.plan, self.options = backend, plan, options

    def __call__(self, sample: Samples) -> Outputs:
        """The outcomes of the roots on a sample."""
        ((outcomes,),) = self.backend.outcomes(self.plan, [sample], self.options)
        return outcomes

    def verdicts(self, sample: Samples) -> bytes:
        """For each root the code of its verdict, as in a `Record`: from FAILED on, it has failed."""
        roots, found = range(len(self.plan.roots)), list[bytes]()
        judged = [Judging.as_score] * len(roots)
        job = Job(self.plan, judged, [sample], [roots], self.options)
        self.backend.run(job, lambda task, verdicts, scores: found.append(verdicts))
        return found[0]
