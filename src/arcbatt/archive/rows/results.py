"""Results as rows of the database, and back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from arcbatt.archive.rows.programs import PROGRAM_COLUMNS, PROGRAM_WIDTH, StoredProgram, stored_program
from arcbatt.archive.rows.tasks import task_from_text
from arcbatt.archive.terms import Terms
from arcbatt.dsl.contract import BEST_SCORE, EXACT, NO_SCORE
from arcbatt.dsl.encoding import decode, encode
from arcbatt.dsl.failures import KINDS, Failure
from arcbatt.dsl.values import Value
from arcbatt.engine.records.verdicts import VERDICTS, Outputs, Verdict
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.text import plural, shorten

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ENDED = 3  # the verdict on a sample whose worker was stopped or died: nothing is known of the program
NO_PART = 0xFFFF  # a partial score that is not there, as it is stored
LARGEST_SIZE = (1 << 20) - 1
TOLD: dict[int, Verdict | str] = {**VERDICTS, ENDED: "ended"}  # verdicts as an export has them
CODES = {verdict: code for code, verdict in TOLD.items()}


class ResultColumns(NamedTuple):
    """Columns of many results of a task that follow from verdicts and scores."""

    solved: "npt.NDArray[np.bool_]"
    demo_exact: "npt.NDArray[np.int64]"
    rank: "npt.NDArray[np.int64]"


def ranked(
    task: Task,
    verdicts: "npt.NDArray[np.uint8]",
    scores: "npt.NDArray[np.int32] | None",
    means: "npt.NDArray[np.float64] | None",
    sizes: "npt.NDArray[np.int64]",
) -> ResultColumns:
    """The ranks of results: exact demo samples, then the mean score of the demo samples, then the size.

    `scores` are partial scores, `means` the mean marks of differs on the samples that are not exact. The
    score is unknown without either, and where the worker of a sample ended, unless every demo sample is
    exact. A result with an unknown score ranks behind those with a known one.
    """
    import numpy as np  # not above: the import takes longer than the start of a command without it

    demo, exact = len(task.demo), verdicts == EXACT
    demo_exact = exact[:, :demo].sum(axis=1, dtype=np.int64)
    known = [number for number, sample in enumerate(task.samples) if sample.output is not None]
    solved = exact[:, known].all(axis=1) if known else np.zeros(len(verdicts), np.bool_)
    is_scored = demo_exact == demo
    if scores is not None:
        total = np.clip(scores[:, :demo], 0, BEST_SCORE).sum(axis=1, dtype=np.int64) * 1000
    else:
        total = demo_exact * (BEST_SCORE * 1000)
        if means is not None:
            total = total + np.rint((demo - demo_exact) * means * 1000).astype(np.int64)
    if scores is not None or means is not None:
        is_scored |= (verdicts != ENDED).all(axis=1)
    score = np.where(is_scored, total // demo + 1, 0) if demo else np.zeros_like(demo_exact)
    smallness = LARGEST_SIZE - np.minimum(sizes, LARGEST_SIZE)
    return ResultColumns(solved, demo_exact, (demo_exact << 40) | (score << 20) | smallness)


def score_of_rank(rank: int) -> float | None:
    """The mean score of the demo samples, from 0 to 1000; None if it is unknown.

    A rank holds the score in thousandths plus 1, so that 0 stands for unknown and sorts last.
    """
    score = (rank >> 20) & 0xFFFFF
    return (score - 1) / 1000 if score else None


def score_text(score: float | None) -> str:
    """A score as tables show it.

    >>> score_text(432.33), score_text(None)
    ('432.3', '-')
    """
    return "-" if score is None else f"{score:.1f}"


def stored_scores(scores: bytes) -> bytes:
    """Partial scores of a record as they are stored: two bytes each."""
    import numpy as np

    given = np.frombuffer(scores, np.intc)
    return np.where(given == NO_SCORE, NO_PART, given).astype("<u2").tobytes()


def scores_of(stored: bytes | None, samples: int) -> bytes:
    """Partial scores as a record has them; without any, each is NO_SCORE."""
    import numpy as np

    if stored is None:
        return np.full(samples, NO_SCORE, np.intc).tobytes()
    given = np.frombuffer(stored, "<u2").astype(np.intc)
    return np.where(given == NO_PART, NO_SCORE, given).astype(np.intc).tobytes()


@dataclass(frozen=True, repr=False)
class StoredResult:
    """One program on one task, as an archive has it.

    `verdicts` has one for each sample, demo then test, None also where a worker was stopped. `scores` are
    partial scores, if they were asked for, `mean` is the mean mark of differs. `rank` orders the results of
    a task, the best highest. `outputs` are those of a winner on test samples without a known output, by the
    number of the sample.
    """

    stored: StoredProgram
    task: str
    solved: bool
    demo_exact: int
    rank: int = field(repr=False)
    verdicts: tuple[Verdict, ...]
    scores: tuple[int | None, ...] | None
    mean: float | None
    terms_text: str = field(repr=False)
    task_text: str = field(repr=False)
    outputs_text: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.stored.name

    @property
    def score(self) -> float | None:
        """The mean score of the demo samples, partial or by differs, from 0 to 1000; None if unknown."""
        return score_of_rank(self.rank)

    @property
    def hash(self) -> str:
        """The hash of the program."""
        return self.stored.hash

    @property
    def size(self) -> int:
        """The number of lines of the program."""
        return self.stored.size

    @property
    def source(self) -> str:
        """The program as source text."""
        return self.stored.source

    @property
    def program(self) -> Program:
        """The program."""
        return self.stored.program

    @cached_property
    def demo_count(self) -> int:
        """The number of demo samples."""
        return len(self.whole_task.demo)

    @cached_property
    def terms(self) -> Terms:
        """The settings under which the result was found."""
        return terms_from_text(self.terms_text)

    @cached_property
    def whole_task(self) -> Task:
        """The task with its grids."""
        return task_from_text(self.task, self.task_text)

    @property
    def outputs(self) -> dict[int, Value | Failure]:
        """The outputs of a winner where the right one is not known, by the number of the sample."""
        return {} if self.outputs_text is None else outputs_from_text(self.outputs_text)

    def __repr__(self) -> str:
        score = "unknown" if self.score is None else score_text(self.score)
        exact = f"{self.demo_exact} exact, score {score}"
        told = "solved" if self.solved else exact
        return f"<{shorten(self.name)} on {shorten(self.task)}: {told}, {plural(self.size, 'line')}>"


RESULT_COLUMNS = (
    "results.terms, results.solved, results.demo_exact, results.rank, results.verdicts, results.scores, "
    "results.mean, outputs.outputs, " + PROGRAM_COLUMNS
)
RESULTS_JOINED = (
    "CROSS JOIN programs ON programs.id = results.program LEFT JOIN outputs ON outputs.task = results.task "
    "AND outputs.terms = results.terms AND outputs.program = results.program"
)


class OfTask(NamedTuple):
    """What many results of a task share: its id and its content, and the settings of terms by their ids."""

    name: str
    content: str
    terms: dict[int, str]


def stored_result(row: Sequence[Any], shared: OfTask) -> StoredResult:
    """A result from `RESULT_COLUMNS`."""
    terms, solved, demo_exact, rank, verdicts, scores, mean, outputs = row[:-PROGRAM_WIDTH]
    if type(rank) is not int or type(verdicts) is not bytes or not isinstance(scores, bytes | None):
        raise ArcbattError("a result is damaged; `arcbatt archive check` tells which")
    return StoredResult(
        stored_program(row[-PROGRAM_WIDTH:]),
        shared.name,
        bool(solved),
        demo_exact,
        rank,
        tuple(VERDICTS.get(code) for code in verdicts),
        None if scores is None else parts_of(scores),
        mean,
        shared.terms.get(terms, ""),
        shared.content,
        outputs,
    )


def parts_of(stored: bytes) -> tuple[int | None, ...]:
    """Stored partial scores as numbers, None where there is none."""
    pairs = zip(stored[::2], stored[1::2])
    return tuple(None if (low, high) == (255, 255) else low + 256 * high for low, high in pairs)


def terms_from_text(text: str) -> Terms:
    """The terms of a row."""
    try:
        return Terms.from_settings(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ArcbattError):
        raise ArcbattError("the terms of a result are damaged: they are no settings") from None


def outputs_text(task: Task, outputs: Outputs) -> str:
    """The outputs of a winner on the samples whose output is not known, as JSON."""
    unknown = [number for number, sample in enumerate(task.samples) if sample.output is None]
    return canonical({str(number): _output(outputs[number]) for number in unknown})


def _output(outcome: Value | Failure) -> Any:
    return {"failure": outcome.kind} if isinstance(outcome, Failure) else encode(outcome)


def outputs_from_text(text: str) -> dict[int, Value | Failure]:
    """The outputs of a row, by the number of the sample."""
    try:
        return {int(number): _outcome(data) for number, data in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, RecursionError, ArcbattError):
        raise ArcbattError("the outputs of a result are damaged: they are no values") from None


def _outcome(data: Any) -> Value | Failure:
    if isinstance(data, dict) and data.keys() == {"failure"}:
        if data["failure"] not in KINDS:
            raise ValueError(data)
        return Failure(data["failure"])
    return decode(data)
