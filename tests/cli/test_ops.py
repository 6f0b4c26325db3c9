"""`arcbatt ops`: the language on a page, and each name in full."""

import json

import pytest

from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.table import ALIASES, TABLE
from arcbatt.dsl.types import TYPES
from support.commands import Command


def test_page_has_a_line_for_every_op(cli: Command) -> None:
    answer = cli("ops")
    assert answer.code == 0
    lines = [line[4:] for line in answer.out.splitlines()]
    for record in TABLE.values():
        line = next(line for line in lines if line.startswith(f"{record.name}("))
        assert line.startswith(record.declaration)
        assert line.endswith(record.summary)


def test_page_has_constants_inputs_types_and_failures(cli: Command) -> None:
    words = set(cli("ops").out.replace(",", " ").split())
    assert words.issuperset([*CONSTANTS, *INPUTS, *TYPES, *KINDS, *ALIASES])


def test_page_marks_properties(cli: Command) -> None:
    marks = {line[4:].partition("(")[0]: line[:4] for line in cli("ops").out.splitlines()}
    assert marks["first"] == "o   "
    assert marks["mapply"] == "oh  "
    assert marks["compose"] == "  b "
    assert marks["add"] == "    "


def test_group_alone(cli: Command) -> None:
    lines = cli("ops", "--group", "search").out.splitlines()
    assert lines[0].startswith("search: ")
    assert len(lines) == 1 + sum(record.group == "search" for record in TABLE.values())


def test_unknown_group_is_answered_with_the_groups(cli: Command) -> None:
    answer = cli("ops", "--group", "nosuch")
    assert answer.code == 2
    assert "there is no group 'nosuch'; the groups are numbers, containers" in answer.err


def test_op_in_full(cli: Command) -> None:
    answer = cli("ops", "fill")
    assert answer.code == 0
    assert answer.out.startswith("fill(grid: Grid, value: Integer, patch: PatchT) -> Grid0\n")
    assert "grid: Grid: a Grid0 with at least one cell; must not be empty, else EMPTY" in answer.out
    assert "a color such as BLACK" in answer.out
    assert "signature     Grid, Integer, PatchT -> Grid\n" in answer.out
    assert '>>> call("fill", ' in answer.out


def test_restriction_shows_the_example_of_its_base(cli: Command) -> None:
    answer = cli("ops", "size_t")
    assert "variant of    size" in answer.out
    assert "example of size\n" in answer.out
    assert '>>> call("size", ' in answer.out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("objects_g", "objects_g is another name of objects_t"),
        ("DOWN", "DOWN is the constant (1, 0) of the family pair"),
        ("I", "I is an input: the input grid"),
        ("Indices", "Indices is a type: a Set of locations"),
        ("Grid", "Grid is a type: a Grid0 with at least one cell"),
        ("DEPTH", "DEPTH is a kind of failure"),
        ("search", "search: falling until contact"),
    ],
)
def test_every_sort_of_name_is_explained(cli: Command, name: str, sentence: str) -> None:
    answer = cli("ops", name)
    assert answer.code == 0
    assert sentence in answer.out


def test_name_with_two_meanings_is_explained_twice(cli: Command) -> None:
    out = cli("ops", "ZERO").out
    assert "ZERO is the constant 0" in out
    assert "ZERO is a kind of failure" in out


@pytest.mark.slow
def test_every_name_has_an_explanation(cli: Command) -> None:
    for name in [*TABLE, *ALIASES, *CONSTANTS, *INPUTS, *TYPES, *KINDS]:
        answer = cli("ops", name)
        assert answer.code == 0
        assert name in answer.out


def test_unknown_name_is_answered_with_the_nearest(cli: Command) -> None:
    answer = cli("ops", "underfil")
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith(
        "arcbatt: there is no name 'underfil' in the language; did you mean underfill"
    )


def test_json_has_one_object_for_each_op(cli: Command) -> None:
    records = [json.loads(line) for line in cli("ops", "--json").out.splitlines()]
    assert [record["name"] for record in records] == list(TABLE)
    (fill,) = [record for record in records if record["name"] == "fill"]
    assert fill["params"][0] == {"name": "grid", "type": "Grid", "requirement": "filled", "role": None}
    assert fill["params"][1]["role"] == "color"
    assert fill["default"] == {"t": []}


def test_json_of_one_op_and_of_a_group(cli: Command) -> None:
    assert json.loads(cli("ops", "objects_g", "--json").out)["name"] == "objects_t"
    assert {
        json.loads(line)["group"] for line in cli("ops", "--group", "cells", "--json").out.splitlines()
    } == {"cells"}
    assert cli("ops", "DOWN", "--json").code == 2
