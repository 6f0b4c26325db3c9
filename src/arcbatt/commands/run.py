"""`arcbatt run`: programs on tasks, a table of what they solve, and the same as JSON."""

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, get_args

from rich.text import Text
from typer import Context, Option

import arcbatt
from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import Refusals, program_files, read_programs, tell_of_idle
from arcbatt.commands.outputs import require_output, tell_of_heavy
from arcbatt.commands.pointers import pointer, trace_command
from arcbatt.dsl.limits import DEFAULT_LIMITS, RANGES, Limits
from arcbatt.engine.backend import OWN_SECONDS, FailureMode
from arcbatt.engine.records.record import Outcome
from arcbatt.engine.results import Interrupted, Results
from arcbatt.errors import LimitPassed, NothingRunWarning
from arcbatt.notices import note, tell
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import merge
from arcbatt.results.files import Files
from arcbatt.tasks import TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.text import plural
from arcbatt.view.progress import progress
from arcbatt.view.screen import Screen
from arcbatt.view.terminal import run_report

if TYPE_CHECKING:
    from arcbatt.results.result_writer import ResultWriter


HIGHER_LIMITS = "--max-items and --max-depth raise the limits"


def _limit(name: str, what: str) -> Any:
    """An option for one of the limits."""
    low, high = RANGES[name]
    return Option(min=low, max=high, metavar="N", help=f"Limit of {what}.")


def execute(
    context: Context,
    programs: options.Programs = None,
    tasks: options.Tasks = "arc1/training",
    pairs: Annotated[str, options.pairs()] = "own",
    backend: options.Backend = "auto",
    threads: Annotated[int | None, options.threads("How many threads")] = None,
    json_file: options.OutcomesFile = None,
    archive_file: options.ArchiveFile = None,
    resume: options.Resume = False,
    shard: options.Shard = None,
    cluster: options.Cluster = None,
    limit: Annotated[int | None, Option(min=1, metavar="N", help="Only the first N tasks.")] = None,
    on_failure: Annotated[str, options.on_failure(get_args(FailureMode))] = "fail",
    strict: options.Strict = False,
    timeout: Annotated[
        float,
        Option(
            "-t",
            "--timeout",
            min=0.001,
            metavar="SECONDS",
            help="Most time of a program with ops of your own on a sample; limits bound the others.",
        ),
    ] = OWN_SECONDS,
    max_items: Annotated[
        int, _limit("items", "the weight of a value: about as many numbers as it holds")
    ] = DEFAULT_LIMITS.items,
    max_calls: Annotated[int, _limit("calls", "the functions that one op may apply")] = DEFAULT_LIMITS.calls,
    max_depth: Annotated[
        int, _limit("depth", "the nesting of values and of functions within functions")
    ] = DEFAULT_LIMITS.depth,
    max_work: Annotated[
        int, _limit("work", "what a program may cost on a sample; `arcbatt ops NAME` tells costs")
    ] = DEFAULT_LIMITS.work,
    memory: Annotated[
        int,
        Option(
            min=options.LEAST_MEMORY, metavar="MIB", help="Limit of the memory for the values of a thread."
        ),
    ] = DEFAULT_LIMITS.memory >> 20,
) -> int:
    """Run programs on tasks and say which tasks are solved.

    A task is solved if the program gives the expected output on every sample for which it is known.

    Program files are read as data and never executed. A program is made of ops, constants and inputs alone,
    which `arcbatt ops` lists; any other is refused with file, line and reason, and the rest run. Differs,
    programs that score outputs, are left out: `card` puts them into a batt file, `run-batt` runs it.

    Results are written as they come: after `kill -9` at most a second of work is lost, and the same command
    with --resume goes on. In mode pile, where programs depend on each other, it is at most one task.

    Programs with ops of your own (--ops) run in worker processes. One that takes too long or too much memory,
    or crashes, is stopped on that sample; the rest run. Exceptions of such ops are reported.

    A task that is heavier than the limits allow is refused, with the reason in its lines; the others run.

    Exit code: 0 all ran, solved or not; 1 some programs were refused or stopped, the others ran; 2 nothing
    ran, or the results could not be written; 130 interrupted, what was done by then is reported (143 by
    SIGTERM, 129 by SIGHUP).
    """
    limits = Limits(max_items, max_calls, max_depth, max_work, memory << 20)
    refused = Refusals(strict)
    read = program_files(programs or ())
    for output in (json_file, archive_file):
        require_output(output, [*read, *task_files(tasks), *context.obj])
    chosen = _solvers(read_programs(read, refused))
    if not chosen:
        return NOTHING_DONE
    wanted = load_tasks(tasks)[:limit]
    if pairs == "own":
        tell_of_idle(chosen, wanted, read)
    batt = merge(chosen)
    part = options.part_of(wanted, shard)
    settings: dict[str, Any] = {
        "backend": backend,
        "on_failure": on_failure,
        "limits": limits,
        "timeout": timeout,
    }
    files = Files(json_file, archive_file, resume)
    # Winners run again on this machine, which may lack the GPUs of a cluster.
    alone = settings if cluster is None else settings | {"backend": "auto"}
    with _opened_writer(batt, part, pairs, alone, files) as writer:
        more = {
            "pairs": pairs,
            "threads": threads,
            "partial_scores": archive_file is not None,
            "cluster": cluster,
        }
        results, complete = _run(batt, part, writer, settings | more)
        if writer is not None:
            writer.finish(results.summary() | ({} if complete else {"interrupted": True}))
    _report(results, pairs, to_stdout=json_file != "-")
    refused.sum_up()
    tell_of_heavy(results.refused, HIGHER_LIMITS)
    if pairs == "own" and limits == DEFAULT_LIMITS and on_failure == "fail":  # those of a trace
        _point_to_trace(results, tasks, context.obj)
    if writer is not None:
        writer.require_written()
    if not complete:
        return interrupted()
    return SOME_REFUSED if refused.count or results.lost else DONE


