"""What `solve` has found: the answers of each task, and what the search took."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, get_args

from arcbatt.arguments import require_count, require_flags, shown
from arcbatt.errors import ArcbattError, ResultMissing
from arcbatt.program.graph import Program
from arcbatt.program.parse import parse_programs
from arcbatt.rendered import Rendered, Tabular
from arcbatt.search.solve.answers import Answer, Source
from arcbatt.search.solve.ranking import guessed
from arcbatt.search.state_codec import count_from, program_as_json, program_from, require_form
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, id_of
from arcbatt.tasks.read import grid_from_json
from arcbatt.tasks.submission import ATTEMPTS, NO_ANSWER
from arcbatt.tasks.tasks import Grid
from arcbatt.text import plural

SURE_COST = 16  # of programs that fit with a longer description, half are wrong on test inputs
FORM = 1  # of the text in an archive; another form is refused
LAST_GUESSES: tuple[Grid, ...] = (NO_ANSWER, ((1,),))  # for an input that is such a grid itself


class SearchStage(IntEnum):
    """How far the search on a task is: known programs have run, then a small budget, then a large one."""

    new = 0
    crossed = 1
    small = 2
    large = 3


@dataclass(frozen=True)
class TaskAnswers(Rendered):
    """The answers of a task, best first, and what they took; `ended` says what ended the last search.

    `refused` says why a task was too heavy to be searched on.
    """

    task: Task
    answers: tuple[Answer, ...] = ()
    stage: SearchStage = SearchStage.new
    steps: int = 0
    vectors: int = 0
    seconds: float = 0.0
    peak_bytes: int = 0
    replay_failures: int = 0
    ended: str = ""
    refused: str = ""

    @property
    def fits(self) -> bool:
        """Whether an answer is exact on all demo samples."""
        return any(answer.fits for answer in self.answers)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do: a task with a short program that fits gets no large budget."""
        is_sure = self.fits and self.answers[0].cost <= SURE_COST
        return self.stage == SearchStage.large or (self.stage == SearchStage.small and is_sure)

    def guesses(self, most: int, *, fitting: bool = False) -> list[list[Grid]]:
        """For each test input the first `most` distinct outputs; with `fitting` those of fits alone."""
        require_count("most", most)
        require_flags(fitting=fitting)
        chosen = [answer for answer in self.answers if answer.fits or not fitting]
        return guessed(self.task, chosen, most)

    def right(self, most: int, *, fitting: bool = False) -> list[bool | None]:
        """For each test input whether one of the first `most` outputs is right; None if nobody knows."""
        return [
            None if sample.output is None else sample.output in grids
            for sample, grids in zip(self.task.test, self.guesses(most, fitting=fitting))
        ]

    def as_json(self) -> dict[str, Any]:
        """The answers as plain data."""
        return {
            "task": self.task.id,
            "stage": self.stage.name,
            "fits": self.fits,
            "answers": [answer.as_json() for answer in self.answers],
            "steps": self.steps,
            "vectors": self.vectors,
            "seconds": round(self.seconds, 3),
            "peak_bytes": self.peak_bytes,
            "replay_failures": self.replay_failures,
            "ended": self.ended,
            **({"refused": self.refused} if self.refused else {}),
        }

    def state(self) -> dict[str, Any]:
        """The same for an archive, where programs are graphs."""
        state = self.as_json() | {"form": FORM, "stage": int(self.stage)}
        for row, answer in zip(state["answers"], self.answers):
            row["graph"] = program_as_json(answer.program)
            del row["code"]
        return state


def task_answers_from(task: Task, data: Any) -> TaskAnswers:
    """The answers that `state`, or a line of JSON, tells; anything else raises an error.

    Lines of older versions have no stage: they were written only when a task was done.
    """
    is_line = "form" not in data
    if not is_line:
        require_form(data, FORM)
    return TaskAnswers(
        task,
        tuple(_answer_from(task, row) for row in data["answers"]),
        SearchStage[data.get("stage", "large")] if is_line else SearchStage(data["stage"]),
        count_from(data["steps"]),
        count_from(data["vectors"]),
        float(data["seconds"]),
        count_from(data["peak_bytes"]),
        count_from(data["replay_failures"]),
        str(data["ended"]),
        str(data.get("refused", "")),
    )


def program_of_row(row: Mapping[str, Any]) -> Program:
    """The program of an answer as plain data, under its name; data that is damaged raises an error."""
    if "graph" in row:
        program = program_from(*row["graph"])
    else:
        (program,) = parse_programs(row["code"], strict=True)
        program = program.altered(name=str(row["program"]))
    if program.hash != row["hash"]:
        raise ValueError(f"the program of {row['program']!r} has another hash")
    return program


