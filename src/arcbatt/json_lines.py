"""JSON: its one form of plain data, and files of lines, which are written, read and resumed after a kill."""

import json
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from arcbatt.errors import ArcbattError
from arcbatt.files import LineFile, write_whole

Row = dict[str, Any]
STANDARD_OUTPUT = "-"
LONGEST_LINE = 64 << 20  # bytes: a line of `solve` has the programs of a task
LONGEST_SUMMARY = 1 << 20
# What decoding may raise where data are not as they were written, and the same with our own refusals.
DECODING_ERRORS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
BAD_DATA = (*DECODING_ERRORS, ArcbattError)
ANOTHER = "name another file, or leave --resume out"


def canonical(data: Any) -> str:
    """Plain data as JSON of one form: equal data give equal texts."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def json_line(row: Mapping[str, Any]) -> bytes:
    """A row as a line."""
    return json.dumps(row).encode() + b"\n"


def row_of(line: bytes) -> Row | None:
    """The object that a line holds; None if it holds anything else."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def is_summary(row: Mapping[str, Any]) -> bool:
    """Whether a row has the figures of a whole run, and no result."""
    return row.keys() == {"summary"}


class FileLines:
    """The lines of a file, of which `longest` bytes are read at once.

    `number` and `start` tell the number of the last line and the byte that it starts at. Sentences have
    `name` in place of the path, if it is given.
    """

    def __init__(self, path: str, longest: int = LONGEST_LINE, name: str = "") -> None:
        self.number = self.start = 0
        self.name, self._path, self._longest = name or path, Path(path), longest

    def __iter__(self) -> Iterator[bytes]:
        end = 0
        try:
            with self._path.open("rb") as stream:
                while line := stream.readline(self._longest):
                    self.number, self.start = self.number + 1, end
                    end += len(line)
                    yield line
        except (OSError, ValueError) as error:  # a ValueError: no file can have this name
            reason = getattr(error, "strerror", None) or error
            raise ArcbattError(f"{self.name}: cannot be read: {reason}") from None

    def refusal(self, what: str, advice: str) -> ArcbattError:
        """The error that refuses the last line."""
        return ArcbattError(f"{self.name}:{self.number}: {what}; {advice}")


