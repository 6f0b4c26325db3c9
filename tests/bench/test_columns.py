"""The measurements of columns compare like with like, and leave no batch out."""

from typing import Any

import pytest

from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.bench.columns import (
    NAMES,
    Material,
    chained_in_a_loop,
    chained_in_batches,
    columns_of,
    in_a_loop,
    material,
)


@pytest.fixture(scope="module")
def few() -> Material:
    return material(12)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_gives_what_the_loop_gives(name: str, few: Material) -> None:
    columns = columns_of(few)[name]
    found: Any = getattr(GPUDSLOperations(), name)(*columns)
    assert found == in_a_loop(name, columns)()


def test_a_chain_gives_what_the_loop_gives(few: Material) -> None:
    assert chained_in_batches(few) == chained_in_a_loop(few)


def test_every_batch_is_measured() -> None:
    assert set(NAMES) == {name for name in vars(GPUDSLOperations) if name.startswith("batch_")}
