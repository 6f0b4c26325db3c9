"""The limit of work bounds a program as a whole: the same in company and alone, on every backend."""

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from support.backends import HERE

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


@pytest.mark.parametrize("backend", HERE)
def test_a_program_fails_at_the_op_with_which_it_passes_the_limit(backend: str) -> None:
    for work, passing in ((0, 0), (MIRROR - 1, 0), (MIRROR, 1), (3 * MIRROR, 2), (9 * MIRROR, 3)):
        found = verdicts(PROGRAMS, backend, work)
        for place, outputs in enumerate(found.values()):
            kinds = {getattr(output, "kind", "ok") for output in outputs}  # type: ignore[attr-defined]
            assert kinds == ({"ok"} if place < passing else {"CALLS"}), (work, place)


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


@pytest.mark.parametrize("backend", AVAILABLE)
def test_many_heavy_lines_end_with_calls(backend: str) -> None:
    heavy = "".join(f"    x{k} = size(asobject(canvas({k}, (200, 200))))\n" for k in range(400))
    total = "    y0 = x0\n" + "".join(f"    y{k} = add(y{k - 1}, x{k})\n" for k in range(1, 400))
    (program,) = ab.parse_programs(f"def solve_heavy(I):\n{heavy}{total}    return y399\n")
    for output in verdicts([program], backend, 20_000_000)["solve_heavy"]:  # type: ignore[attr-defined]
        assert output.kind == "CALLS"
