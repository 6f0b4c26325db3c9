"""`arcbatt run`: table, summary, JSON, exit codes, options."""

import json
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.library import load_library
from support.commands import Command, Write

SUMMARY = [
    "programs",
    "tasks",
    "evaluations",
    "solved",
    "tasks_solved",
    "seconds",
    "evaluations_per_second",
    "backend",
    "threads",
]


def rows(out: str) -> dict[str, list[str]]:
    """The lines of a table by their first word."""
    return {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}


def test_each_program_runs_on_its_own_task(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers)
    assert answer.code == 0
    table = rows(answer.out)
    assert table["solve_007bbfb7"] == ["007bbfb7", "5/5", "1/1", "yes"]
    assert table["solve_00d62c1b"] == ["00d62c1b", "0/5", "0/1", "no"]
    assert table["solve_017c7c7b"] == ["017c7c7b", "0/3", "0/1", "no", "ZERO", "4"]
    assert "3 programs on 3 tasks: 16 evaluations, 1 of 3 tasks solved" in answer.out


def test_what_is_not_solved_stands_last(cli: Command, solvers: Path) -> None:
    names = list(rows(cli("run", solvers).out))
    assert names[1] == "solve_007bbfb7"
    assert names[2:4] == ["solve_00d62c1b", "solve_017c7c7b"]


def test_program_without_task_id_is_named_with_a_way_out(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers)
    assert "turn" not in answer.out
    assert "not run: turn has no task id in its name; --pairs all runs it on every task" in answer.err
    assert "--pairs all" in answer.err


def test_program_for_a_task_that_is_not_loaded_is_named(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers, "--limit", 2)
    assert "solve_017c7c7b" not in answer.out
    assert "not run: solve_017c7c7b is for a task of arc1/training; --tasks and --limit choose" in answer.err


@pytest.mark.parametrize(
    ("program", "words", "reason"),
    [
        ("turn", [], "turn has no task id in its name; --pairs all runs it on every task"),
        (
            "solve_00d62c1b",
            ["--limit", 1],
            "solve_00d62c1b is for a task of arc1/training; --tasks and --limit choose the tasks",
        ),
        (
            "solve_00576224",
            [],
            "solve_00576224 is for a task of arc1/evaluation; add --tasks arc1/evaluation",
        ),
        (
            "solve_00d62c1d",
            ["--tasks", "67a3c6ac"],
            "solve_00d62c1d: there is no task 00d62c1d among these nor in the published sets; the nearest "
            "ids are 00d62c1b, 800d221b, 0962bcdd",
        ),
    ],
)
def test_nothing_runs_where_no_program_has_a_task(
    cli: Command, write: Write, program: str, words: list[object], reason: str
) -> None:
    old = write("old.json", "old")
    answer = cli("run", write("idle.py", f"def {program}(I):\n    return I\n"), *words, "--json", old)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"arcbatt: no program runs on any of the tasks: {reason}\n"
    assert old.read_text() == "old"


def test_all_pairs_give_a_line_for_each_program_and_the_best_last(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers, "--pairs", "all", "--limit", 3)
    assert answer.code == 0
    table = rows(answer.out)
    assert table["solve_007bbfb7"] == ["1/3", "6/16", "007bbfb7"]
    assert table["solve_017c7c7b"] == ["0/3", "0/16", "ZERO", "16"]
    assert list(table)[1:5].index("solve_007bbfb7") == 3
    assert "no task id" not in answer.err


def test_json_has_a_line_for_each_program_and_task_and_a_summary(
    cli: Command, solvers: Path, tmp_path: Path
) -> None:
    file = tmp_path / "results.jsonl"
    answer = cli("run", solvers, "--json", file)
    *outcomes, last = map(json.loads, file.read_text().splitlines())
    keys = [outcome.pop("key") for outcome in outcomes]
    assert len(set(keys)) == len(keys)
    assert outcomes[0] == {
        "program": "solve_007bbfb7",
        "task": "007bbfb7",
        "demo": [True] * 5,
        "test": [True],
        "solved": True,
        "failures": {},
    }
    assert outcomes[2]["failures"] == {"ZERO": 4}
    assert list(last["summary"]) == SUMMARY
    assert last["summary"]["solved"] == 1
    assert "solve_007bbfb7" in answer.out
    assert not list(tmp_path.glob(".*"))


