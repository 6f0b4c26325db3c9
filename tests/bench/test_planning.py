"""The measurement of planning and packing."""

import arcbatt as ab
from arcbatt.bench.planning import STAGES, least_milliseconds
from arcbatt.library import load_library
from support.backends import needs_core


@needs_core
def test_tasks_that_are_measured_anew_are_packed_by_no_earlier_run() -> None:
    programs = load_library("solvers")[:1]
    tasks = [ab.Task(str(programs[0].task_id), (ab.Sample(((1,),), ((1,),)),), ())]
    spent = least_milliseconds(programs, tasks, anew=True)
    assert tasks[0].packed is None
    assert tuple(spent) == STAGES
    least_milliseconds(programs, tasks, anew=False)
    assert tasks[0].packed is not None
