"""Ops on columns of arguments: one call of the engine for a batch of grids, objects or other values."""

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce, wraps
from inspect import Parameter, Signature
from threading import Lock
from time import perf_counter
from typing import Any, Literal, cast, get_args

from arcbatt.arguments import require_flags, require_kind, require_one_of, require_text, shown
from arcbatt.batt.callables import CallableOp, ops_run_by, type_of_result
from arcbatt.batt.historical.python_functions import (
    ARITIES,
    MOST_ARGUMENTS,
    PythonFunctions,
    is_python_function,
)
from arcbatt.batt.historical.safe_ops import call_safely
from arcbatt.batt.per_op_backend import SELECTION, Selection
from arcbatt.batt.residency.gpu_env import plain
from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.functions import fn
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Callee, Op, find, no_op
from arcbatt.dsl.values import Function, Value, in_range, intake
from arcbatt.engine.backend import Backend, BackendName, require_limits
from arcbatt.engine.choose import choose, is_of_devices
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.text import plural

Outcomes = Sequence[Value | Failure]
RowMode = Literal["fail", "default"]

# The op that does what numpy.flip does along an axis of a grid, or along both.
FLIPS: dict[int | None, str] = {None: "rot180", 0: "hmirror", 1: "vmirror", -2: "hmirror", -1: "vmirror"}

# What the papers call the columns of some methods, and the names here.
NAMES_IN_THE_PAPERS = {
    "funcs_batch": "funcs",
    "args_batch": "args",
    "grids_batch": "grids",
    "rotations_batch": "kinds",
    "rotations": "kinds",
    "grids_list": "containers",
    "grid_lists": "containers",
    "samples_list": "containers",
    "sample_lists": "containers",
    "objects_batch": "objects",
    "objects_list": "objects",
    "colors_batch": "colors",
}
WRAPPER = re.compile(r"batch_(\w+)_wrapper")


@dataclass(frozen=True)
class BatchStats:
    """The backend of batches and their costs: calls of the engine, rows, seconds, failed rows by kind."""

    backend: BackendName
    why: str
    calls: int = 0
    rows: int = 0
    seconds: float = 0.0
    failures: Mapping[Kind, int] = field(default_factory=dict)


def in_words_of_the_papers(method: Callable[..., Outcomes]) -> Callable[..., Outcomes]:
    """A method that also takes its columns by the names that the papers give them."""

    @wraps(method)
    def named(self: "GPUDSLOperations", *given: Any, **columns: Any) -> Outcomes:
        if columns:
            columns = {NAMES_IN_THE_PAPERS.get(name, name): column for name, column in columns.items()}
        return method(self, *given, **columns)

    return named


def batch_of(op_name: str, *columns: str) -> Callable[..., Outcomes]:
    """A method that runs an op on columns of these names."""
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", *columns)]
    signature, op = Signature(parameters), TABLE[op_name]

    def method(self: "GPUDSLOperations", *given: Any, **named: Any) -> Outcomes:
        # Binding takes longer than a light op takes for ten grids.
        is_complete = len(given) == len(columns) and not named
        arguments = given if is_complete else signature.bind(self, *given, **named).args[1:]
        return self._run(op, op_name, arguments)

    method.__name__ = f"batch_{op_name}"
    method.__qualname__ = f"GPUDSLOperations.{method.__name__}"
    method.__doc__ = f"`{op_name}` on every row. {op.summary}"
    method.__signature__ = signature  # type: ignore[attr-defined]
    return in_words_of_the_papers(method)


