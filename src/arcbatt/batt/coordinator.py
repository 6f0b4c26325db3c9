"""The mega-batch coordinator: a batt file on all samples of many tasks, in batches, through the engine."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from arcbatt.arguments import (
    collected,
    listed,
    require_count,
    require_flags,
    require_kind,
    require_seconds,
    require_text,
    shown,
)
from arcbatt.batt.callables import as_callable
from arcbatt.batt.env import append_to_log, as_okt
from arcbatt.batt.line_log import LOGGED_AT_ONCE, Arguments, log_lines
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.batt.per_op_backend import SELECTION, Selection
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.own.errors import OpError, summed
from arcbatt.engine.backend import how_many, require_limits, too_heavy
from arcbatt.engine.records.record import Record, refused_record
from arcbatt.engine.records.replies import Ending, Reply
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.running.sample_runner import BATT_MODE, MOST_MEMORY, BattMode, Runner
from arcbatt.errors import ArcbattError
from arcbatt.gc_pause import gc_paused
from arcbatt.program.batt_files.read import load_batt
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task, TaskSet
from arcbatt.tasks.intake import GivenTasks, task_of, tasks_of
from arcbatt.tasks.sample_names import name_in_half
from arcbatt.tasks.samples import Samples, by_task

SampleType = Literal["demo", "test"]
SAMPLE_TYPES: tuple[SampleType, ...] = ("demo", "test")
AN_INPUT = "input of a batt; arcbatt.BatchInput(...) makes one, and collect_inputs makes many"
A_RESULT = "result of a batt; process_batch gives them"
BYTES_AN_OUTPUT = 4096  # of an output as Python values, a generous estimate


@dataclass(frozen=True)
class BatchInput:
    """One call of a batt function: its arguments, and which sample of which task they are."""

    task_id: str
    task_idx: int
    sample_type: SampleType
    sample_idx: int
    S: Any = field(repr=False)
    I: Any = field(repr=False)
    C: Any = field(repr=False)
    log_path: str | None = None

    def to_args(self) -> tuple[str, Any, Any, Any, str | None]:
        """The arguments of the batt function."""
        return self.task_id, self.S, self.I, self.C, self.log_path


# The list ("o" or "s") that an entry goes to, and the entry there without the value.
Entry = tuple[str, tuple[Any, ...]]


class Entries:
    """The list o or s of one sample, which is built when it is read; until then the outputs stay packed."""

    def __init__(self, into: str, entries: Sequence[Entry], piled: bool, outputs: Outputs) -> None:
        self._given = into, entries, piled, outputs

    def built(self) -> list[tuple[Any, ...]]:
        """The list."""
        return entry_list(*self._given)

    def __reduce__(self) -> Any:
        return list, (self.built(),)


@dataclass(frozen=True)
class BatchResult:
    """The result of a batt on the sample at `batch_idx` of a batch: o and s as the function returns them.

    If the status is not ok, both are empty; `kind` and `reason` say why. `op_errors` are the faults of a
    user's own ops.
    """

    batch_idx: int
    o_result: list[tuple[int, bool, str, Any]]
    s_result: list[tuple[int, str, str, Any]]
    status: Ending = "ok"
    kind: str = ""
    reason: str = ""
    op_errors: tuple[OpError, ...] = ()

    def __getattribute__(self, name: str) -> Any:
        """The lists are built when they are read for the first time."""
        value = super().__getattribute__(name)
        if type(value) is Entries:
            value = value.built()
            object.__setattr__(self, name, value)
        return value


class SampleEntry(dict[str, Any]):
    """What `merge_results` gives for a sample: a dict with the lists o and s, built when they are read.

    >>> result = BatchResult(0, [(1, False, "00d62c1b", 5)], [])
    >>> SampleEntry(result) == {"o": [(1, False, "00d62c1b", 5)], "s": []}
    True
    """

    def __init__(self, result: BatchResult) -> None:
        wrong = {"status": result.status, "kind": result.kind, "reason": result.reason}
        super().__init__(o=None, s=None, **(wrong if result.status != "ok" else {}))
        self._result: BatchResult | None = result

    def _built(self) -> None:
        """Build the lists before the first read; a dict that C code reads directly must be whole."""
        result = self._result
        if result is not None:
            super().__setitem__("o", result.o_result)
            super().__setitem__("s", result.s_result)
            self._result = None  # last, for other threads that read

    def __getitem__(self, key: str) -> Any:
        self._built()
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._built()
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self._built()
        super().__delitem__(key)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __iter__(self) -> Iterator[str]:  # for dict(entry) and {**entry} as well
        self._built()
        return super().__iter__()

    def __eq__(self, other: object) -> bool:
        self._built()
        if isinstance(other, SampleEntry):
            other._built()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._built()
        return super().__repr__()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default."""
        self._built()
        return super().get(key, default)

    def items(self) -> Any:
        """The keys and their values."""
        self._built()
        return super().items()

    def values(self) -> Any:
        """The values of all keys."""
        self._built()
        return super().values()

    def copy(self) -> dict[str, Any]:
        """A plain dict of the same content."""
        return dict(self.items())

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a key, which is set to the default if it is not there."""
        self._built()
        return super().setdefault(key, default)

    def update(self, *others: Any, **named: Any) -> None:
        """Set the keys of other dicts."""
        self._built()
        super().update(*others, **named)

    def pop(self, *arguments: Any) -> Any:
        """Remove a key and give its value."""
        self._built()
        return super().pop(*arguments)

    def __reduce__(self) -> Any:
        return dict, (self.copy(),)


Results = dict[str, dict[str, dict[int, dict[str, Any]]]]


class CallableBatt(Batt):
    """The batt of a coordinator: the data that was read, and the function that the file defines.

    A call gives (o, s) as a call of the function does, and runs through the engine.
    """

    run: Callable[[BatchInput], BatchResult]

    @classmethod
    def of(cls, batt: Batt, run: Callable[[BatchInput], BatchResult]) -> "CallableBatt":
        """A batt that `run` calls."""
        made = cls(**batt.__getstate__())
        vars(made).update(vars(batt), run=run)  # with all that is known of the batt by now
        return made

    def __call__(
        self, task_id: str, S: Any, I: Any, C: Any = None, log_path: str | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The o and s of one call."""
        result = self.run(BatchInput(task_id, 0, "demo", 0, S, I, C, log_path))
        if result.status != "ok":
            reason = result.reason or result.kind or result.status
            raise ArcbattError(f"the batt gives nothing for task {shown(task_id)}: {reason}")
        return result.o_result, result.s_result

    def __reduce__(self) -> Any:
        return partial(Batt, **self.__getstate__()), ()


