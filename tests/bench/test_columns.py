"""The measurements of columns compare like with like, and leave no batch out."""

from typing import Any

import pytest

from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.bench.columns import (
    LIGHT_PROGRAMS,
    MIXTURE,
    NAMES,
    BenchGrids,
    chained_in_a_loop,
    chained_in_batches,
    columns_of,
    in_a_loop,
    material,
)
from arcbatt.bench.plain_python import bare_function
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.merge import batt_of
from arcbatt.program.parse import parse_programs
from arcbatt.tasks import load_tasks
from support.plain_batts import function_of


@pytest.fixture(scope="module")
def few() -> BenchGrids:
    return material(12)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_gives_what_the_loop_gives(name: str, few: BenchGrids) -> None:
    columns = columns_of(few)[name]
    found: Any = getattr(GPUDSLOperations(), name)(*columns)
    assert found == in_a_loop(name, columns)()


def test_a_chain_gives_what_the_loop_gives(few: BenchGrids) -> None:
    assert chained_in_batches(few) == chained_in_a_loop(few)


def test_every_batch_is_measured() -> None:
    assert set(NAMES) == {name for name in vars(GPUDSLOperations) if name.startswith("batch_")}


@pytest.mark.parametrize("programs", [LIGHT_PROGRAMS, MIXTURE])
def test_the_lines_on_bare_bodies_are_those_of_the_batt(programs: str) -> None:
    batt = batt_of(parse_programs(programs), [])
    bare, checked = bare_function(batt), function_of(batt_source(batt, "vectorized"))
    for sample in load_tasks("arc1/training")[3].samples:
        found = bare("x", (), sample.input, None, None)
        assert found == checked("x", (), sample.input, None, None)
        assert len(found[0]) == len(batt.programs)
