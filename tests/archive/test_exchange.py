"""Exports, imports and merges: equal content gives equal bytes, and programs come back as they were."""

import json
import re
import sqlite3
from array import array
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import arcbatt as ab
from arcbatt.archive.rows.results import ENDED
from arcbatt.dsl.contract import NO_SCORE
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.replies import Reply
from arcbatt.library import load_library
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.testing.programs import random_program

TASKS = ab.load_tasks("67a3c6ac,68b16354,74dd1130")
SOLVERS = load_library("solvers")[:12]
MUTANTS = [mutant for solver in SOLVERS for mutant in Mutator(4).mutants(solver, 2)]
PARENTS = {mutant.hash: [solver.hash] for solver, mutant in zip([s for s in SOLVERS for _ in "12"], MUTANTS)}
STYLES = ("pile", "guarded", "vectorized", "hybrid", "gpu-direct", "batch")


def exported(path: Path) -> bytes:
    with ab.Archive(path, readonly=True) as archive:
        archive.export(path.with_suffix(".jsonl"))
        assert archive.check().faults == []
    return path.with_suffix(".jsonl").read_bytes()


def pieces() -> list[Callable[[ab.Archive], None]]:
    """Additions that a run makes, in pieces: programs, and records of some programs on a task."""
    programs = [*SOLVERS, *MUTANTS]
    made: list[Callable[[ab.Archive], None]] = [
        lambda archive, each=each: archive.add_programs([each], PARENTS) for each in programs
    ]
    for start in range(0, len(programs), 7):
        some = programs[start : start + 7]
        for partial in (False, True):
            results = ab.run(some, TASKS, "all", partial_scores=partial)
            made += [
                lambda archive, record=record: archive.add_record(record, ab.Terms())
                for record in results.records.values()
            ]
    renamed = [replace(program, name=f"other_{n}") for n, program in enumerate(programs)]
    return [*made, lambda archive: archive.add_programs(renamed)]


def test_the_order_of_writing_does_not_matter_nor_do_shards_and_repetitions(tmp_path: Path) -> None:
    random, all_pieces = Random(3), pieces()
    with ab.Archive(tmp_path / "whole.db") as archive:
        for piece in all_pieces:
            piece(archive)
    whole = exported(tmp_path / "whole.db")
    assert len(whole.splitlines()) > 100
    for trial in range(2):
        paths = [tmp_path / f"{trial}-{part}.db" for part in range(3)]
        shards = [ab.Archive(path) for path in paths]
        for piece in random.sample(all_pieces, len(all_pieces)):
            for shard in random.sample(shards, random.choice((1, 1, 2))):
                piece(shard)
                if random.randrange(3) == 0:
                    shard.commit()
        for shard in shards:
            shard.close()
        with ab.Archive(tmp_path / f"{trial}.db") as archive:
            archive.merge(*random.sample(paths, 3))
            archive.merge(paths[0])
        assert exported(tmp_path / f"{trial}.db") == whole


def test_an_export_imports_as_the_same_archive(tmp_path: Path) -> None:
    with ab.Archive(tmp_path / "one.db") as archive:
        for piece in pieces():
            piece(archive)
    lines = exported(tmp_path / "one.db")
    with ab.Archive(tmp_path / "two.db") as archive:
        assert archive.import_file(tmp_path / "one.jsonl").refused == []
        archive.import_file(tmp_path / "one.jsonl")
    assert exported(tmp_path / "two.db") == lines


@pytest.mark.parametrize("well_typed", [True, False])
def test_any_program_comes_back_as_the_same(tmp_path: Path, well_typed: bool) -> None:
    programs = [random_program(seed, well_typed=well_typed) for seed in range(40)]
    programs += [random_program(seed, well_typed=well_typed, kind="differ") for seed in range(10)]
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add_programs(programs)
    with ab.Archive(tmp_path / "one.db") as archive:
        for program in programs:
            again = archive.program(program).program
            assert (again.root, again.kind, again.inputs) == (program.root, program.kind, program.inputs)
    lines = exported(tmp_path / "one.db")
    with ab.Archive(tmp_path / "two.db") as archive:
        assert archive.import_file(tmp_path / "one.jsonl").refused == []
        archive.export(tmp_path / "some.py", "solvers")
        kept = {stored.hash for stored in archive if stored.graph is None}
    assert exported(tmp_path / "two.db") == lines
    assert {program.hash for program in ab.load_programs(tmp_path / "some.py", strict=True)} == kept


