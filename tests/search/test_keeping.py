"""Searches in archives: what is kept, and that a search goes on where it stopped."""

import sqlite3
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import Terms
from arcbatt.dsl.types import Grid
from arcbatt.engine.candidates import Judgements
from arcbatt.errors import ArcbattError
from arcbatt.search.evolve.island import island_from, progress_from
from support.searches import SEEDS, finds, tasks

Opened = Callable[..., Archive]


@pytest.fixture
def archives(tmp_path: Path) -> Iterator[Opened]:
    opened: list[Archive] = []

    def open_one(name: str = "a.db") -> Archive:
        opened.append(ab.Archive(tmp_path / name))
        return opened[-1]

    yield open_one
    for archive in opened:
        archive.close()


def content(archive: Archive) -> list[Any]:
    """All that a search leaves, but for its states."""
    programs = [(stored.hash, stored.name, stored.source) for stored in archive.programs()]
    results = sorted((found.task, found.hash, found.verdicts, found.scores) for found in archive.results())
    lineage = [
        [(step.hash, step.child, step.mutation) for step in archive.lineage(digest)]
        for digest, _, _ in programs
    ]
    return [programs, results, lineage]


def test_what_populations_take_is_in_the_archive(archives: Opened) -> None:
    archive = archives()
    found = ab.evolve(tasks(), SEEDS, steps=800, workers=1, archive=archive)
    for find in found.best.values():
        assert find.program in archive
        assert [each.scores for each in archive.results(find.program, find.task)] == [find.outcome.scores]
    steps = archive.lineage(found.best["67a3c6ac"].program)
    assert steps[-1].program is not None
    assert steps[-1].program.name in {program.name for program in SEEDS}
    assert all(step.mutation.startswith("was ") for step in steps[1:])


@pytest.mark.process
@pytest.mark.parametrize("workers", [1, 2])
def test_search_in_parts_leaves_what_one_leaves_at_a_stretch(archives: Opened, workers: int) -> None:
    whole, parts = archives("whole.db"), archives("parts.db")
    straight = ab.evolve(tasks(), SEEDS, steps=2000, workers=1, beyond=None, archive=whole)
    for steps in (0, 300, 1100, 2000):
        resumed = ab.evolve(
            tasks(), SEEDS, steps=steps, workers=workers, beyond=None, archive=parts, resume=bool(steps)
        )
    assert finds(resumed) == finds(straight)
    assert content(parts) == content(whole)


def test_search_that_is_there_is_not_begun_again_by_mistake(archives: Opened) -> None:
    archive = archives()
    ab.evolve(tasks("67a3c6ac"), SEEDS, steps=300, workers=1, archive=archive)
    with pytest.raises(ArcbattError, match=r"holds this search already, for task 67a3c6ac .* resume it"):
        ab.evolve(tasks("67a3c6ac"), SEEDS, steps=300, workers=1, archive=archive)
    ab.evolve(tasks("67a3c6ac"), SEEDS, steps=300, workers=1, archive=archive, seed=1)
    ab.evolve(tasks("8be77c9e"), SEEDS, steps=300, workers=1, archive=archive)


def test_search_with_differs_is_another_search(archives: Opened) -> None:
    archive, how = archives(), {"steps": 300, "workers": 1}
    differs = ab.parse_programs("def differ_width(S, I, C): return astuple(width(I), width(C))")
    ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, **how)
    ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, differs=differs, **how)
    assert len(archive.runs()) == 2
    with pytest.raises(ArcbattError, match="holds this search already"):
        ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, differs=differs, **how)


@pytest.mark.process
def test_search_with_other_ops_of_ones_own_is_another_search(archives: Opened) -> None:
    archive, how = archives(), {"steps": 1, "workers": 1}

    def unchanged(grid: Grid) -> Grid:
        return grid

    ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, **how)
    with ab.own_ops(unchanged):
        ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, **how)
    assert len(archive.runs()) == 2


def test_resumed_search_that_is_not_there_is_told(
    archives: Opened, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, how = archives(), {"steps": 1, "workers": 1, "resume": True}
    for seed, told in ((0, False), (0, False), (1, True)):
        ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, seed=seed, **how)
        assert ("holds no search on these tasks with these settings" in capsys.readouterr().err) == told


@pytest.mark.parametrize("state", [b"", b"[]", b"{", b'{"a":3}'])
def test_damaged_list_of_seeds_is_refused_with_a_sentence(archives: Opened, state: bytes) -> None:
    archive = archives()
    ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, steps=1, workers=1)
    with sqlite3.connect(archive.path) as connection:
        connection.execute("UPDATE run_states SET state = ? WHERE key = 'seeds'", (state,))
    with pytest.raises(ArcbattError, match="the state of this run is damaged in the archive"):
        ab.evolve(tasks("0520fde7"), SEEDS, archive=archive, steps=1, workers=1, resume=True)


