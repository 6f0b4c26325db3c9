"""Ends a command at random moments, resumes it, and compares all that it writes with a whole run.

A command writes lines of JSON with a summary, an archive and, if it searches, a solver file. After each end
these must agree with each other, and once the command is resumed, with those of an undisturbed run.

By hand, 50 moments of a command with the words that `COMMANDS` has for it, or with words of one's own:

    python tests/support/killing.py run --moments 50 --seed 1
    python tests/support/killing.py solve --moments 50 --signals KILL,INT,TERM
    python tests/support/killing.py run-batt --moments 50 -- -b mine.py -c 100

On a Ray cluster of three nodes, where a node is killed and the command goes on, or the command is killed:

    python tests/support/killing.py run --kill node --moments 20
    python tests/support/killing.py run --kill driver --moments 5
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import arcbatt as ab
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.library import load_library
from arcbatt.search.evolve.island import progress_from
from arcbatt.search.evolve.population import Member

if TYPE_CHECKING:
    from support.ray_cluster import RayCluster

Row = dict[str, Any]

BATT = "batt.py"  # made in the folder where commands run
EVOLVE = ("evolve", "--tasks", "arc1/training:007bbfb7,025d127b,0520fde7")
IN_STEP = ("--islands", "2", "--exchange", "5", "--deterministic")
# The words of a command that takes some seconds.
COMMANDS: dict[str, list[str]] = {
    "run": ["run", "--pairs", "all", "--limit", "150"],
    # The library solves these tasks, so only what follows the first generation takes any time.
    "evolve": [*EVOLVE, "--steps", "60000", "--beyond", "60000"],
    "evolve-in-step": [*EVOLVE, *IN_STEP, "--steps", "20000", "--beyond", "20000"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "200", "--timing"],
    "solve": ["solve", "arc1/training", "--shard", "1/20", "--steps", "200000", "--leave-out-own"],
}
# Shorter ones, for tests.
SHORT: dict[str, list[str]] = {
    "evolve": [*EVOLVE, "--steps", "2500", "--beyond", "2500", "--differs", "library"],
    "evolve, islands in step": [*EVOLVE, *IN_STEP, "--steps", "2500", "--beyond", "2500"],
    "solve": ["solve", "arc1/training", "--shard", "1/20", "--steps", "20000", "--leave-out-own"],
}
SEARCHES = ("solve", "evolve")  # commands that write a solver file
# What differs from run to run, in lines and summaries. In lines of `evolve` so do the steps of a program: of
# several islands that find it, the first tells its own.
TIMES = {"seconds", "cpu_seconds", "evaluations_per_second", "steps_per_second", "phases"}
CHANGING = TIMES | {"threads", "peak_bytes"}
CARD = ["card", "-c", "30", "-f", BATT, "-fs", "-fd"]
EARLY = 0.15  # of the moments, before there is an archive: the start of Python takes long
QUICKER = 0.75  # of the time of the first run on a cluster: nodes that have worked before are quicker
SOON = 10.0  # seconds in which the processes of a killed command must be gone


@dataclass
class Tally:
    """What the moments showed."""

    moments: int = 0
    early: int = 0  # killed before there was an archive
    late: int = 0  # done before it was killed
    most_behind: float = 0.0  # seconds from the last commit to the end, where there were new results
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The figures in a sentence."""
        return (
            f"{self.moments} moments: {self.early} before there was an archive, {self.late} after the end; "
            f"at most {self.most_behind:.2f} s of work behind; {len(self.wrong)} wrong"
        )


