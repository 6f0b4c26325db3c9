"""The imports of a generated batt file that runs as plain Python: the language, `Env` and typed defaults.

A name is looked up in the op table on access, so that ops which are registered later are found as well.
A failure is raised as a `DslFailure`, which is also the Python exception of its kind, such as TypeError.

>>> from arcbatt.batt.runtime import *
>>> t1 = compose(first, last)
>>> t1(((ONE, TWO), (THREE, FOUR)))
3
>>> _get_safe_default(objects), _get_safe_default(t1)
(frozenset(), ())
"""

import sys
from typing import Any

from arcbatt.batt.callables import CallableOp, as_callable, type_of_result
from arcbatt.batt.callables import DslFailure as DslFailure
from arcbatt.batt.env import OKT as OKT
from arcbatt.batt.env import Env as Env
from arcbatt.batt.env import kind_of_failure, log_failure
from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import ALIASES, TABLE, find

OWN_NAMES = ("DslFailure", "Env", "OKT", "_get_safe_default", "batch_process_samples_gpu")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [*OWN_NAMES, *CONSTANTS, *TABLE, *ALIASES]
    if name in CONSTANTS:
        return CONSTANTS[name]
    op = find(name)
    if op is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return CallableOp(op.name, (), op.arity)


def _get_safe_default(
    head: Any, arguments: tuple[Any, ...] = (), t_num: int = 0, task_id: Any = None, log_path: Any = None
) -> Any:
    """The value of a failed line in style `guarded`: the typed default of an op or a function value.

    With a `log_path`, the failure is appended to the log.
    """
    error = sys.exc_info()[1]
    if log_path is not None and error is not None:
        log_failure(log_path, task_id, t_num, kind_of_failure(error), head, arguments)
    return as_callable(type_of_result(head).default)


def batch_process_samples_gpu(S: Any) -> tuple[Any, Any, Any, Any]:
    """The inputs of all samples, their outputs, and the colours of each.

    >>> batch_process_samples_gpu((((((1, 2),), ((3,),)),)))
    ((((1, 2),),), (((3,),),), (1, 2), (3,))
    """
    apply, mapply, first, second, p_g = map(__getattr__, ("apply", "mapply", "first", "second", "p_g"))
    inputs, outputs = apply(first, S), apply(second, S)
    return inputs, outputs, mapply(p_g, inputs), mapply(p_g, outputs)
