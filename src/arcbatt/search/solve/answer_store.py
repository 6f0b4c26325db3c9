"""The archive of `solve`: answers that fit, and how far each task is."""

import json
from collections.abc import Sequence
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.json_lines import canonical
from arcbatt.program.graph import Program
from arcbatt.search.solve.library_pass import archive_programs
from arcbatt.search.solve.solution import TaskAnswers, task_answers_from
from arcbatt.search.state_codec import state_decoding_errors
from arcbatt.search.store import SearchStore, key_of_task
from arcbatt.tasks import Task

KIND = "solve"  # of the runs in an archive
PROGRAMS = "programs"  # the key of the state that names the programs which the archive had at the beginning


class AnswerStore:
    """A search in an archive, where each task has a state, committed together with the answers that fit.

    An archive grows while it is in use, so the programs that it had at the beginning are written down once.
    """

    def __init__(
        self, archive: Archive, settings: dict[str, Any], tasks: Sequence[Task], resume: bool
    ) -> None:
        self._archive, self._store = archive, SearchStore(archive, KIND, settings)
        self._keys = {task.id: key_of_task(task) for task in tasks}
        self._store.is_begun(tasks, list(self._keys.values()), resume, "name another archive")
        if resume and not self._store.has_states:
            self._store.tell_of_new("with these settings")

    def programs(self) -> list[Program]:
        """The programs that the archive had when the search began."""
        found: dict[str, Program] = {}

        def choose(chosen: Any) -> Any:
            if chosen is None:
                found.update((program.hash, program) for program in archive_programs(self._archive))
            return list(found) if chosen is None else chosen

        hashes = self._store.choice(PROGRAMS, None, choose)
        with state_decoding_errors():
            return [found.get(known) or self._archive.program(str(known)).program for known in hashes]

    def known(self, task: Task) -> TaskAnswers:
        """How far a task is, as the archive has it by now."""
        text = self._store.state(self._keys[task.id])
        if text is None:
            return TaskAnswers(task)
        with state_decoding_errors():
            return task_answers_from(task, json.loads(text))

    def commit(self, found: TaskAnswers, steps: int) -> TaskAnswers:
        """Commit how far a task is, and its answers that fit; what another process has done counts more."""
        for answer in found.answers:
            if answer.fits and answer.record is not None:
                self._store.add(answer.record)
        state = canonical(found.state()).encode()
        is_kept = self._store.advance(self._keys[found.task.id], state, steps)
        return found if is_kept else self.known(found.task)
