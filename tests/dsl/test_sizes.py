"""Section 2.4: what a result weighs, when it is weighed, and that nothing huge is ever built."""

import tracemalloc
from typing import Any

import pytest

from arcbatt import ArcbattError, Limits, fn
from support.cases import HIGHEST, LOWEST, Call, constantly, failed, setof, shown

ADD, IDENTITY = fn("add"), fn("identity")
ZEROS = fn("lbind", fn("repeat"), 0)
NINE_ZEROS_FOR_ZERO = fn("compose", ZEROS, fn("lbind", ADD, 9))
MAKES_FUNCTIONS = fn("lbind", fn("lbind"), ADD)
GRID = ((1, 2), (3, 4))

WEIGHTS: list[tuple[str, tuple[Any, ...], int]] = [
    ("canvas", (7, (2, 3)), 1 + 2 + 2 * 3),
    ("canvas", (7, (4, 0)), 1 + 4),
    ("canvas", (7, (4, -9)), 1 + 4),
    ("repeat", (7, 8), 1 + 8),
    ("repeat", ((1, 2), 8), 1 + 8 * 3),
    ("interval", (0, 20, 2), 1 + 10),
    ("interval", (0, -20, -3), 1 + 7),
    ("astuple", ((1, 2), (3, 4)), 1 + 3 + 3),
    ("initset", ((1, 2, 3),), 1 + 4),
    ("product", ((1, 2), (3, 4)), 1 + 4 * 3),
    ("product", ((1, 2), ((3, 4), (5, 6))), 1 + 4 * 5),
    ("product", ((1, 1), (3, 3)), 1 + 3),
    ("upscale", (GRID, 3), 1 + 6 + 36),
    ("upscale", (setof((1, (0, 0)), (2, (5, 5))), 2), 1 + 8 * 5),
    ("hupscale", (GRID, 5), 1 + 2 + 20),
    ("vupscale", (GRID, 5), 1 + 10 + 20),
    ("hsplit", (GRID, 9), 1 + 9 * 3),
    ("vsplit", (GRID, 12), 1 + 12),
    ("hsplit", (((1, 2, 3, 4),), 2), 1 + 2 * (1 + 1 + 2)),
    ("connect", ((0, 0), (9, 9)), 1 + 10 * 3),
    ("shoot", ((0, 0), (-1, 1)), 1 + 43 * 3),
    ("shoot", ((0, 0), (2, 2)), 1 + 85 * 3),
    ("backdrop", (setof((0, 0), (4, 5)),), 1 + 30 * 3),
    ("box", (setof((0, 0), (4, 5)),), 1 + 18 * 3),
    ("inbox", (setof((0, 0), (4, 5)),), 1 + 10 * 3),
    ("outbox", (setof((0, 0), (4, 5)),), 1 + 26 * 3),
    ("delta", (setof((0, 0), (4, 5)),), 1 + 30 * 3),
    ("asobject", (((1, 2, 3), (4, 5, 6)),), 1 + 6 * 5),
    ("vfrontier", ((0, 0),), 1 + 30 * 3),
    ("partition", (((1, 2), (2, 1)),), 1 + 2 * (1 + 2 * 5)),
    ("compose", (IDENTITY, IDENTITY), 1 + 1 + 1),
    ("rbind", (ADD, (1, 2)), 1 + 1 + 3),
    ("matcher", (IDENTITY, setof(1)), 1 + 1 + 2),
]


@pytest.mark.parametrize(("op", "arguments", "weight"), WEIGHTS, ids=shown)
def test_result_may_weigh_as_much_as_the_limit_and_no_more(
    call: Call, op: str, arguments: tuple[Any, ...], weight: int
) -> None:
    assert call(op, *arguments, limits=Limits(items=weight)) == call(op, *arguments)
    assert failed(call(op, *arguments, limits=Limits(items=weight - 1))) == "SIZE"


