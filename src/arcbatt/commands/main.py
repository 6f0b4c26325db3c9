"""The command line: `arcbatt run | card | run-batt | profile | bench | ops | show | gpu | fuzz`."""

import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from typer.core import TyperGroup

import arcbatt
from arcbatt.commands import options
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import TABLE
from arcbatt.engine.backend import FailureMode, require
from arcbatt.engine.choose import require_backend
from arcbatt.engine.results import Interrupted, Results
from arcbatt.engine.run import Pairs
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.files import whole_file
from arcbatt.program.graph import Program
from arcbatt.program.merge import unapplied
from arcbatt.program.mutate import DEFAULT_RATE
from arcbatt.program.oddities import Oddity
from arcbatt.tasks import TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.telling import tell
from arcbatt.words import printable

# What draws and reads is imported by the commands that need it: `arcbatt --help` must come at once.

DONE, SOME_REFUSED, NOTHING_DONE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

# This is click's UsageError: typer stands on click, or holds it within itself, by its release.
WrongUsage: type[Exception] = typer.BadParameter.__bases__[0]


class Commands(TyperGroup):
    """The commands: each returns its exit code; an error becomes one sentence, never a traceback."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the words before the command; --help and --version are answered here."""
        with _guarded():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run a command and leave with its exit code."""
        with _guarded():
            code = super().invoke(ctx)
            sys.stdout.flush()
        raise typer.Exit(code or DONE)


@contextmanager
def _guarded() -> Iterator[None]:
    """Leave with an exit code, and a sentence, after an error."""
    try:
        yield
        return
    except ArcbattError as error:
        tell(str(error))
        code = NOTHING_DONE
    except WrongUsage as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        tell(_in_a_sentence(error))
        code = NOTHING_DONE
    except KeyboardInterrupt:
        tell("interrupted")
        code = INTERRUPTED
    except BrokenPipeError:
        code = PIPE_CLOSED
    except OSError as error:
        tell(f"{error.filename or 'the output'}: {error.strerror or error}")
        code = NOTHING_DONE
    discard_output()
    raise typer.Exit(code)


def _in_a_sentence(error: Any) -> str:
    """What is wrong with the words of a command, and where to read what is right."""
    more = f"; {error.ctx.command_path} -h tells more" if error.ctx else ""
    return f"{error.format_message().rstrip('.')}{more}"


def discard_output() -> None:
    """Send what cannot be written to nowhere, lest Python complain of it at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


app = typer.Typer(
    cls=Commands,
    name="arcbatt",
    help="Run very many small ARC programs on very many grids: exactly, safely and fast.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `arcbatt`; ends with SystemExit."""
    _prepare_streams()
    app(arguments, prog_name="arcbatt")


def _prepare_streams() -> None:
    """Let no stream end a run: neither a closed one nor one whose encoding cannot show a name."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, StringIO())
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def version() -> str:
    """The version, and how the compiled core was built.

    >>> version()
    'arcbatt ...'
    """
    return f"arcbatt {arcbatt.__version__}, Python {platform.python_version()}, {_core()}"


def _core() -> str:
    if find_spec("arcbatt._core") is None:
        return "without the compiled core"
    try:
        built: dict[str, Any] = import_module("arcbatt._core").build_info()
    except ImportError as error:
        return f"the compiled core cannot be loaded: {error}"
    return "compiled core: " + ", ".join(f"{name} {value}" for name, value in built.items())


def _show_version(wanted: bool) -> None:
    if wanted:
        print(version(), flush=True)
        raise typer.Exit


def _own_ops() -> set[str]:
    """The names of the ops that are not the language's own."""
    return {op.name for op in TABLE.values() if not op.trusted}


def _import_ops(file: str | None) -> None:
    """Import a file of the user's own that registers ops."""
    if file is None:
        return
    spec = spec_from_file_location("arcbatt_own_ops", file)
    if spec is None or spec.loader is None:
        raise ArcbattError(f"{file}: is no Python file; name a .py file that calls arcbatt.register_op")
    if Path(file).exists() and not Path(file).is_file():
        raise ArcbattError(f"{file}: is no regular file; name a .py file that calls arcbatt.register_op")
    before = _own_ops()
    try:
        spec.loader.exec_module(module_from_spec(spec))
    except ArcbattError as error:
        raise ArcbattError(f"{file}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit() would end the command as if it had done its work
        reason = f"{type(error).__name__}: {error}"
        raise ArcbattError(f"{file}: its ops cannot be imported: {reason}") from None
    if _own_ops() == before:
        tell(f"{file}: registers no op; arcbatt.register_op makes an op of a Python function")


@app.callback()
def _options(
    context: typer.Context,
    ops_file: options.OpsFile = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and the compiled core."
        ),
    ] = False,
) -> None:
    context.obj = [ops_file] if ops_file else []
    _import_ops(ops_file)


