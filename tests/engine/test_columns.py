"""The switch of columns changes no result, and the counters tell how many elements ran in columns."""

from typing import get_args

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

import arcbatt as ab
from arcbatt.engine.backend import Backend, ColumnMode, Elements, RunOptions
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.plan import Plan, plan
from arcbatt.engine.profile.profile import profile
from arcbatt.program.parse import parse_programs
from arcbatt.tasks.samples import Samples
from support.device_work import on_devices

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

PROGRAMS = """
def solve_shifted(I):
    x1 = rbind(add, UNITY)
    x2 = asindices(I)
    return apply(x1, x2)

def solve_kept(I):
    x1 = fork(add, first, last)
    x2 = compose(even, x1)
    x3 = asindices(I)
    return sfilter(x3, x2)
"""
GRIDS = [((0,) * 4,) * 3, ((1,) * 2,) * 5]
CELLS = 3 * 4 + 5 * 2


def planned() -> Plan:
    """Two programs, each of which goes over the indices of its input."""
    return plan(parse_programs(PROGRAMS))


def samples() -> Samples:
    """The inputs, without known outputs."""
    return Samples("grids", None, [(grid, None) for grid in GRIDS])


def counted(backend: Backend, columns: ColumnMode) -> Elements:
    """The elements that the backend counts in one run."""
    before = backend.elements
    list(backend.outcomes(planned(), [samples()], RunOptions(columns=columns)))
    return backend.elements - before


@pytest.mark.parametrize("columns", get_args(ColumnMode))
@pytest.mark.parametrize("backend", [NativeBackend(), on_devices()], ids=["native", "emulated"])
def test_every_element_is_counted_on_the_cpu_and_on_a_warp(backend: Backend, columns: ColumnMode) -> None:
    found = counted(backend, columns)
    assert found.count == 2 * CELLS
    assert 0 <= found.in_columns <= found.count


@pytest.mark.parametrize("backend", [NativeBackend(), on_devices()], ids=["native", "emulated"])
def test_no_element_runs_in_columns_where_they_are_switched_off(backend: Backend) -> None:
    assert counted(backend, "never").in_columns == 0


@pytest.mark.parametrize("columns", get_args(ColumnMode))
def test_the_switch_changes_no_outcome(columns: ColumnMode) -> None:
    expected = [ab.call("shift", ab.call("asindices", grid), (1, 1)) for grid in GRIDS]
    (rows,) = NativeBackend().outcomes(planned(), [samples()], RunOptions(columns=columns))
    assert [row[0] for row in rows] == expected


def test_the_statistics_of_a_run_have_the_elements_of_this_run_alone() -> None:
    task = ab.Task("t", (ab.Sample(GRIDS[0], GRIDS[0]),), ())
    for _ in range(2):
        stats = ab.run(parse_programs(PROGRAMS), [task], "all", "native").stats
        assert stats.elements == 2 * 12
        assert 0 <= stats.elements_in_columns <= stats.elements


def test_a_profile_has_the_elements_of_each_op() -> None:
    task = ab.Task("t", (ab.Sample(GRIDS[0], GRIDS[0]),), ())
    found = profile(parse_programs(PROGRAMS), [task], "all", "native")
    counts = {op.name: op.cost.elements.count for op in found.ops}
    assert counts == {"apply": 12, "sfilter": 12, "asindices": 0, "rbind": 0, "fork": 0, "compose": 0}
    assert found.as_json(1)["total"]["elements"] == 24
