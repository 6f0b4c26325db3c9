"""Signatures: every record has a sound one, a wrong one is refused, and the table answers by static type."""

from itertools import product
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.own_ops import own_ops
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.signatures import Signature, require_signature, signature_of
from arcbatt.dsl.static.types import ANY, GRID, INTEGER, StaticType, type_of
from arcbatt.dsl.table import TABLE, add, record, require_sound_signatures
from arcbatt.dsl.types import TYPES, AnyValue, Container, Fn1, Grid, Integer, Patch, Piece, Tuple
from arcbatt.dsl.values import Function


def types(*texts: str) -> tuple[StaticType, ...]:
    return tuple(map(static_type, texts))


def result(name: str, *texts: str) -> StaticType | None:
    return op_index().result(name, types(*texts))


def test_every_signature_is_sound() -> None:
    require_sound_signatures()


def test_every_type_of_the_language_has_a_static_meaning() -> None:
    assert all(static_type(kind.static) is not ANY for kind in TYPES.values())


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("rot90", "Grid -> Grid"),
        ("fill", "Grid, Integer, PatchT -> Grid"),
        ("size_t", "k[a] -> Integer"),
        ("mapply", "(a -> m[b]), k[a] -> k[b]"),
        ("hmirror_f", "Indices -> Indices; Object -> Object"),
        ("hmirror_o", "Object -> Object"),
        ("c_branch", "Integer, Integer, Integer -> Integer"),
        ("mostcommon", "Tuple[a] -> a"),
        ("mostcommon_f", "k[a] -> a"),
    ],
)
def test_a_signature_is_written_deduced_or_inherited(name: str, signature: str) -> None:
    assert repr(TABLE[name].signature) == signature


def shrug(piece: Any) -> Any:
    """The body of an op that is never run."""


@pytest.mark.parametrize(
    ("takes", "gives", "signature", "why"),
    [
        (AnyValue, Integer, None, "op 'shrug' needs a signature"),
        (Grid, Tuple, None, "op 'shrug' needs a signature"),
        (Fn1, Integer, None, "op 'shrug' needs a signature"),
        (Piece, Piece, None, "op 'shrug' needs a signature"),
        (Container, Integer, "k[a -> Integer", "a static type, got '(k[a -> Integer)': it is malformed"),
        (Container, Integer, "k[a], Integer", "expected a signature with an arrow, such as `k[a] -> a`"),
        (Container, Integer, "Container[a] -> Integer", "'Container' holds nothing"),
        (Container, Integer, "k[a] -> Number", "unknown type 'Number'"),
        (Container, Integer, "k[a], a -> Integer", "has not 1 parameters throughout"),
        (Patch, Integer, "Grid -> Integer", "contradicts shrug(piece: Patch) -> Integer"),
        (Patch, Patch, "Object -> Object", "leaves out some of what piece: Patch admits"),
        (Container, Tuple, "k[a] -> Set[a]", "gives no Tuple"),
    ],
)
def test_a_signature_that_is_missing_or_wrong_is_refused(
    takes: Any, gives: Any, signature: str | None, why: str
) -> None:
    new = record(shrug, {"piece": takes, "return": gives}, signature)
    with pytest.raises(ab.ArcbattError) as refusal:
        (require_signature if signature is None else signature_of)(new)
    assert why in str(refusal.value)


