"""The measurement of archives."""

from pathlib import Path

import arcbatt as ab
from arcbatt.bench.archive import measured, population


def test_all_results_that_are_measured_are_in_the_archive(tmp_path: Path) -> None:
    programs, tasks = population(40), list(ab.load_tasks("67a3c6ac,68b16354"))
    figures = measured(programs, tasks, str(tmp_path))
    assert len({program.hash for program in programs}) == 40
    assert figures.results == 80
    with ab.Archive(tmp_path / "bench.db") as archive:
        assert len(list(archive.results())) == 80
        assert len(archive.best("67a3c6ac")) == 10
        assert archive.check().faults == []
