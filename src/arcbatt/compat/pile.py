"""What `from pile import *` gives: `Env`, `OKT`, the ops and the constants."""

from typing import Any

from arcbatt.batt import runtime


def __getattr__(name: str) -> Any:
    return getattr(runtime, name)  # also `__all__`, which so has the ops of a user
