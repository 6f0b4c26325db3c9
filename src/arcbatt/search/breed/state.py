"""What a breeding has kept after a round, and its form in an archive or a file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from arcbatt.program.graph import Program
from arcbatt.search.state_codec import (
    count_from,
    differ_from,
    program_as_json,
    program_from,
    require_form,
    state_decoding_errors,
)

FORM = 1  # of the text; another form is refused


@dataclass(frozen=True, eq=False)
class PartialSolver:
    """A solver that is kept for a task, solved or not.

    `exact` is the number of exact demo samples, `parts` the sum of the partial scores of the demo samples.
    `is_right` tells whether the test samples are exact, too: it is reported, and nothing goes by it.
    """

    program: Program
    exact: int
    parts: int
    is_right: bool

    def score(self, demos: int) -> float:
        """The mean partial score of the demo samples, from 0 to 1000, as an archive has it."""
        return self.parts * 1000 // max(demos, 1) / 1000


class RankedDiffer(NamedTuple):
    """A differ, and how well it ranks solvers, from 0 to 1000; None before it was compared with any.

    The score is the mean of those of so many `rounds`.
    """

    program: Program
    score: int | None
    rounds: int = 0

    def after(self, score: int) -> "RankedDiffer":
        """The differ after a round in which it had this score.

        >>> from arcbatt.library import load_library
        >>> differ = RankedDiffer(load_library("differs")[0], None).after(600).after(700)
        >>> differ.score, differ.rounds
        (650, 2)
        """
        total = (self.score or 0) * self.rounds + score
        return RankedDiffer(self.program, round(total / (self.rounds + 1)), self.rounds + 1)


class RoundCounts(NamedTuple):
    """What there is after a round.

    `solved` counts tasks with a solver that is exact on all demo samples, `right` those whose best such
    solver is exact on the test samples, too. `best` is the mean over the tasks of the best score, `differ`
    the score of the best differ.
    """

    round: int
    tasks: int
    solved: int
    right: int
    kept: int
    new: int
    best: float
    differs: int
    differ: int | None


@dataclass(frozen=True)
class BreedState:
    """All that the next round depends on, besides the settings; populations are sorted, best first.

    `dropped` has what the last round has dropped: ids of tasks, and hashes of solvers.
    """

    seed: int
    populations: Mapping[str, Sequence[PartialSolver]]
    differs: tuple[RankedDiffer, ...]
    rounds: tuple[RoundCounts, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    dropped_differs: tuple[str, ...] = ()

    def text(self) -> bytes:
        """The state as text; equal states have equal texts."""
        data = {
            "form": FORM,
            "seed": self.seed,
            "rounds": self.rounds,
            "populations": {
                task_id: [
                    [program_as_json(each.program), each.exact, each.parts, each.is_right]
                    for each in population
                ]
                for task_id, population in self.populations.items()
            },
            "differs": [[program_as_json(each.program), each.score, each.rounds] for each in self.differs],
            "dropped": self.dropped,
            "dropped_differs": self.dropped_differs,
        }
        return json.dumps(data, separators=(",", ":")).encode()


def state_from(text: bytes, file: str | None = None) -> BreedState:
    """The state that a text describes, which stands in a file or in an archive.

    >>> state_from(BreedState(7, {"67a3c6ac": ()}, ()).text())
    BreedState(seed=7, populations={'67a3c6ac': ()}, differs=(), rounds=(), dropped=(), dropped_differs=())
    """
    with state_decoding_errors(file):
        data = json.loads(text)
        require_form(data, FORM)
        return BreedState(
            int(data["seed"]),
            {
                str(task_id): tuple(_partial_from(*row) for row in rows)
                for task_id, rows in data["populations"].items()
            },
            tuple(_differ_from(*row) for row in data["differs"]),
            tuple(RoundCounts(*row) for row in data["rounds"]),
            tuple((str(task_id), str(known)) for task_id, known in data["dropped"]),
            tuple(map(str, data["dropped_differs"])),
        )


def _partial_from(program: Any, exact: Any, parts: Any, is_right: Any) -> PartialSolver:
    return PartialSolver(program_from(*program), count_from(exact), count_from(parts), bool(is_right))


def _differ_from(program: Any, score: Any, rounds: Any) -> RankedDiffer:
    return RankedDiffer(
        differ_from(*program), None if score is None else count_from(score), count_from(rounds)
    )
