"""Every vector of the language gives the value or the failure kind it says, on every backend."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import weight
from arcbatt.engine.backend import AVAILABLE

VECTORS: dict[str, list[dict[str, Any]]] = defaultdict(list)
for _line in (Path(__file__).parents[1] / "data" / "ops.jsonl").read_text().splitlines():
    _vector = json.loads(_line)
    VECTORS[_vector["op"]].append(_vector)


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
    assert {name for name, op in TABLE.items() if op.group in core} == set(VECTORS)
    assert sum(map(len, VECTORS.values())) == 7597
