"""The cost of an op, a function of the weights of its arguments and its result alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from arcbatt.dsl.contract import COLLECT_WORK, PRODUCT_BITS, SORT_WORK, TRIAL_WORK

# Units for each item of a weight, by what the compiled body does with it at worst; a unit is about a
# nanosecond.
NOTHING = 0  # the value is not looked into
SCAN = 2  # each item is read
BUILD = 8  # an item is built for each
SORT = SORT_WORK  # the items are compared, sorted and made distinct
TRIAL = TRIAL_WORK  # symmetries or periods are tried one by one


@dataclass(frozen=True)
class Work:
    """How an op's cost follows from weights.

    `arguments` and `result` are units for each item of a weight, of the arguments alike or one by one.
    With `sorts_lighter` the lighter of two arguments costs what sorting does in addition. `product` are the
    places of two arguments, or twice of one, whose weights are multiplied in addition.

    >>> Work(SCAN, NOTHING).of_arguments((10, 1))
    22
    >>> Work((SCAN, SORT), NOTHING).of_arguments((10, 1))
    84
    >>> Work(SCAN, NOTHING, sorts_lighter=True).of_arguments((10, 1))
    86
    >>> Work(NOTHING, NOTHING, product=(0, 0)).of_arguments((640, 1))
    6400
    """

    arguments: int | tuple[int, ...] = BUILD
    result: int = BUILD
    sorts_lighter: bool = False
    product: tuple[int, int] | None = None

    @property
    def looks(self) -> bool:
        """Whether the arguments cost anything."""
        return self.arguments != NOTHING or self.product is not None

    def units(self, arity: int) -> tuple[int, ...]:
        """The cost of an item of each argument."""
        return (self.arguments,) * arity if isinstance(self.arguments, int) else self.arguments

    def of_arguments(self, weights: Sequence[int]) -> int:
        """The cost of arguments of these weights."""
        cost: int = sum(map(mul, self.units(len(weights)), weights))
        if self.sorts_lighter:
            cost += SORT * min(weights)
        if self.product is not None:
            first, second = self.product
            cost += weights[first] * weights[second] >> PRODUCT_BITS
        return cost

    def of_result(self, weight: int) -> int:
        """The cost of a result of that weight."""
        return self.result * weight


CONSTANT = Work(NOTHING, NOTHING)
"""The op takes constant time."""
PICKING = Work(NOTHING, SCAN)
"""The op finds its result without a search; a row of a grid is made anew."""
MAKING = Work(NOTHING, BUILD)
"""The op does not look into its arguments; only its result costs."""
GATHERING = Work(NOTHING, COLLECT_WORK)
"""The op makes one container of the results of applications, which pay for themselves."""
SCANNING = Work(SCAN, SCAN)
BUILDING = Work(BUILD, BUILD)
SORTING = Work(SORT, SORT)
