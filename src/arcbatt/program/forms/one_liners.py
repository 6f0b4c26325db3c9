"""One-liners: whole programs as one nested expression each, as `.def` files hold them."""

import ast
from collections.abc import Iterator

from arcbatt.dsl.constants import INPUTS
from arcbatt.errors import ArcbattError
from arcbatt.program.emit import argument, roles
from arcbatt.program.forms.spelling import as_source_says
from arcbatt.program.graph import Node, Program, topological
from arcbatt.text import shorten

LAMBDA = r"\w+\s*=\s*lambda\b"  # the beginning of a line that names a one-liner
MOST_OPS = 50_000  # in a one-liner, which repeats what several lines use
MOST_NESTED = 150  # ops inside each other: Python reads about 200 parentheses


def as_definition(statement: object, bare: str | None = None) -> ast.FunctionDef | None:
    """A statement outside functions as the definition of a program; None if it is not one.

    That is a `def`, a lambda that gets a name, or, in a file whose programs have the name `bare`, an
    expression alone.

    >>> (statement,) = ast.parse("solve_x = lambda I: rot90(hmirror(I))").body
    >>> ast.unparse(as_definition(statement))
    'def solve_x(I):\\n    return rot90(hmirror(I))'
    """
    match statement:
        case ast.FunctionDef():
            return statement
        case ast.Assign([ast.Name(name)], ast.Lambda(arguments, value)):
            return _definition(statement, name, arguments, value)
        case ast.Expr(ast.Lambda(arguments, value)) if bare is not None:
            return _definition(statement, bare, arguments, value)
        case ast.Expr(ast.Call() | ast.Name() as value) if bare is not None:
            return _definition(statement, bare, _inputs(), value)
    return None


def _inputs() -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in INPUTS], kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def _definition(place: ast.stmt, name: str, arguments: ast.arguments, value: ast.expr) -> ast.FunctionDef:
    returned = ast.copy_location(ast.Return(value), value)
    made = ast.FunctionDef(name=name, args=arguments, body=[returned], decorator_list=[])
    return ast.copy_location(made, place)


def one_liner(program: Program, name: str) -> str:
    """A program as one line: a function with this name that returns one expression.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_x(I):\\n x1 = compose(rot90, trim)\\n return x1(I)")
    >>> one_liner(program, "solve_x")
    'def solve_x(S, I, C): return compose(rot90, trim)(I)\\n'
    """
    root = as_source_says(program.root)
    _require_room(program, root)
    return f"def {name}({', '.join(INPUTS)}): return {_nested(root)}\n"


def _require_room(program: Program, root: Node) -> None:
    """Refuse an expression that is too long or too deep; both are counted without writing it."""
    ops: dict[Node, int] = {}
    depths: dict[Node, int] = {}
    for node in topological([root]):
        counts = node.kind in ("op", "call")
        ops[node] = counts + sum(ops[arg] for arg in node.args)
        depths[node] = counts + max((depths[arg] for arg in node.args), default=0)
    wrong = None
    if ops[root] > MOST_OPS:
        wrong = f"at most {MOST_OPS:,} ops, got {_count(ops[root])}, since lines are used several times"
    elif depths[root] > MOST_NESTED:
        wrong = f"ops nested at most {MOST_NESTED} deep, got {depths[root]:,}"
    if wrong is not None:
        raise ArcbattError(
            f"{shorten(program.name)}: expected {wrong}, for one expression; write it with --to solvers"
        )


def _count(ops: int) -> str:
    return f"{ops:,}" if ops < 10**12 else "more than 10^12"


def _nested(root: Node) -> str:
    texts: dict[Node, str] = {}
    for node in topological([root]):
        if node.kind in ("op", "call"):
            texts[node] = "".join(_call(node, texts))
    return argument(root, None, texts)


def _call(node: Node, texts: dict[Node, str]) -> Iterator[str]:
    written = [
        argument(arg, role, texts)
        for arg, role in zip(node.args, roles(node) if node.kind == "op" else [None] * len(node.args))
    ]
    callee = node.head if node.kind == "op" else written.pop(0)
    yield f"{callee}({', '.join(written)})"
