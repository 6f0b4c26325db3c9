"""`submit`: runs given programs on all tasks, and writes the two best outputs of each test input."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter, process_time
from typing import NamedTuple

from arcbatt.archive.archive import Archive
from arcbatt.arguments import require_callbacks, require_file_name
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import how_many, require_limits, too_heavy
from arcbatt.engine.choose import require_backend
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.files import require_apart, require_writable
from arcbatt.search.solve.answers import known_answers
from arcbatt.search.solve.solution import SearchStage, Solution, SolveInterrupted, TaskAnswers
from arcbatt.search.submit.finalists import Finalists
from arcbatt.search.submit.sources import Origin, SubmitCandidate, candidates_from
from arcbatt.tasks import Task, TaskSet
from arcbatt.tasks.intake import GivenTasks, tasks_of
from arcbatt.tasks.load import task_files
from arcbatt.tasks.submission import ATTEMPTS, require_submission_file, write_submission
from arcbatt.tasks.submission_check import require_sound

PORTION = 4096  # programs that run together: their results take about 40 MB on 400 tasks


class SubmitProgress(NamedTuple):
    """How far a submission is: programs in portions that have begun, and tasks done in the last of these."""

    programs: int
    of_programs: int
    tasks: int
    of_tasks: int


OnProgress = Callable[[SubmitProgress], None] | None


def submit(
    sources: Origin | Iterable[Origin],
    tasks: GivenTasks,
    path: str | os.PathLike[str] | None = "submission.json",
    *,
    threads: int | None = None,
    backend: str = "auto",
    limits: Limits = DEFAULT_LIMITS,
    on_progress: OnProgress = None,
) -> Solution:
    """Make a submission of programs: two distinct outputs for each test input of each task, best first.

    `sources` are programs, program files or folders, `"library"`, archives, what `solve` or `evolve` has
    returned, or the files of JSON lines that these commands write. `tasks` are tasks, or what `load_tasks`
    takes: a challenges file, say. Every program runs on every task. Programs that are exact on all demo
    samples come first, then by description length; programs of one output are votes for it.
    Test outputs have no part in it. With `path=None` no file is written. No program runs on a task that is
    heavier than `limits` allow: `refused` of what is returned says so.

    Ctrl-C writes what was found by then, and raises `SolveInterrupted`.

    >>> import os, tempfile
    >>> from arcbatt.program.parse import parse_programs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     programs = parse_programs("def a(I): return vmirror(I)\\ndef b(I): return rot90(I)")
    ...     found = submit(programs, "67a3c6ac", os.path.join(folder, "submission.json"), threads=1)
    >>> found.right(2)
    RightCounts(samples=1, known_samples=1, tasks=1, known_tasks=1)
    >>> [answer.provenance["program"] for answer in found["67a3c6ac"].answers]
    ['a', 'b']
    """
    wanted = _with_tests(tasks_of(tasks))
    if path is not None:
        require_file_name("path", path)
        _require_file(os.fspath(path), sources, tasks)
    require_callbacks(on_progress=on_progress)
    require_backend(backend)
    require_limits(limits)
    used = how_many("threads", threads)
    solution = _answered(candidates_from(sources), wanted, used, backend, limits, on_progress)
    if path is not None:
        write_submission(path, solution.predictions(), wanted)
        require_sound(path, wanted)
    if solution.interrupted:
        raise SolveInterrupted(solution)
    return solution


def _require_file(path: str, sources: object, tasks: object) -> None:
    """Refuse a file that no submission should be written to, before long work."""
    origins = list(sources) if isinstance(sources, list | tuple) else [sources]
    read: list[object] = [origin.path if isinstance(origin, Archive) else origin for origin in origins]
    if isinstance(tasks, str | os.PathLike):
        read += task_files(os.fspath(tasks))
    require_apart(path, read)
    require_submission_file(path)
    require_writable(path)


def _with_tests(tasks: TaskSet) -> TaskSet:
    """The tasks, of which some must have test inputs."""
    if not any(task.test for task in tasks):
        raise ArcbattError(f"{tasks.name}: no task has a test input; a submission answers test inputs")
    return tasks


def _answered(
    candidates: Sequence[SubmitCandidate],
    tasks: TaskSet,
    threads: int,
    backend: str,
    limits: Limits,
    on_progress: OnProgress,
) -> Solution:
    """The answers of the candidates; those that are found by then after Ctrl-C."""
    solution = Solution(tuple(tasks), ATTEMPTS)
    finalists, started, before = Finalists(candidates), perf_counter(), process_time()
    refused = {task.id: too_heavy(task, limits) for task in tasks}
    ready = TaskSet(tuple(task for task in tasks if not refused[task.id]), tasks.name)
    try:
        for portion, on_task in _portions(candidates, ready, on_progress):
            run(
                [each.program for each in portion],
                ready,
                "all",
                backend,
                threads,
                limits=limits,
                partial_scores=True,
                on_record=finalists.add,
                on_task=on_task,
            )
    except KeyboardInterrupt:
        solution.interrupted = True
    for task in tasks:
        answers = tuple(sorted(known_answers(task, finalists.of(task.id)), key=lambda answer: answer.rank))
        solution.found[task.id] = TaskAnswers(task, answers, SearchStage.crossed, refused=refused[task.id])
    solution.seconds, solution.cpu_seconds = perf_counter() - started, process_time() - before
    return solution


def _portions(
    candidates: Sequence[SubmitCandidate], tasks: TaskSet, on_progress: OnProgress
) -> Iterator[tuple[Sequence[SubmitCandidate], Callable[[Task], None]]]:
    """The candidates in portions, each with the function that is called after each of its tasks."""
    for start in range(0, len(candidates) if tasks else 0, PORTION):
        portion = candidates[start : start + PORTION]
        begun, done = start + len(portion), 0

        def tell(_: Task, begun: int = begun) -> None:
            nonlocal done
            done += 1
            if on_progress is not None:
                on_progress(SubmitProgress(begun, len(candidates), done, len(tasks)))

        yield portion, tell
