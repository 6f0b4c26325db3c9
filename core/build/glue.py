"""Writes the C++ side of the language: shared numbers; types, checks and dispatch of the op records.

Run by the build as `python core/build/glue.py OUTPUT_FOLDER`, with `src` on the path.
"""

import sys
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path

from arcbatt.dsl import contract, types
from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.functions import COMPOSITES
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Op, Param, record, require_sound_signatures
from arcbatt.dsl.types import Type

NOTE = "// Written by core/build/glue.py from the Python sources. Do not edit.\n#pragma once\n\n"

PATCHES = ("Indices", "Object", "Patch", "PatchT", "PatchC", "ObjectT", "IndicesT")
# How a body takes an argument of a type: as a number, a location, a view, or the packed value itself.
VIEWS = {
    "Integer": "a[{}].integer()",
    "Boolean": "a[{}].integer()",
    "IJ": "location_of(a[{}])",
    "Cell": "cell_of(a[{}])",
    "Grid0": "Grid(a[{}])",
    **dict.fromkeys(PATCHES, "Patch(a[{}])"),
}
# The record of a call of a function value.
A_CALL = (
    "{0, false, true, Gives::as_given, Default::empty_tuple, Default::nothing, "
    "{}, 0, false, false, false, {}, 0, {}}"
)
REQUIREMENTS = {None: "nothing", "filled": "filled", "nonzero": "nonzero"}


def body_name(op: Op) -> str:
    """The C++ body of an op; an op that restricts another shares its body.

    It is a function, or a struct for ops that apply functions and for composites. An op that applies
    functions and restricts another is the other in C++; only the kind of its container may differ.
    """
    name = op.restricts if op.higher_order and op.restricts else op.body.__name__
    return f"op_{name}"


def type_names() -> list[str]:
    """The names of all types, in the order in which they are declared."""
    return [value.name for value in vars(types).values() if isinstance(value, Type)]


def default_of(op: Op) -> str:
    """The default of a failed op."""
    if op.builds_function:
        return "Default::function"
    defaults: dict[object, str] = {0: "zero", (): "empty_tuple", frozenset(): "empty_set"}
    return f"Default::{defaults[op.default]}"


def stand_in_of(op: Op) -> str:
    """What stands for a failed line of an op in mode `pile`."""
    stand_in = op.result.stand_in
    if stand_in is None:
        return "Default::nothing"
    return "Default::empty_tuple" if stand_in == () else "Default::empty_set"


def kind_of_result(op: Op) -> str:
    """The kind of container that an op gives: as its body has it, or always a Tuple or always a Set.

    An op that restricts another and still has a body of its own differs from the other by just that.
    """
    if op.restricts is None or op.body is TABLE[op.restricts].body:
        return "as_given"
    return {"Tuple": "tuple", "Set": "set"}[op.result.name]


def work_of(op: Op) -> str:
    """What an op costs, as initializers."""
    work = op.work
    assert work.product is None or work.paired is None
    places = work.product or work.paired or (0, 0)
    units, factors = (", ".join(map(str, row)) for row in (work.units(op.arity), places))
    extra = (work.sorts_lighter, work.product is not None, work.paired is not None)
    flags = ", ".join(str(flag).lower() for flag in extra)
    return f"{{{units}}}, {work.result}, {flags}, {{{factors}}}, {work.listed}"


def row(number: int, op: Op) -> str:
    """The record of an op as a C++ initializer."""
    params = ", ".join(f"{{Type::{p.type.name}, Need::{REQUIREMENTS[p.requirement]}}}" for p in op.params)
    flags = ", ".join(str(flag).lower() for flag in (op.selects, op.higher_order))
    flags += f", Gives::{kind_of_result(op)}"
    defaults = f"{default_of(op)}, {stand_in_of(op)}"
    return f"    {{{op.arity}, {flags}, {defaults}, {work_of(op)}, {{{params}}}}},  // {number} {op.name}"


def argument(position: int, param: Param) -> str:
    """The expression that hands an argument to a body."""
    return VIEWS.get(param.type.name, "a[{}]").format(position)


def enumeration(enum: type[IntEnum]) -> str:
    """An enum as C++ declares it."""
    members = ", ".join(f"{member.name} = {member.value}" for member in enum)
    return f"// {enum.__doc__}\nenum class {enum.__name__} : u8 {{ {members} }};"


def contract_header() -> str:
    """contract.h: the numbers that Python and C++ share."""
    enums = "\n".join(map(enumeration, contract.ENUMS))
    constants = "\n".join(
        f"constexpr {kind} {name} = {value};" for name, (kind, value) in contract.constants().items()
    )
    return f"""{NOTE}#include "values/integers.h"

namespace arcbatt {{

{enums}

{constants}

constexpr const char* STATUS_NAMES[] = {{{", ".join(f'"{status.name}"' for status in contract.Status)}}};
constexpr u32 CONTRACT = {contract.fingerprint()}u;

}}  // namespace arcbatt
"""


