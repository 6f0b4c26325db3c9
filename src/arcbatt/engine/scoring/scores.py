"""Scores of solvers on demo samples: the number of exact ones, then the differs' marks of the others."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, get_args

from arcbatt.arguments import listed, require_count, require_kind, require_one_of, shown
from arcbatt.dsl.contract import EXACT
from arcbatt.dsl.failures import KINDS, Kind
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.records.verdicts import VERDICTS, Verdict
from arcbatt.engine.results import Stats
from arcbatt.engine.run import Pairs, Setting, run, set_up
from arcbatt.engine.scoring.differs import BEST_MARK, ScoredRecord, scored_records, sums_of_marks
from arcbatt.errors import ArcbattError, ResultMissing
from arcbatt.library import load_library
from arcbatt.program.graph import A_PROGRAM, Program, require_program_kind
from arcbatt.program.merge import merge, unapplied
from arcbatt.program.names import ProgramIndex
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, id_of, task_of, tasks_of
from arcbatt.text import plural, shorten

if TYPE_CHECKING:
    from arcbatt.engine.scoring.differs import Marks

A_SCORE = "score; arcbatt.batt.scoring.score(...) makes them"

# By task id and name of the differ: a score for each sample, None where the differ failed.
Baseline: TypeAlias = dict[str, dict[str, tuple[int | None, ...]]]


class Score(NamedTuple):
    """One solver on one task.

    `verdicts` has one for each sample, demo then test: whether it is exact, or the kind of failure of a line.
    `mean` is the mean mark of the differs on the demo samples that are not exact, 1000 if all are exact. A
    differ that gives no score counts as 0.
    """

    program: Program
    task: Task
    verdicts: tuple[Verdict, ...]
    mean: float

    @property
    def demo_exact(self) -> int:
        """How many demo samples are exact."""
        return sum(verdict is True for verdict in self.verdicts[: self.demo_count])

    @property
    def demo_count(self) -> int:
        """How many demo samples there are."""
        return len(self.task.demo)

    @property
    def test_exact(self) -> int:
        """How many test samples are exact."""
        return sum(verdict is True for verdict in self.verdicts[self.demo_count :])

    @property
    def test_count(self) -> int:
        """How many test samples have a known output."""
        return sum(sample.output is not None for sample in self.task.test)

    @property
    def failures(self) -> dict[Kind, int]:
        """How many samples failed, by kind."""
        counts = Counter(verdict for verdict in self.verdicts if isinstance(verdict, str))
        return {kind: counts[kind] for kind in KINDS if counts[kind]}

    @property
    def rank(self) -> tuple[int, float, str, str]:
        """The sort key of the scores of a task, best first; the hash of the program breaks ties."""
        return -self.demo_exact, -self.mean, self.program.hash, self.program.name

    def __repr__(self) -> str:
        demo, test = f"{self.demo_exact}/{self.demo_count}", f"{self.test_exact}/{self.test_count}"
        where = f"{shorten(self.program.name)} on {shorten(self.task.id)}"
        return f"<{where}: demo {demo}, test {test}, mean {self.mean:.1f}>"


def select(scores: Iterable[Score], count: int) -> dict[str, list[Score]]:
    """The best solvers of each task, best first, at most `count`; one program under two names counts once.

    Neither test samples nor the order of the scores matter.
    """
    require_count("count", count)
    by_task: dict[str, list[Score]] = {}
    given = listed(scores, Score, A_SCORE)
    for score in sorted(given, key=lambda score: (score.task.id, score.rank)):
        by_task.setdefault(score.task.id, []).append(score)
    return {task_id: _distinct(ranked)[:count] for task_id, ranked in by_task.items()}


def _distinct(ranked: list[Score]) -> list[Score]:
    by_program: dict[str, Score] = {}
    for score in ranked:
        by_program.setdefault(score.program.hash, score)
    return list(by_program.values())


class Scores:
    """The scores of a run, by (program, task) as in `Results`."""

    def __init__(self, scores: Iterable[Score], scorer: "Scorer", tasks: list[Task], stats: Stats) -> None:
        self._scores = list(scores)
        self.scorer, self.tasks, self.stats = scorer, tasks, stats

    @cached_property
    def baseline(self) -> Baseline:
        """The scores of the raw input, in place of a solver's output."""
        return self.scorer.baseline(self.tasks)

    @cached_property
    def _by_task(self) -> dict[str, tuple[list[Score], ProgramIndex]]:
        by_task: dict[str, list[Score]] = {}
        for score in self:
            by_task.setdefault(score.task.id, []).append(score)
        return {
            task_id: (scores, ProgramIndex([score.program for score in scores]))
            for task_id, scores in by_task.items()
        }

    def __getitem__(self, key: tuple[Program | str, GivenTasks]) -> Score:
        match key:
            case ((Program() | str()) as program, task):
                scores, names = self._by_task.get(id_of(task) or "", ([], None))
                for index in names.places(program) if names is not None else ():
                    return scores[index]
        asked = f"there is no score for {shown(key)} in this run"
        raise ResultMissing(f"{asked}; ask for (program name, task id)")

    def __iter__(self) -> Iterator[Score]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        return (
            f"<{plural(len(self), 'score')} by {plural(len(self.scorer.differs), 'differ')} "
            f"on {plural(len(self.tasks), 'task')}>"
        )


