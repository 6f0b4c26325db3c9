"""The vectors of the language, by op, and how an outcome is held against one."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arcbatt as ab
from arcbatt.dsl.values import weight
from support import typed_oracle

Vector = dict[str, Any]


def vectors_in(file: Path) -> dict[str, list[Vector]]:
    """The vectors of a file by op."""
    found: dict[str, list[Vector]] = defaultdict(list)
    for line in file.read_text().splitlines():
        vector = json.loads(line)
        found[vector["op"]].append(vector)
    return found


CORE = vectors_in(Path(__file__).parents[1] / "data" / "ops.jsonl")
TYPED = vectors_in(typed_oracle.FILE)
VECTORS = {**CORE, **TYPED}


def spread(op: str, count: int) -> list[Vector]:
    """A few vectors of an op, from all over them."""
    vectors = VECTORS[op]
    return [vectors[k * len(vectors) // count] for k in range(min(count, len(vectors)))]


def outcome(vector: Vector, call: Callable[..., Any]) -> Any:
    """What the op gives; for a function builder with `call`, what the built function then gives."""
    result = call(vector["op"], *map(ab.decode, vector["args"]))
    if "call" in vector and not isinstance(result, ab.Failure):
        assert isinstance(result, type(ab.fn("add")))
        return call(result, *map(ab.decode, vector["call"]))
    return result


def as_said(vector: Vector, result: Any) -> bool:
    said = vector["out"]
    if isinstance(said, dict) and "fail" in said:
        return result == ab.Failure(said["fail"])
    if isinstance(said, dict) and "ok_weight" in said:
        return not isinstance(result, ab.Failure) and weight(result) == said["ok_weight"]
    return bool(result == ab.decode(said))


def unlike(vectors: list[Vector], call: Callable[..., Any]) -> list[Vector]:
    """The vectors that say something else than `call` gives."""
    return [vector for vector in vectors if not as_said(vector, outcome(vector, call))]
