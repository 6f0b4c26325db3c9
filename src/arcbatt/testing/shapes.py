"""Static types of the ops, finer than the table's: what containers hold, what functions take and give."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.types import is_grid
from arcbatt.dsl.values import Function, Value

ShapeKind = Literal["integer", "grid", "pair", "tuple", "set", "function", "any", "variable"]


class Shape(NamedTuple):
    """What is known of a value before a program runs, or, with variables in it, a pattern of that.

    A pair is a Tuple of two; the last part of a function is what it gives.

    >>> shape("s[cell]")
    s[<int, <int, int>>]
    """

    kind: ShapeKind
    parts: tuple["Shape", ...] = ()
    name: str = ""

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.parts[: -1 if self.kind == "function" else None]))
        forms = {
            "integer": "int",
            "pair": f"<{inner}>",
            "tuple": f"t[{inner}]",
            "set": f"s[{inner}]",
            "function": f"({inner} -> {self.parts[-1]!r})" if self.parts else "",
            "variable": self.name,
        }
        return forms.get(self.kind, self.kind)


Binding: TypeAlias = Mapping[str, Shape]

INTEGER = Shape("integer")
ANY = Shape("any")
GRID = Shape("grid")
IJ = Shape("pair", (INTEGER, INTEGER))
CELL = Shape("pair", (INTEGER, IJ))
INDICES = Shape("set", (IJ,))
OBJECT = Shape("set", (CELL,))
SAMPLES = Shape("tuple", (Shape("pair", (GRID, GRID)),))
ROW = Shape("tuple", (INTEGER,))

_NAMED = {
    "int": INTEGER,
    "ij": IJ,
    "cell": CELL,
    "grid": GRID,
    "indices": INDICES,
    "object": OBJECT,
    "samples": SAMPLES,
    "any": ANY,
}
_WORDS = re.compile(r"[a-z]+|->|[\[\]<>(),]")


class Signature(NamedTuple):
    """The shapes of an op's parameters and of its result; a variable stands for the same shape throughout."""

    params: tuple[Shape, ...]
    result: Shape


def shape(text: str) -> Shape:
    """The shape that a text means: `t[a]` a Tuple, `s[a]` a Set, `<a, b>` a pair, `(a -> b)` a function."""
    return _read(iter(_WORDS.findall(text)))


def _read(words: Iterator[str]) -> Shape:
    word = next(words)
    if word in ("t", "s"):
        next(words)
        return Shape("tuple" if word == "t" else "set", _read_until(words, "]"))
    if word == "<":
        return Shape("pair", _read_until(words, ">"))
    if word == "(":
        return Shape("function", _read_until(words, ")"))
    return _NAMED.get(word) or Shape("variable", name=word)


def _read_until(words: Iterator[str], close: str) -> tuple[Shape, ...]:
    parts = [_read(words)]
    while next(words) != close:
        parts.append(_read(words))
    return tuple(parts)


def signatures(text: str) -> tuple[Signature, ...]:
    """The signatures that a text means; `k[a]` and `m[a]` stand for a Tuple and for a Set.

    >>> signatures("k[a] -> a")
    (Signature(params=(t[a],), result=a), Signature(params=(s[a],), result=a))
    """
    found: list[Signature] = []
    for alternative in text.split(";"):
        for k, m in product("ts", repeat=2):
            read = shape(f"({alternative.replace('k[', k + '[').replace('m[', m + '[')})")
            signature = Signature(read.parts[:-1], read.parts[-1])
            if signature not in found:
                found.append(signature)
    return tuple(found)


