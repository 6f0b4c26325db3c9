"""Reading programs from source text with `ast`: nothing is executed, and all but plain DSL is refused."""

import ast
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

from arcbatt.arguments import require_flags, require_one_of, require_path, require_text
from arcbatt.errors import ArcbattError, ProgramError, RefusedProgramWarning
from arcbatt.gc_pause import gc_paused
from arcbatt.program.batt_files.read import batt_in, is_batt
from arcbatt.program.folders import as_kept, bare_name, program_files_of
from arcbatt.program.forms.one_liners import LAMBDA, as_definition
from arcbatt.program.functions import FileFunction, FunctionTable
from arcbatt.program.graph import Program
from arcbatt.program.names import Content, content_of, under_own_names
from arcbatt.program.oddities import Oddity, refusal
from arcbatt.program.syntax import (
    LONGEST_FILE,
    LONGEST_PROGRAM,
    describe,
    is_text,
    lines_of,
    parsed,
    shown,
    text_of_file,
)

OnRefused = Literal["warn", "raise", "ignore"]

WITHOUT_TASK = ("solve", "differ")  # further programs of these names in a file are solve_2, solve_3, ...
MOST_LINES_AT_ONCE = 5_000  # a larger file is parsed in pieces: syntax trees take much memory
LINE_OF_CODE = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)
FUNCTION = re.compile(rf"^(?:(?:async\s+)?def\s+(?=\w)|(?={LAMBDA}))(\w+)", re.MULTILINE)
FIRST_OF_PIECE = re.compile(f"def |{LAMBDA}")


class LoadedPrograms(list[Program]):
    """The programs of a file or folder, and in `refused` the reasons why others could not be read.

    `warnings` lists what was odd in a batt file, or in a solver of a kept population.
    """

    def __init__(
        self, programs: list[Program], refused: list[ProgramError], warnings: Sequence[Oddity] = ()
    ) -> None:
        super().__init__(programs)
        self.refused, self.warnings = refused, list(warnings)


def load_programs(
    path: str | os.PathLike[str], strict: bool = False, *, on_refused: OnRefused = "warn"
) -> LoadedPrograms:
    """Load the programs of a solver file, of a batt file, or of all files of a folder and its subfolders.

    A program that is not plain DSL is left out and listed in `refused`; an odd line of a batt file, or of a
    function `solve`, costs only what depends on it. `on_refused` and `strict` are as in `parse_programs`.
    In a kept population, `solve_<id>/<score>/<time>/<hash>.py`, the path gives the task of a solver whose
    name does not, and `program.kept` holds the score and the time.
    """
    require_path("path", path)
    raises = _raises(strict, on_refused)
    is_folder = path != "" and Path(path).is_dir()
    found = _programs_of_folder(path, raises) if is_folder else _programs_of_file(path, raises)
    if on_refused == "warn":
        _warn_of(found.refused)
    return found


def _raises(strict: bool, on_refused: OnRefused) -> bool:
    """Whether a refused program, or an odd line, is an error."""
    require_one_of("on_refused", on_refused, get_args(OnRefused))
    require_flags(strict=strict)
    if strict and on_refused == "ignore":
        raise ArcbattError("strict is True, and on_refused is 'ignore'; give one of them")
    return bool(strict) or on_refused == "raise"


def _warn_of(refused: Sequence[ProgramError]) -> None:
    """Warn once of all programs that were left out, at the line that called a function of this file."""
    if not refused:
        return
    others = len(refused) - 1
    what = f"left out, and so are {others:,} more" if others else "left out"
    told = f"{refused[0]} ({what}; `refused` of the programs has the reasons)"
    warnings.warn(told, RefusedProgramWarning, stacklevel=3)


def _programs_of_file(path: str | os.PathLike[str], strict: bool) -> LoadedPrograms:
    found = _parsed(text_of_file(path), os.fspath(path), strict)
    return LoadedPrograms(as_kept(found, path), found.refused, found.warnings)


def _programs_of_folder(folder: str | os.PathLike[str], strict: bool) -> LoadedPrograms:
    """The programs of all files under unique names; equal ones under the same name appear once."""
    programs: dict[tuple[str, Content], Program] = {}
    refused: list[ProgramError] = []
    warnings: list[Oddity] = []
    for file in program_files_of(folder):
        try:
            found = _programs_of_file(file, strict)
        except ProgramError as error:
            if strict:
                raise
            refused += [error, *error.others]
            continue
        refused += found.refused
        warnings += found.warnings
        for program in found:
            programs.setdefault((program.name, content_of(program)), program)
    if not programs and not refused:
        raise ProgramError("there are no .py or .def files in this folder", os.fspath(folder))
    if not programs:
        raise refused[0]
    return LoadedPrograms(list(under_own_names(programs.values())), refused, warnings)


def parse_programs(
    text: str, file: str = "<string>", strict: bool = False, *, on_refused: OnRefused = "warn"
) -> LoadedPrograms:
    """Parse the programs of a source text.

    >>> parse_programs("def solve_x(I): return rot90(hmirror(I))")
    [<solver solve_x ...>]

    A function may call others of the text, which are inlined.

    >>> text = "def twice(grid): return hconcat(grid, grid)\\ndef solve_x(I): return twice(rot90(I))"
    >>> parse_programs(text)[0].root
    hconcat(rot90(I), rot90(I))

    A program that is not plain DSL is left out and listed in `refused`, with a `RefusedProgramWarning`. With
    `on_refused="ignore"` there is no warning. With `on_refused="raise"` or `strict=True` it is an error, and
    so is an odd line that would cost only what depends on it. A text without any program is always an error.

    >>> text = "def solve_x(I): return rot90(I)\\ndef solve_y(I): return rot09(I)"
    >>> programs = parse_programs(text, on_refused="ignore")
    >>> programs, programs.refused
    ([<solver solve_x ...>], [ProgramError("<string>:2:24: solve_y: there is no op or variable 'rot09'...")])
    """
    require_text("text", text)
    require_path("file", file)
    found = _parsed(text, os.fspath(file), _raises(strict, on_refused))
    if on_refused == "warn":
        _warn_of(found.refused)
    return found


