"""Section 4: the constants and their values."""

from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import ALIASES, TABLE

NUMBERS = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]
COLORS = ["BLACK", "BLUE", "RED", "GREEN", "YELLOW", "GRAY", "MAGENTA", "ORANGE", "CYAN", "BURGUNDY"]

PAIRS = {
    "ORIGIN": (0, 0),
    "DOWN": (1, 0),
    "RIGHT": (0, 1),
    "UP": (-1, 0),
    "LEFT": (0, -1),
    "UNITY": (1, 1),
    "NEG_UNITY": (-1, -1),
    "UP_RIGHT": (-1, 1),
    "DOWN_LEFT": (1, -1),
    "ZERO_BY_TWO": (0, 2),
    "TWO_BY_ZERO": (2, 0),
    "TWO_BY_TWO": (2, 2),
    "THREE_BY_THREE": (3, 3),
}

EXPECTED = {
    "F": 0,
    "T": 1,
    **{name: value for value, name in enumerate(NUMBERS)},
    **{f"NEG_{name}": -value for value, name in enumerate(NUMBERS) if value > 0},
    "HUNDRED": 100,
    "THOUSAND": 1000,
    **PAIRS,
    **{f"{letter}{value}": value for letter in "FRA" for value in range(10)},
    **{f"L{value}": -value for value in range(1, 11)},
    "SM2": 2,
    "SM3": 3,
    "SD2": -2,
    "SD3": -3,
    **{name: value for value, name in enumerate(COLORS)},
}


def test_constants_have_the_values_of_the_language() -> None:
    assert CONSTANTS == EXPECTED


def test_constants_are_integers_or_pairs_never_booleans() -> None:
    for value in CONSTANTS.values():
        assert type(value) is int or (type(value) is tuple and set(map(type, value)) == {int})


def test_no_constant_or_input_shares_its_name_with_an_op() -> None:
    assert {*CONSTANTS, "I", "S", "C"} & {*TABLE, *ALIASES} == set()
    assert {"I", "S", "C", "O"} & set(CONSTANTS) == set()