def test_search_starts_from_the_best_of_the_archive(archives: Opened) -> None:
    archive, (task,) = archives(), tasks("67a3c6ac")
    (mirror,), far = (ab.parse_programs(f"def p(I): return {root}") for root in ("vmirror(I)", "I"))
    archive.add_record(ab.run(mirror, task, "all").records[task.id], Terms())
    archive.commit()
    found = ab.evolve(task, far, steps=1, workers=1, archive=archive)
    assert found.best[task.id].program.root is mirror.root


@pytest.mark.process
def test_programs_of_the_archive_with_ops_that_are_not_registered_are_no_seeds(archives: Opened) -> None:
    archive, task = archives(), tasks("67a3c6ac")
    own, far = "def solve_a(I): return unchanged(I)", ab.parse_programs("def solve_b(I): return rot90(I)")

    def unchanged(grid: Grid) -> Grid:
        return grid

    with ab.own_ops(unchanged):
        ab.evolve(task, ab.parse_programs(own), steps=1, workers=1, archive=archive)
    found = ab.evolve(task, far, steps=1, workers=1, archive=archive)
    assert found.best["67a3c6ac"].program.root is far[0].root


def test_finished_search_is_reported_again(archives: Opened) -> None:
    archive = archives()
    first = ab.evolve(tasks(), SEEDS, steps=400, workers=1, archive=archive)
    again = ab.evolve(tasks(), SEEDS, steps=400, workers=1, archive=archive, resume=True)
    assert finds(again) == finds(first)
    assert again.steps == first.steps


@pytest.mark.slow
def test_island_that_another_process_has_bred_is_taken_over(archives: Opened) -> None:
    one, other, alone = archives(), archives(), archives("alone.db")
    told = count()
    how: dict[str, Any] = {"workers": 1, "beyond": None}

    def overtake(progress: object) -> None:
        if next(told) == 3:
            ab.evolve(tasks(), SEEDS, steps=600, archive=other, resume=True, **how)

    found = ab.evolve(tasks(), SEEDS, steps=900, archive=one, on_progress=overtake, **how)
    assert finds(found) == finds(ab.evolve(tasks(), SEEDS, steps=900, archive=alone, **how))
    assert content(one) == content(alone)


def test_two_processes_on_one_search_share_the_work(archives: Opened) -> None:
    one, other = archives(), archives()
    told, judged_in_all = count(), 0

    def fitness(judged: Judgements) -> Any:
        nonlocal judged_in_all
        judged_in_all += len(judged)
        return judged.score

    how: dict[str, Any] = {"steps": 900, "workers": 1, "beyond": None, "fitness": fitness}

    def overtake(progress: object) -> None:
        if next(told) == 3:  # the first island has been bred, the others are at their beginning
            ab.evolve(tasks(), SEEDS, archive=other, resume=True, **how)

    found = ab.evolve(tasks(), SEEDS, archive=one, on_progress=overtake, **how)
    assert judged_in_all == found.steps


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'{"form":2}',
        b'{"form":1,"generation":-1,"steps":0,"improved":0,"fitted":null,"members":[],"seeds":[]}',
        b'{"form":1,"generation":1,"steps":0,"improved":0,"fitted":null,"members":[],'
        b'"seeds":[["p",["I"],"[[\\"op\\",\\"system\\",[]]]"]]}',
        b'{"form":1,"generation":1,"steps":0,"improved":0,"fitted":null,"members":'
        b'[[["p",["I"],"[[\\"input\\",\\"I\\",[]]]"],NaN,1,1,false,0,0,false]],"seeds":[]}',
    ],
)
def test_damaged_state_is_refused_with_a_sentence(text: bytes) -> None:
    for read in (island_from, progress_from):
        with pytest.raises(ArcbattError, match="the state of this run is damaged in the archive"):
            read(text)


def test_a_damaged_program_of_the_archive_is_no_seed(
    archives: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = archives()
    archive.add(ab.run(ab.parse_programs("def solve_x(I): return rot90(I)"), "67a3c6ac", "all"))
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("UPDATE programs SET source = 'import os'")
    found = ab.evolve(tasks("67a3c6ac"), SEEDS, steps=2000, workers=1, archive=archive)
    assert found.summary()["fits"] == 1
    assert "left out: program" in capsys.readouterr().err