def test_json_on_standard_output_has_nothing_beside_it(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers, "--json", "-")
    parsed = [json.loads(line) for line in answer.out.splitlines()]
    assert len(parsed) == 4
    assert "3 programs on 3 tasks" in answer.err


def test_json_file_that_cannot_be_written_is_found_out_before_the_run(
    cli: Command, solvers: Path, tmp_path: Path
) -> None:
    answer = cli("run", solvers, "--json", tmp_path / "no" / "such" / "folder.json")
    assert answer.code == 2
    assert "cannot be written: the folder is missing" in answer.err
    assert answer.out == ""


def test_older_json_file_stays_when_nothing_runs(cli: Command, solvers: Path, write: Write) -> None:
    old = write("old.json", "old")
    assert cli("run", solvers, "--json", old, "--backend", "steam").code == 2
    assert old.read_text() == "old"


def test_refused_program_is_placed_and_the_others_run(cli: Command, solvers: Path, write: Write) -> None:
    bad = write("bad.py", "def solve_a(I):\n    return I\n\ndef solve_b(I):\n    return nosuch(I)\n")
    answer = cli("run", bad, solvers)
    assert answer.code == 1
    assert answer.err.startswith(f"{bad}:5:12: solve_b: there is no op or variable 'nosuch'")
    assert answer.err.splitlines()[-2] == "arcbatt: 1 program was refused, see above"
    assert rows(answer.out)["solve_007bbfb7"][-1] == "yes"


def test_strict_runs_nothing_after_a_refusal(cli: Command, solvers: Path, write: Write) -> None:
    bad = write("bad.py", "def solve_b(I):\n    return nosuch(I)\n")
    answer = cli("run", solvers, bad, "--strict")
    assert answer.code == 2
    assert answer.out == ""
    assert f"{bad}:2:12:" in answer.err


def test_nothing_runs_when_every_program_is_refused(cli: Command, write: Write) -> None:
    answer = cli("run", write("bad.py", "def solve_b(I):\n    return nosuch(I)\n"))
    assert answer.code == 2
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1


def test_folder_stands_for_its_program_files(cli: Command, write: Write) -> None:
    folder = write("set/one.py", "def solve_007bbfb7(I):\n    return I\n").parent
    write("set/two.py", "def solve_00d62c1b(I):\n    return I\n")
    write("set/__init__.py", "")
    write("set/notes.txt", "not a program")
    answer = cli("run", folder)
    assert answer.code == 0
    assert "2 programs on 2 tasks" in answer.out


def test_a_kept_population_runs_on_the_tasks_of_its_folders(cli: Command) -> None:
    folder = Path(__file__).parents[1] / "data" / "solver_dir"
    answer = cli("run", folder)
    (program,) = ab.load_programs(folder)
    assert answer.code == 0
    assert rows(answer.out)[program.name] == ["67a3c6ac", "3/3", "1/1", "yes"]
    assert f"{program.name} solves it" in cli("show", "67a3c6ac", "--program", folder).out


def test_no_programs_means_the_library_on_arc1_training(cli: Command) -> None:
    answer = cli("run", "--limit", 2, "--json", "-")
    outcomes = [json.loads(line) for line in answer.out.splitlines()[:-1]]
    names = {program.name for program in load_library()}
    assert {outcome["program"] for outcome in outcomes} <= names
    assert {outcome["task"] for outcome in outcomes} <= {"007bbfb7", "00d62c1b"}


def test_tasks_are_chosen_by_spec(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers, "--tasks", "arc1/training:00d62c1b")
    assert "1 program on 1 task: 6 evaluations" in answer.out