class JsonOutput:
    """Lines of JSON, each written at once: to a file, to standard output for `-`, nowhere without a name.

    With `kept` the first so many bytes of an older file stay, and the lines follow them.
    """

    def __init__(self, name: str | None, kept: int | None = None) -> None:
        self.is_stdout = name == STANDARD_OUTPUT
        self._file = LineFile(name, kept) if name is not None and not self.is_stdout else None

    @property
    def size(self) -> int:
        """The bytes that the file has by now."""
        return self._file.size if self._file is not None else 0

    def write(self, row: Mapping[str, Any]) -> None:
        """Write a row as a line."""
        self.write_lines(json_line(row))

    def write_lines(self, lines: bytes) -> None:
        """Write whole lines."""
        if self._file is not None:
            self._file.write(lines)
        elif self.is_stdout:
            sys.stdout.write(lines.decode())
            sys.stdout.flush()

    def close(self) -> None:
        """Put the lines on the disk."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> "JsonOutput":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RowRefused(Exception):
    """Says in what a row differs from those of the run that is to be resumed."""


class ResumableLines:
    """Lines of JSON, written as they come, and in the end in the order of an uninterrupted run.

    A line has a number, which is its rank in that order. Of several lines with a number the last one counts;
    in a file that is resumed it is the first one, unless `last_counts`.

    With `resume`, the lines that the file holds already stay, and `known` has their numbers with the bytes
    they start at. All must be `what` the run writes: `number_of` gives the number of a row and its line, and
    raises RowRefused for another run's. A summary is passed over, and a torn last line is dropped. Without
    `resume` an older file is replaced, unless it holds a run that was not finished.
    """

    def __init__(
        self,
        name: str,
        resume: bool,
        number_of: Callable[[Row, bytes], int],
        what: str,
        longest: int = LONGEST_LINE,
        last_counts: bool = False,
    ) -> None:
        self.known: dict[int, int] = {}
        self._name, self._number_of, self._what, self._longest = name, number_of, what, longest
        self._numbers, self._starts = array("Q"), array("Q")  # of all lines
        self._is_plain = True  # the lines are as an uninterrupted run writes them
        kept = None
        if name != STANDARD_OUTPUT and Path(name).is_file():
            if resume:
                kept = self._read(last_counts)
            else:
                _require_finished(name)
        self._out = JsonOutput(name, kept)

    @property
    def is_stdout(self) -> bool:
        """Whether the lines go to standard output, where a line cannot take the place of an earlier one."""
        return self._out.is_stdout

    def _read(self, last_counts: bool) -> int:
        """Read the lines of an earlier run; the byte at which the last of them ends."""
        reader, last, end = FileLines(self._name, self._longest), -1, 0
        for line in reader:
            if len(line) == self._longest:
                raise reader.refusal("is too long for a result", ANOTHER)
            if not line.endswith(b"\n"):
                break
            number = self._number(reader, line)
            if number is not None and (last_counts or number not in self.known):
                self._is_plain &= number > last and reader.start == end
                last, end = number, reader.start + len(line)
                self.known[number] = reader.start
        self._numbers.extend(self.known)
        self._starts.extend(self.known.values())
        return end

    def _number(self, reader: FileLines, line: bytes) -> int | None:
        """The number of a line; None for a summary."""
        row = row_of(line)
        try:
            if row is not None:
                return None if is_summary(row) else self._number_of(row, line)
        except RowRefused as refused:
            raise reader.refusal(str(refused), ANOTHER) from None
        except DECODING_ERRORS:
            pass
        raise reader.refusal(f"is no {self._what}", ANOTHER)

    def rows(self, numbers: Sequence[int]) -> Iterator[Row]:
        """The known rows with some numbers."""
        if not numbers:  # there may be no file
            return
        with Path(self._name).open("rb") as file:
            for number in numbers:
                file.seek(self.known[number])
                row = row_of(file.readline())
                if row is None:
                    raise ArcbattError(f"{self._name}: was changed while it was read")
                yield row

    def add(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Write lines with their numbers, all at once."""
        start, numbers, starts, content = self._out.size, self._numbers[-1:], array("Q"), []
        for number, line in lines:
            numbers.append(number)
            starts.append(start)
            content.append(line)
            start += len(line)
        if content:
            self._out.write_lines(b"".join(content))
            self._is_plain &= all(before < after for before, after in pairwise(numbers))
            self._numbers.extend(numbers[-len(content) :])
            self._starts.extend(starts)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary; if lines came out of order, put them in order first."""
        last = json_line({"summary": summary})
        if self._is_plain or self.is_stdout or not Path(self._name).is_file():
            self._out.write_lines(last)
            self.close()
        else:
            self.close()
            write_whole(self._name, self._sorted(last))

    def _sorted(self, last: bytes) -> Iterator[bytes]:
        order = sorted(range(len(self._numbers)), key=self._numbers.__getitem__)
        with Path(self._name).open("rb") as file:
            for index, following in zip(order, [*order[1:], None]):
                if following is None or self._numbers[index] != self._numbers[following]:
                    file.seek(self._starts[index])
                    yield file.readline()
        yield last

    def close(self) -> None:
        """Close the file as it is."""
        self._out.close()


def _require_finished(name: str) -> None:
    """Refuse to write over the results of a run that did not come to its end."""
    try:
        with Path(name).open("rb") as file:
            first = row_of(file.readline(LONGEST_LINE))
            if first is None or "key" not in first:
                return
            file.seek(max(0, Path(name).stat().st_size - LONGEST_SUMMARY))
            last = row_of(file.read().rstrip(b"\n").rpartition(b"\n")[2])
    except OSError:
        return
    summary = None if last is None else last.get("summary")
    if not isinstance(summary, dict) or "interrupted" in summary:
        raise ArcbattError(
            f"{name}: holds results of a run that was not finished; --resume goes on with it, or remove "
            "the file to start anew"
        )
