"""The forms of a program's nodes, inferred without a task: ops are tried on specimens of their arguments."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.functions import COMPOSITES
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.types import FN_ANY
from arcbatt.dsl.values import Function, Value
from arcbatt.program.forms import (
    ANY,
    ARROW,
    GRID,
    INTEGER,
    NOTHING,
    SAMPLES,
    UNKNOWN,
    Form,
    declared,
    form_of,
    join,
    may_be,
)
from arcbatt.program.graph import Node, Program, topological

TRIAL_LIMITS = Limits(items=4096, calls=2000, depth=30)
MOST_TRIALS = 2
REMEMBERED = 1 << 16
REMEMBERED_PROGRAMS = 2048
FORMS_OF_INPUTS = {"I": GRID, "C": GRID, "S": SAMPLES}

Forms = tuple[Form, ...]


class _Asked(Exception):
    """What a function is applied to, told by the first application."""

    def __init__(self, arguments: tuple[Value, ...]) -> None:
        self.arguments = arguments


class _Trial(Machine):
    """A machine on which a function of which only the result is known gives specimens of that."""

    def _apply(self, function: Function, arguments: tuple[Value, ...]) -> Value:
        if function.name == UNKNOWN:
            raise _Asked(arguments)
        if function.name != ARROW:
            return super()._apply(function, arguments)
        if not function.parts:
            raise OpFailed("EMPTY")
        self._calls += 1
        given: Value = function.parts[self._calls % len(function.parts)]
        return given


class Inference:
    """What ops give for arguments of given forms, by the records of the table; every answer is remembered.

    An op whose result type says too little is tried on specimens. A function that an op applies counts only
    by the form of what it gives there, so that few trials serve for many functions.

    >>> inference = Inference()
    >>> inference.result("objects", (GRID, *[form_of(1)] * 3))
    set[set[pair[integer, pair[integer, integer]]]]
    >>> print(inference.result("rot90", (form_of(1),)))
    None
    """

    def __init__(self) -> None:
        self.table = list(TABLE.values())
        self._ops = {op.name: op for op in self.table}
        types = {op.result.name: op.result for op in self.table}
        by_type = {name: declared(kind) for name, kind in types.items()}
        self.declared = {op.name: by_type[op.result.name] for op in self.table}
        self.likeness = _likeness(self.table, self.declared)
        self._machine = _Trial(TRIAL_LIMITS)
        self.analysis = lru_cache(REMEMBERED_PROGRAMS)(self._analysis)
        self.result = lru_cache(REMEMBERED)(self._result)
        self._application = lru_cache(REMEMBERED)(self._applied)
        self._first_application = lru_cache(REMEMBERED)(self._asked)

    def form(self, node: Node, forms: Sequence[Form]) -> Form | None:
        """The form of a node whose arguments have these forms; None: an argument never fits."""
        if node.kind == "constant":
            function = self.likeness.get(node.head) if isinstance(node.head, Function) else None
            return function or form_of(node.head)
        if node.kind == "input":
            return FORMS_OF_INPUTS.get(node.head, ANY)
        return self.result(node.head, tuple(forms))

    def _analysis(self, root: Node) -> "Analysis":
        """A program laid out."""
        return Analysis(root, self)

    def _result(self, head: str | None, forms: Forms) -> Form | None:
        """The form of what an op gives, or a call if there is no name; None: an argument never fits."""
        if head is None:
            return self._application(forms[0], forms[1:])
        op = self._ops.get(head)
        if op is None or op.arity != len(forms):
            return None
        if not all(may_be(param.type, form) for param, form in zip(op.params, forms)):
            return None
        if op.name in COMPOSITES:
            return Form("function", forms, op.name, forms[0].arity - 1 if op.result is FN_ANY else 1)
        given = self.declared[head]
        # A body that is not the project's own is not run for a guess.
        if not op.trusted or not all(form.settled for form in forms):
            return given
        if op.higher_order:
            return self._applying(op, forms, given)
        return given if given.settled else self._tried(op, forms, given)

    def _applied(self, function: Form, forms: Forms) -> Form | None:
        """The form of what a function gives."""
        if function is ANY:
            return ANY
        if function.kind != "function" or function.arity != len(forms):
            return None
        if function.name == "":
            return ANY
        parts = function.parts
        if not parts:
            return self.result(function.name, forms)
        if function.name == "compose":
            return self._in_turn(parts[:1], self._application(parts[1], forms))
        if function.name == "chain":
            return self._in_turn(parts[1::-1], self._application(parts[2], forms))
        if function.name == "fork":
            return self._in_turn(parts[:1], *(self._application(part, forms) for part in parts[1:]))
        if function.name == "matcher":
            return INTEGER if self._application(parts[0], forms) else None
        if function.name == "lbind":
            return self._application(parts[0], (parts[1], *forms))
        assert function.name == "rbind"
        return self._application(parts[0], (*forms, parts[1]))

    def _in_turn(self, functions: Forms, *given: Form | None) -> Form | None:
        """The form that comes out of functions applied in turn, the first one to all that is given."""
        forms = tuple(form for form in given if form is not None)
        if len(forms) < len(given):
            return None
        for function in functions:
            result = self._application(function, forms)
            if result is None:
                return None
            forms = (result,)
        return forms[0]

    def _applying(self, op: Op, forms: Forms, given: Form) -> Form | None:
        """The form of what an op gives that applies functions: each is replaced by what it gives there."""
        for place, form in enumerate(forms):
            if form.kind != "function" or form.name == ARROW or not op.params[place].type.is_function:
                continue
            before, after = forms[:place], forms[place + 1 :]
            asked = self._first_application(op, (*before, Form("function", (), UNKNOWN, form.arity), *after))
            if asked is not None:
                result = self._application(form, asked)
                if result is None or not result.settled:
                    return result and given
                forms = (*before, Form("function", (result,), ARROW, form.arity), *after)
                return self.result(op.name, forms)
        return self._tried(op, forms, given)

    def _asked(self, op: Op, forms: Forms) -> Forms | None:
        """The forms of what an op first applies its unknown function to, if it ever does."""
        found: Forms | None = None
        for arguments in rows([form.specimens for form in forms]):
            try:
                self._machine.run(op, arguments)
            except _Asked as asked:
                found = tuple(map(form_of, asked.arguments))
                if not any(form.hollow for form in found):
                    break
            except OpFailed:
                continue
        return found

    def _tried(self, op: Op, forms: Forms, given: Form) -> Form | None:
        """The form of all that comes out for specimens; None if nothing does, and only for want of types."""
        found = NOTHING
        failures: set[str] = set()
        for row, arguments in enumerate(rows([form.specimens for form in forms])):
            if row >= MOST_TRIALS and not found.hollow:
                break
            try:
                value = self._machine.run(op, arguments)
            except OpFailed as failed:
                failures.add(failed.kind)
                continue
            if given.settled:
                return given
            found = join(found, form_of(value))
        if found is NOTHING:
            return None if failures == {"TYPE"} else given
        return found


def _likeness(ops: Sequence[Op], declared: Mapping[str, Form]) -> dict[Function, Form]:
    """Each op as a function with its form; ops whose types are the same, and say all, share one form."""
    found: dict[Function, Form] = {}
    known: dict[tuple[str, ...], Form] = {}
    for op in ops:
        form = Form("function", (), op.name, op.arity)
        if declared[op.name].settled and not op.takes_functions:
            types = (*(param.type.name for param in op.params), op.result.name)
            form = known.setdefault(types, form)
        found[Function(op.name, (), op.arity)] = form
    return found


def rows(columns: Sequence[Sequence[Value]]) -> Iterator[tuple[Value, ...]]:
    """Specimens side by side, first in step, then out of step; none if a column has none."""
    count = max(map(len, columns)) if all(columns) else 0
    for step in (0, 1):
        for row in range(count):
            yield tuple([column[(row + step * place) % len(column)] for place, column in enumerate(columns)])


class Analysis:
    """A program laid out: its nodes, arguments before their users, with their forms.

    `lines` are the places of ops and calls; `ill_typed` holds those with an argument that never fits.
    """

    def __init__(self, root: Node, inference: Inference) -> None:
        self.nodes = tuple(topological([root]))
        self.lines = tuple(place for place, node in enumerate(self.nodes) if node.kind in ("op", "call"))
        self.forms: dict[Node, Form] = {}
        self.ill_typed: set[Node] = set()
        self.places: dict[Form, list[int]] = {}
        self._dependants: dict[int, tuple[Node, ...]] = {}
        for place, node in enumerate(self.nodes):
            form = inference.form(node, [self.forms[arg] for arg in node.args])
            if form is None:
                self.ill_typed.add(node)
                form = ANY
            self.forms[node] = form
            self.places.setdefault(form, []).append(place)

    def dependants(self, place: int) -> tuple[Node, ...]:
        """All nodes that depend on the one at a place, in order."""
        known = self._dependants.get(place)
        if known is None:
            reached = dict.fromkeys((self.nodes[place],))
            for later in self.nodes[place + 1 :]:
                if not reached.keys().isdisjoint(later.args):
                    reached[later] = None
            known = self._dependants[place] = tuple(reached)[1:]
        return known


_inferences: list[Inference] = []


def inference_of_table() -> Inference:
    """What is remembered of the table as it is; ops that came or went start it afresh."""
    table = list(TABLE.values())
    for known in _inferences:
        if known.table == table:
            return known
    fresh = Inference()
    _inferences[:] = [fresh]
    return fresh


def well_typed(program: Program) -> bool:
    """Whether every argument of a program may fit where it stands, by the types of the op table.

    >>> from arcbatt.program.parse import parse_programs
    >>> [well_typed(program) for program in parse_programs('''
    ... def solve_a(I): return rot90(I)
    ... def solve_b(I): return rot90(THREE)
    ... ''')]
    [True, False]
    """
    return not inference_of_table().analysis(program.root).ill_typed
