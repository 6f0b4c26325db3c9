"""The program graph: hash-consed nodes, programs, and batts, which are many programs over one graph."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

from arcbatt.arguments import listed, require_kind, require_one_of, require_text, shown
from arcbatt.calling import call_program
from arcbatt.dsl.contract import Stage
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Callee
from arcbatt.dsl.values import Function, Value, functions_in, is_value, text
from arcbatt.errors import ArcbattError
from arcbatt.interning import InternTable
from arcbatt.program.oddities import Oddity
from arcbatt.program.origin import Origin
from arcbatt.rendered import Rendered
from arcbatt.text import plural, shorten

if TYPE_CHECKING:
    from arcbatt import _core

NodeKind = Literal["input", "constant", "op", "call"]
Row = tuple[NodeKind, Any, tuple[int, ...]]  # a node whose arguments are positions of other rows
ProgramKind = Literal["solver", "differ"]
KINDS_OF_PROGRAMS: tuple[ProgramKind, ...] = get_args(ProgramKind)
Style = Literal["pile", "guarded", "vectorized", "hybrid", "gpu-direct", "batch"]

Item = TypeVar("Item", bound=Hashable)

A_PROGRAM = "program; arcbatt.parse_programs(...) and arcbatt.load_programs(...) make them"
NO_INPUTS: frozenset[str] = frozenset()
WITHHELD_NAME = "withheld C"  # replaces C in a solver, which must not see the answer
NAMES_OF_INPUTS = ("I", "S", "C", "None", WITHHELD_NAME)
HOLE = re.compile(r"\?[0-9]{1,3}")  # an input of a template, which a search fills
STAGE_OF_INPUT = {"S": Stage.task, "I": Stage.sample, "C": Stage.sample}  # other inputs are constants
_ARGS: Callable[["Node"], tuple["Node", ...]] = attrgetter("args")

RAW_INPUT = "None"  # how a batt names the raw input as a candidate
HASH_MARK = "~"  # between a name and the hash that makes it unique
_HASH_OF_NAME = re.compile(f"{HASH_MARK}[0-9a-f]{{6,32}}$")
_TASK_ID = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{8}(?![0-9a-zA-Z])")


def stem(name: str) -> str:
    """A name without its hash suffix.

    >>> stem("solve_67a3c6ac~1f3a9c"), stem("solve_67a3c6ac")
    ('solve_67a3c6ac', 'solve_67a3c6ac')
    """
    return _HASH_OF_NAME.sub("", name)


class Node:
    """An expression: an input, a constant, an op with arguments, or a call of a function-valued node.

    Equal expressions are one object, so they compare by identity and merging programs needs no pass.

    >>> Node.op("rot90", Node.input("I")) is Node.op("rot90", Node.input("I"))
    True
    """

    __slots__ = ("__weakref__", "_digest", "args", "head", "kind", "needs", "static_type")
    DIGEST_SIZE: ClassVar[int] = 16  # bytes
    known: ClassVar["InternTable[Node]"] = InternTable()

    kind: NodeKind
    head: Any
    args: tuple["Node", ...]
    needs: frozenset[str]  # the inputs it depends on
    static_type: Any  # what program/typed.py has inferred
    _digest: bytes | None

    def __new__(cls, kind: NodeKind, head: Any, args: tuple["Node", ...]) -> "Node":
        """The node with these parts; `head` is an input's or op's name, a constant's value, or None."""
        key = (kind, head, args)
        known = cls.known.get(key)
        if known is not None:
            return known
        node = object.__new__(cls)
        node.kind = kind
        node.head = head
        node.args = args
        node._digest = node.static_type = None
        needs: frozenset[str] = frozenset((head,)) if kind == "input" and head != "None" else NO_INPUTS
        for arg in args:
            # Nodes that need the same share one set of names.
            if arg.needs is not needs and not arg.needs <= needs:
                needs = arg.needs if needs <= arg.needs else needs | arg.needs
        node.needs = needs
        return cls.known.keep(key, node)

    @classmethod
    def input(cls, name: str) -> "Node":
        """One of the inputs I, S and C."""
        return cls("input", name, ())

    @classmethod
    def constant(cls, value: Value) -> "Node":
        """A value in the program: an Integer, a pair, an op as a function."""
        return cls("constant", int(value) if isinstance(value, bool) else value, ())

    @classmethod
    def function(cls, name: str) -> "Node":
        """An op as a function value."""
        return cls.constant(Function(name, (), TABLE[name].arity))

    @classmethod
    def op(cls, name: str, *args: "Node") -> "Node":
        """An op with its arguments."""
        return cls("op", name, args)

    @classmethod
    def call(cls, callee: "Node", *args: "Node") -> "Node":
        """A call of the function that a node gives; the callee is the first of `args`."""
        return cls("call", None, (callee, *args))

    @property
    def callee(self) -> Callee:
        """The op of an op node; `FUNCTION_CALL` of a call."""
        return TABLE[self.head] if self.kind == "op" else FUNCTION_CALL

    @property
    def digest(self) -> bytes:
        """The hash of the expression, the same in every run; computed on first use."""
        return self._digest or _digester()(self)

    def __repr__(self) -> str:
        return expression(self, 100)

    def __reduce__(self) -> Any:
        return _rebuilt, (as_rows(topological([self])),)


