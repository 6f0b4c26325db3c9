"""What `card` and `run-batt` do: they choose programs and tasks, and show a batt at work."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TextIO

from arcbatt.batt.card import Recipe, bred, chosen, entries, least_lines, sampled
from arcbatt.batt.coordinator import file_of_module
from arcbatt.batt.execution import Execution
from arcbatt.batt.population import Keeper
from arcbatt.batt.tally import TaskTally, tallies
from arcbatt.engine.choose import DEVICE_BACKENDS, best_cpu, choose
from arcbatt.errors import ArcbattError, BackendError, TaskError
from arcbatt.files import whole_file
from arcbatt.program.graph import Batt, Program, Style
from arcbatt.program.merge import batt_of, distinct, unapplied
from arcbatt.program.syntax import LARGEST_FILE, LONGEST_FILE
from arcbatt.program.write_batt import STYLES, batt_source
from arcbatt.tasks import Task, TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.tasks.published import published_task
from arcbatt.tasks.tasks import split_ids
from arcbatt.telling import tell
from arcbatt.view.batt_report import Totals, summary_lines, task_line, write_outcomes, write_summary
from arcbatt.view.screen import progress
from arcbatt.words import plural, printable

SOLVE = "solve_"  # what the names of solvers begin with; a task may be asked for by that of its solver
DEFAULT_BATT = "batt"
DATA = {"train": "arc1/training", "eval": "arc1/evaluation"}


def tasks_of(data: str) -> TaskSet:
    """The tasks that `--data` names: the halves of ARC-AGI-1, both, or any spec of tasks."""
    if data == "both":
        return TaskSet((*load_tasks(DATA["train"]), *load_tasks(DATA["eval"])), "arc1")
    return load_tasks(DATA.get(data, data))


def data_files(data: str | None) -> list[Path]:
    """The user's files that `--data` reads."""
    return task_files(data) if data and data != "both" and data not in DATA else []


def pick_tasks(data: str, ids: Sequence[str] | None, count: int, start: int, seed: int) -> TaskSet:
    """The tasks to run on: those with the ids, or `count` from `start`, or a random sample of -`count`."""
    tasks = tasks_of(data)
    if ids:
        tasks = tasks.pick(one if one in tasks else one.removeprefix(SOLVE) for one in _single(ids))
    if count < 0:
        return TaskSet(tuple(sampled(tasks, -count, seed)), tasks.name)
    picked = tasks[start : start + count if count else None]
    if not picked:
        raise ArcbattError(
            f"--start is {start}, but the set has only {plural(len(tasks), 'task')}; start earlier"
        )
    return picked


def _single(ids: Sequence[str]) -> list[str]:
    """The ids that were given, each by itself."""
    found = [one for text in ids for one in split_ids(text)]
    if not found:
        raise ArcbattError("--ids is empty; name ids, or leave it out")
    return found


def batt_file(name: str) -> Path:
    """The file of the batt that `-b` names, or of the one that is there without it."""
    file = file_of_module(name)
    if not file.exists() and Path(name).is_dir():
        raise ArcbattError(
            f"{name}: is a folder; -b names one batt file, arcbatt run takes folders of programs"
        )
    if name == DEFAULT_BATT and not file.exists():
        raise ArcbattError(
            f"there is no {file} in this folder; name a batt file with -b, "
            f"or make one: arcbatt card -f {file}"
        )
    return file


def device_or_cpu(asked: str) -> str:
    """The backend of GPUs; where there is none to use the reason is told, and the CPU is used."""
    if asked in DEVICE_BACKENDS:
        return asked
    if asked != "auto":
        raise ArcbattError(f"--use-gpu and --backend {asked} ask for different things; leave one of them out")
    try:
        return choose("cuda")[0].name
    except BackendError as error:
        tell(f"{error}; running on the CPU")
        return best_cpu()[0].name


def style_of(style: str | None, vectorized: bool, gpu: bool) -> Style:
    """The one style that the options of `card` ask for; `pile` if they ask for none."""
    asked = [style] if style else []
    asked += ["vectorized"] * vectorized + ["hybrid"] * gpu
    if len(set(asked)) > 1:
        raise ArcbattError(f"the options ask for the styles {' and '.join(asked)}; a file has one")
    for known in STYLES:
        if known == (asked[0] if asked else "pile"):
            return known
    raise ArcbattError(f"there is no style {style!r}; use one of {', '.join(STYLES)}")


def pick_solvers(
    programs: Iterable[Program],
    ids: Sequence[str] | None,
    data: str | None,
    count: int,
    seed: int,
    frozen: bool,
) -> list[Program]:
    """The solvers to put in a batt: of the tasks, with the ids, so many; frozen ones without copies."""
    solvers = [program for program in programs if program.kind == "solver"]
    if data is not None:
        tasks = tasks_of(data)
        solvers = [solver for solver in solvers if solver.task_id in tasks]
    if ids:
        wanted = _single(ids)
        names = [_names(solver) for solver in solvers]
        missing = next((one for one in wanted if not any(one in each for each in names)), None)
        if missing is not None:
            raise ArcbattError(f"there is no solver {missing!r} to choose; name a solver or its task")
        solvers = [solver for solver, each in zip(solvers, names) if not each.isdisjoint(wanted)]
    solvers = chosen(distinct(solvers) if frozen else solvers, count, seed)
    if not solvers:
        raise ArcbattError("no solver is left to put in the batt; ask for others")
    return solvers


