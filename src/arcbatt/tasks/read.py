"""Reading task JSON: from the bytes of a file to checked tasks, or an error of one sentence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from arcbatt.arguments import shown
from arcbatt.dsl.values import meant
from arcbatt.errors import TaskError
from arcbatt.files import UnreadableFile, content_of_file
from arcbatt.tasks.tasks import Grid, Sample, Task
from arcbatt.text import plural, shorten

MAX_SIDE = 30
MAX_FILE_BYTES = 256 * 1024 * 1024
COLOURS = frozenset(range(10))


def read_json(path: Path) -> object:
    """Read the JSON value of a UTF-8 file; repeated keys, NaN and the infinities are refused."""
    try:
        text = _read_bytes(path).decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_distinct_keys, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: byte {error.start + 1} is not UTF-8; task files are UTF-8 text") from error
    except RecursionError as error:
        raise TaskError(f"{path}: the JSON is nested too deeply; tasks are nested 6 deep at most") from error
    except ValueError as error:
        raise TaskError(f"{path}: is not valid JSON: {error}") from error


def task_from_json(where: str, task_id: str, data: object) -> Task:
    """Read a task from a JSON value; `where` names its file in messages.

    >>> pair = {"input": [[1, 2]], "output": [[2, 1]]}
    >>> task_from_json("x.json", "x", {"train": [pair], "test": [{"input": [[3, 4]]}]}).test
    (Sample(input=((3, 4),), output=None),)
    """
    where = f"{where}: task {shorten(task_id)}"
    if not isinstance(data, Mapping):
        raise TaskError(f'{where}: is {describe(data)}, not an object with the keys "train" and "test"')
    demo = tuple(_demo_samples(where, _list(where, data, "train")))
    if not demo:
        raise TaskError(f"{where}: has no demo pairs; a task needs at least one")
    return Task(task_id, demo, tuple(_test_samples(where, _list(where, data, "test"))))


def grid_from_json(where: str, value: object) -> Grid:
    """Read a grid from a JSON value, nested lists or tuples, or NumPy arrays; `where` is for messages.

    >>> grid_from_json("answer", [[1, 2], [3, 4]])
    ((1, 2), (3, 4))
    """
    fault = grid_fault(value)
    if fault:
        value = without_arrays(value)
        fault = grid_fault(value)
    if fault:
        raise TaskError(f"{where}: {fault}")
    return tuple(map(tuple, cast(Sequence[Sequence[int]], value)))


def without_arrays(value: Any, nesting: int = 2) -> Any:
    """A grid with plain lists and numbers in place of arrays, rows that are arrays, and numbers of NumPy."""
    if nesting and isinstance(value, list | tuple) and len(value) <= MAX_SIDE:
        return [without_arrays(part, nesting - 1) for part in value]
    return meant(value)


def grid_fault(value: object) -> str | None:
    """Why a value is not an ARC grid of 1 to 30 rows and columns and colours 0 to 9; None if it is one.

    >>> grid_fault([[1, 2], [3]])
    'row 2 has 1 cell where row 1 has 2; rows must be equally long'
    >>> grid_fault(((1, 2), (3, 4))) is None
    True
    """
    if not isinstance(value, (list, tuple)):
        return f"is {describe(value)}, not a list of rows"
    if not 1 <= len(value) <= MAX_SIDE:
        return f"has {_count(len(value), 'row')}; a grid has 1 to {MAX_SIDE}"
    for number, row in enumerate(value, 1):
        fault = _row_fault(row, value[0])
        if fault:
            return f"row {number} {fault}"
    return None


def describe(value: object) -> str:
    """A JSON value in a few words, for messages.

    >>> describe(True), describe([1]), describe("blue")
    ('true', 'a list', '"blue"')
    """
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    if value is None or isinstance(value, (bool, float, str)):
        return shorten(json.dumps(value))
    return shown(value) if isinstance(value, int) else f"a Python {type(value).__name__}"


def _read_bytes(path: Path) -> bytes:
    try:
        return content_of_file(path, MAX_FILE_BYTES)
    except UnreadableFile as error:
        raise TaskError(str(error)) from None


def _distinct_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        repeated = shorten(Counter(key for key, _ in pairs).most_common(1)[0][0])
        raise ValueError(f'the key "{repeated}" occurs twice in one object')
    return result


def _refuse_constant(name: str) -> object:
    raise ValueError(f"expected a number of JSON, got {name}")


def _list(where: str, task: Mapping[str, object], key: str) -> Sequence[object]:
    if key not in task:
        raise TaskError(f'{where}: the key "{key}" is missing; a task has the keys "train" and "test"')
    value = task[key]
    if not isinstance(value, list | tuple):
        raise TaskError(f'{where}: "{key}" is {describe(value)}, not a list of samples')
    return value


def _demo_samples(where: str, samples: Sequence[object]) -> Iterable[Sample]:
    for number, data in enumerate(samples, 1):
        place = f"{where}: demo {number}"
        sample = _object(place, data)
        yield Sample._make((_grid(place, sample, "input"), _grid(place, sample, "output")))


def _test_samples(where: str, samples: Sequence[object]) -> Iterable[Sample]:
    for number, data in enumerate(samples, 1):
        place = f"{where}: test {number}"
        sample = _object(place, data)
        told = sample.get("output") is not None
        output = _grid(place, sample, "output") if told else None
        yield Sample._make((_grid(place, sample, "input"), output))


def _object(where: str, data: object) -> Mapping[str, object]:
    if not isinstance(data, Mapping):
        raise TaskError(f'{where}: is {describe(data)}, not an object with the keys "input" and "output"')
    return data


def _grid(where: str, sample: Mapping[str, object], key: str) -> Grid:
    if key not in sample:
        raise TaskError(f'{where}: the key "{key}" is missing; a sample has the keys "input" and "output"')
    return grid_from_json(f"{where} {key}", sample[key])


def _row_fault(row: object, first: list[object]) -> str | None:
    if not isinstance(row, (list, tuple)):
        return f"is {describe(row)}, not a list of cells"
    if not 1 <= len(row) <= MAX_SIDE:
        return f"has {_count(len(row), 'cell')}; a row has 1 to {MAX_SIDE}"
    if len(row) != len(first):
        return f"has {_count(len(row), 'cell')} where row 1 has {len(first)}; rows must be equally long"
    # True equals 1 and 1.0 equals 1, so check types before values.
    if set(map(type, row)) == {int} and COLOURS.issuperset(row):
        return None
    column = next(j for j, cell in enumerate(row) if type(cell) is not int or cell not in COLOURS)
    return f"cell {column + 1} is {describe(row[column])}; colours are the integers 0 to 9"


def _count(number: int, noun: str) -> str:
    return plural(number, noun) if number else f"no {noun}s"