@app.command()
def run(
    context: typer.Context,
    programs: options.Programs = None,
    tasks: options.Tasks = "arc1/training",
    pairs: options.PairsOption = "own",
    backend: options.Backend = "auto",
    threads: options.Threads = None,
    json_file: options.JsonFile = None,
    limit: options.Limit = None,
    on_failure: options.OnFailure = "fail",
    strict: options.Strict = False,
    max_items: options.MaxItems = DEFAULT_LIMITS.items,
    max_calls: options.MaxCalls = DEFAULT_LIMITS.calls,
    max_depth: options.MaxDepth = DEFAULT_LIMITS.depth,
    max_work: options.MaxWork = DEFAULT_LIMITS.work,
    memory: options.Memory = DEFAULT_LIMITS.memory >> 20,
) -> int:
    """Run programs on tasks and say which are solved.

    Program files are read as data and never executed. A program that is not plain DSL is refused with file,
    line and reason, and the others run. Differs are left out: they score outputs, see card and run-batt.

    Exit code: 0 all ran, solved or not; 1 some programs were refused, the others ran; 2 nothing ran, or the
    JSON could not be written; 130 interrupted, what was done by then is reported.
    """
    from arcbatt.commands import inputs
    from arcbatt.view import run_report as report

    limits = Limits(max_items, max_calls, max_depth, max_work, memory << 20)
    _require_known(backend, pairs)
    require("on_failure", on_failure, get_args(FailureMode))
    refused = _Refusals(strict)
    files = inputs.program_files(programs or ())
    inputs.require_apart(json_file, [*files, *task_files(tasks), *context.obj])
    chosen = _solvers(inputs.read_programs(files, refused))
    if not chosen:
        return NOTHING_DONE
    wanted = load_tasks(tasks)[:limit]
    if programs and pairs == "own":
        _tell_of_idle(chosen, wanted)
    if pairs == "own" and not any(program.task_id in wanted for program in chosen):
        raise ArcbattError("no program runs on any of the tasks; --pairs all runs each program on every task")
    results = None
    try:
        # The file is opened before the run: a wrong name costs no work.
        with whole_file(json_file) if json_file else nullcontext() as file:
            results, interrupted = _run(chosen, wanted, pairs, backend, threads, on_failure, limits)
            if file is not None:
                report.write_json(results, interrupted, file)
    finally:
        if results is not None:  # what was computed is shown even if the file could not be written
            _report(results, pairs, to_stdout=json_file != "-")
    if interrupted:
        tell("interrupted; this is what was done by then")
        return INTERRUPTED
    return SOME_REFUSED if refused.count else DONE


def _require_known(backend: str, pairs: str | None = None) -> None:
    """Refuse values of options that mean nothing, before anything is read."""
    require_backend(backend)
    if pairs is not None:
        require("pairs", pairs, get_args(Pairs))


class _Refusals:
    """Names what is refused or odd in files on standard error; a strict one ends everything at the first."""

    def __init__(self, strict: bool) -> None:
        self.strict, self.count = strict, 0

    def add(self, error: ProgramError) -> None:
        if self.strict:
            raise error
        self.count += 1
        print(printable(str(error)), file=sys.stderr)

    def warn(self, warnings: Iterable[Oddity]) -> None:
        for warning in warnings:
            print(printable(str(warning)), file=sys.stderr)


def _solvers(programs: Sequence[Program]) -> list[Program]:
    """The programs that can solve a task; how many cannot is told."""
    from arcbatt.words import plural

    solvers = [program for program in programs if program.kind == "solver"]
    differs = len(programs) - len(solvers)
    if differs:
        tell(
            f"not run: {plural(differs, 'differ')}; differs score outputs and solve no task: "
            "card puts them into a batt, run-batt runs it"
        )
    return solvers


