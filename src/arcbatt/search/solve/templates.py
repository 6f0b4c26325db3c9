"""Templates: expressions with typed holes, read from `.dsl` files; nothing of them is executed."""

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from arcbatt.arguments import require_text
from arcbatt.dsl.contract import Sort
from arcbatt.dsl.static.matching import LENIENT
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.static.queries import OpIndex, op_index
from arcbatt.dsl.static.types import GRID, OBJECT, StaticType
from arcbatt.dsl.table import TABLE, nearest
from arcbatt.dsl.values import functions_in
from arcbatt.errors import ProgramError
from arcbatt.program.functions import Body, FunctionTable
from arcbatt.program.graph import Node, substituted, topological
from arcbatt.program.syntax import describe, parsed, quoted, shown, text_of_file
from arcbatt.program.typed import type_of_parts

MOST_HOLES = 4
MOST_OPS = 60
COSTS = range(1, 10)
INPUTS_OF_TEMPLATES = ("S", "I")
FOLDER = Path(__file__).parents[1] / "templates"
# The static types that the values of a sort have: for each sort the alternatives.
TYPES: dict[Sort, tuple[StaticType, ...]] = {
    Sort.grid: (GRID,),
    Sort.grids: (static_type("Tuple[Grid]"),),
    Sort.object: (OBJECT,),
    Sort.objects: (static_type("Set[Object]"), static_type("Tuple[Object]")),
    Sort.indices: (static_type("Indices"),),
    Sort.color: (static_type("Integer"),),
    Sort.number: (static_type("Integer"),),
    Sort.vector: (static_type("IJ"),),
    Sort.predicate: (static_type("(Object -> Integer)"),),
    Sort.measure: (static_type("(Object -> any)"),),
    Sort.change: (static_type("(Grid -> Grid)"),),
}
# What the functions of a sort take and give.
FUNCTIONS = {Sort.predicate: (OBJECT, "Integer"), Sort.measure: (OBJECT, "any"), Sort.change: (GRID, "Grid")}
_LINE = re.compile(r"\s*(\w+)\s+(\S+)\s*:(.*)")
_HOLE = re.compile(r"\?(\w*)")
_NAME_OF_HOLE = re.compile(r"([a-z]+)[0-9]?")
_FORM = "a line is `<sort> <cost>: <expression>`, such as `grid 2: vmirror(?grid)`"


@dataclass(frozen=True)
class Template:
    """An expression with typed holes: hole k of `root` is the input `?k`, and takes values of `holes[k]`.

    `text` is the expression as its file has it, `place` the file and the line.
    """

    root: Node
    cost: int
    result: Sort
    holes: tuple[Sort, ...]
    text: str
    place: str

    @property
    def line(self) -> str:
        """The template as a line of a file."""
        return f"{self.result.name} {self.cost}: {self.text}"

    @property
    def ops(self) -> frozenset[str]:
        """The names of its ops, also of those that stand as functions."""
        nodes = topological([self.root])
        values = [node.head for node in nodes if node.kind == "constant"]
        functions = {function.name for value in values for function in functions_in(value)}
        return frozenset(functions.union(node.head for node in nodes if node.kind == "op"))


def load_templates(paths: Iterable[str | Path] = ()) -> list[Template]:
    """The templates of the package, then those of the user's files.

    A line of the user replaces ours of the same expression and sort, so that its cost counts.
    """
    known = {(template.result, template.holes, template.root): template for template in _shipped()}
    for path in paths:
        for template in parse_templates(text_of_file(path), str(path)):
            known[template.result, template.holes, template.root] = template
    return list(known.values())


@cache
def _shipped() -> tuple[Template, ...]:
    files = sorted(FOLDER.glob("*.dsl"))
    return tuple(
        template
        for file in files
        for template in parse_templates(file.read_text(encoding="utf-8"), file.name)
    )


def parse_templates(text: str, file: str = "<text>") -> list[Template]:
    """The templates of a text, one a line; what comes after `#` is a comment.

    >>> parse_templates("grid 2: hconcat(?grid, vmirror(?grid))  # a mirror")[0].root
    hconcat(?0, vmirror(?0))
    >>> parse_templates("objects 3: sfilter(?objects, ?predicate)")[0].holes
    (<Sort.objects: 3>, <Sort.predicate: 8>)
    >>> parse_templates("grit 2: vmirror(?grid)")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ProgramError: <text>:1:1: there is no sort 'grit'; did you mean 'grid'?
    """
    require_text("text", text)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].rstrip()
        if content:
            found.append(_TemplateLine(content, file, number).template())
    return found


