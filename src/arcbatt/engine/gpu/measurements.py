"""Measured speeds of devices, and the file in the user's cache that keeps them for a while."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from statistics import median
from time import time
from typing import Any, NamedTuple

from arcbatt.errors import ArcbattError
from arcbatt.files import UnreadableFile, cache_folder, content_of_file, locked_folder, whole_file
from arcbatt.text import plural

ENOUGH = 3  # measurements after which no more are taken
FASTEST, SLOWEST, LONGEST = 1e-12, 1e3, 3600.0  # seconds of a node, and of a batch besides
FORMAT = 2  # of the file; a file of another format counts as none
MOST_KEYS = 32
LONGEST_KEY = 1000
LARGEST_FILE = 1 << 18
DAMAGED = (LookupError, TypeError, AttributeError)  # a damaged file counts as none
OLDEST = 30 * 24 * 3600.0  # seconds: drivers, clocks and coolers change without a version


class NoMeasure(ArcbattError):
    """A measurement that cannot be used; the message says why."""


@dataclass(frozen=True)
class Calibration:
    """Seconds of a node on the CPU and on a device, and the overhead of a batch on the device.

    >>> Calibration(cpu=1e-6, device=0.0, overhead=0.01)
    Traceback (most recent call last):
        ...
    arcbatt.engine.gpu.measurements.NoMeasure: a node takes 0 s on the device, which cannot be
    """

    cpu: float
    device: float
    overhead: float

    def __post_init__(self) -> None:
        for place, seconds in (("CPU", self.cpu), ("device", self.device)):
            if not (isfinite(seconds) and FASTEST <= seconds <= SLOWEST):
                raise NoMeasure(f"a node takes {seconds:g} s on the {place}, which cannot be")
        if not (isfinite(self.overhead) and 0.0 <= self.overhead <= LONGEST):
            raise NoMeasure(f"a batch takes {self.overhead:g} s besides, which cannot be")

    def break_even(self, nodes: int) -> int | None:
        """The number of samples from which on a batt of so many nodes is faster on the device; None: never.

        >>> Calibration(cpu=2e-6, device=1e-6, overhead=0.001).break_even(100)
        10
        """
        gain = (self.cpu - self.device) * nodes
        return max(1, round(self.overhead / gain)) if gain > 0 else None

    def in_words(self, nodes: int = 1000) -> str:
        """The seconds and the break-even for a batt of so many nodes, as text.

        >>> Calibration(cpu=2e-6, device=1e-6, overhead=0.01).in_words(100)
        '2 us a node on the CPU, 1 us and 10 ms a batch on the device: break-even at 100 samples of 100 nodes'
        """
        least = self.break_even(nodes)
        times = f"{self.cpu * 1e6:.3g} us a node on the CPU, {self.device * 1e6:.3g} us and "
        times += f"{self.overhead * 1e3:.3g} ms a batch on the device"
        if least is None:
            return f"{times}: the CPU is faster, whatever the batch"
        return f"{times}: break-even at {plural(least, 'sample')} of {nodes:,} nodes"


def agreed(measured: Sequence[Calibration]) -> Calibration:
    """The median of each number of several measurements: one outlier decides nothing.

    >>> agreed([Calibration(1e-6, 2e-6, 0.01), Calibration(9e-6, 2e-6, 0.01), Calibration(1e-6, 3e-6, 0.0)])
    Calibration(cpu=1e-06, device=2e-06, overhead=0.01)
    """
    return Calibration(
        median(one.cpu for one in measured),
        median(one.device for one in measured),
        median(one.overhead for one in measured),
    )


class DatedMeasurement(NamedTuple):
    """A measurement and its time, in seconds since 1970."""

    calibration: Calibration
    taken: float


def _file() -> Path:
    return cache_folder() / "calibration.json"


def stored() -> dict[str, list[DatedMeasurement]]:
    """All measurements of this machine that still count, by key."""
    now = time()
    with suppress(OSError, UnreadableFile, ValueError, RecursionError, *DAMAGED):
        content = json.loads(content_of_file(_file(), LARGEST_FILE))
        if content["format"] == FORMAT:
            found = {key: _believed(rows, now) for key, rows in content["measured"].items()}
            return {key: rows for key, rows in found.items() if rows}
    return {}


def _believed(rows: Any, now: float) -> list[DatedMeasurement]:
    """The rows that are sound measurements, neither old nor from the future."""
    found: list[DatedMeasurement] = []
    for row in rows if isinstance(rows, list) else []:
        with suppress(NoMeasure, KeyError, TypeError, ValueError, OverflowError):
            taken, *seconds = (_number(row[name]) for name in ("taken", "cpu", "device", "overhead"))
            if 0.0 <= now - taken <= OLDEST:
                found.append(DatedMeasurement(Calibration(*seconds), taken))
    return found[-ENOUGH:]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def fresh(key: str) -> list[Calibration]:
    """The measurements of a key that still count."""
    return [measured.calibration for measured in stored().get(key, [])]


def add(key: str, *new: Calibration, anew: bool = False) -> list[Calibration]:
    """Keep measurements besides the known ones of a key, or `anew` in their place; returns those that count.

    Where the file cannot be written, they are lost, and taken again.
    """
    rows = [DatedMeasurement(one, time()) for one in new]
    with suppress(OSError, ArcbattError):
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        with locked_folder(str(file)):
            known = stored()
            old = known.pop(key, [])
            known[key] = rows = [*([] if anew else old), *rows][-ENOUGH:]
            _write(file, known)
    return [one.calibration for one in rows]


def _write(file: Path, known: dict[str, list[DatedMeasurement]]) -> None:
    """Write the newest measurements."""
    by_age = sorted(known.items(), key=lambda item: item[1][-1].taken, reverse=True)
    content = {
        key: [{"taken": taken} | asdict(calibration) for calibration, taken in rows]
        for key, rows in by_age[:MOST_KEYS]
        if len(key) <= LONGEST_KEY
    }
    with whole_file(str(file)) as text:
        json.dump({"format": FORMAT, "measured": content}, text)
