"""Folders of program files are read with all that is below them; paths of kept populations tell the task."""

import os
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.errors import ProgramError
from arcbatt.program import folders
from arcbatt.program.mutation.mutate import Mutator
from support.commands import Write

KEPT = Path(__file__).parents[1] / "data" / "solver_dir"
TASK = ab.load_tasks("67a3c6ac")["67a3c6ac"]

needs_links = pytest.mark.skipif(os.name == "nt", reason="links are not free to make there")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(content))
        return path

    return write


def test_a_kept_population_tells_task_score_and_time() -> None:
    (program,) = ab.load_programs(KEPT)
    assert program.name == f"solve_67a3c6ac~{program.hash[:6]}"
    assert (program.task_id, program.kept) == ("67a3c6ac", (1000, 12))
    assert ab.run([program], TASK).solved == {(program.name, TASK.id)}


def test_a_file_of_a_kept_population_tells_the_same_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    file = KEPT / "solve_67a3c6ac" / "1000" / "12" / "0f3c9d2a.py"
    assert ab.load_programs(file) == ab.load_programs(KEPT)
    monkeypatch.chdir(file.parent)
    assert ab.load_programs(file.name) == ab.load_programs(KEPT)


def test_many_solvers_of_a_task_have_names_of_their_own(write: Write, tmp_path: Path) -> None:
    ops = ("rot90", "vmirror", "hmirror")
    for place, op in enumerate(ops):
        write(f"solve_67a3c6ac/{900 + place}/{place}.5/{op}.py", f"def solve(S, I, C):\n    return {op}(I)\n")
    programs = ab.load_programs(tmp_path)
    assert [program.name for program in programs] == [
        f"solve_67a3c6ac~{program.hash[:6]}" for program in programs
    ]
    assert [program.kept for program in programs] == [(900, 0.5), (901, 1.5), (902, 2.5)]
    assert ab.run(programs, TASK).solved == {(programs[1].name, TASK.id)}
    assert Mutator(1).mutated(programs[0]).kept is None


@pytest.mark.parametrize(
    ("path", "name", "kept"),
    [
        ("solve_67a3c6ac/a.py", "solve_67a3c6ac", None),
        ("solve_67a3c6ac/best/a.py", "solve_67a3c6ac", None),
        ("solve_67a3c6ac/best/1/a.py", "solve_67a3c6ac", None),
        ("solve_mine/1000/12/a.py", "solve_mine", (1000, 12)),
        ("solve_mine/nan/12/a.py", None, None),
        ("1000/12/a.py", None, None),
    ],
)
def test_a_path_tells_what_it_holds(
    path: str, name: str | None, kept: tuple[int, int] | None, write: Write
) -> None:
    (program,) = ab.load_programs(write(path, "def solve(S, I, C): return I"))
    assert program.name == (f"{name}~{program.hash[:6]}" if name else "solve")
    assert program.kept == kept


def test_a_solver_that_names_its_task_keeps_its_name(write: Write, tmp_path: Path) -> None:
    write("solve_67a3c6ac/1000/12/a.py", "def solve_00d62c1b(I): return I\ndef differ_a(I, C): return I\n")
    assert [program.name for program in ab.load_programs(tmp_path)] == ["solve_00d62c1b", "differ_a"]


def test_folders_are_read_with_all_below_them_in_one_order(write: Write, tmp_path: Path) -> None:
    for name in ("b/c/two", "a", "b/one", "c", "b/__init__", ".hidden/three", "b/.four"):
        write(f"{name}.py", f"def {Path(name).name.strip('._')}(I): return canvas({len(name)}, I)")
    write("b/notes.txt", "no program")
    assert [program.name for program in ab.load_programs(tmp_path)] == ["a", "two", "one", "c"]


def test_programs_of_one_name_in_several_files_are_told_apart(write: Write, tmp_path: Path) -> None:
    for folder, op in (("a", "rot90"), ("b", "rot180"), ("c", "rot90")):
        write(f"{folder}/solve.py", f"def solve_x(I): return {op}(I)")
    programs = ab.load_programs(tmp_path)
    assert [program.name for program in programs] == [f"solve_x~{program.hash[:6]}" for program in programs]
    assert len(programs) == 2


def test_files_that_cannot_be_read_cost_no_others_unless_strict(write: Write, tmp_path: Path) -> None:
    write("a.py", "def solve_a(I): return I")
    bad = write("bad.py", "def solve_b(I): return nothing(I)")
    write("deep/odd.py", "this is no Python")
    (tmp_path / "binary.py").write_bytes(b"\xff")
    programs = ab.load_programs(tmp_path, on_refused="ignore")
    assert [program.name for program in programs] == ["solve_a"]
    assert [Path(error.file).name for error in programs.refused] == ["bad.py", "binary.py", "odd.py"]
    with pytest.raises(ProgramError, match=bad.name):
        ab.load_programs(tmp_path, strict=True)


def test_a_folder_without_programs_is_refused(write: Write, tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"there are no .py or .def files"):
        ab.load_programs(tmp_path)
    write("bad.py", "def solve_b(I): return nothing(I)")
    with pytest.raises(ProgramError, match="nothing"):
        ab.load_programs(tmp_path)


@needs_links
def test_links_that_lead_back_are_followed_once(write: Write, tmp_path: Path) -> None:
    write("one/a.py", "def solve_a(I): return I")
    (tmp_path / "one" / "back").symlink_to(tmp_path)
    (tmp_path / "one" / "itself").symlink_to(tmp_path / "one" / "itself")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    (tmp_path / "lost.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    programs = ab.load_programs(tmp_path, on_refused="ignore")
    assert [program.name for program in programs] == ["solve_a"]
    assert [Path(error.file).name for error in programs.refused] == ["loop.py", "lost.py"]


@needs_pipes
def test_a_pipe_holds_up_nothing(write: Write, tmp_path: Path) -> None:
    write("a.py", "def solve_a(I): return I")
    os.mkfifo(tmp_path / "pipe.py")
    programs = ab.load_programs(tmp_path, on_refused="ignore")
    assert (len(programs), len(programs.refused)) == (1, 1)


def test_a_folder_of_too_many_files_is_refused(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        write(f"{number % 2}/{number}.py", "def solve_a(I): return I")
    monkeypatch.setattr(folders, "MOST_ENTRIES", 5)
    with pytest.raises(ProgramError, match="more than 5 files"):
        ab.load_programs(tmp_path)
