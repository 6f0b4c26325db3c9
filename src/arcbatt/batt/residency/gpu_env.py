"""A drop-in for `Env` whose values stay in the engine between lines; Python converts them on access."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextvars import Context
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from time import perf_counter
from typing import Any, Literal, NamedTuple

from arcbatt.arguments import require_count, require_flags, require_kind, require_one_of
from arcbatt.batt.callables import CallableOp, as_callable, exception_of
from arcbatt.batt.env import NO_VALUE, OKT, Env, no_line
from arcbatt.batt.historical.gpu_status import check_gpu_status as check_gpu_status
from arcbatt.batt.per_op_backend import NUMBERS, SELECTION, Selection
from arcbatt.batt.residency.residency_cache import DEFAULT_BUDGET, GPUTransferManager
from arcbatt.dsl.contract import FORGIVEN
from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.table import FUNCTION_CALL, TABLE
from arcbatt.engine.backend import BackendName
from arcbatt.engine.choose import DEVICE_BACKENDS, device_of_auto, has_gpu, is_of_devices, open_devices
from arcbatt.engine.gpu.gpu import DeviceError, Gpu
from arcbatt.errors import ArcbattError, BackendError
from arcbatt.notices import tell_once
from arcbatt.text import plural, shorten

if NUMBERS:
    from arcbatt import _core
    from arcbatt.engine.backends.native import CoreOptions, failure_of, foreign_ops
    from arcbatt.engine.gpu.session import DeviceResident, DeviceSession

    RESIDENTS: tuple[type[Any], ...] = (_core.Resident, DeviceResident)
else:
    RESIDENTS = ()

RESULTS = (*RESIDENTS, int)
LINES_TIMED = 9  # for the choice between the CPU and a GPU


@dataclass
class EnvStats:
    """Counts of an environment: ops and seconds on each backend, transfers each way, failures by kind.

    `uploads_by_line` says which lines uploaded operands, by their numbers.
    """

    ops: dict[BackendName, int] = field(default_factory=lambda: {"native": 0, "reference": 0})
    seconds: dict[BackendName, float] = field(default_factory=lambda: {"native": 0.0, "reference": 0.0})
    uploads: int = 0
    downloads: int = 0
    failures: Counter[Kind] = field(default_factory=Counter)
    uploads_by_line: Counter[int] = field(default_factory=Counter)

    def on(self, devices: bool) -> tuple[int, float]:
        """The ops on devices or on the CPU, and their seconds."""
        names = [name for name in self.ops if is_of_devices(name) == devices]
        return sum(self.ops[name] for name in names), sum(self.seconds[name] for name in names)


class _Engine:
    """A session of the core or of a device, and the cache of the values that Python uploaded to it."""

    def __init__(
        self, selection: Selection, budget: int, gpu: Gpu | None, at: list[int] | None = None
    ) -> None:
        # Ops of a scope are left to the reference: a session may outlive the scope.
        options, own_ops = Context().run(lambda: (CoreOptions(DEFAULT_LIMITS), foreign_ops()))
        session: _core.Session | DeviceSession
        if gpu is None:
            session = _core.Session(
                options.limits,
                options.foreign,
                selection.kernels,
                CallableOp,
                as_callable,
                failure_of,
                budget,
            )
        else:
            session = DeviceSession(gpu, options, as_callable, selection.runs_natively, budget)

        uploading: list[int] = []  # for each upload the line that needed it
        line = at or [0]  # the number of the line at hand

        # These closures hold the session and not the engine: without a cycle the engine is freed at once.
        def to_device(argument: Any) -> Any:
            # A resident comes here only from another session.
            is_resident, before = isinstance(argument, RESIDENTS), transfers.uploads
            moved = transfers.to_device(transfers.to_host(argument) if is_resident else argument)
            if transfers.uploads > before:
                uploading.append(line[0])
            return moved

        def has_old_ops() -> bool:
            return any(TABLE.get(op.name) is not op for op in own_ops)

        def run_with_room(*arguments: Any) -> Any:
            if has_old_ops():
                raise ArcbattError("an op of this engine is gone")
            with room_for(DEFAULT_LIMITS.depth):
                return session.run(*arguments)

        transfers = GPUTransferManager(upload_to(session), plain, budget=budget, is_value=session.is_value)
        self.backend: BackendName = "native" if gpu is None else gpu.backend
        self.session, self.transfers, self.to_device = session, transfers, to_device
        self.uploading = uploading
        self.run = run_with_room if own_ops else session.run
        self.has_old_ops = has_old_ops

    @property
    def is_lost(self) -> bool:
        """Whether the device of the session is lost."""
        return isinstance(self.session, DeviceSession) and self.session.is_lost

    def add_to(self, stats: EnvStats) -> None:
        """Add the counts of this session to those of the environment."""
        name = self.backend
        stats.ops[name] = stats.ops.get(name, 0) + self.session.runs
        stats.seconds[name] = stats.seconds.get(name, 0.0) + self.session.nanoseconds / 1e9
        stats.uploads += self.transfers.uploads
        stats.downloads += self.session.downloads + self.transfers.downloads
        stats.uploads_by_line.update(self.uploading)


def upload_to(session: "_core.Session | DeviceSession") -> Callable[[Any], tuple[Any, int]]:
    """A function that uploads a value to a session, and returns the resident and its size in bytes there."""

    def upload(value: Any) -> tuple[Any, int]:
        before = session.bytes
        return session.upload(value), session.bytes - before

    return upload


def upload_to_cpu(budget: int) -> Callable[[Any], tuple[Any, int]] | None:
    """The same to a new session of the core on the CPU; None without the core."""
    return upload_to(_Engine(SELECTION, budget, None).session) if NUMBERS else None


class _TimingSamples:
    """Some of the lines that ran, spread evenly over all, each with the seconds that it took.

    They hold what their lines hold: an environment forgets them with its engine.
    """

    MOST = 64

    def __init__(self) -> None:
        self.lines: list[tuple[tuple[Any, ...], float]] = []
        self.stride = self.left = 1  # how many lines there are to each, and until the next one

    def add(self, pile: Sequence[Any], seconds: float) -> None:
        """Take the line that has just run."""
        self.lines.append((tuple(pile), seconds))
        if len(self.lines) == self.MOST:
            self.lines = self.lines[::2]
            self.stride *= 2
        self.left = self.stride


class _ReplayableLine(NamedTuple):
    """A line that has run, kept to run it again."""

    number: int
    pile: tuple[Any, ...]
    isok: bool
    outcome: OKT


class GPUEnv(Env):
    """The environment of one call of a batt, with the same results as `Env` on every line.

    A line gives OKT(ok, t) where t is a plain value or a resident: a handle that compares, hashes, prints,
    iterates, calls and pickles as its value; `t.value()` is that value. A resident stays valid for as long as
    it is referenced, also after `cleanup`. Lines run on a GPU if one line at a time is faster there, which is
    measured once in a process, and else on the native CPU backend; a message says once which, and why. With
    `enable_gpu="force"`, or `backend` `cuda` or `emulated`, they run on the first device whatever the times;
    with `enable_gpu` False on the CPU. Data is uploaded when a line needs it. An op that the core does not
    have runs on the reference, as ops do that `selection` puts there. Unreferenced values are freed when they
    take `budget` bytes.

    >>> from arcbatt.batt.runtime import *
    >>> with GPUEnv(0, "00d62c1b", (), enable_gpu=False) as env:
    ...     t1 = env.do_pile(1, [rot90, ((1, 2), (3, 4))])
    ...     t2 = env.do_pile(2, [first, t1.t], t1.ok)
    ...     t3 = env.do_pile(3, [crop, TWO, ORIGIN, UNITY])
    >>> t2, t2.t == (3, 1), t3
    (OKT(ok=True, t=(3, 1)), True, OKT(ok=True, t=()))
    >>> dict(env.stats.failures)
    {'TYPE': 1}
    """

    def __init__(
        self,
        seed: float = 0,
        task_id: str = "",
        S: Any = (),
        log_path: str | os.PathLike[str] | None = None,
        score: int = 0,
        *,
        enable_gpu: bool | Literal["force"] = True,
        backend: str = "auto",
        selection: Selection = SELECTION,
        budget: int = DEFAULT_BUDGET,
        keep_lines: bool = False,
    ) -> None:
        """`keep_lines` holds every line, for `measure_ratio`."""
        super().__init__(seed, task_id, S, log_path, score)
        if not (isinstance(enable_gpu, str) and enable_gpu == "force"):
            require_flags(enable_gpu=enable_gpu)
        require_flags(keep_lines=keep_lines)
        require_kind(selection, Selection, "selection; arcbatt.Selection(...) makes one")
        require_count("budget", budget)
        self.selection, self.budget = selection, budget
        self._gpu, self.why = _placed(enable_gpu, backend)
        self._engine: _Engine | None = None
        self._done = EnvStats()
        self._at = [0]  # the number of the line at hand
        self._samples = _TimingSamples()
        self._ignored = 0  # downloads for statistics
        self._lines: list[_ReplayableLine] | None = [] if keep_lines else None

    def __enter__(self) -> "GPUEnv":
        return self

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise ArcbattError(
            "a GPUEnv cannot be pickled or copied, for its values are in the engine of this process; "
            "pickle what its lines gave"
        )

    @property
    def backend(self) -> BackendName:
        """The backend of the lines; ops that it does not have run on the reference."""
        if self._gpu is not None:
            return self._gpu.backend
        return "native" if NUMBERS else "reference"

    def do_pile(self, t_num: int, pile: Sequence[Any] | None, isok: bool = True) -> OKT:
        """The result of a line, as `Env` gives it."""
        if pile is None:
            return NO_VALUE
        self._at[0] = t_num
        try:
            result: Any = self._timed(pile) if isok else None
        except Exception:
            raise no_line(t_num, pile) from None
        if type(result) in RESULTS:
            outcome = OKT(True, result)
        elif not isok:
            outcome = NO_VALUE
        elif result is NotImplemented:
            outcome = super().do_pile(t_num, pile)
        else:
            outcome = self._failed(t_num, pile[0], pile[1:], result.kind)
        if self._lines is not None:
            self._lines.append(_ReplayableLine(t_num, tuple(pile), isok, outcome))
        return outcome

    def _timed(self, pile: Sequence[Any]) -> Any:
        """The result of a line in the core, which is timed if the line is one of the samples."""
        samples = self._samples
        samples.left -= 1
        if samples.left > 0 or self._engine is None:
            return self._natively(pile)
        started = perf_counter()
        result = self._natively(pile)
        if result is not NotImplemented:
            samples.add(pile, perf_counter() - started)
        return result

    def _natively(self, pile: Sequence[Any], any_kernel: bool = False) -> Any:
        """The result of a line in the core, or its Failure; NotImplemented if Python must run it."""
        engine = self._engine
        if engine is None:
            return NotImplemented
        try:
            return engine.run(pile, engine.to_device, any_kernel)
        except Exception:  # an argument may be no value: the reference reports that
            return NotImplemented

    def run(self, function: Any, arguments: Sequence[Any]) -> Any:
        """The result of a line that the core has not run; a failure is raised."""
        pile = (function, *arguments)
        engine = self._engine
        if NUMBERS and (engine is None or engine.session.is_full or engine.has_old_ops()):
            self._engine = self._new_engine()
            result = self._natively(pile)
            if result is not NotImplemented:
                return _checked(result, function)
        if isinstance(function, CallableOp) and self.selection.is_on_trial(function.name):
            return self._on_trial(function, arguments)
        return self._on_reference(function, arguments)

    def _new_engine(self) -> _Engine:
        """A new engine in place of a full one; on the CPU if the device is lost or has no memory left."""
        if self._engine is not None and self._engine.is_lost:
            self._gpu, self.why = None, "the device is lost"
        self.cleanup()
        try:
            return _Engine(self.selection, self.budget, self._gpu, self._at)
        except DeviceError as error:
            tell_once(f"{error}; GPUEnv runs on the CPU")
            self._gpu, self.why = None, str(error)
            return _Engine(self.selection, self.budget, None, self._at)

    def _on_trial(self, op: CallableOp, arguments: Sequence[Any]) -> Any:
        """Run an op on both backends and note the time of each."""
        started = perf_counter()
        result = self._natively((op, *arguments), any_kernel=True)
        between = perf_counter()
        try:
            on_reference = self._on_reference(op, arguments)
        finally:
            self.selection.note_trial(op.name, between - started, perf_counter() - between)
        return on_reference if result is NotImplemented else _checked(result, op)

    def _on_reference(self, function: Any, arguments: Sequence[Any]) -> Any:
        failed, started = True, perf_counter()
        try:
            result = super().run(plain(function), list(map(plain, arguments)))
            failed = False
            return result
        finally:
            seconds = perf_counter() - started
            self._done.ops["reference"] += 1
            self._done.seconds["reference"] += seconds
            name = function.name if isinstance(function, CallableOp) else FUNCTION_CALL.name
            self.selection.note_reference(name, seconds, failed)

    def _failed(self, t_num: int, function: Any, arguments: Sequence[Any], kind: Kind) -> OKT:
        self._done.failures[kind] += 1
        if self.log_path is not None:
            arguments = list(map(plain, arguments))
        elif self.failures >= FORGIVEN:  # the result type of the function does not matter any more
            self.failures += 1
            return NO_VALUE
        return super()._failed(t_num, plain(function), arguments, kind)

    @property
    def stats(self) -> EnvStats:
        """The counts up to now; values that the statistics alone have looked at do not count."""
        stats = deepcopy(self._done)
        if self._engine is not None:
            self._engine.add_to(stats)
        stats.downloads -= self._ignored
        return stats

    def print_stats(self, measure: bool = False) -> None:
        """Print the counts and a measured speed-up; with `measure` also the ratio of `measure_ratio`.

        For the speed-up, sampled lines run again on the reference, which is timed.
        """
        require_flags(measure=measure)
        stats = self.stats
        on_gpu, on_cpu = stats.on(devices=True), stats.on(devices=False)
        whole = max(1, on_gpu[0] + on_cpu[0])
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(stats.failures.items()))
        by_line = ", ".join(f"t{line} {count}" for line, count in sorted(stats.uploads_by_line.items()))
        rows = {
            "backend": f"{self.backend}: {self.why}",
            "GPU operations": f"{on_gpu[0]:,} ({on_gpu[0] / whole:.1%})",
            "CPU operations": f"{on_cpu[0]:,} ({on_cpu[0] / whole:.1%}); "
            + ", ".join(f"{name} {count:,}" for name, count in stats.ops.items() if not is_of_devices(name)),
            "GPU time": f"{on_gpu[1]:.6f} s",
            "CPU time": f"{on_cpu[1]:.6f} s",
            "speed-up": self._speed_up(),
            "transfers": f"{stats.uploads} to the engine, {stats.downloads} back",
            "uploads by line": by_line or "none",
            "failures": kinds or "none",
        }
        if measure:
            rows["all lines"] = f"{self.measure_ratio():.1f} times as fast as the reference on these lines"
        print(f"GPUEnv statistics of task {shorten(str(self.task_id))}")
        for name, text in rows.items():
            print(f"  {name:16}{text}")

    def _speed_up(self) -> str:
        """How many times as fast as on the reference the sampled lines ran here."""
        sampled = self._samples.lines
        if not sampled:
            return "not measured; lines after the first are sampled, and cleanup() forgets them"
        before, reference = self.stats.downloads, Env(self.seed, self.task_id, self.S)
        on_reference = 0.0
        for pile, _ in sampled:
            line = list(map(plain, pile))
            started = perf_counter()
            reference.do_pile(0, line)
            on_reference += perf_counter() - started
        self._ignored += self.stats.downloads - before
        ratio = on_reference / sum(seconds for _, seconds in sampled)
        return f"{ratio:.1f}x, measured on {plural(len(sampled), 'sampled line')}"

    def measure_ratio(self) -> float:
        """How many times as fast the lines run here as on `Env`: both run them again, and are timed."""
        if not self._lines:
            raise ArcbattError(
                "there are no lines to measure; make the environment with keep_lines=True and run some"
            )
        reference = Env(self.seed, self.task_id, self.S)
        here = GPUEnv(
            self.seed,
            self.task_id,
            self.S,
            enable_gpu=self._gpu is not None,
            backend=self.backend if self._gpu else "auto",
            selection=self.selection.without_figures(),
        )
        return _seconds(reference, self._lines) / _seconds(here, self._lines)

    def cleanup(self) -> None:
        """Release the engine of this environment; the statistics stay.

        Referenced residents stay valid. A later line makes a new engine.
        """
        if self._engine is not None:
            self._engine.add_to(self._done)
            self._engine, self._samples = None, _TimingSamples()


def plain(argument: Any) -> Any:
    """The Python value of a resident; anything else unchanged.

    >>> plain(5)
    5
    """
    return argument.value() if isinstance(argument, RESIDENTS) else argument


def _checked(result: Any, function: Any) -> Any:
    """A result of the core; a failure is raised."""
    if isinstance(result, Failure):
        raise exception_of(result, repr(function))
    return result


def _seconds(env: Env, lines: Iterable[_ReplayableLine]) -> float:
    """The time to run lines again in an environment, each on the results of earlier lines there."""
    given: dict[int, Any] = {}
    seconds = 0.0
    for line in lines:
        pile = [given[id(part)] if id(part) in given else plain(part) for part in line.pile]
        started = perf_counter()
        outcome = env.do_pile(line.number, pile, line.isok)
        seconds += perf_counter() - started
        given[id(line.outcome.t)] = outcome.t
    return seconds


def _placed(enable_gpu: bool | str, backend: str) -> tuple[Gpu | None, str]:
    """The device that lines are to run on, None for the CPU, and why; told once where it is a choice."""
    require_one_of("backend", backend, ("auto", "native", *DEVICE_BACKENDS))
    if not enable_gpu:
        return None, "no GPU is to be used"
    if is_of_devices(backend):
        return _first(backend)
    if backend == "native":
        return None, "asked for"
    of_auto = device_of_auto()
    if enable_gpu == "force":
        if not of_auto or not NUMBERS:
            raise BackendError("enable_gpu is 'force', and devices are switched off; give backend='cuda'")
        return _first(of_auto)
    if not of_auto or not NUMBERS or (of_auto == "cuda" and not has_gpu()):
        cpu = "native" if NUMBERS else "reference"
        tell_once(f"there is no GPU to use; GPUEnv runs on the {cpu} backend, on the CPU")
        return None, "there is no GPU to use"
    gpu, why = place_of_lines(of_auto)
    where = "the CPU; enable_gpu='force' uses the GPU" if gpu is None else f"{gpu.name}"
    tell_once(f"GPUEnv runs on {where}: {why}")
    return gpu, why


def _first(backend: str) -> tuple[Gpu, str]:
    """The first device of a backend."""
    gpu = next(iter(open_devices(backend).gpus), None)
    if gpu is None:
        raise BackendError(f"the devices of backend {backend!r} have failed; leave the choice to 'auto'")
    return gpu, "asked for"


@cache
def place_of_lines(backend: str) -> tuple[Gpu | None, str]:
    """The device if single lines are faster there, else None, and the times; measured once in a process."""
    try:
        gpu, _ = _first(backend)
        on_gpu, on_cpu = seconds_of_a_line(gpu), seconds_of_a_line(None)
    except (DeviceError, BackendError) as error:
        return None, f"the GPU cannot be used: {error}"
    why = f"a line takes {on_gpu * 1e6:,.0f} us on the GPU and {on_cpu * 1e6:,.1f} us on the CPU"
    return (gpu if on_gpu < on_cpu else None), why


def seconds_of_a_line(gpu: Gpu | None) -> float:
    """The median time of a line on a large grid, on a device or on the CPU."""
    engine, times = _Engine(Selection(), DEFAULT_BUDGET, gpu), []
    grid = tuple(tuple((row * column) % 10 for column in range(30)) for row in range(30))
    op = CallableOp("rot90", (), 1)
    given: Any = engine.to_device(grid)
    for _ in range(LINES_TIMED):
        started = perf_counter()
        given = engine.run([op, given], engine.to_device, False)
        times.append(perf_counter() - started)
    return median(times)
