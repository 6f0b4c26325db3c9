"""Very many candidates judged on one task, with little to do for each: what a search builds on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
import numpy.typing as npt

from arcbatt.arguments import require_one_of
from arcbatt.dsl.contract import EXACT, FAILED
from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import Examination, FailureMode, RunOptions, on_failure_setting, require_limits
from arcbatt.engine.choose import choose
from arcbatt.engine.differs import BEST_MARK, sums_of_marks
from arcbatt.engine.plan import plan_for_outputs
from arcbatt.program.graph import Node, Program, require_program_kind
from arcbatt.tasks import Task

# A search meets candidates that cost a thousand times as much as others: no solver of the library needs half
# of this work, and a candidate with more ends after some 30 ms a sample instead of half a second.
CANDIDATE_LIMITS = Limits(work=20_000_000)
MODES: tuple[FailureMode, ...] = tuple(mode for mode in get_args(FailureMode) if mode != "pile")
ON_FAILURE = on_failure_setting(MODES)


@dataclass(frozen=True)
class Judgements:
    """What candidates did on a task: arrays with an entry, or a row, for each candidate.

    Only `test` looks at the expected outputs of test samples; what a search selects by does not.
    """

    samples: int
    demos: int
    differs: int
    found: Examination

    @cached_property
    def verdicts(self) -> npt.NDArray[np.uint8]:
        """A verdict for each sample, demo samples first: the bytes of `Record.table`."""
        return np.frombuffer(self.found.verdicts, np.uint8).reshape(len(self), self.samples)

    @property
    def demo(self) -> npt.NDArray[np.uint8]:
        """The verdicts on demo samples."""
        return self.verdicts[:, : self.demos]

    @property
    def test(self) -> npt.NDArray[np.uint8]:
        """The verdicts on test samples, for reports: no search may select by them."""
        return self.verdicts[:, self.demos :]

    @cached_property
    def demo_exact(self) -> npt.NDArray[np.intp]:
        """The number of demo samples that are exact."""
        exact: npt.NDArray[np.intp] = np.sum(self.demo == EXACT, axis=1, dtype=np.intp)
        return exact

    @property
    def fits(self) -> npt.NDArray[np.bool_]:
        """Whether all demo samples are exact; a task without any fits no candidate."""
        fits: npt.NDArray[np.bool_] = self.demo_exact == max(self.demos, 1)
        return fits

    @property
    def failed(self) -> npt.NDArray[np.intp]:
        """The number of samples, demo and test, that failed."""
        failed: npt.NDArray[np.intp] = np.sum(self.verdicts >= FAILED, axis=1, dtype=np.intp)
        return failed

    @cached_property
    def score(self) -> npt.NDArray[np.intp]:
        """The sum of the partial scores on demo samples, each from 0 to 1000."""
        scores = np.frombuffer(self.found.scores, np.intc).reshape(len(self), self.samples)
        sums: npt.NDArray[np.intp] = np.sum(scores[:, : self.demos], axis=1, dtype=np.intp)
        return sums

    @property
    def behaviour(self) -> npt.NDArray[np.uint64]:
        """A digest of the outputs on all samples: equal outputs have equal ones. A failure is its kind."""
        return np.frombuffer(self.found.behaviours, np.uint64)

    @cached_property
    def marks(self) -> npt.NDArray[np.intp]:
        """The sum of the differs' marks on demo samples, each from 0 to 1000; an exact sample has all."""
        if not self.differs:
            return np.zeros(len(self), np.intp)
        wrong = sums_of_marks(self.found.outputs, self.found.marks, len(self), self.demos, self.differs)
        marks: npt.NDArray[np.intp] = wrong.sum(axis=1) + self.demo_exact * (BEST_MARK * self.differs)
        return marks

    def __len__(self) -> int:
        return len(self.found.behaviours) // 8


class CandidateJudge:
    """Judges candidates, given by their roots, on one task, which is prepared once.

    A candidate is a solver: C is withheld from it. Each call of `judge` runs its candidates together in one
    thread. The limits are lower than those of a run, so its results are those of other terms. `differs` score
    the distinct outputs of demo samples that are not exact, each output once. The user's own ops are those
    that are registered when the judge is made.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> programs = parse_programs("def a(I): return vmirror(I)\\ndef b(I): return hmirror(I)")
    >>> judged = CandidateJudge(load_tasks("67a3c6ac")[0]).judge([program.root for program in programs])
    >>> judged.fits, judged.demo_exact, judged.score
    (array([ True, False]), array([3, 0]), array([3000, 1297]))
    """

    def __init__(
        self,
        task: Task,
        on_failure: FailureMode = "fail",
        limits: Limits = CANDIDATE_LIMITS,
        backend: str = "auto",
        differs: Sequence[Program] = (),
    ) -> None:
        require_one_of("on_failure", on_failure, MODES)
        require_limits(limits)
        require_program_kind(differs, "differ")
        chosen, _ = choose(backend, devices=False)
        self.task, self.differs = task, tuple(differs)
        options = RunOptions(limits, on_failure)
        self._examine = chosen.examiner(task, len(task.demo), options, plan_for_outputs(self.differs))

    def judge(self, roots: Sequence[Node]) -> Judgements:
        """Judge candidates."""
        task = self.task
        return Judgements(len(task.samples), len(task.demo), len(self.differs), self._examine(roots))
