"""ARC tasks: their classes, loading them, and writing answers."""

from arcbatt.tasks.intake import load_tasks
from arcbatt.tasks.read import grid_fault
from arcbatt.tasks.submission import write_submission
from arcbatt.tasks.tasks import Grid, Sample, Task, TaskSet

__all__ = ["Grid", "Sample", "Task", "TaskSet", "grid_fault", "load_tasks", "write_submission"]
