"""`arcbatt breed`: rounds that keep partial solvers, in an archive or in folders, killed and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.library import load_library
from arcbatt.search.breed.rounds import BreedSettings
from arcbatt.search.breed.state import BreedState
from arcbatt.search.breed.stores import FolderStore
from support.commands import Answer, Command, environment
from support.night import (
    Row,
    kept_files,
    rows,
    scores_in_archive,
    scores_in_folder,
    state_in_archive,
    write_damaged,
)

TASKS = ("67a3c6ac", "a416b8f3", "5582e5ca", "9dfd6313", "a5313dff", "25ff71a9")
SPEC = f"arc1/training:{','.join(TASKS)}"
QUICK = ("--tasks", SPEC, "-c", 3, "--mutants", 4, "--keep", 6, "--differs", 3)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with damaged solvers."""
    path = tmp_path_factory.mktemp("start") / "damaged.py"
    write_damaged(path, TASKS)
    return path


def lines_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_round_prints_a_line_and_writes_one(cli: Command, start: Path, tmp_path: Path) -> None:
    answer = cli("breed", start, *QUICK, "--rounds", 3, "--seed", 7, "--json", tmp_path / "lines.json")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["round 1", "round 2", "round 3", "3 rounds, seed 7"]
    assert "of 6 tasks solved" in lines[0]
    assert "solvers kept" in lines[0]
    assert lines[0].endswith(" s")
    *each, last = lines_of(tmp_path / "lines.json")
    assert [row["round"] for row in each] == [1, 2, 3]
    assert last["summary"]["rounds"] == 3
    assert last["summary"]["solved"] == len(last["summary"]["solved_tasks"]) == each[-1]["solved"]


