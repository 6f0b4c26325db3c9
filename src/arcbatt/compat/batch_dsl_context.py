"""What `from batch_dsl_context import batch_dsl_context` provides: the context and the collector of calls."""

from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.historical.batch_context import BatchContext
from arcbatt.batt.historical.gpu_status import gpu_flag as __getattr__  # noqa: F401 - of this module

__all__ = ["BatchContext", "batch_dsl_context"]