class Killing:
    """A command in a folder of its own: run as a whole, and killed and resumed.

    With a cluster the whole run is on this machine, the others on the cluster.
    """

    def __init__(self, words: Sequence[str], folder: Path, cluster: "RayCluster | None" = None) -> None:
        self.words, self.folder, self._cluster = list(words), folder, cluster
        if BATT in self.words and not (folder / BATT).exists():
            self._finish(self._start(CARD))
        started = time.monotonic()
        process = self._start(self._with_files("whole"))
        self.opening = self._wait_for_archive(process, "whole")  # seconds until the archive is there
        self._finish(process)
        self.seconds = time.monotonic() - started
        self.whole = self._exported("whole")
        self.lines = self._lines("whole")
        if wrong := self.disagreements("whole"):
            raise SystemExit(f"{' '.join(self.words)}: {'; '.join(wrong)}")
        if cluster is not None:
            self.words += ["--cluster", cluster.address]
            started = time.monotonic()
            process = self._start(self._with_files("undisturbed"))
            self.opening = self._wait_for_archive(process, "undisturbed")
            self._finish(process)
            self.seconds = QUICKER * (time.monotonic() - started)
            if wrong := self._differences("undisturbed"):
                raise SystemExit(f"{' '.join(self.words)}: {'; '.join(wrong)}")

    def check(
        self,
        moments: int,
        seed: int,
        kills_nodes: bool = False,
        signals: Sequence[signal.Signals] = (signal.SIGKILL,),
    ) -> Iterator[Tally]:
        """End the command at so many moments, each time by one of the signals, and resume it.

        With `kills_nodes` a node is killed in place of the command, which goes on.
        Yields the tally each time.
        """
        chance = random.Random(seed)
        tally = Tally()
        for number in range(moments):
            is_early = chance.random() < EARLY
            moment = chance.uniform(0, self.opening if is_early else self.seconds - self.opening)
            self._check(moment, is_early, f"{number}", tally, kills_nodes, chance.choice(signals))
            tally.moments += 1
            yield tally

    def after_lines(self, count: int, signals: Sequence[signal.Signals]) -> list[str]:
        """End the command by a signal as soon as it has so many lines, resume it, end it by the next; what is
        wrong after each, and when nothing disturbs it any more.
        """
        words, wrong = self._with_files("ended"), list[str]()
        for number in signals:
            process = self._start(words)
            while process.poll() is None and (self._summary("ended") or len(self._rows("ended")) < count):
                time.sleep(0.005)  # sleeps: a step of waiting
            self._end(process, number, "ended", wrong)
            wrong += [f"after {number.name}, {each}" for each in self.disagreements("ended")]
            words = [*self._with_files("ended"), "--resume"]
        self._finish(self._start(words), wrong)
        return wrong + self._differences("ended")

    def _end(
        self, process: "subprocess.Popen[str]", number: signal.Signals, name: str, wrong: list[str]
    ) -> None:
        """Send a signal, and wait for the end of the command, which writes a report unless it is killed."""
        process.send_signal(number)
        _, said = process.communicate()
        summary = self._summary(name)
        is_done = bool(summary) and "interrupted" not in summary  # Python itself takes a while to end
        expected = (0, 128 + number, -number) if is_done or not self._rows(name) else (128 + number,)
        if number != signal.SIGKILL and process.returncode not in expected:
            wrong.append(f"exit code {process.returncode} by {number.name}: {said.strip()}")

    def _check(
        self,
        moment: float,
        is_early: bool,
        name: str,
        tally: Tally,
        kills_nodes: bool,
        number: signal.Signals,
    ) -> None:
        """End the command so many seconds after its start, or after its archive is there."""
        wrong = [f"moment {name} ({moment:.3f} s, {number.name})"]
        process = self._start(self._with_files(name))
        if not is_early:
            self._wait_for_archive(process, name)
        since_commit, said = 0.0, ""
        try:
            process.wait(moment)
            tally.late += 1
        except subprocess.TimeoutExpired:
            if self._cluster is not None and kills_nodes:
                self._cluster.lose_a_node()
                said = self._finish(process, wrong)
            else:
                self._end(process, number, name, wrong)
            if (self.folder / f"{name}.db").exists():
                since_commit = time.time() - self._last_commit(name)  # before anybody opens the database
        if not _all_gone(process.pid):
            wrong.append("processes are left")
        if (self.folder / f"{name}.db").exists():
            wrong += self._broken(name)
            if number == signal.SIGKILL and self._is_behind(name):
                tally.most_behind = max(tally.most_behind, since_commit)
            if self._summary(name):
                wrong += [f"before it is resumed, {each}" for each in self.disagreements(name)]
        else:
            tally.early += 1
        if not kills_nodes:
            resumed = self._start([*self._with_files(name), "--resume"])
            said = self._finish(resumed, wrong)
            wrong += self._broken(name)
        if different := self._differences(name):
            wrong += [*different, f"the command said {said}"]
        if len(wrong) > 1:
            tally.wrong.append("; ".join(wrong))
        else:
            for file in self.folder.glob(f"{name}.*"):
                file.unlink()

    def disagreements(self, name: str) -> list[str]:
        """How lines, summary, archive and solver file of a command that has ended contradict each other."""
        rows, summary = self._rows(name), self._summary(name)
        told = {key: summary.get(key) for key in _summed(self.words[0], rows)}
        wrong: list[str] = []
        if told != _summed(self.words[0], rows):
            wrong.append(f"the lines have {_summed(self.words[0], rows)}, the summary {told}")
        with ab.Archive(self.folder / f"{name}.db", readonly=True) as archive:
            kept = {(result.hash, result.task): result.demo_exact for result in archive.results()}
            in_lines = self._results_in_lines(rows)
            if self.words[0] in SEARCHES:  # an archive keeps what was the best for a while, too
                kept = {key: kept.get(key, -1) for key in in_lines}
                wrong += _unlike("the states in the archive", _states(archive, self.words[0]), _best(rows))
            wrong += _unlike("the results in the archive", kept, in_lines)
        if self.words[0] in SEARCHES:
            file = self.folder / f"{name}.py"
            solvers = ab.load_programs(file) if file.exists() else []
            written = {str(solver.task_id): solver.hash for solver in solvers}
            best = {row["task"]: _hash(row) for row in rows if _is_written(row)}
            wrong += _unlike("the solver file", written, best)
        return wrong

    def _results_in_lines(self, rows: Sequence[Row]) -> dict[tuple[str, str], int]:
        """The exact demo samples of programs on tasks, of which an archive must know."""
        if self.words[0] == "solve":
            answers = [(row["task"], answer) for row in rows for answer in row["answers"] if answer["fits"]]
            return {(answer["hash"], task): answer["demos"] for task, answer in answers}
        return {(self._hash_of(row), row["task"]): sum(row["demo"]) for row in rows}

    def _hash_of(self, row: Row) -> str:
        return str(row["hash"]) if "hash" in row else self._hashes[row["program"]]

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """The hashes of the programs that run, by name."""
        is_batt = self.words[0] == "run-batt"
        programs = ab.load_batt(self.folder / BATT) if is_batt else load_library("solvers")
        return {program.name: program.hash for program in programs}

    def _differences(self, name: str) -> list[str]:
        """How the files of a command differ from those of the whole run, and from each other."""
        wrong = self.disagreements(name)
        if self._exported(name) != self.whole:
            wrong.append("the archive differs")
        if self._lines(name) != self.lines:
            wrong.append("the lines of JSON differ")
        if _without_times(self._summary(name)) != _without_times(self._summary("whole")):
            wrong.append(f"the summary is {self._summary(name)}, not {self._summary('whole')}")
        return wrong

    def _wait_for_archive(self, process: "subprocess.Popen[str]", name: str) -> float:
        """Wait until a command has made its archive; the seconds that this took."""
        started = time.monotonic()
        while process.poll() is None and not (self.folder / f"{name}.db").exists():
            time.sleep(0.005)  # sleeps: a step of waiting
        return time.monotonic() - started

    def _with_files(self, name: str) -> list[str]:
        out = ["--out", f"{name}.py"] if self.words[0] in SEARCHES else []
        return [*self.words, "--archive", f"{name}.db", "--json", f"{name}.jsonl", *out]

    def _start(self, words: Sequence[str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "arcbatt", *words],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(Path(ab.__file__).parents[1])},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _finish(self, process: "subprocess.Popen[str]", wrong: list[str] | None = None) -> str:
        """Wait for the end of a command, which must be a good one; what it said."""
        _, said = process.communicate()
        if process.returncode != 0:
            sentence = f"exit code {process.returncode}: {said.strip()}"
            if wrong is None:
                raise SystemExit(sentence)
            wrong.append(sentence)
        return said.strip()

    def _exported(self, name: str) -> bytes:
        file = self.folder / f"{name}.export"
        with ab.Archive(self.folder / f"{name}.db", readonly=True) as archive:
            archive.export(file)
        return file.read_bytes()

    def _lines(self, name: str) -> list[bytes]:
        """The results among the lines of JSON, sorted if a cluster gives them.

        Those of searches are compared without times, and `evolve` by the last line of each task: a search
        that is resumed does not tell again what was the best for a while.
        """
        if self.words[0] in SEARCHES:
            rows = sorted(self._rows(name), key=lambda row: str(row["task"]))
            return [json.dumps(_without_times(row)).encode() for row in rows]
        lines = self._whole_lines(name)
        lines = [line for line in lines if not line.startswith(b'{"summary"')]
        return lines if self._cluster is None else sorted(lines)

    def _whole_lines(self, name: str) -> list[bytes]:
        file = self.folder / f"{name}.jsonl"
        lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
        return [line for line in lines if line.endswith(b"\n")]

    def _rows(self, name: str) -> list[Row]:
        """The results among the lines; of searches the last of each task."""
        rows = [row for row in map(json.loads, self._whole_lines(name)) if "summary" not in row]
        return list({row["task"]: row for row in rows}.values()) if self.words[0] in SEARCHES else rows

    def _summary(self, name: str) -> Row:
        """The summary; empty if the command has not come to its end."""
        last = self._whole_lines(name)[-1:]
        summary: Row = json.loads(last[0]).get("summary", {}) if last else {}
        return summary

    def _broken(self, name: str) -> list[str]:
        database = sqlite3.connect(self.folder / f"{name}.db")
        try:
            found = [row[0] for row in database.execute("PRAGMA integrity_check")]
        finally:
            database.close()
        return [] if found == ["ok"] else [f"integrity_check: {found}"]

    def _is_behind(self, name: str) -> bool:
        """Whether results that came after the first commit were not committed."""
        if self.words[0] in SEARCHES:  # these commit what they find before they tell it
            return False
        lines = self._lines(name)
        database = sqlite3.connect(self.folder / f"{name}.db")
        try:
            committed = database.execute("SELECT count(*) FROM results").fetchone()[0]
        except sqlite3.OperationalError:  # killed before the tables were made
            committed = 0
        finally:
            database.close()
        return 0 < committed < len({json.loads(line).get("key") for line in lines})

    def _last_commit(self, name: str) -> float:
        files = (self.folder / f"{name}.db{suffix}" for suffix in ("", "-wal"))
        return max(file.stat().st_mtime for file in files if file.exists())


