"""`trace`: what each line of a program gives on one sample, and which application failed and why."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from arcbatt.arguments import require_kind, shown
from arcbatt.dsl.failures import Failure, Kind, OpFailed
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.table import FUNCTION_CALL
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.backend import RunOptions, require_limits
from arcbatt.engine.plan import wanted_root
from arcbatt.engine.run import run
from arcbatt.engine.tracing.evaluation import Evaluation
from arcbatt.engine.tracing.reasons import reason_of, reason_of_node
from arcbatt.engine.tracing.recording_machine import Application, Recorder
from arcbatt.engine.tracing.words import ends
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import A_PROGRAM, Node, Program
from arcbatt.program.parse import parse_programs
from arcbatt.program.statements import Statement, StatementList, Subexpression, statements_of
from arcbatt.rendered import Rendered, rendered_text
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.intake import GivenTasks, task_of
from arcbatt.tasks.sample_names import sample_name, sample_number
from arcbatt.tasks.samples import some_of
from arcbatt.text import plural, shorten

DEEPER = 2  # Python frames of an application that is recorded, against one that is not


@dataclass(frozen=True)
class FailedApplication:
    """The innermost application that failed: what was applied to which arguments, where, and why.

    `op` is the name of an op, or a composed function; `arcbatt.call(op, *arguments)` fails in the same way,
    unless the failure comes of a limit. It is None where nothing could be applied: for a literal or an input
    that is no value, and for a call of what is no Function, the first of the arguments. `path` leads from the
    op of the line down to it; its applications tell which element they were made for.
    """

    kind: Kind
    op: str | Function | None
    arguments: tuple[Value, ...]
    reason: str
    line: int
    source: str
    step: int
    path: tuple[Application, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The elements that it was made for, from the outermost op inwards, such as `element 2 of 4`."""
        return tuple(str(each.element) for each in self.path if each.element is not None)

    @property
    def where(self) -> str:
        """The kind, the names down to the application, and the elements that it was made for."""
        names = ends([each.name for each in self.path])
        where = f" in {' -> '.join(names)}" if self.op is not None else ""
        at = f" at {', '.join(ends(self.places))}" if self.places else ""
        return f"{self.kind}{where}{at}"

    def __str__(self) -> str:
        return f"line {self.line}: {self.where}: {self.reason}"


class TraceStep(NamedTuple):
    """A line of the program: where it stands, the name that it gives a value to, its text and the value.

    `name` is `return` for the result. `value` is a Failure if the line has none, and None where the values
    of the program are too heavy to be kept all. `used` tells whether the result depends on the line.
    A line of another function of the file names that `function`, and in `calls` the lines that call it.
    `failure` is the line's own failure; a line that needs another one that failed has none, and `blocked_by`
    is the number of that line.
    """

    line: int
    name: str
    source: str
    value: Value | Failure | None
    used: bool = True
    function: str = ""
    calls: tuple[int, ...] = ()
    failure: FailedApplication | None = None
    blocked_by: int = 0


class InnerExpression(NamedTuple):
    """An expression inside a line: its text, its value, and the applications that its op has made."""

    source: str
    value: Value | Failure | None
    application: Application | None