def matched(pattern: Shape, actual: Shape, binding: Binding) -> Binding | None:
    """The binding, extended so that the pattern stands for the actual shape; None where it cannot.

    A pair and a grid also serve as Tuples.

    >>> matched(shape("t[a]"), GRID, {})
    {'a': t[int]}
    """
    if pattern.kind == "any":
        return binding
    if pattern.kind == "variable":
        bound = binding.get(pattern.name)
        if bound is None:
            return {**binding, pattern.name: actual}
        return matched(bound, actual, binding) if bound != actual else binding
    if pattern.kind == "tuple" and actual.kind in ("pair", "grid"):
        elements = actual.parts or (ROW,)
        return all_matched(pattern.parts * len(elements), elements, binding)
    if pattern.kind != actual.kind or len(pattern.parts) != len(actual.parts):
        return None
    return all_matched(pattern.parts, actual.parts, binding)


def all_matched(patterns: tuple[Shape, ...], actual: tuple[Shape, ...], binding: Binding) -> Binding | None:
    """The binding, extended so that each pattern stands for the shape at its place; None where one cannot."""
    for pattern, part in zip(patterns, actual):
        extended = matched(pattern, part, binding)
        if extended is None:
            return None
        binding = extended
    return binding


def resolved(pattern: Shape, binding: Binding) -> Shape:
    """The pattern with its bound variables replaced."""
    if not binding:
        return pattern
    if pattern.kind == "variable":
        return binding.get(pattern.name, pattern)
    if not pattern.parts:
        return pattern
    return Shape(pattern.kind, tuple(resolved(part, binding) for part in pattern.parts))


def variables(pattern: Shape) -> Iterator[str]:
    """The names of the variables in a pattern."""
    if pattern.kind == "variable":
        yield pattern.name
    for part in pattern.parts:
        yield from variables(part)


def holds_function(pattern: Shape) -> bool:
    """Whether a shape is a function or a container of them."""
    return pattern.kind == "function" or any(map(holds_function, pattern.parts))


def conforms(value: Value, expected: Shape) -> bool:
    """Whether a value is of a shape.

    >>> conforms(((1, 2), (3, 4)), GRID), conforms((1, (2, 3)), IJ)
    (True, False)
    """
    if expected.kind == "any":
        return True
    if expected.kind == "integer":
        return type(value) is int
    if expected.kind == "grid":
        return is_grid(value)
    if expected.kind == "function":
        return isinstance(value, Function) and value.arity == len(expected.parts) - 1
    if expected.kind == "pair":
        return type(value) is tuple and len(value) == 2 and all(map(conforms, value, expected.parts))
    if type(value) is not (tuple if expected.kind == "tuple" else frozenset):
        return False
    return all(conforms(element, expected.parts[0]) for element in value)


def _by_name(rows: dict[str, str]) -> dict[str, tuple[Signature, ...]]:
    return {name: signatures(text) for names, text in rows.items() for name in names.split()}


