"""`arcbatt card`: chooses solvers and differs, mutates and merges them, and writes a batt file."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import Annotated, cast, get_args

from typer import Context, Option

from arcbatt.batt.breeding.card import SEED_BITS, Recipe, bred, entries, least_lines
from arcbatt.batt.breeding.drawing import By, Drawing, way_of
from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, options
from arcbatt.commands.inputs import (
    SOLVE,
    Refusals,
    data_files,
    read_programs,
    single_ids,
    tasks_of,
)
from arcbatt.commands.kept_sources import program_sources, programs_of_archive
from arcbatt.commands.outputs import require_output
from arcbatt.errors import ArcbattError, TaskError
from arcbatt.files import whole_file
from arcbatt.gc_pause import gc_paused
from arcbatt.library import load_library
from arcbatt.program.batt_files.calls import calls_source
from arcbatt.program.batt_files.write import STYLES, batt_source
from arcbatt.program.graph import Batt, Program, Style
from arcbatt.program.merge import batt_of, distinct, unapplied
from arcbatt.program.syntax import LARGEST_FILE, LONGEST_FILE
from arcbatt.tasks import Task
from arcbatt.tasks.published import published_task
from arcbatt.text import plural, printable


def execute(
    context: Context,
    *,
    file: Annotated[str, Option("-f", "--file", metavar="FILE", help="The batt file to write.")] = "batt.py",
    programs: options.Sources = None,
    count: Annotated[
        int, Option("-c", "--count", metavar="N", help="So many solvers; 0: all, -N: N at random.")
    ] = 0,
    by: Annotated[
        str | None,
        options.choice(
            "--by",
            get_args(By),
            "How -c chooses solvers. score: better ones more often; even: all with the same chance; first: "
            "the first ones. By default score if the solvers have scores, else first.",
        ),
    ] = None,
    differs: Annotated[
        int, Option("--differs", min=0, metavar="N", help="So many differs, drawn in the same way; 0: all.")
    ] = 0,
    ids: options.Ids = None,
    style: Annotated[
        str | None,
        Option(
            metavar="|".join(STYLES),
            help="How lines are written, and what a failed line gives where the file runs as plain Python: "
            "pile if nothing is said.",
        ),
    ] = None,
    vectorized: Annotated[bool, Option("--vectorized", help="Short for --style vectorized.")] = False,
    gpu: Annotated[bool, Option("--gpu", help="Short for --style hybrid.")] = False,
    recipe: Recipe,
    data: Annotated[
        str | None,
        Option(
            "--data",
            metavar="train|eval|both|SPEC",
            help="Only solvers of these tasks: halves of ARC-AGI-1, or any SPEC as `run --tasks` takes it.",
        ),
    ] = None,
    seed: options.OwnSeed = None,
    call: Annotated[
        bool,
        Option(
            "--call", help="Write FILE_call.py, too: in `t_call` the op and the arguments of each line tN."
        ),
    ] = False,
    strict: options.Strict = False,
) -> int:
    """Make a batt file: choose solvers and differs, mutate them, merge them and write the file.

    A solver makes the output grid of a task; a differ scores an output. A batt is a file of many of both, in
    which what they share stands once, for `run-batt`. A mutant is a copy in which some ops, constants or
    arguments are changed at random.

    Solvers and differs come from the program files and archives; a kind that these hold none of comes from
    the library. A file may be a batt: then each of its differs is taken once. Kept populations and archives
    have scores. The file tells the seed that it was made with.

    Flags of older tools are taken, too: --file_name, --freeze_solvers, --freeze_differs, --task_id. An -i
    without ids means all solvers.

    Examples:

      arcbatt card -c 12 -fs -fd

      arcbatt card solver_dir differ_dir -c 40 --differs 4 -f next.py

    Exit code: 0 the file is written; 1 it is, without programs that were refused; 2 it is not.
    """
    chosen_style = _style_of(style, vectorized, gpu)
    refused = Refusals(strict)
    files, archives = program_sources(programs or ())
    calls = _calls_file(file) if call else None
    for output in (file, calls):
        require_output(output, [*files, *archives, *data_files(data), *context.obj])
    with gc_paused():
        given = read_programs(files, refused)
        for archive in archives:
            given += programs_of_archive(archive)
        if programs and not given:
            return NOTHING_DONE
        scoring = unapplied(program for program in given if program.kind == "differ")
        scoring = scoring or list(load_library("differs"))
        solvers = [program for program in given if program.kind == "solver"] or load_library("solvers")
        solvers = _asked_for(solvers, ids, data)
        solvers = distinct(solvers) if recipe.freeze_solvers else solvers
        if seed is None:
            way = by or way_of([*solvers, *scoring])
            is_drawn = count < 0 or (way != "first" and (count or differs))
            is_settled = recipe.freeze_solvers and recipe.freeze_differs and not is_drawn
            seed = 0 if is_settled else SystemRandom().getrandbits(SEED_BITS)
        recipe = replace(recipe, seed=seed)
        drawing = Drawing(cast(By | None, by), seed)
        summed = [solver for solver in solvers if solver.kept is not None and solver.kept.is_sum]
        picked = drawing.solvers(solvers, count, _known_tasks(summed))
        batt = _write(file, picked, drawing.differs(scoring, differs), chosen_style, recipe)
        if calls is not None:
            with whole_file(calls) as out:
                out.write(calls_source(batt))
    return SOME_REFUSED if refused.count else DONE


def _style_of(style: str | None, vectorized: bool, gpu: bool) -> Style:
    """The one style that the options ask for; `pile` if they ask for none."""
    asked = [style] if style else []
    asked += ["vectorized"] * vectorized + ["hybrid"] * gpu
    if len(set(asked)) > 1:
        raise ArcbattError(
            f"the options ask for the styles {' and '.join(asked)}; a file has one, so name one"
        )
    for known in STYLES:
        if known == (asked[0] if asked else "pile"):
            return known
    raise ArcbattError(f"there is no style {style!r}; use one of {', '.join(STYLES)}")


def _asked_for(programs: Iterable[Program], ids: Sequence[str] | None, data: str | None) -> list[Program]:
    """The solvers that a batt may be made of, by tasks and ids."""
    solvers = [program for program in programs if program.kind == "solver"]
    if data is not None:
        tasks = tasks_of(data)
        solvers = [solver for solver in solvers if solver.task_id in tasks]
    if ids:
        wanted = single_ids(ids)
        names = [_names(solver) for solver in solvers]
        missing = next((one for one in wanted if not any(one in each for each in names)), None)
        if missing is not None:
            raise ArcbattError(f"there is no solver {missing!r} to choose; name a solver or its task")
        solvers = [solver for solver, each in zip(solvers, names) if not each.isdisjoint(wanted)]
    if not solvers:
        raise ArcbattError(
            f"no solver is for a task of --data {data}; name other tasks or other program files"
        )
    return solvers


def _names(solver: Program) -> set[str | None]:
    """The names of a solver that --ids accepts: its name, its id in a batt, its task, each with `solve_`."""
    return {
        solver.name,
        solver.name.removeprefix(SOLVE),
        f"{SOLVE}{solver.name}",
        solver.task_id,
        f"{SOLVE}{solver.task_id}",
    }


def _calls_file(file: str) -> str:
    """The file beside a batt file that has its lines as data."""
    if file == "-":
        raise ArcbattError("expected a file with -f for --call, got standard output; name a file")
    return str(Path(file).with_name(f"{Path(file).stem}_call.py"))


def _write(
    file: str, solvers: Sequence[Program], differs: Sequence[Program], style: Style, recipe: Recipe
) -> Batt:
    """Make a batt, write its file, and print a summary."""
    # Merging many solvers with many differs takes long, so a batt too large to be read is refused first.
    _require_room(file, entries(len(solvers), len(differs), recipe))
    with whole_file(file) as out:
        solving, scoring = bred(solvers, differs, recipe, _known_tasks(solvers))
        _require_room(file, least_lines(solving, scoring))
        batt = batt_of(solving, scoring)
        title, rest = batt_source(batt, style, recipe.seed).split("\n", 1)
        text = f"{title}\n# arcbatt card --seed {recipe.seed}\n{rest}"
        _require_room(file, text.count("\n") + 1, len(text.encode()))
        out.write(text)
    print(printable(_contents(file, batt, style)), file=sys.stderr if file == "-" else sys.stdout)
    return batt


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
