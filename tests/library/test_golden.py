"""The library on every sample of ARC-AGI-1 training gives what it has always given."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import load_library

GOLDEN = Path(__file__).parents[1] / "data" / "golden.json"


@pytest.mark.skipif("native" not in AVAILABLE, reason="the reference would take too long")
def test_every_program_on_every_sample_gives_its_golden_verdict() -> None:
    """A changed verdict changes its program's digest; only a new language or library may do that."""
    golden = json.loads(GOLDEN.read_text())
    result = ab.run(load_library("solvers"), ab.load_tasks("arc1/training"), pairs="all", backend="native")
    rows: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for outcome in result:
        rows.setdefault(outcome.program.name, []).append(f"{outcome.task.id} {outcome.verdicts}")
        counts.update(map(str, outcome.verdicts))
    digests = {
        name: hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] for name, lines in rows.items()
    }
    assert dict(sorted(counts.items())) == golden["verdicts"]
    changed = [name for name in golden["digests"] if digests.get(name) != golden["digests"][name]]
    assert not changed
    assert len(digests) == len(golden["digests"])
