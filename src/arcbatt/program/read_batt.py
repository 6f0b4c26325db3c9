"""Reading batt files with `ast`, in all four styles: nothing of a file runs, another shape is refused."""

import ast
import os
from collections.abc import Sequence
from dataclasses import replace

from arcbatt.collection import collection_put_off
from arcbatt.errors import ProgramError
from arcbatt.program.batt_body import PARAMETERS, BattReader, BodyReader, caught_by_name
from arcbatt.program.graph import Batt, Node, Program, Style, substituted
from arcbatt.program.merge import solving_root
from arcbatt.program.names import under_names_in_batt
from arcbatt.program.syntax import (
    TOO_DEEP,
    describe,
    is_text,
    parsed,
    refusal,
    text_of_file,
)

BATT, RESIDENT, FALLBACK = "batt", "batt_gpu_resident", "batt_cpu_fallback"


def load_batt(path: str | os.PathLike[str]) -> Batt:
    """The batt of a batt file."""
    return parse_batt(text_of_file(path), os.fspath(path))


@collection_put_off()
def parse_batt(text: str, file: str = "<string>") -> Batt:
    """The batt of a source text: its programs, and in `read` its lines as they stand there.

    >>> batt = parse_batt('''
    ... def batt(task_id, S, I, C, log_path):
    ...     s = []
    ...     o = []
    ...     t1 = rot90(I)
    ...     o.append((1, False, '00d62c1b', t1))
    ...     return o, s
    ... ''')
    >>> batt.style, batt.programs
    ('vectorized', (<solver 00d62c1b ...>,))
    """
    module = parsed(text, file)
    if isinstance(module, ProgramError):
        raise module
    return batt_in(module, file)


def is_batt(module: ast.Module) -> bool:
    """Whether a file is a batt file: it defines `batt`."""
    return any(isinstance(part, ast.FunctionDef) and part.name == BATT for part in module.body)


def batt_in(module: ast.Module, file: str) -> Batt:
    """The batt of a file that has been parsed."""
    body = body_in(module, file)
    style: Style | None = body.style if body.function.name == BATT else "hybrid"
    return Batt(_programs(body), style, body.listing(), body.style)


def body_in(module: ast.Module, file: str) -> BodyReader:
    """The body that says what a batt gives: in a hybrid the first one, unless its bare lines may raise."""
    functions = _functions(module, file)
    if functions.keys() == {BATT}:
        return _read(functions[BATT], file)
    missing = {RESIDENT, FALLBACK} - functions.keys()
    if missing:
        raise ProgramError(f"there is no {min(missing)!r}; a hybrid batt has both bodies", file)
    _HybridReader(functions[BATT], file).check()
    resident, fallback = _read(functions[RESIDENT], file), _read(functions[FALLBACK], file)
    if (resident.style == "pile") != (fallback.style == "pile"):
        reason = f"{RESIDENT!r} is of style {resident.style}, {FALLBACK!r} of style {fallback.style}"
        raise resident.refuse(resident.function, f"{reason}; both or none must be of style pile")
    _require_same_outputs(resident, fallback)
    return fallback if resident.style == "vectorized" else resident


def _functions(module: ast.Module, file: str) -> dict[str, ast.FunctionDef]:
    """The functions of a batt file by name."""
    functions: dict[str, ast.FunctionDef] = {}
    for statement in module.body:
        if isinstance(statement, ast.Import | ast.ImportFrom) or is_text(statement):
            continue
        if not isinstance(statement, ast.FunctionDef):
            what = describe(statement)
            reason = f"{what} outside a function; a batt file holds imports and `def {BATT}` only"
        elif statement.name not in (BATT, RESIDENT, FALLBACK):
            reason = f"{statement.name!r} is no part of a batt file, which holds {BATT!r}"
        elif statement.name in functions:
            reason = f"{statement.name!r} is defined twice; keep one of them"
        else:
            functions[statement.name] = statement
            continue
        raise refusal(statement, file, reason)
    if BATT not in functions:
        raise ProgramError(f"there is no batt; one is `def {BATT}({', '.join(PARAMETERS)}):`", file)
    return functions


def _read(function: ast.FunctionDef, file: str) -> BodyReader:
    body = BodyReader(function, file)
    try:
        body.read()
    except RecursionError:
        raise refusal(function, file, TOO_DEEP) from None
    return body


def _require_same_outputs(resident: BodyReader, fallback: BodyReader) -> None:
    """What a hybrid batt gives must not depend on which of its bodies has run."""
    for one, other in zip(resident.outputs, fallback.outputs):
        if one.program != other.program or one.number != other.number:
            raise resident.refuse(
                one.statement, f"this is not the output of {FALLBACK!r} in line {other.program.line}"
            )
    here, there = len(resident.outputs), len(fallback.outputs)
    if here != there:
        raise resident.refuse(
            resident.function, f"outputs: {here} here, {there} in {FALLBACK!r}; both bodies give the same"
        )


class _HybridReader(BattReader):
    """Reads the function that tries one body and falls back on the other."""

    def check(self) -> None:
        """Refuse what has another form; there is nothing else to learn from it."""
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


def _programs(body: BodyReader) -> tuple[Program, ...]:
    return _scored(under_names_in_batt([output.program for output in body.outputs]))


def _scored(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The programs with what a differ owes to the solver it scores, or to all solvers of that id.

    It has changed where the solver has. A solver that looks at C must not see it there either: whatever of
    the differ is the solver's expression loses sight of C.
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
