"""Values and parameters in words: what a value is, and what a parameter takes."""

from collections.abc import Iterable, Sequence
from typing import Any

from arcbatt.dsl.table import FUNCTION_CALL, Param
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Function, Value, is_cell, is_location, sort_of, text
from arcbatt.text import plural

LONGEST_VALUE = 60  # characters of a value inside a sentence
LONGEST_ARGUMENT = 40  # of one that is an argument of an application
MOST_WORDS = 10  # of a path of applications
TAKEN = {
    "Grid0": "a Grid, which is a Tuple of equally long rows of Integers",
    "Element": "a Grid or an Object",
    "Patch": "a Patch, which is Indices or an Object",
    "PatchT": "a Patch, which is Indices or an Object, also as a Tuple",
    "PatchC": "a Patch, which is Indices or an Object, or a Tuple of Cells",
    "Piece": "a Grid or a Patch, which is Indices or an Object",
    "Indices": "Indices, which are a Set of locations (row, column)",
    "Object": "an Object, which is a Set of Cells (colour, (row, column))",
    "Condition": "a Function of one argument",
    "Gatherer": "a Function of one argument",
    "Fns": "a Container of Functions of one argument",
}


def taken(param: Param) -> str:
    """What a parameter takes.

    >>> from arcbatt.dsl.table import TABLE
    >>> taken(TABLE["height"].params[0])
    'a Grid or a Patch, which is Indices or an Object'
    """
    return TAKEN.get(param.type.name, param.type.doc)


def kind_in_words(value: Value) -> str:
    """What a value is, without its content.

    >>> kind_in_words((6, 1, 6, 2)), kind_in_words(frozenset({(0, 1)})), kind_in_words(((1,), (2, 3)))
    ('a Tuple of 4 Integers', 'Indices of 1 location', 'a Tuple of 2 rows of different lengths')
    """
    if type(value) is int:
        return "an Integer"
    if isinstance(value, Function):
        return f"a Function of {plural(value.arity, 'argument')}"
    if not value:
        return "an empty Tuple" if type(value) is tuple else "an empty Set"
    if is_location(value):
        return "a pair of Integers"
    if is_cell(value):
        return "a Cell (colour, (row, column))"
    if is_filled_grid(value):
        grid: Any = value
        return f"a Grid of {len(grid)} x {len(grid[0])}"
    assert isinstance(value, tuple | frozenset)
    if type(value) is frozenset and sort_of(value) == "indices":
        return f"Indices of {plural(len(value), 'location')}"
    if type(value) is frozenset and sort_of(value) == "object":
        return f"an Object of {plural(len(value), 'Cell')}"
    return f"a {'Tuple' if type(value) is tuple else 'Set'} of {_elements(value)}"


def _elements(container: tuple[Any, ...] | frozenset[Any]) -> str:
    """The number and the common kind of elements."""
    nouns = set(map(_noun, container))
    count = len(container)
    if nouns <= {"row", "location"} and len(set(map(len, container))) > 1:
        return f"{plural(count, 'row')} of different lengths"
    if len(nouns) == 1:
        (noun,) = nouns
        return f"{count:,} {noun}" if noun == "Indices" else plural(count, noun)
    kinds = set(map(type, container))
    if kinds == {tuple}:
        return f"{plural(count, 'Tuple')} of several kinds"
    if kinds == {frozenset}:
        return f"{plural(count, 'Set')} of several kinds"
    return f"{plural(count, 'value')} of several kinds"


def _noun(value: Any) -> str:
    """The kind of an element as a noun in the singular."""
    if type(value) is int:
        return "Integer"
    if isinstance(value, Function):
        return "Function"
    if is_location(value):
        return "location"
    if is_cell(value):
        return "Cell"
    if is_filled_grid(value):
        return "Grid"
    if type(value) is frozenset:
        return {"indices": "Indices", "object": "Object"}.get(sort_of(value), "Set")
    return "row" if value and set(map(type, value)) == {int} else "Tuple"


def brief(value: Value) -> str:
    """A value if it is short, else its kind; a Grid always by its kind, also inside a Function.

    >>> index = Function("index", (), 2)
    >>> brief((1, 2)), brief(((0,) * 30,) * 30), brief(Function("lbind", (index, ((1,),)), 1))
    ('(1, 2)', 'a Grid of 30 x 30', 'lbind(index, a Grid of 1 x 1)')
    """
    if isinstance(value, Function):
        return _function(value, LONGEST_VALUE)
    content = text(value, LONGEST_ARGUMENT + 1)
    is_long = len(content) > LONGEST_ARGUMENT
    return kind_in_words(value) if is_long or is_filled_grid(value) else content


def _function(function: Function, room: int) -> str:
    """A function as an expression of at most about `room` characters."""
    if not function.parts:
        return function.name
    if room <= 0:
        return f"{function.name}(...)"
    parts: list[str] = []
    for part in function.parts:
        left = room - sum(map(len, parts)) - len(function.name)
        parts.append(_function(part, left) if isinstance(part, Function) else brief(part))
    return f"{function.name}({', '.join(parts)})"


def applied(callee: str | Function, arguments: Iterable[Value]) -> str:
    """An op or a function with its arguments; of a call of a value, the value is the first argument.

    >>> applied("add", (1, 2)), applied(Function("lbind", (Function("add", (), 2), 1), 1), (2,))
    ('add(1, 2)', 'lbind(add, 1)(2)')
    >>> applied(FUNCTION_CALL.name, (3, 4))
    '3(4)'
    """
    given = list(map(brief, arguments))
    name = callee if isinstance(callee, str) else brief(callee)
    if callee == FUNCTION_CALL.name:
        name, *given = given
    return f"{name}({', '.join(given)})"


def ends(words: Sequence[str], left_out: str = "...") -> list[str]:
    """Words without those in the middle where they are too many, with a sign in their place.

    >>> ends(["a"] * 3), len(ends(["a"] * 300))
    (['a', 'a', 'a'], 11)
    """
    if len(words) <= MOST_WORDS:
        return list(words)
    half = MOST_WORDS // 2
    return [*words[:half], left_out, *words[-half:]]


def described(value: Value, what: str = "") -> str:
    """A value with its kind; only the kind of one that is long. `what` is a nearer word for it.

    >>> described(5), described((6, 1, 6), "row"), described(((0,) * 30,) * 30)
    ('the Integer 5', 'the row (6, 1, 6), a Tuple of 3 Integers', 'a Grid of 30 x 30')
    """
    content, kind = text(value, LONGEST_VALUE + 1), kind_in_words(value)
    if type(value) is int:
        return f"the Integer {value}"
    if len(content) > LONGEST_VALUE:
        return f"the {what}, {kind}" if what else kind
    return f"{f'the {what} ' if what else ''}{content}, {kind}"
