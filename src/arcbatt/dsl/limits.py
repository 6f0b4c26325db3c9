"""The limits that bound every op and every program: weight, applications, work, nesting, memory."""

from dataclasses import dataclass

from arcbatt.arguments import require_count

DEEPEST = 250  # Python itself must be able to recurse as deep
RANGES = {
    "items": (1, 1 << 30),
    "calls": (0, 1 << 40),
    "depth": (1, DEEPEST),
    "work": (0, 1 << 60),
    "memory": (1 << 10, 1 << 40),
}
BYTES_AN_ITEM = 96  # of a thread's memory: what a value takes, and what an op needs to make one


@dataclass(frozen=True)
class Limits:
    """Bounds that hold in every op and inside every function value.

    `items` is the greatest weight of a value, `calls` the number of applications one op may make, `depth` the
    deepest nesting of values and of active applications, `work` what a program may cost on one sample.
    `memory` is the number of bytes that a thread has for values; from it follows `held`, the greatest weight
    of all values that a program holds at one time.

    >>> Limits(calls=500)
    Limits(items=262144, calls=500, depth=100, work=300000000, memory=402653184)
    >>> Limits().held
    4194304
    """

    items: int = 262_144
    calls: int = 1_000_000
    depth: int = 100
    work: int = 300_000_000
    memory: int = 384 << 20

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            require_count(f"limit {name}", getattr(self, name), low, high)

    @property
    def held(self) -> int:
        """The greatest total weight of the values that a program holds at one time; at least `items`."""
        return max(self.items, self.memory // BYTES_AN_ITEM)


DEFAULT_LIMITS = Limits()
ANY_SIZE = Limits(items=RANGES["items"][1], depth=DEEPEST)  # of values whose size is judged later
