"""Kills a command with SIGKILL at random moments, resumes it, and compares the archive with a whole run's.

By hand, 50 moments of a command with the words that `COMMANDS` has for it, or with words of one's own:

    python tests/support/killing.py run --moments 50 --seed 1
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import arcbatt as ab

if TYPE_CHECKING:
    from support.ray_cluster import RayCluster

BATT = "batt.py"  # made in the folder where commands run
EVOLVE = ("evolve", "--tasks", "arc1/training:007bbfb7,025d127b,0520fde7")
IN_STEP = ("--islands", "2", "--exchange", "5", "--deterministic")
# The words of a command that takes some seconds.
COMMANDS: dict[str, list[str]] = {
    "run": ["run", "--pairs", "all", "--limit", "60"],
    # The library solves these tasks, so only what follows the first generation takes any time.
    "evolve": [*EVOLVE, "--steps", "20000", "--beyond", "20000"],
    "evolve-in-step": [*EVOLVE, *IN_STEP, "--steps", "20000", "--beyond", "20000"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "40", "--timing"],
    "solve": ["solve", "arc1/training", "--shard", "1/20", "--steps", "200000", "--leave-out-own"],
}
# Shorter ones, for tests.
SHORT: dict[str, list[str]] = {
    "evolve": [*EVOLVE, "--steps", "2500", "--beyond", "2500", "--differs", "library"],
    "evolve, islands in step": [*EVOLVE, *IN_STEP, "--steps", "2500", "--beyond", "2500"],
    "solve": ["solve", "arc1/training", "--shard", "1/20", "--steps", "20000", "--leave-out-own"],
}
WITH_JSON = ("run", "run-batt")
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
        if cluster is not None:
            self.words += ["--cluster", cluster.address]
            started = time.monotonic()
            process = self._start(self._with_files("undisturbed"))
            self.opening = self._wait_for_archive(process, "undisturbed")
            self._finish(process)
            self.seconds = QUICKER * (time.monotonic() - started)
            if wrong := self._differences("undisturbed"):
                raise SystemExit(f"{' '.join(self.words)}: {'; '.join(wrong)}")

    def check(self, moments: int, seed: int, kills_nodes: bool = False) -> Iterator[Tally]:
        """Kill and resume at so many moments; the tally after each.

        With `kills_nodes` a node is killed in place of the command, which goes on.
        """
        chance = random.Random(seed)
        tally = Tally()
        for number in range(moments):
            is_early = chance.random() < EARLY
            moment = chance.uniform(0, self.opening if is_early else self.seconds - self.opening)
            self._check(moment, is_early, f"{number}", tally, kills_nodes)
            tally.moments += 1
            yield tally

    def _check(self, moment: float, is_early: bool, name: str, tally: Tally, kills_nodes: bool) -> None:
        """Kill the command so many seconds after its start, or after its archive is there."""
        wrong = [f"moment {name} ({moment:.3f} s)"]
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
                process.send_signal(signal.SIGKILL)
                process.wait()
            if (self.folder / f"{name}.db").exists():
                since_commit = time.time() - self._last_commit(name)  # before anybody opens the database
        if not _all_gone(process.pid):
            wrong.append("processes are left")
        if (self.folder / f"{name}.db").exists():
            wrong += self._broken(name)
            if self._is_behind(name):
                tally.most_behind = max(tally.most_behind, since_commit)
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

    def _differences(self, name: str) -> list[str]:
        """How the files of a command differ from those of the whole run."""
        wrong = [] if self._exported(name) == self.whole else ["the archive differs"]
        return wrong if self._lines(name) == self.lines else [*wrong, "the lines of JSON differ"]

    def _wait_for_archive(self, process: "subprocess.Popen[str]", name: str) -> float:
        """Wait until a command has made its archive; the seconds that this took."""
        started = time.monotonic()
        while process.poll() is None and not (self.folder / f"{name}.db").exists():
            time.sleep(0.005)
        return time.monotonic() - started

    def _with_files(self, name: str) -> list[str]:
        json_file = ["--json", f"{name}.jsonl"] if self.words[0] in WITH_JSON else []
        return [*self.words, "--archive", f"{name}.db", *json_file]

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
        """The results among the lines of JSON, sorted if a cluster gives them; the summary has times."""
        file = self.folder / f"{name}.jsonl"
        lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
        lines = [line for line in lines if not line.startswith(b'{"summary"')]
        return lines if self._cluster is None else sorted(lines)

    def _broken(self, name: str) -> list[str]:
        database = sqlite3.connect(self.folder / f"{name}.db")
        try:
            found = [row[0] for row in database.execute("PRAGMA integrity_check")]
        finally:
            database.close()
        return [] if found == ["ok"] else [f"integrity_check: {found}"]

    def _is_behind(self, name: str) -> bool:
        """Whether results that came after the first commit were not committed."""
        lines = [line for line in self._lines(name) if line.endswith(b"\n")]
        database = sqlite3.connect(self.folder / f"{name}.db")
        try:
            committed = database.execute("SELECT count(*) FROM results").fetchone()[0]
        except sqlite3.OperationalError:  # killed before the tables were made
            committed = 0
        finally:
            database.close()
        return 0 < committed < len(set(map(_identity, lines)))

    def _last_commit(self, name: str) -> float:
        files = (self.folder / f"{name}.db{suffix}" for suffix in ("", "-wal"))
        return max(file.stat().st_mtime for file in files if file.exists())


def _identity(line: bytes) -> str:
    """The key of a result: programs that are equal but for their names share it."""
    try:
        return str(json.loads(line)["key"])
    except ValueError:  # torn
        return ""


def _all_gone(session: int) -> bool:
    """Whether the processes of a session end soon."""
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-e", "-o", "sid=,stat="], capture_output=True, text=True, check=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        if not any(int(owner) == session and not state.startswith("Z") for owner, state in rows):
            return True
        time.sleep(0.05)
    return False


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", help=f"a command of arcbatt, such as {', '.join(COMMANDS)}")
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill", choices=("command", "driver", "node"), default="command")
    parser.add_argument("words", nargs="*", help="words of the command, after --")
    given = parser.parse_intermixed_args()
    words = [given.command, *given.words] if given.words else COMMANDS[given.command]
    folder = Path(tempfile.mkdtemp(prefix="killing-"))
    cluster = None
    if given.kill != "command":
        from support.ray_cluster import RayCluster  # most need no Ray

        cluster = RayCluster(nodes=3)
    killing = Killing(words, folder, cluster)
    print(
        f"{' '.join(words)}: {killing.seconds:.2f} s as a whole, {len(killing.whole):,} bytes exported",
        flush=True,
    )
    tally = Tally()
    for tally in killing.check(given.moments, given.seed, given.kill == "node"):
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
