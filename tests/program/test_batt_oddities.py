"""A batt file that Python would run is read: an odd line costs what depends on it, and a warning says so."""

import pytest

import arcbatt as ab
from arcbatt.dsl.failures import Failure
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.choose import AVAILABLE, choose
from arcbatt.engine.work import plan_for
from arcbatt.errors import ProgramError
from arcbatt.program.batt_files.read import parse_batt
from arcbatt.program.batt_files.write import STYLES, batt_source
from arcbatt.program.graph import NONE, Batt, Node
from arcbatt.tasks import Sample, Task

BACKENDS = (*AVAILABLE, *(["emulated"] if "native" in AVAILABLE else []))
DEF = "def batt(task_id, S, I, C, log_path):\n"
OUTPUT = "o.append((1, False, 'a', t1))"
PILED = "t1 = env.do_pile(1, [hmirror, I], True)"
I = Node.input("I")
GRID = ((1, 2), (3, 4))
TASK = Task("67a3c6ac", (Sample(GRID, GRID),), (Sample(GRID, GRID),))
UPSIDE_DOWN = ((3, 4), (1, 2))


def bare(*lines: str) -> str:
    return "\n    ".join((f"{DEF}    s = []", "o = []", *lines, "return o, s")) + "\n"


def piled(*lines: str) -> str:
    return bare("env = Env(0, task_id, S, log_path)", *lines)


