"""The op table: one record per op, made from its Python body; all else about the language derives from it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from inspect import getdoc
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, overload

from arcbatt.arguments import shown
from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.contract import MOST_PARAMETERS
from arcbatt.dsl.static.signatures import Signature, require_signature, signature_of
from arcbatt.dsl.types import Requirement, Role, Type
from arcbatt.dsl.values import Value
from arcbatt.dsl.work import BUILDING, CONSTANT, WorkRule
from arcbatt.errors import ArcbattError

Body = TypeVar("Body", bound=Callable[..., Any])


class Forecast(NamedTuple):
    """The size of a result, known before it is built, for the check of limits."""

    weight: int
    nest: int
    in_range: bool = True


class Param(NamedTuple):
    """A parameter of an op: its type, whether it must be filled or non-zero, and its role.

    `choices` are the numbers to which the op gives a special meaning.
    """

    name: str
    type: Type
    requirement: Requirement | None = None
    role: Role | None = None
    choices: range | None = None


# A collector is called after each application of an op and returns the weight that the op then holds.
Collector = Callable[[tuple[Value, ...], Value], int]


@dataclass(frozen=True)
class Op:
    """The record of an op.

    `order_sensitive`: the result depends on the canonical order or a tie rule. `selects`: the result is part
    of what has been judged already (an argument, results of applications), so it is within the limits.
    `may_leave_range`: the op computes new Integers. An op applied to its own result, with the same other
    arguments, gives that result again if it is `idempotent`, and its first argument if it is an
    `involution`; one that `commutes` takes its two arguments in either order. `forecast` sizes a result
    before it is built; `collects` makes the collector of a higher-order op; `work` says what the op costs;
    `restricts` names the op of which this one is a typed variant. `written` is the signature in the record,
    `inherited` by a restriction.
    The body of an op that is not `trusted` may raise and return anything; the machine checks what it does.
    """

    name: str
    group: str
    params: tuple[Param, ...]
    result: Type
    body: Callable[..., Any] = field(repr=False)
    doc: str = field(repr=False)
    order_sensitive: bool = False
    selects: bool = False
    may_leave_range: bool = False
    idempotent: bool = False
    involution: bool = False
    commutes: bool = False
    forecast: Callable[..., Forecast] | None = field(default=None, repr=False)
    collects: Callable[..., Collector] | None = field(default=None, repr=False)
    work: WorkRule = BUILDING
    restricts: str | None = None
    trusted: bool = True
    written: str | None = field(default=None, repr=False)
    inherited: bool = field(default=False, repr=False)

    @cached_property
    def arity(self) -> int:
        """The number of parameters."""
        return len(self.params)

    @property
    def default(self) -> Value:
        """The default for a failed result in failure mode `default`."""
        return self.result.default

    @cached_property
    def takes_functions(self) -> bool:
        """Whether a parameter must be a Function."""
        return any(param.type.is_function for param in self.params)

    @cached_property
    def builds_function(self) -> bool:
        """Whether the op only puts Functions together."""
        return self.result.is_function

    @cached_property
    def higher_order(self) -> bool:
        """Whether the op applies the Functions it is given."""
        return self.takes_functions and not self.builds_function

    @cached_property
    def signature(self) -> Signature:
        """The static types of parameters and result, e.g. `k[a] -> Integer`."""
        return signature_of(self)

    @property
    def declaration(self) -> str:
        """The op as one reads it, e.g. `size(container: Container) -> Integer`."""
        params = ", ".join(f"{param.name}: {type_name(param)}" for param in self.params)
        return f"{self.name}({params}) -> {self.result.name}"

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.doc.partition("\n")[0]

    @property
    def examples(self) -> str:
        """The documentation below its first line: examples."""
        return self.doc.partition("\n")[2].strip()


@dataclass(frozen=True)
class FunctionCall:
    """The callee of a call of a function value: it applies its first argument to the others.

    Its name is one of the names of ops. The function may apply any op.
    """

    name: str = "(call)"
    higher_order: bool = True


FUNCTION_CALL = FunctionCall()
Callee = Op | FunctionCall


def type_name(param: Param) -> str:
    """The name of a parameter's type; a Grid0 that must be filled is called Grid."""
    if param.type.name == "Grid0" and param.requirement == "filled":
        return "Grid"
    return param.type.name