def test_the_best_partial_solvers_of_each_task_are_kept_and_not_only_winners(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "solver_dir"
    assert cli("breed", start, *QUICK, "--rounds", 2, "--seed", 7, "--save", folder).code == 0
    kept = ab.load_programs(folder)
    by_task = {task: [each for each in kept if each.task_id == task] for task in TASKS}
    assert {len(found) for found in by_task.values()} == {6}
    assert any(each.kept is not None and 0 < each.kept.score < 1000 for each in kept)
    for task, found in by_task.items():
        results = ab.run(found, task, "all", on_failure="default", partial_scores=True)
        demos = len(ab.load_tasks(task)[0].demo)
        for each in found:
            parts = results[each, task].scores[:demos]
            assert each.kept is not None
            assert each.kept.score == sum(part or 0 for part in parts) * 1000 // demos / 1000


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_threads(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    for threads in (1, 3):
        words = ("--rounds", 3, "--seed", 7, "--workers", threads)
        here = tmp_path / str(threads)
        here.mkdir()
        assert cli("breed", start, *QUICK, *words, "--archive", here / "pop.db").code == 0
        assert cli("breed", start, *QUICK, *words, "--save", here / "solver_dir").code == 0
    one, three = tmp_path / "1", tmp_path / "3"
    assert state_in_archive(one / "pop.db") == state_in_archive(three / "pop.db")
    assert (one / "solver_dir/breed.json").read_bytes() == (three / "solver_dir/breed.json").read_bytes()
    assert kept_files(one / "solver_dir") == kept_files(three / "solver_dir") != {}
    assert kept_files(one / "differ_dir").keys() == kept_files(three / "differ_dir").keys()


def test_without_a_seed_each_call_has_a_new_one_which_it_says(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        assert cli("breed", start, *QUICK, "--rounds", 2, "--json", tmp_path / name).code == 0
    one, other = (rows(tmp_path / name)[-1]["seed"] for name in ("a", "b"))
    assert one != other
    assert cli("breed", start, *QUICK, "--rounds", 2, "--json", tmp_path / "c", "--seed", one).code == 0
    assert rows(tmp_path / "c") == rows(tmp_path / "a")


def test_more_rounds_go_on_where_fewer_have_stopped(cli: Command, start: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    assert cli("breed", start, *QUICK, "--rounds", 4, "--seed", 7, "--archive", whole).code == 0
    words = ("breed", start, *QUICK, "--seed", 7, "--archive", parts)
    assert cli(*words, "--rounds", 1).code == 0
    refused = cli(*words, "--rounds", 2)
    assert refused.code == 2
    assert "resume it, or choose another seed" in refused.err
    assert cli(*words, "--rounds", 4, "--resume", "--json", tmp_path / "lines").code == 0
    assert state_in_archive(parts) == state_in_archive(whole)
    assert [row["round"] for row in lines_of(tmp_path / "lines")[:-1]] == [1, 2, 3, 4]


def test_without_a_seed_resume_goes_on_with_the_last_breeding(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    for words in (("--archive", tmp_path / "pop.db"), ("--save", tmp_path / "solver_dir")):
        cli("breed", start, *QUICK, "--rounds", 1, *words, "--json", tmp_path / "one")
        cli("breed", start, *QUICK, "--rounds", 2, *words, "--json", tmp_path / "two", "--resume")
        one, two = rows(tmp_path / "one"), rows(tmp_path / "two")
        assert one[-1]["seed"] == two[-1]["seed"]
        assert one[0] == two[0]


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def started() -> Iterator[Start]:
    """Starts the command in a process of its own."""
    processes: list[subprocess.Popen[str]] = []

    def begin(*words: object) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "arcbatt", *map(str, words)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, env=environment(), stdout=pipe, stderr=pipe, text=True)
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def ended_after(process: "subprocess.Popen[str]", lines: int, number: signal.Signals) -> Answer:
    """End a command by a signal once it has told of so many rounds, and a little later."""
    assert process.stdout is not None
    out = [process.stdout.readline() for _ in range(lines)]
    time.sleep(0.01 * lines)  # sleeps: to end it at different moments of a round; any of them will do
    process.send_signal(number)
    rest, error = process.communicate(timeout=60)
    return Answer(process.returncode, "".join(out) + rest, error)


@pytest.mark.skipif(os.name != "posix", reason="these signals are those of POSIX systems")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("place", ["archive", "folder"])
def test_a_breeding_that_is_ended_twice_and_resumed_ends_like_an_undisturbed_one(
    started: Start, cli: Command, start: Path, tmp_path: Path, place: str, number: signal.Signals
) -> None:
    rounds = ("--rounds", 40, "--seed", 7)

    def words(name: str) -> tuple[object, ...]:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        where = ("--archive", folder / "pop.db") if place == "archive" else ("--save", folder / "solver_dir")
        return ("breed", start, *QUICK, *rounds, *where, "--json", folder / "lines.json")

    assert cli(*words("whole")).code == 0
    for resume, lines in (((), 2), (("--resume",), 3)):
        answer = ended_after(started(*words("ended"), *resume), lines, number)
        expected = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}[number]
        assert answer.code == expected, answer.err
        assert "Traceback" not in answer.err
    assert cli(*words("ended"), "--resume").code == 0
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    assert rows(ended / "lines.json") == rows(whole / "lines.json")
    if place == "archive":
        assert state_in_archive(ended / "pop.db") == state_in_archive(whole / "pop.db")
        assert scores_in_archive(ended / "pop.db", TASKS) == scores_in_archive(whole / "pop.db", TASKS)
    else:
        assert (ended / "solver_dir/breed.json").read_bytes() == (
            whole / "solver_dir/breed.json"
        ).read_bytes()
        assert kept_files(ended / "solver_dir") == kept_files(whole / "solver_dir")
        assert kept_files(ended / "differ_dir") == kept_files(whole / "differ_dir")


def test_ctrl_c_keeps_the_rounds_that_are_done(started: Start, start: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.json"
    process = started("breed", start, *QUICK, "--rounds", 500, "--seed", 7, "--json", lines)
    answer = ended_after(process, 2, signal.SIGINT)
    assert answer.code == 130
    assert "interrupted; this is what was done by then" in answer.err
    *each, last = lines_of(lines)
    assert [row["round"] for row in each] == list(range(1, len(each) + 1))
    assert last["summary"]["interrupted"] is True
    assert last["summary"]["rounds"] == len(each) >= 2


def test_a_folder_and_an_archive_end_with_the_same_scores(cli: Command, start: Path, tmp_path: Path) -> None:
    words = ("breed", start, *QUICK, "--rounds", 5, "--seed", 7)
    assert cli(*words, "--archive", tmp_path / "pop.db", "--json", tmp_path / "a").code == 0
    assert cli(*words, "--save", tmp_path / "solver_dir", "--json", tmp_path / "b").code == 0
    assert rows(tmp_path / "a") == rows(tmp_path / "b")
    in_folder = scores_in_folder(tmp_path / "solver_dir")
    assert len(in_folder) == 6 * len(TASKS)
    assert in_folder <= scores_in_archive(tmp_path / "pop.db", TASKS)


def test_a_new_breeding_starts_from_what_the_folder_or_the_archive_has(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    for name, words in (
        ("archive", ("--archive", tmp_path / "pop.db")),
        ("folder", ("--save", tmp_path / "solver_dir")),
    ):
        first, second = tmp_path / f"{name}1", tmp_path / f"{name}2"
        assert cli("breed", start, *QUICK, "--rounds", 4, "--seed", 7, *words, "--json", first).code == 0
        assert cli("breed", *QUICK, "--rounds", 1, "--seed", 8, *words, "--json", second).code == 0
        assert lines_of(second)[0]["best"] >= lines_of(first)[-2]["best"]


def test_tasks_may_have_ids_of_any_form(cli: Command, start: Path, tmp_path: Path) -> None:
    (task,) = ab.load_tasks("67a3c6ac")
    pairs = [{"input": each.input, "output": each.output} for each in task.samples]
    tasks = tmp_path / "tasks.json"
    tasks.write_text(json.dumps({"mine": {"train": pairs, "test": pairs[:1]}}))
    words = ("breed", "--tasks", tasks, *QUICK[2:], "--json", tmp_path / "lines")
    answer = cli(*words, start, "--rounds", 2, "--seed", 7)
    assert answer.code == 0, answer.err
    assert lines_of(tmp_path / "lines")[1]["kept"] > 1
    turned = tmp_path / "turned.py"
    turned.write_text("def turned(I):\n    return rot90(I)\n")
    for store in (("--archive", tmp_path / "pop.db"), ("--save", tmp_path / "solver_dir")):
        bests = []
        for programs in ([turned], []):
            frozen = (*programs, "--rounds", 1, "--seed", len(bests), "-fs", "-fd", *store)
            assert cli(*words, *frozen).code == 0
            bests.append(lines_of(tmp_path / "lines")[0]["best"])
        assert bests[0] == bests[1] < 1000


def test_the_library_is_the_start_where_there_is_nothing_else(cli: Command, tmp_path: Path) -> None:
    answer = cli("breed", *QUICK, "--rounds", 1, "--seed", 1, "--archive", tmp_path / "pop.db")
    assert answer.code == 0
    assert "6 of 6 tasks solved" in answer.out


def test_solvers_and_differs_stay_as_they_are_if_both_are_frozen(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    words = ("--rounds", 2, "--seed", 7, "-fs", "-fd", "--save", tmp_path / "solver_dir")
    assert cli("breed", start, *QUICK, *words).code == 0
    given = {program.root for program in ab.load_programs(start)}
    assert {program.root for program in ab.load_programs(tmp_path / "solver_dir")} <= given
    known = {differ.root for differ in load_library("differs")}
    assert {differ.root for differ in ab.load_programs(tmp_path / "differ_dir")} <= known


def test_differs_are_mutated_kept_with_their_scores_and_drawn_again(
    cli: Command, start: Path, tmp_path: Path
) -> None:
    words = ("breed", start, *QUICK, "--rounds", 4, "--seed", 7)
    assert cli(*words, "--save", tmp_path / "solver_dir").code == 0
    differs = ab.load_programs(tmp_path / "differ_dir")
    assert {differ.kind for differ in differs} == {"differ"}
    assert len(differs) <= 6 + 17
    known = {differ.root for differ in load_library("differs")}
    assert any(differ.root not in known for differ in differs)
    assert all(differ.kept is not None and 0 <= differ.kept.score <= 1000 for differ in differs)
    assert cli(*words, "--archive", tmp_path / "pop.db").code == 0
    with ab.Archive(tmp_path / "pop.db") as archive:
        scores = {
            each.hash: [kept.score for kept in archive.kept(each)]
            for each in archive
            if each.kind == "differ"
        }
    assert {differ.hash: [differ.kept.score] for differ in differs if differ.kept}.items() <= scores.items()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--resume",), "--resume needs the place where the breeding is kept"),
        (("--scores", "sum"), "--scores is the form of a folder; name one with --save"),
        (("--archive", "a.db", "--save", "b"), "name one of them"),
        (("--by", "chance"), "score"),
        (("--rounds", "0"), "greater than or equal to 1"),
        (("--tasks", "nothing"), "nothing"),
    ],
)
def test_a_wrong_use_is_told_in_a_sentence(process: Command, words: tuple[str, ...], sentence: str) -> None:
    answer = process("breed", *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert "Traceback" not in answer.err


def test_two_breedings_do_not_write_over_each_other_in_a_folder(tmp_path: Path) -> None:
    tasks, settings = list(ab.load_tasks("67a3c6ac")), BreedSettings()
    one, other = (FolderStore(str(tmp_path / "solver_dir"), settings, tasks) for _ in range(2))
    state = BreedState(7, {"67a3c6ac": ()}, ())
    other.commit({}, state, [])
    with pytest.raises(ab.ArcbattError, match="was replaced by another file"):
        one.commit({}, state, [])


@pytest.mark.parametrize("damage", ["{}", "[1]", "garbage", '{"settings": 3'])
def test_a_damaged_state_is_told_in_a_sentence(
    damage: str, cli: Command, start: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "solver_dir"
    words = ("breed", start, *QUICK, "--rounds", 1, "--seed", 7, "--save", folder)
    assert cli(*words).code == 0
    (folder / "breed.json").write_text(damage)
    answer = cli(*words, "--resume")
    assert answer.code == 2
    assert f"{folder / 'breed.json'}: the state of this run is damaged: " in answer.err
    assert "remove the file to start another run" in answer.err
    assert "archive" not in answer.err
    assert "Traceback" not in answer.err


def test_a_folder_without_a_name_has_the_folder_of_differs_beside_it(
    cli: Command, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "night").mkdir()
    monkeypatch.chdir(tmp_path / "night")
    for name in (".", "", "../night", "sub/.."):
        (tmp_path / "night" / "sub").mkdir(exist_ok=True)
        answer = cli("breed", start, *QUICK, "--seed", len(name), "--save", name)
        assert answer.code == 0, answer.err
    assert any((tmp_path / "night_differs" / "differ").iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["night", "night_differs"]
    answer = cli("breed", start, *QUICK, "--save", "/")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "/: no folder stands beside this one" in answer.err


def test_a_link_that_leads_nowhere_does_not_end_a_breeding(cli: Command, start: Path, tmp_path: Path) -> None:
    folder = tmp_path / "solver_dir"
    folder.mkdir()
    (folder / "gone.py").symlink_to("nowhere.py")
    answer = cli("breed", start, *QUICK, "--seed", 1, "--save", folder)
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("command", ["breed", "card", "run-batt", "convert", "simplify"])
def test_the_help_of_a_command_on_populations_has_examples(command: str, cli: Command) -> None:
    out = cli(command, "--help").out
    assert f"Examples:\n\n    arcbatt {command} " in out