def _tell_of_idle(programs: Sequence[Program], tasks: TaskSet) -> None:
    """Say which programs have no task to run on, and what to do about it."""
    nameless = [program for program in programs if program.task_id is None]
    foreign = [
        program for program in programs if program.task_id is not None and program.task_id not in tasks
    ]
    if nameless:
        tell(f"{_not_run(nameless, 'no task id in the name')}; --pairs all runs every program on every task")
    if foreign:
        tell(f"{_not_run(foreign, 'a task that is not loaded')}; --tasks and --limit choose the tasks")


def _not_run(programs: Sequence[Program], reason: str) -> str:
    """How many programs are left out and why.

    >>> _not_run(arcbatt.parse_programs("def turn(I): return rot90(I)"), "no task id in the name")
    'not run: 1 program with no task id in the name, such as turn'
    """
    count = f"{len(programs):,} program{'' if len(programs) == 1 else 's'}"
    return f"not run: {count} with {reason}, such as {programs[0].name}"


def _run(
    programs: Sequence[Program],
    tasks: TaskSet,
    pairs: str,
    backend: str,
    threads: int | None,
    on_failure: str,
    limits: Limits,
) -> tuple[Results, bool]:
    """The results, and whether they were cut short."""
    from arcbatt.view.screen import progress

    try:
        with progress(len(tasks), "tasks") as advance:
            results = arcbatt.run(
                programs,
                tasks,
                pairs=cast(Pairs, pairs),
                backend=backend,
                threads=threads,
                on_failure=cast(FailureMode, on_failure),
                limits=limits,
                on_task=advance,
            )
    except Interrupted as stopped:
        return stopped.results, True
    return results, False


def _report(results: Results, pairs: str, to_stdout: bool) -> None:
    from arcbatt.view import run_report as report
    from arcbatt.view.screen import Screen

    if to_stdout and len(results):
        Screen().print(report.own_table(results) if pairs == "own" else report.all_table(results))
        print()
    for line in report.summary_lines(results):
        print(line, file=sys.stdout if to_stdout else sys.stderr)


@app.command()
def card(
    context: typer.Context,
    file: options.CardFile,
    programs: options.Programs = None,
    count: options.CardCount = 0,
    ids: options.Ids = None,
    style: options.StyleOption = None,
    vectorized: options.Vectorized = False,
    gpu: options.Gpu = False,
    freeze_solvers: options.FreezeSolvers = False,
    freeze_differs: options.FreezeDiffers = False,
    data: options.CardData = None,
    seed: options.Seed = 0,
    rate: options.Rate = DEFAULT_RATE,
    wild: options.Wild = False,
    mutants: options.Mutants = 1,
    strict: options.Strict = False,
) -> int:
    """Make a batt: mutate solvers and differs, merge them and write a batt file.

    Solvers and differs come from the program files; a kind that these hold none of comes from the library. A
    file may be a batt: then its differs are taken as they are on the raw input.

    Exit code: 0 the file is written; 1 it is, without programs that were refused; 2 it is not.
    """
    from arcbatt.batt.card import Recipe
    from arcbatt.collection import collection_put_off
    from arcbatt.commands import inputs
    from arcbatt.commands import run_batt as batt_commands
    from arcbatt.library import load_library

    recipe = Recipe(seed, rate, wild, freeze_solvers, freeze_differs, mutants)
    chosen_style = batt_commands.style_of(style, vectorized, gpu)
    refused = _Refusals(strict)
    files = inputs.program_files(programs) if programs else []
    inputs.require_apart(file, [*files, *batt_commands.data_files(data), *context.obj])
    with collection_put_off():
        given = inputs.read_programs(files, refused)
        if programs and not given:
            return NOTHING_DONE
        scoring = unapplied(program for program in given if program.kind == "differ")
        differs = scoring or load_library("differs")
        solvers = [program for program in given if program.kind == "solver"] or load_library("solvers")
        picked = batt_commands.pick_solvers(solvers, ids, data, count, seed, freeze_solvers)
        batt_commands.write_card(file, picked, differs, chosen_style, recipe)
    return SOME_REFUSED if refused.count else DONE


