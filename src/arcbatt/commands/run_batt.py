"""`arcbatt run-batt`: a batt file on tasks, a line for each task and a summary, and the same as JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, cast

from typer import Argument, Context, Option

from arcbatt.batt.coordinator import MegaBatchCoordinator, file_of_module
from arcbatt.commands import DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import SOLVE, Refusals, data_files, single_ids, tasks_of
from arcbatt.commands.outputs import require_output
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import OWN_SECONDS
from arcbatt.engine.choose import best_cpu, choose, is_of_devices
from arcbatt.engine.records.record import Record
from arcbatt.engine.running.phase_clock import PhaseClock
from arcbatt.engine.running.sample_runner import BATT_MODES, MOST_MEMORY, BattMode, Runner
from arcbatt.engine.scoring.tally import TaskTally
from arcbatt.errors import ArcbattError, BackendError
from arcbatt.notices import tell
from arcbatt.program.batt_files.read import load_batt
from arcbatt.program.folders import FolderForm
from arcbatt.program.graph import Batt
from arcbatt.results.batt_results import BattResults, batt_writer
from arcbatt.results.files import Files
from arcbatt.results.result_writer import ResultWriter
from arcbatt.search.breed.card import sampled
from arcbatt.search.breed.keeper import Keeper
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import TaskSet
from arcbatt.text import plural, printable
from arcbatt.view.progress import progress
from arcbatt.view.terminal.batt_report import Totals, summary, summary_lines, task_line

DEFAULT_BATT = "batt"
SLOWEST = 30  # functions that --cprofile shows


def execute(
    context: Context,
    batt: Annotated[
        str, Option("-b", "--batt", metavar="BATT", help="The batt file: mine.py, or mine for short.")
    ] = DEFAULT_BATT,
    more_ids: Annotated[
        list[str] | None, Argument(metavar="IDS", help="More ids, after the first one that -i names.")
    ] = None,
    count: Annotated[
        int, Option("-c", "--count", metavar="N", help="So many tasks; 0: all, -N: N at random.")
    ] = 0,
    start: Annotated[
        int, Option("-s", "--start", min=0, metavar="N", help="The first task, counted from 0.")
    ] = 0,
    ids: options.Ids = None,
    timeout: Annotated[
        float | None,
        Option(
            "-t",
            "--timeout",
            min=0.001,
            metavar="SECONDS",
            help="Most time for a sample, which then runs in a worker process. Without it only batts with "
            "ops of your own have such a limit: 60 seconds.",
        ),
    ] = None,
    memory: Annotated[
        int | None,
        Option(
            "-m",
            "--memory",
            min=options.LEAST_MEMORY,
            metavar="MIB",
            help="Most memory for values. Without it a thread has 384, and a worker process 2048 for a "
            "sample (on Linux).",
        ),
    ] = None,
    mega_batch: Annotated[
        bool, Option("--mega-batch", help="Run many samples at a time, also of several tasks.")
    ] = False,
    batch_size: Annotated[
        int, Option(min=1, metavar="N", help="How many samples --mega-batch runs at a time.")
    ] = 1000,
    use_gpu: Annotated[
        bool, Option("--use-gpu", help="Run on a GPU if there is one, else on the CPU.")
    ] = False,
    data: Annotated[
        str,
        Option(
            metavar="train|eval|both|SPEC",
            help="The tasks: halves of ARC-AGI-1, or any SPEC as `run --tasks` takes it.",
        ),
    ] = "train",
    timing: Annotated[
        bool,
        Option(
            "--timing",
            help="Tell times, too, which differ from run to run: by task and by phase, and at the end of "
            "standard output as a line of JSON.",
        ),
    ] = False,
    cprofile: Annotated[
        bool, Option("--cprofile", help="Tell which Python functions take the time.")
    ] = False,
    cprofile_top: Annotated[
        int | None,
        Option("--cprofile-top", min=1, metavar="N", help="The same, for the N slowest; 30 by default."),
    ] = None,
    backend: options.Backend = "auto",
    workers: Annotated[
        int | None, options.threads("How many threads, or worker processes where these are needed")
    ] = None,
    on_failure: Annotated[str, options.on_failure(BATT_MODES)] = "default",
    strict: options.Strict = False,
    seed: options.Seed = 0,
    json_file: options.OutcomesFile = None,
    archive_file: options.ArchiveFile = None,
    resume: options.Resume = False,
    shard: options.Shard = None,
    cluster: options.Cluster = None,
    save: Annotated[
        str | None,
        Option("--save", metavar="DIR", help="Keep solvers that solve a task, as files in this folder."),
    ] = None,
    scores: options.Scores = "mean",
) -> int:
    """Run a batt file on tasks: a line for each task and a summary.

    A batt is a file of many solvers and differs, as `card` makes it: the solvers give outputs, the differs
    score them.

    Without --timing the output is the same for every backend, batch size and number of workers, and for every
    style of the same batt, unless --on-failure file leaves to the style what a failed line gives.

    Flags of older tools are taken, too: --batt_import, --task_ids, --task_id. An -i without ids means all
    tasks.

    With --json or --archive results are written as they come: after `kill -9` at most a second of work is
    lost, and the same command with --resume goes on. In worker processes and in mode pile it is one task.

    Examples:

      arcbatt run-batt -b next -c 60 --timing

      arcbatt run-batt -b next -i 67a3c6ac --save solver_dir

    Exit code: 0 all ran; 1 some samples were lost, to a limit of time or memory or to a crash; 2 nothing ran,
    or the results could not be written; 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
    """
    if more_ids and not ids:
        raise ArcbattError(f"{more_ids[0]!r} belongs to no option; -b names the batt, -i the ids of tasks")
    if scores != "mean" and save is None:
        raise ArcbattError("--scores is the form of a folder; name one with --save")
    if use_gpu and cluster is None:  # the nodes of a cluster use those that they have
        backend = _device_or_cpu(backend)
    file = _batt_file(batt)
    for output in (json_file, archive_file):
        require_output(output, [file, *data_files(data), *context.obj])
    clock = PhaseClock()
    with clock.phase("load"):
        read = load_batt(file, strict)
        Refusals(strict).warn(read.warnings)
        tasks = _pick_tasks(data, [*(ids or ()), *(more_ids or ())], count, start, seed)
        tasks = options.part_of(tasks, shard)
    mode = cast(BattMode, on_failure)
    bounds: dict[str, Any] = {
        "backend": backend,
        "limits": Limits(memory=memory << 20) if memory else DEFAULT_LIMITS,
        "seconds": timeout,
        "own_seconds": OWN_SECONDS,
        "memory": memory << 20 if memory else MOST_MEMORY,
    }
    size = batch_size if mega_batch else None

    def alone(winner: Batt) -> Runner:
        here = bounds if cluster is None else bounds | {"backend": "auto"}  # GPUs may be elsewhere
        return Runner(winner, on_failure=coordinator.runner.on_failure, workers=1, **here)

    def planned() -> MegaBatchCoordinator:
        with clock.phase("plan"):
            made = MegaBatchCoordinator(
                read,
                size,
                max_workers=workers,
                on_failure=mode,
                partial_scores=archive_file is not None,
                cluster=cluster,
                **bounds,
            )
        made.runner.clock = clock if timing else None
        return made

    keeper = Keeper(save, alone, tell, cast(FolderForm, scores)) if save is not None else None
    files = Files(json_file, archive_file, resume)
    with (
        _where_time_goes(cprofile_top or (SLOWEST if cprofile else None)),
        planned() as coordinator,
        batt_writer(coordinator.runner, tasks, alone, files) as writer,
    ):
        totals = _run_tasks(coordinator, tasks, clock if timing else None, files, writer, keeper)
    writer.require_written()
    if not totals.complete:
        return interrupted()
    stopped = any(status != "refused" for status, _ in totals.tally.ends)
    return SOME_REFUSED if stopped else DONE


def _pick_tasks(data: str, ids: Sequence[str] | None, count: int, start: int, seed: int) -> TaskSet:
    """The tasks to run on: those with the ids, or `count` from `start`, or a random sample of -`count`."""
    tasks = tasks_of(data)
    if ids:
        tasks = tasks.pick(one if one in tasks else one.removeprefix(SOLVE) for one in single_ids(ids))
    if count < 0:
        return TaskSet(tuple(sampled(tasks, -count, seed)), tasks.name)
    picked = tasks[start : start + count if count else None]
    if not picked:
        raise ArcbattError(
            f"--start is {start}, but the set has only {plural(len(tasks), 'task')}; start earlier"
        )
    return picked


def _batt_file(name: str) -> Path:
    """The batt file that `-b` names, by default batt.py."""
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


def _device_or_cpu(asked: str) -> str:
    """The backend of GPUs; if none can be used, say why and use the CPU."""
    if is_of_devices(asked):
        return asked
    if asked != "auto":
        raise ArcbattError(f"--use-gpu and --backend {asked} ask for different things; leave one of them out")
    try:
        return choose("cuda")[0].name
    except BackendError as error:
        tell(f"{error}; running on the CPU")
        return best_cpu()[0].name


def _run_tasks(
    coordinator: MegaBatchCoordinator,
    tasks: TaskSet,
    clock: PhaseClock | None,
    files: Files,
    writer: ResultWriter,
    keeper: Keeper | None,
) -> Totals:
    """Run a batt on tasks: print each, write it and keep its winners, if asked to; sum all up.

    With a clock, tell times, too.
    """
    timing, clock = clock is not None, clock or PhaseClock()
    out = sys.stderr if files.json == "-" else None
    totals = Totals()

    def count(found: TaskTally) -> None:
        with clock.phase("scoring"):
            totals.add(found)
        if keeper is not None:
            with clock.phase("keeping"):
                keeper.keep(found)

    def show(found: TaskTally, seconds: float) -> None:
        print(printable(task_line(found, seconds if timing else None)), file=out)

    if files.any:
        refused, ready = coordinator.refused(tasks)
        runner, size = coordinator.runner, coordinator.batch_size
        results = BattResults(runner, size, refused, ready, writer, count, clock)
        _run_and_show(results, len(tasks), totals, show, results.unfinished)
    else:
        _run_and_show(_counted(coordinator.judge(tasks), count), len(tasks), totals, show)
    times = _timing(coordinator.runner, totals, clock) if timing else {}
    counts = summary(totals, len(coordinator.batt.solvers))
    writer.finish(counts | times)
    for line in summary_lines(totals):
        print(line, file=out)
    if timing:
        print(_timing_line(coordinator.runner, totals, clock), file=out)
        print(json.dumps({"run": counts | _timing(coordinator.runner, totals, clock)}), file=out)
    return totals


def _counted(records: Iterable[Record], count: Callable[[TaskTally], None]) -> Iterator[TaskTally]:
    """The tallies of records, each counted before a signal can end the run."""
    for tally in map(TaskTally, records):
        with defer_interrupts():
            count(tally)
        yield tally


def _run_and_show(
    found: Iterable[TaskTally],
    tasks: int,
    totals: Totals,
    show: Callable[[TaskTally, float], None],
    unfinished: Callable[[], Iterable[TaskTally]] = tuple,
) -> None:
    """Run all tasks, or those that are done before Ctrl-C; each is shown with its seconds.

    `unfinished` gives the tasks of which a part was done by then.
    """
    started = before = perf_counter()
    try:
        with progress(tasks, "tasks") as advance:
            for each in found:
                now = perf_counter()
                show(each, now - before)
                before = now
                advance(each)
    except KeyboardInterrupt:
        totals.complete = False
        for each in unfinished():
            show(each, 0.0)
    totals.seconds = perf_counter() - started


def _timing_line(runner: Runner, totals: Totals, clock: PhaseClock) -> str:
    how = plural(runner.workers, "worker process" if runner.in_workers else "thread")
    phases = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in clock.seconds().items())
    return f"{totals.seconds:.3f} s; backend {runner.work.backend.name} ({runner.why}), {how}; {phases}"


def _timing(runner: Runner, totals: Totals, clock: PhaseClock) -> dict[str, object]:
    """The times for the summary, which differ from run to run."""
    return {
        "seconds": round(totals.seconds, 6),
        "evaluations_per_second": round(totals.tally.asked / totals.seconds, 1),
        "backend": runner.work.backend.name,
        "threads": runner.workers,
        "phases": {name: round(seconds, 6) for name, seconds in clock.seconds().items()},
    }


@contextmanager
def _where_time_goes(top: int | None) -> Iterator[None]:
    """With a number, tell on standard error in so many functions where Python spends its time."""
    if top is None:
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
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("cumulative").print_stats(top)
