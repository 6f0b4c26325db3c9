"""The cost of an op, which depends only on the weights of its arguments and its result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import mul

from arcbatt.dsl.contract import COLLECT_WORK, PRODUCT_BITS, SEEK_WORK, SORT_WORK, TRIAL_WORK

# Units for each item of a weight, for the worst case of the compiled body; a unit is about a
# nanosecond.
NOTHING = 0  # the content of the value is not read
SCAN = 2  # each item is read
BUILD = 8  # an item is built for each
SEEK = SEEK_WORK  # each item is searched for among others, which are sorted
SORT = SORT_WORK  # the items are compared, sorted and made distinct
TALLY = 3 * SORT  # the items are compared by merging, without comparing how they begin
TRIAL = TRIAL_WORK  # symmetries or periods are tried one by one


@dataclass(frozen=True)
class WorkRule:
    """How an op's cost follows from weights.

    `arguments` and `result` are units for each item of a weight, of the arguments alike or one by one.
    With `sorts_lighter` the lighter of two arguments also costs what sorting does. `product` are the indices
    of two arguments, or twice of one, whose weights are multiplied in addition. `listed` are additional units
    for each item of an argument that is a Tuple, since no search finds an element in it. `paired` are the
    indices of two containers; each pair of their elements also costs what sorting its result does.

    >>> WorkRule(SCAN, NOTHING).of_arguments((10, 1))
    22
    >>> WorkRule((SCAN, SORT), NOTHING).of_arguments((10, 1))
    84
    >>> WorkRule(SCAN, NOTHING, sorts_lighter=True).of_arguments((10, 1))
    86
    >>> WorkRule(NOTHING, NOTHING, product=(0, 0)).of_arguments((640, 1))
    6400
    """

    arguments: int | tuple[int, ...] = BUILD
    result: int = BUILD
    sorts_lighter: bool = False
    product: tuple[int, int] | None = None
    listed: int = NOTHING
    paired: tuple[int, int] | None = None

    @property
    def looks(self) -> bool:
        """Whether the arguments cost anything."""
        return self.arguments != NOTHING or self.product is not None

    def of_loop(self, is_function: Sequence[bool]) -> "WorkRule":
        """The cost of an op that applies functions: it reads the elements of its other arguments."""
        if self.arguments != NOTHING:
            return self
        return replace(self, arguments=tuple(NOTHING if function else SCAN for function in is_function))

    def units(self, arity: int) -> tuple[int, ...]:
        """The cost of an item of each argument."""
        return (self.arguments,) * arity if isinstance(self.arguments, int) else self.arguments

    def of_arguments(self, weights: Sequence[int], arguments: Sequence[object] = ()) -> int:
        """The cost of arguments of these weights; the arguments determine what is `listed` or `paired`."""
        cost: int = sum(map(mul, self.units(len(weights)), weights))
        if self.sorts_lighter:
            cost += SORT * min(weights)
        if self.listed:
            cost += self.listed * sum(w for w, given in zip(weights, arguments) if type(given) is tuple)
        if self.paired is not None and arguments:
            first, second = (arguments[place] for place in self.paired)
            assert isinstance(first, tuple | frozenset)
            assert isinstance(second, tuple | frozenset)
            cost += SORT * len(first) * len(second)
        if self.product is not None:
            first, second = self.product
            cost += weights[first] * weights[second] >> PRODUCT_BITS
        return cost

    def of_result(self, weight: int) -> int:
        """The cost of a result of that weight."""
        return self.result * weight


CONSTANT = WorkRule(NOTHING, NOTHING)
"""The op takes constant time."""
PICKING = WorkRule(NOTHING, SCAN)
"""The op finds its result without a search; a row of a grid is made anew."""
MAKING = WorkRule(NOTHING, BUILD)
"""The op does not look into its arguments; only its result costs."""
GATHERING = WorkRule(NOTHING, COLLECT_WORK)
"""The op makes one container of the results of applications, which pay for themselves."""
PAIRING = WorkRule(NOTHING, COLLECT_WORK, paired=(1, 2))
"""The same for each pair of elements; each result is sought among all others."""
SCANNING = WorkRule(SCAN, SCAN)
RANKING = WorkRule(SORT, BUILD)
"""The op compares and sorts what a function gives for the elements of its container."""
TALLYING = WorkRule(TALLY, SORT)
"""Equal elements of any kind are counted."""
BUILDING = WorkRule(BUILD, BUILD)
PLACING = WorkRule(2 * BUILD, BUILD)
"""A patch is made of another, which may be a Tuple with repeated cells."""
COUNTING = WorkRule(2 * BUILD, BUILD)
"""Colours of any kind are counted, of cells or around them."""
SORTING = WorkRule(SORT, SORT)
