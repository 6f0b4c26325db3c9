"""The processes that this one or a command has started, and the addresses that they listen on."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

import pytest

from support.commands import environment

MARK = "ARCBATT_TEST_OF_CLUSTERS"  # a variable by which the processes that a test started are found
SOON = 40.0
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that only waits to be buried does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children() -> list[int]:
    """The processes that this one has started and that run."""
    ours = f"PPid:\t{os.getpid()}\n"
    found = []
    for file in Path("/proc").glob("[0-9]*/status"):
        try:
            if ours in file.read_text():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return [pid for pid in found if is_running(pid)]


def started(*words: str, mark: str = "1", **variables: str) -> "subprocess.Popen[str]":
    """A command in the background, whose processes bear a mark."""
    return subprocess.Popen(
        [sys.executable, "-m", "arcbatt", *words],
        env=environment(**{MARK: mark}, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes(mark: str, word: str = "") -> list[int]:
    """The processes with a mark that run: those whose command line has a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}\0".encode() in (folder / "environ").read_bytes() + b"\0":
                line = (folder / "cmdline").read_bytes()
                found += [int(folder.name)] if line and word.encode() in line else []
        except OSError:
            continue
    return found


def until(is_so: Callable[[], object]) -> bool:
    """Whether something becomes true soon."""
    deadline = time.monotonic() + SOON
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)  # sleeps: a step of waiting
    return True


def wait_until(process: "subprocess.Popen[Any]", is_so: Callable[[], object]) -> None:
    """Wait until something is true, or the process has ended."""
    while process.poll() is None and not is_so():
        time.sleep(0.005)  # sleeps: a step of waiting


def wait_until_at_work(process: "subprocess.Popen[Any]", seconds: float = 0.3) -> None:
    """Wait until a process has computed for a while, however busy the machine is, or has ended."""
    before = processor_seconds(process.pid)
    wait_until(process, lambda: processor_seconds(process.pid) > before + seconds)


def processor_seconds(pid: int) -> float:
    """The time for which a process has had a processor."""
    if sys.platform == "linux":
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    shown = subprocess.run(["ps", "-o", "time=", "-p", str(pid)], capture_output=True, text=True, check=False)
    parts = reversed(shown.stdout.strip().split(":"))
    return sum(60**power * float(part) for power, part in enumerate(parts))


def in_session(session: int) -> dict[int, str]:
    """The command lines of the processes of a session, by their ids."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def listening(pid: int) -> Iterator[tuple[IPv4Address | IPv6Address, int]]:
    """The addresses and ports of TCP that a process listens on."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(str(link.readlink()))
        except OSError:
            continue
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in sockets:
                address, _, port = local.partition(":")
                yield _address(address), int(port, 16)


def _address(words: str) -> IPv4Address | IPv6Address:
    """An address as /proc has it: words of four bytes, each in the order of the machine."""
    packed = b"".join(
        int(words[start : start + 8], 16).to_bytes(4, sys.byteorder) for start in range(0, len(words), 8)
    )
    if len(packed) == 4:
        return IPv4Address(packed)
    address = IPv6Address(packed)
    return address.ipv4_mapped or address
