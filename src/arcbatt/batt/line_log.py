"""The log that a batt in style `pile` writes, from what its lines gave in the engine."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from arcbatt.batt.callables import Named
from arcbatt.batt.env import Env
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.table import TABLE
from arcbatt.engine.plan import Plan
from arcbatt.engine.reference import FORGIVEN
from arcbatt.engine.results import Outputs
from arcbatt.program.graph import Line

EMPTY: tuple[Any, ...] = ((), frozenset())  # what stands in for a failed line


class Arguments(NamedTuple):
    """One call of a batt function."""

    task_id: str
    S: Any
    I: Any
    C: Any
    log_path: Any


def log_lines(lines: Sequence[Line], plan: Plan, given: Arguments, outcomes: Outputs) -> None:
    """Write the log that the function would write, given the outcomes of all steps of its plan.

    The lines that have failed run once more, in an Env. Whether one that gave something empty has failed is
    not known before.
    """
    env = Env(0, given.task_id, given.S, given.log_path)
    first = len(plan.steps) - len(lines)
    for line, step, outcome in zip(lines, plan.steps[first:], outcomes[first:]):
        if isinstance(outcome, Failure):
            failed = outcome.node is step.node
        else:
            failed = env.failures < FORGIVEN and outcome in EMPTY
        if failed:
            pile = [
                getattr(given, plan.steps[arg].node.head)
                if plan.steps[arg].node.kind == "input"
                else outcomes[arg]
                for arg in step.args
            ]
            if step.node.kind == "op":
                pile.insert(0, Named(step.node.head, (), TABLE[step.node.head].arity))
            env.do_pile(line.number, pile)
