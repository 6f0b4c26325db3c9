"""A batt file of another shape is refused with the line and the reason."""

from collections.abc import Callable

import pytest

import arcbatt as ab
from arcbatt.errors import ProgramError
from arcbatt.program.batt_files.read import parse_batt

DEF = "def batt(task_id, S, I, C, log_path):\n"
BEGIN = f"{DEF}    s = []\n    o = []\n"
OUTPUT = "    o.append((1, False, 'a', t1))\n"
RETURN = "    return o, s\n"
WHOLE = f"{BEGIN}    t1 = rot90(I)\n{OUTPUT}{RETURN}"
GUARDED = (
    f"{BEGIN}    try:\n        t1 = rot90(I)\n    except Exception:\n"
    f"        t1 = _get_safe_default(rot90)\n{OUTPUT}{RETURN}"
)
PILED = (
    f"{BEGIN}    env = Env(0, task_id, S, log_path)\n"
    f"    t1 = env.do_pile(1, [rot90, I], True)\n{OUTPUT}{RETURN}"
)
RESIDENT = WHOLE.replace("batt", "batt_gpu_resident")
FALLBACK = GUARDED.replace("batt", "batt_cpu_fallback")
HYBRID = (
    f"{RESIDENT}{FALLBACK}{DEF}    try:\n        return batt_gpu_resident(task_id, S, I, C, log_path)\n"
    "    except Exception:\n        return batt_cpu_fallback(task_id, S, I, C, log_path)\n"
)


def require_refusal(text: str, line: int, words: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_batt(text, "batt.py", strict=True)
    assert words in caught.value.reason
    assert (caught.value.file, caught.value.line) == ("batt.py", line), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [WHOLE, GUARDED, PILED, HYBRID], ids=["bare", "guarded", "pile", "hybrid"])
def test_what_is_spoiled_below_is_a_batt_file(text: str) -> None:
    assert len(parse_batt(text)) == 1


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("import os\n", 1, "there is no batt"),
        ("def batt(S, I, C):\n    return o, s\n", 1, "must be (task_id, S, I, C, log_path)"),
        ("def batt(task_id, S, I, C, log_path=None):\n    return o, s\n", 1, "defaults"),
        ("def batt(task_id, S, I, C, log_path, *more):\n    return o, s\n", 1, "starred"),
        (f"@cache\n{WHOLE}", 2, "decorators"),
        (f"async {WHOLE}", 1, "an async function"),
        (f"{WHOLE}print(1)\n", 7, "a call of 'print' outside a function"),
        (f"{WHOLE}if __name__ == '__main__':\n    pass\n", 7, "an if outside a function"),
        (f"{WHOLE}def helper(x):\n    return x\n", 7, "'helper' is no part of a batt file"),
        (f"{WHOLE}{WHOLE}", 7, "defined twice"),
        (f"{DEF}    return o, s\n", 2, "'o' is not there yet"),
        (f"{BEGIN}{RETURN}", 1, "there is no output"),
        (WHOLE.replace("return o, s", "return s, o"), 6, "`return o, s`"),
        (WHOLE.replace("return o, s", "return o"), 6, "`return o, s`"),
        (WHOLE.replace(RETURN, ""), 5, "`return o, s`"),
        (WHOLE.replace("o = []", "o = [1]"), 3, "`o = []`"),
        (WHOLE.replace("o = []", "o = ()"), 3, "`o = []`"),
        (WHOLE.replace("    o = []\n", ""), 4, "'o' is not there yet"),
        (WHOLE.replace("    s = []\n", ""), 5, "'s' is not there yet"),
        (WHOLE.replace("rot90(I)", "rot90((I)"), 4, "not Python"),
        (f"{WHOLE}\0", 7, "not Python"),
    ],
)  # fmt: skip
def test_of_a_file(text: str, line: int, words: str) -> None:
    require_refusal(text, line, words)


@pytest.mark.parametrize("load", [ab.load_batt, ab.load_programs])
def test_of_a_name_that_no_file_can_have(load: Callable[[str], object]) -> None:
    with pytest.raises(ProgramError, match="the file cannot be read"):
        load("a\0b")


def test_of_a_style_that_there_is_not() -> None:
    with pytest.raises(ab.ArcbattError, match=r"style: expected one of pile, guarded, .*, got 'foo'"):
        ab.batt_source(parse_batt(WHOLE), "foo")  # type: ignore[arg-type]