def _opened_writer(
    batt: Batt, tasks: TaskSet, pairs: str, settings: dict[str, Any], files: Files
) -> "AbstractContextManager[ResultWriter | None]":
    """The writer of the results, if any; opened before the run, so that a wrong name costs no work."""
    if not files.any:
        return nullcontext()
    from arcbatt.results.program_results import program_writer  # an import that many runs do without

    return program_writer(batt, tasks, pairs, settings, files)


def _solvers(programs: Sequence[Program]) -> list[Program]:
    """The programs that can solve a task; how many cannot is told."""
    solvers = [program for program in programs if program.kind == "solver"]
    differs = len(programs) - len(solvers)
    if differs:
        tell(
            f"not run: {plural(differs, 'differ')}; differs score outputs and solve no task: "
            "card puts them into a batt, run-batt runs it"
        )
    return solvers


def _run(
    batt: Batt, tasks: TaskSet, writer: "ResultWriter | None", settings: dict[str, Any]
) -> tuple[Results, bool]:
    """The results, and whether they are complete."""
    told: dict[str, Any] = {} if writer is None else {"on_record": writer.add, "known": writer.known}
    try:
        with warnings.catch_warnings(), progress(len(tasks), "tasks") as advance:
            warnings.simplefilter("ignore", NothingRunWarning)  # a part of the tasks may have no programs
            return arcbatt.run(batt, tasks, on_task=advance, **told, **settings), True
    except Interrupted as stopped:
        return stopped.results, False
    except LimitPassed as refusal:
        raise LimitPassed(f"{refusal}; {HIGHER_LIMITS}") from None


def _point_to_trace(results: Results, tasks: str, ops: Sequence[str]) -> None:
    """Say how the first outcome that solves nothing is traced."""
    unsolved = next((outcome for outcome in results if not outcome.solved and _is_known(outcome)), None)
    command = unsolved and trace_command(unsolved.program, unsolved.task, tasks, ops)
    if command:
        note(pointer(command))


def _is_known(outcome: Outcome) -> bool:
    """Whether an outcome is wrong or fails; one without expected outputs may be right."""
    return False in outcome.demo + outcome.test or bool(outcome.failures)


def _report(results: Results, pairs: str, to_stdout: bool) -> None:
    screen = Screen(stderr=not to_stdout)
    if to_stdout and len(results):
        table = run_report.own_table if pairs == "own" else run_report.all_table
        screen.print(table(results, screen.width))
        print()
    screen.print(map(Text, run_report.summary_lines(results)))
