"""The number of cores for this process: those it is bound to, or fewer if its control group grants fewer."""

import os
from collections.abc import Iterator
from functools import cache
from math import ceil
from pathlib import Path

MEMBERSHIP, HIERARCHIES = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
CPU = "cpu"  # the controller that grants a share of the cores


def cores() -> int:
    """The number of cores that this process may use.

    >>> 1 <= cores() <= (os.cpu_count() or 1)
    True
    """
    granted = _granted()
    return max(1, min(_bound_to(), granted or _bound_to()))


def _bound_to() -> int:
    """The cores that the process is bound to; all, if the system has no such binding."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


@cache
def _granted() -> int | None:
    return granted_cores(MEMBERSHIP, HIERARCHIES)


def granted_cores(membership: Path, hierarchies: Path) -> int | None:
    """The cores that control groups grant a process, rounded up; None if they set no limit.

    `membership` lists the groups of the process, as /proc/self/cgroup does. Each group, and every group above
    it, limits all its members together.
    """
    shares = [
        share
        for folder in _groups(membership, hierarchies)
        for share in (_share_of_one_file(folder), _share_of_two_files(folder))
        if share is not None
    ]
    return max(1, ceil(min(shares))) if shares else None


def _groups(membership: Path, hierarchies: Path) -> Iterator[Path]:
    """The folders of the groups of a process, in version 1 or 2 of control groups."""
    for line in _text(membership).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and CPU not in controllers.split(","):
            continue
        below = Path(path.lstrip("/"))
        for top in _tops(controllers, hierarchies):
            yield from (top / group for group in (below, *below.parents))


def _tops(controllers: str, hierarchies: Path) -> list[Path]:
    """The folders of a hierarchy. In version 1 the order of names in its name may differ."""
    return [hierarchies / controllers, hierarchies / CPU] if controllers else [hierarchies]


def _share_of_one_file(folder: Path) -> float | None:
    """The share of version 2: cpu.max has the microseconds of each period, and the period."""
    return _share(*_text(folder / "cpu.max").split()[:2])


def _share_of_two_files(folder: Path) -> float | None:
    """The share of version 1: a file for each of the two numbers."""
    return _share(_text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us"))


def _share(quota: str = "", period: str = "") -> float | None:
    try:
        share = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # `max`, or no such file
        return None
    return share if share > 0 else None


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", errors="replace")
    except OSError:
        return ""
