"""Programs, tasks and results as rows of the database, and back."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from arcbatt.archive.terms import Terms, canonical, digest_of
from arcbatt.dsl.contract import BEST_SCORE, EXACT, NO_SCORE
from arcbatt.dsl.encoding import decode, encode
from arcbatt.dsl.failures import KINDS, Failure
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.results import VERDICTS, Outputs, Verdict
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import NONE, Node, Program, ProgramKind
from arcbatt.program.parse import parse_programs
from arcbatt.tasks import Sample, Task
from arcbatt.tasks.tasks import Grid
from arcbatt.text import plural, shorten

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ENDED = 3  # the verdict on a sample whose worker was stopped or died: nothing is known of the program
NO_PART = 0xFFFF  # a partial score that is not there, as it is stored
LARGEST_SIZE = (1 << 20) - 1
FUNCTION_NAMES = {"solver": "solve", "differ": "differ"}  # of stored sources, whatever the program's name
TOLD: dict[int, Verdict | str] = {**VERDICTS, ENDED: "ended"}  # verdicts as an export has them
CODES = {verdict: code for code, verdict in TOLD.items()}
_DEFINITION = re.compile(r"def (solve|differ)\(([^)]*)\):")


# Programs


class ProgramRow(NamedTuple):
    """A program as the columns of its row."""

    hash: bytes
    kind: ProgramKind
    name: str
    inputs: str
    size: int
    source: str
    graph: str | None
    own_ops: str | None


def program_row(program: Program, own_ops: Sequence[str] = ()) -> ProgramRow:
    """The row of a program; its graph stands there besides the source if the source does not tell it."""
    nodes = program.nodes
    source = program.altered(name=FUNCTION_NAMES[program.kind]).source()
    graph = None
    if any(map(_is_odd, nodes)) and not _reads_back(source, program.root):
        graph = graph_text(nodes)
    size = sum(node.kind in ("op", "call") for node in nodes)
    digest, inputs = program.root.digest, ",".join(program.inputs)
    return ProgramRow(
        digest, program.kind, program.name, inputs, size, source, graph, ",".join(own_ops) or None
    )


def _is_odd(node: Node) -> bool:
    """Whether the source of a program with this node may read back as another one."""
    if node.kind == "constant":
        return not _is_plain(node.head)
    if node.kind == "op":
        return len(node.args) != TABLE[node.head].arity
    return node.kind == "call" or node is NONE or node.head not in ("I", "S", "C")


def _is_plain(value: Value) -> bool:
    """Whether a constant is a number, a pair of numbers or an op."""
    if type(value) is tuple:
        return len(value) == 2 and type(value[0]) is int and type(value[1]) is int
    return type(value) is int or (isinstance(value, Function) and not value.parts)


def _reads_back(source: str, root: Node) -> bool:
    try:
        return [program.root for program in parse_programs(source)] == [root]
    except ArcbattError:
        return False


def graph_text(nodes: Sequence[Node]) -> str:
    """Nodes as JSON: of each the kind, the head, and the places of its arguments among those before it."""
    place = {node: position for position, node in enumerate(nodes)}
    return canonical(
        [
            [
                node.kind,
                encode(node.head) if node.kind == "constant" else node.head,
                [place[arg] for arg in node.args],
            ]
            for node in nodes
        ]
    )


def graph_from_text(text: str) -> Node:
    """The last node of a graph as `graph_text` writes it; anything else raises an error."""
    nodes: list[Node] = []
    for kind, head, places in json.loads(text):
        args = tuple(nodes[place] for place in places)
        if kind == "constant":
            nodes.append(Node.constant(decode(head)))
        elif kind == "op" and head in TABLE:
            nodes.append(Node.op(head, *args))
        elif kind == "call" and args:
            nodes.append(Node.call(*args))
        elif kind == "input" and isinstance(head, str):
            nodes.append(Node.input(head))
        else:
            raise ValueError(kind)
    return nodes[-1]


@dataclass(frozen=True, repr=False)
class StoredProgram:
    """A program in an archive; `program` reads its source.

    `source` is a function `solve` or `differ`. `own_ops` are the user's own ops that the program needs.
    """

    hash: str
    kind: ProgramKind
    name: str
    inputs: tuple[str, ...]
    size: int
    source: str
    own_ops: tuple[str, ...] = ()
    mutated: bool = False
    graph: str | None = field(default=None, compare=False)

    @cached_property
    def program(self) -> Program:
        """The program itself, read from its source and compared with its hash."""
        missing = [name for name in self.own_ops if name not in TABLE]
        if missing:
            raise ArcbattError(
                f"program {shorten(self.name)} uses {missing[0]!r}, an op of your own; register it to read it"
            )
        root = self._root()
        if root.digest.hex() != self.hash:
            raise ArcbattError(
                f"program {shorten(self.name)} is damaged: its source does not have the hash {self.hash}"
            )
        return Program(self.name, self.kind, self.inputs, root, evo=self.mutated)

    def _root(self) -> Node:
        try:
            if self.graph is not None:
                return graph_from_text(self.graph)
            (program,) = parse_programs(self.source, f"program {shorten(self.name)}", strict=True)
            return program.root
        except (ArcbattError, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            raise ArcbattError(
                f"program {shorten(self.name)} ({self.hash}) is damaged: it cannot be read: {error}"
            ) from None

    def function_name(self, name: str | None = None) -> str:
        """The name of the program, or another one, as that of a function that reads as a program."""
        plain = re.sub(r"[^0-9A-Za-z_]+", "_", self.name if name is None else name).strip("_") or "nameless"
        prefix = f"{FUNCTION_NAMES[self.kind]}_"
        return plain if plain.startswith(prefix) else prefix + plain

    def source_under(self, name: str, inputs: Sequence[str] | None = None) -> str:
        """The source as a function of this name."""
        match = _DEFINITION.match(self.source)
        if match is None or match[1] != FUNCTION_NAMES[self.kind]:
            raise ArcbattError(f"program {shorten(self.name)} ({self.hash}) is damaged: it is no function")
        parameters = match[2] if inputs is None else ", ".join(inputs)
        return f"def {name}({parameters}):{self.source[match.end() :]}"

    def __repr__(self) -> str:
        return f"<{self.kind} {shorten(self.name)} {self.hash[:12]}, {plural(self.size, 'line')}>"


PROGRAM_COLUMNS = (
    "lower(hex(programs.hash)), programs.kind, programs.name, programs.inputs, programs.size, "
    "programs.source, programs.own_ops, programs.graph, "
    "EXISTS (SELECT 1 FROM lineage WHERE lineage.child = programs.id)"
)
PROGRAM_WIDTH = 9


def stored_program(row: Sequence[Any]) -> StoredProgram:
    """A program from `PROGRAM_COLUMNS`."""
    digest, kind, name, inputs, size, source, own_ops, graph, mutated = row
    names = tuple(str(own_ops).split(",")) if own_ops else ()
    parameters = tuple(str(inputs).split(",")) if inputs else ()
    text = None if graph is None else str(graph)
    lines = size if isinstance(size, int) else 0
    return StoredProgram(digest, kind, str(name), parameters, lines, str(source), names, bool(mutated), text)


# Tasks


def task_text(task: Task) -> str:
    """A task as JSON of the published form."""
    parts = (("train", task.demo), ("test", task.test))
    try:
        return canonical({part: [_sample(*sample) for sample in samples] for part, samples in parts})
    except (TypeError, ValueError):
        raise ArcbattError(
            f"task {shorten(task.id)}: an input is no grid of numbers and cannot be kept"
        ) from None


def _sample(before: Any, after: Any) -> dict[str, Any]:
    return {"input": before} if after is None else {"input": before, "output": after}


def task_digest(name: str, text: str) -> bytes:
    """The identity of a task: its id and its grids."""
    return bytes.fromhex(digest_of(f"{name}\n{text}"))


def task_from_text(name: str, text: str) -> Task:
    """The task of a row."""
    try:
        return task_of(name, json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ArcbattError(f"task {shorten(name)} is damaged: it has no demo and test grids") from None


def task_of(name: str, data: Any) -> Task:
    """The task of JSON data; grids may be larger than published ones, for users make tasks of their own."""
    demo, test = (tuple(_read_sample(sample) for sample in data[part]) for part in ("train", "test"))
    return Task(name, demo, test)


def _read_sample(data: dict[str, Any]) -> Sample:
    after = data.get("output")
    return Sample(_read_grid(data["input"]), None if after is None else _read_grid(after))


def _read_grid(rows: Any) -> Grid:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise TypeError(rows)
    if not all(type(cell) is int for row in rows for cell in row):
        raise TypeError(rows)
    return tuple(map(tuple, rows))


# Results


class Ranked(NamedTuple):
    """Columns of many results of a task that follow from verdicts and scores."""

    solved: "npt.NDArray[np.bool_]"
    demo_exact: "npt.NDArray[np.int64]"
    rank: "npt.NDArray[np.int64]"


def ranked(
    task: Task,
    verdicts: "npt.NDArray[np.uint8]",
    scores: "npt.NDArray[np.int32] | None",
    means: "npt.NDArray[np.float64] | None",
    sizes: "npt.NDArray[np.int64]",
) -> Ranked:
    """The ranks of results: exact demo samples, then the mean score of the demo samples, then the size.

    `scores` are partial scores, `means` the mean marks of differs on the samples that are not exact. Without
    them an exact sample counts 1000 and any other nothing.
    """
    import numpy as np  # not above: the import takes longer than the start of a command without it

    demo, exact = len(task.demo), verdicts == EXACT
    demo_exact = exact[:, :demo].sum(axis=1, dtype=np.int64)
    known = [number for number, sample in enumerate(task.samples) if sample.output is not None]
    solved = exact[:, known].all(axis=1) if known else np.zeros(len(verdicts), np.bool_)
    if scores is not None:
        total = np.clip(scores[:, :demo], 0, BEST_SCORE).sum(axis=1, dtype=np.int64) * 1000
    else:
        total = demo_exact * (BEST_SCORE * 1000)
        if means is not None:
            total = total + np.rint((demo - demo_exact) * means * 1000).astype(np.int64)
    score = total // max(demo, 1)
    smallness = LARGEST_SIZE - np.minimum(sizes, LARGEST_SIZE)
    return Ranked(solved, demo_exact, (demo_exact << 40) | (score << 20) | smallness)


def score_of_rank(rank: int) -> float:
    """The mean score of the demo samples, from 0 to 1000."""
    return ((rank >> 20) & 0xFFFFF) / 1000


def stored_scores(scores: bytes) -> bytes:
    """Partial scores of a record as they are stored: two bytes each."""
    import numpy as np

    given = np.frombuffer(scores, np.intc)
    return np.where(given == NO_SCORE, NO_PART, given).astype("<u2").tobytes()


def scores_of(stored: bytes | None, samples: int) -> bytes:
    """Partial scores as a record has them; without any, each is NO_SCORE."""
    import numpy as np

    if stored is None:
        return np.full(samples, NO_SCORE, np.intc).tobytes()
    given = np.frombuffer(stored, "<u2").astype(np.intc)
    return np.where(given == NO_PART, NO_SCORE, given).astype(np.intc).tobytes()


@dataclass(frozen=True, repr=False)
class StoredResult:
    """One program on one task, as an archive has it.

    `verdicts` has one for each sample, demo then test, None also where a worker was stopped. `scores` are
    partial scores, if they were asked for, `mean` is the mean mark of differs. `score` is the mean of either
    over the demo samples, from 0 to 1000. `outputs` are those of a winner on test samples without a known
    output, by the number of the sample.
    """

    stored: StoredProgram
    task: str
    solved: bool
    demo_exact: int
    score: float
    verdicts: tuple[Verdict, ...]
    scores: tuple[int | None, ...] | None
    mean: float | None
    terms_text: str = field(repr=False)
    task_text: str = field(repr=False)
    outputs_text: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.stored.name

    @property
    def hash(self) -> str:
        """The hash of the program."""
        return self.stored.hash

    @property
    def size(self) -> int:
        """The number of lines of the program."""
        return self.stored.size

    @property
    def source(self) -> str:
        """The program as source text."""
        return self.stored.source

    @property
    def program(self) -> Program:
        """The program."""
        return self.stored.program

    @cached_property
    def demo_count(self) -> int:
        """The number of demo samples."""
        return len(self.whole_task.demo)

    @cached_property
    def terms(self) -> Terms:
        """The settings under which the result was found."""
        return terms_from_text(self.terms_text)

    @cached_property
    def whole_task(self) -> Task:
        """The task with its grids."""
        return task_from_text(self.task, self.task_text)

    @property
    def outputs(self) -> dict[int, Value | Failure]:
        """The outputs of a winner where the right one is not known, by the number of the sample."""
        return {} if self.outputs_text is None else outputs_from_text(self.outputs_text)

    def __repr__(self) -> str:
        exact = f"{self.demo_exact} exact, score {self.score:.1f}"
        told = "solved" if self.solved else exact
        return f"<{shorten(self.name)} on {shorten(self.task)}: {told}, {plural(self.size, 'line')}>"


RESULT_COLUMNS = (
    "results.terms, results.solved, results.demo_exact, results.rank, results.verdicts, results.scores, "
    "results.mean, outputs.outputs, " + PROGRAM_COLUMNS
)
RESULTS_JOINED = (
    "CROSS JOIN programs ON programs.id = results.program LEFT JOIN outputs ON outputs.task = results.task "
    "AND outputs.terms = results.terms AND outputs.program = results.program"
)


class OfTask(NamedTuple):
    """What many results of a task share: its id and its content, and the settings of terms by their ids."""

    name: str
    content: str
    terms: dict[int, str]


def stored_result(row: Sequence[Any], shared: OfTask) -> StoredResult:
    """A result from `RESULT_COLUMNS`."""
    terms, solved, demo_exact, rank, verdicts, scores, mean, outputs = row[:-PROGRAM_WIDTH]
    if type(rank) is not int or type(verdicts) is not bytes or not isinstance(scores, bytes | None):
        raise ArcbattError("a result is damaged; `arcbatt archive check` tells which")
    return StoredResult(
        stored_program(row[-PROGRAM_WIDTH:]),
        shared.name,
        bool(solved),
        demo_exact,
        score_of_rank(rank),
        tuple(VERDICTS.get(code) for code in verdicts),
        None if scores is None else parts_of(scores),
        mean,
        shared.terms.get(terms, ""),
        shared.content,
        outputs,
    )


def parts_of(stored: bytes) -> tuple[int | None, ...]:
    """Stored partial scores as numbers, None where there is none."""
    pairs = zip(stored[::2], stored[1::2])
    return tuple(None if (low, high) == (255, 255) else low + 256 * high for low, high in pairs)


def terms_from_text(text: str) -> Terms:
    """The terms of a row."""
    try:
        return Terms.from_settings(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ArcbattError):
        raise ArcbattError("the terms of a result are damaged: they are no settings") from None


def outputs_text(task: Task, outputs: Outputs) -> str:
    """The outputs of a winner on the samples whose output is not known, as JSON."""
    unknown = [number for number, sample in enumerate(task.samples) if sample.output is None]
    return canonical({str(number): _output(outputs[number]) for number in unknown})


def _output(outcome: Value | Failure) -> Any:
    return {"failure": outcome.kind} if isinstance(outcome, Failure) else encode(outcome)


def outputs_from_text(text: str) -> dict[int, Value | Failure]:
    """The outputs of a row, by the number of the sample."""
    try:
        return {int(number): _outcome(data) for number, data in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, RecursionError, ArcbattError):
        raise ArcbattError("the outputs of a result are damaged: they are no values") from None


def _outcome(data: Any) -> Value | Failure:
    if isinstance(data, dict) and data.keys() == {"failure"}:
        if data["failure"] not in KINDS:
            raise ValueError(data)
        return Failure(data["failure"])
    return decode(data)
