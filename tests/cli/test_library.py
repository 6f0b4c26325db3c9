"""The library: which files it has, that they are plain DSL, and its names as Python."""

import doctest
import importlib

import pytest

from arcbatt import ArcbattError, Failure, fn
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import ALIASES, TABLE
from arcbatt.library import library_files, load_library, vocabulary


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
    with pytest.raises(ArcbattError, match="ask for solvers, differs or all"):
        library_files("solver")  # type: ignore[arg-type]


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