def test_delta_is_judged_on_the_box_even_where_it_is_empty(call: Call) -> None:
    full = setof((0, 0), (0, 1), (1, 0), (1, 1))
    assert call("delta", full, limits=Limits(items=13)) == setof()
    far = setof((0, 0), (1000, 1000))
    assert failed(call("delta", far)) == failed(call("backdrop", far)) == "SIZE"
    assert call("size", call("box", far)) == 4000


FAR = setof((LOWEST, LOWEST), (HIGHEST, HIGHEST))
HUGE: list[tuple[str, tuple[Any, ...]]] = [
    ("interval", (0, HIGHEST, 1)),
    ("interval", (HIGHEST, LOWEST, -1)),
    ("canvas", (0, (HIGHEST, HIGHEST))),
    ("canvas", (0, (1, HIGHEST))),
    ("canvas", (0, (HIGHEST, -5))),
    ("repeat", (0, HIGHEST)),
    ("upscale", (((1,),), HIGHEST)),
    ("upscale", (setof((1, (0, 0))), HIGHEST)),
    ("upscale", (((), ()), HIGHEST)),
    ("upscale_t", (((1,),), HIGHEST)),
    ("upscale_f", (setof((1, (0, 0))), HIGHEST)),
    ("hupscale", (GRID, HIGHEST)),
    ("vupscale", (GRID, HIGHEST)),
    ("hsplit", (GRID, HIGHEST)),
    ("vsplit", (GRID, HIGHEST)),
    ("connect", ((0, 0), (0, HIGHEST))),
    ("connect", ((LOWEST, LOWEST), (HIGHEST, HIGHEST))),
    ("shoot", ((0, 0), (10_000_000, 0))),
    ("backdrop", (FAR,)),
    ("delta", (FAR,)),
    ("box", (FAR,)),
    ("inbox", (FAR,)),
    ("outbox", (setof((0, 0), (HIGHEST - 1, 0)),)),
    ("product", (tuple(range(10_000)), tuple(range(10_000)))),
]