@app.command("run-batt")
def run_batt(
    context: typer.Context,
    batt: options.BattFile = "batt",
    more_ids: options.MoreIds = None,
    count: options.TaskCount = 0,
    start: options.Start = 0,
    ids: options.Ids = None,
    timeout: options.TimeLimit = None,
    memory: options.MemoryLimit = None,
    mega_batch: options.MegaBatch = False,
    batch_size: options.BatchSize = 1000,
    use_gpu: options.UseGpu = False,
    data: options.Data = "train",
    timing: options.Timing = False,
    cprofile: options.CProfile = False,
    backend: options.Backend = "auto",
    workers: options.Workers = None,
    on_failure: options.BattFailure = "default",
    strict: options.Strict = False,
    seed: options.Seed = 0,
    json_file: options.JsonFile = None,
    save: options.SaveFolder = None,
) -> int:
    """Run a batt file on tasks: a line for each task and a summary.

    Without --timing the output is the same for every backend, batch size and number of workers, and for every
    style of the same batt, unless --on-failure file leaves to the style what a failed line gives.

    Exit code: 0 all ran, 1 some samples came to a bad end, 2 nothing ran, 130 interrupted.
    """
    from arcbatt.batt.execution import BATT_MODES, MOST_MEMORY, OWN_SECONDS, BattMode, Execution
    from arcbatt.batt.population import Keeper
    from arcbatt.commands import inputs
    from arcbatt.commands import run_batt as batt_commands
    from arcbatt.program.graph import Batt
    from arcbatt.program.read_batt import load_batt

    if more_ids and not ids:
        raise ArcbattError(f"{more_ids[0]!r} belongs to no option; -b names the batt, -i the ids of tasks")
    _require_known(backend)
    require("on_failure", on_failure, BATT_MODES)
    if use_gpu:
        backend = batt_commands.device_or_cpu(backend)
    file = batt_commands.batt_file(batt)
    inputs.require_apart(json_file, [file, *batt_commands.data_files(data), *context.obj])
    read = load_batt(file, strict)
    _Refusals(strict).warn(read.warnings)
    tasks = batt_commands.pick_tasks(data, [*(ids or ()), *(more_ids or ())], count, start, seed)
    mode = cast(BattMode, on_failure)
    limits = Limits(memory=memory << 20) if memory else DEFAULT_LIMITS
    most_memory = memory << 20 if memory else MOST_MEMORY
    ready = partial(
        Execution,
        backend=backend,
        limits=limits,
        seconds=timeout,
        own_seconds=OWN_SECONDS,
        memory=most_memory,
    )

    def alone(winner: Batt) -> Execution:
        return ready(winner, on_failure=execution.on_failure, workers=1)

    keeper = Keeper(save, alone, tell) if save is not None else None
    with (
        batt_commands.where_time_goes(cprofile),
        ready(read, on_failure=mode, workers=workers) as execution,
    ):
        samples = batch_size if mega_batch else None
        totals = batt_commands.run_and_keep(execution, tasks, samples, timing, json_file, keeper)
    if not totals.complete:
        tell("interrupted; this is what was done by then")
        return INTERRUPTED
    return SOME_REFUSED if totals.tally.ends else DONE


@app.command()
def ops(name: options.Name = None, group: options.Group = None, as_json: options.AsJson = False) -> None:
    """Show the language on one page, or one of its names in full."""
    from arcbatt.view import language
    from arcbatt.view.screen import Screen

    if as_json:
        for record in language.records(name, group):
            print(json.dumps(language.as_json(record)))
        return
    screen = Screen()
    screen.print(language.explain(name, screen.width) if name else language.page(group, screen.width))


@app.command()
def show(
    task: options.TaskSpec, program: options.ProgramName = None, no_color: options.NoColor = False
) -> None:
    """Draw tasks in the terminal, and beside the expected outputs what a program gives.

    A cell that differs from the expected output is marked `><`; without colours, `*` stands behind its digit.
    """
    from arcbatt.commands.inputs import find_program
    from arcbatt.view.grids import palette
    from arcbatt.view.screen import Screen
    from arcbatt.view.tasks import draw_task

    screen = Screen(colors=not no_color)
    for number, shown in enumerate(load_tasks(task)):
        outcome = None
        if program is not None:
            chosen = find_program(program, shown.id)
            outcome = arcbatt.run(chosen, [shown], pairs="all")[chosen.name, shown.id]
        if number:
            print()
        screen.print(draw_task(shown, outcome, screen.width, palette(screen.color_system)))


