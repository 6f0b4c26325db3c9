"""The device backend: batches of samples on GPUs, and the rest in the compiled core on the CPU."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread
from time import perf_counter
from typing import Any

from arcbatt import _core
from arcbatt.arguments import require_count
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import Callee, Op
from arcbatt.dsl.values import Value, intake
from arcbatt.engine.backend import (
    Backend,
    BackendName,
    Elements,
    Examination,
    Examiner,
    Job,
    Report,
    RunOptions,
    SolverScores,
)
from arcbatt.engine.backends.native import (
    CALLEE_NUMBERS,
    MODES,
    CoreCall,
    CoreExaminer,
    CoreOptions,
    Delivery,
    NativeBackend,
    failure_of,
    foreign_ops,
    packed_inputs,
    score_outputs,
    scores_into,
    under,
)
from arcbatt.engine.gpu.batches import PAUSE, Batch, BatchStream, Lanes
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory, Gpu, Transfers
from arcbatt.engine.packed import PackedOutcomes
from arcbatt.engine.plan import Plan, plan_of
from arcbatt.engine.results import Outputs
from arcbatt.errors import ValueRefused
from arcbatt.notices import tell
from arcbatt.program.graph import Node
from arcbatt.tasks.samples import Samples, TaskLike, count_samples

SHARE_OF_MEMORY = 0.9  # of the free memory
MOST_LANES = 1 << 17  # of a batch


class DeviceBackend(Backend):
    """Runs batches on GPUs; lanes that they cannot run, or that a lost GPU leaves, run on the CPU."""

    gpus: list[Gpu]

    def __init__(
        self,
        name: BackendName,
        gpus: Sequence[Gpu],
        batch_size: int | None = None,
        say: Callable[[str], None] = tell,
    ) -> None:
        """`batch_size` is the most samples of a batch; by default memory and the number of samples decide."""
        if batch_size is not None:
            require_count("batch_size", batch_size, 1)
        self.name, self.gpus, self.batch_size = name, list(gpus), batch_size
        self.transfers = Transfers()
        self.reran = 0  # lanes that ran on the CPU
        self._say = say
        self._native = NativeBackend()
        self._lock = Lock()

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report its tasks in order; returns the seconds spent by stage."""
        if not self.can_run(job.plan):
            return self._native.run(job, report)
        begun = perf_counter()
        delivery = Delivery(job, report)
        core = delivery.call()
        run = _core.DeviceRun(core.job)
        started = perf_counter()
        try:
            self._carry_out(run, job.options, keeps=False, hand_on=lambda: delivery.take(run.finished()))
        except KeyboardInterrupt:
            delivery.take(run.finished())
            delivery.finish(complete=False)
            raise
        delivery.finish(complete=True)
        self.elements += Elements(*core.job.elements)
        return {"packing": started - begun, "evaluation": perf_counter() - started}

    def score(self, job: Job, scored: Sequence[int], differs: Plan) -> list[SolverScores]:
        """Judge solvers, and run differs on each distinct output of a sample that is not exact."""
        is_possible = self.can_run(job.plan) and self.can_run(differs)
        return score_outputs(self if is_possible else self._native, job, scored, differs)

    def examiner(self, task: TaskLike, scored: int, options: RunOptions, differs: Plan) -> Examiner:
        """A function that judges candidates on one task; with ops that devices lack, on the CPU."""
        on_devices = CoreExaminer(self, task, scored, options, differs)
        on_cpu = CoreExaminer(self._native, task, scored, options, differs)
        differs_run = self.can_run(differs)

        def judge(roots: Sequence[Node]) -> Examination:
            return (on_devices if differs_run and self.can_run(plan_of(roots)) else on_cpu)(roots)

        return judge

    def fill(self, found: "_core.Sink", job: "_core.Job", options: RunOptions) -> None:
        """Run solvers for their outputs."""
        run = _core.DeviceRun(job, found)
        self._carry_out(run, options, keeps=True, hand_on=run.finished)

    def scores(self, job: "_core.Job", options: RunOptions) -> dict[int, bytes]:
        """The scores of each task of a job."""
        rows: dict[int, bytes] = {}
        run, take = _core.DeviceRun(job), scores_into(rows)
        self._carry_out(run, options, keeps=False, hand_on=lambda: take(run.finished()))
        return rows

    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""
        if not self.can_run(plan):
            return self._native.outcomes(plan, tasks, options)
        core = CoreCall(plan, tasks, options)
        kept = _core.make_outcome_store(count_samples(tasks) * core.width, core.options.foreign, core.failure)
        self._keep(core.job, options, kept)
        return core.rows(kept)

    def call(self, callee: Callee, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """An op on values, or a call of the first value with the others."""
        constants = [Node.constant(argument) for argument in arguments]
        node = Node.op(callee.name, *constants) if isinstance(callee, Op) else Node.call(*constants)
        plan = plan_of([node])
        if not self.can_run(plan):
            return self._native.call(callee, arguments, limits)
        sample = Samples("call", (), [((), None)])
        outcome = next(self.outcomes(plan, [sample], RunOptions(limits)))[0][0]
        return Failure(outcome.kind) if isinstance(outcome, Failure) else outcome

    def call_many(
        self, callee: Callee, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """The same on each row of equally long columns."""
        try:
            rows = [tuple(intake(argument, limits) for argument in row) for row in zip(*columns)]
            return self._call_rows(callee, rows, len(columns), limits)
        except ValueRefused:  # a row has an object that is no value, or is too large to be an input
            return self._native.call_many(callee, columns, limits)

    def _call_rows(
        self, callee: Callee, rows: Sequence[tuple[Value, ...]], width: int, limits: Limits
    ) -> Sequence[Value | Failure]:
        """The same on rows of values: a row is the input of a sample, and its parts are the arguments."""
        if foreign_ops() or not rows:
            return self._native.call_many(callee, list(zip(*rows)) or [()] * width, limits)
        options = CoreOptions(limits)
        plan = _core.make_plan_on_parts(
            CALLEE_NUMBERS[callee.name], width, options.vocabulary, options.limits, options.foreign
        )
        packed = packed_inputs([Samples("call", (), [(row, None) for row in rows])], options)
        kept = _core.make_outcome_store(len(rows), options.foreign, failure_of)
        self._keep(_core.Job(plan, packed, None, options.limits, MODES["fail"]), RunOptions(limits), kept)
        return PackedOutcomes(kept, 0, len(rows))

    @property
    def for_one_op(self) -> Backend:
        """The CPU."""
        return self._native

    def can_run(self, plan: Plan) -> bool:
        """Whether the devices have all ops of a plan; a user's own op is Python, so they do not have it."""
        return not plan.ops.intersection(op.name for op in foreign_ops())

    def _keep(self, job: "_core.Job", options: RunOptions, kept: "_core.OutcomeStore") -> None:
        run = _core.DeviceRun(job, kept)
        self._carry_out(run, options, keeps=True, hand_on=run.finished)
        self.elements += Elements(*job.elements)

    def _carry_out(
        self, run: "_core.DeviceRun", options: RunOptions, keeps: bool, hand_on: Callable[[], Any]
    ) -> None:
        """Run all lanes on the devices, and the lanes that are left on the CPU."""
        lanes = Lanes(run.lanes)
        slots: list[BatchStream] = []
        budgets: dict[str, int] = {}
        raised: list[BaseException] = []

        def serve(gpu: Gpu, ended: Event) -> None:
            try:
                self._serve(gpu, run, keeps, lanes, slots, budgets)
            except BaseException as error:
                raised.append(error)
                lanes.stop()
            finally:
                ended.set()

        most_streams = -(-run.lanes // (self.batch_size or 1))
        started: list[Event] = []  # one a thread; an interrupted `join` would leave a thread marked as ended
        try:
            for gpu in [each for each in self.gpus for _ in range(min(each.streams, most_streams))]:
                ended = Event()
                Thread(target=serve, args=(gpu, ended), daemon=True).start()
                started.append(ended)
            for ended in started:
                while not ended.wait(PAUSE):
                    hand_on()
        except BaseException:
            lanes.stop()
            for slot in slots:
                with suppress(DeviceError):  # the launch of a failed device ends by itself
                    slot.stop()
            for ended in started:
                ended.wait()
            raise
        if raised:
            raise raised[0]
        rest = lanes.rest()
        self.reran += len(rest)
        with under(options.limits):
            if rest and not run.run_here(rest, options.threads, hand_on):
                raise KeyboardInterrupt
        hand_on()

    def _serve(
        self,
        gpu: Gpu,
        run: "_core.DeviceRun",
        keeps: bool,
        lanes: Lanes,
        slots: list[BatchStream],
        budgets: dict[str, int],
    ) -> None:
        """Run batches on a stream of a device until none is left or the device fails."""
        most = self._batch_size(gpu, run.lanes)
        batch: Batch | None = None
        try:
            stream = gpu.open()
            slot = BatchStream(stream, run, keeps, self._budget(gpu, budgets), gpu.groups)
            slots.append(slot)
            try:
                while (batch := lanes.take(most)) is not None:
                    try:
                        unfinished = slot.carry_out(batch, self.transfers)
                    except DeviceOutOfMemory:
                        slot.close()
                        most = max(1, batch.count // 2)
                        if batch.count == 1:
                            lanes.done([batch.first])
                        else:
                            lanes.give_back(*batch.halves())
                    else:
                        lanes.done(unfinished)
                    batch = None
            finally:
                slot.close()
        except DeviceError as error:
            if batch is not None:
                lanes.give_back(batch)
            self._give_up(gpu, error)

    def _budget(self, gpu: Gpu, budgets: dict[str, int]) -> int:
        """The bytes of a stream: an equal share of the memory that was free before the run took any."""
        with self._lock:
            if gpu.name not in budgets:
                budgets[gpu.name] = int(gpu.free_memory() * SHARE_OF_MEMORY) // gpu.streams
            return budgets[gpu.name]

    def _batch_size(self, gpu: Gpu, lanes: int) -> int:
        """The samples of a batch: equal shares for all streams, in up to four batches if groups stay busy."""
        if self.batch_size is not None:
            return self.batch_size
        streams = max(1, sum(gpu.streams for gpu in self.gpus))  # another thread may have given up the last
        share = -(-lanes // streams)
        return min(MOST_LANES, share, max(4 * gpu.groups, share // 4))

    def _give_up(self, gpu: Gpu, error: DeviceError) -> None:
        """Stop using a device, and say so once."""
        with self._lock:
            if gpu in self.gpus:
                self.gpus.remove(gpu)
                rest = "the other devices go on" if self.gpus else "the rest runs on the CPU"
                self._say(f"device {gpu.name}: {error}; {rest}")
