"""Which ops take arguments of given shapes, in whole or but for one, and what they give then."""

from functools import cache, lru_cache

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import TABLE
from arcbatt.testing.shapes import Shape, Signature, all_matched, matched, resolved, signatures_of, variables

REMEMBERED = 1 << 14


@cache
def families() -> tuple[tuple[str, ...], ...]:
    """The ops, each together with its restrictions."""
    found: dict[str, list[str]] = {}
    for op in TABLE.values():
        found.setdefault(op.restricts or op.name, []).append(op.name)
    return tuple(map(tuple, found.values()))


@cache
def signatures_by_arity(arity: int) -> tuple[tuple[str, Signature], ...]:
    """The signatures of all ops of an arity, with their names."""
    names = (op.name for op in TABLE.values() if op.arity == arity)
    return tuple((name, signature) for name in names for signature in signatures_of(name))


@lru_cache(REMEMBERED)
def takers(arguments: tuple[Shape, ...]) -> tuple[tuple[str, Shape], ...]:
    """The ops that take arguments of these shapes, with the shape of what they give."""
    found: dict[str, Shape] = {}
    for name, signature in signatures_by_arity(len(arguments)):
        binding = all_matched(signature.params, arguments, {})
        if binding is not None and name not in found:
            result = resolved(signature.result, binding)
            if not any(variables(result)):
                found[name] = result
    return tuple(found.items())


@lru_cache(REMEMBERED)
def primitives(arguments: tuple[Shape, ...], wanted: Shape) -> tuple[tuple[str, Shape], ...]:
    """The ops that take arguments of these shapes and give what is wanted."""
    return tuple(taker for taker in takers(arguments) if matched(wanted, taker[1], {}) is not None)


@lru_cache(REMEMBERED)
def partial_takers(arguments: tuple[Shape, ...]) -> tuple[tuple[str, Signature, bool], ...]:
    """The ops that take one argument besides these: their signatures then, and whether it is the first."""
    found = []
    for name, signature in signatures_by_arity(len(arguments) + 1):
        for left in (True, False):
            given = signature.params[1:] if left else signature.params[:-1]
            binding = all_matched(given, arguments, {})
            if binding is not None:
                params = tuple(resolved(param, binding) for param in signature.params)
                found.append((name, Signature(params, resolved(signature.result, binding)), left))
    return tuple(found)


@lru_cache(REMEMBERED)
def bindable(arguments: tuple[Shape, ...], wanted: Shape) -> tuple[tuple[str, Signature, bool], ...]:
    """The ops that take one argument besides these and may give what is wanted."""
    return tuple(
        taker
        for taker in partial_takers(arguments)
        if any(variables(taker[1].result)) or matched(wanted, taker[1].result, {}) is not None
    )
