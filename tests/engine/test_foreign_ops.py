"""A user's own Python op runs on every backend, called back for what needs it, and cannot break a run."""

from collections.abc import Iterator
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.table import TABLE, add, record
from arcbatt.dsl.types import AnyValue, Container, Fn1, Grid, Integer


def brighten(grid: Grid, by: Integer) -> Grid:
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)


def twice(function: Fn1, value: AnyValue) -> AnyValue:
    """The function applied two times."""
    return function(function(value))


def whim(container: Container) -> AnyValue:
    """Raises, or gives what is no value."""
    if len(container) < 2:
        return (1 // len(container), {}["none"])
    return (1.5, 1 << 40, (0,) * 300_000, True)[len(container) - 2]


@pytest.fixture(autouse=True)
def user_ops() -> Iterator[None]:
    for body in (brighten, twice, whim):
        add(record(body, trusted=False))
    yield
    for body in (brighten, twice, whim):
        del TABLE[body.__name__]


def test_an_op_of_a_user_gives_its_value(backend: str) -> None:
    assert ab.call("brighten", ((1, 2),), 3, backend=backend) == ((4, 5),)
    assert ab.call("brighten", (), 3, backend=backend) == ab.Failure("EMPTY")
    assert ab.call("brighten", ((1, 2),), backend=backend) == ab.Failure("TYPE")


def test_it_may_be_applied_and_may_apply(backend: str) -> None:
    raised = ab.fn("rbind", ab.fn("brighten"), 1)
    assert ab.call("apply", raised, (((1,),), ((2,),)), backend=backend) == (((2,),), ((3,),))
    assert ab.call("twice", ab.fn("compose", ab.fn("double"), ab.fn("increment")), 1, backend=backend) == 10
    assert ab.call("order", (3, 1, 2), ab.fn("lbind", ab.fn("twice"), ab.fn("invert")), backend=backend) == (
        1,
        2,
        3,
    )


def test_its_applications_count(backend: str) -> None:
    tripled = ab.fn("lbind", ab.fn("twice"), ab.fn("increment"))
    for calls, expected in ((8, (3, 4)), (7, ab.Failure("CALLS"))):
        assert ab.call("apply", tripled, (1, 2), backend=backend, limits=ab.Limits(calls=calls)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "kind"), [(0, "ZERO"), (1, "INDEX"), (2, "TYPE"), (3, "RANGE"), (4, "SIZE")]
)
def test_whatever_it_does_is_a_failure_at_worst(count: int, kind: str, backend: str) -> None:
    assert ab.call("whim", (0,) * count, backend=backend) == ab.Failure(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, BaseException])
def test_an_op_that_wants_to_end_the_process_has_failed(error: type[BaseException], backend: str) -> None:
    def leave(grid: Grid) -> Grid:
        raise error(0)

    with ab.own_ops(leave):
        assert ab.call("leave", ((1,),), backend=backend) == ab.Failure("TYPE")
        assert ab.call("apply", ab.fn("leave"), (((1,),),), backend=backend) == ab.Failure("TYPE")


def test_ctrl_c_in_an_op_is_no_failure(backend: str) -> None:
    def interrupted(grid: Grid) -> Grid:
        raise KeyboardInterrupt

    with ab.own_ops(interrupted), pytest.raises(KeyboardInterrupt):
        ab.call("interrupted", ((1,),), backend=backend)


@pytest.mark.parametrize(
    ("result", "fitting", "unfit"),
    [
        ("Integer", 1, ((1,),)),
        ("Grid", ((1,),), ((1,), (1, 2))),
        ("Object", frozenset({(1, (0, 0))}), frozenset({(0, 0)})),
        ("Fn1", ab.fn("rot90"), ab.fn("add")),
        ("Any", ((1,), (1, 2)), "text"),
    ],
)
def test_a_result_that_is_not_of_the_declared_type_is_a_failure(
    result: str, fitting: object, unfit: object, backend: str
) -> None:
    def chosen(first: Any, fits: Any) -> Any:
        return fitting if fits else unfit

    chosen.__annotations__["return"] = result
    with ab.own_ops(chosen):
        assert ab.call("chosen", 0, 1, backend=backend) == fitting
        assert ab.call("chosen", 0, 0, backend=backend) == ab.Failure("TYPE")
        unfitting = ab.fn("rbind", ab.fn("chosen"), 0)
        assert ab.call("apply", unfitting, (1,), backend=backend) == ab.Failure("TYPE")


def test_any_is_a_type_by_its_name_too(backend: str) -> None:
    def same(value: "Any") -> "Any":
        return value

    with ab.own_ops(same):
        assert ab.call("same", ((1,), 2), backend=backend) == ((1,), 2)


def test_what_it_returns_becomes_a_value(backend: str) -> None:
    result = ab.call("whim", (0,) * 5, backend=backend)
    assert type(result) is int
    assert result == 1


@pytest.mark.process
@pytest.mark.parametrize("on_failure", ["fail", "default"])
def test_programs_with_it_give_the_same_on_every_backend(on_failure: str) -> None:
    programs = ab.parse_programs(
        "def solve_a(I): return brighten(I, ONE)\n"
        "def solve_b(I): return apply(rbind(twice, I), astuple(rot90, compose(hmirror, rot90)))\n"
        "def solve_c(I): return paint(brighten(I, whim(I)), asobject(I))\n"
        "def solve_d(I): return totuple(insert(brighten, insert(add, insert(whim, initset(twice)))))\n"
    )
    tasks = ab.load_tasks("arc1/training")[:3]
    from arcbatt.engine.choose import AVAILABLE

    outputs = [
        [
            outcome.outputs
            for outcome in ab.run(programs, tasks, "all", name, 3, on_failure)  # type: ignore[arg-type]
        ]
        for name in AVAILABLE
    ]
    assert all(other == outputs[0] for other in outputs)


def test_unregistered_it_is_gone(backend: str) -> None:
    kept = TABLE.pop("whim")
    with pytest.raises(ab.ArcbattError, match="whim"):
        ab.call("whim", (), backend=backend)
    TABLE["whim"] = kept


def test_a_program_that_uses_it_is_refused_then(backend: str) -> None:
    programs = ab.parse_programs("def solve_a(I): return apply(whim, I)")
    kept = TABLE.pop("whim")
    with pytest.raises(ab.ArcbattError, match="'whim', which is not registered any more"):
        ab.run(programs, ab.load_tasks("00d62c1b"), "all", backend)
    TABLE["whim"] = kept
