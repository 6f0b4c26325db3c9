"""Which backend runs an op is chosen by the user or measured, and never changes a result."""

from itertools import count

import pytest

from arcbatt.batt.env import OKT
from arcbatt.batt.per_op_backend import TRIALS, Selection
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.batt.runtime import add, compose, divide, first, last, rot90
from arcbatt.dsl.own_ops import own_ops
from arcbatt.dsl.table import FUNCTION_CALL
from arcbatt.dsl.types import Integer
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import ArcbattError

GRID = ((1, 2), (3, 4))
native_only = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


def env(selection: Selection) -> GPUEnv:
    return GPUEnv(0, "00d62c1b", (), enable_gpu=False, selection=selection)


@native_only
def test_ops_of_the_core_run_there_unless_chosen_otherwise() -> None:
    selection = Selection()
    assert selection.backend_of("rot90") == "native"
    selection.choose("rot90", "reference")
    e = env(selection)
    assert e.do_pile(1, [rot90, GRID]) == OKT(True, ((3, 1), (4, 2)))
    assert e.do_pile(2, [add, 1, 2]) == OKT(True, 3)
    assert e.stats.ops == {"native": 1, "reference": 1}
    selection.choose("rot90", None)
    e.do_pile(3, [rot90, GRID])
    assert e.stats.ops == {"native": 2, "reference": 1}


def test_an_op_of_a_user_runs_on_the_reference() -> None:
    def twice(number: Integer) -> Integer:
        return 2 * number

    selection = Selection(adaptive=True)
    with own_ops(twice):
        assert selection.backend_of("twice") == "reference"
        with pytest.raises(ArcbattError, match="no native kernel"):
            selection.choose("twice", "native")


def test_what_is_no_op_cannot_be_chosen() -> None:
    with pytest.raises(ArcbattError, match="there is no op 'rot91'; did you mean 'rot90'"):
        Selection().choose("rot91", "reference")
    with pytest.raises(ArcbattError, match="backend: expected native, reference or None, got 'refrence'"):
        Selection().choose("rot90", "refrence")  # type: ignore[arg-type]


@native_only
def test_statistics_tell_runs_and_failures_of_each_op_on_each_backend() -> None:
    selection = Selection()
    e = env(selection)
    e.do_pile(1, [divide, 6, 3])
    e.do_pile(2, [divide, 6, 0])
    t3 = e.do_pile(3, [compose, first, last])
    e.do_pile(4, [t3.t, GRID])
    selection.choose("divide", "reference")
    e.do_pile(5, [divide, 6, 0])
    counts = {
        (name, backend): (cost.runs, cost.failures)
        for name, costs in selection.statistics().items()
        for backend, cost in costs.items()
    }
    assert counts == {
        ("divide", "native"): (2, 1),
        ("divide", "reference"): (1, 1),
        ("compose", "native"): (1, 0),
        (FUNCTION_CALL.name, "native"): (1, 0),
    }


@native_only
def test_an_adaptive_selection_tries_both_a_few_times_and_then_takes_one() -> None:
    selection = Selection(adaptive=True)
    e = env(selection)
    for number in range(TRIALS):
        assert selection.is_on_trial("rot90")
        assert e.do_pile(number, [rot90, GRID]) == OKT(True, ((3, 1), (4, 2)))
    assert not selection.is_on_trial("rot90")
    assert e.stats.ops == {"native": TRIALS, "reference": TRIALS}
    chosen = selection.backend_of("rot90")
    e.do_pile(9, [rot90, GRID])
    assert e.stats.ops[chosen] == TRIALS + 1
    assert sum(e.stats.ops.values()) == 2 * TRIALS + 1


@native_only
@pytest.mark.parametrize(("native", "reference"), [(1.0, 2.0), (2.0, 1.0)])
def test_the_faster_backend_is_taken_while_the_selection_is_adaptive(native: float, reference: float) -> None:
    selection = Selection(adaptive=True)
    for number in count():
        if not selection.is_on_trial("rot90"):
            break
        outlier = 100.0 if number == 0 else 0.0
        selection.note_trial("rot90", native + outlier, reference)
    assert selection.backend_of("rot90") == ("native" if native < reference else "reference")
    selection.adaptive = False
    assert selection.backend_of("rot90") == "native"
    selection.adaptive = True
    selection.choose("rot90", "reference")
    assert selection.backend_of("rot90") == "reference"


@native_only
def test_a_choice_takes_effect_in_environments_that_are_at_work() -> None:
    selection = Selection()
    e = env(selection)
    e.do_pile(1, [rot90, GRID])
    selection.adaptive = True
    e.do_pile(2, [rot90, GRID])
    selection.adaptive = False
    e.do_pile(3, [rot90, GRID])
    assert e.stats.ops == {"native": 3, "reference": 1}
