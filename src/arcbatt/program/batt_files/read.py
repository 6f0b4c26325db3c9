"""Reading batt files with `ast`, in six styles: nothing is executed, and odd lines cost only dependants."""

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from arcbatt.arguments import require_flags, require_path, require_text
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import find
from arcbatt.errors import ProgramError
from arcbatt.gc_pause import gc_paused
from arcbatt.program.batt_files.body import BATCH, PARAMETERS, BodyReader, Output, caught_by_name
from arcbatt.program.batt_files.column_body import ColumnReader, is_one_sample_of, is_written
from arcbatt.program.graph import Batt, Node, Program, Style, substituted
from arcbatt.program.merge import solving_root
from arcbatt.program.names import under_names_in_batt
from arcbatt.program.oddities import Oddities, refusal
from arcbatt.program.origin import Origin
from arcbatt.program.syntax import (
    TOO_DEEP,
    FunctionReader,
    Hints,
    describe,
    is_text,
    parsed,
    quoted,
    text_of_file,
)

BATT, RESIDENT, FALLBACK = "batt", "batt_gpu_resident", "batt_cpu_fallback"
ONE_SAMPLE = f"return {BATCH}([task_id], [S], [I], [C], [log_path])[0]"


def load_batt(path: str | os.PathLike[str], strict: bool = False) -> Batt:
    """The batt of a batt file; see `parse_batt`."""
    require_flags(strict=strict)
    return parse_batt(text_of_file(path), os.fspath(path), strict)


@gc_paused()
def parse_batt(text: str, file: str = "<string>", strict: bool = False) -> Batt:
    """The batt of a source text: its programs, and in `read` its lines in file order.

    An unreadable line costs only its dependants, which fail with TYPE; `warnings` lists what was odd.
    With `strict` the first oddity is an error.

    >>> batt = parse_batt('''
    ... def batt(task_id, S, I, C, log_path):
    ...     s = []
    ...     o = []
    ...     t1 = rot90(I)
    ...     o.append((1, False, '00d62c1b', t1))
    ...     t2 = rot09(t1)
    ...     o.append((2, True, '00d62c1b', t2))
    ...     return o, s
    ... ''')
    >>> batt.style, batt.programs
    ('vectorized', (<solver 00d62c1b~9c7be7 ...>, <solver 00d62c1b~0522d6 ...>))
    >>> for warning in batt.warnings:
    ...     print(warning)
    <string>:7: there is no op or variable 'rot09'; did you mean 'rot90'?: what uses it fails with TYPE
    """
    require_flags(strict=strict)
    require_text("text", text)
    require_path("file", file)
    module = parsed(text, file)
    if isinstance(module, ProgramError):
        raise module
    return batt_in(module, text, file, strict)


def is_batt(module: ast.Module) -> bool:
    """Whether a file is a batt file: it defines `batt`."""
    return any(isinstance(part, ast.FunctionDef) and part.name == BATT for part in module.body)


def batt_in(module: ast.Module, text: str, file: str, strict: bool = False) -> Batt:
    """The batt of a parsed file."""
    odd = Oddities(file, strict)
    body = body_in(module, file, strict, odd)
    style: Style | None = body.style if body.function.name in (BATT, BATCH) else "hybrid"
    return Batt(_programs(body, text), style, body.listing(), body.style, (*odd.found, *body.warnings))


def body_in(
    module: ast.Module,
    file: str,
    strict: bool = True,
    odd: Oddities | None = None,
    is_stand_in: Callable[[str], bool] | None = None,
) -> BodyReader:
    """The body to read: in a hybrid the first of the two, unless its unguarded lines may raise.

    If the two differ, the one with fewer oddities is read. Oddities outside the bodies are added to `odd`.
    """
    odd = odd or Oddities(file, strict)
    functions, known = _parts(module, file, odd)
    hints = Hints()
    names = _bodies(functions, file, odd)
    bodies: list[BodyReader] = []
    refused: list[ProgramError] = []
    if is_stand_in is not None:
        names = names[:1]  # its lines never raise, so the other body never runs
    for name in names:
        try:
            bodies.append(_read(functions[name], file, strict, known, hints, is_stand_in))
        except ProgramError as error:
            refused.append(error)
    if refused and (strict or not bodies):
        raise refused[0]
    for other in refused:
        odd.add("body", functions[names[0]], other.reason, "the other body is read")
    if len(bodies) < 2:
        return bodies[0]
    resident, fallback = bodies
    if strict and (resident.style == "pile") != (fallback.style == "pile"):
        reason = f"{RESIDENT!r} is of style {resident.style}, {FALLBACK!r} of style {fallback.style}"
        raise resident.refuse(resident.function, f"{reason}; both or none must be of style pile")
    _compare_outputs(resident, fallback, odd)
    if resident.odd.total != fallback.odd.total:
        return min(resident, fallback, key=lambda body: body.odd.total)
    return fallback if resident.style == "vectorized" else resident


