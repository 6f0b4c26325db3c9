"""What `from constants import *` provides: the constants of the language."""

import sys
from typing import Any

from arcbatt.batt.historical.safe_ops import safe_value
from arcbatt.batt.historical.safe_runtime import missing
from arcbatt.dsl.constants import CONSTANTS


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return list(CONSTANTS)
    if name not in CONSTANTS:
        return missing(name, sys._getframe(1), AttributeError(f"the language has no constant {name!r}"))
    return safe_value(CONSTANTS[name])
