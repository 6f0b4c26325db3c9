"""The project's own programs: plain DSL files next to this one, read as data and never imported."""

from pathlib import Path
from typing import Literal

from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.program.graph import Program
from arcbatt.program.parse import LoadedPrograms, load_programs

LibraryKind = Literal["solvers", "differs", "all"]

LIBRARY = "library"  # the name of the library where a file name is expected
FOLDER = Path(__file__).parent
DIFFERS = "differs.py"
NO_PROGRAMS = ("__init__.py", "vocabulary.py")


def library_files(kind: LibraryKind = "solvers") -> list[Path]:
    """The files of the library that hold solvers, differs, or either, by name.

    >>> [file.name for file in library_files("differs")]
    ['differs.py']
    """
    if kind not in ("solvers", "differs", "all"):
        raise ArcbattError(f"expected solvers, differs or all, got {kind!r}")
    files = sorted(file for file in FOLDER.glob("*.py") if file.name not in NO_PROGRAMS)
    return [file for file in files if kind == "all" or (file.name == DIFFERS) == (kind == "differs")]


def load_library(kind: LibraryKind = "solvers") -> LoadedPrograms:
    """The programs of the library.

    >>> {program.kind for program in load_library("differs")}
    {'differ'}
    """
    programs: list[Program] = []
    refused: list[ProgramError] = []
    for file in library_files(kind):
        found = load_programs(file, on_refused="ignore")
        programs += found
        refused += found.refused
    return LoadedPrograms(programs, refused)
