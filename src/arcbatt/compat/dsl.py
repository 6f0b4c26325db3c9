"""What `from dsl import *` gives: the ops and the constants, each op to be called or handed on."""

from typing import Any

from arcbatt.batt import runtime


def __getattr__(name: str) -> Any:
    return getattr(runtime, name)  # also `__all__`, which so has the ops of a user