@gc_paused()
def _parsed(text: str, file: str, strict: bool) -> LoadedPrograms:
    """The programs of a source text, without warnings."""
    names = FUNCTION.findall(text)
    whole = parsed(text, file) if is_parsed_at_once(text) else None
    if isinstance(whole, ast.Module) and is_batt(whole):
        batt = batt_in(whole, text, file, strict)
        return LoadedPrograms(list(batt), [], batt.warnings)
    programs: list[Program] = []
    refused: list[ProgramError] = []
    serving: list[FileFunction] = []
    functions = FunctionTable(file, names, strict)
    for found in _functions(functions, whole, text, file):
        try:
            if isinstance(found, ProgramError):
                raise found
            if found.is_program or isinstance(found.body, ProgramError):
                programs.append(found.program(file, text))
            else:
                serving.append(found)
        except ProgramError as error:
            if strict:
                raise
            refused.append(error)
    if not programs and not refused and serving:
        serving[0].program(file, text)  # raises an error that says why it is not a program
    if not programs and refused:
        refused[0].others = refused[1:]
        raise refused[0]
    if not programs:
        raise ProgramError("there is no program; one looks like `def solve_x(I):`", file)
    return LoadedPrograms(programs, refused, functions.odd.found)


def _functions(
    functions: FunctionTable, whole: ast.Module | ProgramError | None, text: str, file: str
) -> list[FileFunction | ProgramError]:
    """The functions of a file, and the errors of other statements, in file order."""
    found: list[FileFunction | ProgramError] = []
    bare, without_task = bare_name(file), Counter[str]()
    for statement, lines_before in _statements(whole, text, file):
        definition = as_definition(statement, bare)
        if definition is not None:
            if (name := definition.name) in WITHOUT_TASK:
                without_task[name] += 1
                if without_task[name] > 1:  # files of a kept population, one after the other
                    functions.twice.add(name)
                    definition.name = f"{name}_{without_task[name]}"
            found.append(functions.add(definition, lines_before))
        elif isinstance(statement, ProgramError):
            found.append(statement)
        elif not isinstance(statement, ast.Import | ast.ImportFrom) and not is_text(statement):
            ast.increment_lineno(statement, lines_before)
            what = describe(statement)
            reason = f"{what} outside a function; a file holds imports and `def solve_x(I):` only"
            found.append(refusal(statement, file, reason))
    functions.finish()
    return found


def _statements(
    whole: ast.Module | ProgramError | None, text: str, file: str
) -> Iterator[tuple[ast.stmt | ProgramError, int]]:
    """The statements of the file, with the number of lines before the piece that contains them.

    A file that does not parse as a whole, or is too large for it, is parsed in pieces.
    """
    if isinstance(whole, ast.Module):
        yield from ((statement, 0) for statement in whole.body)
        return
    pieces = list(pieces_of(text))
    if len(pieces) == 1 and whole is not None:
        yield whole, 0
        return
    for first_line, piece in pieces:
        try:
            part = _too_long(piece, file, first_line) or parsed(piece, file, first_line)
        except ProgramError as too_long:
            part = too_long
        if isinstance(part, ProgramError):
            yield part, 0
        else:
            yield from ((statement, first_line - 1) for statement in part.body)


def is_parsed_at_once(text: str) -> bool:
    """Whether a text is parsed as a whole: it is short, or may be a batt file.

    Others are parsed in pieces, since syntax trees take much memory.
    """
    return _statement_ends(text) < MOST_LINES_AT_ONCE or "batt" in FUNCTION.findall(text)


def _statement_ends(text: str) -> int:
    """The greatest number of statements in a text, roughly: its lines, and those after `;` on one line."""
    return text.count("\n") + text.count(";")


def _too_long(piece: str, file: str, first_line: int) -> ProgramError | None:
    """Why a piece of a file is too long for a program, found without parsing; None if it is not."""
    if _statement_ends(piece) <= LONGEST_PROGRAM:
        return None
    lines = sum(1 for _ in LINE_OF_CODE.finditer(piece)) + piece.count(";") - 2  # without `def`, `return`
    if lines <= LONGEST_PROGRAM:
        return None
    function = FUNCTION.match(piece)
    name = function[1] if function else ""
    reason = (
        f"it has {lines:,} lines; a program may have {LONGEST_PROGRAM:,}, and a batt file {LONGEST_FILE:,}"
    )
    return ProgramError(f"{shown(name)}: {reason}" if name else reason, file, first_line, program=name)


def pieces_of(text: str) -> Iterator[tuple[int, str]]:
    """The text cut before every line that begins a function, each piece with the number of its first line.

    >>> list(pieces_of("import a\\ndef f(I):\\n  return I\\ndef g(I): return I"))
    [(1, 'import a\\n'), (2, 'def f(I):\\n  return I\\n'), (4, 'def g(I): return I')]
    """
    start = 0
    lines = lines_of(text)
    for number, line in enumerate(lines):
        if number > start and FIRST_OF_PIECE.match(line):
            yield start + 1, "\n".join(lines[start:number]) + "\n"
            start = number
    yield start + 1, "\n".join(lines[start:])
