"""Batt functions that Python calls directly inside a context: found, diverted to it, and put back."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from itertools import chain
from threading import Lock
from types import CodeType, FrameType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from arcbatt.program.batt_files.body import PARAMETERS

NO_PLAIN_CALL = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR

MOST_PREPARED = 8

Diverter = Callable[["Detour", tuple[Any, ...]], Any]
_DIVERTER: ContextVar[Diverter | None] = ContextVar("what runs diverted functions", default=None)


class Detour:
    """Takes the calls of a function while contexts divert it.

    A call by code that has entered a context goes to that context. Any other call, such as one of another
    thread, runs `original`: a function of the same code, globals and closure.
    """

    def __init__(self, function: FunctionType) -> None:
        self.code = function.__code__
        self.original = _twin(function)
        self.signpost = _signpost(function.__code__, self)
        self.users = 0  # contexts that divert the function
        self.prepared: dict[Any, Any] = {}  # what contexts of the same settings know about it

    def keep(self, settings: Any, ready: Any) -> None:
        """Keep what was prepared under some settings; the oldest goes where there is too much."""
        self.prepared.pop(settings, None)
        self.prepared[settings] = ready
        if len(self.prepared) > MOST_PREPARED:
            del self.prepared[next(iter(self.prepared))]

    def __call__(self, *arguments: Any) -> Any:
        """The result of a call of the function."""
        diverter = _DIVERTER.get()
        return self.original(*arguments) if diverter is None else diverter(self, arguments)


_DETOURS: WeakKeyDictionary[FunctionType, Detour] = WeakKeyDictionary()
_LOCK = Lock()


def _twin(function: FunctionType) -> FunctionType:
    twin = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    twin.__qualname__, twin.__module__ = function.__qualname__, function.__module__
    return twin


def _template(task_id: Any, S: Any, I: Any, C: Any, log_path: Any) -> Any:
    detour: Any = "the detour"
    return detour(task_id, S, I, C, log_path)


def _signpost(code: CodeType, detour: Detour) -> CodeType:
    """The code that a function has while it is diverted: it calls the detour.

    A code object may hold any object as a constant, so no global name is needed.
    """
    template = _template.__code__
    constants = tuple(detour if constant == "the detour" else constant for constant in template.co_consts)
    return template.replace(
        co_consts=constants,
        co_name=code.co_name,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_freevars=code.co_freevars,  # as many as the closure of the function has
    )


def _detour_in(code: CodeType) -> Detour | None:
    return next((constant for constant in code.co_consts if isinstance(constant, Detour)), None)


def original_of(function: Any) -> Any:
    """The function itself, or if it is diverted just now, its original."""
    detour = _detour_in(function.__code__) if isinstance(function, FunctionType) else None
    return function if detour is None else detour.original


class Diversion:
    """The functions that one context diverts."""

    def __init__(self) -> None:
        self._functions: list[FunctionType] = []

    def add(self, functions: Iterable[FunctionType]) -> None:
        """Divert functions until `end`."""
        with _LOCK:
            for function in functions:
                if any(function is other for other in self._functions):
                    continue
                detour = _DETOURS.get(function)
                if detour is None or (detour.users == 0 and function.__code__ is not detour.code):
                    detour = _DETOURS[function] = Detour(function)
                if detour.users == 0:
                    function.__code__ = detour.signpost
                detour.users += 1
                self._functions.append(function)

    def end(self) -> None:
        """Put back the code of the functions that no other context diverts."""
        with _LOCK:
            while self._functions:
                function = self._functions.pop()
                detour = _DETOURS[function]
                detour.users -= 1
                if detour.users == 0 and function.__code__ is detour.signpost:
                    function.__code__ = detour.code


@contextmanager
def diverted_to(diverter: Diverter, functions: Iterable[FunctionType]) -> Iterator[Diversion]:
    """Let `diverter` run the direct calls of some functions by this thread."""
    diversion = Diversion()
    token = _DIVERTER.set(diverter)
    try:
        diversion.add(functions)
        yield diversion
    finally:
        _DIVERTER.reset(token)
        diversion.end()


def is_batt_code(code: CodeType) -> bool:
    """Whether code takes the arguments of a batt; the code of a detour does not count."""
    return (
        code.co_argcount == len(PARAMETERS)
        and code.co_varnames[: len(PARAMETERS)] == PARAMETERS
        and not code.co_kwonlyargcount
        and not code.co_flags & NO_PLAIN_CALL
        and _detour_in(code) is None
    )


def batts_named_in(frame: FrameType) -> list[FunctionType]:
    """The batt functions that code running in a frame can reach by its names, as `batt` or `module.batt`."""
    names = set(_names_in(frame.f_code))
    variables = frame.f_locals
    values = [variables.get(name, frame.f_globals.get(name)) for name in names]
    found: dict[int, FunctionType] = {}
    for _ in range(3):  # `batt`, `module.batt`, `self.module.batt`
        functions = [value for value in values if isinstance(value, FunctionType)]
        found.update((id(function), function) for function in functions if _is_batt(function.__code__))
        values = [
            content[name]
            for content in map(_content_of, values)
            for name in names.intersection(content if isinstance(content, dict) else ())
        ]
    return list(found.values())


def _is_batt(code: CodeType) -> bool:
    return is_batt_code(code) or _detour_in(code) is not None


def _content_of(value: Any) -> Any:
    """The attributes of an object that no code computes."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None


def _names_in(code: CodeType) -> Iterator[str]:
    """The names in a piece of code, and in the lambdas and comprehensions inside."""
    yield from chain(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def batt_frames(frame: FrameType | None, most: int = 12) -> Iterator[FrameType]:
    """The frames of batt functions among the callers of a frame, from the inside out."""
    while frame is not None and most:
        if is_batt_code(frame.f_code):
            yield frame
        frame, most = frame.f_back, most - 1


def function_of(frame: FrameType) -> FunctionType | None:
    """The function that runs in a frame; None if it cannot be found."""
    code = frame.f_code
    named = frame.f_globals.get(code.co_name)
    if isinstance(named, FunctionType) and named.__code__ is code:
        return named
    for holder in gc.get_referrers(code):
        if isinstance(holder, FunctionType) and holder.__code__ is code:
            return holder
    return None
