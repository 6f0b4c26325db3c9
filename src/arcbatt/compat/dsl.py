"""What `from dsl import *` provides: the constants, and the ops, which never raise."""

from arcbatt.batt.historical.safe_runtime import language as __getattr__  # noqa: F401 - of this module
