"""The files that several commands write: solver files and submissions."""

from collections.abc import Sequence

from arcbatt.errors import ArcbattError
from arcbatt.files import require_page_file, require_writable, whole_file
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.tasks.submission_check import SubmissionCheck
from arcbatt.telling import tell


def write_solvers(name: str | None, found: Sequence[tuple[Task, Program]], why_none: str) -> None:
    """Write a solver for each of some tasks, named after it; no file is asked for if there is no name."""
    if name is None:
        return
    if not found:
        tell(f"{name}: is not written, since {why_none}")
        return
    with whole_file(name) as file:
        solvers = [program.altered(name=f"solve_{task.id}") for task, program in found]
        file.write("\n\n".join(program.source() for program in solvers))


def require_submission_file(name: str) -> None:
    """Refuse a name that no submission can be written to, before long work."""
    if name == "-":
        raise ArcbattError("-: a submission is written to a file; Kaggle takes one named submission.json")
    require_page_file(name)
    require_writable(name)


def tell_of_check(check: SubmissionCheck) -> None:
    """Tell what the check of a submission has found."""
    for sentence in (*check.faults, *check.remarks, check.in_words):
        tell(sentence)
