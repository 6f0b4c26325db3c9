"""Every number that Python and C++ share. The build writes contract.h from it, so each stands here alone.

Members of enums are spelled as C++ spells them, and a constant is annotated with its C++ type.
"""

import sys
from enum import IntEnum
from typing import Annotated, get_type_hints
from zlib import crc32

u8 = Annotated[int, "u8"]
u32 = Annotated[int, "u32"]
u64 = Annotated[int, "u64"]
i32 = Annotated[int, "i32"]
i64 = Annotated[int, "i64"]


class NodeKind(IntEnum):
    """The kinds of nodes of a plan; a `part` is an element of the input, by its index."""

    constant = 0
    samples = 1
    input = 2
    part = 3
    comparison = 4
    withheld = 5
    op = 6


class Stage(IntEnum):
    """When a node runs: once a run, once a task, or once a sample."""

    constant = 0
    task = 1
    sample = 2


class FailureMode(IntEnum):
    """The outcome of a failed node: no value, its op's default, or the value of a failed line of a pile."""

    fail = 0
    fall_back = 1
    pile = 2


class Judging(IntEnum):
    """What a root's outcome is: the score of a differ, or an output, with or without a partial score."""

    as_score = 0
    as_whole = 1
    in_parts = 2


class Status(IntEnum):
    """How an op ended: with a value, a failure of the language (in capitals), or an affair of the core."""

    ok = 0
    TYPE = 1
    EMPTY = 2
    ZERO = 3
    INDEX = 4
    RANGE = 5
    SIZE = 6
    CALLS = 7
    DEPTH = 8
    overflow = 9
    stopped = 10


class Sort(IntEnum):
    """What a hole of a template takes: a kind of value together with its role."""

    grid = 0
    grids = 1
    object = 2
    objects = 3
    indices = 4
    color = 5
    number = 6
    vector = 7
    predicate = 8
    measure = 9
    change = 10


class LayerKind(IntEnum):
    """What a layer of an explained output consists of: `whole` and `canvas` are lowest, the others above."""

    whole = 0
    canvas = 1
    overlay = 2
    object = 3
    indices = 4
    recolored = 5
    common = 6
    without = 7


class SearchEnd(IntEnum):
    """Why an enumeration ended; `fitted`: a cheap explanation of all demo samples was found."""

    steps = 0
    seconds = 1
    memory = 2
    exhausted = 3
    stopped = 4
    fitted = 5


# A verdict on a sample is a byte: how the value compares, or FAILED plus the status of the failure.
WRONG: u8 = 0
EXACT: u8 = 1
UNJUDGED: u8 = 2
FAILED: u8 = 16
NO_SCORE: i32 = -(1 << 31)  # of a program that is not a differ, or returned no pair with an Integer

# The partial score of an output, and its parts: for each right side, for cells, for colours.
BEST_SCORE: i32 = 1000
PART_OF_SIDE: i64 = 100
PART_OF_CELLS: i64 = 700
PART_OF_COLORS: i64 = 100
COLOR_COUNT: u32 = 10  # 0 to 9; other Integers count as one colour here

# Digests of outputs: the factor that mixes in a word, and the first word for each kind of value.
DIGEST_FACTOR: u64 = 0x2545F4914F6CDD1D
DIGEST_OF_TUPLE: u64 = 0x1D8AF066F5C3A9E1
DIGEST_OF_ROW: u64 = 0x69A5B3C2E4F7081D  # a Tuple of Integers that fit a byte each; eight of them are a word
DIGEST_OF_SET: u64 = 0x2B5AD5C432F18E67
DIGEST_OF_FUNCTION: u64 = 0x3C79AC492BA7B653
DIGEST_OF_NAME: u64 = 0x4CF5AD432745937F
DIGEST_OF_FAILURE: u64 = 0x52DCE729DA3ED4C5

# The language: Integers, weights, ops with special numbers, failures for which a pile has a stand-in.
LOWEST: i64 = -(1 << 31)
HIGHEST: i64 = (1 << 31) - 1
LOCATION_WEIGHT: u32 = 3  # a pair and its two Integers
CELL_WEIGHT: u32 = 5  # a pair, its colour and its location
MOST_PARAMETERS: u32 = 4
FRONTIER: u32 = 30  # how long the lines of `hfrontier` and `vfrontier` are
REACH: i64 = 42  # how far `shoot` and `gravitate` go
MIRROR_REACH: i64 = 32  # how many half steps from the middle `symmetric` looks for axes
TURN_REACH: i64 = 4  # the same for the centres of half turns, down and across
FILL_ROUNDS: u32 = 8  # in how many rounds it fills cells
PERIOD_REACH: i64 = 32  # the longest period that `periodic` tries
SHIFT_ROWS: i64 = 4  # how many rows and columns the slanting shifts go that `periodic` tries
SHIFT_COLUMNS: i64 = 8
NO_TURN: i64 = 7  # the turn that leaves a grid unchanged
FORGIVEN: u32 = 2

# Units of work for each item of a weight.
SORT_WORK: u32 = 64
TRIAL_WORK: u32 = 192  # of a grid that is searched for symmetries or periods
CALL_WORK: u32 = 8  # of an application of a function
COLLECT_WORK: u32 = 32  # of a result, for the higher-order op that collects it
SEEK_WORK: u32 = 24  # of an element that is searched for among sorted ones, one by one
MATCH_WORK: u32 = 8  # of a result, for a matcher that compares it
PRODUCT_BITS: u32 = 6  # a product of two weights costs a unit for each 2 ** PRODUCT_BITS of it

# The memory of the core, the ops it does not have, and the GPU.
ALIGNMENT: u64 = 16  # of objects in an arena: the low bits of an address hold the tag of a value
PARTS: u32 = 256  # an input of a plan has the number of its kind and, if it is a part, PARTS times its place
NAMES_BETWEEN: u32 = 128  # room for the names of foreign ops between two names of the table
WARP: u32 = 32  # threads that run a lane together

ENUMS: tuple[type[IntEnum], ...] = (
    NodeKind,
    Stage,
    FailureMode,
    Judging,
    Status,
    Sort,
    LayerKind,
    SearchEnd,
)


def constants() -> dict[str, tuple[str, int]]:
    """The constants by name: the type in C++, and the value."""
    module = sys.modules[__name__]
    hints = get_type_hints(module, include_extras=True).items()
    return {
        name: (hint.__metadata__[0], getattr(module, name))
        for name, hint in hints
        if hasattr(hint, "__metadata__")
    }


def fingerprint() -> int:
    """A checksum of the contract: a core built from another contract has another one."""
    return crc32(repr([constants(), *map(list, ENUMS)]).encode())
