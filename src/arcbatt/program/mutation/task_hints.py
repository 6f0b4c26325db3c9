"""Expressions that compute the colours and the rotation of a task from its demo samples."""

from typing import TypeAlias

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.functions import fn
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import Grid
from arcbatt.dsl.values import Function, Value
from arcbatt.program.graph import Node

Pairs: TypeAlias = tuple[tuple[Grid, Grid], ...]

# Ops that list the colours found only in inputs, or only in outputs, and ops that pick one of them.
GATHERERS = (("c_iz", "c_iz_n"), ("c_zo", "c_zo_n"))
PALETTE = fn("p_g")


class TaskHints:
    """Expressions over S that give a colour or a rotation on the samples of one task.

    >>> hints = TaskHints(((((1, 0),), ((2, 0),)),))
    >>> hints.colors, hints.turn
    ({1: c_iz_n(S, p_g, rbind(get_nth_t, 0)), 2: c_zo_n(S, p_g, rbind(get_nth_t, 0))}, None)
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._machine = Machine()
        self.colors: dict[Value, Node] = {}
        for gather, pick in GATHERERS:
            gathered = self._outcome(gather, PALETTE)
            for place, color in enumerate(gathered if isinstance(gathered, tuple) else ()):
                rank = Node.op("rbind", Node.function("get_nth_t"), Node.constant(place))
                self.colors[color] = Node.op(pick, Node.input("S"), Node.constant(PALETTE), rank)
        self.turn = None if self._outcome("a_mr") is None else Node.op("a_mr", Node.input("S"))

    def expression(self, role: str | None, value: Value) -> Node | None:
        """The expression that gives the value of a constant in a role."""
        if role == "color":
            return self.colors.get(value)
        return self.turn if role == "turn" else None

    def of_role(self, role: str) -> list[Node]:
        """All expressions that give a value in a role.

        >>> TaskHints(((((1, 0),), ((2, 0),)),)).of_role("color")
        [c_iz_n(S, p_g, rbind(get_nth_t, 0)), c_zo_n(S, p_g, rbind(get_nth_t, 0))]
        """
        if role == "color":
            return list(self.colors.values())
        return [self.turn] if role == "turn" and self.turn is not None else []

    def _outcome(self, name: str, *functions: Function) -> Value | None:
        """The value of an op on the samples; None if it fails."""
        try:
            return self._machine.run(TABLE[name], (self._pairs, *functions))
        except OpFailed:
            return None