@dataclass(frozen=True, repr=False)
class Trace(Rendered):
    """A program on a sample of a task, given by its place: the steps, the output, the expected output.

    `failure` is the application that the output failed of. `file` is where the lines stand; it is empty if
    they are those of `program.source()`. `left_out` is the number of calls whose lines are not among the
    steps, because they would be too many.
    """

    program: Program
    task: Task
    sample: int
    steps: tuple[TraceStep, ...]
    output: Value | Failure
    expected: Grid | None
    failure: FailedApplication | None
    file: str = ""
    left_out: int = 0
    _listed: StatementList = field(default=StatementList(()), compare=False)
    _evaluation: Evaluation | None = field(default=None, compare=False)

    @property
    def sample_name(self) -> str:
        """The sample in words, such as `demo 1`."""
        return sample_name(self.task, self.sample)

    @property
    def exact(self) -> bool | None:
        """Whether the output is the expected one; None if that is not known, or the program is a differ."""
        if self.expected is None or self.program.kind == "differ":
            return None
        return self.output == self.expected

    def into(self, line: int) -> tuple[tuple[TraceStep, tuple[InnerExpression, ...]], ...]:
        """What is inside a line: its expressions, innermost first, with the applications that each made.

        A line of a function that is called several times is there for each call.

        >>> from arcbatt.tasks import Sample
        >>> task = Task("t", demo=(Sample(((1, 2), (3, 4)), ((1,),)),), test=())
        >>> found = trace("def solve_x(I):\\n    return apply(first, rot90(I))", task)
        >>> ((_, (inner, outer)),) = found.into(2)
        >>> inner.source, inner.value
        ('rot90(I)', ((3, 1), (4, 2)))
        >>> [(each.name, each.arguments, each.result) for each in outer.application.inner]
        [('first', ((3, 1),), 3), ('first', ((4, 2),), 4)]
        """
        require_kind(line, int, "line; give its number in the file")
        found = tuple(
            (step, tuple(self._inside(statement)))
            for step, statement in zip(self.steps, self._listed.statements)
            if statement.line <= line <= statement.last_line
        )
        if not found:
            lines = sorted({step.line for step in self.steps if not step.calls})
            name = shorten(self.program.name)
            raise ArcbattError(f"line {shown(line)} is no line of {name}; its lines are {_in_short(lines)}")
        return found

    def _inside(self, statement: Statement) -> Iterator[InnerExpression]:
        assert self._evaluation is not None
        parts = statement.parts or (Subexpression(statement.text, statement.node),)
        for part in parts:
            yield InnerExpression(
                part.text, self._evaluation.found.get(part.node), _application(self._evaluation, part.node)
            )

    @property
    def summary(self) -> str:
        """The trace in a sentence: the program, the task, the sample, and how it ends."""
        if self.failure is not None:
            end = f"fails with {self.failure.kind} in line {self.failure.line}"
        else:
            end = {True: "is exact", False: "is wrong", None: "gives a value"}[self.exact]
        return f"{shorten(self.program.name)} on {shorten(self.task.id)}, {self.sample_name}: it {end}"

    def __repr__(self) -> str:
        return f"<trace of {self.summary}>"

    def __str__(self) -> str:
        """The trace as `arcbatt trace` prints it, without colours."""
        return rendered_text(self)


def _in_short(lines: list[int]) -> str:
    return f"{lines[0]} to {lines[-1]}" if len(lines) > 1 else str(lines[0])


