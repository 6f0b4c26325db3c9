"""`solve`: known programs first, then enumeration with a small budget, then with a large one where needed."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic, process_time, thread_time
from typing import TYPE_CHECKING, Any, TypeAlias

from arcbatt import __version__
from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import digest_of, language_version
from arcbatt.arguments import (
    MORE_THAN_0,
    listed,
    require_callbacks,
    require_flags,
    require_kind,
    require_path,
)
from arcbatt.engine.backend import how_many, too_heavy
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.search.solve.answers import Answer, answers_from, best_answers
from arcbatt.search.solve.keeping import Keeping
from arcbatt.search.solve.library_pass import library_programs, run_library_pass
from arcbatt.search.solve.searching import SEARCH_LIMITS, Allowance, Asked, Searches, Searching, searches
from arcbatt.search.solve.solution import (
    SearchStage,
    Solution,
    SolveInterrupted,
    SolveProgress,
    SolveStopped,
    TaskAnswers,
)
from arcbatt.search.solve.templates import Template, load_templates
from arcbatt.settings import Settings, setting
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, tasks_of

if TYPE_CHECKING:
    from arcbatt.search.solve.enumeration import SearchResult

DEFAULT_STEPS = 200_000  # of a task, if no budget is given
MEMORY = 512 << 20  # bytes for the values of one task
LEAST_MEMORY = 1 << 20
SMALL_PART = 8  # the small budget is the whole one divided by this

OnAnswer: TypeAlias = Callable[[Answer], None] | None
OnTask: TypeAlias = Callable[[TaskAnswers], None] | None
OnProgress: TypeAlias = Callable[[SolveProgress], None] | None


def solve(
    tasks: GivenTasks,
    *,
    seconds: float | None = None,
    steps: int | None = None,
    budget: float | None = None,
    guesses: int = 2,
    threads: int | None = None,
    cluster: str | None = None,
    templates: Iterable[str | Path] = (),
    archive: Archive | None = None,
    resume: bool = False,
    library: bool = True,
    own: bool = True,
    memory: int = MEMORY,
    on_answer: OnAnswer = None,
    on_task: OnTask = None,
    on_progress: OnProgress = None,
) -> Solution:
    """Find programs for tasks: up to `guesses` distinct outputs for each test input, best first.

    Tasks are whatever `arcbatt.load_tasks` takes.

    Programs of the `archive` and of the `library` are tried first; with `own=False` those that are written
    for the task itself, as their names say, do not count. Then expressions are enumerated: on every task with
    an eighth of its budget, and with the rest where no short program fits yet. The budget of a task is in
    `steps` or in `seconds`; `budget` bounds the CPU seconds of all tasks together. In steps the same programs
    are found again on any machine, with any number of threads. `memory` bounds the bytes of a task's values.
    `cluster` lets the nodes of a Ray cluster enumerate: `local` is a new one here, `auto` the one that this
    machine belongs to, anything else an address.

    A program is an answer only after the engine has replayed it on the demo samples, alone. Test samples are
    never searched by. `templates` are files with templates besides those that come with arcbatt. The
    search leaves out a task of more than 20,000 items, and `refused` of its answers says so.

    `on_answer` is called with each answer that is better than those before it, `on_task` with the answers of
    each task that is done. With an archive, answers that fit all demo samples are kept as they are found, and
    `resume` goes on with a search of the same settings. Ctrl-C raises `SolveInterrupted`.

    >>> import arcbatt as ab
    >>> solution = ab.solve("67a3c6ac", steps=20_000, threads=1)
    >>> solution
    <solution: programs that fit 1 task of 1, after ... steps>
    >>> solution["67a3c6ac"].answers[0].program.root
    vmirror(I)
    """
    settings = SolveSettings(seconds, steps, budget, guesses, library, own, memory, templates_from(templates))
    require_flags(resume=resume)
    chosen = list(tasks_of(tasks))
    search = SolveSearch(chosen, settings, archive, resume, {}, on_answer, on_task, on_progress)
    return search.run(how_many("threads", threads), cluster)


@dataclass(frozen=True)
class SolveSettings(Settings):
    """What the answers of a search depend on, besides its tasks and its archive."""

    seconds: float | None = setting(None, "So many seconds for each task.", least=MORE_THAN_0, metavar="S")
    steps: int | None = setting(
        None,
        "So many steps for each task instead, which give the same programs on every machine; "
        f"{DEFAULT_STEPS:,} if no budget is given.",
        least=1,
    )
    budget: float | None = setting(
        None, "So many CPU seconds for all tasks together.", least=MORE_THAN_0, metavar="S"
    )
    guesses: int = setting(2, "So many distinct outputs for each test input.", least=2, most=3, metavar="2|3")
    library: bool = True
    own: bool = True
    memory: int = setting(MEMORY, least=LEAST_MEMORY)
    templates: tuple[Template, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.steps is not None and not (self.seconds is None and self.budget is None):
            raise ArcbattError(
                "steps give the same programs on every machine, which seconds and budget do not; give one of "
                "them"
            )
        if self.steps is self.seconds is self.budget is None:
            object.__setattr__(self, "steps", DEFAULT_STEPS)

    def identity(self) -> dict[str, Any]:
        """The settings as plain data, by which a search is found again."""
        lines = [f"{each.result.name} {each.cost} {each.root.digest.hex()}" for each in self.templates]
        return vars(self) | {"templates": digest_of("\n".join(lines)), "language": language_version()}


def templates_from(files: Iterable[str | Path]) -> tuple[Template, ...]:
    """Our templates and those of the files."""
    given: Any = [files] if isinstance(files, str | Path) else files
    paths: list[Any] = listed(given, object, "path of a file of templates; give paths")
    for path in paths:
        require_path("a file of templates", path)
    return tuple(load_templates(paths))


class SolveSearch:
    """The tasks of a search, each searched in a thread; answers are made in the main thread, in task order.

    `known` is how far earlier searches came on some tasks. `on_stage` is called with a task each time it has
    got further, `on_task` when it is done.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        settings: SolveSettings,
        archive: Archive | None = None,
        resume: bool = False,
        known: Mapping[str, TaskAnswers] | None = None,
        on_answer: OnAnswer = None,
        on_task: OnTask = None,
        on_progress: OnProgress = None,
        on_stage: OnTask = None,
    ) -> None:
        require_callbacks(on_answer=on_answer, on_task=on_task, on_progress=on_progress)
        if archive is not None:
            require_kind(archive, Archive, "archive; arcbatt.Archive(...) opens one")
        elif resume and not known:
            raise ArcbattError("a search can only be resumed from an archive; name one")
        self._settings = settings
        self._on_answer, self._on_task, self._on_progress = on_answer, on_task, on_progress
        self._on_stage = on_stage
        self._keeping = None
        if archive is not None:
            self._keeping = Keeping(archive, settings.identity(), tasks, resume)
        self._started, self._cpu_started, self._own_cpu = monotonic(), process_time(), thread_time()
        self._searched = 0.0  # seconds of the searches that are done, and of those allowed that are not
        self._stage = SearchStage.new
        self._steps_before = 0
        given = known or {}
        found = {task.id: given.get(task.id) or self._kept(task) for task in tasks}
        self.solution = Solution(tuple(tasks), settings.guesses, found)

    def run(self, threads: int, cluster: str | None = None) -> Solution:
        """Search until all tasks are over, or the budget is."""
        solution = self.solution
        self._steps_before = solution.steps
        searching = Searching(self._settings.templates, self._settings.memory)
        # Made before anything is tried: a cluster that cannot be used is refused at once.
        search = searches(searching, min(threads, len(solution.tasks)), cluster)
        try:
            with defer_interrupts():  # what an archive holds is told as a whole
                for found in list(solution.found.values()):
                    if found.stage > SearchStage.new:
                        self._note(found)
                        self._tell_of(found)
            self._cross()
            with search:
                for stage in (SearchStage.small, SearchStage.large):
                    self._enumerate(stage, search)
        except KeyboardInterrupt:
            solution.interrupted = True
            raise SolveInterrupted(solution) from None
        except ArcbattError as error:
            raise SolveStopped(str(error), solution) from error
        finally:
            solution.seconds = monotonic() - self._started
            solution.cpu_seconds = process_time() - self._cpu_started + search.seconds_elsewhere
        return solution

    def _kept(self, task: Task) -> TaskAnswers:
        return TaskAnswers(task) if self._keeping is None else self._keeping.known(task)

    def _cross(self) -> None:
        """Try programs that are known already."""
        new = [found.task for found in self.solution.found.values() if found.stage == SearchStage.new]
        if not new:
            return
        self._stage = SearchStage.crossed
        answers: dict[str, list[Answer]] = {}
        for programs, source in self._known_programs():
            for name, found in run_library_pass(new, programs, source, others=not self._settings.own).items():
                answers.setdefault(name, []).extend(found)
        for task in new:
            crossed = replace(self.solution.found[task.id], stage=SearchStage.crossed)
            self._take(crossed, answers.get(task.id, []), 0, commits=task.id in answers)

    def _known_programs(self) -> Iterator[tuple[Sequence[Program], Any]]:
        if self._keeping is not None:
            yield self._keeping.programs(), "archive"
        if self._settings.library:
            yield library_programs(), "library"

    def _enumerate(self, stage: SearchStage, search: Searches) -> None:
        """Search with the budget of a stage on all tasks that are not over; answers come in task order."""
        waiting = deque(
            found.task for found in self.solution.found.values() if found.stage < stage and not found.is_over
        )
        if not waiting:
            return
        self._stage = stage
        asked: deque[Asked] = deque()
        with closing(search(self._asked(stage, waiting, asked))) as answers:
            for searched in answers:
                self._finish(stage, *asked.popleft(), searched)

    def _asked(self, stage: SearchStage, waiting: deque[Task], asked: deque[Asked]) -> Iterator[Asked]:
        """The tasks to search on, each with its budget, as places become free; `asked` gets them, too."""
        while waiting:
            task = waiting.popleft()
            found = self._kept_meanwhile(task)
            if found.stage >= stage:  # another process has done it
                self._take(found, [], 0, commits=False)
                continue
            reason = too_heavy(task, SEARCH_LIMITS)
            if reason:
                self._take(replace(found, stage=SearchStage.large, ended="refused", refused=reason), [], 0)
                continue
            allowed = self._allowance(stage, len(waiting) + 1)
            if allowed is None:
                self._take(replace(found, stage=stage, ended="budget"), [], 0)
                continue
            asked.append(Asked(task, allowed))
            yield asked[-1]

    def _kept_meanwhile(self, task: Task) -> TaskAnswers:
        """How far a task is by now: another process may work on the same archive."""
        found = self.solution.found[task.id]
        kept = found if self._keeping is None else self._keeping.known(task)
        return kept if kept.stage > found.stage else found

    def _allowance(self, stage: SearchStage, left: int) -> Allowance | None:
        """The budget of a search, one of so many that are left in this stage; None if nothing is left."""
        settings = self._settings
        if settings.steps is not None:
            small = max(1, settings.steps // SMALL_PART)
            steps = small if stage == SearchStage.small else max(1, settings.steps - small)
            return Allowance(steps=steps)
        seconds = inf
        if settings.seconds is not None:
            small_part = settings.seconds / SMALL_PART
            seconds = small_part if stage == SearchStage.small else settings.seconds - small_part
        if settings.budget is not None:
            rest = settings.budget - self._searched - (thread_time() - self._own_cpu)
            if stage == SearchStage.small:
                rest -= settings.budget * (SMALL_PART - 1) / SMALL_PART
            seconds = min(seconds, rest / left)
        if seconds <= 0:
            return None
        self._searched += seconds
        return Allowance(seconds=seconds)

    def _finish(self, stage: SearchStage, task: Task, allowed: Allowance, searched: "SearchResult") -> None:
        """Make answers of a search that is done."""
        if allowed.seconds is not None:
            self._searched += searched.seconds - allowed.seconds
        found = self.solution.found[task.id]
        told = {"budget": str(allowed), "stage": stage.name, "version": __version__}
        explained = answers_from(task, searched.explanations, self._settings.guesses, told)
        after = replace(
            found,
            stage=stage,
            steps=found.steps + searched.steps,
            vectors=found.vectors + searched.vectors,
            seconds=found.seconds + searched.seconds,
            peak_bytes=max(found.peak_bytes, searched.peak_bytes),
            replay_failures=found.replay_failures + explained.replay_failures,
            ended=searched.ended,
        )
        self._take(after, explained.answers, searched.steps)

    def _take(self, found: TaskAnswers, new: Sequence[Answer], steps: int, commits: bool = True) -> None:
        """Take new answers of a task, keep them and tell of them."""
        task, before = found.task, self.solution.found[found.task.id]
        by_root = {answer.program.root: answer for answer in (*new, *found.answers)}
        answers = best_answers(task, by_root.values(), self._settings.guesses)
        found = replace(found, answers=answers)
        with defer_interrupts():  # a signal must not come between the archive, the lines and the solution
            if commits and self._keeping is not None:
                found = self._keeping.commit(found, steps)
            self._note(found)
        best, known = (each.answers[0] if each.answers else None for each in (found, before))
        is_better = best is not None and (known is None or best.rank < known.rank)
        if best is not None and is_better and self._on_answer is not None:
            self._on_answer(best)
        self._tell_of(found)

    def _note(self, found: TaskAnswers) -> None:
        """Note how far a task has come."""
        self.solution.found[found.task.id] = found
        if self._on_stage is not None:
            self._on_stage(found)

    def _tell_of(self, found: TaskAnswers) -> None:
        if found.is_over and self._on_task is not None:
            self._on_task(found)
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def _progress(self) -> SolveProgress:
        solution, passed = self.solution, max(monotonic() - self._started, 1e-9)
        steps = solution.steps
        return SolveProgress(
            tasks=len(solution.tasks),
            over=sum(found.is_over for found in solution.found.values()),
            fitted=len(solution.fits),
            stage=self._stage,
            steps=steps,
            vectors=solution.vectors,
            steps_per_second=(steps - self._steps_before) / passed,
        )
