"""The table of ops as a whole: every op is tested, and the records say what the language says."""

import pytest

from arcbatt.dsl.table import ALIASES, TABLE
from support.cases import Call, Case
from support.restrictions import OF_TUPLE, RESTRICTIONS, Restriction
from support.vectors import CASES, RECORDED

TABLED = sorted({line.op for line in CASES})

# Section 7; the typed variants it speaks of are the restrictions.
ORDER_SENSITIVE = """
    first last totuple other extract color colorfilter order argmax argmin valmax valmin mostcommon
    leastcommon mostcolor leastcolor objects fgpartition underfill underpaint cover move paint combine
    merge mapply mfilter mpapply second get_nth_f get_nth_by_key_t get_nth_by_key_f get_arg_rank
    get_val_rank get_common_rank get_color_rank_t get_color_rank_f p_g p_o o_g o_g_t objects_t c_iz c_zo
    c_iz_n c_zo_n
"""
ORDER_FREE = """
    add equality contained size intersection difference dedupe maximum minimum initset insert remove
    product pair sizefilter apply rapply papply prapply sfilter identity compose height shape palette
    numcolors rot90 hmirror replace toindices ulcorner shift normalize recolor delta box partition
    frontiers fill upscale hconcat occurrences gravitate ascell toij is_no_grid
"""


def test_every_op_has_a_test() -> None:
    untested = set(TABLE) - set(RECORDED) - set(TABLED) - {op.name for op in RESTRICTIONS}
    assert not untested, f"{untested}: add cases to CASES of tests/dsl/test_<group>_ops.py"


@pytest.mark.parametrize("line", CASES, ids=str)
def test_op_gives_what_its_cases_say(call: Call, line: Case) -> None:
    line.check(call)


def test_every_test_is_of_an_op_that_exists() -> None:
    assert {*TABLED, *(op.name for op in RESTRICTIONS), *(op.of for op in RESTRICTIONS)} - set(TABLE) == set()


@pytest.mark.parametrize("name", TABLED)
def test_every_op_of_the_tables_has_values_and_refusals(name: str) -> None:
    lines = [line for line in CASES if line.op == name]
    assert any(line.fails is None for line in lines)
    takes_anything = all(param.type.name == "Any" for param in TABLE[name].params)
    assert takes_anything or any(line.fails == "TYPE" for line in lines)


def test_aliases_are_the_three_of_section_6_9() -> None:
    assert ALIASES == {"difference_t": "difference_tuple", "o_g_tuple": "o_g_t", "objects_g": "objects_t"}


def test_every_op_takes_one_to_four_arguments() -> None:
    assert {op.arity for op in TABLE.values()} == {1, 2, 3, 4}


@pytest.mark.parametrize("name", ORDER_SENSITIVE.split())
def test_order_sensitive_ops_say_so(name: str) -> None:
    assert TABLE[name].order_sensitive


@pytest.mark.parametrize("op", RESTRICTIONS, ids=str)
def test_typed_variants_are_as_order_sensitive_as_their_core_op(op: Restriction) -> None:
    makes_tuples_of_sets = op.turns_to == OF_TUPLE
    assert TABLE[op.name].order_sensitive == (TABLE[op.of].order_sensitive or makes_tuples_of_sets)


@pytest.mark.parametrize("name", ORDER_FREE.split())
def test_order_free_ops_say_so(name: str) -> None:
    assert not TABLE[name].order_sensitive


def test_result_is_a_function_for_the_constructors_alone() -> None:
    constructors = {name for name, op in TABLE.items() if op.builds_function}
    assert constructors == {"compose", "chain", "fork", "matcher", "lbind", "rbind", "power"}


@pytest.mark.parametrize("name", [*TABLE])
def test_ops_whose_signature_takes_a_function_apply_it_or_build_one(name: str) -> None:
    op = TABLE[name]
    params = [param for arrow in op.signature.alternatives for param in arrow.params]
    assert any(param.holds_function for param in params) == (op.higher_order or op.builds_function)