def _summed(command: str, rows: Sequence[Row]) -> dict[str, int]:
    """The numbers of a summary that follow from the lines."""
    if command == "solve":
        return {
            "fits": sum(row["fits"] for row in rows),
            "answered": sum(bool(row["answers"]) for row in rows),
            "steps": sum(row["steps"] for row in rows),
        }
    if command == "evolve":
        return {
            "fits": sum(row["fits"] for row in rows),
            "solved": sum(row["solved"] and row["fits"] for row in rows),
        }
    return {
        "tasks": len({row["task"] for row in rows}),
        "evaluations": sum(len(row["demo"]) + len(row["test"]) for row in rows),
        "solved": len({(row["program"], row["task"]) for row in rows if row["solved"]}),
        "tasks_solved": len({row["task"] for row in rows if row["solved"]}),
    }


def _states(archive: ab.Archive, command: str) -> dict[str, str]:
    """The best program of each task, by the states of a search in an archive; empty if it has none."""
    texts = [bytes(text) for (text,) in archive.connection.rows("SELECT state FROM run_states")]
    if command == "solve":
        states = [state for state in map(json.loads, texts) if isinstance(state, dict)]
        return {state["task"]: _hash(state) for state in states}
    best: dict[str, Member] = {}
    rows = archive.connection.rows("SELECT key, state FROM run_states WHERE key <> 'seeds'")
    names = {digest_of_task(task).hex(): task.id for task in archive.tasks()}
    for key, text in rows:
        found, task = progress_from(bytes(text)).best, names.get(str(key).split()[0], "")
        if found is not None and (task not in best or found.rank < best[task].rank):
            best[task] = found
    return {task: member.program.hash for task, member in best.items()}


