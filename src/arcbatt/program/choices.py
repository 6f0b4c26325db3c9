"""What may take the place of what: ops by their signatures, constants by the part they play."""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from operator import and_
from typing import NamedTuple

from arcbatt.dsl.constants import FAMILIES
from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.types import BOOLEAN
from arcbatt.dsl.values import Function, Value, is_location
from arcbatt.program.forms import Form, extent, may_be, specimens
from arcbatt.program.graph import Node
from arcbatt.program.inference import REMEMBERED, TRIAL_LIMITS, Forms, Inference, rows


class Seat(NamedTuple):
    """A parameter of an op, as the place where an argument stands."""

    op: str
    place: int


def seats(function: Node) -> tuple[Seat, ...]:
    """The parameters that a function still takes, as far as they are parameters of an op.

    >>> seats(Node.op("lbind", Node.function("fill"), Node.input("I")))
    (Seat(op='fill', place=1), Seat(op='fill', place=2))
    """
    if function.kind == "op" and function.head in ("lbind", "rbind"):
        of_bound = seats(function.args[0]) if function.args else ()
        return of_bound[1:] if function.head == "lbind" else of_bound[:-1]
    if isinstance(function.head, Function) and not function.head.parts:
        return tuple(Seat(function.head.name, place) for place in range(function.head.arity))
    return ()


def seat_of(node: Node, place: int) -> Seat | None:
    """The parameter that an argument stands for; what is bound to an op plays the part the op gives it."""
    if node.kind == "call":
        taken = seats(node.args[0])
        return taken[place - 1] if 0 < place <= len(taken) else None
    if node.head in ("lbind", "rbind") and place == 1:
        taken = seats(node.args[0])
        return (taken[0] if node.head == "lbind" else taken[-1]) if taken else None
    op = TABLE.get(node.head)
    return Seat(node.head, place) if op is not None and place < op.arity else None


def family(seat: Seat | None, value: Value) -> tuple[Value, ...]:
    """The constants that may stand in place of one, which is not among them.

    >>> family(Seat("mir_rot_t", 1), 6), family(Seat("rot90", 0), (0, 0))[:3]
    ((0, 1, 2, 3, 4, 5, 7), ((1, 0), (0, 1), (-1, 0)))
    """
    param = TABLE[seat.op].params[seat.place] if seat else None
    members: list[Value]
    if is_location(value):
        members = list(FAMILIES["pair"].values())
    elif type(value) is not int:
        return ()
    elif param is not None and param.role == "color":
        members = list(FAMILIES["color"].values())
    elif param is not None and param.type is BOOLEAN:
        members = list(FAMILIES["truth"].values())
    elif seat is not None and param is not None and param.role in ("code", "turn"):
        members = list(_codes(seat))
    else:
        role = "rank" if param is not None and param.role == "rank" else "number"
        members = _near(value, list(FAMILIES[role].values()))
    banned = 0 if param is not None and param.requirement == "nonzero" else value
    return tuple(member for member in members if member not in (value, banned))


def _near(value: int, members: list[Value]) -> list[Value]:
    """The members that differ little from a value, in size or in sign; all, if none does."""
    wanted = {value - 2, value - 1, value + 1, value + 2, -value, -1, 0, 1, 2}
    return [member for member in members if member in wanted and member != value] or members


@cache
def _codes(seat: Seat) -> tuple[Value, ...]:
    """The codes that an op takes, of those that do the same the first; tried on specimens."""
    op = TABLE[seat.op]
    codes = FAMILIES[op.params[seat.place].role or "number"].values()
    if not op.trusted:
        return tuple(codes)
    columns = [specimens(param.type) for param in op.params]
    machine = Machine(TRIAL_LIMITS)
    found: dict[tuple[Value | None, ...], Value] = {}
    for code in codes:
        columns[seat.place] = (code,)
        outcomes = tuple(_outcome(machine, op, arguments) for arguments in rows(columns))
        if any(outcome is not None for outcome in outcomes):
            found.setdefault(outcomes, code)
    return tuple(found.values())


def _outcome(machine: Machine, op: Op, arguments: tuple[Value, ...]) -> Value | None:
    try:
        return machine.run(op, arguments)
    except OpFailed:
        return None


