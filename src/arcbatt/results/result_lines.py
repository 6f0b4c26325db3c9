"""Results as lines of JSON, written as they come and read back when a run is resumed."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from arcbatt.archive.rows.results import scores_of
from arcbatt.dsl.contract import EXACT, FAILED, UNJUDGED, WRONG, Status
from arcbatt.dsl.failures import KINDS
from arcbatt.engine.records.record import LostSample, Record
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged
from arcbatt.engine.scoring.tally import NO_MARKS, Marks
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import ANOTHER, DECODING_ERRORS, ResumableLines, Row, RowRefused, json_line
from arcbatt.program.graph import Program
from arcbatt.results.result_keys import WantedResults
from arcbatt.tasks import Task
from arcbatt.text import shorten

LONGEST_RESULT = 1 << 20  # bytes


class ResultLines:
    """A file of results, one a line; each has a key besides what the run tells of it.

    With `resume`, the results that the file holds already are kept, and known. With `loses_samples` a lost
    sample is lost for all programs of its task, else for one.
    """

    def __init__(self, name: str, wanted: WantedResults, resume: bool, loses_samples: bool = False) -> None:
        self._name, self._wanted, self._loses_samples = name, wanted, loses_samples
        self._seen: dict[tuple[str, str], int] = {}
        self._lines = ResumableLines(name, resume, self._number_of, "result of a run", LONGEST_RESULT)

    def _number_of(self, row: Row, _: bytes) -> int:
        """The number of the result that a line of an earlier run tells."""
        name, task_id, key = (str(row.get(field)) for field in ("program", "task", "key"))
        what = f"has {shorten(name)} on {shorten(task_id)}"
        found = self._wanted.named(name, task_id)
        if not found:
            raise RowRefused(f"{what}, which is not to run here")
        times = self._seen.get((name, task_id), 0)
        if len(found) > 1:
            self._seen[name, task_id] = times + 1
        number, program, task = found[min(times, len(found) - 1)]
        if self._wanted.keys.of(program, task) != key:
            raise RowRefused(f"{what} with another program, task, setting or version")
        return number

    def known(self, task: Task, programs: Sequence[Program]) -> tuple[Record, list[Marks]]:
        """The record of the programs that the file holds on a task, without scores, and their marks."""
        number = self._wanted.numbers(task)
        found = [program for program in programs if number(program) in self._lines.known]
        results = [result_of(row, task, self._name) for row in self._lines.rows(list(map(number, found)))]
        verdicts = b"".join(each.codes for each in results)
        record = Record(task, tuple(found), verdicts, scores_of(None, len(verdicts)))
        ends = [sorted(each.ends.items(), key=itemgetter(0)) for each in results]
        if self._loses_samples:
            record = record._replace(ends=tuple(ends[0]) if ends else ())
        else:
            lost = (LostSample(index, *end) for index, some in enumerate(ends) for end in some)
            record = record._replace(lost=tuple(lost))
        return record, [each.marks for each in results]

    def add(self, task: Task, rows: Iterable[tuple[Program, dict[str, Any]]]) -> None:
        """Write the lines of programs on a task, except those that the file holds already."""
        number, key = self._wanted.numbers(task), self._wanted.keys.of
        self._lines.add(
            (number(program), json_line(row | {"key": key(program, task)}))
            for program, row in rows
            if number(program) not in self._lines.known
        )

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary, and close the file, whose lines are in order then."""
        self._lines.finish(summary)

    def close(self) -> None:
        """Close the file as it is."""
        self._lines.close()


class KnownResult(NamedTuple):
    """What a line tells of a solver on a task: verdicts, the marks of differs, samples that were lost."""

    codes: bytes
    marks: Marks
    ends: dict[int, Reply[Judged]]


def result_of(row: Mapping[str, Any], task: Task, file: str) -> KnownResult:
    """The result that a line tells; a damaged one is refused."""
    try:
        total, number = row.get("marks", NO_MARKS)
        ends: dict[int, Reply[Judged]] = {
            int(sample): Reply(status, kind=str(kind), op=str("".join(op)))
            for sample, status, kind, *op in row.get("ends", ())
        }
        return KnownResult(_codes(row, task), Marks(int(total), int(number)), ends)
    except DECODING_ERRORS:
        raise ArcbattError(f"{file}: has a damaged result of task {shorten(task.id)}; {ANOTHER}") from None


def _codes(row: Mapping[str, Any], task: Task) -> bytes:
    """Verdicts that give the same line again.

    A line tells how many samples failed and not which; the first ones that are not exact get the failures.
    """
    exact = [*row["demo"], *row["test"]]
    kinds = [kind for kind in KINDS for _ in range(row["failures"].get(kind, 0))]
    if len(exact) != len(task.samples) or exact.count(True) + len(kinds) > len(exact):
        raise ValueError(exact)
    codes = bytearray()
    for verdict in exact:
        if verdict is True:
            codes.append(EXACT)
        elif kinds:
            codes.append(FAILED + Status[kinds.pop(0)])
        else:
            codes.append(UNJUDGED if verdict is None else WRONG)
    return bytes(codes)
