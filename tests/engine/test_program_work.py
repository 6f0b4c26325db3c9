"""The limit of work bounds a program as a whole: the same in company and alone, on every backend."""

from functools import partial

import pytest

import arcbatt as ab
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.choose import AVAILABLE
from support.backends import HERE, needs_core

TASK = ab.Task("x", (ab.Sample(((1, 2), (3, 4)), ((3, 4), (1, 2))),), (ab.Sample(((5, 6), (7, 8)), None),))
# Each line costs the same: 8 units for each of the 7 items that hmirror gets and gives.
MIRROR = 8 * (7 + 7)


def mirrors(name: str, count: int) -> str:
    """A program of so many mirrors, one after the other, from different beginnings."""
    lines = [f"    x{k} = hmirror({f'x{k - 1}' if k else 'I'})" for k in range(count)]
    return f"def {name}(I):\n" + "\n".join(lines) + f"\n    return x{count - 1}\n"


PROGRAMS = ab.parse_programs(mirrors("solve_one", 1) + mirrors("solve_three", 3) + mirrors("solve_nine", 9))


def verdicts(programs: list[ab.Program], backend: str, work: int, **options: object) -> dict[str, object]:
    limits = ab.Limits(work=work)
    result = ab.run(programs, TASK, pairs="all", backend=backend, limits=limits, **options)  # type: ignore[arg-type]
    return {outcome.program.name: outcome.outputs for outcome in result}


@pytest.mark.slow
@pytest.mark.parametrize("backend", HERE)
def test_a_program_fails_at_the_op_with_which_it_passes_the_limit(backend: str) -> None:
    for work, passing in ((0, 0), (MIRROR - 1, 0), (MIRROR, 1), (3 * MIRROR, 2), (9 * MIRROR, 3)):
        found = verdicts(PROGRAMS, backend, work)
        for place, outputs in enumerate(found.values()):
            kinds = {getattr(output, "kind", "ok") for output in outputs}  # type: ignore[attr-defined]
            assert kinds == ({"ok"} if place < passing else {"CALLS"}), (work, place)


@pytest.mark.slow
@pytest.mark.parametrize("on_failure", ["fail", "default"])
@pytest.mark.parametrize("backend", AVAILABLE)
def test_company_changes_nothing(backend: str, on_failure: str) -> None:
    for work in range(0, 10 * MIRROR, MIRROR // 3):
        together = verdicts(PROGRAMS, backend, work, on_failure=on_failure)
        alone = {}
        for program in PROGRAMS:
            alone |= verdicts([program], backend, work, on_failure=on_failure)
        assert together == alone
        assert together == verdicts(PROGRAMS[::-1], backend, work, on_failure=on_failure, threads=2)


def test_lines_of_a_pile_have_accounts_of_their_own() -> None:
    for backend in AVAILABLE:
        found = verdicts(PROGRAMS, backend, MIRROR, on_failure="pile")
        assert all(isinstance(output, tuple) for outputs in found.values() for output in outputs)  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("backend", AVAILABLE)
def test_many_heavy_lines_end_with_calls(backend: str) -> None:
    heavy = "".join(f"    x{k} = size(asobject(canvas({k}, (200, 200))))\n" for k in range(400))
    total = "    y0 = x0\n" + "".join(f"    y{k} = add(y{k - 1}, x{k})\n" for k in range(1, 400))
    (program,) = ab.parse_programs(f"def solve_heavy(I):\n{heavy}{total}    return y399\n")
    for output in verdicts([program], backend, 20_000_000)["solve_heavy"]:  # type: ignore[attr-defined]
        assert output.kind == "CALLS"


LARGE = 200 * 200 + 200 + 1  # the weight of a canvas of that side


def canvases(name: str, count: int, color: int) -> str:
    """A program of so many large values, all of them needed at the end."""
    lines = [f"    x{k} = canvas(add({color + k}, height(I)), (200, 200))" for k in range(count)]
    total = "size(x0)"
    for k in range(1, count):
        total = f"add({total}, size(x{k}))"
    return f"def {name}(I):\n" + "\n".join(lines) + f"\n    return {total}\n"


@pytest.mark.slow
@pytest.mark.parametrize("on_failure", ["fail", "default"])
@pytest.mark.parametrize("memory", [16 << 20, 64 << 20])
@needs_core
def test_company_that_fills_the_memory_changes_nothing(memory: int, on_failure: FailureMode) -> None:
    """Programs within their limits, over that of work, and over that of held weight, 25 of each length."""
    text = "".join(
        canvases(f"p{count}_{k}", count, 100 * k + 10 * count) for k in range(25) for count in (1, 3, 7)
    )
    programs = ab.parse_programs(text)
    (three,) = (program for program in programs if program.name == "p3_0")
    for work in (LARGE, 12 * LARGE, 40 * LARGE, 300_000_000):
        limits = ab.Limits(work=work, memory=memory)
        run = partial(ab.run, tasks=TASK, pairs="all", limits=limits, on_failure=on_failure, threads=1)
        together = run(programs, backend="native").records["x"].table()
        alone = [run(program, backend="native").records["x"].table()[0].tolist() for program in programs]
        assert together.tolist() == alone
        assert (
            run(three, backend="reference").records["x"].table()[0].tolist() == alone[programs.index(three)]
        )


@pytest.mark.slow
def test_a_program_over_its_limit_goes_on_as_it_does_alone(backend: str) -> None:
    """After the op that passes the limit come ops that fail by themselves, and ops that cost nothing."""
    programs = ab.parse_programs(
        "def solve_a(I): return combine(hmirror(hmirror(I)), astuple(divide(1, 0), I))\n"
        "def solve_b(I): return combine(astuple(divide(1, 0), I), hmirror(hmirror(I)))\n"
        "def solve_c(I): return branch(1, identity(7), hmirror(vmirror(hmirror(I))))\n"
        "def solve_d(I): return combine(hmirror(vmirror(I)), identity(1))\n" + mirrors("solve_nine", 9)
    )
    for mode in ("fail", "default"):
        for work in range(0, 10 * MIRROR, 56):
            together = verdicts(programs, backend, work, on_failure=mode)
            for program in programs:
                alone = verdicts([program], backend, work, on_failure=mode)
                assert (
                    together[program.name]
                    == alone[program.name]
                    == (verdicts([program], "reference", work, on_failure=mode)[program.name])
                ), (program.name, work, mode)