class Choices:
    """Ops and constants that may stand in place of others; every answer is remembered.

    >>> from arcbatt.program.forms import GRID
    >>> Choices(Inference()).alternatives("rot90", (GRID,), GRID)[:3]
    ('dedupe', 'totuple', 'identity')
    """

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._machine = Machine(TRIAL_LIMITS)
        self._ops: dict[int, list[Op]] = {}
        for op in inference.table:
            self._ops.setdefault(op.arity, []).append(op)
        self._extents = _extents_of(inference.table)
        remember = lru_cache(REMEMBERED)
        self.alternatives = remember(self._alternatives)
        self.insertions = remember(self._insertions)
        self.functions = remember(self._functions)
        self.constants = remember(self._constants)
        self._takers = remember(self._taking)
        self._givers = remember(self._giving)

    def names(self, arity: int) -> list[str]:
        """All ops of an arity."""
        return [op.name for op in self._of_arity(arity)]

    def _of_arity(self, arity: int) -> list[Op]:
        return self._ops.get(arity, [])

    def _alternatives(self, name: str, forms: Forms, wanted: Form) -> tuple[str, ...]:
        """The ops that take arguments of these forms and give what is wanted, but for one and its kin."""
        # No two ops give the same function, and what is open could be anything.
        if wanted.kind == "function" or not all(form.settled for form in (wanted, *forms)):
            return ()
        return tuple(op.name for op in self._fitting(forms, wanted) if _base(op) != _base(TABLE[name]))

    def _insertions(self, form: Form) -> tuple[str, ...]:
        """The ops of one argument that take a form, give the same form and do something to it."""
        if form.kind == "function" or not form.settled:
            return ()
        return tuple(op.name for op in self._fitting((form,), form) if not self._is_idle(op, form))

    def _functions(self, name: str) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The ops, as functions, that are typed like an op, and those whose types overlap with its types."""
        likeness, extents = self._inference.likeness, self._extents
        ops = self._of_arity(TABLE[name].arity)
        likely = _one_of_each(op for op in ops if all(map(and_, extents[op.name], extents[name])))
        found = [Node.function(op.name) for op in likely if _base(op) != _base(TABLE[name])]
        form = likeness[Node.function(name).head]
        return (
            tuple(node for node in found if likeness[node.head] is form),
            tuple(node for node in found if likeness[node.head] is not form),
        )

    def _constants(self, seat: Seat | None, value: Value) -> tuple[Node, ...]:
        """The constants that may stand in place of one."""
        return tuple(map(Node.constant, family(seat, value)))

    def _fitting(self, forms: Forms, wanted: Form) -> Iterator[Op]:
        arity = len(forms)
        bits = self._givers(arity, wanted)
        for place, form in enumerate(forms):
            bits &= self._takers(arity, place, form)
        likely = _one_of_each(op for place, op in enumerate(self._of_arity(arity)) if bits >> place & 1)
        return (op for op in likely if self._inference.result(op.name, forms) is wanted)

    def _taking(self, arity: int, place: int, form: Form) -> int:
        """The ops of an arity that take a form at a place, as bits."""
        return _as_bits(may_be(op.params[place].type, form) for op in self._of_arity(arity))

    def _giving(self, arity: int, wanted: Form) -> int:
        """The ops of an arity that may give a form, as bits."""
        return _as_bits(self._may_give(op, wanted) for op in self._of_arity(arity))

    def _may_give(self, op: Op, wanted: Form) -> bool:
        given = self._inference.declared[op.name]
        if given.settled and wanted.settled:
            return given is wanted
        return may_be(op.result, wanted)

    def _is_idle(self, op: Op, form: Form) -> bool:
        """Whether an op of one argument gives every specimen back as it was."""
        outcomes = ((_outcome(self._machine, op, (value,)), value) for value in form.specimens)
        return op.trusted and all(result is None or result == value for result, value in outcomes)


def _as_bits(answers: Iterable[bool]) -> int:
    return sum(1 << place for place, answer in enumerate(answers) if answer)


def _base(op: Op) -> str:
    """The op that an op is, or is a restriction of."""
    return op.restricts or op.name


def _one_of_each(ops: Iterable[Op]) -> Iterable[Op]:
    """The ops, of those that do the same the first."""
    found: dict[str, Op] = {}
    for op in ops:
        found.setdefault(_base(op), op)
    return found.values()


def _extents_of(ops: Iterable[Op]) -> dict[str, list[int]]:
    """What the parameters and the result of each op admit."""
    extents: dict[str, int] = {}
    found: dict[str, list[int]] = {}
    for op in ops:
        kinds = [*(param.type for param in op.params), op.result]
        for kind in kinds:
            if kind.name not in extents:
                extents[kind.name] = extent(kind)
        found[op.name] = [extents[kind.name] for kind in kinds]
    return found


choices_of = lru_cache(maxsize=4)(Choices)