def trace(
    program: Program | str,
    task: GivenTasks,
    sample: int | str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Trace:
    """Trace a program, or the source text of one, on a sample of a task, as `arcbatt.load_tasks` takes it.

    `sample` is a place in `task.samples`, or a name such as "demo 1" or "test 1"; by default it is the first
    sample on which the program is not exact, or else the first. Steps, values and failures are those of a
    run: the output is what `arcbatt.run` gives.

    >>> from arcbatt.tasks import Sample
    >>> task = Task("t", demo=(Sample(((1, 2), (3, 4)), ((1,),)),), test=())
    >>> found = trace("def solve_x(I):\\n    f = fork(add, height, first)\\n    return apply(f, I)", task)
    >>> [(step.line, step.name, step.source) for step in found.steps]
    [(2, 'f', 'f = fork(add, height, first)'), (3, 'return', 'return apply(f, I)')]
    >>> found.failure.op, found.failure.arguments, found.failure.places
    ('height', ((1, 2),), ('element 1 of 2',))
    """
    chosen = _program(program)
    found = task_of(task)
    require_limits(limits)
    number = _first_inexact(chosen, found, limits) if sample is None else sample_number(found, sample)
    with room_for(DEEPER * limits.depth):
        evaluation = Evaluation(wanted_root(chosen), some_of(found, number, number + 1), RunOptions(limits))
        listed = statements_of(chosen)
        return _traced(chosen, found, number, listed, evaluation)


def _program(program: Program | str) -> Program:
    """The one program that is traced, also as the only one of a list or as source text."""
    found: Any = parse_programs(program) if isinstance(program, str) else program
    if not isinstance(found, list):
        found = [found]
    if len(found) != 1:
        raise ArcbattError(
            f"there are {plural(len(found), 'program')}; a trace is of one, such as programs[0]"
        )
    require_kind(found[0], Program, f"{A_PROGRAM}; the source text of one will do, too")
    return cast(Program, found[0])


def _first_inexact(program: Program, task: Task, limits: Limits) -> int:
    """The first sample on which a program is not exact, or fails; else the first."""
    if not task.samples:
        raise ArcbattError(f"task {shorten(task.id)} has no samples; a trace is of one")
    verdicts = run(program, task, pairs="all", limits=limits)[program, task].verdicts
    wrong = (number for number, verdict in enumerate(verdicts) if verdict not in (True, None))
    return next(wrong, 0)


def _traced(
    program: Program, task: Task, number: int, listed: StatementList, evaluation: Evaluation
) -> Trace:
    evaluation.add(statement.node for statement in listed.statements)
    failures = _Failures(listed, evaluation)
    steps = tuple(failures.step(place) for place in range(len(listed.statements)))
    failure = failures.of(evaluation.output) if isinstance(evaluation.output, Failure) else None
    return Trace(
        program,
        task,
        number,
        steps,
        evaluation.output,
        task.samples[number].output,
        failure,
        listed.file,
        listed.left_out,
        listed,
        evaluation,
    )


class _Failures:
    """Finds the statement in which a node stands first, and makes failed applications of failures."""

    def __init__(self, listed: StatementList, evaluation: Evaluation) -> None:
        self._statements, self._evaluation = listed.statements, evaluation
        self._places: dict[Node, int] = {}
        self._users: dict[Node, int] = {}
        self._made: dict[Node, FailedApplication] = {}
        for place, statement in enumerate(listed.statements):
            for node in (*(part.node for part in statement.parts), statement.node):
                self._places.setdefault(node, place)
                for arg in node.args:
                    self._users.setdefault(arg, place)

    def step(self, place: int) -> TraceStep:
        """The step of a statement."""
        statement = self._statements[place]
        value = self._evaluation.found.get(statement.node)
        own = self.of(value) if isinstance(value, Failure) else None
        return TraceStep(
            statement.line,
            statement.name,
            statement.text,
            value,
            statement.node in self._evaluation.needed,
            statement.function,
            statement.calls,
            own if own is not None and own.step == place else None,
            own.line if own is not None and own.step != place else 0,
        )

    def of(self, failure: Failure) -> FailedApplication:
        """The application that a failure comes of."""
        node = failure.node
        assert isinstance(node, Node)
        if node not in self._made:
            self._made[node] = self._failed(failure.kind, node)
        return self._made[node]

    def _failed(self, kind: Kind, node: Node) -> FailedApplication:
        place = self._places.get(node, self._users.get(node, len(self._statements) - 1))
        statement = self._statements[place]
        where = (statement.line, statement.text, place)
        cause, limits = self._evaluation.causes.get(node), self._evaluation.options.limits
        if cause is None:
            return FailedApplication(kind, None, (), reason_of_node(kind, node, limits), *where)
        inner = cause.path[-1]
        op = None if inner.callee == FUNCTION_CALL.name else inner.callee
        is_call = node.kind == "call" and len(cause.path) > 1
        path = cause.path[1:] if is_call else cause.path
        return FailedApplication(kind, op, inner.arguments, reason_of(cause, limits), *where, path)


def _application(evaluation: Evaluation, node: Node) -> Application | None:
    """The applications of a node, made once more on the same arguments; None if it has none to run on."""
    if node.kind not in ("op", "call"):
        return None
    arguments = [evaluation.found.get(arg) for arg in node.args]
    values = tuple(value for value in arguments if value is not None and not isinstance(value, Failure))
    if len(values) < len(arguments):
        return None
    recorder = Recorder(evaluation.options.limits, keeps=True)
    with room_for(DEEPER * evaluation.options.limits.depth), suppress(OpFailed):
        recorder.run(node.callee, values)
    return recorder.tree
