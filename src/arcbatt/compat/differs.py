"""What `from differs import *` provides: the differs of the library, each a function of S, I and C."""

import sys

from arcbatt.batt.historical.program_functions import function_of, names_of
from arcbatt.batt.historical.safe_runtime import missing


def __getattr__(name: str) -> object:
    try:
        return names_of("differs") if name == "__all__" else function_of("differs", name)
    except AttributeError as error:
        return missing(name, sys._getframe(1), error)


def __dir__() -> list[str]:
    return names_of("differs")
