"""The measurement of a cluster, as far as it needs none."""

from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.bench.archive import population, records
from arcbatt.bench.cluster import Driver
from arcbatt.bench.measures import STATUS


@pytest.mark.skipif(not STATUS.exists(), reason="the memory of a process is read in /proc")
def test_the_driver_writes_all_results_and_notes_its_memory(tmp_path: Path) -> None:
    programs, tasks = population(40), list(ab.load_tasks("67a3c6ac,68b16354"))
    with ab.Archive(tmp_path / "bench.db") as archive:
        driver = Driver(archive)
        for record in records(programs, tasks):
            driver.add(record)
        archive.commit()
        assert driver.results == len(list(archive.results())) == 80
    assert [count for count, _ in driver.memory] == [40, 80]
    assert driver.growth() < 64
