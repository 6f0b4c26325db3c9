"""Every vector of the language gives the value or the failure kind it says, on every backend."""

import json
from functools import partial

import pytest

import arcbatt as ab
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import AVAILABLE, choose
from support import typed_oracle
from support.vectors import RECORDED, TYPED, as_said, unlike

GIVEN = RECORDED | TYPED


@pytest.mark.slow
@pytest.mark.parametrize("backend", AVAILABLE)
@pytest.mark.parametrize("op", sorted(GIVEN))
def test_op_gives_what_its_vectors_say(op: str, backend: str) -> None:
    wrong = unlike(GIVEN[op], partial(ab.call, backend=backend))
    assert not wrong, f"{len(wrong)} of {len(GIVEN[op])} vectors, the first: {json.dumps(wrong[0])[:2000]}"


@pytest.mark.slow
@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
@pytest.mark.parametrize("op", sorted(TYPED))
def test_typed_op_gives_on_a_device_what_its_vectors_say(op: str) -> None:
    vectors = TYPED[op]
    columns = list(zip(*(map(ab.decode, vector["args"]) for vector in vectors)))
    outcomes = choose("emulated")[0].call_many(TABLE[op], columns, DEFAULT_LIMITS)
    wrong = [vector for vector, outcome in zip(vectors, outcomes) if not as_said(vector, outcome)]
    assert not wrong, f"{len(wrong)} of {len(vectors)} vectors, the first: {json.dumps(wrong[0])[:2000]}"


def test_all_recorded_vectors_are_of_ops_that_exist() -> None:
    assert RECORDED.keys() <= TABLE.keys()
    assert sum(map(len, RECORDED.values())) == 7597


def test_vectors_of_typed_ops_are_those_of_their_second_definition() -> None:
    assert typed_oracle.FILE.read_text().splitlines() == list(typed_oracle.vectors())


def test_every_typed_op_that_takes_a_container_has_vectors_of_both_kinds() -> None:
    suffixes = ("_t", "_f", "_tuple")
    containers = ("Container", "Containers", "Objects", "Fns")
    taking = {
        name
        for name, op in TABLE.items()
        if name.endswith(suffixes) and any(param.type.name in containers for param in op.params)
    }
    assert taking <= set(TYPED)
    for name in taking:
        kinds = {
            kind for vector in TYPED[name] for arg in vector["args"] if isinstance(arg, dict) for kind in arg
        }
        assert kinds >= {"t", "s"}
