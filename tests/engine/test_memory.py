"""Memory is bounded: values go after their last use, and a program that needs too much fails by itself."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.choose import AVAILABLE, choose
from arcbatt.engine.plan import plan, plan_of_lines, with_all_outcomes
from arcbatt.program.graph import Program
from arcbatt.tasks import Sample, Task
from arcbatt.tasks.samples import Samples

GRID = ((1, 2), (3, 4))
TURNED = ((3, 1), (4, 2))
TASK = Task("00000001", (Sample(GRID, TURNED),) * 2, (Sample(GRID, TURNED),))
LONGEST = 262_000  # elements of a value that is about as heavy as one may be
SMALL = Limits(items=40_000, memory=16 << 20)  # a program may hold 174,762 items
LONG = 39_000  # under these limits
SOUND = """
def solve_turn(I):
    O = rot90(I)
    return O


def solve_fails(I):
    O = first(difference(I, I))
    return O


def solve_same(I):
    O = identity(I)
    return O
"""


def one_at_a_time(name: str, values: int, length: int, of: str = "0") -> str:
    """A program that makes values one after the other and needs only the size of each."""
    lines = [f"def {name}(I):", f"    z = {of}", "    s0 = ZERO"]
    for k in range(values):
        lines.append(f"    a{k} = add(z, {k})")
        lines.append(f"    x{k} = interval(a{k}, {k + length}, 1)")
        lines.append(f"    t{k} = size(x{k})")
        lines.append(f"    s{k + 1} = add(s{k}, t{k})")
    return "\n".join([*lines, f"    O = canvas(s{values}, UNITY)", "    return O\n"])


def all_at_once(name: str, values: int, length: int, of: str = "0") -> str:
    """A program that makes values and needs the first of them last."""
    lines = [f"def {name}(I):", f"    z = {of}", f"    r{values} = ZERO"]
    for k in range(values):
        lines.append(f"    a{k} = add(z, {k})")
        lines.append(f"    x{k} = interval(a{k}, {k + length}, 1)")
    lines.extend(f"    r{k} = equality(x{k}, r{k + 1})" for k in range(values - 1, -1, -1))
    return "\n".join([*lines, "    O = canvas(r0, UNITY)", "    return O\n"])


SOURCES = {"constant": "0", "task": "size(S)", "sample": "height(I)"}


def programs(*sources: str) -> list[Program]:
    return [program for source in sources for program in ab.parse_programs(source)]


def kind(outcome: object) -> object:
    return outcome.kind if isinstance(outcome, ab.Failure) else outcome


@pytest.mark.parametrize("stage", SOURCES)
@pytest.mark.parametrize("backend", AVAILABLE)
def test_a_program_that_needs_too_much_fails_size_and_the_others_do_not(backend: str, stage: str) -> None:
    greedy = all_at_once("solve_greedy", 6, LONG, SOURCES[stage]).replace("(I)", "(S, I)", 1)
    modest = one_at_a_time("solve_modest", 6, LONG, SOURCES[stage]).replace("(I)", "(S, I)", 1)
    wanted = programs(greedy, SOUND, modest)
    results = ab.run(wanted, TASK, pairs="all", backend=backend, limits=SMALL)
    assert results.solved == {("solve_turn", TASK.id)}
    given = {program.name: kind(results[program.name, TASK.id].outputs[-1]) for program in wanted}
    assert len(given.pop("solve_modest")) == 1  # type: ignore[arg-type]
    assert given == {
        "solve_greedy": "SIZE",
        "solve_turn": TURNED,
        "solve_fails": "EMPTY",
        "solve_same": GRID,
    }
    assert results.failures()["SIZE"] == len(TASK.samples)


@pytest.mark.parametrize("backend", AVAILABLE)
def test_what_a_program_may_hold_is_exact_and_the_same_everywhere(backend: str) -> None:
    # Four values of 39,001 items each fit, five do not.
    fits, fails = (programs(all_at_once("solve_it", count, LONG)) for count in (4, 5))
    assert ab.run(fits, TASK, pairs="all", backend=backend, limits=SMALL).failures()["SIZE"] == 0
    assert ab.run(fails, TASK, pairs="all", backend=backend, limits=SMALL).failures()["SIZE"] == 3


@pytest.mark.parametrize("mode", ["fail", "default", "pile"])
def test_every_backend_gives_the_same_where_memory_is_short(mode: FailureMode) -> None:
    batt = ab.merge(
        programs(
            all_at_once("solve_greedy", 7, LONG),
            SOUND,
            all_at_once("solve_other", 9, LONG, "height(I)"),
            one_at_a_time("solve_modest", 7, LONG, "width(I)"),
        )
    )
    planned = plan_of_lines(batt) if mode == "pile" else with_all_outcomes(plan(batt))
    tasks = [TASK, Samples("other", (), [(GRID, None)])]
    found = [
        [
            [tuple(row) for row in rows]
            for rows in choose(name)[0].outcomes(planned, tasks, RunOptions(SMALL, mode))
        ]
        for name in ("reference", "native", "emulated")
        if name in AVAILABLE or "native" in AVAILABLE
    ]
    assert all(other == found[0] for other in found)
    short = any(kind(outcome) == "SIZE" for rows in found[0] for row in rows for outcome in row)
    assert short == (mode != "default")


@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_the_number_of_threads_changes_nothing() -> None:
    wanted = programs(
        one_at_a_time("solve_modest", 8, LONG, "height(I)"), all_at_once("solve_greedy", 8, LONG), SOUND
    )
    tasks = [replace(TASK, id=f"0000000{number}") for number in range(6)]
    runs = [
        ab.run(wanted, tasks, pairs="all", backend="native", threads=threads, limits=SMALL)
        for threads in (1, 2, 5)
    ]
    outputs = [[tuple(outcome.outputs) for outcome in run] for run in runs]
    assert outputs[0] == outputs[1] == outputs[2]
    assert [run.failures() for run in runs] == [runs[0].failures()] * 3


@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_a_value_for_which_there_is_no_room_after_a_compaction_either_fails_size() -> None:
    # The first value takes more than a quarter of the arena, and nobody needs it when the second is made.
    wanted = programs(
        """
