"""Merging archives: programs, tasks, results and lineage of one are added to another."""

from arcbatt.archive.connection import Connection
from arcbatt.archive.writing import ON_KNOWN_PROGRAM, ON_KNOWN_RESULT, ON_OTHER_OUTPUTS, RESULT_FIELDS

PROGRAM_FIELDS = "hash, kind, name, inputs, size, source, graph, own_ops"
# Rows of both databases that mean the same: ids differ, hashes and digests do not.
SAME_PROGRAMS = (
    "other.programs AS theirs ON theirs.id = given.{0} "
    "JOIN main.programs AS ours ON ours.hash = theirs.hash AND ours.kind = theirs.kind"
)
STATEMENTS = (
    f"INSERT INTO main.programs ({PROGRAM_FIELDS}) SELECT {PROGRAM_FIELDS} FROM other.programs WHERE 1 "
    f"{ON_KNOWN_PROGRAM}",
    "INSERT INTO main.tasks (digest, name, content) SELECT digest, name, content FROM other.tasks WHERE 1 "
    "ON CONFLICT DO NOTHING",
    "INSERT INTO main.terms (digest, settings) SELECT digest, settings FROM other.terms WHERE 1 "
    "ON CONFLICT DO NOTHING",
    "INSERT INTO main.lineage (child, parent, mutation) SELECT ours.id, given.parent, given.mutation "
    f"FROM other.lineage AS given JOIN {SAME_PROGRAMS.format('child')} WHERE 1 ON CONFLICT DO NOTHING",
    "INSERT INTO main.kept (program, task, score, time) SELECT ours.id, given.task, given.score, given.time "
    f"FROM other.kept AS given JOIN {SAME_PROGRAMS.format('program')} WHERE 1 ON CONFLICT DO NOTHING",
    "INSERT INTO main.marks SELECT * FROM other.marks WHERE 1 ON CONFLICT DO NOTHING",
)
SAME_ROWS = (
    f"JOIN {SAME_PROGRAMS.format('program')} "
    "JOIN other.tasks AS their_task ON their_task.id = given.task "
    "JOIN main.tasks AS our_task ON our_task.digest = their_task.digest "
    "JOIN other.terms AS their_terms ON their_terms.id = given.terms "
    "JOIN main.terms AS our_terms ON our_terms.digest = their_terms.digest"
)
ADD_RESULTS = (
    f"INSERT INTO main.results ({RESULT_FIELDS}) "
    "SELECT our_task.id, our_terms.id, ours.id, given.solved, given.demo_exact, given.rank, given.verdicts, "
    f"given.scores, given.mean FROM other.results AS given {SAME_ROWS} WHERE given.task = ? {ON_KNOWN_RESULT}"
)
ADD_OUTPUTS = (
    "INSERT INTO main.outputs (task, terms, program, outputs) "
    "SELECT our_task.id, our_terms.id, ours.id, given.outputs "
    f"FROM other.outputs AS given {SAME_ROWS} WHERE given.task = ? {ON_OTHER_OUTPUTS}"
)


def merge_archive(connection: Connection, other: Connection) -> None:
    """Add all of another archive but its runs; a task at a time is one transaction.

    A merge that is broken off has added a part, and can be done again.
    """
    with connection.attached(other, "other"):
        with connection.transaction():
            for statement in STATEMENTS:
                connection.execute(statement)
        for (task,) in list(connection.rows("SELECT id FROM other.tasks ORDER BY id")):
            with connection.transaction():
                connection.execute(ADD_RESULTS, (task,))
                connection.execute(ADD_OUTPUTS, (task,))