class GPUDSLOperations:
    """Runs ops on columns: a list has one argument for each row; any other argument is shared by all rows.

    The result has a value or a `Failure` for each row, converted to Python on access. As the column of
    another batch it stays packed. Python values are packed once: the engine caches the objects that it has
    packed, up to some two million numbers. A bad row does not affect the others. Inside a row lists and sets
    become Tuples and Sets; a row with an object that is no value fails with TYPE. Batches run on the CPU
    unless `backend` names devices; `get_stats` says where and why. An op that `selection` puts on the
    reference runs there.

    A Python function in the place of a function value is called in this process; one warning says so.
    `batch_<op>_wrapper` is an op to put in the place of one in a module, such as `dsl.o_g`. It takes the
    arguments of one call. A failed call gives a default, as the ops of `arcbatt.compat` do.

    >>> operations = GPUDSLOperations()
    >>> operations.batch_replace([((1, 2),), ((2, 2),), None], 2, [5, 6, 7])
    [((1, 5),), ((6, 6),), Failure(kind='TYPE', node=None)]
    >>> operations.batch("add", [1, 2, 3], 10)
    [11, 12, 13]
    >>> operations.batch_compose(fn("add"), [(1, 2), (3, 4)])
    [3, 7]
    >>> operations.get_stats().rows
    8
    """

    def __init__(
        self,
        enable_gpu: bool = True,
        *,
        backend: str = "auto",
        limits: Limits = DEFAULT_LIMITS,
        selection: Selection = SELECTION,
        on_failure: RowMode = "fail",
    ) -> None:
        """One op is too little for a GPU, so `auto` stays on the CPU whether one is enabled or not.

        With `on_failure="default"` a failed row has the typed default of the op: an empty value or 0.
        """
        require_flags(enable_gpu=enable_gpu)
        require_limits(limits)
        require_kind(selection, Selection, "selection; arcbatt.Selection(...) makes one")
        self.selection = selection
        self._told: set[tuple[str, str]] = set()  # methods and Python functions that a warning has named
        require_one_of("on_failure", on_failure, get_args(RowMode))
        self.on_failure = on_failure
        self._backend, why = choose(backend, devices=False)
        self.asked, self.limits = backend, limits
        self._why = why
        self._calls = self._rows = 0
        self._seconds = 0.0
        self._failures: Counter[Kind] = Counter()
        self._account = Lock()

    @property
    def use_gpu(self) -> bool:
        """Whether batches run on a device."""
        return is_of_devices(self._backend.name)

    def __getattr__(self, name: str) -> Any:
        wrapped = WRAPPER.fullmatch(name)
        op = find(wrapped[1]) if wrapped else None
        if op is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return CallableOp(op.name, (), op.arity, self._call_wrapped)

    def _call_wrapped(self, head: CallableOp, arguments: tuple[Any, ...]) -> Any:
        with ops_run_by(self._run_row):
            return call_safely(head, arguments)

    def _run_row(self, callee: Callee, values: tuple[Value, ...]) -> Value | Failure:
        """The outcome of one call, which is a batch of one row."""
        (outcome,) = self._run(callee, callee.name, tuple([value] for value in values), 1)
        return outcome

    def batch(self, op_name: str | Function, *columns: Any) -> Outcomes:
        """An op by its name, or a function value, on every row of some columns."""
        if isinstance(op_name, Function):
            if len(columns) != op_name.arity:
                raise _another_count(repr(op_name), op_name.arity, columns)
            return self._run(FUNCTION_CALL, repr(op_name), (op_name, *columns))
        require_text("the op of a batch", op_name)
        op = find(op_name)
        if op is None:
            raise ArcbattError(no_op(op_name))
        if len(columns) != op.arity:
            raise _another_count(op.declaration, op.arity, columns)
        return self._run(op, op.name, columns)

    batch_o_g = batch_of("o_g", "grids", "kinds")
    batch_mapply = batch_of("mapply", "func", "containers")
    batch_apply = batch_of("apply", "func", "containers")
    batch_colorfilter = batch_of("colorfilter", "objects", "colors")
    batch_p_g = batch_of("p_g", "grids")
    batch_fgpartition = batch_of("fgpartition", "grids")
    batch_difference = batch_of("difference", "containers", "others")
    batch_difference_tuple = batch_of("difference_tuple", "tuples", "others")
    batch_f_ofcolor = batch_of("f_ofcolor", "grids", "colors")
    batch_replace = batch_of("replace", "grids", "replacees", "replacers")
    batch_fill = batch_of("fill", "grids", "colors", "patches")
    batch_colorcount = batch_of("colorcount", "elements", "colors")
    batch_rot90 = batch_of("rot90", "grids")

    def batch_call(self, functions: Any, *columns: Any) -> Outcomes:
        """The function of each row applied to the arguments of the row, which are columns.

        >>> GPUDSLOperations().batch_call([fn("double"), fn("increment")], [4, 5])
        [8, 6]
        """
        return self._run(FUNCTION_CALL, "call", (functions, *columns))

    @in_words_of_the_papers
    def batch_compose(self, funcs: Any, args: Any) -> Outcomes:
        """The function of each row applied to the arguments of the row: `f(*args)`.

        The arguments of a row are a Tuple; any other value is a single argument. A Tuple of functions is
        their composition, in which the last is applied first, as in `compose`.

        >>> operations = GPUDSLOperations()
        >>> operations.batch_compose([fn("add"), fn("double")], [(1, 2), (5,)])
        [3, 10]
        """
        python = PythonFunctions()
        arguments = _spread(args)
        named = _named_compositions(funcs, arguments, python)
        if python:
            with self._python_in("batch_compose", python):
                return self._composed(named, arguments)
        return self._composed(named, arguments)

    def _composed(self, funcs: Any, arguments: Any) -> Outcomes:
        functions = _compositions(funcs)
        rows = _row_count("compose", (functions, arguments))
        if not is_column(arguments):
            arguments = [arguments] * rows
        widths = sorted({len(row) for row in arguments})
        if len(widths) == 1:
            return self._run(FUNCTION_CALL, "compose", (functions, *map(list, zip(*arguments))), rows)
        return self._composed_by_width(functions, arguments, widths)

    def _composed_by_width(self, functions: Any, arguments: list[Any], widths: list[int]) -> Outcomes:
        """One batch for each number of arguments."""
        outcomes: list[Any] = [None] * len(arguments)
        for width in widths:
            places = [place for place, row in enumerate(arguments) if len(row) == width]
            some = [functions[place] for place in places] if is_column(functions) else functions
            columns = map(list, zip(*(arguments[place] for place in places)))
            for place, outcome in zip(
                places, self._run(FUNCTION_CALL, "compose", (some, *columns), len(places))
            ):
                outcomes[place] = outcome
        return outcomes

    def batch_flip(self, grids: Any, axis: int | None = None) -> Outcomes:
        """Every grid flipped as numpy.flip does: axis 0 upside down, 1 left to right, none both.

        These are the ops `hmirror`, `vmirror` and `rot180`; the op `flip` is the logical not.

        >>> GPUDSLOperations().batch_flip([((1, 2), (3, 4))], 0)
        [((3, 4), (1, 2))]
        """
        try:
            op_name = FLIPS[axis]
        except Exception:  # not there, or not to be hashed
            axes = "use 0 (upside down), 1 (left to right) or None"
            raise ArcbattError(f"a grid has no axis {shown(axis)}; {axes}") from None
        return self.batch(op_name, grids)

    def batch_transpose(self, grids: Any) -> Outcomes:
        """Rows and columns of every grid exchanged, as numpy.transpose does: the op `dmirror`."""
        return self.batch("dmirror", grids)

    @contextmanager
    def _python_in(self, method: str, python: PythonFunctions) -> Iterator[None]:
        """A scope in which Python functions run as ops; the first call of each warns."""
        new = [title for title in python.titles if (method, title) not in self._told]
        if new:
            self._told.update((method, title) for title in new)
            warnings.warn(
                f"{', '.join(new)} in {method} runs as plain Python, since it is no op of arcbatt",
                RuntimeWarning,
                stacklevel=_frames_inside(),
            )
        with python.scope():
            yield

    def _backend_of(self, callee: Callee) -> Backend:
        off = self.selection.on_reference
        on_reference = callee.name in off or (off and callee.higher_order)  # it may apply any op
        return choose("reference")[0] if on_reference else self._backend

    def get_stats(self) -> BatchStats:
        """The costs of all batches up to now."""
        with self._account:
            counts = self._calls, self._rows, self._seconds, Counter(self._failures)
        return BatchStats(self._backend.name, self._why, *counts)

    def _run(self, callee: Callee, name: str, columns: tuple[Any, ...], rows: int | None = None) -> Outcomes:
        if isinstance(callee, Op) and callee.higher_order:
            python = PythonFunctions()
            columns = _named_functions(callee, columns, python)
            if python:
                with self._python_in(f"batch_{name}", python):
                    return self._run(callee, name, columns, rows)
        started = perf_counter()
        if rows is None:
            rows = _row_count(name, columns)
        filled = [column if is_column(column) else self._repeated(column, rows) for column in columns]
        outcomes = self._backend_of(callee).call_many(callee, filled, self.limits)
        failures = _kinds_of_failures(outcomes)
        if failures and self.on_failure == "default":
            outcomes = _with_defaults(callee, filled, outcomes)
        with self._account:
            self._calls += 1
            self._rows += rows
            self._seconds += perf_counter() - started
            if failures:
                self._failures.update(failures)
        return outcomes

    def _repeated(self, argument: Any, rows: int) -> list[Value]:
        """A column of one argument, which the engine packs only once."""
        if type(argument) is int and in_range(argument):
            return [argument] * rows
        try:
            return [intake(plain(argument), self.limits)] * rows
        except RecursionError:  # making room beforehand takes longer than most ops
            with room_for(self.limits.depth):
                return [intake(plain(argument), self.limits)] * rows