class MegaBatchCoordinator:
    """Runs a batt file, or a batt that is read already, on the samples of many tasks.

    A batch has `batch_size` samples; with None, verdicts come task by task, and outputs in batches as large
    as memory allows. A file is read as data, never imported; it is merged and planned once. Results do not
    depend on the size of batches, the number of workers or the backend, and have every sample exactly once.
    `use_gpu` is another name of `enable_gpu`. An op that `selection` puts on the reference runs there. A
    failed line gives its typed default; with `on_failure="file"` the style of the file sets its value.
    Odd lines of the file cause warnings; with `strict`, an error. With `partial_scores` the records of
    `judge` tell how near the outputs of solvers come to the expected ones. `op_errors` are the faults
    of a user's own ops so far: exceptions, and results of a wrong type. `batt(task_id, S, I, C, log_path)` is
    a single call, and `gpu_ops` runs ops on columns, with the same selection of backends. With `cluster`,
    the address of a Ray cluster, `local` or `auto`, its nodes judge; outputs are computed here.
    """

    def __init__(
        self,
        batt_module_name: str | Batt = "batt",
        batch_size: int | None = 1000,
        enable_gpu: bool = True,
        parallel: bool = True,
        max_workers: int | None = None,
        *,
        use_gpu: bool | None = None,
        backend: str = "auto",
        on_failure: BattMode = BATT_MODE,
        selection: Selection = SELECTION,
        limits: Limits = DEFAULT_LIMITS,
        seconds: float | None = None,
        own_seconds: float | None = None,
        memory: int | None = MOST_MEMORY,
        strict: bool = False,
        partial_scores: bool = False,
        cluster: str | None = None,
    ) -> None:
        if batch_size is not None:
            require_count("batch_size", batch_size, 1)
        for name, limit in (("seconds", seconds), ("own_seconds", own_seconds)):
            if limit is not None:
                require_seconds(name, limit)
        if memory is not None:
            require_count("memory", memory, 1)
        require_flags(enable_gpu=enable_gpu, parallel=parallel, strict=strict, partial_scores=partial_scores)
        if use_gpu is not None:
            require_flags(use_gpu=use_gpu)
        require_kind(selection, Selection, "selection; arcbatt.Selection(...) makes one")
        require_limits(limits)
        workers = how_many("max_workers", max_workers)
        self.batt_module_name, self.batch_size = batt_module_name, batch_size
        self.enable_gpu = self.use_gpu = enable_gpu if use_gpu is None else use_gpu
        self.parallel, self.max_workers = parallel, workers
        if isinstance(batt_module_name, Batt):
            batt = batt_module_name
        else:
            batt = load_batt(file_of_module(batt_module_name), strict)
            for oddity in batt.warnings:
                warnings.warn(str(oddity), RuntimeWarning, stacklevel=2)
        self._batt = batt
        self.gpu_ops = GPUDSLOperations(self.enable_gpu, limits=limits, selection=selection)
        self.op_errors: tuple[OpError, ...] = ()  # of all batches so far
        self._entries = entries_of(batt)
        self.runner = Runner(
            batt,
            backend,
            on_failure,
            limits,
            devices=self.enable_gpu,
            on_reference=selection.on_reference,
            workers=workers if parallel else 1,
            seconds=seconds,
            own_seconds=own_seconds,
            memory=memory,
            partial_scores=partial_scores,
            cluster=cluster,
        )

    @property
    def batt(self) -> CallableBatt:
        """The batt, whose call runs it on one sample."""
        return CallableBatt.of(self._batt, self._run_one)

    def __enter__(self) -> "MegaBatchCoordinator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes, if there are any."""
        self.runner.close()
        if "_line_runner" in self.__dict__:
            self._line_runner.close()

    @cached_property
    def _line_runner(self) -> Runner:
        """The runner for logs, whose outputs are those of every line."""
        return self.runner.of_every_line()

    def collect_inputs(
        self, total_data: Any, task_list: Iterable[str] | None = None, log_path: str | None = None
    ) -> list[BatchInput]:
        """The samples of some tasks, by default of all; demo before test, tasks in the order of the list.

        `total_data` is what `arcbatt.load_tasks` takes, or {'demo': {id: samples}, 'test': ...} with samples
        as {'input': grid, 'output': grid}.
        """
        if not isinstance(total_data, Mapping) or "train" in total_data:
            total_data = tasks_of(total_data)
        if isinstance(task_list, str):
            raise ArcbattError(f"task_list is {shown(task_list)}; it must be a list of task ids")
        ids = _ids(total_data) if task_list is None else listed(task_list, str, "id of a task; give texts")
        return [
            BatchInput(task_id, number, kind, place, pairs, given, expected, log_path)
            for number, task_id in enumerate(ids)
            for demo, test in [_samples(total_data, task_id)]
            for pairs in [tuple(demo)]
            for kind, samples in zip(SAMPLE_TYPES, (demo, test))
            for place, (given, expected) in enumerate(samples)
        ]

    def create_batches(self, inputs: Sequence[BatchInput]) -> list[list[BatchInput]]:
        """The inputs in batches of at most `batch_size`, fewer where memory is short."""
        inputs = listed(inputs, BatchInput, AN_INPUT)
        most = max(1, min(self.batch_size or len(inputs), _samples_in_memory(len(self._batt))))
        return [list(inputs[start : start + most]) for start in range(0, len(inputs), most)]

    def judge(self, tasks: GivenTasks) -> Iterator[Record]:
        """The verdicts on solvers and the scores of differs, task by task.

        Tasks that are too heavy for the limits come first: `refused` of their records says why.
        """
        refused, ready = self.refused(tasks)
        yield from refused
        for record in self.runner.records(ready, self.batch_size):
            self.op_errors = summed((*self.op_errors, *record.op_errors))
            yield record

    def refused(self, tasks: GivenTasks) -> tuple[list[Record], list[Task]]:
        """The records of tasks that are too heavy for the limits, and the other tasks."""
        refused: list[Record] = []
        ready: list[Task] = []
        for task in tasks_of(tasks):
            reason = too_heavy(task, self.runner.work.options.limits)
            if reason:
                refused.append(refused_record(task, self._batt.programs, reason))
            else:
                ready.append(task)
        return refused, ready

    def process_batch(self, batch: Sequence[BatchInput], batch_idx: int = 0) -> list[BatchResult]:
        """The result of the batt on each input of a batch; a bad input does not affect the others.

        `batch_idx` is the number of the batch, on which nothing depends.
        """
        batch = listed(batch, BatchInput, AN_INPUT)
        with gc_paused():  # results are many, and no garbage
            answers = self.runner.outputs(_calls(batch))
            results = [
                self._result(place, given, answer)
                for place, (answer, given) in enumerate(zip(answers, batch, strict=True))
            ]
        for given, result in zip(batch, results):
            if given.log_path is not None and result.status != "ok":
                name = f"{given.task_id} {name_in_half(given.sample_type, given.sample_idx)}"
                append_to_log(given.log_path, f"{name} {result.status} {result.kind}".rstrip())
        self._log_lines([given for given in batch if given.log_path is not None])
        return results

    def _run_one(self, given: BatchInput) -> BatchResult:
        (result,) = self.process_batch([given])
        return result

    def _log_lines(self, batch: Sequence[BatchInput]) -> None:
        """Run the inputs of a batch once more, all lines, and append to the logs which have failed."""
        if not batch:
            return
        lines, plan, mode = self._batt.listing.lines, self._line_runner.work.plan, self.runner.on_failure
        for start in range(0, len(batch), LOGGED_AT_ONCE):
            some = batch[start : start + LOGGED_AT_ONCE]
            for given, answer in zip(some, self._line_runner.outputs(_calls(some))):
                if answer.result is not None:
                    log_lines(lines, plan, Arguments(*given.to_args()), answer.result, mode)

    def _result(self, place: int, call: BatchInput, answer: Reply[Outputs]) -> BatchResult:
        if answer.result is None:
            return BatchResult(place, [], [], answer.status, answer.kind, answer.reason)
        given = self._entries, self._batt.line_style == "pile", answer.result
        sample = name_in_half(call.sample_type, call.sample_idx)
        errors = tuple(seen.of(self._batt.programs[seen.row], call.task_id, sample) for seen in answer.seen)
        self.op_errors = summed((*self.op_errors, *errors))
        o: Any = Entries("o", *given)
        s: Any = Entries("s", *given)
        return BatchResult(place, o, s, op_errors=errors)

    def merge_results(
        self, inputs: Sequence[BatchInput], results: Iterable[BatchResult | Iterable[BatchResult]]
    ) -> Results:
        """The results by task, kind and number of the sample; `results` may be lists, one for each batch."""
        merged: Results = {}
        inputs = listed(inputs, BatchInput, AN_INPUT)
        flat = [
            result
            for part in collected(results, A_RESULT)
            for result in ([part] if isinstance(part, BatchResult) else listed(part, BatchResult, A_RESULT))
        ]
        if len(inputs) != len(flat):
            raise ArcbattError(
                f"there are {len(inputs)} inputs and {len(flat)} results; each input has one result"
            )
        for given, result in zip(inputs, flat):
            task = merged.setdefault(given.task_id, {"demo": {}, "test": {}})
            task[given.sample_type][given.sample_idx] = SampleEntry(result)
        return merged

    def process_all(
        self, total_data: Any, task_list: Iterable[str] | None = None, log_path: str | None = None
    ) -> tuple[Results, float]:
        """The results on all samples of some tasks, and the seconds it took."""
        started = perf_counter()
        inputs = self.collect_inputs(total_data, task_list, log_path)
        batches = enumerate(self.create_batches(inputs))
        results = [self.process_batch(batch, number) for number, batch in batches]
        return self.merge_results(inputs, results), perf_counter() - started


