"""Programs as rows of the database, and back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import normalize

from arcbatt.archive.terms import storable
from arcbatt.arguments import shown
from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function, Value
from arcbatt.errors import ArcbattError
from arcbatt.program.forms.graph_text import graph_from_text, graph_text
from arcbatt.program.graph import NONE, Node, Program, ProgramKind
from arcbatt.program.parse import parse_programs
from arcbatt.program.syntax import LARGEST_FILE, LONGEST_PROGRAM
from arcbatt.text import plural, shorten

FUNCTION_NAMES = {"solver": "solve", "differ": "differ"}  # of stored sources, whatever the program's name


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
    size = program.size
    may_differ = size > LONGEST_PROGRAM or any(map(_is_odd, nodes))
    if may_differ and not _reads_back(source, program.root):
        graph = graph_text(nodes)
    return ProgramRow(
        program.root.digest,
        program.kind,
        storable("program", program.name),
        ",".join(program.inputs),
        size,
        source,
        graph,
        ",".join(own_ops) or None,
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


@dataclass(frozen=True, repr=False)
class StoredProgram:
    """A program in an archive; `program` reads its source.

    `source_text` is what the row holds, which may be anything. `source` is written from the program that was
    read and compared with its hash. `own_ops` are the user's own ops that the program needs.
    """

    hash: str
    kind: ProgramKind
    name: str
    inputs: tuple[str, ...]
    size: int
    source_text: str
    own_ops: tuple[str, ...] = ()
    mutated: bool = False
    graph: str | None = field(default=None, compare=False)

    @cached_property
    def program(self) -> Program:
        """The program itself, read from its source and compared with its hash."""
        missing = [name for name in self.own_ops if name not in TABLE]
        if missing:
            raise ArcbattError(
                f"program {shorten(self.name)} uses {missing[0]!r}, an op of your own; register it first "
                "(arcbatt --ops FILE ...)"
            )
        root = self._root()
        if root.digest.hex() != self.hash:
            raise ArcbattError(
                f"program {shorten(self.name)} is damaged: its source does not have the hash {self.hash}"
            )
        if not self.inputs or not root.needs <= set(self.inputs) <= set(INPUTS):
            raise self._damaged(f"its inputs must be (I) or (S, I, C), not {shown(self.inputs)}")
        return Program(self.name, self.kind, self.inputs, root, evo=self.mutated)

    @property
    def readable(self) -> Program | None:
        """The program; None if it is damaged, or needs an op of the user's own that is not registered."""
        try:
            return self.program
        except ArcbattError:
            return None

    def _root(self) -> Node:
        text = self.source_text if self.graph is None else self.graph
        if len(text) > LARGEST_FILE:
            raise self._damaged(
                f"expected a source of at most {LARGEST_FILE >> 20} MB, got {len(text) >> 20:,} MB"
            )
        try:
            if self.graph is not None:
                return graph_from_text(self.graph)
            (program,) = parse_programs(text, f"program {shorten(self.name)}", strict=True)
            return program.root
        except (ArcbattError, ValueError, TypeError, LookupError, RecursionError) as error:
            raise self._damaged(f"it cannot be read: {error}") from None

    @property
    def _prefix(self) -> str:
        """What the name of a function of its kind begins with."""
        found = FUNCTION_NAMES.get(self.kind)
        if found is None:
            raise self._damaged(f"its kind must be solver or differ, not {shown(self.kind)}")
        return found

    def _damaged(self, reason: str) -> ArcbattError:
        return ArcbattError(f"program {shorten(self.name)} ({self.hash}) is damaged: {reason}")

    @cached_property
    def source(self) -> str:
        """The program as source text: a function `solve` or `differ`."""
        return self.source_under(self._prefix)

    def function_name(self, name: str | None = None) -> str:
        """The name of the program, or another one, as that of a function that reads as a program."""
        given = normalize("NFKC", self.name if name is None else name)  # as Python reads identifiers
        letters = (letter if f"_{letter}".isidentifier() else " " for letter in given)
        plain = "_".join("".join(letters).split()).strip("_") or "nameless"
        prefix = f"{self._prefix}_"
        return plain if plain.startswith(prefix) else prefix + plain

    def source_under(self, name: str, inputs: tuple[str, ...] | None = None) -> str:
        """The program as source text: a function of this name."""
        return self.program.altered(name=name, inputs=inputs or self.inputs).source()

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
