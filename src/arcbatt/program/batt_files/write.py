"""Writing batts as Python files in any of the six styles; they are read back, and run as plain Python."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import indent, wrap
from typing import NamedTuple, get_args

from arcbatt.arguments import MOST, require_count, require_kind, require_one_of
from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.table import TABLE
from arcbatt.program.batt_files.body import BATCH, BATCH_PARAMETERS, PARAMETERS
from arcbatt.program.batt_files.column_body import ENDS_BATCH, MAKES_COLUMNS, MAKES_OPS
from arcbatt.program.batt_files.read import BATT, FALLBACK, ONE_SAMPLE, RESIDENT
from arcbatt.program.emit import argument, roles
from arcbatt.program.forms.spelling import expressible
from arcbatt.program.graph import NONE, Batt, BattLine, Listing, Node, Program, Style, listing_of

WIDTH = 110
INDENT = " " * 4
STYLES: tuple[Style, ...] = get_args(Style)


def batt_source(batt: Batt, style: Style, seed: int = 0) -> str:
    """A batt as a file in some style: a line `tN = ...` for each expression; `seed` is for its Env.

    >>> from arcbatt.program.parse import parse_programs
    >>> print(batt_source(Batt(tuple(parse_programs("def solve_x(I): return rot90(I)"))), "pile"))
    # A batt in style pile; solvers: 1, differs: 0
    <BLANKLINE>
    from arcbatt.batt.runtime import (
        Env, rot90
    )
    <BLANKLINE>
    <BLANKLINE>
    def batt(task_id, S, I, C, log_path):
        s = []
        o = []
        env = Env(0, task_id, S, log_path)
        t1 = env.do_pile(1, [rot90, I], True)
        o.append((1, False, 'solve_x', t1))
        return o, s
    <BLANKLINE>
    """
    require_one_of("style", style, STYLES)
    require_count("seed", seed, -MOST)
    require_kind(batt, Batt, "batt; arcbatt.merge(...) and arcbatt.batt_of(...) make them")
    listing = _listing(batt)
    calls = [_call(line, listing) for line in listing.lines]
    functions = [
        _function(name, _body(style, _lines(batt.programs, listing, calls, writer), seed))
        for name, writer in _BODIES[style].items()
    ]
    if style == "hybrid":
        functions.append(_function(BATT, _choice()))
    if style == "batch":
        functions.append(_function(BATT, [ONE_SAMPLE]))
    title = f"# A batt in style {style}; solvers: {len(batt.solvers)}, differs: {len(batt.differs)}"
    return "\n\n\n".join((f"{title}\n\n{_imports(calls, style)}", *functions)) + "\n"


class _LineCall(NamedTuple):
    """A line as text: its variable's number, the callee and the arguments, and the variables among them.

    `condition` are the variables that must be ok in style `pile`. A line that never runs has no parts.
    `runs` is the op, if the line runs one with as many arguments as it takes.
    """

    number: int
    runs: str | None
    parts: tuple[str, ...]
    variables: tuple[str, ...]
    condition: tuple[str, ...]

    def __str__(self) -> str:
        callee, *arguments = self.parts
        return f"{callee}({', '.join(arguments)})"


def _listing(batt: Batt) -> Listing:
    """The lines of a batt: as they were read, or else with every node expressible as source text."""
    if batt.read is not None:
        return _with_own_numbers(batt.read)
    said: dict[Node, Node] = {}
    for node in batt.nodes:
        said[node] = expressible(node, tuple(said[arg] for arg in node.args))
    roots = [said[program.root] for program in batt.programs]
    if all(root is program.root for root, program in zip(roots, batt.programs)):
        return batt.listing
    return listing_of(roots)


def _with_own_numbers(listing: Listing) -> Listing:
    """The lines, numbered anew where two have the same number; entries keep the numbers that they name."""
    if len({line.number for line in listing.lines}) == len(listing.lines):
        return listing
    lines = tuple(line._replace(number=number) for number, line in enumerate(listing.lines, 1))
    return Listing(lines, listing.outputs, listing.entry_numbers)


def _call(line: BattLine, listing: Listing) -> _LineCall:
    node = line.node
    if node is NONE:
        return _LineCall(line.number, None, (), (), ())
    parts = [
        f"t{listing.lines[arg].number}" if isinstance(arg, int) else argument(arg, role, {})
        for arg, role in zip(line.args, roles(node) if node.kind == "op" else [None] * len(line.args))
    ]
    used = dict.fromkeys(part for part, arg in zip(parts, line.args) if isinstance(arg, int))
    condition = line.condition
    if condition is None:
        condition = tuple(arg for arg in line.args if isinstance(arg, int) and listing.lines[arg].args)
    must_be_ok = dict.fromkeys(f"t{listing.lines[position].number}" for position in condition)
    said = (node.head, *parts) if node.kind == "op" else tuple(parts)
    runs = node.head if node.kind == "op" and len(node.args) == TABLE[node.head].arity else None
    return _LineCall(line.number, runs, said, tuple(used), tuple(must_be_ok))


def _imports(calls: Iterable[_LineCall], style: Style) -> str:
    """The import of just the names that the lines use."""
    names: set[str] = set()
    for call in calls:
        parts = call.parts[1:] if style == "batch" and call.runs else call.parts
        names.update(part for part in parts if part not in call.variables and part.isidentifier())
    names -= {*INPUTS, NONE.head}
    lines = wrap(", ".join(sorted(names | _OWN_NAMES.get(style, set()))), WIDTH - len(INDENT))
    imports = [COLUMN_IMPORT] if style == "batch" else []
    if lines:
        imports += ("from arcbatt.batt.runtime import (", *(INDENT + line for line in lines), ")")
    return "\n".join(imports or ["import arcbatt.batt.runtime"])


def _function(name: str, body: Iterable[str]) -> str:
    parameters = BATCH_PARAMETERS if name == BATCH else PARAMETERS
    return f"def {name}({', '.join(parameters)}):\n{indent(chr(10).join(body), INDENT)}"


def _choice() -> Iterator[str]:
    """The body of a hybrid batt."""
    arguments = ", ".join(PARAMETERS)
    yield from ("try:", f"{INDENT}return {RESIDENT}({arguments})")
    yield from ("except Exception:", f"{INDENT}return {FALLBACK}({arguments})")


def _body(style: Style, lines: Iterator[str], seed: int) -> Iterator[str]:
    """The body of a function: the lists, what the lines need, the lines, and the result."""
    yield from ("s = []", "o = []")
    if style == "pile":
        yield f"env = Env({seed}, task_id, S, log_path)"
    if style == "batch":
        yield from (MAKES_COLUMNS, MAKES_OPS)
    if style == "gpu-direct":
        yield "try:"
        yield indent("\n".join(lines) or "pass", INDENT)
        yield from ("except Exception:", f"{INDENT}pass")
    else:
        yield from lines
    yield ENDS_BATCH if style == "batch" else "return o, s"


def _lines(
    programs: Sequence[Program], listing: Listing, calls: Sequence[_LineCall], writer: "_Writer"
) -> Iterator[str]:
    """The lines, and each output as soon as it and all outputs before it are there."""
    done, numbers = 0, listing.entry_numbers
    for position, call in enumerate(calls):
        yield from writer(call)
        while done < len(programs) and listing.outputs[done] <= position:
            yield from _output(programs[done], numbers[done], calls[listing.outputs[done]].number)
            done += 1


def _output(program: Program, number: int, variable: int) -> Iterator[str]:
    for change in program.changes:
        yield f"# mutated: {' '.join(str(change).split())}"
    if program.kind == "solver":
        yield f"o.append(({number}, {program.evo}, {program.id!r}, t{variable}))"
    else:
        yield f"s.append(({number}, {program.scored_id!r}, {program.id!r}, t{variable}))"


def _bare(call: _LineCall) -> Iterator[str]:
    yield f"t{call.number} = {call if call.parts else NONE.head}"


def _guarded(call: _LineCall, *log: str) -> Iterator[str]:
    if not call.parts:
        yield from _bare(call)
        return
    default = f"_get_safe_default({', '.join((call.parts[0], *log))})"
    yield from ("try:", f"{INDENT}t{call.number} = {call}")
    yield from ("except Exception:", f"{INDENT}t{call.number} = {default}")


def _logged(call: _LineCall) -> Iterator[str]:
    """A guarded line that tells the log what failed."""
    arguments = "".join(f"{argument}, " for argument in call.parts[1:])
    yield from _guarded(call, f"({arguments.rstrip()})", str(call.number), "task_id", "log_path")


def _piled(call: _LineCall) -> Iterator[str]:
    if not call.parts:
        yield f"t{call.number} = env.do_pile({call.number}, [{NONE.head}], False)"
        return
    pile = ", ".join(f"{part}.t" if part in call.variables else part for part in call.parts)
    are_ok = " and ".join(f"{variable}.ok" for variable in call.condition) or "True"
    yield f"t{call.number} = env.do_pile({call.number}, [{pile}], {are_ok})"


def _column(call: _LineCall) -> Iterator[str]:
    """A line on columns: one argument at least is a column, and None is one, since no op shares it."""
    if not call.parts:
        yield f"t{call.number} = {_repeated(NONE.head)}"
        return
    callee, *arguments = call.parts
    columns = {*call.variables, *INPUTS}
    said = [_repeated(part) if part == NONE.head else part for part in arguments]
    if call.runs is None:
        function = callee if callee in columns else _repeated(callee)
        yield f"t{call.number} = ops.batch_call({', '.join((function, *said))})"
        return
    if not columns.intersection(arguments) and NONE.head not in arguments:
        said[0] = _repeated(said[0])
    yield f"t{call.number} = ops.batch({', '.join((repr(call.runs), *said))})"


def _repeated(part: str) -> str:
    return f"[{part}] * n"


_Writer = Callable[[_LineCall], Iterator[str]]

# The functions that hold lines in a file of each style, and the writer of one line.
_BODIES: dict[Style, dict[str, _Writer]] = {
    "pile": {BATT: _piled},
    "guarded": {BATT: _guarded},
    "vectorized": {BATT: _bare},
    "hybrid": {RESIDENT: _bare, FALLBACK: _logged},
    "gpu-direct": {BATT: _bare},
    "batch": {BATCH: _column},
}
COLUMN_IMPORT = "from arcbatt.batt.column_batt import GPUDSLOperations, columns_of, rows_of"
# What lines of a style use besides names of the language.
_OWN_NAMES: dict[Style, set[str]] = {
    "pile": {"Env"},
    "guarded": {"_get_safe_default"},
    "hybrid": {"_get_safe_default"},
}