def _calls(batch: Iterable[BatchInput]) -> list[Samples]:
    return by_task((given.task_id, given.S, given.I, given.C) for given in batch)


def file_of_module(name: str) -> Path:
    """The file that a module name, or a path with or without .py, means; it is read and never imported.

    >>> [file_of_module(name).as_posix() for name in ("batts.mine", "mine.py", "./some.batts/mine")]
    ['batts/mine.py', 'mine.py', 'some.batts/mine.py']
    """
    require_text("the name of a batt", name)
    path = Path(name)
    if name.endswith(".py") or (path.exists() and not path.is_dir()):
        return path
    is_path = os.sep in name or (os.altsep or os.sep) in name
    parts = [name] if is_path else name.split(".")
    if "" in parts or name[-1] in (".", os.sep, os.altsep):
        raise ArcbattError(f"{name!r} names no batt; give a file, such as batts/mine.py, or a module")
    return path.with_name(f"{path.name}.py") if is_path else Path(*parts).with_suffix(".py")


def batt_behind(batt: Callable[..., Any] | Batt | str) -> Batt:
    """The data of a batt: that of its file, if it is a function or the name of a file."""
    if isinstance(batt, Batt):
        return batt
    file: Any = (
        batt if isinstance(batt, str) else getattr(getattr(batt, "__code__", None), "co_filename", batt)
    )
    return load_batt(file_of_module(file))


