"""Where a breeding keeps what it has: an archive, or folders of program files, with its state in either."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from arcbatt.archive.archive import Archive
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import Terms, canonical, digest_of, language_version
from arcbatt.batt.breeding.population import SolverFolder, differ_folder
from arcbatt.dsl.table import TABLE, names_of_own_ops
from arcbatt.engine.candidates import CandidateJudge
from arcbatt.engine.results import Outputs, Record
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.files import Presence, content_of_file, write_whole
from arcbatt.program.folders import DIFFER, FolderForm, program_files_of
from arcbatt.program.graph import Program
from arcbatt.program.parse import load_programs
from arcbatt.search.breed.rounds import BreedSettings, Newcomers
from arcbatt.search.breed.state import BreedState, PartialSolver, RankedDiffer, state_from
from arcbatt.search.state_codec import state_decoding_errors
from arcbatt.tasks import Task

KIND = "breed"  # of the runs in an archive
STATE = "state"  # the key of the state of such a run
STATE_FILE = "breed.json"  # the same in a folder
LARGEST_STATE = 1 << 30
SEED = "seed"


class Store(Protocol):
    """What keeps the state of a breeding, found by its settings, and the programs that it keeps."""

    name: str

    def find(self, settings: Mapping[str, Any], seed: int | None) -> BreedState | None:
        """The state of the breeding with these settings; without a seed the last one that has them."""

    def solvers(self, tasks: Sequence[Task], count: int) -> list[Program]:
        """The solvers that the store has for tasks; of an archive the best so many of each."""

    def differs(self) -> list[RankedDiffer]:
        """The differs that the store has, with their scores."""

    def commit(self, settings: Mapping[str, Any], state: BreedState, newcomers: Sequence[Newcomers]) -> None:
        """Keep a state, and what came with it: all of it, or nothing."""


class ArchiveStore:
    """A breeding in an archive: a run there, whose state is committed with the programs of each round."""

    def __init__(self, archive: Archive, settings: BreedSettings) -> None:
        self.name, self._archive, self._settings = archive.path, archive, settings
        self._terms = Terms(settings.on_failure, settings.limits)
        self._version = 0

    def find(self, settings: Mapping[str, Any], seed: int | None) -> BreedState | None:
        """The state of the breeding with these settings; without a seed the last one that has them."""
        seeds = [seed]
        if seed is None:
            seeds = [
                run.settings[SEED]
                for run in self._archive.runs()
                if run.kind == KIND and {**run.settings, SEED: None} == {**settings, SEED: None}
            ]
        for known in reversed(seeds):
            found = self._archive.run(KIND, {**settings, SEED: known}).state(STATE)
            if found is not None:
                self._version, text = found
                return state_from(text)
        return None

    def solvers(self, tasks: Sequence[Task], count: int) -> list[Program]:
        """The best solvers that the archive has for tasks."""
        found = [each.stored for task in tasks for each in self._archive.best(task, count, blind=True)]
        known = [each for each in found if set(each.own_ops) <= TABLE.keys()]
        return [program for each in known if (program := self._archive.read_or_tell(each)) is not None]

    def differs(self) -> list[RankedDiffer]:
        """The differs that were kept with a score."""
        found: list[RankedDiffer] = []
        for stored in self._archive.programs(kind="differ"):
            scores = [each.score for each in self._archive.kept(stored) if not each.task]
            if scores and set(stored.own_ops) <= TABLE.keys():
                program = self._archive.read_or_tell(stored)
                if program is not None:
                    found.append(RankedDiffer(program, round(scores[-1]), 1))
        return found

    def commit(self, settings: Mapping[str, Any], state: BreedState, newcomers: Sequence[Newcomers]) -> None:
        """Commit a state with the programs and results of its round, in one transaction."""
        for task, programs, verdicts, scores, parents in newcomers:
            made_of = {each.hash: (parents[each.root],) for each in programs if each.root in parents}
            self._archive.add_programs(programs, made_of)
            record = Record(task, programs, verdicts, scores)
            self._archive.add_record(record, self._terms, partial(self._outputs, task))
        for differ, score, _ in state.differs:
            self._archive.writer.add_program(differ)
            if score is not None:
                self._archive.writer.keep_as(differ, "", score, 0)
        self._version += 1
        found = self._archive.run(KIND, dict(settings))
        steps = 1 if state.rounds else 0
        if not found.advance(STATE, self._version, state.text(), steps):
            raise ArcbattError(
                f"{self.name}: another process breeds with the same settings and seed in this archive; "
                "let one of them go on, or give another --seed"
            )

    def _outputs(self, task: Task, program: Program) -> Outputs:
        settings = self._settings
        results = run(program, task, "all", settings.backend, 1, settings.on_failure, settings.limits)
        return results[program, task].outputs


class FolderStore:
    """A breeding in two folders: solvers by task and score, and differs by score.

    The state stands in the first, in one file, which is written first: the files follow it, also those that
    a kill has left undone.
    """

    def __init__(
        self, folder: str, settings: BreedSettings, tasks: Sequence[Task], form: FolderForm = "mean"
    ) -> None:
        self.name, self._settings = folder, settings
        self._tasks = {task.id: task for task in tasks}
        self._folder, self._differ_folder = Path(folder), Path(differ_folder(folder))
        self._solvers = _KeptProgramFiles(SolverFolder(folder, form, waits=False))
        self._differs = _KeptProgramFiles(SolverFolder(differ_folder(folder), waits=False))
        self._path = self._folder / STATE_FILE
        self._presence = Presence(str(self._path))
        self._judge: CandidateJudge | None = None  # of the task that was last in turn

    def find(self, settings: Mapping[str, Any], seed: int | None) -> BreedState | None:
        """The state in the folder, if it has these settings; files that are missing are written."""
        if not self._path.exists():
            return None
        content = content_of_file(self._path, LARGEST_STATE)
        with state_decoding_errors(str(self._path)):
            known = json.loads(content)
            ours = known["settings"] if seed is not None else {**known["settings"], SEED: None}
            if ours != {**settings, SEED: seed}:
                return None
            text = canonical(known["state"]).encode()
        state = state_from(text, str(self._path))
        self._write(state)
        return state

    def solvers(self, tasks: Sequence[Task], count: int) -> list[Program]:
        """The solvers of the folder for tasks."""
        ids = {task.id for task in tasks}
        found = [each for each in _programs_in(self._folder) if each.task_id in ids]
        # Names tell ids of eight digits alone; others are told by the folders that the files stand in.
        told = {each.task_id for each in found}
        files = [path for path in program_files_of(self._folder) if _task_of(path) in ids - told]
        found += [each for path in files for each in _programs_in(path)]
        return [each for each in found if each.kind == "solver"]

    def differs(self) -> list[RankedDiffer]:
        """The differs beside them."""
        return [
            RankedDiffer(each, None) if each.kept is None else RankedDiffer(each, round(each.kept.score), 1)
            for each in _programs_in(self._differ_folder)
            if each.kind == "differ"
        ]

    def commit(self, settings: Mapping[str, Any], state: BreedState, newcomers: Sequence[Newcomers]) -> None:
        """Write a state, then the files that it says; refused if another process has written one."""
        self._presence.require()
        text = canonical({"settings": dict(settings), "state": json.loads(state.text())})
        write_whole(str(self._path), text.encode())
        self._presence = Presence(str(self._path))
        self._write(state)

    def _write(self, state: BreedState) -> None:
        """Let the folders have what a state says, and not what its last round has dropped."""
        for task_id, population in state.populations.items():
            for each in population:
                self._keep(each, self._tasks[task_id])
        for differ, score, _ in state.differs:
            if score is not None:
                self._differs.keep(differ, None, str(score), lambda: "0")
        for task_id, known in state.dropped:
            self._solvers.drop(known, task_id)
        for known in state.dropped_differs:
            self._differs.drop(known, None)

    def _keep(self, kept: PartialSolver, task: Task) -> None:
        demos, folder = len(task.demo), self._solvers.folder

        def time() -> str:
            return folder.time(self._seconds(kept.program, task), len(task.samples))

        remark = f"Exact on {kept.exact} of {demos} demo samples of {task.id}."
        self._solvers.keep(kept.program, task.id, folder.shown(kept.score(demos), kept.exact), time, remark)

    def _seconds(self, program: Program, task: Task) -> float:
        """The seconds that a solver takes alone on all samples of a task."""
        settings = self._settings
        if self._judge is None or self._judge.task is not task:
            self._judge = CandidateJudge(task, settings.on_failure, settings.limits, settings.backend)
        started = perf_counter()
        self._judge.judge([program.root])
        return perf_counter() - started


class _KeptProgramFiles:
    """The files of a folder of kept programs, by program."""

    def __init__(self, folder: SolverFolder) -> None:
        self.folder = folder
        self._paths: dict[tuple[str | None, str], Path] = {}
        for path in program_files_of(folder.folder):
            if not _has_content(path):
                continue
            task_id, digest = _task_of(path), path.stem
            if folder.form == "sum":
                digest = next((each.hash for each in _programs_in(path)), "")
            self._paths[task_id, digest] = path

    def keep(
        self, program: Program, task_id: str | None, score: str, time: Callable[[], str], remark: str = ""
    ) -> None:
        """Let a program stand in the folder with a score, and with no other."""
        known = self._paths.get((task_id, program.hash))
        if known is not None and known.parts[-3] == score:
            return
        path = self.folder.put(program, task_id, score, time(), remark)
        self._paths[task_id, program.hash] = path
        if known is not None and known != path:
            _remove(known)

    def drop(self, digest: str, task_id: str | None) -> None:
        """Remove the file of a program."""
        path = self._paths.pop((task_id, digest), None)
        if path is not None:
            _remove(path)


def _task_of(path: Path) -> str | None:
    """The id of the task that a file is kept for; None for a differ."""
    folder = path.parts[-4] if len(path.parts) >= 4 else ""
    return folder.removeprefix("solve_") if folder != DIFFER else None


def _has_content(path: Path) -> bool:
    """Whether a file can be opened, and did not lose its content when the machine went down."""
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError:
        return False


def _remove(path: Path) -> None:
    """Remove a file, and the folders that it leaves empty."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
        path.parent.rmdir()
        path.parent.parent.rmdir()


def _programs_in(path: Path) -> list[Program]:
    """The programs of a file or folder; there may be none."""
    try:
        return list(load_programs(path, on_refused="ignore"))
    except ProgramError:
        return []


def identity(settings: BreedSettings, tasks: Sequence[Task], seed: int | None) -> dict[str, Any]:
    """What a breeding is found by: all that its rounds depend on, as it is read back."""
    asked = asdict(settings)
    del asked["backend"]  # no result depends on it
    found = asked | {
        SEED: seed,
        "frozen": [asked.pop("freeze_solvers"), asked.pop("freeze_differs")],
        "tasks": digest_of(" ".join(digest_of_task(task).hex() for task in tasks)),
        "language": language_version(),
        "own_ops": Terms().with_ops(names_of_own_ops()).own_ops,
    }
    settled: dict[str, Any] = json.loads(canonical(found))
    return settled