def outcomes(batt: Batt, mode: FailureMode = "fail", backend: str = "reference") -> list[object]:
    """What the programs give on the demo sample; a failure by its kind."""
    (rows,) = choose(backend)[0].outcomes(plan_for(batt, mode), [TASK], RunOptions(on_failure=mode))
    return [outcome.kind if isinstance(outcome, Failure) else outcome for outcome in rows[0]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("t2 = EIGHT(I)", "'EIGHT' is a constant and cannot be called"),
        ("t2 = rot90(I, ONE)", "'rot90' takes 1 argument, not 2"),
        ("t2 = rot90()", "'rot90' takes 1 argument, not 0"),
        ("t2 = rot09(I)", "there is no op or variable 'rot09'; did you mean 'rot90'?"),
        ("t2 = rot90(t7)", "'t7' is neither an op, a constant nor a variable"),
        ("t2 = fill(I, TWOO, I)", "did you mean 'TWO'?"),
        ("t2 = rot90(gird=I)", "'rot90' has no parameter 'gird'; did you mean 'grid'?"),
        ("t2 = t1(x=I)", "no keyword arguments"),
        ("t2 = rot90(*I)", "a starred argument"),
        ("t2 = rot90(task_id)", "'task_id' is neither"),
        ("t2 = rot90(None)", "a value of type NoneType"),
        ("t2 = None", "a value of type NoneType"),
        ("t2 = rot90(2.5)", "a value of type float"),
        ("t2 = rot90(I[0])", "an index in brackets"),
        ("t2 = t1 == I", "a comparison"),
        ("t2 = t1 + t1", "an arithmetic operator"),
        ("t2 = my_helper(I)", "there is no op or variable 'my_helper'"),
        ("t2, t3 = rot90(I)", "several names"),
        ("t2 = os.system('rm -rf /')", "a value of type str"),
        ("t2 = t1.t.t", "an attribute"),
        ("t1 += I; t2 = t1", "an assignment that changes a variable"),
        ("t2 = env.do_pile(2, None, True)", "a piled line is"),
        ("t2 = (t1, t1)", "got an assignment of a tuple"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["fail", "default", "pile"])
def test_a_wild_line_fails_and_costs_no_other(line: str, words: str, mode: FailureMode) -> None:
    text = bare(
        "t0 = hmirror(I)",
        "t1 = hmirror(I)",
        "o.append((0, False, 'a', t0))",
        line,
        "t9 = vmirror(t2)",
        "o.append((9, False, 'b', t9))",
        "t10 = vmirror(t0)",
        "o.append((10, False, 'c', t10))",
    )
    batt = parse_batt(text, "odd.py")
    assert any(words in str(warning) for warning in batt.warnings), batt.warnings
    assert {warning.line for warning in batt.warnings} == {7}
    lost = {"fail": "TYPE", "default": (), "pile": ()}[mode]
    for backend in BACKENDS:
        given = outcomes(batt, mode, backend)
        assert given == [UPSIDE_DOWN, lost, ((4, 3), (2, 1))] or mode == "pile"
        assert given[::2] == [UPSIDE_DOWN, ((4, 3), (2, 1))]
    with pytest.raises(ProgramError) as refused:
        parse_batt(text, "odd.py", strict=True)
    assert (refused.value.file, refused.value.line) == ("odd.py", 7)


@pytest.mark.parametrize(
    "lines",
    [
        ("t2 = t1", "t3 = rot90(t2)"),
        ("t2 = t3 = rot90(t1)",),
        ("t3: Grid = rot90(t1)",),
        ("t3 = rot90(grid=t1)",),
        ("t2, t3 = I, rot90(t1)",),
        ("t3 = rot90(hmirror(I))",),
        ("x1 = hmirror(I)", "t3 = rot90(x1)"),
        ("I = hmirror(I)", "t3 = rot90(I)"),
        ("t1 = rot180(I)", "t1 = hmirror(I)", "t3 = rot90(t1)"),
        ("try:\n        t3 = rot90(t1)\n    except ValueError:\n        t3 = ()",),
        ("try:\n        t2 = I; t3 = rot90(t1)\n    finally:\n        pass",),
        ("with open('x'):\n        t3 = rot90(t1)",),
        ("t3 = env.do_pile(3, [rot90, t1.t], t1.ok)",),
        ("t3 = env.do_pile(3, (rot90, t1))",),
        ("t3 = env.do_pile(t_num=7, pile=[rot90, t1.t], isok=True)",),
        ("t2 = rot90", "t3 = t2(t1)"),
        ("t3 = compose(rot90, hmirror)(I)",),
        ("pass", "import os", "print(I)", "assert True", "global x", "t3 = rot90(t1)"),
        ("def f(x):\n        return [y for y in x]", "t3 = rot90(t1)"),
        ("with x:\n        def f(x):\n            return [y for y in x]", "t3 = rot90(t1)"),
        ("t2, t4, t5, t6 = batch_process_samples_gpu(S)", "t3 = rot90(t1)"),
        ("t3 = rot90(t1)", "t4 = rot90(t9)", "del t4"),
    ],
)  # fmt: skip
def test_an_odd_line_that_python_would_run_gives_its_value(lines: tuple[str, ...]) -> None:
    text = bare("t1 = hmirror(I)", *lines, "o.append((3, False, 'a', t3))")
    batt = parse_batt(text)
    assert outcomes(batt) == [((1, 3), (2, 4))]
    assert batt.warnings or "batch_process" in text or "grid=" in text


@pytest.mark.parametrize(
    ("output", "entry"),
    [
        ("o.append((7, False, 'a', t1))", (7, False, "a")),
        ("o.append([1, False, 'a', t1])", (1, False, "a")),
        ("o.append((1, 1, 'a', t1))", (1, True, "a")),
        ("o.append((1, None, 'a', t1, 5))", (1, False, "a")),
        ("o.append((t1, False, 'a', t1))", (1, False, "a")),
        ("o.append((1, False, 123, t1))", (1, False, "123")),
        ("o.append((1, False, 'a', t1.t))", (1, False, "a")),
        ("o += [(1, False, 'a', t1)]", (1, False, "a")),
        ("o.extend([(1, False, 'a', t1)])", (1, False, "a")),
        ("o.append((1, False, 'a', hmirror(I)))", (1, False, "a")),
        ("o.append((0x" + "f" * 5000 + ", False, 'a', t1))", (1, False, "a")),
    ],
)  # fmt: skip
def test_an_odd_output_is_read(output: str, entry: tuple[object, ...]) -> None:
    batt = parse_batt(bare("t1 = hmirror(I)", output))
    assert (batt.entries, outcomes(batt)) == ((entry,), [UPSIDE_DOWN])
    assert batt.warnings


@pytest.mark.parametrize(
    "output",
    ["o.append((1, False, 'a'))", "o.append((1, False, 'a', t9))", "o.append((1, False, 'a', None))"],
)
def test_an_output_without_a_value_fails(output: str) -> None:
    batt = parse_batt(bare("t1 = hmirror(I)", output, "o.append((1, False, 'b', t1))"))
    for backend in BACKENDS:
        assert outcomes(batt, "fail", backend) == ["TYPE", UPSIDE_DOWN]
    assert [program.id for program in batt] == ["a", "b"]
    for style in STYLES:
        assert outcomes(parse_batt(batt_source(batt, style))) == ["TYPE", UPSIDE_DOWN]


@pytest.mark.parametrize(
    "text",
    [
        f"{DEF}    t1 = hmirror(I)\n    o.append((1, False, 'a', t1))\n",
        f"{DEF}    t1 = hmirror(I)\n    o.append((1, False, 'a', t1))\n    return o\n",
        f"{DEF}    a = []; b = []\n    t1 = hmirror(I)\n    a.append((1, False, 'a', t1))\n    return a, b\n",
        f"async def x(): pass\nif X: y = 1\n{bare('t1 = hmirror(I)', 'o.append((1, False, 1, t1))')}main()\n",
        "from functools import cache\n@cache\n" + bare("t1 = hmirror(I)", "o.append((1, False, 1, t1))"),
        "def batt(S, I, C, *rest, log=None):\n    t1 = hmirror(I)\n    o.append((1, False, 'a', t1))\n",
        "def batt(task, pairs, grid, out, log):\n    t1 = hmirror(grid)\n    o.append((1, False, 'a', t1))\n",
        f"{bare('t1 = rot90(I)', OUTPUT)}{bare('t1 = hmirror(I)', OUTPUT)}",
        bare("t1 = rot90(I)", OUTPUT, "o = []", "t1 = hmirror(I)", OUTPUT),
        bare("t1 = hmirror(I)", "o.append((1, 0, 'a', t1))", "return o, s", "t1 = nonsense", "o.append(3)"),
    ],
)  # fmt: skip
def test_an_odd_frame_is_read(text: str) -> None:
    batt = parse_batt(text)
    assert outcomes(batt) == [UPSIDE_DOWN]
    assert batt.warnings


def test_constants_of_the_file_are_known_and_nothing_else_of_it() -> None:
    text = "WIDTH = 2\nNAMES = sorted('x')\nTWO = 5\n" + bare(
        "t1 = hupscale(I, WIDTH)",
        "o.append((1, False, 'a', t1))",
        "t2 = hupscale(I, NAMES)",
        "o.append((2, False, 'b', t2))",
        "t3 = hupscale(I, TWO)",
        "o.append((3, False, 'c', t3))",
    )
    first, second, third = parse_batt(text)
    assert first.root is third.root is Node.op("hupscale", I, Node.constant(2))
    assert second.root is Node.op("hupscale", I, NONE)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("for x in S: t3 = rot90(x)", "a loop"),
        ("while True: pass", "a loop"),
        ("t3 = lambda x: x", "a lambda"),
        ("t3 = apply(lambda x: x, I)", "a lambda"),
        ("t3 = (lambda x: x)(I)", "a lambda"),
        ("t3 = rot90(tuple(x for x in I))", "a comprehension"),
        ("t3 = [x for x in I]", "a comprehension"),
        ("t3 = rot90(I if C else S)", "an if"),
        ("if C: t3 = rot90(I)", "an if"),
        ("t3 = env.do_pile(3, [rot90, I], True if C else False)", "an if"),
        ("o.append((1, False, 'a', [x for x in I]))", "a comprehension"),
        ("try:\n        for x in S: pass\n    except: pass", "a loop"),
    ],
)  # fmt: skip
def test_what_is_no_straight_line_is_refused_with_its_line(statement: str, words: str) -> None:
    for strict in (False, True):
        with pytest.raises(ProgramError) as refused:
            parse_batt(bare("t1 = rot90(I)", statement, "o.append((1, False, 'a', t1))"), "odd.py", strict)
        assert refused.value.line in (5, 6)
        assert words in refused.value.reason or strict


