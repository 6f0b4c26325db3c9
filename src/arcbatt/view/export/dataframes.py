"""Results, tasks, archives and searches as data frames of pandas or polars, whichever is installed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

from arcbatt.arguments import require_one_of
from arcbatt.errors import ArcbattError
from arcbatt.rendered import Library
from arcbatt.tasks.sample_names import sample_name
from arcbatt.text import printable
from arcbatt.view.terminal.run_report import failure_counts

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive
    from arcbatt.engine.records.record import Outcome
    from arcbatt.engine.results import Results
    from arcbatt.search.solve.solution import Solution, TaskAnswers
    from arcbatt.tasks import Grid, TaskSet

Row: TypeAlias = tuple[Any, ...]

LIBRARIES: tuple[Library, ...] = get_args(Library)
# pandas has other types for columns in which a number or a truth value may be missing.
WITH_GAPS = {int: "Int64", bool: "boolean"}


class DataTable(NamedTuple):
    """The types of columns by their names, and rows; None stands for what is not known."""

    schema: Mapping[str, type]
    rows: Iterator[Row]


def dataframe_of(thing: object, library: Library | None = None) -> Any:
    """The rows of an object as a data frame: of the library that is named, else of the first that is there.

    >>> dataframe_of(load_tasks("00d62c1b"), "pandas").shape
    (6, 8)
    """
    if library is not None:
        require_one_of("library", library, LIBRARIES)
    module = _imported(LIBRARIES if library is None else (library,))
    schema, rows = TABLES[type(thing).__name__](thing)
    columns = dict(zip(schema, map(list, zip(*rows)))) or {name: [] for name in schema}
    if module.__name__ == "polars":  # it takes texts of Unicode alone
        texts = {name: list(map(_text, values)) for name, values in columns.items()}
        return module.DataFrame(texts, schema=dict(schema))
    return module.DataFrame({name: _series(module, columns[name], kind) for name, kind in schema.items()})


def _text(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def _imported(names: Sequence[Library]) -> Any:
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    wanted = " or ".join(names)
    raise ArcbattError(
        f"a data frame needs {wanted}, which cannot be imported here; `pip install {names[0]}` installs it"
    )


def _series(pandas: Any, values: list[Any], kind: type) -> Any:
    if None in values or not values:
        return pandas.Series(values, dtype=WITH_GAPS.get(kind, "object"))
    return pandas.Series(values)


def _results(results: "Results") -> DataTable:
    """A row for each pair of program and task."""
    schema = {"program": str, "task": str, "solved": bool}
    schema |= dict.fromkeys(("demo_exact", "demo_count", "test_exact", "test_count", "failures"), int)
    schema |= {"failure_kinds": str, "lost": int, "hash": str}
    return DataTable(schema, map(_outcome, results))


def _outcome(outcome: "Outcome") -> Row:
    failures = outcome.failures
    counts = [count for exact in (outcome.demo, outcome.test) for count in _counts(exact)]
    return (
        outcome.program.name,
        outcome.task.id,
        outcome.solved,
        *counts,
        sum(failures.values()),
        failure_counts(failures),
        outcome.lost,
        outcome.program.hash,
    )


def _counts(exact: Sequence[bool | None]) -> tuple[int, int]:
    """The number of exact samples, and of those that are judged."""
    return exact.count(True), len(exact) - exact.count(None)


def _task_set(tasks: "TaskSet") -> DataTable:
    """A row for each sample of each task: the sizes of its grids, and how many colours they have."""
    sizes = ("height", "width", "colors")
    schema: dict[str, type] = {"task": str, "sample": str}
    schema |= {f"{grid}_{size}": int for grid in ("input", "output") for size in sizes}
    rows = (
        (task.id, sample_name(task, number), *_size(sample.input), *_size(sample.output))
        for task in tasks
        for number, sample in enumerate(task.samples)
    )
    return DataTable(schema, rows)


def _size(grid: "Grid | None") -> Row:
    return (None,) * 3 if grid is None else (len(grid), len(grid[0]), len(set().union(*grid)))


def _archive(archive: "Archive") -> DataTable:
    """A row for each task with its best program."""
    schema: dict[str, type] = {"task": str, "results": int, "winners": int, "program": str, "solved": bool}
    schema |= {"demo_exact": int, "demo_count": int, "score": float, "lines": int, "hash": str}
    rows = (
        (
            summary.task,
            summary.results,
            summary.winners,
            best.name,
            best.solved,
            best.demo_exact,
            best.demo_count,
            best.score,
            best.size,
            best.hash,
        )
        for summary in archive.overview()
        for best in [summary.best]
    )
    return DataTable(schema, rows)


def _solution(solution: "Solution") -> DataTable:
    """A row for each task with its best answer; a task without one has a row, too."""
    schema: dict[str, type] = {"task": str, "fits": bool, "program": str, "source": str}
    schema |= dict.fromkeys(("demo_exact", "demo_count", "test_right", "test_known"), int)
    schema |= {"cost": int, "layers": int, "steps": int, "seconds": float, "hash": str}
    return DataTable(schema, (_answers(found, solution.guesses) for found in solution.found.values()))


def _answers(found: "TaskAnswers", guesses: int) -> Row:
    best = found.answers[0] if found.answers else None
    return (
        found.task.id,
        found.fits,
        best and best.program.name,
        best and best.source,
        best.demos if best else 0,
        len(found.task.demo),
        *_counts(found.right(guesses)),
        best and best.cost,
        best and best.layers,
        found.steps,
        found.seconds,
        best and best.program.hash,
    )


TABLES: dict[str, Callable[[Any], DataTable]] = {
    "Results": _results,
    "TaskSet": _task_set,
    "Archive": _archive,
    "Solution": _solution,
}