# Python's None, which no op takes: a node that uses it fails with TYPE, on every backend and in every mode.
NONE = Node.input("None")


@cache
def _digester() -> Callable[[Node], bytes]:
    try:
        from arcbatt._core import Digester
    except ImportError:  # the package is installed as pure Python
        return digest_in_python
    return Digester(Node, text)


def digest_in_python(node: Node) -> bytes:
    """The digest of a node without the compiled core; the core computes the same."""
    stack = [node]
    while node._digest is None:
        last = stack[-1]
        waiting = [arg for arg in last.args if arg._digest is None]
        if waiting:
            stack += waiting
            continue
        label = text(last.head) if last.kind == "constant" else last.head
        content = f"{last.kind} {label} {len(last.args)} ".encode()
        content += b"".join(arg.digest for arg in last.args)
        last._digest = blake2b(content, digest_size=Node.DIGEST_SIZE).digest()
        stack.pop()
    return node._digest


def as_rows(nodes: Iterable[Node]) -> list[Row]:
    """Nodes in topological order as plain rows that refer to each other by position.

    This lets deep graphs pickle without recursion.

    >>> as_rows(topological([Node.op("rot90", Node.input("I"))]))
    [('input', 'I', ()), ('op', 'rot90', (0,))]
    """
    place: dict[Node, int] = {}
    rows: list[Row] = []
    for position, node in enumerate(nodes):
        place[node] = position
        rows.append((node.kind, node.head, tuple([place[arg] for arg in node.args])))
    return rows


def from_rows(rows: Iterable[Row], *, with_holes: bool = False) -> list[Node]:
    """The nodes of rows, in their order; rows of no program, from an archive or another process, are refused.

    With `with_holes` an input may be a hole of a template, such as `?0`.

    >>> from_rows([("input", "I", ()), ("op", "rot90", (0,))])[-1]
    rot90(I)
    >>> from_rows([("input", "Q", ())])
    Traceback (most recent call last):
    arcbatt.errors.ArcbattError: expected an input I, S or C, got 'Q' in node 1 of a program
    """
    nodes: list[Node] = []
    for kind, head, args in rows:
        is_hole = with_holes and kind == "input" and isinstance(head, str) and HOLE.fullmatch(head)
        fault = None if is_hole and not args else _fault_of(kind, head, args, len(nodes))
        if fault is not None:
            raise ArcbattError(f"expected {fault} in node {len(nodes) + 1} of a program")
        nodes.append(Node(kind, head, tuple([nodes[position] for position in args])))
    return nodes


