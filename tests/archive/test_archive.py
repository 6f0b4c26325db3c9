"""An archive: what is committed is found again, by everybody, and as it was."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.archive.runs import Run
from arcbatt.engine.results import Record
from arcbatt.program.mutation.mutate import Mutator

SOLVERS = ab.parse_programs(
    "def solve_turned(I): return rot90(I)\n"
    "def solve_mirrored(I):\n    x1 = vmirror(I)\n    return vmirror(vmirror(x1))\n"
    "def solve_67a3c6ac(I): return vmirror(I)\n"
    "def solve_failing(I): return first(())\n"
)
TASKS = ab.load_tasks("67a3c6ac,68b16354")
TERMS = ab.Terms()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "archive.db"


def records(programs: list[ab.Program] = SOLVERS, **options: bool) -> list[Record]:
    return list(ab.run(programs, TASKS, "all", **options).records.values())


def filled(path: Path, **options: bool) -> ab.Archive:
    archive = ab.Archive(path)
    for record in records(**options):
        archive.add_record(record, TERMS)
    archive.commit()
    return archive


def test_the_best_programs_of_a_task_solve_it_and_are_short(path: Path) -> None:
    with filled(path) as archive:
        best = archive.best("67a3c6ac")
        assert [result.name for result in best[:2]] == ["solve_67a3c6ac", "solve_mirrored"]
        assert [result.solved for result in best] == [True, True, False, False]
        assert best[0].program == SOLVERS[2]
        assert best[0].demo_exact == len(TASKS[0].demo)
        assert best[0].whole_task == TASKS[0]
        assert archive.best(TASKS[0], 1) == best[:1]
        assert archive.best("00000000") == []
        assert archive.lineage(best[0])[0].program == archive.program(SOLVERS[2])
        assert best[0] in archive
        assert archive.solved() == {"67a3c6ac": best[0]}


def test_partial_scores_order_what_is_not_exact(path: Path) -> None:
    with filled(path, partial_scores=True) as archive:
        best = archive.best("68b16354")
        scores = [result.score for result in best]
        assert scores == sorted(scores, reverse=True)
        assert best[0].scores is not None
        assert best[0].score == pytest.approx(sum(best[0].scores[:3]) / 3, abs=0.001)  # type: ignore[arg-type]


def test_a_score_that_nobody_computed_is_unknown_and_not_0(path: Path) -> None:
    with filled(path) as archive:
        scores = {result.name: result.score for result in archive.best("67a3c6ac")}
        assert scores == {
            "solve_67a3c6ac": 1000.0,
            "solve_mirrored": 1000.0,
            "solve_turned": None,
            "solve_failing": None,
        }
        assert "score unknown" in repr(archive.best("67a3c6ac")[2])
        assert archive.check().faults == []
    with closing(sqlite3.connect(path)) as database:
        in_sql = dict(database.execute("SELECT program, score FROM readable WHERE task = '67a3c6ac'"))
    assert in_sql == scores


def test_an_unknown_score_ranks_behind_a_known_one_and_replaces_none(path: Path) -> None:
    failing, turned = SOLVERS[3], SOLVERS[0]
    longer = ab.parse_programs("def solve_longer(I): return first(first(first(())))")
    with ab.Archive(path) as archive:
        archive.add(ab.run(longer, TASKS[0], "all", partial_scores=True))
        archive.add(ab.run([failing, turned], TASKS[0], "all"))
        assert [result.score for result in archive.best(TASKS[0])] == [0.0, None, None]
        archive.add(ab.run(turned, TASKS[0], "all", partial_scores=True))
        best = archive.best(TASKS[0], 1)
        assert best[0].score == 575.0
        archive.add(ab.run(turned, TASKS[0], "all"))
        assert archive.best(TASKS[0], 1) == best


@pytest.mark.parametrize("partial_scores", [True, False])
def test_scores_known_or_not_survive_export_import_and_merge(
    path: Path, tmp_path: Path, partial_scores: bool
) -> None:
    with filled(path, partial_scores=partial_scores) as archive:
        scores = {(result.name, result.task): result.score for result in archive.results()}
        archive.export(tmp_path / "lines.jsonl")
    with ab.Archive(tmp_path / "imported.db") as imported, ab.Archive(tmp_path / "merged.db") as merged:
        imported.import_file(tmp_path / "lines.jsonl")
        merged.merge(path)
        for other in (imported, merged):
            assert {(result.name, result.task): result.score for result in other.results()} == scores
            assert other.check().faults == []


def test_results_are_those_of_the_run(path: Path) -> None:
    run = ab.run(SOLVERS, TASKS, "all", partial_scores=True)
    with filled(path, partial_scores=True) as archive:
        for result in archive.results():
            outcome = run[result.program, result.task]
            assert (result.verdicts, result.scores) == (outcome.verdicts, outcome.scores)
            assert result.solved == outcome.solved
        assert len(list(archive.results())) == len(run)
        assert len(list(archive.results("solve_turned"))) == len(TASKS)
        assert [result.name for result in archive.results(task="67a3c6ac", solved=True)] == [
            "solve_67a3c6ac",
            "solve_mirrored",
        ]


def test_what_is_known_need_not_run_again(path: Path) -> None:
    whole = records()
    with ab.Archive(path) as archive:
        assert archive.known(TASKS[0], TERMS, SOLVERS).missing == list(SOLVERS)
        first = Record(TASKS[0], tuple(SOLVERS[:2]), whole[0].codes(0) + whole[0].codes(1), b"")
        archive.add_record(first, TERMS)
        archive.commit()
        known = archive.known(TASKS[0], TERMS, SOLVERS)
        assert known.missing == list(SOLVERS[2:])
        new = ab.run(known.missing, TASKS[0], "all").records["67a3c6ac"]
        assert known.joined(SOLVERS, new)[1:] == whole[0][1:]
        assert archive.known(TASKS[0], TERMS, SOLVERS, scored=True).missing == list(SOLVERS)
        assert archive.known(TASKS[1], TERMS, SOLVERS).missing == list(SOLVERS)
        assert archive.known(TASKS[0], ab.Terms("default"), SOLVERS).missing == list(SOLVERS)


def test_a_lineage_goes_back_to_the_seed(path: Path) -> None:
    seed = SOLVERS[1]
    (child,) = Mutator(1).mutants(seed, 1)
    (grandchild,) = Mutator(2).mutants(child, 1)
    with ab.Archive(path) as archive:
        parents = {child.hash: [seed.hash], grandchild.hash: [child.hash]}
        archive.add_programs([seed, child, grandchild], parents)
        archive.commit()
        steps = archive.lineage(grandchild)
        assert [step.hash for step in steps] == [grandchild.hash, child.hash, seed.hash]
        assert steps[1].mutation == "; ".join(map(str, grandchild.changes))
        assert [program.hash for program in archive.children(seed)] == [child.hash]
        assert len(archive) == 3
        assert seed in archive
        assert SOLVERS[0] not in archive


def test_a_program_that_solves_several_tasks_is_a_generalist(path: Path) -> None:
    other = ab.Task("twin", TASKS[0].demo[:2], ())
    with filled(path) as archive:
        archive.add_record(ab.run(SOLVERS, other, "all").records["twin"], TERMS)
        archive.commit()
        found = archive.generalists()
        assert [(program.name, tasks) for program, tasks in found] == [
            ("solve_67a3c6ac", ("67a3c6ac", "twin")),
            ("solve_mirrored", ("67a3c6ac", "twin")),
        ]


def test_a_state_advances_with_what_was_added_or_not_at_all(path: Path) -> None:
    with ab.Archive(path) as one, ab.Archive(path) as other:
        runs: list[Run] = [archive.run("evolve", {"seed": 1}) for archive in (one, other)]
        assert runs[0].state("island") is None
        one.add_programs(SOLVERS[:1])
        assert runs[0].advance("island", 1, b"first")
        other.add_programs(SOLVERS[1:2])
        assert not runs[1].advance("island", 1, b"late")
        assert runs[1].state("island") == (1, b"first")
        assert [program.name for program in other] == ["solve_turned"]
        other.add_programs(SOLVERS[2:3])
        assert runs[1].advance("island", 2, b"second")
        assert runs[0].state("island") == (2, b"second")
        assert runs[0].states() == {"island": 2}
        assert one.run("evolve", {"seed": 2}).state("island") is None
        assert len(one) == 2


def test_nothing_is_seen_before_it_is_committed(path: Path) -> None:
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS)
        assert len(archive) == 0
        assert not archive.settle()
    with ab.Archive(path, readonly=True) as archive:
        assert len(archive) == len(SOLVERS)
        assert repr(archive) == f"<archive {path}: 4 programs, 0 tasks>"
    assert [file.name for file in path.parent.iterdir()] == ["archive.db"]
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_program_with_an_own_op_of_a_scope_is_written_after_its_end(path: Path) -> None:
    def turned(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
        return grid[::-1]

    with ab.Archive(path) as archive:
        with ab.own_ops(turned):
            (program,) = ab.parse_programs("def called(I): return turned(I)")
            archive.add_record(ab.run(program, TASKS[0], "all").records["67a3c6ac"], TERMS)
        archive.commit()
        (result,) = archive.results()
        assert result.stored.own_ops == ("turned",)
        assert archive.check().faults == []
        assert "register" not in str(archive.best("67a3c6ac"))


def test_parents_that_are_told_later_are_kept(path: Path) -> None:
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS[:1])
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS[:1])
        archive.commit()
        archive.add_programs(SOLVERS[:1], {SOLVERS[0].hash: [SOLVERS[1].hash]})
    with ab.Archive(path) as archive:
        assert [step.program for step in archive.lineage(SOLVERS[0])][1:] == [None]
        with pytest.raises(ab.ArcbattError, match="is no hash of a program"):
            archive.add_programs(SOLVERS[:1], {SOLVERS[0].hash: ["00ff"]})


def test_tasks_of_any_shape_are_kept(path: Path) -> None:
    grid = tuple(tuple(range(40)) for _ in range(3))
    wide = ab.Task("wide", (ab.Sample(grid, grid),), (ab.Sample(((-5,),), None),))
    with ab.Archive(path) as archive:
        archive.add_record(Record(ab.Task("empty", (), ()), tuple(SOLVERS), b"", b""), TERMS)
        archive.add(ab.run(SOLVERS[:1], wide, "all"))
        assert archive.tasks() == [wide]
        assert len(archive) == len(SOLVERS)
        assert archive.check().faults == []


def test_a_task_that_cannot_be_kept_is_refused_and_what_waits_is_written(path: Path) -> None:
    strange = ab.Task("strange", (ab.Sample(frozenset({1}), ((1,),)),), ())  # type: ignore[arg-type]
    with ab.Archive(path) as archive:
        archive.add_record(records()[0], TERMS)
        with pytest.raises(ab.ArcbattError, match="task strange: an input is no grid"):
            archive.add(ab.run(SOLVERS[:1], strange, "all"))
        archive.commit()
        assert archive.solved().keys() == {"67a3c6ac"}


@pytest.mark.parametrize("asked", ["program", "task", "solved", "export"])
def test_questions_are_answered_by_keys_and_not_by_going_through_all_results(
    path: Path, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[str] = []
    with filled(path) as archive:
        rows = archive.connection.rows

        def explained(statement: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
            if "results" in statement:
                plans.extend(row[-1] for row in rows(f"EXPLAIN QUERY PLAN {statement}", values))
            return rows(statement, values)

        monkeypatch.setattr(archive.connection, "rows", explained)
        if asked == "program":
            assert len(list(archive.results(SOLVERS[0]))) == len(TASKS)
        elif asked == "task":
            assert len(archive.best("67a3c6ac")) == len(SOLVERS)
        elif asked == "export":
            archive.export(path.with_suffix(".py"), "solvers", count=1)
            assert len(ab.load_programs(path.with_suffix(".py"))) == len(TASKS)
        else:
            assert len(archive.solved()) == 1
    searched = [plan for plan in plans if plan.startswith(("SEARCH results", "SCAN results"))]
    keys = ("(task=? AND terms=? AND program=?)", "best_of_task (task=? AND solved=?)")
    assert searched
    assert all(plan.endswith(keys) for plan in searched), searched


def test_a_run_whose_first_step_failed_takes_no_other_run_for_its_own(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ab.Archive(path) as one, ab.Archive(path) as other:
        mine, theirs = one.run("evolve", {"seed": 1}), other.run("evolve", {"seed": 2})
        with monkeypatch.context() as patched:
            patched.setattr("arcbatt.archive.runs.PUT_STATE", "INSERT INTO nowhere VALUES (?, ?, ?, ?)")
            with pytest.raises(ab.ArcbattError, match="no such table"):
                mine.advance("island", 1, b"mine")
        assert theirs.advance("island", 1, b"theirs")
        assert mine.advance("island", 1, b"mine")
        assert (mine.state("island"), theirs.state("island")) == ((1, b"mine"), (1, b"theirs"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, 1, b""), "key: expected text, a Python str, got 1"),
        (("island", "1", b""), "version is '1'; it must be an integer, 1 or more"),
        (("island", 0, b""), "version is 0; it must be an integer, 1 or more"),
        (("island", 1, "text"), "the state of a run is 'text'; it must be bytes"),
        (("island", 1, 5), "the state of a run is 5; it must be bytes"),
        (("island", 1, b"", -1), "steps is -1; it must be an integer, 0 or more"),
    ],
)
def test_wrong_states_of_a_run_are_refused(path: Path, arguments: tuple[Any, ...], sentence: str) -> None:
    with ab.Archive(path) as archive:
        with pytest.raises(ab.ArcbattError, match=sentence):
            archive.run("evolve", {}).advance(*arguments)
        assert archive.runs() == []


def test_a_parent_that_is_no_hash_is_refused_with_its_program(path: Path) -> None:
    with ab.Archive(path) as archive:
        for parent in ("zz", "00", 3):
            with pytest.raises(ab.ArcbattError, match="is no hash of a program"):
                archive.add_programs(SOLVERS[:1], {SOLVERS[0].hash: [parent]})  # type: ignore[list-item]
        archive.commit()
        assert len(archive) == 0


TURNED = SOLVERS[0]
WRONG: list[tuple[str, Any]] = [
    ("expected a task, got 3; tasks are", lambda archive: archive.best(3)),
    ("count: expected an integer >= 1, got 0", lambda archive: archive.best("67a3c6ac", 0)),
    ("count: expected an integer >= 1, got 'x'", lambda archive: archive.best("67a3c6ac", "x")),
    ("expected terms, got 'x'", lambda archive: archive.best("67a3c6ac", terms="x")),
    ("at_least: expected an integer >= 1, got 'x'", lambda archive: archive.generalists("x")),
    ("3 is no program; give its hash or its name", lambda archive: archive.lineage(3)),
    ("expected a task, got 3", lambda archive: archive.results(task=3)),
    ("kind: expected one of solver, differ, got 'x'", lambda archive: archive.programs(kind="x")),
    ("file: expected a path, a Python str or a pathlib.Path, got 3", lambda archive: archive.export(3)),
    ("there is no task x in this archive", lambda archive: archive.export("x.py", "solvers", task="x")),
    ("count goes with programs", lambda archive: archive.export("x.jsonl", count=1)),
    ("cannot be merged into itself", lambda archive: archive.merge(archive)),
    ("expected a record of results, got 3", lambda archive: archive.add_record(3, TERMS)),
    ("expected terms, got 3", lambda archive: archive.add_record(records()[0], 3)),
    (
        "expected a mapping of parents, by the hash of a program, got 3",
        lambda archive: archive.add_programs([TURNED], 3),
    ),
    ("on_failure: expected one of fail, default, pile, got 'x'", lambda archive: ab.Terms("x")),
    ("expected limits, got 3", lambda archive: ab.Terms(limits=3)),
    ("expected a program, got 3", lambda archive: archive.known(TASKS[0], TERMS, [3])),
    (
        "patience: expected a number of seconds >= 0, got 'x'",
        lambda archive: ab.Archive(archive.path, patience="x"),
    ),
]


@pytest.mark.parametrize(("sentence", "ask"), WRONG)
def test_a_wrong_argument_gets_a_sentence_and_spoils_nothing(path: Path, sentence: str, ask: Any) -> None:
    with filled(path) as archive:
        with pytest.raises(ab.ArcbattError, match=sentence):
            ask(archive)
        archive.commit()
        assert len(archive) == len(SOLVERS)
    with pytest.raises(ab.ArcbattError, match="is closed; open it again"):
        archive.solved()
