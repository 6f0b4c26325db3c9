"""Recording a batt function: its source as a plan, after a check that its code was compiled from it."""

import ast
import builtins
import linecache
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from types import CodeType, FunctionType
from typing import Any

from arcbatt.batt import runtime
from arcbatt.batt.callables import CallableOp
from arcbatt.batt.direct import original_of
from arcbatt.batt.env import Env
from arcbatt.batt.historical.safe_ops import ReadAsLine, UnknownName
from arcbatt.batt.historical.safe_runtime import SAFE_OF_OWN
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import TABLE, find
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.plan import Plan, plan_of, plan_of_lines
from arcbatt.engine.running.sample_runner import MODE_OF_STYLE
from arcbatt.errors import ProgramError
from arcbatt.gc_pause import gc_paused
from arcbatt.program.batt_files.body import BATCH, ENVIRONMENTS, BodyReader
from arcbatt.program.batt_files.read import FALLBACK, RESIDENT, body_in
from arcbatt.program.graph import Batt, BattLine, Node, Style
from arcbatt.program.oddities import refusal
from arcbatt.program.syntax import TOO_DEEP, parsed

NOT_FOUND = object()
KNOWN_NAMES = {*runtime.OWN_NAMES, *ENVIRONMENTS}

MOST_RECORDINGS = 16
_UNKNOWN_OP = re.compile(r"there is no op or variable '(\w+)'")
LOGGED: tuple[Style, ...] = ("pile", "hybrid")  # the styles whose files log what fails

_known: dict[Any, "Recording"] = {}
_one_at_a_time = Lock()  # parsing turns warnings off for the whole process, so one thread parses at a time


@dataclass(frozen=True)
class Recording:
    """A batt function as data: the plan of its lines, and the beginning of each entry of o and s.

    `names` are the names that each body takes from its module. `entries` has for each root of the plan the
    list ("o" or "s") and the beginning of the tuple appended to it. `line_style` is the style of the lines.
    `logged` is the plan of all lines, for functions that log failed lines. `stand_ins` are names that lines
    call although they have no meaning there; what they are bound to gives a default. `unknown` has
    such names by the position of the line.
    """

    style: Style
    line_style: Style
    lines: tuple[BattLine, ...]
    plan: Plan
    logged: Plan | None
    entries: tuple[tuple[str, tuple[Any, ...]], ...]
    names: tuple[frozenset[str], ...]
    never_raises: bool = False
    stand_ins: frozenset[str] = frozenset()
    unknown: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def nodes(self) -> list[Node]:
        """The nodes of all lines."""
        return [line.node for line in self.lines]

    @property
    def is_forgiving(self) -> bool:
        """Whether in Python a function that fails inside an op gives its default, and the op goes on."""
        return self.never_raises and self.mode == "default"

    @property
    def mode(self) -> FailureMode:
        """The failure mode, which sets the value of a failed line; bare lines of safe ops give defaults."""
        is_bare = self.line_style == "vectorized"
        return "default" if is_bare and self.never_raises else MODE_OF_STYLE[self.line_style]


def bodies_of(function: Any) -> tuple[FunctionType, ...]:
    """The functions that a call of a batt function may run: itself, and for style `hybrid` its two bodies."""
    if not isinstance(function, FunctionType):
        raise ProgramError("only a function written in Python has lines to record", "<no file>")
    function = original_of(function)
    if not {RESIDENT, FALLBACK} <= set(function.__code__.co_names):
        return (function,)
    others = [original_of(_bound(function, name)) for name in (RESIDENT, FALLBACK)]
    for name, other in zip((RESIDENT, FALLBACK), others):
        if not isinstance(other, FunctionType):
            raise _refused(function, f"there is no function {name!r}; a hybrid batt has both bodies")
    return function, *others


def key_of(bodies: Sequence[FunctionType]) -> Any:
    """The key of a recording: the code of the functions, their files, and the ops, those of a user, too."""
    own = tuple((op.name, op.arity) for op in TABLE.values() if not op.trusted)
    return own, _never_raises(bodies), *((body.__code__, body.__code__.co_filename) for body in bodies)


def recording_of(bodies: Sequence[FunctionType]) -> Recording:
    """The recording of a batt function; one that is not straight-line is refused with line and reason.

    Nothing is run. The source is compiled again and must give the very code of the function: only then does
    the source say what the function does. The latest recordings are kept.
    """
    key = key_of(bodies)
    with _one_at_a_time:
        try:
            recording = _known.pop(key, None) or _recorded(bodies)
        except ProgramError as refused:
            raise _on_helper(bodies, refused) from None
        _known[key] = recording
        if len(_known) > MOST_RECORDINGS:
            del _known[next(iter(_known))]
    return recording


