"""Importing into an archive: program files, kept populations, score files, and JSON lines."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arcbatt.archive.export import EXPORT_VERSION
from arcbatt.archive.rows.programs import StoredProgram
from arcbatt.archive.rows.results import CODES, outputs_from_text
from arcbatt.archive.rows.tasks import digest_of_task, task_of
from arcbatt.archive.scores import add_score, digest_in_score_file
from arcbatt.archive.terms import Terms
from arcbatt.archive.writing import RowWriter, TaskResults
from arcbatt.arguments import shown
from arcbatt.dsl.contract import BEST_SCORE, NO_SCORE
from arcbatt.engine.records.verdicts import Verdict
from arcbatt.engine.scoring.scores import Scorer
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.files import is_database
from arcbatt.json_lines import BAD_DATA, FileLines, canonical
from arcbatt.library import load_library
from arcbatt.program.folders import SUFFIXES
from arcbatt.program.graph import KeptScore, Program
from arcbatt.program.kept.score_forms import in_means, known_outputs, known_outputs_of
from arcbatt.program.parse import load_programs, parse_programs
from arcbatt.tasks import Task, load_tasks
from arcbatt.text import shorten

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive

EMPTY: Mapping[str, Task] = {}
AT_ONCE = 20_000  # results of a batch
FROM_JSON = "run --json"  # the origin of results whose settings nobody knows


@dataclass
class ImportResult:
    """What an import has added, and in `refused` the reasons why something was not."""

    programs: int = 0
    results: int = 0
    refused: list[str] = field(default_factory=list)


def import_file(archive: "Archive", path: str | os.PathLike[str], tasks: Sequence[Task]) -> ImportResult:
    """Import a program file, a folder of them, or a file of JSON lines."""
    file = os.fspath(path)
    if Path(file).is_dir() or file.endswith(SUFFIXES):
        return import_programs(archive, file, tasks)
    return _Reader(archive, file, tasks).read(_numbered_lines(file))


def in_our_form(kept: KeptScore, task_id: str, tasks: Mapping[str, Task] = EMPTY) -> KeptScore | None:
    """Score and time as an archive has them; None for a number of samples of a task that is not known."""
    samples = samples_of(task_id, tasks) if kept.is_sum else 1
    return None if samples is None else in_means(kept, samples)


def samples_of(task_id: str, tasks: Mapping[str, Task]) -> int | None:
    """The number of samples with known outputs of a task, one of those given or a published one."""
    return known_outputs(tasks[task_id]) if task_id in tasks else known_outputs_of(task_id)


def import_programs(archive: "Archive", path: str, tasks: Sequence[Task] = ()) -> ImportResult:
    """Import the programs of a file or folder, with score and time of those in a kept population."""
    done, known = ImportResult(), {task.id: task for task in tasks}
    try:
        programs = load_programs(path, on_refused="ignore")
        done.refused += map(str, programs.refused)
    except ProgramError as error:
        done.refused += map(str, [error, *error.others])
        return done
    # A differ that a batt applies to a solver is made of both, and is no program by itself.
    whole = [program for program in programs if program.kind == "solver" or program.scored is None]
    sums = {each.task_id for each in whole if each.kept is not None and each.kept.is_sum}
    unknown = sorted(task_id or "" for task_id in sums if samples_of(task_id or "", known) is None)
    if unknown:
        done.refused.append(
            f"{path}: scores for task {shorten(unknown[0])} are numbers of samples of a task that is not "
            "known; name the tasks with --tasks; the programs are kept without these scores"
        )
    kept = [each.kept and in_our_form(each.kept, each.task_id or "", known) for each in whole]
    archive.add_programs(
        [each.altered(entry_id=None, scored=None, kept=own) for each, own in zip(whole, kept)]
    )
    archive.commit()
    done.programs = len(whole)
    return done


def _numbered_lines(file: str) -> Iterator[tuple[int, str]]:
    """The lines of a file of text but for empty ones, with their numbers; errors name the file."""
    path, reader = Path(file), FileLines(file, name=shorten(file))
    if path.exists() and not path.is_file():
        raise ArcbattError(f"{file}: is no regular file; save its content to a file first")
    if is_database(path):
        raise ArcbattError(f"{file}: is an archive itself; `archive merge` adds it to another")
    try:
        for line in map(bytes.decode, reader):
            if line.strip():
                yield reader.number, line
    except UnicodeDecodeError:
        raise ArcbattError(f"{file}:{reader.number}: cannot be read: it is no UTF-8 text") from None


class _OtherVersion(Exception):
    """Ends the import of a file whose lines may mean something else."""


class _Result(NamedTuple):
    """A result that was read."""

    program: Program
    codes: list[int]
    scores: list[int] | None = None
    mean: float | None = None
    outputs: str | None = None


class _Reader:
    """Reads the lines of exports, of score files and of `run --json`, each told by its keys."""

    def __init__(self, archive: "Archive", file: str, tasks: Sequence[Task]) -> None:
        self._archive, self._file = archive, file
        self._writer: RowWriter = archive.writer
        self._given = {task.id: task for task in tasks}
        self._tasks: dict[str, Task] = {}
        self._terms: dict[str, Terms] = {}
        self._programs: dict[str, Program | None] = {}
        self._by_name: dict[str, Program | None] = {}
        self._scorers: list[Scorer] = []
        self._unknown_terms = Terms(origin=FROM_JSON)
        self._waiting: list[_Result] = []
        self._place: tuple[Any, ...] = ()  # what the results that wait have in common
        self.done = ImportResult()

    def read(self, lines: Iterator[tuple[int, str]]) -> ImportResult:
        """Import all lines; those that are none of ours are refused by number."""
        for number, line in lines:
            try:
                self._take(json.loads(line))
            except _OtherVersion as error:
                raise ArcbattError(f"{self._file}:{number}: {error}") from None
            except BAD_DATA as error:
                reason = str(error) if isinstance(error, ArcbattError) else "this is no line of an archive"
                self.done.refused.append(f"{self._file}:{number}: {reason}")
            self._archive.settle()
        self._flush()
        self._archive.commit()
        return self.done

    def _take(self, line: dict[str, Any]) -> None:
        readers: dict[str, Callable[[dict[str, Any]], None]] = {
            "arcbatt": self._header,
            "train": self._task,
            "settings": self._settings,
            "source": self._program,
            "result": self._result,
            "demo": self._outcome,
            "summary": lambda line: None,
        }
        if "mean" in line and "language" in line:
            self._score(line)
            return
        key = next((key for key in readers if key in line), None)
        if key is None:
            raise ValueError(line)
        readers[key](line)

    def _header(self, line: dict[str, Any]) -> None:
        if line["version"] != EXPORT_VERSION:
            raise _OtherVersion(
                f"this export has version {shown(line['version'])}, and {EXPORT_VERSION} is read here"
            )

    def _task(self, line: dict[str, Any]) -> None:
        task = task_of(str(line["id"]), line)
        if digest_of_task(task).hex() != line["task"]:
            raise ArcbattError(f"task {shorten(task.id)} does not have the digest that the line says")
        self._tasks[line["task"]] = task

    def _settings(self, line: dict[str, Any]) -> None:
        terms = Terms.from_settings(line["settings"])
        if terms.digest != line["terms"]:
            raise ArcbattError("the terms do not have the digest that the line says")
        self._terms[terms.digest] = terms

    def _program(self, line: dict[str, Any]) -> None:
        inputs, own_ops = tuple(map(str, line["inputs"])), tuple(map(str, line.get("own_ops", ())))
        graph = None if line.get("graph") is None else str(line["graph"])
        if line["kind"] not in ("solver", "differ"):
            raise ValueError(line["kind"])
        text = str(line["source"])
        stored = StoredProgram(
            str(line["program"]), line["kind"], str(line["name"]), inputs, 0, text, own_ops, graph=graph
        )
        program = stored.program
        parents = [(str(parent), str(mutation)) for parent, mutation in line.get("parents", ())]
        kept = [(str(task), float(score), float(time)) for task, score, time in line.get("kept", ())]
        self._writer.add_program(program, parents, kept)
        if program.kind == "solver":
            self._programs[program.hash] = program
        self.done.programs += 1

    def _result(self, line: dict[str, Any]) -> None:
        key = line["result"]
        task, terms = self._tasks.get(key["task"]), self._terms.get(key["terms"])
        if task is None or terms is None:
            raise ArcbattError("the task or the terms of this result are missing in the file")
        program = self._of_hash(str(key["program"]))
        codes = _codes(line["verdicts"])
        scores = None if line.get("scores") is None else [_partial_score(each) for each in line["scores"]]
        if {len(codes), len(codes if scores is None else scores)} != {len(task.samples)}:
            raise ArcbattError("a result has one verdict and one score for each sample")
        mean = None if line.get("mean") is None else _mean(line["mean"])
        outputs = None if line.get("outputs") is None else canonical(line["outputs"])
        if outputs is not None:
            outputs_from_text(outputs)
        self._wait(task, terms, _Result(program, codes, scores, mean, outputs))

    def _wait(self, task: Task, terms: Terms, result: "_Result") -> None:
        """Let a result wait for others of the same task and terms, with the same columns."""
        place = task, terms, result.scores is None, result.mean is None
        if self._place != place or len(self._waiting) >= AT_ONCE:
            self._flush()
            self._place = place
        self._waiting.append(result)
        self.done.results += 1

    def _flush(self) -> None:
        """Hand the results that wait to the writer, as one batch."""
        import numpy as np  # not above: the import takes longer than the start of a command without it

        if not self._waiting:
            return
        task, terms, without_scores, without_mean = self._place
        programs, codes, scores, means, outputs = zip(*self._waiting)
        self._waiting = []
        batch = TaskResults(
            task,
            terms,
            programs,
            np.array(codes, np.uint8),
            None if without_scores else np.array(scores, np.intc),
            None if without_mean else list(means),
            {place: text for place, text in enumerate(outputs) if text is not None},
        )
        self._writer.add_batch(batch)

    def _of_hash(self, digest: str) -> Program:
        if digest not in self._programs:
            found = self._archive.find(digest)
            self._programs[digest] = None if found is None else found.program
        program = self._programs[digest]
        if program is None:
            raise ArcbattError(f"the program {shorten(digest)} of this result is not there")
        return program

    def _outcome(self, line: dict[str, Any]) -> None:
        """A line of `run --json`: the program is in the archive already, the task is published or given."""
        if "hash" in line:
            program = self._of_hash(str(line["hash"]))
        else:
            program = self._of_name(str(line["program"]))
        task = self._of_id(str(line["task"]))
        exact = [*line["demo"], *line["test"]]
        if len(exact) != len(task.samples):
            raise ArcbattError(f"task {shorten(task.id)} has {len(task.samples)} samples, the line others")
        self._wait(task, self._unknown_terms, _Result(program, _codes(exact)))

    def _of_name(self, name: str) -> Program:
        if name not in self._by_name:
            found = self._archive.find(name)
            self._by_name[name] = None if found is None else found.program
        program = self._by_name[name]
        if program is None:
            raise ArcbattError(f"program {shorten(name)} is not in the archive; import its file first")
        return program

    def _of_id(self, task_id: str) -> Task:
        if task_id not in self._given:
            self._given[task_id] = load_tasks(task_id)[0]
        return self._given[task_id]

    def _score(self, line: dict[str, Any]) -> None:
        """A line of a score file."""
        program = _scored_program(str(line["source"]), str(line["program"]))
        self._writer.add_program(replace(program, name=str(line["name"])))
        self.done.programs += 1
        task = self._of_id(str(line["task"]))
        scorer = next(
            (each for each in self._known_scorers() if digest_in_score_file(task, each) == line["terms"]),
            None,
        )
        if scorer is None:
            raise ArcbattError(
                f"the score of {shorten(program.name)} on {shorten(task.id)} was made on other terms than "
                "the library's differs and the default limits; its program is kept, score it again"
            )
        codes = _codes(line["verdicts"])
        if len(codes) != len(task.samples):
            raise ArcbattError("a score has one verdict for each sample")
        terms = replace(Terms.of_scorer(scorer), language=str(line["language"]))
        add_score(self._writer, program, task, line["verdicts"], _mean(line["mean"]), terms)
        self.done.results += 1

    def _known_scorers(self) -> list[Scorer]:
        """The settings that scores may have been made with; a score file has but a digest of them."""
        if not self._scorers:
            differs = tuple(load_library("differs"))
            self._scorers = [Scorer(differs), Scorer(differs, on_failure="fail")]
        return self._scorers


def _scored_program(source: str, digest: str) -> Program:
    if not source:
        raise ArcbattError("this score has no source: nobody can tell which program it is of")
    (program,) = parse_programs(source, "the source", strict=True)
    if program.hash != digest:
        raise ArcbattError(f"the source of {shorten(program.name)} does not have the hash that the line says")
    return program


def _codes(verdicts: Sequence[Verdict]) -> list[int]:
    """Verdicts as bytes; `1` is no verdict although it equals True."""
    if not all(verdict is None or isinstance(verdict, bool | str) for verdict in verdicts):
        raise ValueError(verdicts)
    return [CODES[verdict] for verdict in verdicts]


def _partial_score(score: object) -> int:
    """A partial score as a record has it."""
    if score is None:
        return NO_SCORE
    if type(score) is not int or not 0 <= score <= BEST_SCORE:
        raise ArcbattError(f"a partial score is {shown(score)}; it must be from 0 to {BEST_SCORE}")
    return score


def _mean(mean: object) -> float:
    """The mean mark of differs."""
    if not isinstance(mean, int | float) or not 0 <= mean <= BEST_SCORE:
        raise ArcbattError(f"a mean is {shown(mean)}; it must be from 0 to {BEST_SCORE}")
    return float(mean)
