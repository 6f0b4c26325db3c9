"""The archive of a search: answers that fit, and how far each task is."""

import json
from collections.abc import Sequence
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import Terms, canonical
from arcbatt.errors import ArcbattError
from arcbatt.notices import tell
from arcbatt.program.graph import Program
from arcbatt.search.solve.answers import Answer, replayed
from arcbatt.search.solve.library_pass import archive_programs
from arcbatt.search.solve.solution import TaskAnswers, task_answers_from
from arcbatt.search.state_codec import state_decoding_errors
from arcbatt.tasks import Task

KIND = "solve"  # of the runs in an archive
PROGRAMS = "programs"  # the key of the state that names the programs which the archive had at the beginning


class Keeping:
    """Keeps a search in an archive: the search is a run there, found by its settings.

    The state of a task is committed together with the answers that fit. An archive grows while it is in use,
    so the programs that it had at the beginning are written down once.
    """

    def __init__(
        self, archive: Archive, settings: dict[str, Any], tasks: Sequence[Task], resume: bool
    ) -> None:
        self._archive = archive
        self._run = archive.run(KIND, settings)
        self._keys = {task.id: digest_of_task(task).hex() for task in tasks}
        self._versions = self._run.states()
        known = next((name for name, key in self._keys.items() if key in self._versions), None)
        if known is not None and not resume:
            raise ArcbattError(
                f"{archive.path}: holds this search already, for task {known} and maybe others; resume it, "
                "or name another archive for a new one"
            )
        if resume and not self._versions and any(run.kind == KIND for run in archive.runs()):
            tell(f"{archive.path}: holds no search with these settings; a new one begins")

    def programs(self) -> list[Program]:
        """The programs that the archive had when the search began."""
        version, text = self._run.state(PROGRAMS) or (0, b"")
        if not version:
            programs = archive_programs(self._archive)
            hashes = [program.hash for program in programs]
            if self._run.advance(PROGRAMS, 1, canonical(hashes).encode()):
                return programs
            return self.programs()  # another process has begun the search meanwhile
        with state_decoding_errors():
            return [self._archive.program(str(known)).program for known in json.loads(text)]

    def known(self, task: Task) -> TaskAnswers:
        """How far a task is, as the archive has it by now."""
        version, text = self._run.state(self._keys[task.id]) or (0, b"")
        self._versions[self._keys[task.id]] = version
        if not version:
            return TaskAnswers(task)
        with state_decoding_errors():
            return task_answers_from(task, json.loads(text))

    def commit(self, found: TaskAnswers, steps: int) -> TaskAnswers:
        """Commit how far a task is, and its answers that fit; what another process has done counts more."""
        for answer in found.answers:
            if answer.fits and answer.record is not None:
                self._add(answer)
        key = self._keys[found.task.id]
        version = self._versions.get(key, 0) + 1
        if self._run.advance(key, version, canonical(found.state()).encode(), steps):
            self._versions[key] = version
            return found
        return self.known(found.task)

    def _add(self, answer: Answer) -> None:
        task, record = answer.task, answer.record
        assert record is not None
        self._archive.add_programs([answer.program])
        self._archive.add_record(
            record, Terms(), lambda program: replayed(task, [program])[0].outcome.outputs
        )
