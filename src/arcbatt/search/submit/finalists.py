"""Finalists: the few programs of a task whose outputs are looked at, chosen by their demo samples alone."""

from collections.abc import Sequence

from arcbatt.dsl.contract import BEST_SCORE, EXACT
from arcbatt.engine.records.record import Record
from arcbatt.program.graph import Node
from arcbatt.search.solve.answers import KnownProgram
from arcbatt.search.submit.sources import SubmitCandidate

MOST = 32  # finalists of a task
POINTS_OF_A_BIT = 10  # of the partial score that a demo sample lacks: what its corrections cost


class Finalists:
    """The best candidates of each task, by its id: records come in, in any order and in any parts.

    More exact demo samples are better, then the shorter description. A program that does not fit is no whole
    description: the corrections of its outputs come on top, a bit for every 10 points that it lacks of 1000.
    """

    def __init__(self, candidates: Sequence[SubmitCandidate]) -> None:
        self._candidates = candidates
        self._numbers: dict[Node, int] = {each.program.root: k for k, each in enumerate(candidates)}
        self._best: dict[str, list[tuple[int, int, int]]] = {}  # minus the exact demo samples, cost, number

    def add(self, record: Record) -> None:
        """Look at the demo samples of some programs on a task."""
        import numpy as np  # not above: the import takes longer than the start of a command without it

        task, demos = record.task, len(record.task.demo)
        scores = np.frombuffer(record.scores, np.int32).reshape(len(record.programs), -1)
        points = np.maximum(scores[:, :demos], 0).sum(axis=1)
        exact = (record.table()[:, :demos] == EXACT).sum(axis=1)
        numbers = np.array([self._numbers[program.root] for program in record.programs])
        costs = np.array([self._candidates[number].cost_on(task.id) for number in numbers])
        costs += (demos * BEST_SCORE - points) // POINTS_OF_A_BIT
        order = np.lexsort((numbers, costs, -exact))
        best = order[points[order] > 0][:MOST]
        rows = zip((-exact[best]).tolist(), costs[best].tolist(), numbers[best].tolist())
        self._best[task.id] = sorted([*self._best.get(task.id, ()), *rows])[:MOST]

    def of(self, task_id: str) -> list[KnownProgram]:
        """The finalists of a task, best first."""
        return [
            KnownProgram(self._candidates[number].program, cost, self._candidates[number].source)
            for _, cost, number in self._best.get(task_id, ())
        ]