def is_column(argument: Any) -> bool:
    """Whether an argument has a value for each row: a list, or the result of another batch."""
    if type(argument) in (list, tuple):
        return type(argument) is list
    return isinstance(argument, Sequence) and not isinstance(argument, tuple | str | bytes)


def _kinds_of_failures(outcomes: Outcomes) -> list[Kind]:
    """The kinds of the failures; packed outcomes know them without being unpacked."""
    packed: Callable[[], list[Kind]] | None = getattr(outcomes, "kinds_of_failures", None)
    if packed is not None:
        return packed()
    return [outcome.kind for outcome in outcomes if isinstance(outcome, Failure)]


def _with_defaults(callee: Callee, columns: Sequence[Sequence[Any]], outcomes: Outcomes) -> Outcomes:
    """The outcomes with typed defaults in place of failures."""

    def default(row: int) -> Value:
        return type_of_result(callee if isinstance(callee, Op) else columns[0][row]).default

    if isinstance(outcomes, list):
        return [default(row) if isinstance(each, Failure) else each for row, each in enumerate(outcomes)]
    cast(Any, outcomes).replace_failures(default)
    return outcomes


def _another_count(callee: str, arity: int, columns: tuple[Any, ...]) -> ArcbattError:
    return ArcbattError(
        f"a batch of {callee} needs {plural(arity, 'column')}, not {plural(len(columns), 'column')}"
    )


