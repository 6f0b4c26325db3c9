"""Templates from programs: parts that many of them share, with typed holes for what differs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arcbatt.arguments import listed
from arcbatt.dsl.contract import Sort
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.types import INTEGER, StaticType
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function, Value, is_location
from arcbatt.errors import ProgramError
from arcbatt.program.emit import constant_name, roles
from arcbatt.program.graph import Node, Program, topological
from arcbatt.program.typed import typed
from arcbatt.search.solve.templates import COSTS, TYPES, Template, may_be, parse_templates
from arcbatt.text import plural

FEWEST_OPS, MOST_OPS = 2, 6
MOST_HOLES = 3
# The sorts of leaves that are left open together.
OPENED = (
    (),
    (Sort.grid,),
    (Sort.color,),
    (Sort.grid, Sort.color),
    (Sort.predicate, Sort.measure),
    tuple(Sort),
)
MOST_PARTS = 500  # that are looked at below one node
GIVE_COLORS = {"color", "mostcolor", "leastcolor", "index", "get_color_rank_t", "get_color_rank_f", "c_zo_n"}
SORTS_OF_TYPES = {kind: sort for sort, kinds in TYPES.items() for kind in kinds if kind is not INTEGER}
A_PROGRAM = "program; arcbatt.load_programs(...) reads some"


def mine(programs: Iterable[Program], least: int = 3) -> list[str]:
    """The parts that at least so many programs share, as lines of templates: frequent and large ones first.

    A part has 2 to 6 ops and at most 3 holes. One that stands only inside a larger one is left out.

    >>> from arcbatt.program.parse import parse_programs
    >>> programs = parse_programs('''
    ... def solve_a(I): return hconcat(I, vmirror(I))
    ... def solve_b(I): return rot90(hconcat(trim(I), vmirror(trim(I))))
    ... ''')
    >>> mine(programs, least=2)
    ['grid 1: hconcat(?grid, vmirror(?grid))  # 2 programs']
    """
    distinct = list({program.root: program for program in listed(programs, Program, A_PROGRAM)})
    found: dict[tuple[Sort, str], set[int]] = {}
    sizes: dict[str, int] = {}
    for number, root in enumerate(distinct):
        for part in _parts(root):
            found.setdefault((part.sort, part.text), set()).add(number)
            sizes[part.text] = part.ops
    frequent = [
        _FragmentUse(template, sizes[text], frozenset(numbers))
        for (sort, text), numbers in found.items()
        if len(numbers) >= max(least, 1)
        for template in _read(sort, text, len(distinct), len(numbers))
    ]
    frequent.sort(key=lambda each: (-len(each.programs), -each.ops, each.template.text))
    return [
        f"{each.template.line}  # {plural(len(each.programs), 'program')}" for each in _undominated(frequent)
    ]


def mined_text(programs: Iterable[Program], least: int = 3) -> str:
    """The mined templates as the text of a file of templates."""
    lines = mine(programs, least)
    return "\n".join([f"# Parts that at least {plural(least, 'program')} share.", *lines, ""])


@dataclass(frozen=True)
class _Fragment:
    """A part of a program as text, with its sort and its number of ops."""

    sort: Sort
    text: str
    ops: int


@dataclass(frozen=True)
class _FragmentUse:
    """A frequent part, and the programs that have it."""

    template: Template
    ops: int
    programs: frozenset[int]


def _read(sort: Sort, text: str, programs: int, count: int) -> list[Template]:
    """The part as a template, if the types of its holes fit; it costs what its frequency says, in bits."""
    cost = min(max((programs // count).bit_length() - 1, COSTS[0]), COSTS[-1])
    try:
        return parse_templates(f"{sort.name} {cost}: {text}")
    except ProgramError:
        return []


def _undominated(mined: Sequence[_FragmentUse]) -> Iterator[_FragmentUse]:
    """The parts that no larger or more special one of the same programs contains."""
    groups: dict[frozenset[int], list[_FragmentUse]] = {}
    for each in mined:
        groups.setdefault(each.programs, []).append(each)
    for each in mined:
        others = (other for other in groups[each.programs] if other is not each and other.ops >= each.ops)
        if not any(_contains(other.template.root, each.template.root) for other in others):
            yield each


def _contains(large: Node, small: Node) -> bool:
    """Whether a part is an instance of another one, or has one inside."""
    return any(_is_instance(node, small, {}) for node in topological([large]))


def _is_instance(node: Node, pattern: Node, binding: dict[Node, Node]) -> bool:
    if pattern.kind == "input" and pattern.head.startswith("?"):
        return binding.setdefault(pattern, node) is node
    if node.kind != pattern.kind or node.head != pattern.head or len(node.args) != len(pattern.args):
        return False
    return all(_is_instance(arg, inner, binding) for arg, inner in zip(node.args, pattern.args))


class _Uses:
    """The nodes of a program with the sorts that holes in their places would have."""

    def __init__(self, root: Node) -> None:
        index = op_index()
        known = typed(root, index)
        self.nodes = known.nodes
        self._index = index
        self._types = {node: found.type for node, found in zip(known.nodes, known.types)}
        self._places: dict[Node, list[tuple[Node, int]]] = {}
        for node in known.nodes:
            for position, arg in enumerate(node.args):
                self._places.setdefault(arg, []).append((node, position))
        self.sorts = {node: self._sort(node) for node in known.nodes}

    def _sort(self, node: Node) -> Sort | None:
        kind = self._types[node]
        if kind is INTEGER:
            return self._sort_of_integer(node)
        if kind.is_function:
            return self._sort_of_function(node, kind)
        return SORTS_OF_TYPES.get(kind)

    def _sort_of_integer(self, node: Node) -> Sort | None:
        """A colour or a number, by what it is used for; None if it is a code of some sort, or a truth."""
        parts = {_part_played(user, position) for user, position in self._places.get(node, ())}
        if "color" in parts or (node.kind == "op" and node.head in GIVE_COLORS):
            return Sort.color
        return Sort.number if parts <= {None} else None

    def _sort_of_function(self, node: Node, kind: StaticType) -> Sort | None:
        """What the ops that take a function use it for, if it is a function of objects."""
        wanted = {_function_wanted(user, position) for user, position in self._places.get(node, ())}
        sort = wanted.pop() if len(wanted) == 1 else None
        return sort if sort is not None and may_be(sort, kind, self._index) else None


def _function_wanted(user: Node, position: int) -> Sort | None:
    """The sort of function that an op takes as an argument, if it chooses or ranks by it."""
    param = TABLE[user.head].params[position] if _is_whole(user) else None
    if param is None:
        return None
    if param.type.name == "Condition":
        return Sort.predicate
    return Sort.measure if param.name == "compfunc" else None


def _is_whole(node: Node) -> bool:
    return node.kind == "op" and len(node.args) == TABLE[node.head].arity


def _part_played(user: Node, position: int) -> str | None:
    """What an Integer is for its user: a colour, a rank, a code or a truth; None for a mere number."""
    if not _is_whole(user):
        return "unknown"
    if user.head == "matcher" and position == 1:
        function = user.args[0].head
        return "color" if isinstance(function, Function) and function.name in GIVE_COLORS else None
    role = roles(user)[position]
    return role or ("truth" if TABLE[user.head].params[position].type.name == "Boolean" else None)


def _parts(root: Node) -> Iterator[_Fragment]:
    """The parts of a program: each connected set of ops, with its leaves kept or left open."""
    uses = _Uses(root)
    for node in uses.nodes:
        sort = Sort.grid if node is root else uses.sorts[node]
        if sort is None or not _is_whole(node):
            continue
        for count, ops in enumerate(_connected(node)):
            if count == MOST_PARTS:
                break
            if len(ops) >= FEWEST_OPS:
                for text in sorted(_texts(node, ops, uses)):
                    yield _Fragment(sort, text, len(ops))


def _connected(root: Node) -> Iterator[frozenset[Node]]:
    """The connected sets of ops that begin with a root, smaller ones first."""
    level: list[tuple[frozenset[Node], tuple[Node, ...], frozenset[Node]]] = [
        (frozenset((root,)), _ops_below(root), frozenset((root, *_ops_below(root))))
    ]
    for _ in range(MOST_OPS):
        following = []
        for ops, frontier, seen in level:
            yield ops
            for position, node in enumerate(frontier):
                new = tuple(arg for arg in _ops_below(node) if arg not in seen)
                following.append((ops | {node}, frontier[position + 1 :] + new, seen.union(new)))
        level = following


def _ops_below(node: Node) -> tuple[Node, ...]:
    return tuple(dict.fromkeys(arg for arg in node.args if _is_whole(arg)))


def _texts(root: Node, ops: frozenset[Node], uses: _Uses) -> set[str]:
    """A part as expressions: its leaves as they are, and with grids, colours or all of them left open."""
    outside = (arg for node in ops for arg in node.args if arg not in ops and not _is_leaf(arg))
    if any(uses.sorts[node] is None for node in outside):
        return set()
    writers = (_Writer(ops, opened, uses) for opened in OPENED)
    return {text for writer in writers if (text := writer.text(root)) is not None}


def _is_leaf(node: Node) -> bool:
    return node.kind in ("input", "constant")


class _Writer:
    """Writes a part as an expression, with holes for what is cut off and for leaves of the opened sorts."""

    def __init__(self, ops: frozenset[Node], opened: Sequence[Sort], uses: _Uses) -> None:
        self.ops, self.opened, self.uses = ops, opened, uses
        self.holes: dict[tuple[Sort, Node], str] = {}

    def text(self, root: Node) -> str | None:
        """The expression, with numbers for holes of a sort that occurs twice; None if it has too many."""
        self._note_holes(root)
        if len(self.holes) > MOST_HOLES:
            return None
        counts = Counter(sort for sort, _ in self.holes)
        numbers: Counter[Sort] = Counter()
        for sort, node in self.holes:
            numbers[sort] += 1
            self.holes[sort, node] = f"?{sort.name}{numbers[sort] if counts[sort] > 1 else ''}"
        return self._written(root)

    def _note_holes(self, node: Node) -> None:
        for position, arg in enumerate(node.args):
            sort = self._sort_of_hole(node, position)
            if sort is not None:
                self.holes[sort, arg] = ""
            else:
                self._note_holes(arg)

    def _sort_of_hole(self, user: Node, position: int) -> Sort | None:
        """The sort of the hole at an argument; None if the argument is written out."""
        arg = user.args[position]
        if arg in self.ops:
            return None
        if not _is_leaf(arg):
            return self.uses.sorts[arg]
        # One constant may be a colour here and a code there.
        sort = self.uses.sorts[arg] if arg.kind == "input" else _sort_of_constant(arg.head, user, position)
        return sort if sort in self.opened else None

    def _written(self, node: Node) -> str:
        return (
            f"{node.head}({', '.join(self._argument(node, position) for position in range(len(node.args)))})"
        )

    def _argument(self, user: Node, position: int) -> str:
        arg, sort = user.args[position], self._sort_of_hole(user, position)
        if sort is not None:
            return self.holes[sort, arg]
        if arg.kind == "input":
            return str(arg.head)
        if arg.kind != "constant":
            return self._written(arg)
        if isinstance(arg.head, Function):
            return arg.head.name
        is_truth = _part_played(user, position) == "truth" and arg.head in (0, 1)
        return "FT"[arg.head] if is_truth else constant_name(arg.head, roles(user)[position])


def _sort_of_constant(value: Value, user: Node, position: int) -> Sort | None:
    if isinstance(value, Function):
        return _function_wanted(user, position)
    if isinstance(value, int):
        part = _part_played(user, position)
        return Sort.color if part == "color" else Sort.number if part is None else None
    return Sort.vector if is_location(value) else None
