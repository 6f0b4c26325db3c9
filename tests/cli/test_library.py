"""The library: which files it has, that they are plain DSL, and its names as Python."""

import doctest
import importlib
from pathlib import Path

import pytest

from arcbatt import ArcbattError, Failure, fn
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import ALIASES, TABLE
from arcbatt.library import library_files, load_library, vocabulary
from support.commands import Command


@pytest.mark.parametrize("module", ["arcbatt.library", "arcbatt.library.vocabulary"])
def test_examples_give_what_they_show(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def test_files_hold_solvers_or_differs() -> None:
    assert sorted(library_files("solvers") + library_files("differs")) == library_files("all")
    names = {file.name for file in library_files("all")}
    assert names.isdisjoint({"__init__.py", "vocabulary.py"})


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ArcbattError, match="expected solvers, differs or all, got 'solver'"):
        library_files("solver")  # type: ignore[arg-type]


@pytest.mark.slow
def test_programs_are_of_the_kind_asked_for() -> None:
    assert {program.kind for program in load_library("solvers")} == {"solver"}
    assert {program.kind for program in load_library("differs")} == {"differ"}


def test_nothing_of_the_library_is_refused() -> None:
    assert load_library("all").refused == []


def test_vocabulary_has_every_name() -> None:
    assert set(vocabulary.__all__) == {*TABLE, *ALIASES, *CONSTANTS}
    assert all(hasattr(vocabulary, name) for name in vocabulary.__all__)


def test_word_is_the_function_value_and_can_be_called() -> None:
    word = getattr(vocabulary, "increment")  # noqa: B009  (made at run time)
    assert word == fn("increment")
    assert word(3) == 4
    assert vocabulary.rbind(vocabulary.add, 3)(4) == 7


def test_failed_argument_is_handed_on() -> None:
    failed = vocabulary.divide(1, 0)
    assert failed == Failure("ZERO")
    assert vocabulary.add(1, failed) is failed


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "profile"])
def test_library_is_a_name_among_those_of_files(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = cli(command, "library", "--tasks", "be94b721")
    assert (answer.code, "not run" in answer.err) == (0, False)
    (tmp_path / "library").write_text("def solve_00d62c1b(I):\n    return I\n")
    answer = cli(command, "library", "--tasks", "be94b721")
    assert (answer.code, "solve_00d62c1b is for a task of arc1/training" in answer.err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "profile", "evolve"])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "solve_be94b721",
            "solve_be94b721: is a program of the library, and no file; library names all programs of it, "
            "--tasks be94b721 its task",
        ),
        (
            "solve_be94b72l",
            "there is no program 'solve_be94b72l' in the library, and no file; the nearest are solve_be",
        ),
    ],
)
def test_the_name_of_a_program_in_place_of_a_file_is_answered_with_what_is_there(
    cli: Command, command: str, name: str, sentence: str
) -> None:
    answer = cli(command, name)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"arcbatt: {sentence}")
    assert len(answer.err.splitlines()) == 1