class OpTable(dict[str, Op]):
    """The records by name. Ops of a scope come last, and only code inside the scope sees them."""

    def __missing__(self, name: str) -> Op:
        return _SCOPE.get()[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in _SCOPE.get()

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        yield from _SCOPE.get()

    def __len__(self) -> int:
        return super().__len__() + len(_SCOPE.get())

    def get(self, name: str, default: Any = None) -> Any:
        """The op of that name, or the default."""
        return super().get(name) or _SCOPE.get().get(name, default)

    def values(self) -> Any:
        """The records, those of the scope last."""
        return [*super().values(), *_SCOPE.get().values()]


NUMBERS = ("Integer", "Boolean", "IJ", "Numerical", "Cell")  # types of a few Integers each
TABLE = OpTable()
# The ops of the scope that the code is in; each thread has its own.
_SCOPE: ContextVar[Mapping[str, Op]] = ContextVar("scope", default=MappingProxyType({}))
ALIASES: dict[str, str] = {}


def _param(name: str, annotation: Any) -> Param:
    if get_origin(annotation) is not Annotated:
        raise ArcbattError(f"parameter {name!r} has no type of the language: {annotation!r}")
    _, kind, *notes = get_args(annotation)
    requirement = next((note for note in notes if note in get_args(Requirement)), None)
    role = next((note for note in notes if note in get_args(Role)), None)
    choices = next((note for note in notes if isinstance(note, range)), None)
    return Param(name, kind, requirement, role, choices)


def record(
    body: Callable[..., Any],
    annotations: Mapping[str, Any] | None = None,
    signature: str | None = None,
    **properties: Any,
) -> Op:
    """The record of a body: name, parameters, types and documentation come from the body."""
    annotations = dict(body.__annotations__ if annotations is None else annotations)
    result = _param("return", annotations.pop("return")).type
    params = tuple(_param(name, annotation) for name, annotation in annotations.items())
    group = (body.__module__ or "").rpartition(".")[2]
    if "restricts" in properties:
        properties.setdefault("work", TABLE[properties["restricts"]].work)
    if all(kind.name in NUMBERS for kind in (result, *(param.type for param in params))):
        properties.setdefault("work", CONSTANT)
    doc = getdoc(body) or ""
    made = Op(body.__name__, group, params, result, body, doc, written=signature, **properties)
    if not made.higher_order:
        return made
    return replace(made, work=made.work.of_loop([param.type.is_function for param in params]))


def _require_fit(new: Op) -> None:
    """Refuse an op whose name is taken, or that has too many parameters or none."""
    if new.name in TABLE or new.name in ALIASES or new.name in CONSTANTS or new.name in INPUTS:
        raise ArcbattError(f"the name {new.name!r} is taken; choose another name for the op")
    if not 1 <= new.arity <= MOST_PARAMETERS:
        raise ArcbattError(f"op {new.name!r} has {new.arity} parameters; it must have 1 to {MOST_PARAMETERS}")


@contextmanager
def scope_of(ops: Iterable[Op]) -> Iterator[None]:
    """Make ops visible only to the code inside."""
    inside = dict(_SCOPE.get())
    for op in ops:
        _require_fit(op)
        if op.name in inside:
            raise ArcbattError(f"the name {op.name!r} is given to two ops; choose another name for one")
        inside[op.name] = op
    before = _SCOPE.set(inside)
    try:
        yield
    finally:
        _SCOPE.reset(before)


def names_of_own_ops() -> frozenset[str]:
    """The names of the ops that the user has registered."""
    return frozenset(op.name for op in TABLE.values() if not op.trusted)


def add(new: Op) -> Op:
    """Add a record to the table; a taken name and a missing signature are errors."""
    _require_fit(new)
    if new.trusted:
        require_signature(new)
    TABLE[new.name] = new
    return new


@overload
def op(body: Body, /) -> Body: ...
@overload
def op(
    *,
    signature: str | None = None,
    order_sensitive: bool = False,
    selects: bool = False,
    may_leave_range: bool = False,
    idempotent: bool = False,
    involution: bool = False,
    commutes: bool = False,
    forecast: Callable[..., Forecast] | None = None,
    collects: Callable[..., Collector] | None = None,
    restricts: str | None = None,
    work: WorkRule = BUILDING,
) -> Callable[[Body], Body]: ...
def op(body: Callable[..., Any] | None = None, /, **properties: Any) -> Any:
    """Declare a body as an op: `@op`, or `@op(signature="k[a] -> a")` with properties of the record."""
    if body is not None:
        add(record(body))
        return body

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        add(record(body, **properties))
        return body

    return declare


def _narrowed(old: Param, name: str, annotation: Any) -> Param:
    """A parameter with another type but the same requirements and role."""
    new = _param(name, annotation)
    return new._replace(requirement=old.requirement, role=new.role or old.role)


def restriction(
    name: str,
    of: str | Op,
    result: Any = None,
    group: str = "typed",
    signature: str | None = None,
    idempotent: bool = True,
    **types: Any,
) -> None:
    """Declare an op that is another op under a new name, with other types for some parameters.

    It inherits the signature of the other op as far as its types admit it, unless it has its own.
    It is not `idempotent` where it does not take what it gives.
    `types` gives the parameters that differ: `container=Tuple`, or `piece=("grid", Grid0)` to rename it too.
    """
    base = TABLE[of] if isinstance(of, str) else of
    narrowed = {key: value if isinstance(value, tuple) else (key, value) for key, value in types.items()}
    unknown = narrowed.keys() - {param.name for param in base.params}
    if unknown:
        raise ArcbattError(f"{name}: {base.name} has no parameter {min(unknown)!r}")
    params = tuple(
        _narrowed(param, *narrowed[param.name]) if param.name in narrowed else param for param in base.params
    )
    result_type = base.result if result is None else _param("return", result).type
    takes = " and ".join(
        f"{new.name}: {new.type.name}" for new, old in zip(params, base.params) if new != old
    )
    doc = f"{base.summary} Takes {takes}." if takes else base.summary
    restricts = base.name if base.name in TABLE else None
    add(
        replace(
            base,
            name=name,
            group=group,
            params=params,
            result=result_type,
            doc=doc,
            restricts=restricts,
            idempotent=base.idempotent and idempotent,
            written=signature or base.written,
            inherited=signature is None,
        )
    )


def require_sound_signatures() -> None:
    """Refuse a table with a signature that is malformed or contradicts the annotations; the build does so."""
    for known in TABLE.values():
        signature_of(known)


def alias(name: str, of: str) -> None:
    """Declare another name of an op, resolved when a program is loaded."""
    ALIASES[name] = TABLE[of].name


def find(name: str) -> Op | None:
    """The op with that name or alias; None if no op has it."""
    found: Op | None = TABLE.get(ALIASES.get(name, name))
    return found


def names() -> Iterator[str]:
    """Every name a program may use: ops, aliases, constants, inputs."""
    yield from TABLE
    yield from ALIASES
    yield from CONSTANTS
    yield from INPUTS


def nearest(name: str, among: list[str] | None = None) -> str:
    """A hint for an unknown name, such as `; did you mean 'fill'?`, or an empty text."""
    close = get_close_matches(name, list(names()) if among is None else among, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def no_op(name: str) -> str:
    """The error for a name that no op has.

    >>> no_op("rot91"), no_op("!")
    ("there is no op 'rot91'; did you mean 'rot90'?", "there is no op '!'; `arcbatt ops` lists them")
    """
    return f"there is no op {shown(name)}{nearest(name, list(TABLE)) or '; `arcbatt ops` lists them'}"
