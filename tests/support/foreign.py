"""Objects that no function of the package asks for; each is made anew, since some can be used up."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np


class ForeignError(Exception):
    """Raised by the code of foreign objects."""


def raises(*_: object, **__: object) -> NoReturn:
    raise ForeignError("of a foreign object")


def a_generator() -> Iterator[int]:
    yield 1


def a_failing_generator() -> Iterator[int]:
    yield 1
    raises()


def an_object_whose(name: str) -> Callable[[], object]:
    """Makes objects of which one method raises an exception."""
    return type(f"Fails{name.strip('_').title()}", (), {"__hash__": object.__hash__, name: raises})


def a_nest() -> list[Any]:
    nest: list[Any] = []
    nest.append(nest)
    return nest


FOREIGN: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a number": lambda: 5,
    "a negative number": lambda: -1,
    "a fraction": lambda: 1.5,
    "no number": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a huge number": lambda: 10**5000,
    "a number beyond 64 bits": lambda: 1 << 70,
    "a complex number": lambda: 1j,
    "a boolean": lambda: True,
    "a text": lambda: "x",
    "an empty text": lambda: "",
    "a surrogate": lambda: "\ud800",
    "a null": lambda: "a\0b",
    "bytes": lambda: b"",
    "a list": list,
    "a list of numbers": lambda: [1, 2],
    "a list of texts": lambda: ["a", "b"],
    "a list of nothing": lambda: [None],
    "a ragged list": lambda: [[1, 2], [3]],
    "a list in itself": a_nest,
    "a tuple": lambda: (1, "x"),
    "a dict": dict,
    "a dict of numbers": lambda: {1: 2},
    "a dict of texts": lambda: {"a": "b"},
    "a set": lambda: {1, "x"},
    "an object": object,
    "a lambda": lambda: lambda *given: given,
    "a function that raises": lambda: raises,
    "a class": lambda: int,
    "a module": lambda: np,
    "a generator": a_generator,
    "a generator that raises": a_failing_generator,
    "a path": lambda: Path("missing"),
    "an array of fractions": lambda: np.array([[0.5]]),
    "an array of texts": lambda: np.array(["x"]),
    "a number of NumPy": lambda: np.int64(3),
    "an exception": lambda: ValueError("x"),
    **{
        f"an object whose {name} raises": an_object_whose(name)
        for name in (
            "__repr__",
            "__len__",
            "__iter__",
            "__eq__",
            "__bool__",
            "__getitem__",
            "__call__",
            "__fspath__",
            "__array__",
            "__index__",
            "__hash__",
            "__contains__",
        )
    },
}
