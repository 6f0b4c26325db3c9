"""A function is recorded only where its source is what it runs; else it is plain Python, and reported."""

from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.runtime import Env, hmirror, rot90
from arcbatt.program.graph import Style
from support import batt_functions
from support.batt_functions import Arguments, Load, looping, piled, plainly, text_of


def test_what_is_not_straight_line_runs_as_plain_python_and_is_reported(inputs: list[Arguments]) -> None:
    with batch_dsl_context() as batch:
        with pytest.warns(RuntimeWarning, match="looping runs as plain Python: .*a loop") as warned:
            results = batch.map(looping, inputs)
        assert batch.map(looping, inputs[:1]) == results[:1]  # without a second warning
    assert warned[0].filename == __file__
    assert results == plainly(looping, inputs)
    (plain,) = batch.report.plain
    assert (plain.function, plain.file) == ("looping", batt_functions.__file__)
    assert plain.line == looping.__code__.co_firstlineno + 3
    assert "expected a line `tN = op(...)`, got a loop" in plain.reason
    assert (batch.report.recorded, batch.report.plain_inputs) == ([], len(inputs) + 1)


@pytest.mark.parametrize("what", [max, lambda *arguments: len(arguments), FunctionType, str.join])
def test_any_callable_runs(what: Any) -> None:
    with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="plain Python"):
        batch.map(what, [])
    assert len(batch.report.plain) == 1


def test_a_function_without_its_source_runs_as_plain_python(inputs: list[Arguments]) -> None:
    nowhere = FunctionType(piled.__code__.replace(co_filename="<nowhere>"), vars(batt_functions))
    first = piled.__code__.co_firstlineno
    elsewhere = FunctionType(looping.__code__.replace(co_firstlineno=first), vars(batt_functions))
    for function, reason in ((nowhere, "not at hand"), (elsewhere, "has changed")):
        with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match=reason):
            assert batch.map(function, inputs) == plainly(function, inputs)


def test_a_file_that_has_changed_since_is_not_what_the_function_does(
    load: Load, inputs: list[Arguments]
) -> None:
    text = text_of(0, "pile")
    changed = text.replace(", False, ", ", True, ")
    module, other = load(text), load(text)
    expected = plainly(module.batt, inputs)
    with batch_dsl_context() as batch:
        assert batch.map(module.batt, inputs) == expected
        for path in (module.__file__, other.__file__):
            Path(str(path)).write_text(changed, "utf-8")
        assert batch.map(module.batt, inputs) == expected  # as it was recorded
        assert batch.report.plain == []
        with pytest.warns(RuntimeWarning, match="has changed"):
            assert batch.map(other.batt, inputs) == expected


def test_a_name_that_the_module_has_for_something_else_is_not_taken_for_the_op(
    load: Load, inputs: list[Arguments]
) -> None:
    module = load(
        "from arcbatt.batt.runtime import ONE, Env, add, rot90\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    env = Env(0, task_id, S, log_path)\n"
        "    t1 = env.do_pile(1, [rot90, I], True)\n    t2 = env.do_pile(2, [add, ONE, ONE], True)\n"
        "    o.append((1, False, 'x', t1))\n    o.append((2, False, 'y', t2))\n    return o, s\n"
    )
    original = plainly(module.batt, inputs)

    class Other(Env):
        """An environment that is not ours."""

    for name, other in (
        ("rot90", hmirror),
        ("rot90", lambda grid: 5),
        ("ONE", 2),
        ("ONE", True),
        ("Env", Other),
    ):
        kept = getattr(module, name)
        setattr(module, name, other)
        with batch_dsl_context() as batch:
            with pytest.warns(RuntimeWarning, match=f"'{name}' is not that of arcbatt.batt.runtime"):
                assert batch.map(module.batt, inputs) == plainly(module.batt, inputs)
            setattr(module, name, kept)
            assert batch.map(module.batt, inputs) == original
        assert (len(batch.report.plain), len(batch.report.recorded)) == (1, 1)
    del module.rot90
    with (
        batch_dsl_context() as batch,
        pytest.warns(RuntimeWarning, match="nothing"),
        pytest.raises(NameError),
    ):
        batch.map(module.batt, inputs)
    with batch_dsl_context(trust_names=True) as batch:
        assert batch.map(module.batt, inputs) == original


def test_a_function_inside_a_function_has_the_names_it_sees(load: Load, inputs: list[Arguments]) -> None:
    make = load(
        "from arcbatt.batt.runtime import identity, rot90\n"
        "def make(rot90):\n    def one(task_id, S, I, C, log_path):\n        s = []\n        o = []\n"
        "        t1 = identity(I)\n        t2 = rot90(t1)\n        o.append((2, False, 'x', t2))\n"
        "        return o, s\n    return one\n"
    ).make
    with batch_dsl_context() as batch:
        assert batch.map(make(rot90), inputs) == plainly(make(rot90), inputs)
        with pytest.warns(RuntimeWarning, match="'rot90' is not that"):
            assert batch.map(make(hmirror), inputs) == plainly(make(hmirror), inputs)


@pytest.mark.parametrize(
    ("style", "reason"),
    [("gpu-direct", "first failure ends it"), ("batch", "calls 'batt_batch', whose lines run in the engine")],
)
def test_a_batt_whose_first_failure_ends_it_or_that_calls_another_function_is_plain_python(
    style: Style, reason: str, load: Load, inputs: list[Arguments]
) -> None:
    batt = load(text_of(1, style)).batt
    with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match=f"plain Python.*{reason}"):
        assert batch.map(batt, inputs) == plainly(batt, inputs)
    assert batch.report.recorded == []


def test_a_hybrid_batt_needs_both_bodies(load: Load, inputs: list[Arguments]) -> None:
    module = load(text_of(1, "hybrid"))
    expected = plainly(module.batt, inputs)
    for other in (None, looping):
        module.batt_gpu_resident = other
        with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="plain Python"):
            results = batch.map(module.batt, inputs)
        assert results == (plainly(module.batt, inputs) if other else expected)
