"""What a search has found: the best program of each task, and how far the search went."""

from dataclasses import dataclass, field
from typing import Any

from arcbatt.engine.records.record import Outcome
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.rendered import Rendered
from arcbatt.tasks import Task
from arcbatt.text import plural

BAD_ENDS = ("timeout", "crashed", "out of memory")  # as the answers of workers have them
WAITS = "waits for an island that was stopped"


@dataclass(frozen=True)
class BestProgram(Rendered):
    """The best program of a task so far; `outcome` is what it did alone, apart from the search.

    `fitness` is what the search went by, `size` counts nodes. It was found within so many `steps` of its
    island.
    """

    task: Task
    program: Program
    fitness: float
    size: int
    steps: int
    outcome: Outcome = field(repr=False)

    @property
    def fits(self) -> bool:
        """Whether every demo sample is exact; test samples have no part in it."""
        return all(self.outcome.demo) and bool(self.outcome.demo)

    @property
    def score(self) -> float:
        """The mean partial score on demo samples, from 0 to 1000."""
        scores = self.outcome.scores[: len(self.task.demo)]
        return sum(score or 0 for score in scores) / max(1, len(scores))

    def as_json(self) -> dict[str, Any]:
        """The find as plain data."""
        return {
            **self.outcome.as_json(),
            "fits": self.fits,
            "score": round(self.score, 3),
            "size": self.size,
            "steps": self.steps,
            "hash": self.program.hash,
            "code": self.program.source(),
        }


@dataclass(frozen=True)
class EvolveProgress:
    """How far a search is, all islands together."""

    tasks: int
    fitted: int  # tasks with a program that is exact on all demo samples
    over: int  # islands that have been bred long enough
    islands: int
    generations: int
    steps: int
    steps_per_second: float  # since the search was started or resumed
    best: BestProgram | None  # the last that was found


@dataclass
class Evolution(Rendered):
    """The outcome of a search: the best program of each task, and how far the search went.

    `ended` says for each island, by the id of its task and its number, why it was not bred further. `refused`
    has the tasks that were too heavy to breed programs on them, by id, and what each of them weighs.
    """

    tasks: tuple[Task, ...]
    best: dict[str, BestProgram] = field(default_factory=dict)
    ended: dict[tuple[str, int], str] = field(default_factory=dict)
    generations: int = 0
    steps: int = 0
    seconds: float = 0.0
    pace: float = 0.0  # steps a second, since the search was started or resumed
    interrupted: bool = False
    immigrants: int = 0  # members that islands took from other islands of their task
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def stopped(self) -> list[str]:
        """A sentence for each island that is not bred further, since a worker came to a bad end."""
        because = {reason: f"its worker was stopped: {reason}" for reason in BAD_ENDS}
        because[WAITS] = f"it {WAITS}"
        return [
            f"task {task}, island {number}: is not bred further, since {because[reason]}"
            for (task, number), reason in sorted(self.ended.items())
            if reason in because
        ]

    @property
    def winners(self) -> list[BestProgram]:
        """The finds that are exact on all demo samples, in the order of the tasks."""
        found = (self.best.get(task.id) for task in self.tasks)
        return [find for find in found if find is not None and find.fits]

    def summary(self) -> dict[str, Any]:
        """The search in numbers, as plain data."""
        return {
            "tasks": len(self.tasks),
            "fits": len(self.winners),
            "solved": sum(find.outcome.solved for find in self.winners),
            "generations": self.generations,
            "steps": self.steps,
            "immigrants": self.immigrants,
            **({"refused": self.refused} if self.refused else {}),
            "seconds": round(self.seconds, 3),
            "steps_per_second": round(self.pace, 1),
        }

    def __repr__(self) -> str:
        found = f"programs that fit {plural(len(self.winners), 'task')} of {len(self.tasks):,}"
        return f"<evolution: {found}, after {plural(self.steps, 'step')}>"


class EvolutionStopped(ArcbattError):
    """An error that ended a search, such as a full disk; `evolution` has what was found by then."""

    def __init__(self, reason: str, evolution: Evolution) -> None:
        super().__init__(reason)
        self.evolution = evolution


class EvolutionInterrupted(KeyboardInterrupt):
    """Ctrl-C during a search; `evolution` has what was found by then."""

    def __init__(self, evolution: Evolution) -> None:
        super().__init__("the search was interrupted")
        self.evolution = evolution
