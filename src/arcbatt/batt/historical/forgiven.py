"""Lines of safe ops whose value differs in the engine: those where a function fails inside an op.

The engine fails an op whose function fails, and the op has its default. In plain Python an op of
`arcbatt.compat` goes on, with the default of the function. Such lines run again there, and so do lines that
use them.
"""

from collections.abc import Collection, Sequence
from typing import Any

from arcbatt.batt.callables import CallableOp, ops_run_by
from arcbatt.batt.historical.safe_ops import call_safely, plain_value, safe_value
from arcbatt.batt.line_log import DEFAULTS, Arguments, given_argument, one_of
from arcbatt.dsl.contract import FAILED
from arcbatt.dsl.table import TABLE
from arcbatt.engine.plan import Plan, PlanStep
from arcbatt.engine.records.verdicts import Outputs


def steps_that_apply(plan: Plan) -> dict[int, None]:
    """The steps of a plan that apply functions: only these can fail in the engine and go on in Python."""
    return {place: None for place, step in enumerate(plan.steps) if _applies(step)}


def _applies(step: PlanStep) -> bool:
    node = step.node
    return node.kind == "call" or (node.kind == "op" and TABLE[node.head].higher_order)


def forgiven_values(
    plan: Plan, applying: Collection[int], given: Arguments, outcomes: Outputs, alone: Sequence[int]
) -> dict[int, Any]:
    """The values of steps, by their number, that differ from their `outcomes` in mode `default`.

    `applying` are the steps that apply functions. `alone` has the codes of the verdicts on all steps in mode
    `fail`: what has a value there has the same in Python.
    """
    changed: dict[int, Any] = {}

    def valued(arg: int) -> Any:
        if arg in changed:
            return changed[arg]
        return given_argument(plan.steps[arg].node, one_of(outcomes, arg), given)

    with ops_run_by(None):
        for place in (place for place, code in enumerate(alone) if code >= FAILED):
            step = plan.steps[place]
            is_changed = not changed.keys().isdisjoint(step.args)
            if is_changed or (place in applying and one_of(outcomes, place) in DEFAULTS):
                value = _called(step, [valued(arg) for arg in step.args])
                if value != one_of(outcomes, place):
                    changed[place] = value
    return changed


def _called(step: PlanStep, arguments: list[Any]) -> Any:
    if step.node.kind == "op":
        op = CallableOp(step.node.head, (), TABLE[step.node.head].arity, call_safely)
        return plain_value(op(*arguments))
    head, *others = arguments
    return () if head is None else plain_value(safe_value(head)(*others))  # None: an unknown name