def test_a_program_with_more_ops_than_a_file_may_have_lines_comes_back_as_the_same(tmp_path: Path) -> None:
    lines = "".join(f"    x{n + 1} = rot90(hmirror(x{n}))\n" for n in range(12_000))
    (program,) = ab.parse_programs(f"def solve_x(I):\n    x0 = rot90(I)\n{lines}    return x12000\n")
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add_programs([program])
        archive.commit()
        assert archive.program("solve_x").program == program
        assert archive.check().faults == []


@pytest.mark.parametrize("style", STYLES)
def test_batts_of_all_styles_are_imported(tmp_path: Path, style: str) -> None:
    batt = ab.batt_of(SOLVERS[:4], load_library("differs")[:2])
    file = tmp_path / "batt.py"
    file.write_text(ab.batt_source(batt, style))  # type: ignore[arg-type]
    with ab.Archive(tmp_path / "one.db") as archive:
        assert archive.import_file(file).refused == []
        assert {stored.hash for stored in archive if stored.kind == "solver"} == {
            solver.hash for solver in batt.solvers
        }


def test_names_of_exported_functions_are_their_own(tmp_path: Path) -> None:
    bodies = ["rot90(I)", "rot180(I)", "vmirror(I)", "hmirror(I)", "dmirror(I)", "cmirror(I)", "I"]
    names = ["rot90", "batt", "a b", "a_b", "differ_x", "solve_00d62c1b", "größe"]
    bodies += ["tophalf(I)", "lefthalf(I)", "righthalf(I)"]
    names += ["ﬁn", "fin", "²~\u2028"]  # letters that Python reads as others, and what is no letter
    programs = [
        replace(ab.parse_programs(f"def solve(I): return {body}")[0], name=name)
        for body, name in zip(bodies, names)
    ]
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add_programs(programs)
        archive.commit()
        archive.export(tmp_path / "out.py", "solvers")
    found = ab.load_programs(tmp_path / "out.py", strict=True)
    assert {program.hash for program in found} == {program.hash for program in programs}
    assert {program.kind for program in found} == {"solver"}
    assert len({program.name for program in found}) == len(programs)
    assert {"solve_00d62c1b", "solve_größe"} <= {program.name for program in found}


def test_outputs_of_winners_are_kept_where_nobody_knows_the_right_ones(tmp_path: Path) -> None:
    known = TASKS[0]
    hidden = ab.Task(known.id, known.demo, tuple(ab.Sample(sample.input, None) for sample in known.test))
    programs = ab.parse_programs("def a(I): return vmirror(I)\ndef b(I): return rot90(I)")
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add(ab.run(programs, hidden, "all"))
        best, other = archive.best(hidden)
        assert best.outputs == {len(known.demo): known.test[0].output}
        assert other.outputs == {}
        assert archive.best(known) == []
        assert len(archive.best(known.id)) == 2
    lines = exported(tmp_path / "one.db")
    with ab.Archive(tmp_path / "two.db") as archive:
        archive.import_file(tmp_path / "one.jsonl")
    assert exported(tmp_path / "two.db") == lines


def test_a_sample_whose_worker_ended_is_no_result(tmp_path: Path) -> None:
    task, programs = TASKS[0], tuple(ab.parse_programs("def a(I): return vmirror(I)"))
    whole = ab.run(programs, task, "all").records[task.id]
    scores = array("i", [NO_SCORE] * len(task.samples)).tobytes()
    broken = Record(task, programs, b"\x01\x00\x01\x01", scores, ((1, Reply("timeout")),))
    for order in ((broken, whole), (whole, broken)):
        path = tmp_path / f"{order[0] is whole}.db"
        with ab.Archive(path) as archive:
            archive.add_record(broken, ab.Terms())
            archive.commit()
            assert archive.known(task, ab.Terms(), programs).missing == list(programs)
            (result,) = archive.results()
            assert result.verdicts == (True, None, True, True)
            assert not result.solved
            for record in order:
                archive.add_record(record, ab.Terms())
                archive.commit()
            assert archive.known(task, ab.Terms(), programs).missing == []
            assert archive.best(task)[0].solved
    assert ENDED not in whole.verdicts


def test_in_mode_pile_results_go_with_the_whole_batt(tmp_path: Path) -> None:
    batts = [ab.merge(ab.parse_programs("def a(I): return vmirror(I)\ndef b(I): return I"))]
    batts.append(ab.merge(batts[0].programs[:1]))
    terms = []
    with ab.Archive(tmp_path / "one.db") as archive:
        for batt in batts:
            archive.add(ab.run(batt, TASKS[0], "all", on_failure="pile"))
        terms = [result.terms for result in archive.results("a")]
    assert len({each.batt for each in terms}) == 2
    assert {each.on_failure for each in terms} == {"pile"}