@app.command()
def fuzz(
    seconds: options.Seconds = 60.0,
    seed: options.Seed = 0,
    backends: options.TwoBackends = "reference,native",
    evaluations: options.Evaluations = None,
) -> int:
    """Compare two backends on random programs, node by node, and print each difference as a test case.

    Exit code: 0 no difference, 1 differences were found.
    """
    from arcbatt.library import load_library
    from arcbatt.testing.fuzz import fuzz as compare
    from arcbatt.view.screen import progress
    from arcbatt.words import plural

    names = tuple(name.strip() for name in backends.split(","))
    if len(names) != 2:
        raise ArcbattError(f"--backends is {backends!r}; it must name two backends, such as reference,native")
    library = list(load_library("solvers"))
    with progress(None, "programs") as advance:
        report = compare(seconds, seed, (names[0], names[1]), library, evaluations, advance)
    for difference in report.differences:
        print(difference.as_test((names[0], names[1])))
    failures = ", ".join(f"{kind} {count:,}" for kind, count in sorted(report.failures.items()))
    print(
        f"{plural(report.programs, 'program')}, {plural(report.evaluations, 'evaluation')}, "
        f"{plural(report.nodes, 'node')} compared; failures {failures or 'none'}; "
        f"{plural(len(report.differences), 'difference')} (seed {seed})"
    )
    if report.interrupted:
        tell("interrupted; this is what was done by then")
        return INTERRUPTED
    return SOME_REFUSED if report.differences else DONE


@app.command()
def profile(
    context: typer.Context,
    programs: options.ProfileFiles = None,
    tasks: options.Tasks = "arc1/training",
    limit: options.ProfileLimit = 40,
    pairs: options.ProfilePairs = None,
    backend: options.ProfileBackend = "auto",
    on_failure: options.BattFailure = "default",
    strict: options.Strict = False,
    top: options.Top = 15,
    json_file: options.BenchJson = None,
) -> int:
    """Measure what a batt or programs cost: ops, failures, slowest nodes, what merging and staging save.

    Exit code: 0 all was measured; 1 some programs were refused; 2 nothing was measured, or the JSON could not
    be written; 130 interrupted, what was done by then is reported.
    """
    from arcbatt.batt.execution import BATT_MODES
    from arcbatt.commands import inputs
    from arcbatt.commands import profile as profile_command

    _require_known("auto" if backend == profile_command.EVERY_BACKEND else backend, pairs)
    require("on_failure", on_failure, BATT_MODES)
    refused = _Refusals(strict)
    files = inputs.program_files(programs or ())
    inputs.require_apart(json_file, [*files, *task_files(tasks), *context.obj])
    batt = profile_command.read_batt_or_programs(files, refused)
    if not batt.programs:
        return NOTHING_DONE
    chosen_pairs = profile_command.pairs_for(batt, pairs)
    known = load_tasks(tasks)
    if programs and chosen_pairs == "own":
        _tell_of_idle(batt.programs, known)
    wanted = profile_command.pick_tasks(batt, known, chosen_pairs, limit)
    profile_command.show_profiles(batt, wanted, chosen_pairs, backend, on_failure, top, json_file)
    return SOME_REFUSED if refused.count else DONE


@app.command()
def gpu(calibrate: options.Calibrate = False, as_json: options.GpuJson = False) -> None:
    """Show the GPUs of this machine, the driver and the compiler, or why no GPU can be used.

    Exit code: 0; 2 with --calibrate where there is no device to measure, or where it cannot be measured.
    """
    from arcbatt.commands.gpu import calibrate_devices, show_gpus

    if calibrate:
        calibrate_devices()
    show_gpus(as_json)


@app.command()
def bench(context: typer.Context, quick: options.Quick = False, json_file: options.BenchJson = None) -> int:
    """Run the project's benchmarks; every figure is a ratio or a cost measured in this one run.

    Exit code: 0 all was measured; 2 the JSON could not be written; 130 interrupted, what was done by then is
    reported.
    """
    from arcbatt.commands import bench as bench_command
    from arcbatt.commands import inputs

    inputs.require_apart(json_file, context.obj)
    if not bench_command.run_benchmarks(quick, json_file):
        tell("interrupted; this is what was done by then")
        return INTERRUPTED
    return DONE
