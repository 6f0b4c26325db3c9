"""An environment runs piled lines, stands in for the first two failures, and logs them all."""

from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt.env import OKT, Env
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.batt.runtime import (
    F0,
    ONE,
    ORIGIN,
    TWO,
    UNITY,
    ZERO,
    add,
    compose,
    crop,
    divide,
    first,
    get_nth_t,
    hmirror,
    identity,
    last,
    objects,
    rot90,
    size,
)  # fmt: skip

GRID = ((1, 2), (3, 4))
NOTHING = OKT(False, None)


def env(log_path: Any = None) -> Env:
    return Env(0, "00d62c1b", ((GRID, GRID),), log_path)


def test_a_line_gives_its_value() -> None:
    assert env().do_pile(1, [add, ONE, TWO]) == OKT(True, 3)
    assert env().do_pile(1, [rot90, GRID], True) == OKT(True, ((3, 1), (4, 2)))


def test_a_line_may_call_what_an_earlier_line_gave() -> None:
    e = env()
    t1 = e.do_pile(1, [compose, first, last], True)
    assert e.do_pile(2, [t1.t, GRID], t1.ok) == OKT(True, 3)
    assert t1.t == ab.fn("compose", ab.fn("first"), ab.fn("last"))


def test_a_plain_function_value_and_a_function_of_python_may_be_called() -> None:
    assert env().do_pile(1, [ab.fn("rbind", ab.fn("add"), 3), 4]) == OKT(True, 7)
    assert env().do_pile(1, [len, GRID]) == OKT(True, 2)


@pytest.mark.parametrize("kind", [Env, GPUEnv])
def test_a_line_without_a_pile_gives_nothing_and_is_no_failure(kind: type[Env]) -> None:
    e = kind(0, "00d62c1b", ())
    assert e.do_pile(1, None) == e.do_pile(2, None, True) == NOTHING
    assert e.exceptions == 0


@pytest.mark.parametrize("kind", [Env, GPUEnv])
def test_exceptions_are_the_lines_that_have_failed(kind: type[Env]) -> None:
    e = kind(0, "00d62c1b", ())
    counts = [e.exceptions for number in range(4) if e.do_pile(number, [divide, ONE, ZERO], number != 2)]
    assert counts == [1, 2, 2, 3]
    assert e.failures == e.exceptions


def test_every_word_of_an_environment_is_taken() -> None:
    e = Env(seed=7, task_id="00d62c1b", S=(), log_path=None, score=3)
    assert (e.seed, e.task_id, e.S, e.log_path, e.score) == (7, "00d62c1b", (), None, 3)
    assert e.do_pile(t_num=1, pile=[add, ONE, TWO], isok=True) == OKT(True, 3)
    with GPUEnv(seed=7, task_id="00d62c1b", S=(), log_path=None, enable_gpu=False) as fast:
        assert fast.do_pile(t_num=1, pile=[add, ONE, TWO], isok=True) == OKT(True, 3)
        assert fast.stats.downloads == 0
        fast.print_stats()


def test_arguments_may_be_lists_and_booleans() -> None:
    assert env().do_pile(1, [rot90, [[1, 2], [3, 4]]]) == OKT(True, ((3, 1), (4, 2)))
    assert env().do_pile(1, [objects, [[0, 1]], True, False, True]) == OKT(True, {frozenset({(1, (0, 1))})})
    assert env().do_pile(1, [rot90, ((True, False),)]).t == ((1,), (0,))


def test_an_empty_set_or_tuple_stands_in_for_the_first_two_failures() -> None:
    e = env()
    assert e.do_pile(1, [objects, (), 1, 0, 1]) == OKT(True, frozenset())
    assert e.do_pile(2, [crop, ONE, ORIGIN, UNITY]) == OKT(True, ())
    assert e.do_pile(3, [crop, ONE, ORIGIN, UNITY]) == NOTHING
    assert e.do_pile(4, [objects, (), 1, 0, 1]) == NOTHING
    assert e.do_pile(5, [rot90, GRID]).ok


