"""Kept populations between `run-batt`, `card`, archives and folders: scores stay what they are."""

import hashlib
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.batt.breeding.population import historical_time
from arcbatt.program.graph import Node
from support.commands import Command

SPEC = "arc1/training:67a3c6ac,a416b8f3"


def kept_by_path(folder: Path) -> dict[tuple[str, str], str]:
    """Scores in paths, by task and name of the file."""
    return {(path.parts[-4], path.name): path.parts[-3] for path in folder.rglob("*/*/*/*.py")}


@pytest.fixture
def batt(cli: Command, tmp_path: Path) -> Path:
    path = tmp_path / "b.py"
    assert cli("card", "-c", 40, "--seed", 3, "-f", path).code == 0
    return path


def test_a_folder_that_an_archive_is_exported_to_has_its_real_scores(
    cli: Command, batt: Path, tmp_path: Path
) -> None:
    pop, folder = tmp_path / "pop.db", tmp_path / "D"
    assert cli("run-batt", "-b", batt, "-c", 40, "--archive", pop).code == 0
    assert cli("archive", "export", pop, folder, "--form", "folder", "--count", 32).code == 0
    found = [each for each in ab.load_programs(folder) if each.kept is not None]
    with ab.Archive(pop) as archive:
        scores = {
            (each.task, each.hash): each.score for task in archive.tasks() for each in archive.best(task, 32)
        }
    assert {(each.task_id, each.hash): each.kept.score for each in found if each.kept} == scores
    assert len(set(scores.values())) > 20


@pytest.mark.parametrize("form", ["mean", "sum"])
def test_folder_archive_and_folder_again_keep_the_scores(cli: Command, tmp_path: Path, form: str) -> None:
    first, second, pop = tmp_path / "one/solver_dir", tmp_path / "two/solver_dir", tmp_path / "pop.db"
    words = ("--tasks", SPEC, "-c", 2, "--mutants", 4, "--keep", 8, "--rounds", 2, "--seed", 3)
    assert cli("breed", *words, "--save", first, "--scores", form).code == 0
    differs = first.parent / "differ_dir"
    assert cli("archive", "import", pop, first, differs).code == 0
    assert cli("archive", "export", pop, second, "--form", "folder", "--scores", form).code == 0
    one, two = kept_by_path(first), kept_by_path(second)
    assert one == two
    assert len(one) == 16
    assert kept_by_path(differs) == kept_by_path(second.parent / "differ_dir") != {}


def test_winners_are_kept_in_the_historical_form(cli: Command, tmp_path: Path) -> None:
    batt, folder = tmp_path / "b.py", tmp_path / "solver_dir"
    assert cli("card", "-i", "67a3c6ac", "-fs", "-fd", "-f", batt).code == 0
    words = ("run-batt", "-b", batt, "-i", "67a3c6ac", "--save", folder)
    assert cli(*words, "--scores", "sum").code == 0
    (path,) = folder.rglob("*.py")
    task, score, time, name = path.relative_to(folder).parts
    assert (task, score) == ("solve_67a3c6ac", "4")  # exact on three demo samples and one test sample
    assert historical_time(0.5) < int(time) < historical_time(1e-7)
    beside = tmp_path / "solver_md5" / name
    assert beside.read_bytes() == path.read_bytes()
    assert path.stem == hashlib.md5(path.read_bytes()).hexdigest()
    (program,) = ab.load_programs(folder)
    assert program.kept is not None
    assert program.kept.is_sum
    nested = (tmp_path / "solver_def" / f"{path.stem}.def").read_text()
    assert nested == "def solve(S, I, C): return vmirror(I)\n"
    assert ab.parse_programs(nested)[0].root is program.root
    assert cli(*words, "--scores", "sum").code == 0
    assert list(folder.rglob("*.py")) == [path]


def test_both_forms_are_told_apart_when_they_are_read(cli: Command, tmp_path: Path) -> None:
    batt, folder = tmp_path / "b.py", tmp_path / "solver_dir"
    cli("card", "-i", "67a3c6ac", "-fs", "-fd", "-f", batt)
    for form in ("mean", "sum"):
        assert cli("run-batt", "-b", batt, "-i", "67a3c6ac", "--save", folder, "--scores", form).code == 0
    found = {each.kept.is_sum: each.kept.score for each in ab.load_programs(folder) if each.kept}
    assert len(list(folder.rglob("*.py"))) == 2
    assert found.get(True, found.get(False)) in (4, 1000)
    by_file = [ab.load_programs(path)[0].kept for path in sorted(folder.rglob("*.py"))]
    assert sorted((each.is_sum, each.score) for each in by_file if each) == [(False, 1000), (True, 4)]


