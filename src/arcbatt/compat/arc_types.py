"""What `from arc_types import *` provides: the names of types that annotations of old files use."""

from typing import Any

from arcbatt.batt.historical.type_names import TYPES


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return list(TYPES)
    if name not in TYPES:
        raise AttributeError(f"arc_types has no type {name!r}; it has {', '.join(TYPES)}")
    return TYPES[name]