def solve_large(I):
    x = interval(ZERO, 900000, ONE)
    a = size(x)
    y = interval(a, 3900000, ONE)
    b = size(y)
    O = canvas(b, UNITY)
    return O
"""
    )
    limits = Limits(items=5_000_000, memory=16 << 20)
    assert ab.run(wanted, TASK, pairs="all", backend="native", limits=limits).failures()["SIZE"] == 3


@pytest.mark.parametrize("backend", AVAILABLE)
def test_more_memory_admits_more(backend: str) -> None:
    wanted = programs(all_at_once("solve_it", 6, LONG))
    failures = [
        ab.run(wanted, TASK, pairs="all", backend=backend, limits=SMALL, memory=memory).failures()["SIZE"]
        for memory in (16 << 20, 32 << 20)
    ]
    assert failures == [3, 0]


@pytest.mark.parametrize("memory", [0, -1, (1 << 10) - 1, 1 << 60, "384", 2.5, True])
def test_nonsense_for_memory_is_refused_in_a_sentence(memory: object) -> None:
    with pytest.raises(ab.ArcbattError, match=r"limit memory: expected an integer from 1,024 to .*, got"):
        ab.run(programs(SOUND), TASK, pairs="all", memory=memory)  # type: ignore[arg-type]


PEAK = """
import resource, sys
sys.path[:0] = [{folder!r}]
import arcbatt as ab
from test_memory import LONGEST, SOUND, TASK, all_at_once, one_at_a_time, programs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
first = one_at_a_time("solve_first", {values}, LONGEST)
wanted = programs(first, SOUND, all_at_once("solve_second", 40, LONGEST))
task = ab.Task("00000001", TASK.demo[:1], ())
results = ab.run(wanted, task, pairs="all", backend={backend!r}, threads=1)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(results.solved == {{("solve_turn", TASK.id)}}, results.failures()["SIZE"], (peak - before) >> 10)
"""


def peak_of(backend: str, values: int) -> tuple[str, int, int]:
    """Whether the sound program solved the task, how many outcomes failed SIZE, and what it took in MiB."""
    code = PEAK.format(folder=str(Path(__file__).parent), backend=backend, values=values)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    solved, failures, mebibytes = done.stdout.split()
    return solved, int(failures), int(mebibytes)


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is asked for in another way")
@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_a_program_of_thousands_of_large_values_stays_within_bounds() -> None:
    # Kept to the end of a sample, the values would take 4.3 GB.
    solved, failures, mebibytes = peak_of("native", 4300)
    assert (solved, failures) == ("True", 1)
    assert mebibytes < 450


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is asked for in another way")
def test_the_reference_releases_values_too() -> None:
    # Kept to the end of a sample, these values would take 1.1 GB.
    solved, failures, mebibytes = peak_of("reference", 120)
    assert (solved, failures) == ("True", 1)
    assert mebibytes < 450


REFUSED = """
import resource, sys
sys.path[:0] = [{folder!r}]
import arcbatt as ab
from test_memory import LONGEST, SOUND, TASK, one_at_a_time, programs
wanted = programs(one_at_a_time("solve_first", 60, LONGEST), SOUND)
ab.run(wanted[1:], TASK, pairs="all", backend="native")
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, [pages * resource.getpagesize() + (60 << 20)] * 2)
results = ab.run(wanted, TASK, pairs="all", backend="native", threads=1)
print(results.solved == {{("solve_turn", TASK.id)}}, results.failures()["SIZE"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the bound is set as Linux has it")
@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_memory_that_the_system_refuses_is_memory_that_is_not_there() -> None:
    code = REFUSED.format(folder=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("True 0\n", 0), done.stderr


BATCH_AFTER_BATCH = """
import resource
import threading

from arcbatt.batt.operations import GPUDSLOperations

operations = GPUDSLOperations(backend="native")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def turn():
    column = [((1, 2), (3, 4)), (5, 6)]
    for _ in range(8_001):
        column = operations.batch("rot90", column)
    print(column)


def repeat():
    for _ in range(30):
        operations.batch("size", [(True,) * 200_000, (True,) * 200_001] * 10)


threading.stack_size(256 << 10)
thread = threading.Thread(target={work})
thread.start()
thread.join()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10)
"""


def after_batches(work: str) -> list[str]:
    """What the work prints, and whether it took less than 200 MB."""
    code = BATCH_AFTER_BATCH.format(work=work)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is asked for in another way")
@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_batches_in_a_long_row_each_on_what_the_last_gave_do_not_pile_up() -> None:
    assert after_batches("turn") == ["[((3, 1), (4, 2)), Failure(kind='TYPE', node=None)]", "True"]


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is asked for in another way")
@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_what_batches_cannot_know_again_does_not_pile_up() -> None:
    assert after_batches("repeat") == ["True"]
