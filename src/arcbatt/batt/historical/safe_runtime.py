"""The imports of a kept batt file, with ops that never raise, as the historical modules gave them.

They have the names of `arcbatt.batt.runtime`. The modules `dsl`, `pile` and `constants` of `arcbatt.compat`
give them to generated files.
"""

import builtins
import dis
import linecache
import sys
import warnings
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from arcbatt.batt import runtime
from arcbatt.batt.env import Env
from arcbatt.batt.historical.safe_ops import UnknownName, safe_default, safe_op, safe_value
from arcbatt.batt.historical.type_names import TYPES
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.program.batt_files.body import PARAMETERS

# Attributes that every batt function uses, which are no names of the language.
ATTRIBUTES = {"append", "do_pile", "extend", "ok", "t"}
ENVIRONMENT = "env"
PARAMETERS_OF_SOLVERS = ("S", "I", "C")
READS_OF_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def named(name: str) -> Any:
    """What a name of the language stands for.

    >>> named("TWO"), named("rot90")(None)
    (2, ())
    """
    if name in CONSTANTS:
        return safe_value(CONSTANTS[name])
    if name in SAFE_OF_OWN:
        return SAFE_OF_OWN[name]
    if name in TYPES:
        return TYPES[name]
    return getattr(runtime, name) if name in runtime.OWN_NAMES else safe_op(name)


def _get_safe_default(
    head: Any, arguments: tuple[Any, ...] = (), t_num: int = 0, task_id: Any = None, log_path: Any = None
) -> Any:
    """The value of a failed line in style `guarded`; with a `log_path`, the failure is logged."""
    runtime._get_safe_default(head, arguments, t_num, task_id, log_path)
    return safe_default(head)


def batch_process_samples_gpu(S: Any) -> tuple[Any, Any, Any, Any]:
    """The inputs of all samples, their outputs, and the colours of each; defaults if S is no Samples.

    >>> batch_process_samples_gpu((((((1, 2),), ((3,),)),)))
    ((((1, 2),),), (((3,),),), (1, 2), (3,))
    >>> batch_process_samples_gpu(None)
    ((), (), (), ())
    """
    apply, mapply, first, second, p_g = map(safe_op, ("apply", "mapply", "first", "second", "p_g"))
    inputs, outputs = apply(first, S), apply(second, S)
    return inputs, outputs, mapply(p_g, inputs), mapply(p_g, outputs)


SAFE_OF_OWN = {
    "_get_safe_default": _get_safe_default,
    "batch_process_samples_gpu": batch_process_samples_gpu,
}


def language(name: str) -> Any:
    """An attribute of the modules `dsl`, `pile` and `utils`: a name of the language, or all of them."""
    importer = sys._getframe(1)
    if name == "__all__":
        return names_for(importer)  # also the ops of a user
    try:
        return named(name)
    except AttributeError as error:
        return missing(name, importer, error)


def names_for(importer: FrameType) -> list[str]:
    """The names that `from dsl import *` gives, for the module that runs in a frame.

    A generated file is text that may name ops which do not exist. Plain Python would end the whole function
    with a NameError. The module gets objects for such names, which fail where they are called. If piled lines
    have no environment above them, it gets one.
    """
    if importer.f_code.co_name == "<module>":
        for name in unknown_names(importer):
            importer.f_globals[name] = _stand_in(name)
    return [*TYPES, *runtime.__all__]


def missing(name: str, importer: FrameType, error: AttributeError) -> Any:
    """What a module gives for a name that it lacks: a stand-in for a generated file, otherwise the error.

    A file asks by an import above its functions, or by `dsl.name` in a generated function. An import that is
    indented, as in a `try` with another import for the case that this one fails, asks for the error.
    """
    code = importer.f_code
    asks_by = dis.opname[code.co_code[importer.f_lasti]]
    if asks_by == "IMPORT_FROM":
        line = linecache.getline(code.co_filename, importer.f_lineno, importer.f_globals)
        if line.startswith("from ") and any(map(_is_generated, _codes_in(code))):
            warnings.warn(f"{error}; a line that calls it gives ()", RuntimeWarning, stacklevel=3)
            return _stand_in(name, is_told=True)
    elif asks_by in READS_OF_ATTRIBUTES and _is_generated(code):
        return _stand_in(name)
    raise error


def _stand_in(name: str, is_told: bool = False) -> Any:
    """What a name that nothing gives stands for in a generated file."""
    if name == "GPUEnv":
        from arcbatt.batt.residency.gpu_env import GPUEnv  # loads the engine, which few files need

        return GPUEnv
    if name == "GPU_AVAILABLE":
        from arcbatt.batt.historical.gpu_status import gpu_flag

        return gpu_flag(name)
    return Env() if name == ENVIRONMENT else UnknownName(name, is_told)


def unknown_names(importer: FrameType) -> list[str]:
    """The names that the batt functions and solvers of a module use, and that nothing gives them."""
    module = importer.f_code
    functions = [code for code in _codes_in(module) if _is_generated(code)]
    known = {*runtime.__all__, *TYPES, *ATTRIBUTES, *importer.f_globals, *vars(builtins), *module.co_names}
    used = {name for code in functions for name in code.co_names}
    if used <= known:
        return []
    loaded = {
        step.argval
        for code in functions
        for step in dis.get_instructions(code)
        if step.opname == "LOAD_GLOBAL"
    }
    return sorted(loaded - known)


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)


def _is_generated(code: CodeType) -> bool:
    parameters = code.co_varnames[: code.co_argcount]
    return parameters in (PARAMETERS, PARAMETERS_OF_SOLVERS) or code.co_name.startswith("batt")
