"""Exporting an archive: canonical JSON lines, solver files, batts, and kept populations."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from arcbatt.archive.connection import Connection
from arcbatt.archive.queries import best, kept, programs, results, task_ids, task_names, tasks
from arcbatt.archive.rows.programs import PROGRAM_COLUMNS, StoredProgram, stored_program
from arcbatt.archive.rows.results import TOLD, StoredResult, parts_of
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.folders import FolderForm
from arcbatt.program.graph import Style
from arcbatt.program.kept.score_forms import in_sums, known_outputs, known_outputs_of
from arcbatt.program.kept.solver_folder import SolverFolder, differ_folder
from arcbatt.program.merge import merge
from arcbatt.program.names import names_of_functions
from arcbatt.text import printable, shorten

Form = Literal["json", "solvers", "batt", "folder"]
EXPORT_VERSION = 1


class ExportFilter(NamedTuple):
    """Which programs to export: those with results on a task, winners alone, and at most so many a task."""

    task: str | None = None
    solved: bool = False
    most: int | None = None

    def __bool__(self) -> bool:
        return self != ExportFilter()


# JSON lines


def json_lines(connection: Connection, choice: ExportFilter, refused: list[str]) -> Iterator[str]:
    """The archive as JSON lines: tasks, terms, programs, results, each sorted by content.

    A program that cannot be read is left out with its results; the reason goes to `refused`.

    Archives with the same content give the same lines, whatever the order in which it was written. Neither
    ids of rows nor runs are part of them.
    """
    yield canonical({"arcbatt": "archive", "version": EXPORT_VERSION})
    chosen_tasks = [
        row
        for row in connection.rows(
            "SELECT id, lower(hex(digest)), name, content FROM tasks ORDER BY name, digest"
        )
        if choice.task in (None, row[2])
    ]
    for _, digest, name, content in chosen_tasks:
        # The content is canonical JSON already, and begins with a brace.
        yield f'{{"id":{canonical(name)},"task":"{digest}",{content[1:]}'
    terms = list(_used_terms(connection, [row[0] for row in chosen_tasks]))
    for _, digest, settings in terms:
        yield f'{{"settings":{settings},"terms":"{digest}"}}'
    left_out = set[str]()
    for number, stored in _chosen_rows(connection, choice):
        if _is_readable(stored, refused):
            yield canonical(_program_line(connection, number, stored))
        elif stored.kind == "solver":
            left_out.add(stored.hash)
    for task, digest, *_ in chosen_tasks:
        for terms_id, terms_digest, _ in terms:
            key = {"task": digest, "terms": terms_digest}
            yield from _result_lines(connection, task, terms_id, key, choice.solved, left_out)


def _is_readable(stored: StoredProgram, refused: list[str]) -> bool:
    try:
        _ = stored.program
    except ArcbattError as error:
        refused.append(str(error))
        return False
    return True


def _used_terms(connection: Connection, task_numbers: list[int]) -> Iterator[tuple[Any, ...]]:
    for row in list(connection.rows("SELECT id, lower(hex(digest)), settings FROM terms ORDER BY digest")):
        used = "SELECT 1 FROM results WHERE task = ? AND terms = ?"
        if any(connection.one(used, (task, row[0])) for task in task_numbers):
            yield row


def _chosen_rows(connection: Connection, choice: ExportFilter) -> Iterator[tuple[int, StoredProgram]]:
    where, values = "1", list[Any]()
    if choice.task is not None or choice.solved:
        conditions = ["solved"] if choice.solved else []
        if choice.task is not None:
            values = list(task_ids(connection, choice.task))
            conditions.append(f"task IN ({', '.join('?' * len(values))})")
        where = f"programs.id IN (SELECT program FROM results WHERE {' AND '.join(conditions)})"
    query = f"SELECT programs.id, {PROGRAM_COLUMNS} FROM programs WHERE {where} ORDER BY hash, kind"
    for number, *row in connection.rows(query, values):
        yield number, stored_program(row)


def _program_line(connection: Connection, number: int, stored: StoredProgram) -> dict[str, Any]:
    line: dict[str, Any] = {
        "program": stored.hash,
        "kind": stored.kind,
        "name": stored.name,
        "inputs": stored.inputs,
        "source": stored.source,
    }
    optional = {
        "graph": stored.graph,
        "own_ops": stored.own_ops,
        "parents": _rows(
            connection,
            "lower(hex(parent)), mutation FROM lineage WHERE child = ? ORDER BY parent, mutation",
            number,
        ),
        "kept": _rows(
            connection, "task, score, time FROM kept WHERE program = ? ORDER BY task, score, time", number
        ),
    }
    return line | {key: value for key, value in optional.items() if value}


def _rows(connection: Connection, query: str, number: int) -> list[tuple[Any, ...]]:
    return list(connection.rows(f"SELECT {query}", (number,)))


def _result_lines(
    connection: Connection, task: int, terms: int, key: dict[str, str], solved: bool, left_out: set[str]
) -> Iterator[str]:
    rows = connection.rows(
        "SELECT lower(hex(programs.hash)), verdicts, scores, mean, outputs.outputs FROM results "
        "JOIN programs ON programs.id = results.program LEFT JOIN outputs ON outputs.task = results.task "
        "AND outputs.terms = results.terms AND outputs.program = results.program "
        f"WHERE results.task = ? AND results.terms = ?{' AND results.solved' if solved else ''} "
        "ORDER BY programs.hash",
        (task, terms),
    )
    for program, verdicts, scores, mean, outputs in rows:
        if program in left_out:
            continue
        line: dict[str, Any] = {
            "result": key | {"program": program},
            "verdicts": [TOLD[code] for code in verdicts],
        }
        if scores is not None:
            line["scores"] = parts_of(scores)
        if mean is not None:
            line["mean"] = mean
        text = canonical(line)
        yield text if outputs is None else f'{{"outputs":{outputs},{text[1:]}'


# Programs


def text(
    connection: Connection, choice: ExportFilter, form: Form, style: Style, refused: list[str]
) -> Iterator[str]:
    """The text of an export of any form but a folder, in pieces; `refused` gets what cannot be read."""
    if form == "json":
        return (f"{line}\n" for line in json_lines(connection, choice, refused))
    found = list(_readable(connection, choice, refused))
    if form == "batt":
        return iter([batt_file(found, style)])
    if not found:
        raise ArcbattError("there is no program to export; choose others, or import some first")
    return solver_file(found)


def _readable(
    connection: Connection, choice: ExportFilter, refused: list[str]
) -> Iterator["ExportedProgram"]:
    """The chosen programs that can be read; if there is none, the first reason is an error."""
    count = 0
    for each in chosen(connection, choice):
        if _is_readable(each.stored, refused):
            count += 1
            yield each
    if refused and not count:
        raise ArcbattError(refused[0])


class ExportedProgram(NamedTuple):
    """A program to export, and the task that it is exported for, if there is one, with its best result."""

    stored: StoredProgram
    task: str | None
    result: StoredResult | None = None


def chosen(connection: Connection, choice: ExportFilter) -> Iterator[ExportedProgram]:
    """The programs to export: by task, best first, if the choice depends on results; else all."""
    if not choice:
        yield from (ExportedProgram(stored, None) for stored in programs(connection, None, None))
        return
    for name in task_names(connection) if choice.task is None else [choice.task]:
        found: dict[str, StoredResult] = {}
        for each in _of_task(connection, name, choice):
            found.setdefault(each.hash, each)
        yield from (ExportedProgram(each.stored, name, each) for each in found.values())


def _of_task(connection: Connection, name: str, choice: ExportFilter) -> Iterable[StoredResult]:
    """The chosen results of a task, best first; a program may have several."""
    if choice.most is None:
        return results(connection, None, name, choice.solved)
    leading = best(connection, name, choice.most, None, False)  # at once, whatever the number of results
    return [result for result in leading if result.solved or not choice.solved]


def solver_file(choices: Sequence[ExportedProgram]) -> Iterator[str]:
    """The text of a solver file, function by function; each name is one of its own.

    A program whose source does not tell its graph, which no person writes, is left out with a comment.
    """
    yield "# Programs of an archive; arcbatt.load_programs reads them back.\n"
    for each, name in _named(choices):
        stored = each.stored
        what = f"{stored.hash}, {printable(stored.name)}" + (
            f", for {printable(each.task)}" if each.task else ""
        )
        if stored.graph is not None:
            yield f"\n\n# Left out, for its source is ambiguous: {what}\n"
            continue
        needs = f"; needs your own ops {', '.join(map(printable, stored.own_ops))}" if stored.own_ops else ""
        yield f"\n\n# {what}{needs}\n{stored.source_under(name)}"


def _named(choices: Sequence[ExportedProgram]) -> Iterator[tuple[ExportedProgram, str]]:
    """The programs with names for their functions, all different: those that share one get hashes."""
    named = [(each.stored.function_name(each.task), each.stored.hash) for each in choices]
    yield from zip(choices, names_of_functions(named))


def batt_file(choices: Sequence[ExportedProgram], style: Style) -> str:
    """The chosen programs as a batt."""
    named = [
        each.stored.program.altered(name=name)
        for each, name in _named(choices)
        if each.stored.kind == "solver"
    ]
    if not named:
        raise ArcbattError("there is no solver to export; choose others, or import some first")
    return batt_source(merge(named), style)


def kept_folder(
    connection: Connection, choice: ExportFilter, folder: str, form: FolderForm, refused: list[str]
) -> None:
    """Write the chosen programs as `solve_<id>/<score>/<time>/<hash>.py`, and differs beside them.

    Score and time are those that the program was imported with. Without them the score is that of its result
    on the task, and the time is 0.
    """
    samples = {task.id: known_outputs(task) for task in tasks(connection)}
    found: list[tuple[StoredProgram, _KeptTask]] = []
    for each in _readable(connection, choice, refused):
        places = [place for place in _places(connection, each) if place.task]
        if each.stored.kind == "solver" and places:
            if each.stored.graph is None:
                found += [(each.stored, place) for place in places]
            else:
                refused.append(
                    f"{shorten(each.stored.name)} ({each.stored.hash}): no file of a folder can tell this "
                    "program, for its source is ambiguous; --form json has it"
                )
    if not found and refused:
        raise ArcbattError(refused[0])
    if not found:
        raise ArcbattError(
            "there is no program of a kept population to export; choose programs by task (--task, --count), "
            "or winners alone"
        )
    solvers = SolverFolder(folder, form)
    for stored, place in found:
        solvers.put(stored.program, place.task, *place.shown(form, samples.get(place.task)))
    for stored in programs(connection, "differ", None) if choice.task is None else ():
        scores = [each.score for each in kept(connection, stored) if not each.task]
        if scores and stored.graph is None and _is_readable(stored, refused):
            SolverFolder(differ_folder(folder)).put(stored.program, None, f"{scores[-1]:.15g}", "0")


class _KeptTask(NamedTuple):
    """The task that a program is kept for, with its score and its time in microseconds a sample."""

    task: str
    score: float
    time: float
    exact: int | None = None  # demo samples, where a result tells

    def shown(self, form: FolderForm, samples: int | None) -> tuple[str, str]:
        """Score and time as parts of a path."""
        if form == "mean":
            return f"{self.score:.15g}", f"{self.time:.15g}"
        count = samples or known_outputs_of(self.task)
        if count is None:
            raise ArcbattError(
                f"task {shorten(self.task)} is not known, so that its score is no number of samples; "
                "leave --scores sum out"
            )
        kept = in_sums(self.score, self.time or 1, count)
        return f"{kept.score if self.exact is None else self.exact:g}", f"{kept.time:g}"


def _places(connection: Connection, each: ExportedProgram) -> list[_KeptTask]:
    """The tasks, scores and times of a program."""
    found = [
        _KeptTask(str(task), score, time)
        for task, score, time in kept(connection, each.stored)
        if each.task in (None, task)
    ]
    result = each.result
    if found or result is None:
        return found
    score = result.score
    if score is None:  # of a run without partial scores
        score = 1000 * result.demo_exact / max(result.demo_count, 1)
    return [_KeptTask(result.task, score, 0, result.demo_exact)]