def test_a_sum_of_a_task_that_is_not_known_is_told(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "solver_dir/solve_mine/3/17/0f3c.py"
    path.parent.mkdir(parents=True)
    path.write_text("def solve(S, I, C):\n    return rot90(I)\n")
    answer = cli("archive", "import", tmp_path / "pop.db", tmp_path / "solver_dir")
    assert answer.code == 1
    assert "name the tasks with --tasks" in answer.err
    with ab.Archive(tmp_path / "pop.db") as archive:
        assert len(archive) == 1


def test_card_draws_by_score_from_folders_and_archives_alike(cli: Command, tmp_path: Path) -> None:
    words = ("--tasks", SPEC, "-c", 2, "--mutants", 4, "--keep", 8, "--rounds", 2, "--seed", 3)
    folder, pop = tmp_path / "solver_dir", tmp_path / "pop.db"
    assert cli("breed", *words, "--save", folder).code == 0
    assert cli("breed", *words, "--archive", pop).code == 0
    made = []
    for source in ((folder, tmp_path / "differ_dir"), (pop,)):
        path = tmp_path / "made.py"
        answer = cli("card", *source, "-c", 5, "--seed", 9, "-fs", "-fd", "-f", path)
        assert answer.code == 0, answer.err
        batt = ab.load_batt(path)
        assert len(batt.solvers) == 5
        made.append(batt)
    of_folder, of_archive = ({repr(each.root) for each in batt.solvers} - {"identity(I)"} for batt in made)
    assert of_folder <= {repr(each.root) for each in ab.load_programs(folder)}
    with ab.Archive(pop) as archive:
        assert of_archive <= {repr(stored.program.root) for stored in archive}


def test_two_calls_of_card_write_different_batts_and_tell_their_seeds(cli: Command, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    for path in paths[:2]:
        assert cli("card", "--data", "both", "-c", 32, "-f", path).code == 0
    assert paths[0].read_bytes() != paths[1].read_bytes()
    seed = paths[0].read_text().splitlines()[1].removeprefix("# arcbatt card --seed ")
    assert cli("card", "--data", "both", "-c", 32, "-f", paths[2], "--seed", seed).code == 0
    assert paths[0].read_bytes() == paths[2].read_bytes()


def test_what_is_frozen_and_not_drawn_has_no_chance_in_it(cli: Command, tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        assert cli("card", "-c", 4, "-fs", "-fd", "-f", tmp_path / name).code == 0
    assert (tmp_path / "a.py").read_bytes() == (tmp_path / "b.py").read_bytes()


@pytest.mark.parametrize("by", ["score", "even", "first"])
def test_solvers_of_a_batt_are_drawn_in_one_of_three_ways(cli: Command, tmp_path: Path, by: str) -> None:
    path = tmp_path / "a.py"
    assert cli("card", "-c", 7, "--by", by, "--differs", 3, "-fs", "-fd", "-f", path).code == 0
    batt = ab.load_batt(path)
    assert len(batt.solvers) == 7
    assert len({differ.id for differ in batt.differs}) == 3
    assert (
        "--by: expected one of score, even, first, got 'best'" in cli("card", "--by", "best", "-f", path).err
    )


def test_a_form_without_a_folder_is_told(cli: Command, batt: Path) -> None:
    answer = cli("run-batt", "-b", batt, "--scores", "sum")
    assert (answer.code, answer.err) == (
        2,
        "arcbatt: --scores is the form of a folder; name one with --save\n",
    )


def test_a_program_that_no_file_can_tell_is_named_when_a_folder_is_written(
    cli: Command, tmp_path: Path
) -> None:
    solver = ab.parse_programs("def solve_67a3c6ac(I): return hmirror(I)")[0]
    untold = solver.altered(root=Node.op("rot90", Node.constant(frozenset())))
    with ab.Archive(tmp_path / "pop.db") as archive:
        archive.add(ab.run([solver, untold], ab.load_tasks("67a3c6ac")))
    answer = cli("archive", "export", tmp_path / "pop.db", tmp_path / "out", "--form", "folder", "--count", 5)
    assert answer.code == 1
    assert f"({untold.hash}): no file of a folder can tell this program" in answer.err
    assert [path.stem for path in (tmp_path / "out").rglob("*.py")] == [solver.hash]