def _parts(
    module: ast.Module, file: str, odd: Oddities
) -> tuple[dict[str, ast.FunctionDef], dict[str, Node]]:
    """The functions of a batt file by name, and the constants outside functions."""
    functions: dict[str, ast.FunctionDef] = {}
    outside: list[ast.stmt] = []
    batts = (part for part in module.body if isinstance(part, ast.FunctionDef) and part.name == BATT)
    parts = {BATT, RESIDENT, FALLBACK} | {BATCH for batt in batts if is_one_sample_of(batt)}
    for statement in module.body:
        if isinstance(statement, ast.Import | ast.ImportFrom) or is_text(statement):
            continue
        if not isinstance(statement, ast.FunctionDef):
            what = describe(statement)
            reason = f"{what} outside a function; a batt file holds imports and `def {BATT}` only"
            odd.add("outside", statement, reason, "it is skipped")
            for anew in _defined_anew(statement):
                _note_anew(statement, anew, odd)
            outside.append(statement)
            continue
        name = statement.name
        if name not in parts:
            reason = f"expected a function {BATT!r}, got {quoted(name)}"
            odd.add("helper", statement, reason, "it is skipped, unless 'batt' returns a call of it")
            if _is_of_language(name):
                _note_anew(statement, name, odd)
        elif name in functions:
            reason = f"{name!r} is defined twice; keep one of them"
            odd.add("defined twice", statement, reason, "the last one counts")
        functions[name] = statement
    if BATT not in functions:
        raise ProgramError(f"there is no batt; one is `def {BATT}({', '.join(PARAMETERS)}):`", file)
    constants = (_constant(statement, functions[BATT], file) for statement in outside)
    return functions, {name: node for found in constants for name, node in found.items()}


def _is_of_language(name: str) -> bool:
    return name in CONSTANTS or find(name) is not None


