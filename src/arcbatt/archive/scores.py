"""Scores by differs in an archive: only what holds alone gets in, and what was made on the same terms out."""

from collections.abc import Iterable
from hashlib import blake2b

from arcbatt.archive.connection import Connection, corrupt_row_errors
from arcbatt.archive.rows.results import CODES
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import Terms, terms_by_program
from arcbatt.archive.writing import RowWriter, TaskResults
from arcbatt.engine.records.verdicts import VERDICTS, Verdict
from arcbatt.engine.scoring.scores import Score, Scorer
from arcbatt.program.graph import Program
from arcbatt.tasks import Task


def add_scores(writer: RowWriter, scores: Iterable[Score], scorer: Scorer) -> None:
    """Add scores, after each of their programs got the same one alone; one that does not hold stops all."""
    confirmed = [scorer.confirmed(score) for score in scores]
    for score in confirmed:
        add_score(writer, score.program, score.task, score.verdicts, score.mean, Terms.of_scorer(scorer))


def add_score(
    writer: RowWriter, program: Program, task: Task, verdicts: Iterable[Verdict], mean: float, terms: Terms
) -> None:
    """Add one score without a check."""
    import numpy as np  # not above: the import takes longer than the start of a command without it

    (own,) = terms_by_program(terms, [program])
    codes = np.array([[CODES[verdict] for verdict in verdicts]], np.uint8)
    writer.add_batch(TaskResults(task, own, (program,), codes, means=[mean]))


def find_score(connection: Connection, program: Program, task: Task, scorer: Scorer) -> Score | None:
    """The stored score of a program on a task with these settings, if there is one."""
    (own,) = terms_by_program(Terms.of_scorer(scorer), [program])
    row = connection.one(
        "SELECT verdicts, mean FROM results WHERE task = (SELECT id FROM tasks WHERE digest = ?) "
        "AND terms = (SELECT id FROM terms WHERE digest = ?) "
        "AND program = (SELECT id FROM programs WHERE hash = ? AND kind = ?)",
        (digest_of_task(task), bytes.fromhex(own.digest), program.root.digest, program.kind),
    )
    if row is None or row[1] is None:
        return None
    with corrupt_row_errors(connection.path):
        return Score(program, task, tuple(VERDICTS[code] for code in row[0]), float(row[1]))


def digest_in_score_file(task: Task, scorer: Scorer) -> str:
    """The digest of task and settings in the score files that archives have replaced."""
    differs = [differ.hash for differ in scorer.differs]
    content = (len(task.demo), task.samples, differs, scorer.on_failure, scorer.limits)
    return blake2b(repr(content).encode(), digest_size=8).hexdigest()
