"""Results as lines of JSON, written as they come, and in the end in the order of an uninterrupted run."""

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from arcbatt.archive.rows.results import scores_of
from arcbatt.batt.breeding.tally import Marks
from arcbatt.engine.results import LostSample, Record
from arcbatt.errors import ArcbattError
from arcbatt.files import LineFile, write_whole
from arcbatt.outlet.known_lines import KnownLines, KnownResult, Work, is_unfinished, result_of
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

STANDARD_OUTPUT = "-"


class JsonLines:
    """A file of results, one a line; each has a key besides what the run tells of it.

    With `resume`, the results that the file holds already are kept, and known. Without, an older file is
    replaced, unless it holds a run that was not finished. With `loses_samples` a lost sample is lost for all
    programs of its task, else for one.
    """

    def __init__(self, name: str, work: Work, resume: bool, loses_samples: bool = False) -> None:
        self._name, self._work, self._loses_samples = name, work, loses_samples
        self._known: KnownLines | None = None
        self._numbers, self._starts = array("Q"), array("Q")  # of the lines in the file
        self._is_plain = True
        self._file: LineFile | None = None
        if name == STANDARD_OUTPUT:
            return
        if resume and Path(name).is_file():
            self._known = KnownLines(name, work)
            self._numbers.extend(self._known.starts)
            self._starts.extend(self._known.starts.values())
            self._is_plain = self._known.is_plain
        elif not resume and Path(name).is_file() and is_unfinished(name):
            raise ArcbattError(
                f"{name}: holds results of a run that was not finished; --resume goes on with it, or remove "
                "the file to start anew"
            )
        self._file = LineFile(name, self._known.size if self._known is not None else None)

    def known(self, task: Task, programs: Sequence[Program]) -> tuple[Record, list[Marks]]:
        """The record of the programs that the file holds on a task, without scores, and their marks."""
        found: list[Program] = []
        results: list[KnownResult] = []
        if self._known is not None:
            number = self._work.numbers(task)
            found = [program for program in programs if number(program) in self._known.starts]
            rows = self._known.rows(map(number, found))
            results = [result_of(row, task, self._name) for row in rows]
        verdicts = b"".join(each.codes for each in results)
        record = Record(task, tuple(found), verdicts, scores_of(None, len(verdicts)))
        ends = [sorted(each.ends.items(), key=itemgetter(0)) for each in results]
        if self._loses_samples:
            record = record._replace(ends=tuple(ends[0]) if ends else ())
        else:
            lost = (LostSample(place, *end) for place, some in enumerate(ends) for end in some)
            record = record._replace(lost=tuple(lost))
        return record, [each.marks for each in results]

    def add(self, task: Task, rows: Iterable[tuple[Program, dict[str, Any]]]) -> None:
        """Write the lines of programs on a task, except those that the file holds already."""
        number_of = self._work.numbers(task)
        there = self._known.starts if self._known is not None else {}
        lines: list[bytes] = []
        size = self._file.size if self._file is not None else 0
        starts, added = [], []
        for program, row in rows:
            number = number_of(program)
            if number in there:
                continue
            line = json.dumps(row | {"key": self._work.keys.of(program, task)}).encode() + b"\n"
            added.append(number)
            starts.append(size)
            lines.append(line)
            size += len(line)
        if not lines:
            return
        self._write(b"".join(lines))
        before = self._numbers[-1:].tolist()
        self._is_plain &= [*before, *added] == sorted([*before, *added])
        self._numbers.extend(added)
        self._starts.extend(starts)

    def _write(self, lines: bytes) -> None:
        if self._file is None:
            sys.stdout.write(lines.decode())
            sys.stdout.flush()
        else:
            self._file.write(lines)

    def finish(self, summary: dict[str, Any]) -> None:
        """Write the summary; if lines came out of order, put them in order first."""
        last = json.dumps({"summary": summary}).encode() + b"\n"
        if self._is_plain or not self._can_be_sorted:
            self._write(last)
            self.close()
            return
        self.close()
        write_whole(self._name, self._sorted(last))

    @property
    def _can_be_sorted(self) -> bool:
        return self._name != STANDARD_OUTPUT and Path(self._name).is_file()

    def _sorted(self, last: bytes) -> Iterator[bytes]:
        order = sorted(range(len(self._numbers)), key=self._numbers.__getitem__)
        with Path(self._name).open("rb") as file:
            for place in order:
                file.seek(self._starts[place])
                yield file.readline()
        yield last

    def close(self) -> None:
        """Close the file as it is."""
        if self._file is not None:
            self._file.close()
            self._file = None