def _never_raises(bodies: Sequence[FunctionType]) -> bool:
    """Whether the ops of a function are those of `arcbatt.compat`."""
    body = bodies[1] if len(bodies) > 1 else bodies[0]
    bound = (_bound(body, name) for name in (*body.__code__.co_names, *body.__code__.co_freevars))
    return next((head.never_raises for head in bound if isinstance(head, CallableOp)), False)


@gc_paused()
def _recorded(bodies: Sequence[FunctionType]) -> Recording:
    definitions = _definitions(bodies)
    file = bodies[-1].__code__.co_filename
    never_raises = _never_raises(bodies)
    stand_ins: set[str] = set()

    def is_stand_in(name: str) -> bool:
        stand_ins.add(name)
        return _is_stand_in(bodies, name)

    takes = is_stand_in if never_raises else None
    if BATCH in bodies[-1].__code__.co_names:
        reason = f"it calls {BATCH!r}, whose lines run in the engine as columns"
        raise refusal(definitions[-1], file, f"{definitions[-1].name}: {reason}", definitions[-1].name)
    try:
        if len(bodies) > 1:
            body = body_in(ast.Module([*definitions], []), file, is_stand_in=takes)
        else:
            body = BodyReader(definitions[-1], file, strict=True)
            body.reads_lambdas = body.takes_environments = True
            body.is_stand_in = takes
            body.read()
    except RecursionError:
        raise refusal(definitions[-1], file, TOO_DEEP) from None
    if "gpu-direct" in body.styles and not never_raises:
        reason = "a try stands around all lines, so the first failure ends it"
        raise refusal(definitions[-1], file, reason, definitions[-1].name)
    names = tuple(_free_names(each.__code__) for each in bodies)
    if never_raises:  # so no handler runs, and in a hybrid no second body
        names = tuple(_without_rescues(found) for found in names[:2])
    listing = body.listing()
    line_style: Style = body.style or "vectorized"
    if line_style == "gpu-direct":  # of ops that never raise
        line_style = "vectorized"
    style: Style = "hybrid" if len(bodies) > 1 else line_style
    logged = None
    if style in LOGGED and not (never_raises and line_style != "pile"):
        whole = plan_of_lines(Batt((), line_style, listing))
        logged = replace(whole, roots=tuple(whole.lines[position] for position in listing.outputs))
    if line_style == "pile" and logged is not None:
        plan = logged
    else:
        plan = plan_of([listing.lines[position].node for position in listing.outputs])
    entries = tuple(_entry(output.statement) for output in body.outputs)
    lost = frozenset(stand_ins), body.unknown
    return Recording(style, line_style, listing.lines, plan, logged, entries, names, never_raises, *lost)


def _without_rescues(names: frozenset[str]) -> frozenset[str]:
    """The names that functions of safe ops need; ops of a user may raise, and so need the defaults, too."""
    ops = (find(name) for name in names)
    return names - {"_get_safe_default"} if all(op is None or op.trusted for op in ops) else names


def _on_helper(bodies: Sequence[FunctionType], refused: ProgramError) -> ProgramError:
    """The refusal of a function; if it calls a name that is a Python function, that is what it says."""
    unknown = _UNKNOWN_OP.search(refused.reason)
    for body in bodies if unknown else ():
        if unknown and isinstance(_bound(body, unknown[1]), FunctionType):
            reason = f"{body.__name__}: there is no op or variable {unknown[1]!r}; it is a Python function"
            return ProgramError(reason, refused.file, refused.line, refused.column)
    return refused


