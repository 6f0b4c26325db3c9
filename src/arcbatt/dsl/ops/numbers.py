"""Numbers and logic: arithmetic on Integers and pairs of Integers, comparison, choice."""

import operator
from collections.abc import Callable

from arcbatt.dsl.table import op
from arcbatt.dsl.types import IJ, AnyValue, Boolean, Divisor, Integer, Numerical
from arcbatt.dsl.work import CONSTANT


def _binary(function: Callable[[int, int], int], a: Numerical, b: Numerical) -> Numerical:
    """Integer with Integer, or per component; an Integer combines with both components of a pair."""
    if type(a) is int:
        return function(a, b) if type(b) is int else (function(a, b[0]), function(a, b[1]))
    if type(b) is int:
        return (function(a[0], b), function(a[1], b))
    return (function(a[0], b[0]), function(a[1], b[1]))


def _unary(function: Callable[[int], int], n: Numerical) -> Numerical:
    return function(n) if type(n) is int else (function(n[0]), function(n[1]))


def _sign(n: int) -> int:
    return (n > 0) - (n < 0)


@op(
    signature="Integer, Integer -> Integer; IJ, Numerical -> IJ; Integer, IJ -> IJ",
    may_leave_range=True,
    commutes=True,
)
def add(a: Numerical, b: Numerical) -> Numerical:
    """a + b, per component where one is a pair.

    >>> call("add", 2, (3, 4))
    (5, 6)
    """
    return _binary(operator.add, a, b)


@op(signature="Integer, Integer -> Integer; IJ, Numerical -> IJ; Integer, IJ -> IJ", may_leave_range=True)
def subtract(a: Numerical, b: Numerical) -> Numerical:
    """a - b, per component where one is a pair.

    >>> call("subtract", 5, (1, 2))
    (4, 3)
    """
    return _binary(operator.sub, a, b)


@op(
    signature="Integer, Integer -> Integer; IJ, Numerical -> IJ; Integer, IJ -> IJ",
    may_leave_range=True,
    commutes=True,
)
def multiply(a: Numerical, b: Numerical) -> Numerical:
    """a * b, per component where one is a pair.

    >>> call("multiply", (1, 2), 3)
    (3, 6)
    """
    return _binary(operator.mul, a, b)


@op(signature="Integer, Integer -> Integer; IJ, Numerical -> IJ; Integer, IJ -> IJ", may_leave_range=True)
def divide(a: Numerical, b: Divisor) -> Numerical:
    """a / b rounded down, per component where one is a pair.

    >>> call("divide", 5, (2, -2))
    (2, -3)
    """
    return _binary(operator.floordiv, a, b)


@op(signature="Integer -> Integer; IJ -> IJ", may_leave_range=True, involution=True)
def invert(n: Numerical) -> Numerical:
    """-n per component.

    >>> call("invert", (1, -2))
    (-1, 2)
    """
    return _unary(operator.neg, n)


@op
def even(n: Integer) -> Boolean:
    """Whether n is a multiple of 2.

    >>> call("even", -4)
    1
    """
    return int(n % 2 == 0)


@op(signature="Integer -> Integer; IJ -> IJ", may_leave_range=True)
def double(n: Numerical) -> Numerical:
    """2 * n per component.

    >>> call("double", (1, 3))
    (2, 6)
    """
    return _unary(lambda x: 2 * x, n)


@op(signature="Integer -> Integer; IJ -> IJ")
def halve(n: Numerical) -> Numerical:
    """n / 2 rounded down, per component.

    >>> call("halve", -3)
    -2
    """
    return _unary(lambda x: x // 2, n)


@op(signature="Integer -> Integer; IJ -> IJ", may_leave_range=True)
def increment(x: Numerical) -> Numerical:
    """x + 1 per component.

    >>> call("increment", (0, 1))
    (1, 2)
    """
    return _unary(lambda n: n + 1, x)


@op(signature="Integer -> Integer; IJ -> IJ", may_leave_range=True)
def decrement(x: Numerical) -> Numerical:
    """x - 1 per component.

    >>> call("decrement", 0)
    -1
    """
    return _unary(lambda n: n - 1, x)


@op(signature="Integer -> Integer; IJ -> IJ", may_leave_range=True)
def crement(x: Numerical) -> Numerical:
    """One step away from zero per component; 0 stays.

    >>> call("crement", (-2, 0))
    (-3, 0)
    """
    return _unary(lambda n: n + _sign(n), x)


@op(signature="Integer -> Integer; IJ -> IJ", idempotent=True)
def sign(x: Numerical) -> Numerical:
    """-1, 0 or 1 per component.

    >>> call("sign", (-7, 3))
    (-1, 1)
    """
    return _unary(_sign, x)


@op(idempotent=True)
def positive(x: Integer) -> Boolean:
    """Whether x > 0.

    >>> call("positive", 0)
    0
    """
    return int(x > 0)


@op
def greater(a: Integer, b: Integer) -> Boolean:
    """Whether a > b.

    >>> call("greater", 2, 1)
    1
    """
    return int(a > b)


@op(signature="a, a -> Integer", commutes=True)
def equality(a: AnyValue, b: AnyValue) -> Boolean:
    """Whether a and b are the same value.

    >>> call("equality", (1, 2), (1, 2))
    1
    """
    return int(a == b)


@op
def flip(b: Boolean) -> Boolean:
    """Logical not.

    >>> call("flip", 0)
    1
    """
    return int(b == 0)


@op(selects=True, idempotent=True)
def both(a: Boolean, b: Boolean) -> Integer:
    """Logical and: b if a is not 0, else a.

    >>> call("both", 1, 0)
    0
    """
    return a and b


@op(selects=True, idempotent=True)
def either(a: Boolean, b: Boolean) -> Integer:
    """Logical or: a if it is not 0, else b.

    >>> call("either", 0, 1)
    1
    """
    return a or b


@op
def toivec(i: Integer) -> IJ:
    """The pair (i, 0).

    >>> call("toivec", 3)
    (3, 0)
    """
    return (i, 0)


@op
def tojvec(j: Integer) -> IJ:
    """The pair (0, j).

    >>> call("tojvec", 3)
    (0, 3)
    """
    return (0, j)


@op(signature="Integer, a, a -> a", selects=True, work=CONSTANT)
def branch(condition: Boolean, a: AnyValue, b: AnyValue) -> AnyValue:
    """a if the condition is not 0, else b.

    >>> call("branch", 0, 5, 6)
    6
    """
    return a if condition else b