def bodies() -> list[int]:
    """The number of the op whose body each op has; CALL has its own."""
    numbers = {name: number for number, name in enumerate(TABLE)}
    shared = [
        numbers[op.restricts if op.restricts and op.body is TABLE[op.restricts].body else name]
        for name, op in TABLE.items()
    ]
    return [*shared, len(TABLE)]


def table() -> str:
    """table.h: types, numbers and records of the ops."""
    ranks = {name: rank for rank, name in enumerate(sorted(TABLE))}
    rows = "\n".join(row(number, op) for number, op in enumerate(TABLE.values()))
    numbers = ", ".join(f"{name}_" for name in TABLE)
    return f"""{NOTE}#include "values/value.h"

namespace arcbatt {{

enum class Type : u8 {{ {", ".join(type_names())} }};
enum class Need : u8 {{ nothing, filled, nonzero }};
enum class Gives : u8 {{ as_given, tuple, set }};
enum class Default : u8 {{ zero, empty_tuple, empty_set, function, nothing }};

// Numbers of the ops. A call of a function value has one, too: its first argument is the function. Then come
// the ops that the core does not have.
namespace number {{
enum : u32 {{ {numbers}, CALL, FIRST_FOREIGN }};
}}

struct ParamRecord {{
  Type type;
  Need need;
}};

struct OpRecord {{
  u8 arity;
  bool selects, higher_order;
  Gives gives;  // the kind of its container
  Default fallback, stand_in;
  u8 argument_work[MOST_PARAMETERS], result_work;  // units for each item
  bool sorts_lighter, multiplies, pairs;
  u8 factors[2];  // places of the arguments whose weights are multiplied, or whose elements are paired
  u8 listed;  // units for each item of an argument that is a Tuple, in addition
  ParamRecord params[MOST_PARAMETERS];
}};

constexpr OpRecord OPS[] = {{
{rows}
    {A_CALL},  // CALL
}};

// The op whose body an op has, on fewer arguments: itself, or the one that it restricts.
constexpr u16 BODIES[] = {{{", ".join(map(str, bodies()))}}};

constexpr const char* OP_NAMES[] = {{{", ".join(f'"{name}"' for name in (*TABLE, FUNCTION_CALL.name))}}};

// Places of the names in ASCII order.
constexpr u16 NAME_RANKS[] = {{{", ".join(str(ranks[name]) for name in TABLE)}}};

// Whether an op is not of this table: it then runs outside the core.
HOST_DEVICE constexpr bool is_foreign(u32 op) {{ return op >= number::FIRST_FOREIGN; }}

}}  // namespace arcbatt
"""


def checks(op: Op) -> str:
    """The tests of an op's arguments: TYPE over all of them, then EMPTY, then ZERO."""
    params = list(enumerate(op.params))
    typed = " && ".join(f"is_of(Type::{p.type.name}, a[{k}])" for k, p in params if p.type.name != "Any")
    filled = " || ".join(
        f"lacks(Type::{p.type.name}, a[{k}])" for k, p in params if p.requirement == "filled"
    )
    zero = " || ".join(f"has_zero(a[{k}])" for k, p in params if p.requirement == "nonzero")
    lines = [
        f"if ({condition}) [[unlikely]] return lane.fail(Status::{kind});"
        for condition, kind in ((typed and f"!({typed})", "TYPE"), (filled, "EMPTY"), (zero, "ZERO"))
        if condition
    ]
    return "".join(f"  {line}\n" for line in lines)


def body(op: Op) -> str:
    """The call of an op's body with the arguments as it wants them."""
    arguments = ", ".join(argument(position, param) for position, param in enumerate(record(op.body).params))
    if op.name in COMPOSITES:
        return f"make_function(lane, number::{op.name}_, {body_name(op)}::arity(a), a, {op.arity})"
    return f"{body_name(op)}(lane, {arguments})"


def runner(number: int, op: Op) -> str:
    """One first-order op as a function: its checks, its cost, its body, the judgement of its result."""
    result = body(op) if op.selects else f"judged(lane, {body(op)})"
    work, pay = op.work, ""
    if work.looks:
        pay = f"  if (!lane.spend(work_of_arguments(OPS[{number}], a))) [[unlikely]] return NO_VALUE;\n"
    if work.result:
        result = f"paid(lane, OPS[{number}], {result})"
    return f"""\
template <class Group>
HOST_DEVICE Value checked_{op.name}(Lane<Group>& lane, const Value* a, u32 count) {{
  if (count != {op.arity}) [[unlikely]] return lane.fail(Status::TYPE);
{checks(op)}{pay}  return {result};
}}"""


def switch(calls: Iterable[tuple[int, str]]) -> str:
    """The cases of a switch over ops: what each returns. Ops that return the same share a case."""
    numbers: dict[str, list[int]] = {}
    for number, call in calls:
        numbers.setdefault(call, []).append(number)
    return "\n".join(
        "".join(f"    case {number}:\n" for number in group) + f"      return {call};"
        for call, group in numbers.items()
    )