def _entry(statement: ast.stmt) -> tuple[str, tuple[Any, ...]]:
    """The list that a checked output goes to, and its entry there without the value."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(into)), [ast.Tuple([*beginning, _])])):
            return into, tuple(part.value for part in beginning if isinstance(part, ast.Constant))
    raise AssertionError(ast.dump(statement))


def _definitions(bodies: Sequence[FunctionType]) -> list[ast.FunctionDef]:
    """The syntax trees of some functions."""
    sources: dict[str, tuple[ast.Module, CodeType]] = {}
    definitions = []
    for body in bodies:
        file = body.__code__.co_filename
        if file not in sources:
            sources[file] = _source(body)
        module, whole = sources[file]
        definition = _definition_in(module, body.__code__)
        if definition is None or not _is_compiled_from(body.__code__, whole):
            raise _refused(body, "its source has changed since it was loaded, or never was there")
        definitions.append(definition)
    return definitions


def _source(body: FunctionType) -> tuple[ast.Module, CodeType]:
    """The source file of a function, as a syntax tree and compiled."""
    file = body.__code__.co_filename
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, body.__globals__))
    if not text:
        raise _refused(body, "its source is not at hand; import it from a file")
    module = parsed(text, file)
    if isinstance(module, ProgramError):
        raise module
    try:
        return module, compile(module, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refused(body, f"its source cannot be compiled again: {error}") from None


def _definition_in(tree: ast.AST, code: CodeType) -> ast.FunctionDef | None:
    """The definition of a function; its first line is that of its first decorator."""
    for part in ast.iter_child_nodes(tree):
        if not isinstance(part, ast.stmt | ast.ExceptHandler):
            continue
        if isinstance(part, ast.FunctionDef) and part.name == code.co_name:
            beginnings = [part.lineno, *(decorator.lineno for decorator in part.decorator_list)]
            if min(beginnings) == code.co_firstlineno:
                return part
        if part.lineno <= code.co_firstlineno <= (part.end_lineno or part.lineno):
            return _definition_in(part, code)
    return None


def _is_compiled_from(code: CodeType, whole: CodeType) -> bool:
    content = _content(code)
    return any(_content(other) == content for other in _codes(whole))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all code objects nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _content(code: CodeType) -> tuple[Any, ...]:
    """The behaviour of a function, without its place. Constants are text, in which 1 and True differ."""
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    constants = [_content(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return code.co_code, constants, names, getattr(code, "co_exceptiontable", b"")


def _free_names(code: CodeType) -> frozenset[str]:
    """The names of the language that a function, or a lambda in it, does not bind itself."""
    codes = list(_codes(code))
    found = {name for each in codes for name in each.co_names} | {*code.co_freevars}
    return frozenset(
        name for name in found if name in CONSTANTS or name in KNOWN_NAMES or find(name) is not None
    )


def require_names(bodies: Sequence[FunctionType], recording: Recording) -> None:
    """Refuse a function in which a name of the language is bound to something else."""
    for body, names in zip(bodies, recording.names):
        reason = _stranger(names, lambda name, body=body: _bound(body, name))  # type: ignore[misc]
        if reason is not None:
            raise _refused(body, reason)
    for name in recording.stand_ins:
        if not _is_stand_in(bodies, name):
            raise _refused(bodies[-1], f"{name!r} has a meaning now that it had not before")


def _is_stand_in(bodies: Sequence[FunctionType], name: str) -> bool:
    """Whether a name is bound to what gives a default when it is called, in each body."""
    return all(
        name not in body.__code__.co_varnames and isinstance(_bound(body, name), UnknownName | ReadAsLine)
        for body in bodies
    )


def _stranger(names: Iterable[str], bound_to: Callable[[str], Any]) -> str | None:
    """A sentence on the first name of the language that is bound to something else."""
    for name in sorted(names):
        bound = bound_to(name)
        if not _is_meant(name, bound):
            what = "nothing" if bound is NOT_FOUND else f"{type(bound).__name__} of its own"
            return (
                f"{name!r} is not that of arcbatt.batt.runtime but {what}; "
                "with trust_names=True it is taken at its word"
            )
    return None


def _bound(function: FunctionType, name: str) -> Any:
    """The object that a name is bound to inside a function."""
    code, cells = function.__code__, function.__closure__ or ()
    if name in code.co_freevars:
        try:
            return cells[code.co_freevars.index(name)].cell_contents
        except ValueError:  # the cell is still empty
            return NOT_FOUND
    return _global(function.__globals__, name)


def _global(names: dict[str, Any], name: str) -> Any:
    return names.get(name, getattr(builtins, name, NOT_FOUND))


def _is_meant(name: str, bound: Any) -> bool:
    """Whether a name is bound to the object of the language, or to the Python body of a user's op."""
    if name in ENVIRONMENTS:
        return isinstance(bound, type) and issubclass(bound, Env) and bound.__module__.startswith("arcbatt.")
    if name in runtime.OWN_NAMES:
        return bound is getattr(runtime, name) or bound is SAFE_OF_OWN.get(name)
    if name in CONSTANTS:
        constant = CONSTANTS[name]
        return isinstance(bound, type(constant)) and not isinstance(bound, bool) and bool(bound == constant)
    op = find(name)
    if op is None:
        return False
    return (type(bound) is CallableOp and bound.name == op.name) or (bound is op.body and not op.trusted)


def _refused(function: FunctionType, reason: str) -> ProgramError:
    code = function.__code__
    return ProgramError(f"{function.__name__}: {reason}", code.co_filename, code.co_firstlineno)