def test_a_warning_tells_a_kind_once_with_its_first_line_and_how_often_it_is_there() -> None:
    batt = parse_batt(bare("t1 = rot09(I)", "t2 = rot08(I)", "t3 = EIGHT(I)", OUTPUT), "x")
    found = [(warning.line, warning.count) for warning in batt.warnings]
    assert found == [(4, 2), (6, 1)]
    assert str(batt.warnings[0]).startswith("x:4: there is no op or variable 'rot09'; did you mean 'rot90'?")
    assert str(batt.warnings[0]).endswith("(2 places)")
    assert (
        ab.parse_programs(bare("t1 = rot09(I)", "o.append((1, False, 'a', t1))"), "x").warnings[0].line == 4
    )


@pytest.mark.parametrize("identity", ["a(1)", "a#2", "", "a~1f", "differ_x(None)", "\x1b[2J"])
def test_ids_of_a_file_are_kept_as_they_are(identity: str) -> None:
    lines = [f"o.append((1, False, {identity!r}, t1))", f"s.append((1, {identity!r}, {identity!r}, t1))"]
    batt = parse_batt(bare("t1 = rot90(I)", *lines, *lines))
    entries = ((1, False, identity), (1, identity, identity))
    assert batt.entries == entries * 2
    assert parse_batt(batt_source(batt, "pile")).entries == entries * 2


