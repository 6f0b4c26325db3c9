"""What `from differs import *` provides: the differs of the library, each a function of S, I and C."""

from arcbatt.batt.historical.program_functions import function_of, names_of


def __getattr__(name: str) -> object:
    return names_of("differs") if name == "__all__" else function_of("differs", name)


def __dir__() -> list[str]:
    return names_of("differs")