class _TemplateLine:
    """One line of a file of templates."""

    def __init__(self, content: str, file: str, number: int) -> None:
        self.content, self.file, self.number = content, file, number

    def refuse(self, reason: str, column: int = 0) -> ProgramError:
        """The error that refuses the line, at a column that counts from 0."""
        return ProgramError(reason, self.file, self.number, column + 1)

    def template(self) -> Template:
        """The template that the line denotes."""
        parts = _LINE.fullmatch(self.content)
        if parts is None or not parts[3].strip():
            raise self.refuse(f"this is no template; {_FORM}")
        result = self.sort(parts[1], parts.start(1))
        cost = int(parts[2]) if re.fullmatch("[0-9]{1,3}", parts[2]) else 0
        if cost not in COSTS:
            raise self.refuse(
                f"the cost {quoted(parts[2])} is no number from {COSTS[0]} to {COSTS[-1]}", parts.start(2)
            )
        holes = self.holes(parts.start(3))
        root = self.expression(parts.start(3), holes)
        places = {Node.input(name): Node.input(f"?{place}") for place, name in enumerate(holes)}
        root, sorts = substituted(root, places), tuple(holes.values())
        self.check(root, result, sorts)
        ops = sum(node.kind in ("op", "call") for node in topological([root]))
        if ops > MOST_OPS:
            raise self.refuse(f"there are {ops} ops; a template has at most {MOST_OPS}", parts.start(3))
        return Template(root, cost, result, sorts, parts[3].strip(), f"{self.file}:{self.number}")

    def sort(self, name: str, column: int) -> Sort:
        """The sort of a name."""
        if name not in Sort.__members__:
            hint = nearest(name, list(Sort.__members__)) or f"; sorts are {', '.join(Sort.__members__)}"
            raise self.refuse(f"there is no sort {quoted(name)}{hint}", column)
        return Sort[name]

    def holes(self, start: int) -> dict[str, Sort]:
        """The holes in order of appearance, by the names that `expression` has for them."""
        found: dict[str, Sort] = {}
        for hole in _HOLE.finditer(self.content, start):
            name = _NAME_OF_HOLE.fullmatch(hole[1])
            if name is None:
                what = f"{quoted(hole[0])} is no hole; one is `?` and a sort, perhaps with a digit: `?grid2`"
                raise self.refuse(what, hole.start())
            found[f"_{hole[1]}"] = self.sort(name[1], hole.start(1))
        if len(found) > MOST_HOLES:
            raise self.refuse(f"there are {len(found)} holes; a template has at most {MOST_HOLES}", start)
        return found

    def expression(self, start: int, holes: dict[str, Sort]) -> Node:
        """The expression as programs have it, with the holes for parameters."""
        # The text keeps its columns, so that messages name the right one.
        text = f"({' ' * (start - 1)}{self.content[start:].replace('?', '_')})"
        tree = parsed(text, self.file, self.number)
        if isinstance(tree, ProgramError):
            raise tree
        statement = tree.body[0]
        if len(tree.body) != 1 or not isinstance(statement, ast.Expr):
            raise self.refuse(f"{describe(statement)} is no expression; {_FORM}", start)
        self._refuse_odd(statement)
        arguments = [ast.arg(name) for name in (*INPUTS_OF_TEMPLATES, *holes)]
        definition = ast.FunctionDef(
            name="template",
            args=ast.arguments([], arguments, None, [], [], None, []),
            body=[ast.Return(statement.value)],
            decorator_list=[],
        )
        ast.fix_missing_locations(ast.increment_lineno(definition, self.number - 1))
        body = FunctionTable(self.file, ()).add(definition).body
        if not isinstance(body, Body):
            assert isinstance(body, ProgramError)
            reason = re.sub(rf"'_({'|'.join(name[1:] for name in holes)})'", r"'?\1'", body.reason)
            raise self.refuse(reason.removeprefix("template: "), body.column - 1)
        if body.root.kind == "input" and body.root.head in holes:
            raise self.refuse("the expression is a hole alone; a template does something to it", start)
        return body.root

    def _refuse_odd(self, statement: ast.Expr) -> None:
        """Refuse what programs may have and templates may not: C, and None."""
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and part.id == "C":
                raise self.refuse("C is what the answer is compared with; use I and S", part.col_offset)
            if isinstance(part, ast.Constant) and part.value is None:
                raise self.refuse("None is no value of the language", part.col_offset)

    def check(self, root: Node, result: Sort, holes: Sequence[Sort]) -> None:
        """Refuse a template in which, by the static types, an argument or the result can never fit."""
        index = op_index()
        misfits = [_misfit(root, result, types, index) for types in product(*(TYPES[sort] for sort in holes))]
        if all(misfits):
            raise self.refuse(str(misfits[0]))


def _misfit(root: Node, result: Sort, holes: tuple[StaticType, ...], index: OpIndex) -> str | None:
    """What does not fit if the holes have these types; None if all may fit."""
    known = {Node.input(f"?{place}"): kind for place, kind in enumerate(holes)}
    for node in topological([root]):
        if node in known:
            continue
        arguments = tuple([known[arg] for arg in node.args])
        inferred = type_of_parts(node.kind, node.head, arguments, index)
        if not inferred.fits:
            given = ", ".join(map(repr, arguments))
            if node.kind == "call":
                return f"a call of {given.replace(', ', ' with ', 1)} does not fit"
            return f"{node.head!r} does not take ({given}): {TABLE[node.head].declaration}"
        known[node] = inferred.type
    if may_be(result, known[root], index):
        return None
    if result not in FUNCTIONS:
        return f"the expression gives {shown(repr(known[root]))}, which is no {result.name}"
    taken, given = FUNCTIONS[result]
    found = index.applied(known[root], (taken,)) if known[root].is_function else None
    gives = f"gives {found!r} for it" if found else "is no such function"
    return f"a {result.name} is a function ({taken!r} -> {given}), and the expression {gives}"


def may_be(sort: Sort, kind: StaticType, index: OpIndex) -> bool:
    """Whether a value of a static type may be one of a sort.

    >>> may_be(Sort.measure, op_index().functions["size"], op_index())
    True
    >>> may_be(Sort.change, op_index().functions["hline"], op_index())
    False
    """
    if sort not in FUNCTIONS:
        return any(LENIENT.fits(pattern, kind, {}) for pattern in TYPES[sort])
    taken, given = FUNCTIONS[sort]
    found = index.applied(kind, (taken,))
    return found is not None and LENIENT.fits(static_type(given), found, {})