def _best(rows: Sequence[Row]) -> dict[str, str]:
    return {row["task"]: _hash(row) for row in rows}


def _hash(row: Row) -> str:
    """The hash of the best program of a task; empty if it has none."""
    if "answers" not in row:
        return str(row["hash"])
    return str(row["answers"][0]["hash"]) if row["answers"] else ""


def _is_written(row: Row) -> bool:
    """Whether the solver file has the program: `solve` writes all answers, `evolve` those that fit."""
    return bool(row["answers"] if "answers" in row else row["fits"])


def _unlike(what: str, found: Mapping[Any, Any], wanted: Mapping[Any, Any]) -> list[str]:
    """A sentence if something is not as the lines have it."""
    other = sorted({key for key in {*found, *wanted} if found.get(key) != wanted.get(key)})
    if not other:
        return []
    first = other[0]
    case = f"{first}: {found.get(first)}, not {wanted.get(first)}"
    return [f"{what}: {len(other)} differ from the lines, {case}"]


def _without_times(row: Row) -> Row:
    changing = CHANGING | {"steps"} if "hash" in row else CHANGING
    return {key: value for key, value in row.items() if key not in changing}


def _all_gone(session: int) -> bool:
    """Whether the processes of a session end soon."""
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-e", "-o", "sid=,stat="], capture_output=True, text=True, check=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        if not any(int(owner) == session and not state.startswith("Z") for owner, state in rows):
            return True
        time.sleep(0.05)  # sleeps: a step of waiting
    return False


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", help=f"a command of arcbatt, such as {', '.join(COMMANDS)}")
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill", choices=("command", "driver", "node"), default="command")
    parser.add_argument("--signals", default="KILL", help="one of these ends the command: KILL,INT,TERM")
    parser.add_argument("words", nargs="*", help="words of the command, after --")
    given = parser.parse_intermixed_args()
    words = [given.command, *given.words] if given.words else COMMANDS[given.command]
    folder = Path(tempfile.mkdtemp(prefix="killing-"))
    cluster = None
    if given.kill != "command":
        sys.path.insert(0, str(Path(__file__).parents[1]))
        from support.ray_cluster import RayCluster  # most need no Ray

        cluster = RayCluster(nodes=3)
    killing = Killing(words, folder, cluster)
    print(
        f"{' '.join(words)}: {killing.seconds:.2f} s as a whole, {len(killing.whole):,} bytes exported",
        flush=True,
    )
    tally = Tally()
    signals = [signal.Signals[f"SIG{name}"] for name in given.signals.split(",")]
    for tally in killing.check(given.moments, given.seed, given.kill == "node", signals):
        print(f"\r{tally.line()}", end="", flush=True)
    print()
    if cluster is not None:
        cluster.close()
    for sentence in tally.wrong:
        print(sentence)
    if tally.wrong:
        raise SystemExit(f"the files are in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