def test_a_long_name_is_shown_cut_short() -> None:
    (warning,) = parse_batt(bare(f"t1 = {'x' * 100_000}(I)", "o.append((1, False, 'a', t1))")).warnings
    assert len(str(warning)) < 200


@pytest.mark.parametrize("number", ["9" * 5_000, "0x" + "f" * 5_000, "-0x" + "f" * 5_000])
def test_a_number_of_five_thousand_digits_is_told_in_a_sentence(number: str) -> None:
    text = bare(f"t1 = add(I, {number})", "o.append((1, False, 'a', t1))")
    try:
        message = str(parse_batt(text).warnings[0])
    except ProgramError as error:
        message = str(error)
    assert len(message) < 300
    with pytest.raises(ProgramError):
        ab.parse_programs(f"def solve_x(I): return add(ONE, {number})")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("print(I)", "expected a line `tN = op(...)`, got a call of 'print': it is skipped"),
        ("import sys", "expected a line `tN = op(...)`, got an import: it is skipped"),
        ("assert I", "expected a line `tN = op(...)`, got an assert: it is skipped"),
        ("t2: Grid = rot90(I)", "got an assignment with a type: it is read all the same"),
        ("t2 = env.do_pile(t_num=2, args=[rot90, I])", ": what uses it fails with TYPE"),
        ("t2 = env.do_pile(2, pile=(rot90, I))", ": it is read all the same"),
    ],
)
def test_a_warning_says_what_becomes_of_the_line(line: str, words: str) -> None:
    warnings = parse_batt(piled(PILED, OUTPUT, line), "odd.py").warnings
    assert any(str(warning).endswith(words) for warning in warnings), warnings


def test_a_warning_about_parameters_shows_them_as_they_stand() -> None:
    text = piled(PILED, OUTPUT)
    (warning,) = parse_batt(text.replace("log_path):", "log_path=None):", 1)).warnings
    assert "parameters are (task_id, S, I, C, log_path=None); they must be" in str(warning)
    (warning,) = parse_batt(f"@jit\n{text}").warnings
    assert "a batt has no decorators" in str(warning)


def test_a_piled_line_inside_an_output_is_read() -> None:
    batt = parse_batt(piled("o.append((1, False, 'a', env.do_pile(1, [hmirror, I], True)))"))
    assert [program.root for program in batt] == [Node.op("hmirror", I)]
    assert outcomes(batt, "pile") == [UPSIDE_DOWN]


def test_a_condition_need_not_name_calls_inside_its_line() -> None:
    batt = parse_batt(piled("t1 = env.do_pile(1, [hmirror, vmirror(I)], True)", OUTPUT))
    (warning,) = batt.warnings
    assert "a call of 'vmirror' inside a line" in str(warning)


@pytest.mark.parametrize("anew", ["def hmirror(grid):\n    return grid\n", "ONE = 5\n"])
def test_a_name_of_the_language_that_a_file_defines_anew_keeps_its_meaning_and_is_told(anew: str) -> None:
    batt = parse_batt(
        anew + bare("t1 = hmirror(I)", OUTPUT, "t2 = add(ONE, ONE)", "o.append((2, True, 'b', t2))")
    )
    assert outcomes(batt) == [UPSIDE_DOWN, 2]
    assert any("the language's own meaning counts" in str(warning) for warning in batt.warnings)


@pytest.mark.parametrize(
    "call",
    [
        "    with ThreadPoolExecutor(max_workers=1) as pool:\n"
        "        return pool.submit(lines_of, task_id, S, I, C, log_path).result(timeout=60)\n",
        "    o, s = lines_of(task_id, S, I, C, log_path)\n    return o, s\n",
        "    result = lines_of(task_id, S, I, C, log_path)\n"
        "    if DEBUG:\n        print(result)\n    return result\n",
    ],
)
def test_a_batt_that_passes_its_arguments_on_is_read_where_its_lines_are(call: str) -> None:
    text = f"""
from concurrent.futures import ThreadPoolExecutor
from pile import *
DEBUG = False


def lines_of(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = vmirror(I)
    o.append((1, False, '67a3c6ac', t1))
    return o, s


def batt(task_id, S, I, C, log_path):
{call}"""
    batt = ab.parse_batt(text, "wrapped.py")
    assert [(program.id, str(program.root)) for program in batt] == [("67a3c6ac", "vmirror(I)")]
    assert any(
        "'batt' has no lines; it names 'lines_of': this one is read" in str(each) for each in batt.warnings
    )
    with pytest.raises(ProgramError):
        ab.parse_batt(text, "wrapped.py", strict=True)
