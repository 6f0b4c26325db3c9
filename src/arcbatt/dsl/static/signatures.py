"""Signatures: the static types of an op, written in its record or deduced from its annotations."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from string import ascii_lowercase
from typing import TYPE_CHECKING

from arcbatt.dsl.static.matching import LENIENT, Arrow, Binding, closed, without_containers
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.static.types import StaticType
from arcbatt.errors import ArcbattError

if TYPE_CHECKING:
    from arcbatt.dsl.table import Op
    from arcbatt.dsl.types import Type

_LETTER = re.compile(r"\b[a-z]\b")


@dataclass(frozen=True)
class Signature:
    """The static type of an op: alternatives, of which the first that fits the arguments applies.

    A variable means one type throughout an alternative; `k` before brackets means Tuple or Set.

    >>> Signature.read("(a -> b), k[a] -> k[b]")
    (a -> b), k[a] -> k[b]
    >>> Signature.read("(a -> b), k[a] -> k[b]").alternatives
    ((a -> b), Tuple[a] -> Tuple[b], (a -> b), Set[a] -> Set[b])
    >>> Signature.read("Integer")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: expected a signature with an arrow, such as `k[a] -> a`, got 'Integer'
    """

    text: str = field(compare=False)
    alternatives: tuple[Arrow, ...]

    @classmethod
    def read(cls, text: str) -> "Signature":
        """Parse a signature: `Integer, IJ -> IJ; IJ, Integer -> IJ` has two alternatives."""
        functions = [static_type(f"({alternative.strip()})") for alternative in text.split(";")]
        if any(function.kind != "function" for function in functions):
            raise ArcbattError(f"expected a signature with an arrow, such as `k[a] -> a`, got {text!r}")
        return cls.of((Arrow(function.parts[:-1], function.parts[-1]) for function in functions), text)

    @classmethod
    def of(cls, arrows: Iterable[Arrow], text: str | None = None) -> "Signature":
        """The signature of these alternatives, each container variable replaced by Tuple and by Set."""
        arrows = tuple(arrows)
        shown = "; ".join(map(repr, arrows)) if text is None else text
        return cls(shown, tuple(dict.fromkeys(each for arrow in arrows for each in _expanded(arrow))))

    def __repr__(self) -> str:
        return self.text


def _parts(arrow: Arrow) -> tuple[StaticType, ...]:
    return (*arrow.params, arrow.result)


def _expanded(arrow: Arrow) -> Iterator[Arrow]:
    for whole in without_containers(StaticType("function", _parts(arrow))):
        yield Arrow(whole.parts[:-1], whole.parts[-1])


def signature_of(op: "Op") -> Signature:
    """The signature of an op, which must not contradict its annotations.

    A written signature is narrowed to the types of the op, since restrictions inherit it. Otherwise it is
    deduced from the annotations: independent parameters, and one result type.
    """
    if op.written is None:
        return Signature.of([_deduced(op)])
    try:
        written = Signature.read(op.written)
    except ArcbattError as error:
        raise ArcbattError(f"op {op.name!r}: {error}") from None
    kinds = [param.type for param in op.params]
    if any(len(arrow.params) != op.arity for arrow in written.alternatives):
        raise ArcbattError(
            f"op {op.name!r}: the signature {written!r} has not {op.arity} parameters throughout"
        )
    narrowed = (_narrowed(arrow, kinds, op.inherited) for arrow in written.alternatives)
    fitting = tuple(arrow for arrow in narrowed if arrow is not None)
    if not fitting or (len(fitting) < len(written.alternatives) and not op.inherited):
        raise ArcbattError(f"op {op.name!r}: the signature {written!r} contradicts {op.declaration}")
    # A result may leave the declared type (`toindices` of a Tuple), so one agreeing alternative is enough.
    if not any(_overlap(arrow.result, static_type(op.result.static)) for arrow in fitting):
        raise ArcbattError(f"op {op.name!r}: the signature {written!r} gives no {op.result.name}")
    for param, patterns in zip(op.params, zip(*(arrow.params for arrow in fitting))):
        if not _is_covered(param.type, patterns):
            raise ArcbattError(
                f"op {op.name!r}: the signature {written!r} leaves out some of what "
                f"{param.name}: {param.type.name} admits"
            )
    return written if fitting == written.alternatives else Signature.of(fitting)


def require_signature(op: "Op") -> None:
    """Refuse an op without a signature if its annotations do not determine one."""
    kinds = [param.type for param in op.params]
    if op.written is None and not (op.result.is_one and all(kind.is_ground for kind in kinds)):
        raise ArcbattError(
            f"op {op.name!r} needs a signature, such as @op(signature='k[a] -> a'): "
            f"{op.declaration} does not say what it takes and gives"
        )


def _deduced(op: "Op") -> Arrow:
    """The arrow of the annotations; each parameter gets separate variables."""
    letters = iter(ascii_lowercase)
    params = []
    for param in op.params:
        text = param.type.name if param.type.is_ground else _renamed(param.type.static, letters)
        params.append(static_type(text))
    return Arrow(tuple(params), closed(static_type(op.result.static)))


def _renamed(text: str, letters: Iterator[str]) -> str:
    own = {letter: next(letters) for letter in dict.fromkeys(_LETTER.findall(text))}
    return _LETTER.sub(lambda found: own[found[0]], text)


def _narrowed(arrow: Arrow, kinds: list["Type"], inherited: bool) -> Arrow | None:
    """An alternative narrowed to the types of the parameters; None if one of them excludes it."""
    binding: Binding = {}
    params = []
    for pattern, kind in zip(arrow.params, kinds):
        admitted = static_type(kind.static)
        if not _overlap(pattern, admitted):
            return None
        if pattern.kind == "variable" and admitted.settled:
            binding[pattern.name] = admitted
        params.append(_common(pattern, admitted) if inherited and pattern.kind == "union" else pattern)
    return Arrow(tuple(params), arrow.result).bound(binding)


def _common(union: StaticType, other: StaticType) -> StaticType:
    """The parts of a union that overlap another type."""
    parts = tuple(part for part in union.parts if _overlap(part, other))
    return union if parts == union.parts else parts[0] if len(parts) == 1 else StaticType("union", parts)


def _is_covered(kind: "Type", patterns: tuple[StaticType, ...]) -> bool:
    """Whether the patterns of a parameter together cover the type of its annotation."""
    if kind.is_function:
        return True  # `power` takes functions of more arguments, but composes none of them
    return all(
        any(_overlap(part, pattern) for pattern in patterns) for part in _members(static_type(kind.static))
    )


def _members(pattern: StaticType) -> Iterator[StaticType]:
    """The types that a pattern covers, with unions and container variables expanded."""
    for member in pattern.parts if pattern.kind == "union" else (pattern,):
        yield from without_containers(member)


@cache
def _overlap(one: StaticType, other: StaticType) -> bool:
    pairs = product(map(closed, _members(one)), map(closed, _members(other)))
    return any(LENIENT.fits(a, b, {}) or LENIENT.fits(b, a, {}) for a, b in pairs)


def may_stand_for(one: Signature, other: Signature) -> bool:
    """Whether an op of one signature may replace an op of the other as a function value."""
    arrows = product(one.alternatives, other.alternatives)
    return one == other or any(all(map(_overlap, _parts(first), _parts(second))) for first, second in arrows)