def test_failures_can_give_defaults(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers, "--on-failure", "default")
    assert rows(answer.out)["solve_017c7c7b"] == ["017c7c7b", "0/3", "0/1", "no"]


HOLDS_MUCH = "equality(interval(0, 90000, 1), equality(interval(1, 90000, 1), size(interval(2, 90000, 1))))"


@pytest.mark.parametrize(
    ("option", "value", "kind", "expression"),
    [
        ("--max-calls", 2, "CALLS", "order(I, first)"),
        ("--max-depth", 4, "DEPTH", "astuple(astuple(astuple(I, I), I), I)"),
        ("--max-items", 1000, "SIZE", "upscale(I, HUNDRED)"),
        ("--memory", 16, "SIZE", HOLDS_MUCH),
    ],
)
def test_limits_hold(cli: Command, write: Write, option: str, value: int, kind: str, expression: str) -> None:
    file = write("one.py", f"def solve_007bbfb7(I):\n    return {expression}\n")
    assert rows(cli("run", file).out)["solve_007bbfb7"][-1] == "no"
    assert rows(cli("run", file, option, value).out)["solve_007bbfb7"][-2:] == [kind, "6"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--pairs", "some"), "--pairs: expected one of own, all, got 'some'"),
        (("--backend", "steam"), "there is no backend 'steam'"),
        (("--on-failure", "cry"), "--on-failure: expected one of fail, default, pile, got 'cry'"),
        (("--max-depth", "0"), "Invalid value for '--max-depth': "),
        (("--tasks", "nowhere"), "nowhere: there is nothing of this name"),
    ],
)
def test_wrong_option_is_answered_with_one_sentence(
    cli: Command, solvers: Path, words: tuple[str, str], sentence: str
) -> None:
    answer = cli("run", solvers, *words)
    assert answer.code == 2
    assert answer.out == ""
    assert f"arcbatt: {sentence}" in answer.err


@pytest.mark.parametrize("memory", ["0", "-1", "much"])
def test_nonsense_for_memory_is_refused(cli: Command, solvers: Path, memory: str) -> None:
    answer = cli("run", solvers, "--memory", memory)
    assert answer.code == 2
    assert answer.out == ""
    assert "Invalid value for '--memory'" in answer.err


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run --limit 0", "Invalid value for '--limit': "),
        ("run --threads x", "Invalid value for '--threads': "),
        ("run --threads", "Option '--threads' requires an argument"),
        ("run --nosuch", "No such option: --nosuch"),
        ("card --rate 2 -f x.py", "Invalid value for '--rate': "),
        ("show", "Missing argument 'TASK'"),
        ("nosuch", "No such command 'nosuch'"),
        ("--nosuch", "No such option: --nosuch"),
    ],
)
def test_wrong_usage_is_one_sentence(cli: Command, line: str, sentence: str) -> None:
    answer = cli(*line.split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"arcbatt: {sentence}")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("line", ["run --threads 100000", "run-batt --workers 100000"])
def test_the_most_threads_are_told_to_who_asks_for_more(cli: Command, line: str) -> None:
    answer = cli(*line.split())
    assert (answer.code, answer.out) == (2, "")
    assert "1024" in answer.err
    assert answer.err.count("\n") == 1


def test_no_words_at_all_are_answered_with_the_help(cli: Command) -> None:
    answer = cli()
    assert "Usage: arcbatt [OPTIONS] COMMAND" in answer.out + answer.err
    assert "arcbatt: " not in answer.err


@pytest.mark.parametrize(
    "line",
    [
        *(f"{command} --backend steam" for command in ("run", "profile", "run-batt -b")),
        *(f"{command} --on-failure cry" for command in ("run", "profile", "run-batt -b")),
        *(f"{command} --pairs some" for command in ("run", "profile")),
    ],
)
def test_options_are_checked_before_programs_are_read(cli: Command, write: Write, line: str) -> None:
    bad = write("bad.py", "def solve_b(I):\n    return nosuch(I)\n")
    command, _, words = line.partition(" --")
    answer = cli(*command.split(), bad, *f"--{words}".split())
    assert answer.code == 2
    assert repr(words.split()[1]) in answer.err
    assert str(bad) not in answer.err
    assert answer.err.count("\n") == 1