def test_of_a_line_that_is_nested_very_deeply() -> None:
    with pytest.raises(ProgramError) as caught:
        parse_batt(WHOLE.replace("rot90(I)", f"rot90({'-' * 5_000}1)"))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("return o, s", "before the last line"),
        ("o = []", "'o' is made twice"),
        ("env = Env(task_id, S)", "Env(<number>, task_id, S, log_path)"),
        ("env = Env('seed', task_id, S, log_path)", "Env(<number>, task_id, S, log_path)"),
        ("env = []", "Env(<number>, task_id, S, log_path)"),
        ("t2 = rot09(I)", "'rot90'"),
        ("t2 = rot90(t7)", "'t7' is neither"),
        ("t2 = rot90(t2)", "'t2' is neither"),
        ("t2 = rot90(hmirror(I))", "a call of 'hmirror' inside a line"),
        ("t2 = compose(rot90, rot90)(I)", "call an op or a variable"),
        ("t2 = rot90(task_id)", "'task_id' is neither"),
        ("t2 = rot90(o)", "'o' is neither"),
        ("t2 = rot90(I, I)", "takes 1 argument, not 2"),
        ("t2 = rot90(gird=I)", "'grid'"),
        ("t2 = rot90(*I)", "a starred argument"),
        ("t2 = t1(size=1)", "keyword"),
        ("t2 = TWO(I)", "is a constant and cannot be called"),
        ("t2 = t1.t(I)", "a call of an attribute"),
        ("t2 = rot90(t1.t)", "an attribute"),
        ("t2 = I", "a line is `tN = op(...)`"),
        ("t2 = lambda x: x", "a lambda"),
        ("t2 = add(1, 2.5)", "float"),
        ("t2 = add(1, 1 << 40)", "operator"),
        ("t1 = rot90(I)", "'t1' is given a value twice"),
        ("x1 = rot90(I)", "'x1' is no variable of a batt"),
        ("t01 = rot90(I)", "'t01' is no variable of a batt"),
        ("I = rot90(I)", "'I' is no variable of a batt"),
        ("t2 = t3 = rot90(I)", "is given to a name"),
        ("t2.x = rot90(I)", "is given to a name"),
        ("t2, t3 = rot90(I)", "batch_process_samples_gpu(S)"),
        ("t2, t3, t4, t5 = batch_process_samples_gpu(I)", "batch_process_samples_gpu(S)"),
        ("t2, t2, t4, t5 = batch_process_samples_gpu(S)", "twice"),
        ("t2: int = rot90(I)", "an assignment with a type"),
        ("t2 += rot90(I)", "an assignment that changes a variable"),
        ("for x in S: pass", "a loop"),
        ("while T: pass", "a loop"),
        ("if I: pass", "an if"),
        ("with I: pass", "a with"),
        ("print(I)", "a call of 'print'"),
        ("import os", "an import"),
        ("o.extend([])", "is no part of a batt"),
        ("o.append((1, 0, 'a', t1))", "an output is `o.append"),
        ("o.append((1, False, None, t1))", "an output is `o.append"),
        ("o.append([1, False, 'a', t1])", "an output is `o.append"),
        ("o.append((1, False, 'a', t1), 2)", "an output is `o.append"),
        ("s.append((1, None, 'a', t1))", "an output is `s.append"),
        ("s.append((1, False, 'a', t1))", "an output is `s.append"),
        ("o.append((2, False, 'a', t1))", "number must be that of 't1'"),
        ("o.append((2, False, 'a', t2))", "variable of a line above"),
        ("o.append((1, False, 'a', t1.t))", "variable of a line above"),
        ("o.append((1, False, 'a', I))", "variable of a line above"),
        ("t2 = env.do_pile(2, [rot90, I], True)", "of style vectorized"),
        ("try: t2 = rot90(I)\n    except Exception: t2 = _get_safe_default(rot90)", "of style vectorized"),
    ],
)  # fmt: skip
def test_of_a_statement(statement: str, words: str) -> None:
    require_refusal(WHOLE.replace(OUTPUT, f"    {statement}\n{OUTPUT}"), 5, words)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("_get_safe_default(rot90)", "_get_safe_default(rot180)", 7, "_get_safe_default(rot90)"),
        ("_get_safe_default(rot90)", "()", 7, "_get_safe_default(rot90)"),
        ("t1 = _get", "t2 = _get", 7, "t1 = _get_safe_default(rot90)"),
        ("except Exception", "except 1 + 1", 4, "a guarded line is"),
        ("except Exception", "except print()", 4, "a guarded line is"),
        (OUTPUT, f"    finally:\n        pass\n{OUTPUT}", 4, "a guarded line is"),
        ("        t1 = rot90(I)\n", "        t1 = rot90(I)\n        t2 = rot90(I)\n", 4, "a guarded line is"),
        ("t1 = rot90(I)", "return o, s", 4, "a guarded line is"),
        (OUTPUT, f"    t2 = rot90(I)\n{OUTPUT}", 8, "of style guarded"),
    ],
)  # fmt: skip
def test_of_a_guarded_line(old: str, new: str, line: int, words: str) -> None:
    require_refusal(GUARDED.replace(old, new), line, words)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("t2 = rot90(t1)", "of style pile"),
        ("t2 = other.do_pile(2, [rot90, I], True)", "of style pile"),
        ("t2, t3, t4, t5 = batch_process_samples_gpu(S)", "several names"),
        ("t2 = env.do_pile(3, [rot90, t1.t], t1.ok)", "that of 't2'"),
        ("t2 = env.do_pile(2, [rot90, t1.t], True)", "`t1.ok`"),
        ("t2 = env.do_pile(2, [rot90, I], t1.ok)", "`True`"),
        ("t2 = env.do_pile(2, [rot90, I], False)", "`tN.ok`"),
        ("t2 = env.do_pile(2, [add, t1.t, t1.t], t1.ok or t1.ok)", "`tN.ok`"),
        ("t2 = env.do_pile(2, [rot90, t1], t1.ok)", "`t1.t`"),
        ("t2 = env.do_pile(2, [t1, I], t1.ok)", "`t1.t`"),
        ("t2 = env.do_pile(2, [rot90, t1.ok], t1.ok)", "`tN.t`"),
        ("t2 = env.do_pile(2, [rot90, t3.t], t3.ok)", "`tN.t`"),
        ("t2 = env.do_pile(2, [os.rot90, I], True)", "`tN.t`"),
        ("t2 = env.do_pile(2, [hmirror(I)], True)", "call an op or a variable"),
        ("t2 = env.do_pile(2, [rot90, I])", "a piled line is"),
        ("t2 = env.do_pile(2, (rot90, I), True)", "a piled line is"),
        ("t2 = env.do_pile(2, [rot90, I], isok=True)", "a piled line is"),
        ("t2 = env.do_pile(2, [], True)", "a piled line is"),
        ("t2 = env.do_pile(2, [rot90], True)", "takes 1 argument, not 0"),
        ("t1 = env.do_pile(1, [rot90, I], True)", "twice"),
    ],
)  # fmt: skip
def test_of_a_piled_line(statement: str, words: str) -> None:
    require_refusal(PILED.replace(OUTPUT, f"    {statement}\n{OUTPUT}"), 6, words)