def _answer_from(task: Task, row: Mapping[str, Any]) -> Answer:
    program = program_of_row(row)
    outputs = tuple(None if grid is None else grid_from_json("an output", grid) for grid in row["outputs"])
    if len(outputs) != len(task.test):
        raise ValueError(f"{len(outputs)} outputs for {len(task.test)} test inputs")
    cost, layers, demos = (count_from(row[name]) for name in ("cost", "layers", "demos"))
    source, provenance = row["source"], dict(row["provenance"])
    if source not in get_args(Source):
        raise ValueError(f"expected a source of {', '.join(get_args(Source))}, got {shown(source)}")
    return Answer(task, program, cost, layers, demos, source, outputs, provenance)


@dataclass(frozen=True)
class SolveProgress:
    """How far a search is, all tasks together."""

    tasks: int
    over: int
    fitted: int
    stage: SearchStage
    steps: int
    vectors: int
    steps_per_second: float  # since the search was started or resumed


class RightCounts(NamedTuple):
    """Right test inputs, and tasks of which all are right, with the numbers of those that are known."""

    samples: int
    known_samples: int
    tasks: int
    known_tasks: int


@dataclass
class Solution(Rendered, Tabular):
    """The answers of all tasks, by id, and what the search took.

    `seconds` are those of this process, also if the search was resumed, and so are `cpu_seconds`, which have
    those of the nodes of a cluster, too.
    """

    tasks: tuple[Task, ...]
    guesses: int = 2
    found: dict[str, TaskAnswers] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    interrupted: bool = False

    def __getitem__(self, task: GivenTasks) -> TaskAnswers:
        found = self.found.get(id_of(task) or "")
        if found is None:
            how = "ask for one of `tasks`, or for its id"
            raise ResultMissing(f"task {shown(task)} is not one of those that were to be solved; {how}")
        return found

    @property
    def answers(self) -> list[Answer]:
        """The best answer of each task that has one, in the order of the tasks."""
        return [found.answers[0] for found in self.found.values() if found.answers]

    @property
    def fits(self) -> list[Answer]:
        """The best answers that are exact on all demo samples."""
        return [answer for answer in self.answers if answer.fits]

    @property
    def steps(self) -> int:
        """The templates that were applied."""
        return sum(found.steps for found in self.found.values())

    @property
    def vectors(self) -> int:
        """The distinct value vectors that were found."""
        return sum(found.vectors for found in self.found.values())

    @property
    def peak_bytes(self) -> int:
        """The most memory that the search on a task took."""
        return max((found.peak_bytes for found in self.found.values()), default=0)

    @property
    def replay_failures(self) -> int:
        """The explanations that the engine did not confirm; each is an error of arcbatt."""
        return sum(found.replay_failures for found in self.found.values())

    @property
    def refused(self) -> dict[str, str]:
        """The tasks that were too heavy, by id, and what each of them weighs."""
        return {name: found.refused for name, found in self.found.items() if found.refused}

    def right(self, most: int, *, fitting: bool = False) -> "RightCounts":
        """What is right with so many guesses, as far as right outputs are known."""
        require_count("most", most)
        require_flags(fitting=fitting)
        rows = [found.right(most, fitting=fitting) for found in self.found.values()]
        known = [row for row in rows if row and None not in row]
        samples = [right for row in rows for right in row if right is not None]
        return RightCounts(sum(samples), len(samples), sum(map(all, known)), len(known))

    def predictions(self) -> dict[str, list[list[Grid]]]:
        """Two distinct grids for each test input of each task, for a submission.

        Where there are fewer outputs, the input itself is a guess, and then a single cell.
        """
        return {
            name: [
                list(dict.fromkeys([*grids, sample.input, *LAST_GUESSES]))[:ATTEMPTS]
                for grids, sample in zip(found.guesses(ATTEMPTS), found.task.test)
            ]
            for name, found in self.found.items()
        }

    def summary(self) -> dict[str, Any]:
        """The search in numbers, as plain data."""
        right = {str(most): self.right(most)._asdict() for most in range(1, self.guesses + 1)}
        return {
            "tasks": len(self.tasks),
            "fits": len(self.fits),
            "answered": len(self.answers),
            **({"right": right} if self.right(1).known_samples else {}),
            "steps": self.steps,
            "vectors": self.vectors,
            "peak_bytes": self.peak_bytes,
            "replay_failures": self.replay_failures,
            **({"refused": self.refused} if self.refused else {}),
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
        }

    def __repr__(self) -> str:
        found = f"programs that fit {plural(len(self.fits), 'task')} of {len(self.tasks):,}"
        return f"<solution: {found}, after {plural(self.steps, 'step')}>"


class SolveStopped(ArcbattError):
    """An error that ended a search, such as a full disk; `solution` has what was found by then."""

    def __init__(self, reason: str, solution: Solution) -> None:
        super().__init__(reason)
        self.solution = solution


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C during a search; `solution` has what was found by then."""

    def __init__(self, solution: Solution) -> None:
        super().__init__("the search was interrupted")
        self.solution = solution
