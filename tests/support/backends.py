"""The backends that are here, and a mark for tests that need the compiled core."""

import pytest

from arcbatt.engine.choose import AVAILABLE

# With the core, also the emulated device.
HERE: tuple[str, ...] = (*AVAILABLE, "emulated") if "native" in AVAILABLE else AVAILABLE
needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