def _fault_of(kind: object, head: Any, args: Any, count: int) -> str | None:
    """What was expected and what was given, if these are not parts of a node after `count` others."""
    if not isinstance(args, tuple | list) or not all(type(arg) is int and 0 <= arg < count for arg in args):
        return f"arguments among the nodes before it, got {shown(args)}"
    if kind == "op":
        return None if isinstance(head, str) and head in TABLE else f"the name of an op, got {shown(head)}"
    if kind == "call":
        return None if head is None and args else "a call of a node, got one of nothing"
    if args:
        return f"no arguments, got {len(args):,}"
    if kind == "input":
        return None if head in NAMES_OF_INPUTS else f"an input I, S or C, got {shown(head)}"
    if kind == "constant":
        is_sound = is_value(head) and all(map(_is_known, functions_in(head)))
        return None if is_sound else f"a value, got {shown(head)}"
    return f"one of {', '.join(get_args(NodeKind))}, got {shown(kind)}"


def _is_known(function: Function) -> bool:
    """Whether a function value is an op of the table, or consists of parts, which were checked then."""
    return function.name in TABLE and (bool(function.parts) or function.arity == TABLE[function.name].arity)


def _rebuilt(rows: list[Row]) -> Node:
    return from_rows(rows, with_holes=True)[-1]


def topological(roots: Iterable[Node]) -> list[Node]:
    """Every node that the roots need, each once, arguments before their users."""
    roots = list(roots)
    graph = core_graph(roots)
    return depth_first(roots, _ARGS) if graph is None else graph.nodes


def core_graph(roots: list[Node]) -> "_core.Graph | None":
    """The nodes that the roots need, as the compiled core walks them; None without the core.

    The core also derives the stages of the nodes from those of the inputs.
    """
    graph_class = _graph_class()
    return None if graph_class is None else graph_class(Node, roots, STAGE_OF_INPUT)


@cache
def _graph_class() -> "type[_core.Graph] | None":
    try:
        from arcbatt._core import Graph
    except ImportError:  # the package is installed as pure Python
        return None
    return Graph


def depth_first(roots: Iterable[Item], needs: Callable[[Item], Iterable[Item]]) -> list[Item]:
    """All that the roots need, directly or indirectly, in depth-first postorder: each after what it needs."""
    seen: set[Item] = set()
    result: list[Item] = []
    for root in roots:
        stack: list[tuple[Item, Iterator[Item]]] = []
        if root not in seen:
            seen.add(root)
            stack.append((root, iter(needs(root))))
        while stack:
            item, remaining = stack[-1]
            for one in remaining:
                if one not in seen:
                    seen.add(one)
                    stack.append((one, iter(needs(one))))
                    break
            else:
                result.append(item)
                stack.pop()
    return result


def ops_named(node: Node) -> Iterator[str]:
    """The ops that a node itself names: the one it runs, or those in a constant that contains functions."""
    if node.kind == "op":
        yield node.head
    elif node.kind == "constant":
        yield from (function.name for function in functions_in(node.head))


def expression(node: Node, limit: int | None = None) -> str:
    """A node as one nested expression, cut off after `limit` characters.

    >>> expression(Node.op("fill", Node.input("I"), Node.constant(3), Node.op("asindices", Node.input("I"))))
    'fill(I, 3, asindices(I))'
    """
    pieces: list[str] = []
    length = 0
    stack: list[Node | str] = [node]
    while stack and (limit is None or length <= limit):
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif item.kind == "input":
            pieces.append(item.head)
        elif item.kind == "constant":
            pieces.append(text(item.head, limit))
        else:
            args: tuple[Node, ...] = item.args if item.kind == "op" else item.args[1:]
            stack.append(")")
            for position, arg in reversed(list(enumerate(args))):
                stack.append(arg)
                if position:
                    stack.append(", ")
            stack.append("(")
            stack.append(item.head if item.kind == "op" else item.args[0])
            continue
        length += len(pieces[-1])
    line = "".join(pieces)
    return line if limit is None or len(line) <= limit else line[: limit - 3] + "..."


def substituted(root: Node, replacements: dict[Node, Node]) -> Node:
    """The graph with some nodes replaced; subgraphs without them stay the same objects."""
    made: dict[Node, Node] = {}
    for node in topological([root]):
        if node in replacements:
            made[node] = replacements[node]
        elif node.args:
            made[node] = Node(node.kind, node.head, tuple(made[arg] for arg in node.args))
        else:
            made[node] = node
    return made[root]


