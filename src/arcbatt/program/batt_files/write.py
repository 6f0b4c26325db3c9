"""Writing batts as Python files in any of the four styles; they are read back, and run as plain Python."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import indent, wrap
from typing import NamedTuple, get_args

from arcbatt.arguments import require_count, require_kind, require_one_of
from arcbatt.dsl.constants import INPUTS
from arcbatt.program.batt_files.body import PARAMETERS
from arcbatt.program.batt_files.read import BATT, FALLBACK, RESIDENT
from arcbatt.program.emit import argument, roles
from arcbatt.program.forms.spelling import expressible
from arcbatt.program.graph import NONE, Batt, Line, Listing, Node, Program, Style, listing_of

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
    require_kind(seed, int, "seed; it must be a whole number")
    require_count("the seed without its sign", abs(seed))
    require_kind(batt, Batt, "batt; arcbatt.merge(...) and arcbatt.batt_of(...) make them")
    listing = _listing(batt)
    calls = [_call(line, listing) for line in listing.lines]
    environment = [f"env = Env({seed}, task_id, S, log_path)"] if style == "pile" else []
    functions = [
        _function(name, _body(batt.programs, listing, calls, writer, environment))
        for name, writer in _BODIES[style].items()
    ]
    if style == "hybrid":
        functions.append(_function(BATT, _choice()))
    title = f"# A batt in style {style}; solvers: {len(batt.solvers)}, differs: {len(batt.differs)}"
    return "\n\n\n".join((f"{title}\n\n{_imports(calls, style)}", *functions)) + "\n"


class _Call(NamedTuple):
    """A line as text: its variable's number, the callee and the arguments, and the variables among them.

    `condition` are the variables that must be ok in style `pile`. A line that never runs has no parts.
    """

    number: int
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


def _call(line: Line, listing: Listing) -> _Call:
    node = line.node
    if node is NONE:
        return _Call(line.number, (), (), ())
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
    return _Call(line.number, said, tuple(used), tuple(must_be_ok))


def _imports(calls: Iterable[_Call], style: Style) -> str:
    """The import of just the names that the lines use."""
    names = {
        part for call in calls for part in call.parts if part not in call.variables and part.isidentifier()
    }
    own = {"pile": {"Env"}, "vectorized": set()}.get(style, {"_get_safe_default"})
    lines = wrap(", ".join(sorted(names - {*INPUTS, NONE.head} | own)), WIDTH - len(INDENT))
    if not lines:
        return "import arcbatt.batt.runtime"
    return "\n".join(("from arcbatt.batt.runtime import (", *(INDENT + line for line in lines), ")"))


def _function(name: str, body: Iterable[str]) -> str:
    return f"def {name}({', '.join(PARAMETERS)}):\n{indent(chr(10).join(body), INDENT)}"


def _choice() -> Iterator[str]:
    """The body of a hybrid batt."""
    arguments = ", ".join(PARAMETERS)
    yield from ("try:", f"{INDENT}return {RESIDENT}({arguments})")
    yield from ("except Exception:", f"{INDENT}return {FALLBACK}({arguments})")


def _body(
    programs: Sequence[Program],
    listing: Listing,
    calls: Sequence[_Call],
    writer: "_Writer",
    environment: Sequence[str],
) -> Iterator[str]:
    """The lines, and each output as soon as it and all outputs before it are there."""
    yield from ("s = []", "o = []", *environment)
    done, numbers = 0, listing.entry_numbers
    for position, call in enumerate(calls):
        yield from writer(call)
        while done < len(programs) and listing.outputs[done] <= position:
            yield from _output(programs[done], numbers[done], calls[listing.outputs[done]].number)
            done += 1
    yield "return o, s"


def _output(program: Program, number: int, variable: int) -> Iterator[str]:
    for change in program.changes:
        yield f"# mutated: {' '.join(str(change).split())}"
    if program.kind == "solver":
        yield f"o.append(({number}, {program.evo}, {program.id!r}, t{variable}))"
    else:
        yield f"s.append(({number}, {program.scored_id!r}, {program.id!r}, t{variable}))"


def _bare(call: _Call) -> Iterator[str]:
    yield f"t{call.number} = {call if call.parts else NONE.head}"


def _guarded(call: _Call, *log: str) -> Iterator[str]:
    if not call.parts:
        yield from _bare(call)
        return
    default = f"_get_safe_default({', '.join((call.parts[0], *log))})"
    yield from ("try:", f"{INDENT}t{call.number} = {call}")
    yield from ("except Exception:", f"{INDENT}t{call.number} = {default}")


def _logged(call: _Call) -> Iterator[str]:
    """A guarded line that tells the log what failed."""
    arguments = "".join(f"{argument}, " for argument in call.parts[1:])
    yield from _guarded(call, f"({arguments.rstrip()})", str(call.number), "task_id", "log_path")


def _piled(call: _Call) -> Iterator[str]:
    if not call.parts:
        yield f"t{call.number} = env.do_pile({call.number}, [{NONE.head}], False)"
        return
    pile = ", ".join(f"{part}.t" if part in call.variables else part for part in call.parts)
    are_ok = " and ".join(f"{variable}.ok" for variable in call.condition) or "True"
    yield f"t{call.number} = env.do_pile({call.number}, [{pile}], {are_ok})"


_Writer = Callable[[_Call], Iterator[str]]

# The functions that hold lines in a file of each style, and the writer of one line.
_BODIES: dict[Style, dict[str, _Writer]] = {
    "pile": {BATT: _piled},
    "guarded": {BATT: _guarded},
    "vectorized": {BATT: _bare},
    "hybrid": {RESIDENT: _bare, FALLBACK: _logged},
}
