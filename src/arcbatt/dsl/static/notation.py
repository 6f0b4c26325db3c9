"""The notation of static types: `Grid`, `Set[a]`, `k[a]`, `(a, b)`, `(a, b -> c)`, `Indices | Object`."""

import ast
from functools import cache

from arcbatt.dsl import types
from arcbatt.dsl.static.types import ANY, NAMED, StaticType
from arcbatt.errors import ArcbattError


@cache
def static_type(text: str) -> StaticType:
    """Parse a static type.

    A name is a type of the language; a small letter is a variable, which before brackets means Tuple or Set.
    `(a, b)` is a pair, `(a, b -> c)` a function of two arguments, `|` separates alternatives.

    >>> static_type("(a -> Set[Integer])"), static_type("Set[(Integer, IJ)]"), static_type("Patch | Grid")
    ((a -> Set[Integer]), Object, Indices | Object | Grid)
    >>> static_type("Set[Grit]")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: expected a static type, got 'Set[Grit]': unknown type 'Grit'
    """
    try:
        ast.parse(f"({text.replace('->', ',')})", mode="eval")  # refuses brackets that do not match
        # With an index for parentheses and a slice for the arrow the notation is Python: `_[a, b : c]`.
        python = text.replace("->", ":").replace("(", "_[").replace(")", "]")
        return _type(ast.parse(f"({python})", mode="eval").body)
    except SyntaxError:
        why = "it is malformed; a well-formed one is `(a, Set[b] -> Indices | Object)`"
    except ValueError as error:
        why = str(error)
    raise ArcbattError(f"expected a static type, got {text!r}: {why}")


def _type(node: ast.expr) -> StaticType:
    match node:
        case ast.Name(word):
            return _named(word)
        case ast.Subscript(ast.Name("_"), inner):
            return _in_parentheses(inner.elts if isinstance(inner, ast.Tuple) else [inner])
        case ast.Subscript(ast.Name(word), element):
            return _container(word, _type(element))
        case ast.BinOp(left, ast.BitOr(), right):
            sides = (_type(left), _type(right))
            parts = (part for side in sides for part in (side.parts if side.kind == "union" else (side,)))
            return StaticType("union", tuple(dict.fromkeys(parts)))
    raise SyntaxError


def _in_parentheses(parts: list[ast.expr]) -> StaticType:
    match parts:
        case [*before, ast.Slice(ast.expr() as last, ast.expr() as result, None)]:
            return StaticType("function", tuple(map(_type, (*before, last, result))))
        case [_, _]:
            return StaticType("pair", tuple(map(_type, parts)))
        case [grouped]:
            return _type(grouped)
    raise SyntaxError


def _container(word: str, element: StaticType) -> StaticType:
    if word in ("Tuple", "Set"):
        return StaticType("tuple" if word == "Tuple" else "set", (element,))
    if not _is_variable(word):
        raise ValueError(f"{word!r} holds nothing; Tuple, Set or a small letter does")
    return StaticType("container", (element,), word)


def _named(word: str) -> StaticType:
    if word == "any":
        return ANY
    if _is_variable(word):
        return StaticType("variable", (), word)
    found = NAMED.get(word) or _of_the_language(word)
    if found is None:
        raise ValueError(f"unknown type {word!r}")
    return found


def _is_variable(word: str) -> bool:
    return len(word) == 1 and word.islower()


@cache
def _of_the_language(name: str) -> StaticType | None:
    """The meaning of a type of the op table, such as Patch; a union keeps its name."""
    kind = types.TYPES.get(name)
    if kind is None:
        return None
    meaning = static_type(kind.static)
    return StaticType("union", meaning.parts, name) if meaning.kind == "union" else meaning
