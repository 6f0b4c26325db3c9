"""Archives as fragments: their numbers, and the best program of each task."""

from arcbatt.archive.archive import Archive
from arcbatt.view.fragments.html_pieces import MOST_ROWS, more, paragraph, text_table
from arcbatt.view.terminal.archive_report import TASK_COLUMNS, task_row


def archive(one: Archive) -> str:
    """An archive: its numbers, then the best program of each task, solved tasks first."""
    tasks = sorted(one.overview(), key=lambda summary: (not summary.winners, summary.task))
    title = paragraph(repr(one).strip("<>"), "title")
    solved = sum(bool(summary.winners) for summary in tasks)
    words = paragraph(f"{solved:,} of {len(tasks):,} tasks are solved by one of its programs.")
    rows = text_table(TASK_COLUMNS, map(task_row, tasks[:MOST_ROWS])) if tasks else ""
    return title + words + rows + more(len(tasks) - MOST_ROWS, "task")
