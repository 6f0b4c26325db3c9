"""What `from safe_dsl import _get_safe_default` gives: the typed default of a failed line."""

from arcbatt.batt.runtime import _get_safe_default

__all__ = ["_get_safe_default"]
