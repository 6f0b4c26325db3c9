"""The notation of static types: `Grid`, `Set[a]`, `k[a]`, `(a, b)`, `(a, b -> c)`, `Indices | Object`."""

import re
from functools import cache

from arcbatt.dsl import types
from arcbatt.dsl.static.types import ANY, NAMED, StaticType
from arcbatt.errors import ArcbattError

_WORDS = re.compile(r"\s*([A-Za-z]\w*|->|[\[\](),|;]|\S)")


@cache
def static_type(text: str) -> StaticType:
    """The type that a text means.

    A name is a type of the language; a small letter is a variable, and before brackets it stands for Tuple
    or Set. `(a, b)` is a pair, `(a, b -> c)` a function of two arguments, `|` separates alternatives.

    >>> static_type("(a -> Set[Integer])"), static_type("Set[(Integer, IJ)]"), static_type("Patch | Grid")
    ((a -> Set[Integer]), Object, Indices | Object | Grid)
    >>> static_type("Set[Grit]")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: 'Set[Grit]' is no static type: 'Grit' is no type of the language
    """
    reader = Reader(text)
    found = reader.alternatives()
    reader.require_end()
    return found


class Reader:
    """Reads types from a text, word by word."""

    def __init__(self, text: str, what: str = "static type") -> None:
        self._text = text
        self._what = what
        self._words: list[str] = [*_WORDS.findall(text), ""]
        self._next = 0

    def refusal(self, why: str) -> ArcbattError:
        """The error that says why the text means nothing."""
        return ArcbattError(f"{self._text!r} is no {self._what}: {why}")

    def take(self, *wanted: str) -> str | None:
        """The next word if it is one of those wanted."""
        word = self._words[self._next]
        if word not in wanted:
            return None
        self._next += 1
        return word

    def require(self, *wanted: str) -> str:
        """The next word, which must be one of those wanted."""
        found = self.take(*wanted)
        if found is None:
            raise self.refusal(f"expected {' or '.join(wanted)} {self._place()}")
        return found

    def require_end(self) -> None:
        """Refuse words that are left."""
        if self._words[self._next]:
            raise self.refusal(f"nothing is expected {self._place()}")

    def _place(self) -> str:
        word = self._words[self._next]
        return f"before {word!r}" if word else "at the end"

    def listed(self) -> tuple[StaticType, ...]:
        """Types separated by commas."""
        found = [self.alternatives()]
        while self.take(","):
            found.append(self.alternatives())
        return tuple(found)

    def alternatives(self) -> StaticType:
        """A type, or several separated by bars."""
        found = [self._one()]
        while self.take("|"):
            found.append(self._one())
        if len(found) == 1:
            return found[0]
        parts = (part for each in found for part in (each.parts if each.kind == "union" else (each,)))
        return StaticType("union", tuple(dict.fromkeys(parts)))

    def _one(self) -> StaticType:
        if self.take("("):
            return self._in_parentheses()
        word = self._words[self._next]
        if not word.isidentifier():
            raise self.refusal(f"expected a type {self._place()}")
        self._next += 1
        if self.take("["):
            return self._holding(word)
        return self._named(word)

    def _in_parentheses(self) -> StaticType:
        parts = self.listed()
        if self.require(")", "->") == "->":
            parts = (*parts, self.alternatives())
            self.require(")")
            return StaticType("function", parts)
        if len(parts) != 2:
            raise self.refusal(f"a pair has two parts, not {len(parts)}")
        return StaticType("pair", parts)

    def _holding(self, word: str) -> StaticType:
        element = self.alternatives()
        self.require("]")
        if word == "Tuple":
            return StaticType("tuple", (element,))
        if word == "Set":
            return StaticType("set", (element,))
        if not _is_variable(word):
            raise self.refusal(f"{word!r} holds nothing; Tuple, Set or a small letter does")
        return StaticType("container", (element,), word)

    def _named(self, word: str) -> StaticType:
        if word == "any":
            return ANY
        if _is_variable(word):
            return StaticType("variable", (), word)
        found = NAMED.get(word) or _of_the_language(word)
        if found is None:
            raise self.refusal(f"{word!r} is no type of the language")
        return found


def _is_variable(word: str) -> bool:
    return len(word) == 1 and word.islower()


@cache
def _of_the_language(name: str) -> StaticType | None:
    """The meaning of a type of the op table, such as Patch, under its name if there are alternatives."""
    kind = types.TYPES.get(name)
    if kind is None:
        return None
    meaning = static_type(kind.static)
    return StaticType("union", meaning.parts, name) if meaning.kind == "union" else meaning
