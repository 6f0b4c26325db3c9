"""What `from pile import *` provides: `Env`, `OKT`, the constants, and the ops, which never raise."""

import sys
from typing import Any

from arcbatt.batt.historical import safe_runtime


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return safe_runtime.names_for(sys._getframe(1))  # including the user's ops
    return safe_runtime.named(name)