@lru_cache(1 << 16)
def _task_id(name: str) -> str | None:
    found = _TASK_ID.search(stem(name).replace("_", " "))
    return found[0] if found else None


class KeptScore(NamedTuple):
    """Score and time of a program in a kept population, from the path of its file.

    The score goes from 0 to 1000, and the time is in microseconds a sample.
    """

    score: float
    time: float

    @property
    def is_sum(self) -> bool:
        """Whether they have the historical form."""
        return False


class KeptSum(KeptScore):
    """The historical form: the number of exact samples, and `11 - int(log(seconds))`."""

    @property
    def is_sum(self) -> bool:
        """Whether they have the historical form."""
        return True


@dataclass(frozen=True)
class Program(Rendered):
    """A straight-line program: a solver returns a grid, a differ (score, extra).

    `evo` says that it was mutated, `changes` how: each has a text. `scored` is what a differ in a batt
    scores: the id of a solver, or 'None' for the raw input. `line` is its line in its file.
    `entry_id` is its id in a batt if that differs from its name: a name is unique in the batt, ids of files
    may be shared. `kept` has the data in the path of its file, in a kept population. `origin` has the text
    that it was read from; a pickled program omits it, since the text may be long.
    """

    name: str
    kind: ProgramKind
    inputs: tuple[str, ...]
    root: Node
    evo: bool = False
    scored: str | None = None
    changes: tuple[object, ...] = field(default=(), compare=False)
    line: int = field(default=0, compare=False)
    entry_id: str | None = field(default=None, compare=False)
    kept: KeptScore | None = field(default=None, compare=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_text("the name of a program", self.name)
        require_one_of("the kind of a program", self.kind, KINDS_OF_PROGRAMS)
        require_kind(self.root, Node, "root of a program; arcbatt.parse_programs(...) makes programs")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "origin"}

    def altered(self, **changes: Any) -> "Program":
        """The program with other fields, like `replace` in a tenth of the time: they are not checked."""
        other = object.__new__(Program)
        other.__dict__.update(self.__dict__, **changes)
        return other

    @property
    def hash(self) -> str:
        """The identity of a program: the hash of its graph, whatever its name and the order of its lines."""
        return self.root.digest.hex()

    @property
    def id(self) -> str:
        """Its id in a batt: its name, unless a file or scoring gave it another one."""
        return self.name if self.entry_id is None else self.entry_id

    @property
    def scored_id(self) -> str:
        """The id of what a differ scores, as a batt names it: a solver, or 'None' for the raw input."""
        return RAW_INPUT if self.scored is None else self.scored

    @property
    def task_id(self) -> str | None:
        """The task a program is written for, as its name says: `solve_00d62c1b` is for 00d62c1b.

        A differ in a batt has the task of the solver that it scores.
        """
        return _task_id(self.scored or self.name)

    @property
    def nodes(self) -> list[Node]:
        """Its nodes, arguments before their users."""
        return topological([self.root])

    @property
    def size(self) -> int:
        """The number of its lines: its ops and its calls of functions, equal ones counted once."""
        return sum(node.kind in ("op", "call") for node in self.nodes)

    def __call__(self, grid: Any, S: Any = None, C: Any = None) -> "Value | Failure":
        """Return the output for an input grid, or the `Failure`; runs on the fastest backend of the CPU.

        S is a task, as `arcbatt.load_tasks` takes it, or pairs (input, output); C is the expected output, by
        which a differ scores.

        >>> from arcbatt.program.parse import parse_programs
        >>> turn, most = parse_programs('''
        ... def solve_x(I): return rot90(I)
        ... def solve_y(S, I): return fill(I, size(S), asindices(I))
        ... ''')
        >>> turn([[1, 2], [3, 4]])
        ((3, 1), (4, 2))
        >>> most([[1, 2]], S="00d62c1b")
        ((5, 5),)
        """
        outcome: Value | Failure = call_program(self, grid, S, C)
        return outcome

    def source(self) -> str:
        """The program as source text, one op a line."""
        from arcbatt.program.emit import source

        return source(self)

    def __repr__(self) -> str:
        return f"<{self.kind} {shorten(self.name)} {self.hash[:12]}>"