@pytest.mark.parametrize(("op", "arguments"), HUGE, ids=shown)
def test_huge_result_fails_without_being_built(call: Call, op: str, arguments: tuple[Any, ...]) -> None:
    tracemalloc.start()
    try:
        assert failed(call(op, *arguments)) == "SIZE"
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("op", "arguments", "expected"),
    [
        ("canvas", (0, (0, HIGHEST)), ()),
        ("canvas", (0, (LOWEST, HIGHEST)), ()),
        ("repeat", (0, LOWEST), ()),
        ("upscale", (GRID, LOWEST), ()),
        ("upscale", ((), HIGHEST), ()),
        ("upscale", (setof(), HIGHEST), setof()),
        ("hupscale", (GRID, LOWEST), ((), ())),
        ("hupscale", (((), ()), HIGHEST), ((), ())),
        ("vupscale", ((), HIGHEST), ()),
        ("hsplit", (GRID, LOWEST), ()),
        ("downscale", (GRID, LOWEST), ((1,),)),
        ("crop", (GRID, (LOWEST, LOWEST), (HIGHEST, HIGHEST)), ((1,),)),
        ("crop", (GRID, (0, 0), (HIGHEST, HIGHEST)), GRID),
        ("connect", ((0, 0), (HIGHEST, 1)), setof()),
        ("interval", (HIGHEST, LOWEST, 1), ()),
        ("interval", (LOWEST, HIGHEST, HIGHEST), (LOWEST, -1, HIGHEST - 1)),
        ("subgrid", (FAR, GRID), GRID),
        ("occurrences", (GRID, setof((1, (LOWEST, 0)), (1, (HIGHEST, 0)))), setof()),
        ("square", (FAR,), 0),
        ("vline", (setof((LOWEST, 0), (HIGHEST, 0)),), 0),
    ],
    ids=shown,
)
def test_huge_number_with_a_small_result_is_fine(
    call: Call, op: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    assert call(op, *arguments) == expected


def test_duplicates_of_a_product_do_not_weigh(call: Call) -> None:
    assert call("product", (0,) * 1000, (0,) * 1000) == setof((0, 0))


def test_sets_are_weighed_without_their_duplicates_and_tuples_with_them(call: Call) -> None:
    same = constantly((0,) * 5)
    limits = Limits(items=10)
    assert call("apply", same, setof(1, 2, 3), limits=limits) == setof((0,) * 5)
    assert failed(call("apply", same, (1, 2, 3), limits=limits)) == "SIZE"
    left, three = fn("lbind", fn("branch"), 1), (1, 2, 3)
    assert call("prapply", left, three, three, limits=Limits(items=4)) == setof(1, 2, 3)


def test_results_are_weighed_after_each_application(call: Call) -> None:
    # Five zeros weigh 6; the last element would fail TYPE.
    elements = (5, 5, (1,))
    assert failed(call("apply", ZEROS, elements, limits=Limits(items=12))) == "SIZE"
    assert failed(call("apply", ZEROS, elements, limits=Limits(items=13))) == "TYPE"
    assert failed(call("mapply", ZEROS, elements, limits=Limits(items=12))) == "SIZE"
    assert failed(call("mapply", ZEROS, elements, limits=Limits(items=13))) == "TYPE"


def test_results_of_several_containers_are_weighed_after_each_application(call: Call) -> None:
    limits = Limits(items=12)
    repeat = fn("repeat")
    assert failed(call("papply", repeat, (0, 0, 0), (5, 5, ()), limits=limits)) == "SIZE"
    assert failed(call("papply", repeat, (0, 0, 0), (5, (), ()), limits=limits)) == "TYPE"
    assert failed(call("mpapply", repeat, (0, 0, 0), (5, 5, ()), limits=limits)) == "SIZE"
    assert failed(call("prapply", repeat, (0, 1), (5, ()), limits=limits)) == "SIZE"
    assert failed(call("prapply", repeat, (0, 0), (5, ()), limits=limits)) == "TYPE"
    assert failed(call("rapply", (ZEROS, ZEROS, fn("first")), 5, limits=limits)) == "SIZE"
    assert failed(call("rapply", (ZEROS, fn("first"), ZEROS), 5, limits=limits)) == "TYPE"


def test_results_are_weighed_unmerged(call: Call) -> None:
    assert call("mapply", ZEROS, (3, 3), limits=Limits(items=9)) == (0,) * 6
    assert failed(call("mapply", ZEROS, (3, 3), limits=Limits(items=8))) == "SIZE"
    assert call("mpapply", fn("repeat"), (0, 0), (3, 3), limits=Limits(items=9)) == (0,) * 6
    assert failed(call("mpapply", fn("repeat"), (0, 0), (3, 3), limits=Limits(items=8))) == "SIZE"
    assert call("mapply", ZEROS, setof(2, 3), limits=Limits(items=8)) == setof(0)
    assert failed(call("mapply", ZEROS, setof(2, 3), limits=Limits(items=7))) == "SIZE"


@pytest.mark.parametrize(("op", "core"), [("apply_t", "apply"), ("mapply_t", "mapply")])
def test_typed_op_that_gives_a_tuple_of_a_set_weighs_every_result(call: Call, op: str, core: str) -> None:
    same = constantly((0,) * 5)
    assert call(core, same, setof(1, 2, 3), limits=Limits(items=18))
    assert call(op, same, setof(1, 2, 3), limits=Limits(items=19)) == call(op, same, (1, 2, 3))
    assert failed(call(op, same, setof(1, 2, 3), limits=Limits(items=18))) == "SIZE"


def test_rapply_t_of_a_set_weighs_every_result(call: Call) -> None:
    both = setof(ZEROS, fn("compose", ZEROS, IDENTITY))
    assert call("rapply_f", both, 9, limits=Limits(items=20)) == setof((0,) * 9)
    assert failed(call("rapply_t", both, 9, limits=Limits(items=20))) == "SIZE"


def test_results_are_weighed_before_they_are_found_to_be_no_containers(call: Call) -> None:
    assert failed(call("mapply", MAKES_FUNCTIONS, (1, 2), limits=Limits(items=6))) == "SIZE"
    assert failed(call("mapply", MAKES_FUNCTIONS, (1, 2), limits=Limits(items=7))) == "TYPE"
    assert failed(call("mpapply", fn("lbind"), (ADD, ADD), (1, 2), limits=Limits(items=6))) == "SIZE"
    assert failed(call("mpapply", fn("lbind"), (ADD, ADD), (1, 2), limits=Limits(items=7))) == "TYPE"


@pytest.mark.parametrize("op", ["order", "argmax", "argmin", "valmax", "valmin"])
def test_keys_of_a_ranking_are_weighed_as_a_tuple(call: Call, op: str) -> None:
    assert failed(call(op, (5, 5), ZEROS, limits=Limits(items=12))) == "SIZE"
    assert call(op, (5, 5), ZEROS, limits=Limits(items=13)) == call(op, (5, 5), ZEROS)
    assert failed(call(op, (5, 5, ()), ZEROS, limits=Limits(items=12))) == "SIZE"


@pytest.mark.parametrize("op", ["get_arg_rank", "get_val_rank"])
def test_keys_of_a_dialect_ranking_are_weighed_as_a_tuple(call: Call, op: str) -> None:
    assert failed(call(op, (5, 5), ZEROS, 0, limits=Limits(items=12))) == "SIZE"
    assert call(op, (5, 5), ZEROS, 0, limits=Limits(items=13)) == call(op, (5, 5), ZEROS, 0)
    assert failed(call("get_nth_by_key_t", (5, 5), 0, ZEROS, limits=Limits(items=12))) == "SIZE"


@pytest.mark.parametrize("op", ["valmax", "valmin", "valmax_t"])
def test_key_of_an_empty_container_is_weighed_as_a_tuple_of_one(call: Call, op: str) -> None:
    assert call(op, (), NINE_ZEROS_FOR_ZERO, limits=Limits(items=11)) == (0,) * 9
    assert failed(call(op, (), NINE_ZEROS_FOR_ZERO, limits=Limits(items=10))) == "SIZE"


def test_filters_weigh_only_what_they_keep_and_extract_nothing(call: Call) -> None:
    elements, limits = (0, 0, 0, 0, 7), Limits(items=6)
    assert call("sfilter", elements, fn("positive"), limits=limits) == (7,)
    assert call("extract", elements, fn("positive"), limits=limits) == 7


def test_inner_result_counts_even_if_it_is_not_the_last(call: Call) -> None:
    length = fn("compose", fn("size"), ZEROS)
    assert call(length, 9, limits=Limits(items=10)) == 9
    assert failed(call(length, 9, limits=Limits(items=9))) == "SIZE"
    assert failed(call("apply", length, (9,), limits=Limits(items=9))) == "SIZE"


@pytest.mark.slow
def test_default_limit_is_262144_items(call: Call) -> None:
    assert call("size", call("repeat", 0, 262_143)) == 262_143
    assert failed(call("repeat", 0, 262_144)) == "SIZE"
    assert call("size", call("vsplit", GRID, 262_143)) == 262_143
    assert failed(call("vsplit", GRID, 262_144)) == "SIZE"


def test_input_over_a_limit_is_refused_before_anything_runs(call: Call) -> None:
    with pytest.raises(ArcbattError, match="limit"):
        call("size", (0,) * 10, limits=Limits(items=10))
    assert call("size", (0,) * 9, limits=Limits(items=10)) == 9
    for number in (HIGHEST + 1, LOWEST - 1):
        with pytest.raises(ArcbattError, match="32 bits"):
            call("identity", number)
        with pytest.raises(ArcbattError, match="32 bits"):
            call("size", ((number,),))