def test_lines_of_an_export_are_sorted_and_have_no_ids(tmp_path: Path) -> None:
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add(ab.run(SOLVERS, TASKS, "all"))
        archive.run("x", {}).advance("k", 1, b"state")
    rows = [json.loads(line) for line in exported(tmp_path / "one.db").splitlines()]
    programs = [row["program"] for row in rows if "source" in row]
    assert programs == sorted(programs)
    assert {tuple(sorted(row)) for row in rows} == {
        ("arcbatt", "version"),
        ("id", "task", "test", "train"),
        ("settings", "terms"),
        ("inputs", "kind", "name", "program", "source"),
        ("result", "verdicts"),
    }


SPOILED: list[tuple[str, str, object, str]] = [
    ("source", "kept", [["x", float("nan"), 1.0]], "must be finite"),
    ("source", "kept", [["x", 10**400, 1.0]], "no line of an archive"),
    ("source", "name", "\ud800", "is no Unicode text"),
    ("source", "name", "a\0b", "has a null character"),
    ("source", "parents", [["00", "was I"]], "is no hash of a program"),
    ("source", "parents", [["0" * 32, "\ud800"]], "is no Unicode text"),
    ("source", "inputs", ["I", "x,y"], r"must be \(I\) or \(S, I, C\)"),
    ("result", "scores", [10**30] * 4, "must be from 0 to 1000"),
    ("result", "scores", [-5, 70_000, 0, 0], "must be from 0 to 1000"),
    ("result", "mean", float("inf"), "must be from 0 to 1000"),
    ("train", "id", "\ud800", "is no Unicode text"),
]


@pytest.mark.parametrize(("line", "field", "value", "reason"), SPOILED)
def test_a_spoiled_line_of_an_export_costs_no_other(
    tmp_path: Path, line: str, field: str, value: object, reason: str
) -> None:
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add(ab.run(SOLVERS[:2], TASKS[:2], "all"))
    rows = [json.loads(text) for text in exported(tmp_path / "one.db").splitlines()]
    spoiled = next(row for row in rows if line in row)
    spoiled[field] = value
    (tmp_path / "spoiled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with ab.Archive(tmp_path / "two.db") as archive:
        done = archive.import_file(tmp_path / "spoiled.jsonl")
        assert re.search(f":{rows.index(spoiled) + 1}: .*{reason}", done.refused[0])
        lost = 1 if line == "result" else 2  # a program is on two tasks, a task has two programs
        assert len(list(archive.results())) == done.results == 4 - lost
        assert archive.check().faults == []


def test_an_export_of_another_version_is_not_read_at_all(tmp_path: Path) -> None:
    with ab.Archive(tmp_path / "one.db") as archive:
        archive.add_programs(SOLVERS)
    lines = exported(tmp_path / "one.db").replace(b'"version":1', b'"version":2')
    (tmp_path / "newer.jsonl").write_bytes(lines)
    with ab.Archive(tmp_path / "two.db") as archive:
        with pytest.raises(
            ab.ArcbattError, match=r"newer\.jsonl:1: this export has version 2, and 1 is read"
        ):
            archive.import_file(tmp_path / "newer.jsonl")
        assert len(archive) == 0


def test_archives_of_versions_that_write_sources_differently_are_merged_in_any_order(tmp_path: Path) -> None:
    paths = [tmp_path / "one.db", tmp_path / "two.db"]
    for path in paths:
        with ab.Archive(path) as archive:
            archive.add_programs(SOLVERS)
    with closing(sqlite3.connect(paths[1], isolation_level=None)) as database:
        database.execute("UPDATE programs SET source = replace(source, '    O = ', '    out = ')")
        database.execute("UPDATE programs SET source = replace(source, 'return O', 'return out')")
    for path, order in ((tmp_path / "there.db", paths), (tmp_path / "back.db", paths[::-1])):
        with ab.Archive(path) as archive:
            archive.merge(*order)
    assert exported(tmp_path / "there.db") == exported(tmp_path / "back.db")
    with ab.Archive(paths[1]) as archive:
        archive.add_programs(SOLVERS)
    assert exported(paths[1]) == exported(tmp_path / "there.db")


def test_an_import_counts_the_programs_that_it_adds(tmp_path: Path) -> None:
    batt = ab.batt_of(SOLVERS[:4], load_library("differs")[:2])
    (tmp_path / "batt.py").write_text(ab.batt_source(batt, "vectorized"))
    with ab.Archive(tmp_path / "one.db") as archive:
        assert archive.import_file(tmp_path / "batt.py").programs == len(archive)
