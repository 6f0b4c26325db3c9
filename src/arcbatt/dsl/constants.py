"""The named constants of the language, in families."""

from collections.abc import Mapping

_DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN")
_COLORS = ("BLACK", "BLUE", "RED", "GREEN", "YELLOW", "GRAY", "MAGENTA", "ORANGE", "CYAN", "BURGUNDY")

Constant = int | tuple[int, int]

FAMILIES: dict[str, Mapping[str, Constant]] = {
    "truth": {"F": 0, "T": 1},
    "number": {name: value for value, name in enumerate(_DIGITS)}
    | {f"NEG_{name}": -value for value, name in enumerate(_DIGITS) if value}
    | {"HUNDRED": 100, "THOUSAND": 1000},
    "pair": {
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
    },
    "rank": {f"F{n}": n for n in range(10)} | {f"L{n}": -n for n in range(1, 11)},
    "code": {f"R{n}": n for n in range(10)},
    "turn": {f"A{n}": n for n in range(10)},
    "scale": {"SM2": 2, "SM3": 3, "SD2": -2, "SD3": -3},
    "color": {name: value for value, name in enumerate(_COLORS)},
}

CONSTANTS: dict[str, Constant] = {
    name: value for family in FAMILIES.values() for name, value in family.items()
}

INPUTS = ("S", "I", "C")
