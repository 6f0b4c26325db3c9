"""Batt files with the oddities of those that people keep are read, warned of, and run by every command."""

import warnings
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.errors import ProgramError
from support.commands import Command

FOLDER = Path(__file__).parents[1] / "data" / "batts"
TASK = "67a3c6ac"  # t1 of each file solves it

# The style of each file, and the lines of what is odd in it.
FILES = {
    "pile_conditions.py": ("pile", [12]),
    "guarded_mixed.py": ("guarded", [15]),
    "prelude.py": ("vectorized", [3, 12]),
    "gpu_env.py": ("pile", [8]),
    "hybrid_piled.py": ("hybrid", []),
    "wild.py": ("vectorized", [9, 10, 11]),
}


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest) -> Path:
    return FOLDER / str(request.param)


def told(err: str, file: Path) -> list[int]:
    """The lines of a file that are named on standard error."""
    lines = [line.partition(f"{file}:")[2] for line in err.splitlines()]
    return [int(line.partition(":")[0]) for line in lines if line]


def test_all_files_are_tried() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == FILES.keys()


def test_a_file_is_read_with_a_warning_for_each_kind_of_oddity(file: Path) -> None:
    batt = ab.load_batt(file)
    assert (batt.style, [warning.line for warning in batt.warnings]) == FILES[file.name]
    assert [warning.line for warning in ab.load_programs(file).warnings] == FILES[file.name][1]


@pytest.mark.parametrize("mode", ["default", "fail", "pile", "file"])
def test_run_batt_solves_the_task_and_warns(cli: Command, file: Path, mode: str) -> None:
    answer = cli("run-batt", "-b", file, "-i", TASK, "--on-failure", mode)
    assert answer.code == 0
    assert "1 of 1 task solved" in answer.out
    assert told(answer.err, file) == FILES[file.name][1]


def test_run_solves_the_task(cli: Command, file: Path) -> None:
    answer = cli("run", file, "--tasks", TASK)
    assert "1 of 1 task solved" in answer.out
    assert told(answer.err, file) == FILES[file.name][1]


def test_profile_measures_it(cli: Command, file: Path) -> None:
    answer = cli("profile", file, "--tasks", TASK)
    assert answer.code == 0
    assert "mir_rot_t" in answer.out
    assert told(answer.err, file) == FILES[file.name][1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_coordinator_solves_the_task(file: Path) -> None:
    tasks = ab.load_tasks(TASK)
    with MegaBatchCoordinator(str(file)) as coordinator:
        results, _ = coordinator.process_all(tasks)
    for kind, samples in (("demo", tasks[TASK].demo), ("test", tasks[TASK].test)):
        for place, sample in enumerate(samples):
            number, evo, identity, value = results[TASK][kind][place]["o"][0]
            assert (number, evo, identity, getattr(value, "t", value)) == (1, False, TASK, sample.output)


def test_the_coordinator_warns() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MegaBatchCoordinator(str(FOLDER / "wild.py")).close()
    assert [told(str(warning.message), FOLDER / "wild.py") for warning in caught] == [[9], [10], [11]]
    with pytest.raises(ProgramError, match=r"wild\.py:9:10: batt: 'EIGHT' is a constant"):
        MegaBatchCoordinator(str(FOLDER / "wild.py"), strict=True)


@pytest.mark.parametrize(
    "command", [("run-batt", "-i", TASK, "-b"), ("run", "--tasks", TASK), ("profile", "--tasks", TASK)]
)
def test_a_strict_command_refuses_what_is_odd(cli: Command, command: tuple[str, ...]) -> None:
    answer = cli(*command, FOLDER / "wild.py", "--strict")
    assert (answer.code, answer.out) == (2, "")
    assert "wild.py:9:10: batt: 'EIGHT' is a constant and cannot be called" in answer.err
