"""User-defined ops: registered at run time for all code, or only for the code inside a scope."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from keyword import iskeyword
from typing import Any, TypeVar, get_type_hints

from arcbatt.arguments import require_callable, require_text
from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl import types
from arcbatt.dsl.static.signatures import signature_of
from arcbatt.dsl.table import TABLE, Op, add, no_op, record, scope_of
from arcbatt.errors import ArcbattError

Body = TypeVar("Body", bound=Callable[..., Any])
OWN_GROUP = "own"
# Names that no op can have because written files use them: variables, other words, and the names of the
# module that a batt file imports to run as plain Python.
NUMBERED = re.compile("[tx][0-9]+")
RESERVED = {
    *("C", "Env", "Exception", "I", "O", "S", "_get_safe_default", "batt", "batt_cpu_fallback"),
    *("batt_gpu_resident", "env", "log_path", "o", "s", "task_id"),
    *("Cs", "GPUDSLOperations", "Is", "Ss", "batt_batch", "columns_of", "log_paths", "n", "on_failure"),
    *("rows_of", "task_ids"),
    *("ALIASES", "Any", "CONSTANTS", "CallableOp", "DslFailure", "OKT", "OWN_NAMES", "TABLE", "as_callable"),
    *("batch_process_samples_gpu", "find", "kind_of_failure", "log_failure", "ops", "sys", "type_of_result"),
}


def register_op(body: Body, *, name: str | None = None, signature: str | None = None) -> Body:
    """Make a Python function an op; its annotations are types of the language, or their names.

    It works at once on every backend, in mutation and in programs. An exception is a failure, and so is a
    result that is not of the declared type. Names that files of programs or batts use themselves are refused.
    Also works as a decorator. `signature` can say more than the annotations, such as `"k[a] -> a"`; mutation
    and random programs use it.

    >>> @register_op
    ... def brighten(grid: "Grid", by: "Integer") -> "Grid":
    ...     "Every colour raised."
    ...     return tuple(tuple(color + by for color in row) for row in grid)
    >>> call("brighten", ((1, 2),), 3)
    ((4, 5),)
    >>> unregister_op("brighten")
    >>> call("brighten", ((1, 2),), 3)
    Traceback (most recent call last):
        ...
    arcbatt.errors.ValueRefused: there is no op 'brighten'...
    """
    add(own_op(body, name, signature))
    return body


def unregister_op(name: str) -> None:
    """Remove a user's op from the language; programs that use it are refused from then on."""
    require_text("the name of an op", name)
    known = TABLE.get(name)
    if known is None:
        raise ArcbattError(no_op(name))
    if known.trusted:
        raise ArcbattError(f"op {name!r} is part of the language; only ops of your own can be unregistered")
    if not dict.__contains__(TABLE, name):
        raise ArcbattError(f"op {name!r} belongs to a scope; it ends with the scope")
    del TABLE[name]


@contextmanager
def own_ops(*bodies: Callable[..., Any]) -> Iterator[None]:
    """Make ops visible only to the code inside, in this thread.

    >>> def twice(n: "Integer") -> "Integer":
    ...     return 2 * n
    >>> with own_ops(twice):
    ...     call("twice", 4)
    8
    """
    with scope_of(own_op(body, None) for body in bodies):
        yield


def _require_name(title: str) -> None:
    """Refuse a name that no program can use, or that means something else in a written file."""
    if not title.isidentifier() or iskeyword(title):
        raise ArcbattError(f"expected a Python name for an op, got {title!r}")
    if title in RESERVED or NUMBERED.fullmatch(title) or title.startswith("__"):
        raise ArcbattError(f"{title!r} is a name that written files use; choose another name for the op")


def own_op(body: Callable[..., Any], name: str | None, signature: str | None = None) -> Op:
    """The record of a user's op."""
    require_callable("the body of an op", body)
    title = str(getattr(body, "__name__", "op")) if name is None else name
    require_text("the name of an op", title)
    if signature is not None:
        require_text("the signature of an op", signature)
    _require_name(title)
    try:
        hints = get_type_hints(body, localns=vars(types), include_extras=True)
    except NameError as error:
        raise ArcbattError(f"op {title!r}: {error}; annotate with types of arcbatt.dsl.types") from None
    except TypeError:
        raise ArcbattError(f"op {title!r} has no annotations; its body must be a Python function") from None
    hints = {part: types.AnyValue if hint is Any else hint for part, hint in hints.items()}
    if "return" not in hints:
        raise ArcbattError(f'op {title!r} does not say what it returns; annotate it, such as -> "Grid"')
    try:
        made = record(body, hints, signature, trusted=False)
    except ArcbattError as error:
        raise ArcbattError(f"op {title!r}: {error}") from None
    named = replace(made, name=title, group=OWN_GROUP)
    if signature is not None:
        signature_of(named)  # refuses a malformed one, or one that contradicts the annotations
    return named
