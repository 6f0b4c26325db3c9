"""Threads and workers are as many as the cores that the process may use, unless told otherwise."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.engine.backend import MOST_THREADS, how_many
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.cores import cores, granted_cores

FASTEST = "native" if "native" in AVAILABLE else "reference"
TURN = ab.parse_programs("def turn(I): return rot90(I)")


def groups(folder: Path, membership: str) -> int | None:
    """What is granted to a process in these groups, whose files stand in a folder."""
    (folder / "membership").write_text(membership)
    return granted_cores(folder / "membership", folder / "groups")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no process to cores")
def test_a_process_that_is_bound_to_one_core_takes_one_thread() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert cores() == how_many("threads", None) == 1
        assert ab.run(TURN, ab.load_tasks("arc1/training")[:2], "all").stats.threads == 1
    finally:
        os.sched_setaffinity(0, before)
    assert cores() <= len(before)


@pytest.mark.parametrize(
    ("maximum", "granted"),
    [("max 100000\n", None), ("200000 100000\n", 2), ("150000 100000", 2), ("10000 100000", 1), ("", None)],
)
def test_the_share_of_a_group_is_rounded_up(maximum: str, granted: int | None, tmp_path: Path) -> None:
    (tmp_path / "groups" / "mine").mkdir(parents=True)
    (tmp_path / "groups" / "mine" / "cpu.max").write_text(maximum)
    assert groups(tmp_path, "0::/mine\n") == granted


def test_a_group_above_limits_its_members_too(tmp_path: Path) -> None:
    for path, maximum in (("a/b", "800000 100000"), ("a", "300000 100000")):
        (tmp_path / "groups" / path).mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / path / "cpu.max").write_text(maximum)
    assert groups(tmp_path, "0::/a/b\n") == 3


def test_the_first_version_of_groups_is_understood(tmp_path: Path) -> None:
    folder = tmp_path / "groups" / "cpu,cpuacct" / "mine"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("400000\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    assert groups(tmp_path, "4:memory:/mine\n3:cpu,cpuacct:/mine\n") == 4
    (folder / "cpu.cfs_quota_us").write_text("-1\n")
    assert groups(tmp_path, "3:cpu,cpuacct:/mine\n") is None


@pytest.mark.parametrize(("quota", "granted"), [(50_000, 1), (100_000, 1), (100_001, 2), (250_000, 3)])
def test_a_fraction_of_a_core_is_rounded_up_in_the_first_version_too(
    quota: int, granted: int, tmp_path: Path
) -> None:
    """The group of a container is the top of what it sees; its path and the order of names are the host's."""
    (tmp_path / "groups" / "cpu").mkdir(parents=True)
    (tmp_path / "groups" / "cpu" / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (tmp_path / "groups" / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    assert groups(tmp_path, "3:cpuacct,cpu:/docker/0123\n") == granted


@pytest.mark.parametrize("membership", ["0::/", "0::/\n", "1:name=systemd:/x\n0::/\n"])
def test_a_container_of_the_second_version_is_the_top_of_what_it_sees(
    membership: str, tmp_path: Path
) -> None:
    (tmp_path / "groups").mkdir()
    (tmp_path / "groups" / "cpu.max").write_text("350000 100000\n")
    assert groups(tmp_path, membership) == 4


def test_every_default_is_the_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcbatt.engine.backend.cores", lambda: 3)
    asked: dict[str, object] = {}

    def note(name: str) -> Callable[..., None]:
        return lambda search, count, *_: asked.update({name: count})

    monkeypatch.setattr("arcbatt.search.solve.solve.SolveSearch.run", note("solve"))
    monkeypatch.setattr("arcbatt.search.evolve.evolve._IslandSearch.run", note("evolve"))
    tasks = ab.load_tasks("arc1/training")[:2]
    ab.solve(tasks)
    ab.evolve(tasks, TURN)
    asked["run"] = ab.run(TURN, tasks, "all", backend=FASTEST).stats.threads
    asked["batt"] = ab.MegaBatchCoordinator(ab.merge(TURN)).max_workers
    with pytest.warns(RuntimeWarning, match="nothing ran"), ab.batch_dsl_context() as batch:
        asked["context"] = batch.threads
    of_native = 3 if FASTEST == "native" else 1  # the reference takes one thread
    assert asked == {"solve": 3, "evolve": 3, "run": of_native, "batt": 3, "context": 3}


def test_without_groups_nothing_is_limited(tmp_path: Path) -> None:
    assert granted_cores(tmp_path / "nowhere", tmp_path) is None
    assert groups(tmp_path, "nonsense\n0::/../..\n") is None


@pytest.mark.parametrize("asked", [0, -1, MOST_THREADS + 1, 100_000])
def test_more_threads_than_help_on_any_machine_are_refused(asked: int) -> None:
    with pytest.raises(
        ab.ArcbattError, match=f"threads: expected an integer from 1 to {MOST_THREADS:,}, got {asked}"
    ):
        ab.run(TURN, ab.load_tasks("67a3c6ac"), "all", threads=asked)