def test_the_table_takes_no_op_without_a_signature() -> None:
    with pytest.raises(ab.ArcbattError, match="op 'shrug' needs a signature"):
        add(record(shrug, {"piece": AnyValue, "return": AnyValue}))
    assert "shrug" not in TABLE


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("rot90", ["Grid"], "Grid"),
        ("rot90", ["Integer"], None),
        ("add", ["Integer", "IJ"], "IJ"),
        ("first", ["Cell"], "Integer"),
        ("last", ["Cell"], "IJ"),
        ("first", ["Grid"], "Tuple[Integer]"),
        ("combine", ["Set[Integer]", "Tuple[Integer]"], "Set[Integer]"),
        ("insert", ["Integer", "Indices"], "Set[any]"),
        ("merge", ["Tuple[Indices]"], "Tuple[IJ]"),
        ("merge", ["Set[Integer]"], None),
        ("paint", ["Grid", "any"], "Grid"),
        ("hmirror", ["any"], "any"),
        ("rot90", ["Tuple[Tuple[Integer]]"], "Grid"),
        ("apply", ["(Object -> Integer)", "Set[Object]"], "Set[Integer]"),
    ],
)
def test_an_op_gives_what_its_signature_says(name: str, arguments: list[str], expected: str | None) -> None:
    assert result(name, *arguments) is (expected and static_type(expected))


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (ab.fn("compose", ab.fn("size"), ab.fn("palette")), ["Grid"], "Integer"),
        (ab.fn("compose", ab.fn("rot90"), ab.fn("size")), ["Grid"], None),
        (ab.fn("fork", ab.fn("astuple"), ab.fn("size"), ab.fn("first")), ["Indices"], "(Integer, IJ)"),
        (ab.fn("matcher", ab.fn("color"), 3), ["Object"], "Integer"),
        (ab.fn("lbind", ab.fn("shift"), frozenset({(0, 0)})), ["IJ"], "Indices"),
        (ab.fn("rbind", ab.fn("apply"), ((1, 2, 3),)), ["(Tuple[Integer] -> IJ)"], "Tuple[IJ]"),
    ],
)
def test_a_function_gives_what_its_parts_say(
    function: Function, arguments: list[str], expected: str | None
) -> None:
    assert op_index().applied(type_of(function), types(*arguments)) is (expected and static_type(expected))


def test_takers_take_every_value_of_the_types_and_give_what_is_wanted() -> None:
    names = {taker.name for taker in op_index().takers(types("Grid", "Integer"), INTEGER)}
    assert {"colorcount", "get_color_rank_t"} <= names
    assert names.isdisjoint({"ofcolor", "upscale", "equality"})


def test_partial_takers_lack_one_argument_at_either_end() -> None:
    found = {(taker.name, taker.is_first): taker for taker in op_index().partial_takers((GRID,), GRID)}
    assert repr(found["upscale", False].missing) == "Integer"
    assert repr(found["hconcat", True].missing) == "Grid"
    assert repr(found["subgrid", True].missing) == "Patch"
    assert ("paint", True) not in found


def test_an_op_of_a_user_may_give_a_signature_and_has_one_anyway() -> None:
    def head(container: Container) -> AnyValue:
        return min(container)

    with own_ops(head):
        assert repr(TABLE["head"].signature) == "a[b] -> any"
    ab.register_op(head, signature="k[a] -> a")
    try:
        assert result("head", "Indices") is static_type("IJ")
    finally:
        ab.unregister_op("head")
    with pytest.raises(ab.ArcbattError, match="op 'head': the signature Grid -> Grid leaves out"):
        ab.register_op(head, signature="Grid -> Grid")


def test_signatures_with_equal_alternatives_are_equal() -> None:
    assert Signature.read("k[a] -> a") == Signature.read("Tuple[a] -> a; Set[a] -> a")
    assert Signature.read("k[a] -> a") != Signature.read("k[a] -> Integer")


@pytest.mark.parametrize("wanted", ["Grid", "Integer", "Indices", "Object", "Set[Object]", "IJ"])
def test_givers_are_the_ops_that_give_a_type_from_what_there_is(wanted: str) -> None:
    """First-order ops, found by trying all arguments; the rest needs functions, which can always be built."""
    have = types("Grid", "Integer", "Object")
    index, goal = op_index(), static_type(wanted)
    tried = {
        (op.name, arguments)
        for op in index.table
        if not any(param.holds_function for arrow in op.signature.alternatives for param in arrow.params)
        for arguments in product(have, repeat=op.arity)
        if index.result(op.name, arguments, True) is goal
    }
    found = {(giver.name, giver.arrow.params) for giver in index.givers(goal, have)}
    assert tried
    assert {(name, params) for name, params in found if set(params) <= set(have)} == tried


def test_givers_say_which_functions_they_need() -> None:
    grid, wanted = types("Grid", "Set[Object]")
    found = {giver.name: giver.arrow for giver in op_index().givers(wanted, (grid,))}
    assert repr(found["rapply"]) == "Set[(Grid -> Object)], Grid -> Set[Object]"