def test_a_failure_that_nothing_stands_in_for_counts() -> None:
    e = env()
    assert e.do_pile(1, [divide, ONE, ZERO]) == NOTHING
    assert e.do_pile(2, [size, ONE]) == NOTHING
    assert e.do_pile(3, [crop, ONE, ORIGIN, UNITY]) == NOTHING
    assert e.failures == 3


def test_a_line_that_is_not_ok_neither_runs_nor_counts() -> None:
    e = env()
    for number in range(9):
        assert e.do_pile(number, [crop, ONE, ORIGIN, UNITY], False) == NOTHING
    assert e.failures == 0
    assert e.do_pile(9, [crop, ONE, ORIGIN, UNITY]) == OKT(True, ())


def test_what_is_no_value_is_a_failure_of_the_line() -> None:
    e = env()
    assert e.do_pile(1, [identity, None]) == NOTHING
    assert e.do_pile(2, [hmirror, ((None,),)]) == NOTHING
    assert e.failures == 2


@pytest.mark.parametrize("callee", [None, GRID, 7, "rot90", object()])
def test_what_cannot_be_called_is_a_failure_of_the_line(callee: object) -> None:
    e = env()
    assert e.do_pile(1, [callee, GRID]) == NOTHING
    assert e.failures == 1


class Unusual(Exception):
    """An exception that nobody thinks of."""


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError, StopIteration, RecursionError, MemoryError, KeyError, AssertionError, OSError,
        NotImplementedError, StopAsyncIteration, UnicodeError, EOFError, Unusual, SystemExit, GeneratorExit,
    ],
)  # fmt: skip
def test_every_exception_is_a_failure(error: type[BaseException], tmp_path: Path) -> None:
    def fail(value: object) -> None:
        raise error

    e = env(tmp_path / "log")
    assert e.do_pile(1, [fail, GRID]) == NOTHING
    assert (tmp_path / "log").read_text().startswith("00d62c1b t1 ")


def test_ctrl_c_is_not_held_back() -> None:
    def stop(value: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        env().do_pile(1, [stop, GRID])


def test_every_failure_is_appended_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "failures.log"
    log.write_text("what was there\n")
    for _ in range(2):
        e = env(log)
        e.do_pile(4, [divide, ONE, ZERO])
        e.do_pile(5, [get_nth_t, (), F0])
        e.do_pile(6, [rot90, GRID])
        e.do_pile(7, [rot90, frozenset(range(1000))])
        e.do_pile(8, [rot90, None], False)
    lines = log.read_text().splitlines()
    assert lines[:4] == [
        "what was there",
        "00d62c1b t4 ZERO divide(1, 0)",
        "00d62c1b t5 EMPTY get_nth_t((), 0)",
        "00d62c1b t7 TYPE rot90(frozenset({0, 1, 2, ...}))",
    ]
    assert lines[4:] == lines[1:4]


class Chatty:
    """What prints itself on several lines, or cannot."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text or str(1 // 0)


def test_an_entry_of_the_log_is_one_short_line(tmp_path: Path) -> None:
    e = env(str(tmp_path / "log"))
    for argument in (Chatty("a\nb"), Chatty(""), "x\n" * 10_000, ((tuple(range(99)),) * 99,) * 99):
        e.do_pile(1, [rot90, argument])
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) < 200


def test_a_log_that_cannot_be_written_does_not_end_the_run(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "log", "a\0b"):
        e = env(place)
        with pytest.warns(RuntimeWarning, match="failures are not logged"):
            assert e.do_pile(1, [crop, ONE, ORIGIN, UNITY]) == OKT(True, ())


def test_an_environment_keeps_what_it_was_made_with() -> None:
    e = Env(7, "00d62c1b", ((GRID, GRID),), "log", score=3)
    assert (e.seed, e.task_id, e.S, e.log_path, e.score) == (7, "00d62c1b", ((GRID, GRID),), "log", 3)
