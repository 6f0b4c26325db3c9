"""What `from utils import *` provides to generated files: the result of a line, and the language."""

import sys
from typing import Any

from arcbatt.batt.historical import safe_runtime


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return safe_runtime.names_for(sys._getframe(1))
    return safe_runtime.named(name)
