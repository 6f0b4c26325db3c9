"""The log of failed lines that a batt function writes, made from the outcomes of the engine."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from arcbatt.batt.callables import CallableOp
from arcbatt.batt.env import Env, log_failure
from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.contract import FAILED, FORGIVEN
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.plan import Plan, PlanStep
from arcbatt.engine.records.verdicts import FAILURES, Outputs
from arcbatt.program.graph import BattLine, Node

LOGGED_AT_ONCE = 50  # samples of which the outcomes of all lines are held in memory
EMPTY: tuple[Any, ...] = ((), frozenset())  # values of failed lines in mode `pile`
DEFAULTS: tuple[Any, ...] = (*EMPTY, 0, RETURNS_NOTHING)  # values of failed lines in mode `default`


class Arguments(NamedTuple):
    """One call of a batt function."""

    task_id: str
    S: Any
    I: Any
    C: Any
    log_path: Any


def log_lines(
    lines: Sequence[BattLine],
    plan: Plan,
    given: Arguments,
    outcomes: Outputs,
    on_failure: FailureMode = "pile",
    alone: bytes | None = None,
) -> None:
    """Write the log that the function would write, given the outcomes of all steps of the plan of its lines.

    The value of a line that has a default, or is an empty container, does not tell whether the line failed.
    `alone` has the codes of the verdicts on all steps in mode `fail`. A line that has a value there had the
    same arguments, so it has not failed; nor has its outcome to be looked at. One that has failed there by
    itself has failed. Any other line runs once more, in an Env.
    """
    env = Env(0, given.task_id, given.S, given.log_path)
    is_pile = on_failure == "pile"
    values_of_failed = EMPTY if is_pile else DEFAULTS
    for line, place in zip(lines, plan.lines):
        step = plan.steps[place]
        if not step.args or (alone is not None and alone[place] < FAILED):
            continue
        outcome = _one(outcomes, place)
        if isinstance(outcome, Failure):
            kind = outcome.kind if outcome.node is step.node else None
        elif outcome not in values_of_failed or (is_pile and env.failures >= FORGIVEN):
            kind = None
        elif alone is not None and all(alone[arg] < FAILED for arg in step.args):
            kind = FAILURES[alone[place]]
        else:
            kind = None
            env.do_pile(line.number, _pile(step, plan, given, outcomes))
        if kind is not None:
            function, *arguments = _pile(step, plan, given, outcomes)
            env.failures += 1
            log_failure(given.log_path, given.task_id, line.number, kind, function, arguments)


def _one(outcomes: Outputs, place: int) -> Any:
    """One of some outcomes; packed ones are converted one by one."""
    one = getattr(outcomes, "one", None)
    return outcomes[place] if one is None else one(place)


def _pile(step: PlanStep, plan: Plan, given: Arguments, outcomes: Outputs) -> list[Any]:
    """The function of a line and its arguments."""
    pile = [_argument(plan.steps[arg].node, _one(outcomes, arg), given) for arg in step.args]
    if step.node.kind == "op":
        pile.insert(0, CallableOp(step.node.head, (), TABLE[step.node.head].arity))
    return pile


def _argument(node: Node, outcome: Any, given: Arguments) -> Any:
    """An argument of a line: an input as it was given, None for a failed line."""
    if node.kind == "input" and node.head in INPUTS:
        return getattr(given, node.head)
    return None if isinstance(outcome, Failure) else outcome