def _names(solver: Program) -> set[str | None]:
    """What a solver may be asked for by: its name, its id in a batt, its task, with or without `solve_`."""
    return {
        solver.name,
        solver.name.removeprefix(SOLVE),
        f"{SOLVE}{solver.name}",
        solver.task_id,
        f"{SOLVE}{solver.task_id}",
    }


def write_card(
    file: str, solvers: Sequence[Program], differs: Sequence[Program], style: Style, recipe: Recipe
) -> None:
    """Make a batt, write its file, and say what is in it."""
    # To score many solvers by many differs takes long: what cannot be read again is refused before.
    _require_room(file, entries(len(solvers), len(differs), recipe))
    with whole_file(file) as out:
        solving, scoring = bred(solvers, differs, recipe, _known_tasks(solvers))
        _require_room(file, least_lines(solving, scoring))
        batt = batt_of(solving, scoring)
        text = batt_source(batt, style, recipe.seed)
        _require_room(file, text.count("\n") + 1, len(text.encode()))
        out.write(text)
    print(printable(_contents(file, batt, style)), file=sys.stderr if file == "-" else sys.stdout)


def _require_room(file: str, lines: int, size: int = 0) -> None:
    """Refuse a batt whose file would be too large to be read."""
    for count, most, unit in ((lines, LONGEST_FILE, "lines"), (size, LARGEST_FILE, "bytes")):
        if count > most:
            raise ArcbattError(
                f"{file}: the batt would have {count:,} {unit} or more, and a batt file may have {most:,}; "
                "ask for fewer solvers (-c) or --mutants, or freeze the differs (-fd)"
            )


def _known_tasks(solvers: Sequence[Program]) -> dict[str, Task]:
    """The published tasks that solvers are written for."""
    tasks: dict[str, Task] = {}
    for task_id in dict.fromkeys(solver.task_id for solver in solvers):
        with suppress(TaskError):
            tasks[task_id or ""] = published_task(task_id or "")
    return tasks


def _contents(file: str, batt: Batt, style: Style) -> str:
    mutated = sum(program.evo for program in batt.solvers)
    differs = len(unapplied(batt.differs))
    return (
        f"{file}: {plural(len(batt.solvers), 'solver')} ({mutated:,} mutated), {plural(differs, 'differ')}, "
        f"{plural(len(batt.listing.lines), 'line')}, style {style}"
    )


def run_tasks(
    execution: Execution,
    tasks: TaskSet,
    batch_size: int | None,
    timing: bool,
    watchers: Sequence[Callable[[TaskTally], None]] = (),
    out: TextIO | None = None,
) -> Totals:
    """Run a batt on tasks, print what it does, and show it to the watchers, task by task."""
    totals = Totals()
    started = before = perf_counter()
    try:
        with progress(len(tasks), "tasks") as advance:
            for found in tallies(execution, tasks, batch_size):
                now = perf_counter()
                print(printable(task_line(found, now - before if timing else None)), file=out)
                for watch in watchers:
                    watch(found)
                totals.add(found)
                before = now
                advance(found)
    except KeyboardInterrupt:
        totals.complete = False
    totals.seconds = perf_counter() - started
    for line in summary_lines(totals):
        print(line, file=out)
    if timing:
        how = plural(execution.workers, "worker process" if execution.in_workers else "thread")
        name, why = execution.backend.name, execution.why
        print(f"{totals.seconds:.3f} s; backend {name} ({why}), {how}", file=out)
    return totals


def run_and_keep(
    execution: Execution,
    tasks: TaskSet,
    batch_size: int | None,
    timing: bool,
    json_file: str | None,
    keeper: Keeper | None,
) -> Totals:
    """Run a batt on tasks; besides what is printed, write lines of JSON and keep the winners, if asked to."""
    watchers = [keeper.keep] if keeper else []
    # The file is opened before the run: a wrong name costs no work.
    with whole_file(json_file) if json_file else nullcontext() as file:
        if file is None:
            return run_tasks(execution, tasks, batch_size, timing, watchers)
        watchers = [partial(write_outcomes, file=file), *watchers]
        out = sys.stderr if json_file == "-" else None
        totals = run_tasks(execution, tasks, batch_size, timing, watchers, out)
        write_summary(totals, len(execution.batt.solvers), _timing(execution, totals) if timing else {}, file)
    return totals


def _timing(execution: Execution, totals: Totals) -> dict[str, object]:
    """What differs between runs, for the summary."""
    return {
        "seconds": round(totals.seconds, 6),
        "evaluations_per_second": round(totals.tally.asked / totals.seconds, 1),
        "backend": execution.backend.name,
        "threads": execution.workers,
    }


@contextmanager
def where_time_goes(wanted: bool) -> Iterator[None]:
    """With `--cprofile`, tell on standard error where Python spends its time."""
    if not wanted:
        yield
        return
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    profiler.enable()
    try:
        yield
    finally:
        profiler.disable()
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("cumulative").print_stats(30)