@dataclass(frozen=True)
class Scorer:
    """The settings of scoring: differs, backend, failure mode and limits."""

    differs: tuple[Program, ...]
    backend: str = "auto"
    threads: int | None = None
    on_failure: FailureMode = "default"
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        require_program_kind(listed(self.differs, Program, A_PROGRAM), "differ")
        object.__setattr__(self, "differs", merge(unapplied(self.differs)).programs)
        require_one_of("on_failure", self.on_failure, get_args(FailureMode))
        if self.on_failure == "pile":
            raise ArcbattError(
                "on_failure is 'pile', in which programs depend on each other; score with 'fail' or 'default'"
            )

    def score(self, solvers: Iterable[Program], tasks: GivenTasks, pairs: Pairs = "own") -> Scores:
        """The scores of solvers; a differ runs once for each distinct output of a sample."""
        chosen = list(tasks_of(tasks))
        setting = self._set_up(solvers, chosen, pairs)
        require_program_kind(setting.batt.programs, "solver")
        records = scored_records(setting, self.differs)
        scores = [
            score for record in records for score in self._scores(record, _sums(record, len(self.differs)))
        ]
        return Scores(scores, self, chosen, setting.stats)

    def alone(self, solver: Program, task: GivenTasks) -> Score:
        """The score of a solver without merging: it runs by itself, and so does each differ on its output."""
        setting = self._set_up([solver], [task_of(task)], "all")
        (record,) = scored_records(setting, ())
        sums = _sums(record, 0)
        for differ in self.differs:
            (record,) = scored_records(setting, [differ])
            sums += _sums(record, 1)
        (score,) = self._scores(record, sums)
        return score

    def confirmed(self, score: Score) -> Score:
        """The score itself, if its program gets the same one alone; any other is refused."""
        require_kind(score, Score, A_SCORE)
        alone = self.alone(score.program, score.task)
        if alone != score:
            raise ArcbattError(f"{score!r} does not hold: alone it is {alone!r}")
        return score

    def baseline(self, tasks: GivenTasks) -> Baseline:
        """The scores of the raw input, in place of a solver's output."""
        options = self.backend, self.threads, self.on_failure, self.limits
        found: Baseline = {}
        for outcome in run(self.differs, tasks, "all", *options):
            found.setdefault(outcome.task.id, {})[outcome.program.name] = outcome.scores
        return found

    def _set_up(self, solvers: Iterable[Program], tasks: list[Task], pairs: Pairs) -> Setting:
        return set_up(solvers, tasks, pairs, self.backend, self.threads, self.on_failure, self.limits)

    def _scores(self, record: ScoredRecord, sums: "Marks") -> Iterator[Score]:
        """The scores of a task; `sums` has the marks of all differs for each solver and demo sample."""
        task, demo = record.task, len(record.task.demo)
        for index, (solver, given) in enumerate(zip(record.programs, sums.tolist())):
            codes = record.codes(index)
            rest = [mark for mark, code in zip(given, codes[:demo]) if code != EXACT]
            mean = sum(rest) / max(len(rest) * len(self.differs), 1) if rest else float(BEST_MARK)
            yield Score(solver, task, tuple(VERDICTS[code] for code in codes), mean)


def _sums(record: ScoredRecord, differs: int) -> "Marks":
    """For each solver and demo sample the sum of the differs' marks; 0 where it is exact."""
    scored = record.scored
    return sums_of_marks(scored.outputs, scored.scores, len(record.programs), len(record.task.demo), differs)


def score(
    solvers: Iterable[Program],
    tasks: GivenTasks,
    differs: Iterable[Program] | None = None,
    pairs: Pairs = "own",
    backend: str = "auto",
    threads: int | None = None,
    on_failure: FailureMode = "default",
    limits: Limits = DEFAULT_LIMITS,
) -> Scores:
    """Score solvers on tasks with some differs, or those of the library; the rest is as in a run.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> solvers = parse_programs("def a(I): return rot90(I)\\ndef b(I): return vmirror(I)")
    >>> scores = score(solvers, load_tasks("67a3c6ac"), pairs="all")
    >>> select(scores, 1)
    {'67a3c6ac': [<b on 67a3c6ac: demo 3/3, test 1/1, mean 1000.0>]}
    """
    given = load_library("differs") if differs is None else listed(differs, Program, A_PROGRAM)
    scorer = Scorer(tuple(given), backend, threads, on_failure, limits)
    return scorer.score(solvers, tasks, pairs)
