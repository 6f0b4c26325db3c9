"""Every vector of the language gives the value or the failure kind it says, on every backend."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import weight
from arcbatt.engine.choose import AVAILABLE, choose
from conformance import typed_oracle

DATA = Path(__file__).parents[1] / "data"


def vectors_in(file: Path) -> dict[str, list[dict[str, Any]]]:
    """The vectors of a file by op."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in file.read_text().splitlines():
        vector = json.loads(line)
        found[vector["op"]].append(vector)
    return found


CORE = vectors_in(DATA / "ops.jsonl")
TYPED = vectors_in(typed_oracle.FILE)
VECTORS = {**CORE, **TYPED}


def outcome(vector: dict[str, Any], backend: str) -> Any:
    """What the op gives; for a function builder with `call`, what the built function then gives."""
    result = ab.call(vector["op"], *map(ab.decode, vector["args"]), backend=backend)
    if "call" in vector and not isinstance(result, ab.Failure):
        assert isinstance(result, type(ab.fn("add")))
        return ab.call(result, *map(ab.decode, vector["call"]), backend=backend)
    return result


def as_said(vector: dict[str, Any], result: Any) -> bool:
    said = vector["out"]
    if isinstance(said, dict) and "fail" in said:
        return result == ab.Failure(said["fail"])
    if isinstance(said, dict) and "ok_weight" in said:
        return not isinstance(result, ab.Failure) and weight(result) == said["ok_weight"]
    return bool(result == ab.decode(said))


@pytest.mark.parametrize("backend", AVAILABLE)
@pytest.mark.parametrize("op", sorted(VECTORS))
def test_op_gives_what_its_vectors_say(op: str, backend: str) -> None:
    wrong = [vector for vector in VECTORS[op] if not as_said(vector, outcome(vector, backend))]
    assert not wrong, f"{len(wrong)} of {len(VECTORS[op])} vectors, the first: {json.dumps(wrong[0])[:2000]}"


@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
@pytest.mark.parametrize("op", sorted(TYPED))
def test_typed_op_gives_on_a_device_what_its_vectors_say(op: str) -> None:
    vectors = TYPED[op]
    columns = list(zip(*(map(ab.decode, vector["args"]) for vector in vectors)))
    outcomes = choose("emulated")[0].call_many(TABLE[op], columns, DEFAULT_LIMITS)
    wrong = [vector for vector, outcome in zip(vectors, outcomes) if not as_said(vector, outcome)]
    assert not wrong, f"{len(wrong)} of {len(vectors)} vectors, the first: {json.dumps(wrong[0])[:2000]}"


def test_vectors_cover_all_core_ops() -> None:
    core = {
        "numbers",
        "containers",
        "functions",
        "grids",
        "patches",
        "objects",
        "drawing",
        "scaling",
        "search",
    }
    assert {name for name, op in TABLE.items() if op.group in core} == set(CORE)
    assert sum(map(len, CORE.values())) == 7597


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
