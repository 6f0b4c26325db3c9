"""The backend of each op, by choice or by measured times, and the costs of ops on each backend."""

from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple, get_args

from arcbatt.arguments import require_flags, require_seconds, require_text, shown, unexpected
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, no_op
from arcbatt.engine.choose import best_cpu
from arcbatt.errors import ArcbattError

OpBackend = Literal["native", "reference"]

TRIALS = 5  # runs of an op that are timed on both backends before one is chosen

if best_cpu()[0].in_core:
    from arcbatt import _core
    from arcbatt.engine.backends.native import CALLEE_NUMBERS

    NUMBERS = CALLEE_NUMBERS
else:
    NUMBERS = {}


@dataclass(frozen=True)
class OpStatistics:
    """The costs of an op on a backend: runs, seconds in all, failures."""

    runs: int = 0
    seconds: float = 0.0
    failures: int = 0


class _Trial(NamedTuple):
    """One run of an op on both backends, in seconds."""

    native: float
    reference: float


class Selection:
    """The backend of each op: native if it has the op, unless chosen otherwise.

    An adaptive selection times the first runs of an op on both backends and then takes the faster one.
    Results never depend on the choice. Environments with the same selection share its choices and figures.

    >>> selection = Selection()
    >>> selection.choose("rot90", "reference")
    >>> selection.backend_of("rot90")
    'reference'
    """

    def __init__(self, adaptive: bool = False) -> None:
        self._chosen: dict[str, OpBackend] = {}
        self._trials: dict[str, list[_Trial]] = {}
        self._reference: dict[str, OpStatistics] = {}
        require_flags(adaptive=adaptive)
        self._adaptive = adaptive
        if NUMBERS:
            self.kernels = _core.Kernels()
            self._tell_kernels()

    @property
    def adaptive(self) -> bool:
        """Whether measured times decide; may be changed at any time."""
        return self._adaptive

    @adaptive.setter
    def adaptive(self, adaptive: bool) -> None:
        self._adaptive = adaptive
        self._tell_kernels()

    def choose(self, name: str, backend: OpBackend | None) -> None:
        """Set the backend of an op; None makes the choice automatic again."""
        require_text("the name of an op", name)
        if name not in TABLE:
            raise ArcbattError(no_op(name))
        if not _is_choice(backend):
            raise unexpected("backend", "native, reference or None", backend)
        if backend == "native" and name not in NUMBERS:
            raise ArcbattError(f"op {name!r} has no native kernel; it runs on the reference")
        if backend is None:
            self._chosen.pop(name, None)
        else:
            self._chosen[name] = backend
        self._tell_kernels()

    def backend_of(self, name: str) -> OpBackend:
        """The backend of an op; an op on trial also runs on the other one, to be timed there."""
        require_text("the name of an op", name)
        if name not in NUMBERS:
            return "reference"
        if name in self._chosen:
            return self._chosen[name]
        trials = self._trials.get(name, [])
        if not self._adaptive or len(trials) < TRIALS:
            return "native"
        native, reference = (median(seconds) for seconds in zip(*trials))
        return "native" if native <= reference else "reference"

    @property
    def on_reference(self) -> frozenset[str]:
        """The ops that run on the reference although the native backend has them.

        >>> selection = Selection()
        >>> selection.choose("rot90", "reference")
        >>> selection.on_reference
        frozenset({'rot90'})
        """
        asked = (*self._chosen, *self._trials)
        return frozenset(name for name in asked if name in NUMBERS and self.backend_of(name) == "reference")

    def runs_natively(self, name: str) -> bool:
        """Whether the native backend may run an op directly, without a trial."""
        return self.backend_of(name) == "native" and not self.is_on_trial(name)

    def is_on_trial(self, name: str) -> bool:
        """Whether the next run of an op is to be timed on both backends."""
        if not self._adaptive or name not in NUMBERS or name == FUNCTION_CALL.name or name in self._chosen:
            return False
        return len(self._trials.get(name, ())) < TRIALS

    def note_trial(self, name: str, native: float, reference: float) -> None:
        """Record the seconds that one run of an op took on each backend."""
        require_text("the name of an op", name)
        if name not in NUMBERS:
            raise ArcbattError(f"{shown(name)} is no op that both backends have; name one, such as rot90")
        for which, seconds in (("native", native), ("reference", reference)):
            require_seconds(which, seconds, is_more_than_0=False)
        self._trials.setdefault(name, []).append(_Trial(native, reference))
        self._tell_kernel(name)

    def note_reference(self, name: str, seconds: float, failed: bool) -> None:
        """Record a run of an op on the reference; the core records its own runs."""
        require_text("the name of an op", name)
        require_seconds("seconds", seconds, is_more_than_0=False)
        require_flags(failed=failed)
        before = self._reference.get(name, OpStatistics())
        self._reference[name] = OpStatistics(
            before.runs + 1, before.seconds + seconds, before.failures + failed
        )

    def statistics(self) -> dict[str, dict[OpBackend, OpStatistics]]:
        """The costs of each op on each backend that ran it; calls of function values are under (call)."""
        found: dict[str, dict[OpBackend, OpStatistics]] = {}
        if NUMBERS:
            for name, (runs, nanoseconds, failures) in zip(NUMBERS, self.kernels.costs()):
                if runs:
                    found[name] = {"native": OpStatistics(runs, nanoseconds / 1e9, failures)}
        for name, costs in self._reference.items():
            found.setdefault(name, {})["reference"] = costs
        return found

    def without_figures(self) -> "Selection":
        """A copy with the same choices and trials, and new statistics."""
        other = Selection(self._adaptive)
        other._chosen = self._chosen.copy()
        other._trials = {name: trials.copy() for name, trials in self._trials.items()}
        other._tell_kernels()
        return other

    def _tell_kernels(self) -> None:
        for name in NUMBERS:
            self._tell_kernel(name)

    def _tell_kernel(self, name: str) -> None:
        self.kernels.use(NUMBERS[name], self.runs_natively(name))


def _is_choice(backend: object) -> bool:
    return backend is None or (isinstance(backend, str) and backend in get_args(OpBackend))


SELECTION = Selection()  # the default of all environments