def require_program_kind(programs: Iterable[Program], kind: ProgramKind) -> None:
    """Refuse a program of another kind."""
    other = next((program for program in programs if program.kind != kind), None)
    if other is not None:
        raise ArcbattError(f"expected a {kind}, got the {other.kind} {other.name}")


class BattLine(NamedTuple):
    """A line of a batt, `tN = f(a, b)`: its number N, its node, and the sources of its arguments.

    An argument comes from an earlier line, given by its position, or is a node that needs no line: an input
    or a constant. Two lines may hold the same node; their values differ only in failure mode `pile`. There a
    line runs if the lines of its `condition` are ok: by default those that it takes arguments from. A line
    that never runs holds `NONE`.
    """

    number: int
    node: Node
    args: tuple["int | Node", ...]
    condition: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Listing:
    """A batt as lines in the order in which they run; `outputs` has the position of each program's line.

    `numbers` are the numbers in the entries of the programs, if some differ from the numbers of their lines.
    """

    lines: tuple[BattLine, ...]
    outputs: tuple[int, ...]
    numbers: tuple[int, ...] = ()

    @property
    def entry_numbers(self) -> tuple[int, ...]:
        """The number that the entry of each program names."""
        return self.numbers or tuple(self.lines[position].number for position in self.outputs)


def listing_of(roots: Iterable[Node]) -> Listing:
    """The lines that some roots need, each expression once; a root without an op gets one by `identity`."""
    wanted = [root if root.kind in ("op", "call") else Node.op("identity", root) for root in roots]
    position: dict[Node, int] = {}
    lines: list[BattLine] = []
    for node in topological(wanted):
        if node.kind in ("op", "call"):
            position[node] = len(lines)
            args = tuple(position.get(arg, arg) for arg in node.args)
            lines.append(BattLine(len(lines) + 1, node, args))
    return Listing(tuple(lines), tuple(position[node] for node in wanted))


@dataclass(frozen=True)
class Batt:
    """Many programs over one shared graph, which holds every distinct expression once.

    `read` holds the lines of the file that a batt was read from, `style` the style of that file, `line_style`
    that of its lines, in a hybrid file that of their body. `warnings` lists what was odd in the file.
    """

    programs: tuple[Program, ...]
    style: Style | None = None
    read: Listing | None = field(default=None, repr=False)
    line_style: Style | None = None
    warnings: tuple[Oddity, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        listed(self.programs, Program, A_PROGRAM)

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def graph(self) -> "_core.Graph | None":
        """The graph of all programs as the compiled core walks it; None without the core."""
        return core_graph([program.root for program in self.programs])

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of all programs, each once, arguments before their users."""
        graph = self.graph
        return tuple(topological(program.root for program in self.programs) if graph is None else graph.nodes)

    @cached_property
    def listing(self) -> Listing:
        """The lines of the batt: those of its file, or else one for each op of its programs."""
        return self.read or listing_of(program.root for program in self.programs)

    @cached_property
    def entries(self) -> tuple[tuple[int, bool | str, str], ...]:
        """The first parts of each program's entry in o or s: line, evo flag or the scored id, and id."""
        return tuple(
            (number, program.evo if program.kind == "solver" else program.scored_id, program.id)
            for program, number in zip(self.programs, self.listing.entry_numbers)
        )

    @property
    def solvers(self) -> tuple[Program, ...]:
        """The programs that return grids."""
        return tuple(program for program in self.programs if program.kind == "solver")

    @property
    def differs(self) -> tuple[Program, ...]:
        """The programs that score."""
        return tuple(program for program in self.programs if program.kind == "differ")

    def __len__(self) -> int:
        return len(self.programs)

    def __iter__(self) -> Iterator[Program]:
        return iter(self.programs)

    def __repr__(self) -> str:
        return f"<batt of {plural(len(self.programs), 'program')}, {plural(len(self.nodes), 'node')}>"
