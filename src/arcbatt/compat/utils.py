"""What `from utils import *` provides to generated files: the result of a line, and the language."""

from arcbatt.batt.historical.safe_runtime import language as __getattr__  # noqa: F401 - of this module
