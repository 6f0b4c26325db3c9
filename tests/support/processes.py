"""The processes that this one has started."""

import os
from pathlib import Path


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
