"""The numbers that Python and C++ share: each stands once, and both sides follow it."""

import ast
import re
import runpy
from pathlib import Path

import pytest

from arcbatt.dsl import contract
from arcbatt.dsl.failures import KINDS
from arcbatt.engine.choose import AVAILABLE

ROOT = Path(__file__).parents[2]
CORE, PACKAGE = ROOT / "core", ROOT / "src" / "arcbatt"
NAMES = {*contract.constants(), *(enum.__name__ for enum in contract.ENUMS)}


def header() -> str:
    """contract.h as the build would write it now."""
    text: str = runpy.run_path(str(CORE / "build" / "glue.py"))["contract_header"]()
    return text


def test_a_number_that_changes_here_changes_in_cpp_and_marks_an_older_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, known = header(), contract.fingerprint()
    assert "constexpr u8 FAILED = 16;" in before
    monkeypatch.setattr(contract, "FAILED", 32)
    assert header() != before
    assert "constexpr u8 FAILED = 32;" in header()
    assert contract.fingerprint() != known


def test_every_member_of_an_enum_has_its_number_in_cpp() -> None:
    text = header()
    for enum in contract.ENUMS:
        (members,) = re.findall(rf"enum class {enum.__name__} : u8 {{ (.+) }};", text)
        assert members.split(", ") == [f"{member.name} = {member.value}" for member in enum]


@pytest.mark.skipif("native" not in AVAILABLE, reason="needs the compiled core")
def test_the_core_was_built_from_these_numbers() -> None:
    from arcbatt import _core

    assert contract.fingerprint() == _core.CONTRACT


def test_every_kind_of_failure_has_a_status() -> None:
    others = {contract.Status.ok, contract.Status.overflow, contract.Status.stopped}
    assert [status.name for status in contract.Status if status not in others] == list(KINDS)


def declared(text: str) -> set[str]:
    """The shared numbers that C++ gives a value by itself."""
    enums = re.findall(r"\benum (?:class )?(\w+)", text)
    constants = re.findall(r"\bconstexpr \w+ ([^;(]*?);", text)
    return NAMES.intersection(enums) | NAMES.intersection(re.findall(r"(\w+) =", " ".join(constants)))


def test_no_source_of_the_core_declares_a_shared_number_of_its_own() -> None:
    assert declared("constexpr u8 WRONG = 0, EXACT = 1;\nenum class Stage : u8 { constant };") == {
        "WRONG",
        "EXACT",
        "Stage",
    }
    sources = [file for file in CORE.rglob("*") if file.suffix in {".h", ".cpp", ".cu"}]
    found = {file: declared(file.read_text(encoding="utf-8")) for file in sources}
    assert {file: names for file, names in found.items() if names} == {}


def assigned(tree: ast.Module) -> set[str]:
    """The names that a module, or something in it, gives a value."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


@pytest.mark.slow
def test_no_other_module_gives_a_shared_number_a_value() -> None:
    constants = contract.constants().keys()
    modules = [file for file in PACKAGE.rglob("*.py") if file.name != "contract.py"]
    found = {file: constants & assigned(ast.parse(file.read_text(encoding="utf-8"))) for file in modules}
    assert {file: names for file, names in found.items() if names} == {}