def test_of_a_piled_line_without_an_environment() -> None:
    require_refusal(
        PILED.replace("    env = Env(0, task_id, S, log_path)\n", ""), 4, "'env' is not there yet"
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("def batt_cpu_fallback", "def batt_gpu_resident", 7, "defined twice"),
        ("def batt(", "def other(", 16, "'other' is no part of a batt file"),
        (FALLBACK, "", 1, "'batt_cpu_fallback'"),
        (FALLBACK, PILED.replace("batt", "batt_cpu_fallback"), 1, "both or none must be of style pile"),
        (RESIDENT, PILED.replace("batt", "batt_gpu_resident"), 1, "both or none must be of style pile"),
        ("resident(task_id, S, I, C, log_path)\n    ex", "resident(S, I)\n    ex", 18, "`return batt_gpu_"),
        ("return batt_cpu_fallback", "return batt_gpu_resident", 20, "`return batt_cpu_"),
        ("return batt_cpu_fallback", "print(1)\n        return batt_cpu_fallback", 16, "a hybrid batt is"),
        ("return batt_cpu_fallback(task_id, S, I, C, log_path)", "pass", 20, "`return batt_cpu_fallback("),
        ("t1 = rot90(I)", "t1 = rot180(I)", 5, "not the output of 'batt_cpu_fallback' in line 14"),
        ("(1, False, 'a', t1)", "(1, True, 'a', t1)", 5, "not the output of 'batt_cpu_fallback' in line 14"),
        (OUTPUT, f"{OUTPUT}{OUTPUT}", 1, "outputs: 2 here, 1 in"),
    ],
)  # fmt: skip
def test_of_a_hybrid_file(old: str, new: str, line: int, words: str) -> None:
    require_refusal(HYBRID.replace(old, new, 1), line, words)


def test_of_a_hybrid_file_whose_bodies_number_an_output_differently() -> None:
    resident, name, rest = HYBRID.partition("def batt_cpu")
    require_refusal(resident.replace("t1", "t2").replace("(1,", "(2,") + name + rest, 5, "not the output of")
