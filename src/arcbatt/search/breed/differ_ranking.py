"""How well differs rank solvers: whether their marks on some demo samples foretell another one."""

from typing import TYPE_CHECKING, TypeAlias

from arcbatt.engine.scoring.differs import BEST_MARK

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers: TypeAlias = npt.NDArray[np.integer]

NO_BETTER_THAN_CHANCE = BEST_MARK / 2
MOST_COMPARED = 128  # solvers of a task: their pairs grow with the square


class Agreement:
    """The pairs of solvers that differs have ranked: how many in all, and how many as they turned out.

    One demo sample after the other is held out. A differ ranks two solvers by the sum of its marks on the
    other demo samples. How they turned out is their partial score on the sample that is held out, which is
    1000 for an exact output alone; a pair that is equal there tells nothing. A pair that the differ does
    not tell apart counts half. Test samples have no part in it.
    """

    def __init__(self, differs: int) -> None:
        self._right, self._tasks = [0.0] * differs, 0

    def add(self, marks: "Numbers", parts: "Numbers") -> None:
        """Add a task: marks by differ, solver and demo sample, and partial scores by the last two."""
        halves, pairs = halves_right(marks[:, :MOST_COMPARED], parts[:MOST_COMPARED])
        if pairs:
            self._tasks += 1
            for place, right in enumerate(halves):
                self._right[place] += right / (2 * pairs)

    def scores(self) -> list[int] | None:
        """The score of each differ: the share of right pairs, in the mean of the tasks, times 1000.

        500 is what chance would give. None if there was nothing to compare.
        """
        if not self._tasks:
            return None
        return [round(BEST_MARK * right / self._tasks) for right in self._right]


def halves_right(marks: "Numbers", parts: "Numbers") -> tuple[list[int], int]:
    """For each differ twice the number of pairs that it ranks right, and the number of pairs.

    >>> import numpy as np
    >>> parts = np.array([[1000, 1000], [400, 300]])  # of two solvers on two samples
    >>> halves_right(np.array([[[9, 9], [1, 2]], [[5, 5], [5, 5]], [[0, 0], [8, 7]]]), parts)
    ([4, 2, 0], 2)
    """
    import numpy as np  # not above: the import takes longer than the start of a command without it

    halves = np.zeros(len(marks), np.int64)
    pairs, samples = 0, parts.shape[1]
    if samples < 2:
        return halves.tolist(), 0
    sums = marks.sum(axis=2)
    for held_out in range(samples):
        truth = np.sign(parts[:, None, held_out] - parts[None, :, held_out])
        better = truth > 0
        pairs += int(better.sum())
        told = sums - marks[:, :, held_out]
        for place, each in enumerate(told):
            ahead = np.sign(each[:, None] - each[None, :])[better]
            halves[place] += int((ahead + 1).sum())
    return halves.tolist(), pairs