def loop_proofs(op: Op) -> str:
    """The proofs that the loop of an op holds what its record says, and finds its arguments there."""
    held = op.collects.__name__ if op.collects else "first_kept"
    place, param = next((k, param) for k, param in enumerate(op.params) if param.type.is_function)
    part = "container" if param.type.name == "Fns" else "function"
    loop = f"{body_name(op)}::LOOP"
    return f"""\
static_assert({loop}.hold == Hold::{held});
static_assert({loop}.at.{part} == {place} && {loop}.at.function != {loop}.at.container);"""


def dispatch() -> str:
    """dispatch.h: an op by its number."""
    numbered = list(enumerate(TABLE.values()))
    first_order = [(number, op) for number, op in numbered if not op.higher_order]
    higher_order = [(number, body_name(op)) for number, op in numbered if op.higher_order]
    composites = [(number, body_name(op)) for number, op in numbered if op.name in COMPOSITES]
    runners = "\n".join(runner(number, op) for number, op in first_order)
    pointers = "\n".join(
        f"    {'nullptr' if op.higher_order else f'checked_{op.name}<Group>'},  // {number}"
        for number, op in numbered
    )
    calls = switch((number, f"called([&lane, a] {{ return {body(op)}; }})") for number, op in first_order)
    loops = "\n".join(
        f"    {f'{body_name(op)}::LOOP' if op.higher_order else '{}'},  // {number} {op.name}"
        for number, op in numbered
    )
    proofs = "\n".join(loop_proofs(op) for op in TABLE.values() if op.higher_order and not op.restricts)
    ends = switch((number, f"{name}::finish(lane, got)") for number, name in higher_order)
    entries = switch((number, f"{name}::enter(lane, {number}, parts, call)") for number, name in composites)
    returns = switch((number, f"{name}::resume(lane, at, call, result)") for number, name in composites)
    return f"""{NOTE}#include "ops/all.h"
#include "values/types.h"

namespace arcbatt {{

template <class Body>
CALLED Value called(Body body) {{ return body(); }}

// The body of a first-order op, on arguments that have been checked.
template <class Group>
CALLED Value run_body(Lane<Group>& lane, u32 op, const Value* a) {{
  switch (op) {{
{calls}
    default: return lane.fail(Status::TYPE);
  }}
}}

// Each first-order op where code may be large: its arguments are checked by tests of its own.
{runners}

template <class Group>
using FirstOrder = Value (*)(Lane<Group>& lane, const Value* a, u32 count);

// Those functions by number; null for ops that apply functions, and for CALL.
template <class Group>
constexpr FirstOrder<Group> FIRST_ORDER[] = {{
{pointers}
    nullptr,  // CALL
}};

// A first-order op on `count` arguments: checked, run and judged.
template <class Group>
INLINED Value run_first_order(Lane<Group>& lane, u32 op, const Value* a, u32 count) {{
  if constexpr (Group::SMALL_CODE) {{
    if (!check(lane, op, a, count)) return NO_VALUE;
    if (!lane.spend(work_of_arguments(OPS[op], a))) return NO_VALUE;
    const Value result = run_body(lane, op, a);
    return paid(lane, OPS[op], OPS[op].selects ? result : judged(lane, result));
  }} else {{
    return FIRST_ORDER<Group>[op](lane, a, count);
  }}
}}

// The records of the ops that apply functions, by number.
constexpr Loop LOOPS[] = {{
{loops}
}};
{proofs}

// What an op that applies functions makes of its results.
template <class Group>
HOST_DEVICE Value finish_loop(Lane<Group>& lane, u32 op, const Results& got) {{
  switch (op) {{
{ends}
    default: return lane.fail(Status::TYPE);
  }}
}}

// Enter a composite function: the call becomes that of the part that comes first.
template <class Group>
HOST_DEVICE inline void enter_composite(Lane<Group>& lane, Call& call) {{
  const Value* parts = content<Value>(call.function.head());
  switch (function_name(call.function)) {{
{entries}
    default: lane.fail(Status::TYPE);
  }}
}}

// Go on with a composite that has got a result: true if it asks for another call, else `result` is its own.
template <class Group>
HOST_DEVICE inline bool resume_composite(Lane<Group>& lane, Frame& frame, u32 floor, Call& call,
                                         Value& result) {{
  const Resumed at{{frame, content<Value>(frame.function.head()), floor}};
  switch (frame.op) {{
{returns}
    default: return lane.fail(Status::TYPE).exists();
  }}
}}

}}  // namespace arcbatt
"""


def main() -> None:
    """Write the headers, each only if it changed, so that nothing is compiled again without need."""
    require_sound_signatures()
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    headers = {"contract.h": contract_header(), "table.h": table(), "dispatch.h": dispatch()}
    for name, content in headers.items():
        file = folder / name
        if not file.exists() or file.read_text() != content:
            file.write_text(content)


if __name__ == "__main__":
    main()
