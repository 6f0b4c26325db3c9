"""The language on one page, and each of its names in full, from the op table."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rich.text import Text

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.constants import CONSTANTS, FAMILIES, INPUTS
from arcbatt.dsl.contract import PRODUCT_BITS
from arcbatt.dsl.encoding import encode
from arcbatt.dsl.failures import KINDS, MEANINGS
from arcbatt.dsl.own_ops import OWN_GROUP
from arcbatt.dsl.table import ALIASES, TABLE, Op, Param, find, type_name
from arcbatt.dsl.types import TYPES, Requirement
from arcbatt.dsl.values import text
from arcbatt.dsl.work import SORT
from arcbatt.errors import ArcbattError
from arcbatt.view.tables import hanging

GRID_DOC = "a Grid0 with at least one cell"

INPUT_MEANINGS: dict[str, str] = {
    "S": "the demo pairs of the task, a Tuple of (input, output)",
    "I": "the input grid of the sample",
    "C": "the expected output of the sample, for differs; a solver that uses it fails with TYPE",
}
REQUIREMENTS: dict[Requirement, str] = {
    "filled": "must not be empty, else EMPTY",
    "nonzero": "must not be or hold 0, else ZERO",
}
SIGNATURE_COLUMN = 64
NAME_COLUMN = 16


@dataclass(frozen=True)
class Property:
    """A property of an op; the page marks those that have a letter, the full entry names all."""

    name: str
    letter: str
    meaning: str


PROPERTIES = (
    Property("order_sensitive", "o", "depends on the canonical order or on a tie rule"),
    Property("higher_order", "h", "applies the functions it is given"),
    Property("builds_function", "b", "builds a function and applies nothing"),
    Property("may_leave_range", "", "computes integers; one that does not fit 32 bits fails with RANGE"),
    Property("idempotent", "", "done again to its result, with the same other arguments, changes nothing"),
    Property("involution", "", "done again to its result, with the same other arguments, undoes itself"),
    Property("commutes", "", "gives the same for its two arguments in either order"),
)
MARKS = tuple(kind for kind in PROPERTIES if kind.letter)


def groups() -> dict[str, list[Op]]:
    """The ops by group, in the order of the table."""
    result: dict[str, list[Op]] = {}
    for record in TABLE.values():
        result.setdefault(record.group, []).append(record)
    return result


def page(group: str | None, width: int | None) -> Iterator[Text]:
    """The whole language, or the ops of one group."""
    if group is not None:
        yield from _group_lines(group, _group(group), width)
        return
    yield Text(f"{len(TABLE)} ops. A letter before an op marks that it")
    for mark in MARKS:
        yield Text.assemble("    ", (mark.letter, "yellow"), f" {mark.meaning}")
    for name, records in groups().items():
        yield Text()
        yield from _group_lines(name, records, width)
    for title, entries in _vocabulary().items():
        yield Text()
        yield Text(title, "bold")
        for entry, explanation in entries.items():
            yield from hanging(Text(f"    {entry}", "cyan"), explanation, NAME_COLUMN + 4, width)


def _group(name: str) -> list[Op]:
    known = groups()
    if name not in known:
        raise ArcbattError(f"there is no group {name!r}; the groups are {', '.join(known)}")
    return known[name]


def _about(group: str) -> str:
    """The title of a group from its module, such as `: falling until contact, ...`."""
    if group == OWN_GROUP:
        return ": registered by you"
    title = (sys.modules[f"arcbatt.dsl.ops.{group}"].__doc__ or "").partition("\n")[0]
    lead, _, rest = title.partition(": ")
    return f" (dialect): {rest}" if lead == "Dialect" else f": {rest}"


def _group_lines(group: str, records: list[Op], width: int | None) -> Iterator[Text]:
    yield Text.assemble((group, "bold"), _about(group))
    for record in records:
        marks = "".join(mark.letter if getattr(record, mark.name) else " " for mark in MARKS)
        rest = record.declaration.removeprefix(record.name)
        entry = Text.assemble((marks, "yellow"), " ", (record.name, "cyan"), rest)
        yield from hanging(entry, record.summary, SIGNATURE_COLUMN, width)


def _vocabulary() -> dict[str, dict[str, str]]:
    """The inputs, constants, aliases, types and failures: title, name and explanation."""
    families = {
        family: ", ".join(f"{name} {text(value)}" for name, value in members.items())
        for family, members in FAMILIES.items()
    }
    return {
        "inputs": INPUT_MEANINGS,
        "constants by family": families,
        "other names of ops": {name: f"is {target}" for name, target in ALIASES.items()},
        "types": {name: kind.doc for name, kind in TYPES.items()} | {"Grid": GRID_DOC},
        "failures": {kind: MEANINGS[kind] for kind in KINDS},
    }


def explain(name: str, width: int | None) -> Iterator[Text]:
    """All meanings of a name: op, alias, constant, input, type, kind of failure, group."""
    entries = _entries(name, width)
    if not entries:
        raise ArcbattError(f"there is no name {name!r} in the language{_nearest(name)}")
    for number, entry in enumerate(entries):
        if number:
            yield Text()
        yield from entry


def _entries(name: str, width: int | None) -> list[Iterator[Text]]:
    entries: list[Iterator[Text]] = []
    record = find(name)
    if record is not None:
        entries.append(_op_entry(name, record, width))
    entries += [
        iter([Text(f"{name} is the constant {text(members[name])} of the family {family}")])
        for family, members in FAMILIES.items()
        if name in members
    ]
    if name in INPUTS:
        entries.append(iter([Text(f"{name} is an input: {INPUT_MEANINGS[name]}")]))
    if name in TYPES or name == "Grid":
        entries.append(_type_entry(name, width))
    if name in KINDS:
        entries.append(iter([Text(f"{name} is a kind of failure: {MEANINGS[name]}")]))
    if name in groups():
        entries.append(_group_lines(name, groups()[name], width))
    return entries


def _nearest(name: str) -> str:
    known = [*TABLE, *ALIASES, *CONSTANTS, *INPUTS, *TYPES, *KINDS, *groups()]
    close = get_close_matches(name, known, n=4)
    return (
        f"; did you mean {' or '.join(dict.fromkeys(close))}?"
        if close
        else "; `arcbatt ops` lists all of them"
    )


def _type_entry(name: str, width: int | None) -> Iterator[Text]:
    doc = TYPES[name].doc if name in TYPES else GRID_DOC
    takers = [
        record.name for record in TABLE.values() if any(type_name(param) == name for param in record.params)
    ]
    yield Text(f"{name} is a type: {doc}")
    yield from _field("taken by", ", ".join(takers) or "no op", width)


def _op_entry(name: str, record: Op, width: int | None) -> Iterator[Text]:
    if name != record.name:
        yield Text(f"{name} is another name of {record.name}")
    yield Text(record.declaration, "bold")
    yield Text()
    yield from hanging(Text(), record.summary, 2, width)
    yield Text()
    for label, content in _op_fields(record):
        yield from _field(label, content, width)
    source = record if record.examples or not record.restricts else TABLE[record.restricts]
    if source.examples:
        yield Text()
        yield Text("  example" if source is record else f"  example of {source.name}", "yellow")
        yield from (Text(f"    {line}") for line in source.examples.splitlines())


def _op_fields(record: Op) -> Iterator[tuple[str, str]]:
    for place, param in enumerate(record.params):
        yield "" if place else "takes", _param_text(param)
    yield "gives", _result_text(record)
    yield "signature", repr(record.signature)
    yield "costs", _cost_text(record)
    yield "default", f"{text(record.default)} where failures are replaced (--on-failure default)"
    meanings = [kind.meaning for kind in PROPERTIES if getattr(record, kind.name)]
    for place, meaning in enumerate(meanings):
        yield "" if place else "properties", meaning
    if record.restricts:
        yield "variant of", record.restricts
    aliases = [alias for alias, target in ALIASES.items() if target == record.name]
    if aliases:
        yield "also called", ", ".join(aliases)
    yield "group", record.group + _about(record.group)


def _result_text(record: Op) -> str:
    """The type of the result; a general description, unless the signature says more."""
    name = record.result.name
    is_exact = repr(record.signature).rpartition("-> ")[2] == name
    return f"{name}: {record.result.doc}" if is_exact else name


def _param_text(param: Param) -> str:
    parts = [
        f"{param.name}: {type_name(param)}: {GRID_DOC if type_name(param) == 'Grid' else param.type.doc}"
    ]
    if param.requirement:
        parts.append(REQUIREMENTS[param.requirement])
    if param.role:
        named = list(FAMILIES[param.role])
        parts.append(f"a {param.role} such as {named[0]}, {named[1]} or {named[-1]}")
    return "; ".join(parts)


def _cost_text(record: Op) -> str:
    """The cost of an op, in units for each item of the weight of a value."""
    work, names = record.work, [param.name for param in record.params]
    units = zip((*work.units(record.arity), work.result), (*names, "the result"))
    parts = [f"{count} for each item of {name}" for count, name in units if count]
    if work.sorts_lighter:
        parts.append(f"{SORT} for each item of the lighter of {names[0]} and {names[1]}")
    if work.listed:
        parts.append(f"{work.listed} for each item of an argument that is a Tuple, in addition")
    if work.paired is not None:
        first, second = (names[place] for place in work.paired)
        parts.append(f"{SORT} for each element of {first} with each of {second}")
    if work.product is not None:
        first, second = (names[place] for place in work.product)
        parts.append(f"a unit for each {1 << PRODUCT_BITS} of weight({first}) * weight({second})")
    return "; ".join(parts) or "nothing that depends on what it gets"


def _field(label: str, content: str, width: int | None) -> Iterator[Text]:
    return hanging(Text(f"  {label}", "yellow"), content, NAME_COLUMN, width)


def as_json(record: Op) -> dict[str, Any]:
    """The record of an op as plain data."""
    return {
        "name": record.name,
        "group": record.group,
        "signature": record.declaration,
        "params": [
            {
                "name": param.name,
                "type": type_name(param),
                "requirement": param.requirement,
                "role": param.role,
            }
            for param in record.params
        ],
        "result": record.result.name,
        "types": repr(record.signature),
        "default": encode(record.default),
        "summary": record.summary,
        "example": record.examples,
        "costs": _cost_text(record),
        **{kind.name: getattr(record, kind.name) for kind in PROPERTIES},
        "restricts": record.restricts,
        "aliases": [alias for alias, target in ALIASES.items() if target == record.name],
    }


def records(name: str | None, group: str | None) -> list[Op]:
    """The op with a name, the ops of a group, or all."""
    if name is None:
        return _group(group) if group else list(TABLE.values())
    record = find(name)
    if record is None:
        raise ArcbattError(f"there is no op {name!r}{_nearest(name)}")
    return [record]
