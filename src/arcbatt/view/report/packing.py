"""Findings as blocks of JSON for the page: numbers in columns, columns in base64, grids as digits."""

import json
from array import array
from base64 import b64encode
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from arcbatt import __version__
from arcbatt.dsl.failures import MEANINGS
from arcbatt.view.report.chosen_outputs import grid_text
from arcbatt.view.report.findings import ReportFindings, TaskFindings

NOTHING = 0xFFFF  # a missing score


def blocks(findings: ReportFindings, counts: Mapping[str, Any]) -> dict[str, str]:
    """The blocks of JSON by name; the page parses each on first use."""
    pairs = {f"{task} {program}": outputs for (task, program), outputs in findings.outputs.items()}
    times = {f"{task} {program}": round(1e6 * one) for (task, program), one in findings.times.items()}
    data: dict[str, Any] = {
        "core": _core(findings, counts),
        "grids": [_grids(task) for task in findings.tasks],
        "sources": [subject.source for subject in findings.subjects],
        "outputs": pairs,
        "times": times,
        "lineage": [list(step) for step in findings.steps],
        "kept": [list(kept) for kept in findings.kept],
    }
    return {name: in_page(content) for name, content in data.items()}


def in_page(data: Any) -> str:
    """Plain data as JSON for a script element: ASCII, without `<`, and with finite numbers.

    >>> in_page("</script>\\u2028"), in_page([1.5, float("nan")])
    ('"\\\\u003c/script>\\\\u2028"', '[1.5,null]')
    """
    return json.dumps(_finite(data), separators=(",", ":")).replace("<", "\\u003c")


def _finite(data: Any) -> Any:
    """Plain data with None for numbers that JSON does not have."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list | tuple) else data


def _core(findings: ReportFindings, counts: Mapping[str, Any]) -> dict[str, Any]:
    lists: dict[bytes, int] = {}
    listed = [lists.setdefault(task.programs.tobytes(), len(lists)) for task in findings.tasks]
    tasks, subjects = findings.tasks, findings.subjects
    numbers = {task.id: number for number, task in enumerate(tasks)}
    return {
        "version": __version__,
        "title": findings.title,
        "kind": findings.kind,
        "origin": findings.origin,
        "summary": _figures(findings.summary),
        "counts": counts,
        "notes": findings.notes,
        "runs": findings.runs,
        "meanings": MEANINGS,
        "patterns": [
            [pattern.exact, [list(each) for each in pattern.failures], pattern.lost]
            for pattern in findings.patterns
        ],
        "programs": {
            "names": [subject.name for subject in subjects],
            "hashes": [subject.hash for subject in subjects],
            "lines": [subject.lines for subject in subjects],
            "own": [
                -1 if subject.program is None else numbers.get(subject.program.task_id or "", -1)
                for subject in subjects
            ],
        },
        "lists": [column(array("L", programs)) for programs in lists],
        "tasks": {
            "ids": [task.id for task in tasks],
            "demo": [task.demo for task in tasks],
            "test": [task.test for task in tasks],
            "seconds": [task.seconds for task in tasks],
            "ranked": [task.is_ranked for task in tasks],
            "lists": listed,
            "patterns": [column(task.patterns) for task in tasks],
            "scores": [_scores(task) for task in tasks],
        },
    }


def _figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a run that the page shows; a file may have anything in their place."""
    told = {name: summary.get(name) for name in ("seconds", "evaluations_per_second", "threads")}
    figures: dict[str, Any] = {name: value for name, value in told.items() if type(value) in (int, float)}
    backend = summary.get("backend")
    return figures | ({"backend": backend} if isinstance(backend, str) else {})


def column(numbers: Iterable[int]) -> str:
    """Numbers as the base64 of 32-bit little-endian words.

    >>> column([1, 2])
    'AQAAAAIAAAA='
    """
    import numpy as np  # imported here, since it takes longer than starting a command without it

    return b64encode(np.array(list(numbers), "<u4").tobytes()).decode()


def _scores(task: TaskFindings) -> str:
    """The scores of a task, if it has any."""
    if all(score < 0 for score in task.scores):
        return ""
    return column(NOTHING if score < 0 else score for score in task.scores)


def _grids(task: TaskFindings) -> list[str | None] | None:
    """The grids of a task: input and output of each sample; None for an unknown output."""
    if task.task is None:
        return None
    return [grid_text(grid) for sample in task.task.samples for grid in sample]