# Ops whose result depends on what their arguments hold. Restrictions of an op take over what their types
# admit; the signature of any other op follows from its record.
POLYMORPHIC = _by_name(
    {
        "add subtract multiply divide": "int, int -> int; ij, ij -> ij; int, ij -> ij; ij, int -> ij",
        "invert double halve increment decrement crement sign": "int -> int; ij -> ij",
        "equality": "a, a -> int",
        "branch": "int, a, a -> a",
        "contained": "a, k[a] -> int",
        "combine difference": "k[a], m[a] -> k[a]",
        "combine_t difference_tuple": "k[a], m[a] -> t[a]",
        "intersection": "s[a], s[a] -> s[a]",
        "dedupe normalize_t": "t[a] -> t[a]",
        "merge": "k[m[a]] -> k[a]",
        "merge_t": "k[m[a]] -> t[a]",
        "repeat": "a, int -> t[a]",
        "initset": "a -> s[a]",
        "insert": "a, s[a] -> s[a]",
        "remove": "a, k[a] -> k[a]",
        "remove_t": "a, k[a] -> t[a]",
        "first last second mostcommon leastcommon": "k[a] -> a",
        "other": "k[a], a -> a",
        "totuple": "k[a] -> t[a]",
        "interval": "int, int, int -> t[int]",
        "astuple": "a, b -> <a, b>",
        "product": "k[a], m[b] -> s[<a, b>]",
        "pair": "t[a], t[b] -> t[<a, b>]",
        "sizefilter": "k[m[a]], int -> s[m[a]]",
        "sizefilter_t": "k[m[a]], int -> t[m[a]]",
        "identity": "a -> a",
        "compose": "(b -> c), (a -> b) -> (a -> c)",
        "chain": "(c -> d), (b -> c), (a -> b) -> (a -> d)",
        "fork": "(b, c -> d), (a -> b), (a -> c) -> (a -> d)",
        "matcher": "(a -> b), b -> (a -> int)",
        "lbind": "(a, b -> c), a -> (b -> c); (a, b, c -> d), a -> (b, c -> d);"
        "(a, b, c, d -> e), a -> (b, c, d -> e)",
        "rbind": "(a, b -> c), b -> (a -> c); (a, b, c -> d), c -> (a, b -> d);"
        "(a, b, c, d -> e), d -> (a, b, c -> e)",
        "power": "(a -> a), int -> (a -> a)",
        "apply": "(a -> b), k[a] -> k[b]",
        "apply_t": "(a -> b), k[a] -> t[b]",
        "rapply": "k[(a -> b)], a -> k[b]",
        "rapply_t": "k[(a -> b)], a -> t[b]",
        "mapply": "(a -> m[b]), k[a] -> k[b]",
        "mapply_t": "(a -> m[b]), k[a] -> t[b]",
        "papply": "(a, b -> c), t[a], t[b] -> t[c]",
        "mpapply": "(a, b -> m[c]), t[a], t[b] -> t[c]",
        "prapply": "(a, b -> c), k[a], m[b] -> s[c]",
        "sfilter": "k[a], (a -> int) -> k[a]",
        "sfilter_t": "k[a], (a -> int) -> t[a]",
        "sfilter_f": "k[a], (a -> int) -> s[a]",
        "mfilter": "k[m[a]], (m[a] -> int) -> k[a]",
        "mfilter_t": "k[m[a]], (m[a] -> int) -> t[a]",
        "extract": "k[a], (a -> int) -> a",
        "order": "k[a], (a -> r) -> t[a]",
        "argmax argmin": "k[a], (a -> r) -> a",
        "valmax valmin": "k[a], (a -> r) -> r",
        "palette": "grid -> s[int]; object -> s[int]",
        "hmirror vmirror dmirror cmirror": "grid -> grid; indices -> indices; object -> object",
        "mir_rot_f": "indices, int -> indices; object, int -> object",
        "toindices": "indices -> indices; object -> indices; t[cell] -> indices; t[ij] -> t[ij]",
        "shift": "indices, ij -> indices; object, ij -> object; t[ij], ij -> indices; t[cell], ij -> object",
        "normalize": "indices -> indices; object -> object; t[ij] -> indices; t[cell] -> object",
        "upscale": "grid, int -> grid; object, int -> object",
        "objects": "grid, int, int, int -> s[object]",
        "objects_t": "grid, int, int, int -> t[t[cell]]",
        "o_g": "grid, int -> s[object]",
        "o_g_t": "grid, int -> t[t[cell]]",
        "partition fgpartition frontiers": "grid -> s[object]",
        "colorfilter": "k[object], int -> s[object]; k[t[cell]], int -> s[t[cell]]",
        "colorfilter_t": "k[object], int -> t[object]; k[t[cell]], int -> t[t[cell]]",
        "hsplit vsplit": "grid, int -> t[grid]",
        "get_nth_f get_common_rank": "k[a], int -> a",
        "get_nth_by_key_t get_nth_by_key_f": "k[a], int, (a -> r) -> a",
        "get_arg_rank": "k[a], (a -> r), int -> a",
        "get_val_rank": "k[a], (a -> r), int -> r",
        "c_iz c_zo": "samples, (grid -> k[a]) -> t[a]",
        "c_iz_n c_zo_n": "samples, (grid -> k[a]), (t[a] -> b) -> b",
        "celltuple": "t[ij], t[int] -> t[cell]",
        "p_g": "grid -> t[int]",
        "p_o": "object -> t[int]",
    }
)