def test_help_tells_the_ranges_of_limits(cli: Command) -> None:
    told = " ".join(cli("run", "--help").out.split())
    assert "about as many numbers as it holds. [default: 262144; 1<=x<=1073741824]" in told
    assert "the nesting of values and of functions within functions. [default: 100; 1<=x<=250]" in told


def test_unknown_test_outputs_are_not_counted(cli: Command, write: Write) -> None:
    task = '{"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]]}]}'
    folder = write("tasks/0123abcd.json", task).parent
    right = write("one.py", "def solve_0123abcd(I):\n    return vmirror(I)\n")
    answer = cli("run", right, "--tasks", folder)
    assert rows(answer.out)["solve_0123abcd"] == ["0123abcd", "1/1", "unknown", "yes"]
    answer = cli("run", right, "--tasks", folder, "--pairs", "all")
    assert rows(answer.out)["solve_0123abcd"] == ["1/1", "1/1", "0123abcd"]


def test_unknown_outputs_are_null_in_json_whatever_the_program_gives(cli: Command, write: Write) -> None:
    known, unknown = '{"input": [[1, 2]], "output": [[2, 1]]}', '{"input": [[0, 0]]}'
    folder = write("tasks/a.json", f'{{"train": [{known}], "test": [{unknown}, {known}]}}').parent
    programs = """
def right(I): return vmirror(I)
def wrong(I): return I
def failing(I): return divide(ONE, ZERO)
"""
    answer = cli("run", write("some.py", programs), "--tasks", folder, "--pairs", "all", "--json", "-")
    found = {line["program"]: line for line in map(json.loads, answer.out.splitlines()[:-1])}
    assert {name: [*line["demo"], *line["test"], line["solved"]] for name, line in found.items()} == {
        "right": [True, None, True, True],
        "wrong": [False, None, False, False],
        "failing": [False, None, False, False],
    }
    assert found["failing"]["failures"] == {"ZERO": 3}


def test_differs_are_left_out_and_told_of(cli: Command, write: Write, tmp_path: Path) -> None:
    batt = tmp_path / "batt.py"
    assert cli("card", "-i", "007bbfb7", "-f", batt, "-fs", "-fd").code == 0
    told = "arcbatt: not run: {}; differs score outputs and solve no task: card puts them into a batt, "
    for pairs in ("own", "all"):
        answer = cli("run", batt, "--pairs", pairs, "--limit", 2)
        assert answer.code == 0
        assert "differ" not in answer.out
        assert "1 program on " in answer.out
        assert answer.err == told.format("28 differs") + "run-batt runs it\n"
    differ = write("differ.py", "def differ_x(S, I, C): return astuple(ONE, I)\n")
    answer = cli("run", differ)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == told.format("1 differ") + "run-batt runs it\n"


def test_equal_names_of_different_programs_are_told_apart(cli: Command, solvers: Path, write: Write) -> None:
    other = write("other.py", "def solve_00d62c1b(I):\n    return rot180(I)\n")
    table = rows(cli("run", solvers, other).out)
    namesakes = [ab.parse_programs(f"def a(I): return {op}(I)")[0] for op in ("hmirror", "rot180")]
    assert {f"solve_00d62c1b~{program.hash[:6]}" for program in namesakes} <= table.keys()
    assert "solve_00d62c1b" not in table


def test_pairs_that_are_solved_are_told_from_tasks(cli: Command, write: Write) -> None:
    both = write(
        "both.py",
        "def a(I): return vmirror(I)\ndef b(I): return rot180(hmirror(I))\ndef c(I): return I\n",
    )
    answer = cli("run", both, "--pairs", "all", "--tasks", "67a3c6ac,007bbfb7")
    assert "3 programs on 2 tasks: " in answer.out
    assert ", 2 pairs of program and task solve 1 of 2 tasks, " in answer.out