def entries_of(batt: Batt) -> list[Entry]:
    """The entry of each program."""
    return [
        ("o" if program.kind == "solver" else "s", entry)
        for program, entry in zip(batt.programs, batt.entries)
    ]


def entry_list(into: str, entries: Iterable[Entry], piled: bool, outputs: Outputs) -> list[Any]:
    """The list `into`, o or s, that a batt function returns: its entries, completed by their outputs.

    In style `pile` a value is an OKT.
    """
    value_of = as_okt if piled else as_callable
    return [
        (*beginning, value_of(outcome))
        for (name, beginning), outcome in zip(entries, outputs)
        if name == into
    ]


def as_tuples(entries: Sequence[Entry], piled: bool, outputs: Outputs) -> tuple[list[Any], list[Any]]:
    """The o and s of a batt function from the output of each of its entries."""
    return entry_list("o", entries, piled, outputs), entry_list("s", entries, piled, outputs)


def _ids(total_data: Any) -> list[str]:
    if isinstance(total_data, TaskSet):
        return list(total_data.ids)
    return list(total_data.get("demo", total_data))


def _samples(total_data: Any, task_id: str) -> tuple[list[tuple[Any, Any]], list[tuple[Any, Any]]]:
    """The demo and test samples of a task as pairs (input, output or None)."""
    if isinstance(total_data, Mapping) and "demo" in total_data and task_id in total_data["demo"]:
        demo, test = total_data["demo"][task_id], total_data.get("test", {}).get(task_id, ())
    elif isinstance(total_data, TaskSet) or task_id in total_data:
        task = total_data[task_id]
        if isinstance(task, Mapping):
            demo, test = task["train"], task.get("test", ())
        else:
            demo, test = task_of(task).demo, task_of(task).test
    else:
        raise ArcbattError(f"there is no task {task_id!r} in the data; the list of tasks must fit it")
    return [_pair(sample) for sample in demo], [_pair(sample) for sample in test]


def _pair(sample: Any) -> tuple[Any, Any]:
    if isinstance(sample, Mapping):
        return _frozen(sample["input"]), _frozen(sample.get("output"))
    given, expected = sample
    return _frozen(given), _frozen(expected)


def _frozen(grid: Any) -> Any:
    """A grid of lists as tuples; anything else unchanged, to fail as a bad sample if it is one."""
    if isinstance(grid, list | tuple):
        return tuple(_frozen(row) if isinstance(row, list | tuple) else row for row in grid)
    return grid


def _samples_in_memory(programs: int) -> int:
    """The number of samples whose outputs fit in half of the free memory."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 30
    return int(free // 2 // (BYTES_AN_OUTPUT * max(1, programs)))
