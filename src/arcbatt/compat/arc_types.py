"""What `from arc_types import *` provides: the names of types that annotations of old files use."""

import sys
from typing import Any

from arcbatt.batt.historical.safe_runtime import missing
from arcbatt.batt.historical.type_names import TYPES


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return list(TYPES)
    if name not in TYPES:
        reason = f"arc_types has no type {name!r}; it has {', '.join(TYPES)}"
        return missing(name, sys._getframe(1), AttributeError(reason))
    return TYPES[name]