def _defined_anew(statement: ast.stmt) -> list[str]:
    """The names of the language that an assignment outside functions redefines."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name) and _is_of_language(target.id)]


def _note_anew(statement: ast.stmt, name: str, odd: Oddities) -> None:
    reason = f"{name!r} is a name of the language, and the file redefines it"
    odd.add("defined anew", statement, reason, "the language's own meaning counts")


def _constant(statement: ast.stmt, batt: ast.FunctionDef, file: str) -> dict[str, Node]:
    """The constant that a statement outside functions defines, if it is a literal under a new name."""
    match statement:
        case ast.Assign([ast.Name(name)], value) if not _is_of_language(name):
            try:
                return {name: Node.constant(FunctionReader(batt, file).literal(value))}
            except ProgramError:
                pass
    return {}


def _bodies(functions: dict[str, ast.FunctionDef], file: str, odd: Oddities) -> list[str]:
    """The names of the functions that hold the lines: `batt` itself, or those whose calls it returns."""
    batt = functions[BATT]
    if odd.strict and functions.keys() == {BATT}:
        return [BATT]
    if is_one_sample_of(batt) and BATCH in functions:
        if odd.strict and not is_written(batt.body[-1], ONE_SAMPLE):
            raise refusal(batt.body[-1], file, f"this must be `{ONE_SAMPLE}`")
        return [BATCH]
    if odd.strict:
        missing = {RESIDENT, FALLBACK} - functions.keys()
        if missing:
            raise ProgramError(f"there is no {min(missing)!r}; a hybrid batt has both bodies", file)
        _HybridReader(batt, file).check()
        return [RESIDENT, FALLBACK]
    called = [
        part.value.func.id
        for part in ast.walk(batt)
        if isinstance(part, ast.Return)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Name)
    ]
    found = [name for name in dict.fromkeys(called) if name in functions and name != BATT]
    if not found:
        found = _passed_on(batt, functions)
        for name in found:
            odd.add("passed on", batt, f"{BATT!r} has no lines; it names {quoted(name)}", "this one is read")
    if not found:
        return [BATT]
    if len(found) > 2:
        odd.add("bodies", batt, f"{BATT!r} calls {len(found)} functions", "the first and the last are read")
        found = [found[0], found[-1]]
    return found


def _passed_on(batt: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]) -> list[str]:
    """The functions of the same parameters that a batt without outputs names, as for a thread."""
    parts = list(ast.walk(batt))
    if any(isinstance(part, ast.Attribute) and part.attr in ("append", "extend") for part in parts):
        return []
    named = dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name))
    wanted = list(PARAMETERS)
    return [
        name
        for name in named
        if name in functions and name != BATT and [each.arg for each in functions[name].args.args] == wanted
    ]


def _read(
    function: ast.FunctionDef,
    file: str,
    strict: bool,
    known: dict[str, Node],
    hints: Hints,
    is_stand_in: Callable[[str], bool] | None,
) -> BodyReader:
    reader = ColumnReader if function.name == BATCH else BodyReader
    body = reader(function, file, strict, known, hints)
    if is_stand_in is not None:
        body.is_stand_in, body.takes_environments = is_stand_in, True
    try:
        body.read()
    except RecursionError:
        raise refusal(function, file, TOO_DEEP, function.name) from None
    return body


def _compare_outputs(resident: BodyReader, fallback: BodyReader, odd: Oddities) -> None:
    """Note where the outputs of the two bodies of a hybrid batt differ."""
    here, there = resident.function.name, fallback.function.name
    for one, other in zip(resident.outputs, fallback.outputs):
        if one.program != other.program or one.number != other.number:
            reason = f"{here}: this is not the output of {there!r} in line {other.program.line}"
            odd.add("outputs", one.statement, reason, "the body in which less is odd is read")
    counts = len(resident.outputs), len(fallback.outputs)
    if counts[0] != counts[1]:
        reason = f"{here}: outputs: {counts[0]} here, {counts[1]} in {there!r}; both bodies give the same"
        odd.add("number of outputs", resident.function, reason, "the body in which less is odd is read")


class _HybridReader(FunctionReader):
    """Reads the function that tries one body and falls back on the other."""

    def check(self) -> None:
        """Refuse another form; the function holds no other information."""
        if tuple(self.parameters()) != PARAMETERS:
            raise self.refuse(self.function, f"parameters must be ({', '.join(PARAMETERS)})")
        match [statement for statement in self.function.body if not is_text(statement)]:
            case [ast.Try([attempt], [ast.ExceptHandler(caught, _, [rescue])], [], [])]:
                self._check_return(attempt, RESIDENT)
                self._check_return(rescue, FALLBACK)
                if caught_by_name(caught):
                    return
        raise self.refuse(
            self.function,
            f"a hybrid batt is `try: return {RESIDENT}(...)` with `except Exception: return {FALLBACK}(...)`",
        )

    def _check_return(self, statement: ast.stmt, name: str) -> None:
        match statement:
            case ast.Return(ast.Call(ast.Name(callee), arguments, [])) if callee == name:
                if [getattr(argument, "id", None) for argument in arguments] == list(PARAMETERS):
                    return
        raise self.refuse(statement, f"this must be `return {name}({', '.join(PARAMETERS)})`")


def _programs(body: BodyReader, text: str) -> tuple[Program, ...]:
    return _scored(under_names_in_batt([_placed(output, body.file, text) for output in body.outputs]))


def _placed(output: Output, file: str, text: str) -> Program:
    return output.program.altered(origin=Origin(file, text, output.statement.lineno))


def _scored(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The programs, where a differ follows the solver it scores, or all solvers of that id.

    It is `evo` if the solver is. C stays withheld from the solver: inside the differ too, the solver's
    expression is replaced by one that does not see C.
    """
    evolved: set[str | None] = set()
    hidden: dict[str | None, dict[Node, Node]] = {}
    for solver in programs:
        if solver.kind == "solver":
            if solver.evo:
                evolved.add(solver.id)
            if "C" in solver.root.needs:
                hidden.setdefault(solver.id, {})[solver.root] = solving_root(solver)

    def finished(program: Program) -> Program:
        if program.scored in hidden:
            program = replace(program, root=substituted(program.root, hidden[program.scored]))
        return replace(program, evo=True) if program.scored in evolved else program

    return tuple(map(finished, programs))
