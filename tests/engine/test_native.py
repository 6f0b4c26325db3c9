"""The native backend equals the reference, whatever the threads, and stops when asked to."""

import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import load_library
from arcbatt.tasks import Sample
from arcbatt.testing.fuzz import fuzz
from support.commands import interrupt
from support.processes import wait_until_at_work

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


def test_the_core_has_every_op_of_the_table() -> None:
    from arcbatt import _core

    assert list(_core.op_names()) == list(TABLE)


def test_random_programs_have_the_same_outcome_at_every_node() -> None:
    report = fuzz(600, seed=7, library=list(load_library("solvers")), evaluations=2500)
    assert report.evaluations >= 2500
    assert not report.differences, report.differences[0].as_test()


A_CALL_WITHOUT_END = """
import signal
import arcbatt as ab
from arcbatt import fn

signal.signal(signal.SIGINT, signal.default_int_handler)
numbers = fn("lbind", fn("lbind", fn("branch"), 1), tuple(range(1000)))
endless = fn("increment")
for _ in range(5):
    endless = fn("chain", fn("size"), fn("lbind", fn("apply"), endless), numbers)
print("ready", flush=True)
try:
    ab.call(endless, 1, backend="native", limits=ab.Limits(calls=1 << 40, work=1 << 60))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_call_hears_ctrl_c() -> None:
    script = [sys.executable, "-c", A_CALL_WITHOUT_END]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        wait_until_at_work(process)
        out, _ = interrupt(process)
    assert out == "interrupted\n"


@pytest.mark.parametrize("on_failure", ["fail", "default", "pile"])
def test_results_do_not_depend_on_the_number_of_threads(on_failure: str) -> None:
    programs, tasks = load_library("all")[::6], ab.load_tasks("arc1/training")[:40]
    runs = [
        ab.run(programs, tasks, "all", "native", threads, on_failure)  # type: ignore[arg-type]
        for threads in (1, 2, 5)
    ]
    rows = [[outcome.as_json() for outcome in run] for run in runs]
    assert rows[0] == rows[1] == rows[2]


def test_library_on_foreign_samples_equals_the_reference() -> None:
    programs, tasks = load_library("all")[::4], ab.load_tasks("arc1/evaluation")[:2]
    fast, slow = (ab.run(programs, tasks, "all", backend) for backend in ("native", "reference"))
    assert [outcome.verdicts for outcome in fast] == [outcome.verdicts for outcome in slow]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("power(power(power(identity, 50), 2), 60)(I)", "DEPTH"),
        ("product(asobject(upscale(I, 10)), asobject(upscale(I, 10)))", "SIZE"),
        ("upscale(upscale(I, 1000), 1000)", "SIZE"),
        ("upscale(I, 2147483647)", "SIZE"),
        ("fork(rapply, initset, identity)(fork(rapply, initset, identity))", "DEPTH"),
        ("prapply(repeat, initset(I), interval(0, 10000, 1))", "SIZE"),
        ("power(fork(combine, identity, identity), 90)(I)", "SIZE"),
        ("power(fork(product, identity, identity), 90)(I)", "SIZE"),
        ("prapply(lbind, interval(0, 9, 1), interval(0, 100000, 1))", "TYPE"),
        ("power(compose(initset, totuple), 99)(I)", "DEPTH"),
        ("apply(lbind(apply, lbind(apply, neighbors)), repeat(repeat(asindices(I), 40), 40))", "SIZE"),
    ],
)
def test_runaways_end_by_a_limit_of_the_same_kind(body: str, kind: str) -> None:
    (program,) = ab.parse_programs(f"def solve_it(I): return {body}")
    tasks = ab.load_tasks("00d62c1b")
    fast, slow = (
        ab.run(program, tasks, "all", backend)["solve_it", "00d62c1b"].outputs
        for backend in ("native", "reference")
    )
    assert fast == slow
    assert {output.kind for output in fast if isinstance(output, ab.Failure)} == {kind}


@pytest.mark.parametrize(
    "function",
    [
        "identity",
        "compose(lbind(intersection, asindices(I)), fork(combine, identity, lbind(mapply, dneighbors)))",
        "compose(rbind(remove, 3), lbind(insert, 3))",
        "compose(vmirror, vmirror)",
        "fork(combine, identity, identity)",
        "lbind(mapply, initset)",
        "power(lbind(sfilter, asindices(I)), 1)",
    ],
)
def test_a_function_that_has_come_to_rest_costs_as_many_calls_as_ever(function: str) -> None:
    """The core does not apply it again; failures by the limits of calls and depth stay what they are."""
    (program,) = ab.parse_programs(f"def solve_it(I): return power({function}, 9)(ofcolor(I, ZERO))")
    tasks = [ab.Task("small", (Sample(((0, 1, 1), (1, 1, 1), (1, 1, 1)), ((0,),)),), ())]
    for limits in (
        *(ab.Limits(calls=n) for n in range(0, 700, 7)),
        *(ab.Limits(depth=n) for n in range(5, 30)),
    ):
        fast, slow = (
            ab.run(program, tasks, "all", name, limits=limits)["solve_it", "small"].outputs
            for name in ("native", "reference")
        )
        assert fast == slow, limits


def test_a_call_with_very_many_arguments_fails_the_same() -> None:
    (program,) = ab.parse_programs(
        f"def solve_it(I):\n    f = compose(identity, vmirror)\n    return f({', '.join(['I'] * 257)})"
    )
    tasks = ab.load_tasks("67a3c6ac")
    fast, slow = (
        ab.run(program, tasks, "all", name)["solve_it", "67a3c6ac"] for name in ("native", "reference")
    )
    assert fast.outputs == slow.outputs
    assert not fast.solved


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize("op", ["hupscale", "vupscale", "upscale"])
def test_no_op_takes_longer_than_what_it_gives(op: str) -> None:
    started = process_time()
    grids: list[Any] = [((), ()), (), ((1,),)]
    found = [ab.call(op, grid, (1 << 31) - 1, backend="native") for grid in grids]
    assert process_time() - started < 1  # clock: of the processor; steps of a size of 2 ** 31 take far longer
    assert found == [ab.call(op, grid, (1 << 31) - 1, backend="reference") for grid in grids]


def test_memory_of_applications_is_given_back() -> None:
    tower = "chain(size, rbind(canvas, (400, 400)), size)"
    for _ in range(9):
        tower = f"fork(add, {tower}, {tower})"
    (program,) = ab.parse_programs(f"def solve_it(I): return {tower}(I)")
    script = (
        "import sys, arcbatt as ab\n"
        "programs = ab.parse_programs(sys.stdin.read())\n"
        "result = ab.run(programs, ab.load_tasks('00d62c1b'), 'all', 'native', 1)\n"
        "peak = int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "print(result.stats.failures['SIZE'], peak < 120_000)\n"
    )
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, input=program.source(), capture_output=True, text=True, check=True)
    assert done.stdout == "0 True\n"


def test_inputs_over_a_limit_are_refused_by_name() -> None:
    programs, tasks = load_library("solvers")[:1], ab.load_tasks("007bbfb7")
    with pytest.raises(ab.ArcbattError, match=r"task 007bbfb7.*limit"):
        ab.run(programs, tasks, "all", "native", limits=ab.Limits(items=10))


def test_ctrl_c_ends_a_long_run_at_once() -> None:
    script = (
        "import arcbatt as ab\n"
        "from arcbatt.engine.results import Interrupted\n"
        "body = 'prapply(add, interval(0, 900, 1), interval(0, 900, 1))'\n"
        "text = ''.join(f'def s{n}(I): return astuple({n}, {body[:-1].replace(\"900\", str(990 - n))}))\\n'"
        " for n in range(200))\n"
        "programs, tasks = ab.parse_programs(text), ab.load_tasks('arc1/training')\n"
        "print('go', flush=True)\n"
        "try:\n"
        "    ab.run(programs, tasks, 'all', 'native')\n"
        "except Interrupted as stopped:\n"
        "    print('kept', len(stopped.results) < 200 * 400, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        wait_until_at_work(process)
        output, _ = interrupt(process)
    assert output == "kept True\n"
    assert process.returncode == 0
