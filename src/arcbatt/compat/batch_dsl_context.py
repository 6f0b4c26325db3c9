"""What `from batch_dsl_context import batch_dsl_context` provides: the context and the collector of calls."""

from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.historical.batch_context import BatchContext

__all__ = ["BatchContext", "batch_dsl_context"]