def _row_count(name: str, columns: tuple[Any, ...]) -> int:
    lengths = [len(column) for column in columns if is_column(column)]
    if not lengths:
        raise ArcbattError(
            f"a batch of {name} has no column; give a list, one argument for each row (a tuple is one value)"
        )
    if len(lengths) > 1 and len(set(lengths)) > 1:
        found = ", ".join(map(str, lengths))
        raise ArcbattError(f"the columns of a batch of {name} have {found} rows; they must be equally long")
    return lengths[0]


def _frames_inside() -> int:
    """How many frames lie between the caller of this function and code outside the package."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        ("arcbatt.", "contextlib")
    ):
        frame, count = frame.f_back, count + 1
    return count


def _named_functions(op: Op, columns: tuple[Any, ...], python: PythonFunctions) -> tuple[Any, ...]:
    """The columns with function values in the place of Python functions."""
    named = list(columns)
    for place, (param, column) in enumerate(zip(op.params, columns)):
        arity = ARITIES.get(param.type.name)
        if arity is None:
            continue
        if not is_column(column):
            named[place] = _named_function(column, arity, python)
        elif isinstance(column, list) and any(map(_is_python, column)):  # packed columns have values only
            named[place] = [_named_function(part, arity, python) for part in column]
    return tuple(named)


def _named_compositions(functions: Any, arguments: Any, python: PythonFunctions) -> Any:
    """Compositions with function values in the place of Python functions.

    The last function of a composition takes the arguments of its row, the others one.
    """
    if is_column(functions):
        rows = arguments if is_column(arguments) else [arguments] * len(functions)
        return [_named_composition(each, len(row), python) for each, row in zip(functions, rows)] + list(
            functions[len(rows) :]
        )
    if not is_column(arguments):
        return _named_composition(functions, len(arguments), python)
    if not any(map(_is_python, functions if isinstance(functions, tuple) else (functions,))):
        return functions
    return [_named_composition(functions, len(row), python) for row in arguments]


def _named_composition(functions: Any, width: int, python: PythonFunctions) -> Any:
    if not isinstance(functions, tuple):
        return _named_function(functions, width, python)
    *outer, inner = functions or (None,)
    return (*(_named_function(part, 1, python) for part in outer), _named_function(inner, width, python))


def _named_function(part: Any, arity: int, python: PythonFunctions) -> Any:
    takes_part = 1 <= arity <= MOST_ARGUMENTS and _is_python(part)
    return python.value_of(part, arity) if takes_part else part


def _is_python(part: Any) -> bool:
    return not isinstance(part, Function) and is_python_function(plain(part))


def _compositions(functions: Any) -> Any:
    """A composition as a function, or one for each row; None for a row that is no composition."""
    if not is_column(functions):
        return _composition(functions)
    column: list[Function | None] = []
    for row in functions:
        try:
            column.append(_composition(row))
        except ValueRefused:
            column.append(None)
    return column


def _spread(arguments: Any) -> Any:
    """The arguments of each row as a Tuple, or one Tuple for all rows."""
    if is_column(arguments):
        return [_spread_row(row) for row in arguments]
    return _spread_row(arguments)


def _spread_row(arguments: Any) -> tuple[Any, ...]:
    arguments = plain(arguments)
    return arguments if isinstance(arguments, tuple) else (arguments,)


def _composition(functions: Any) -> Function:
    parts = tuple(map(plain, functions if isinstance(functions, tuple) else (functions,)))
    if not parts or not all(isinstance(part, Function) for part in parts):
        raise ValueRefused(
            "a composition is a function or a tuple of functions, made by arcbatt.fn(...) or by an op"
        )
    composed: Function = reduce(lambda inner, outer: fn("compose", outer, inner), reversed(parts))
    return composed
