"""A night in small: damaged solvers bred for some rounds, in an archive and in folders, killed and resumed.

By hand:

    python tests/support/night.py --tasks 40 --rounds 30 --seed 7

This prints the number of solved tasks by round, and ends with exit code 1 if a breeding that was killed, or
that is kept in folders, differs from an undisturbed one in an archive.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import arcbatt as ab
from arcbatt.library import load_library
from arcbatt.program.mutation.mutate import Mutator

Row = dict[str, Any]
Scores = set[tuple[str, str, float | None]]
CHANGING = {"seconds", "interrupted"}
DAMAGE = 2  # typed mutations of each solver
CHOSEN_BY = 14  # the seed by which solvers are chosen and damaged


def damaged(task_id: str) -> ab.Program:
    """The library's solver of a task after typed mutations, which does not fit the task any longer."""
    (solver,) = (each for each in load_library("solvers") if each.task_id == task_id)
    (task,) = ab.load_tasks(task_id)
    mutator = Mutator(Random(f"{CHOSEN_BY} {solver.name}"), rate=0)
    program = solver
    while program is solver:
        for _ in range(DAMAGE):
            program = mutator.mutated(program)
        if all(ab.run(program, task, "all")[program, task].demo):
            program = solver
    return program.altered(name=solver.name)


def write_damaged(path: Path, task_ids: Sequence[str]) -> None:
    """Write the damaged solvers of some tasks to a solver file."""
    path.write_text("\n\n".join(damaged(task_id).source() for task_id in task_ids), "utf-8")


def rows(path: Path) -> list[Row]:
    """What a file of JSON lines tells, without times."""
    told = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        {
            key: value
            for key, value in row.get("summary", row).items()
            if key not in ("seconds", "interrupted")
        }
        for row in told
    ]


def kept_files(folder: Path) -> dict[tuple[str, str, str], bytes]:
    """The files of a kept population by task, score and name; times are measured, so they differ."""
    return {
        (path.parts[-4], path.parts[-3], path.name): path.read_bytes() for path in folder.rglob("*/*/*/*.py")
    }


def scores_in_folder(folder: Path) -> Scores:
    """Task, hash and score of each solver of a folder."""
    return {
        (program.task_id or "", program.hash, program.kept.score)
        for path in folder.rglob("*/*/*/*.py")
        for program in ab.load_programs(path)
        if program.kept is not None and program.kind == "solver"
    }


def scores_in_archive(path: Path, task_ids: Sequence[str]) -> Scores:
    """Task, hash and score of each solver of an archive, also of those that fell out of the best."""
    with ab.Archive(path, readonly=True) as archive:
        return {
            (task_id, each.hash, each.score)
            for task_id in task_ids
            for each in archive.best(task_id, 1_000_000, blind=True)
        }


def state_in_archive(path: Path) -> bytes:
    """The state of the one breeding in an archive."""
    with ab.Archive(path, readonly=True) as archive:
        (found,) = (each for each in archive.runs() if each.kind == "breed")
        state = archive.run("breed", found.settings).state("state")
    assert state is not None
    return state[1]


@dataclass(frozen=True)
class Night:
    """A breeding with the same words in several folders of its own."""

    folder: Path
    words: tuple[str, ...]

    def place(self, name: str, kind: str) -> tuple[str, ...]:
        """The words that say where a breeding is kept."""
        own = self.folder / name
        own.mkdir(exist_ok=True)
        option, path = {"archive": ("--archive", "pop.db"), "folder": ("--save", "solver_dir")}[kind]
        return (*self.words, option, str(own / path), "--json", str(own / "lines.json"))

    def run(self, name: str, kind: str, kills: Sequence[int] = ()) -> list[Row]:
        """Breed, killed after so many new rounds each time and resumed; the lines in the end."""
        more: tuple[str, ...] = ()
        for lines in (*kills, None):
            command = [sys.executable, "-m", "arcbatt", *self.place(name, kind), *more]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            if lines is not None:
                for _ in range(lines):
                    process.stdout.readline()
                process.send_signal(signal.SIGKILL)
            process.communicate()
            if process.returncode != (0 if lines is None else -signal.SIGKILL):
                raise SystemExit(f"{' '.join(command)}: ended with {process.returncode}")
            more = ("--resume",)
        return rows(self.folder / name / "lines.json")


def main() -> int:
    """Do what the words of the command line say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, count in (("--tasks", 40), ("--rounds", 30), ("--seed", 7)):
        parser.add_argument(name, type=int, default=count)
    given, more = parser.parse_known_args()
    names = [str(solver.task_id) for solver in load_library("solvers")]
    task_ids = Random(CHOSEN_BY).sample(names, given.tasks)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        start = folder / "damaged.py"
        write_damaged(start, task_ids)
        spec = f"arc1/training:{','.join(task_ids)}"
        words = ("breed", str(start), "--tasks", spec, "--rounds", str(given.rounds))
        night = Night(folder, (*words, "--seed", str(given.seed), *more))
        kills = (given.rounds // 4, given.rounds // 3)
        whole = night.run("whole", "archive")
        print("solved by round:", *(row["solved"] for row in whole[:-1]))
        print(json.dumps(whole[-1]))
        for name, kind, ends in (
            ("killed", "archive", kills),
            ("folder", "folder", ()),
            ("killed folder", "folder", kills),
        ):
            if night.run(name, kind, ends) != whole:
                wrong.append(f"{name}: the lines differ")
        if state_in_archive(folder / "killed/pop.db") != state_in_archive(folder / "whole/pop.db"):
            wrong.append("killed: the state differs")
        in_folder = scores_in_folder(folder / "folder/solver_dir")
        if len(in_folder) != whole[-1]["kept"]:
            wrong.append(f"folder: it has {len(in_folder)} solvers")
        if not in_folder <= scores_in_archive(folder / "whole/pop.db", task_ids):
            wrong.append("folder: the scores differ")
        wrong += [
            f"killed folder: {kept} differs"
            for kept in ("solver_dir", "differ_dir")
            if kept_files(folder / "folder" / kept) != kept_files(folder / "killed folder" / kept)
        ]
        print(f"{len(in_folder)} solvers in the folder, with the scores of the archive")
    print("\n".join(wrong) or "killed twice and resumed, and in folders: all the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", str(Path(ab.__file__).parents[1]))
    sys.exit(main())
