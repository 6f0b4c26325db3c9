"""The log of failed lines that a batt function writes, made from the outcomes of the engine."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from arcbatt.batt.callables import Named
from arcbatt.batt.env import Env
from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.contract import FORGIVEN
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.plan import Plan, Step
from arcbatt.engine.results import Outputs
from arcbatt.program.graph import Line, Node

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
    lines: Sequence[Line],
    plan: Plan,
    given: Arguments,
    outcomes: Outputs,
    on_failure: FailureMode = "pile",
) -> None:
    """Write the log that the function would write, given the outcomes of all steps of the plan of its lines.

    A failed line runs once more, in an Env, which writes the log. So does a line with a default value or an
    empty container, since its value does not tell whether it failed.
    """
    env = Env(0, given.task_id, given.S, given.log_path)
    for line, place in zip(lines, plan.lines):
        step, outcome = plan.steps[place], outcomes[place]
        if isinstance(outcome, Failure):
            may_have_failed = outcome.node is step.node
        elif on_failure == "pile":
            may_have_failed = env.failures < FORGIVEN and outcome in EMPTY
        else:
            may_have_failed = outcome in DEFAULTS
        if may_have_failed and step.args:
            env.do_pile(line.number, _pile(step, plan, given, outcomes))


def _pile(step: Step, plan: Plan, given: Arguments, outcomes: Outputs) -> list[Any]:
    """The function of a line and its arguments."""
    pile = [_argument(plan.steps[arg].node, outcomes[arg], given) for arg in step.args]
    if step.node.kind == "op":
        pile.insert(0, Named(step.node.head, (), TABLE[step.node.head].arity))
    return pile


def _argument(node: Node, outcome: Any, given: Arguments) -> Any:
    """An argument of a line: an input as it was given, None for a failed line."""
    if node.kind == "input" and node.head in INPUTS:
        return getattr(given, node.head)
    return None if isinstance(outcome, Failure) else outcome
