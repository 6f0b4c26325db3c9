"""The vectors of the language, by op, and how an outcome is held against one.

The recorded ones are in tests/data/ops.jsonl. Those of typed ops are written by support/typed_oracle.py.
All others are the `CASES` of tests/dsl/test_*_ops.py, which are written by hand.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import arcbatt as ab
from arcbatt.dsl.values import weight
from support import typed_oracle
from support.cases import Case

Vector = dict[str, Any]


def vectors_in(file: Path) -> dict[str, list[Vector]]:
    """The vectors of a file by op."""
    found: dict[str, list[Vector]] = defaultdict(list)
    for line in file.read_text().splitlines():
        vector = json.loads(line)
        found[vector["op"]].append(vector)
    return found


def vector_of(line: Case) -> Vector:
    """A case that is written by hand, as a vector."""
    said = ab.encode(line.gives) if line.fails is None else {"fail": line.fails}
    return {"op": line.op, "args": [*map(ab.encode, line.arguments)], "out": said}


TESTS = Path(__file__).parents[1]
TABLES = [import_module(f"dsl.{file.stem}") for file in sorted((TESTS / "dsl").glob("test_*_ops.py"))]
CASES: list[Case] = [line for table in TABLES for line in table.CASES]

RECORDED = vectors_in(TESTS / "data" / "ops.jsonl")
TYPED = vectors_in(typed_oracle.FILE)
VECTORS = {op: [vector_of(line) for line in CASES if line.op == op] for op in {line.op for line in CASES}}
VECTORS |= RECORDED | TYPED


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