# What a type of the table admits, as shapes; as a result type it says something if there is only one.
_ADMITTED = {
    name: tuple(shape(text) for text in texts.split("; "))
    for name, texts in {
        "Any": "any",
        "Integer": "int",
        "Boolean": "int",
        "IJ": "ij",
        "Numerical": "int; ij",
        "Cell": "cell",
        "Tuple": "t[any]",
        "Set": "s[any]",
        "Container": "t[any]; s[any]",
        "SetOrTuple": "t[any]; s[any]",
        "Containers": "t[t[any]]; t[s[any]]; s[t[any]]; s[s[any]]",
        "Integers": "t[int]; s[int]",
        "IntegersT": "t[int]",
        "LocationsT": "t[ij]",
        "Indices": "indices",
        "Object": "object",
        "Patch": "indices; object",
        "PatchT": "indices; object; t[ij]; t[cell]",
        "PatchC": "indices; object; t[cell]",
        "ObjectT": "object; t[cell]",
        "Objects": "s[object]; t[object]; s[t[cell]]; t[t[cell]]",
        "Grid0": "grid",
        "Element": "grid; object",
        "Piece": "grid; indices; object",
        "IndicesT": "indices; t[ij]",
        "Samples": "samples",
        "Fn1": "(u -> v)",
        "Fn2": "(u, v -> w)",
        "Fn": "(u, v -> w); (u, v, w -> x); (u, v, w, x -> y)",
        "FnAny": "(u -> v); (u, v -> w); (u, v, w -> x); (u, v, w, x -> y)",
        "Condition": "(u -> int)",
        "Gatherer": "(u -> t[v]); (u -> s[v])",
        "Fns": "t[(u -> v)]; s[(u -> v)]",
    }.items()
}


def admitted(type_name: str) -> tuple[Shape, ...]:
    """The shapes that a type of the table admits.

    >>> admitted("Element")
    (grid, s[<int, <int, int>>])
    """
    return _ADMITTED[type_name]


@cache
def signatures_of(name: str) -> tuple[Signature, ...]:
    """The signatures of an op.

    >>> signatures_of("first_t")
    (Signature(params=(t[a],), result=a), Signature(params=(s[a],), result=a))
    """
    op = TABLE[name]
    general = POLYMORPHIC.get(name) or POLYMORPHIC.get(op.restricts or "")
    if general is not None:
        narrowed = (_narrowed(signature, op) for signature in general)
        return tuple(signature for signature in narrowed if signature is not None)
    results = admitted(op.result.name)
    result = results[0] if len(results) == 1 and not set(variables(results[0])) else ANY
    alternatives = product(*(admitted(param.type.name) for param in op.params))
    return tuple(Signature(params, result) for params in alternatives)


def _narrowed(signature: Signature, op: Op) -> Signature | None:
    """A signature as far as the types of an op admit it."""
    binding: Binding = {}
    for param, pattern in zip(op.params, signature.params):
        found = next(filter(None, (_overlap(pattern, alt) for alt in admitted(param.type.name))), None)
        if found is None:
            return None
        if pattern.kind == "variable" and found.kind == "integer":
            binding = {**binding, pattern.name: found}
    return Signature(
        tuple(resolved(pattern, binding) for pattern in signature.params), resolved(signature.result, binding)
    )


def _overlap(pattern: Shape, alternative: Shape) -> Shape | None:
    """The narrower of two patterns if some value is of both."""
    if alternative.kind in ("any", "variable"):
        return pattern
    if pattern.kind in ("any", "variable"):
        return alternative
    if alternative.kind == "tuple" and pattern.kind in ("pair", "grid"):
        return pattern if matched(alternative, pattern, {}) is not None else None
    if pattern.kind != alternative.kind or len(pattern.parts) != len(alternative.parts):
        return None
    return pattern if all(map(_overlap, pattern.parts, alternative.parts)) else None
