"""The limits that bound every op: weight of a result, applications inside one op, nesting."""

from dataclasses import dataclass

from arcbatt.errors import ArcbattError

DEEPEST = 250  # Python itself must be able to recurse as deep
RANGES = {"items": (1, 1 << 30), "calls": (0, 1 << 40), "depth": (1, DEEPEST)}


@dataclass(frozen=True)
class Limits:
    """Bounds that hold in every op and inside every function value.

    `items` is the greatest weight of a value, `calls` the number of applications one op may make, `depth` the
    deepest nesting of values and of active applications.

    >>> Limits(calls=500)
    Limits(items=262144, calls=500, depth=100)
    """

    items: int = 262_144
    calls: int = 1_000_000
    depth: int = 100

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise ArcbattError(f"limit {name} is {value!r}; it must be an integer from {low} to {high}")


DEFAULT_LIMITS = Limits()
