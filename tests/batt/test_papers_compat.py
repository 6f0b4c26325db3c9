"""Modules of the historical names: kept files run to their end as plain Python, for ops never raise."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pytest

import arcbatt as ab
from arcbatt import compat
from arcbatt.batt import runtime
from arcbatt.batt.callables import FAILURES
from arcbatt.batt.env import OKT
from arcbatt.batt.historical.safe_ops import safe_op
from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import has_gpu
from arcbatt.library import load_library
from support.kept_files import HEADERS, kept_texts

GRID = ((1, 2), (3, 4))
ARGUMENTS = ("67a3c6ac", ((GRID, GRID),), GRID, None, None)
SAMPLES = 25

# Runs each file on the samples and prints how many calls came to their end, and how many entries they gave.
DRIVER = """
import json, sys, warnings
from ast import literal_eval
from importlib import import_module
warnings.simplefilter("ignore")
samples = literal_eval(sys.stdin.read())
for name in sys.argv[1:]:
    batt, done = import_module(name).batt, []
    for task_id, S, I in samples:
        try:
            o, s = batt(task_id, S, I, None, None)
            done.append([len(o), len(s)])
        except Exception as error:
            done.append(f"{type(error).__name__}: {error}")
    print(json.dumps(done))
"""


def runs(folder: Path, modules: list[str]) -> list[list[Any]]:
    """What the calls of some files give on 25 samples, each file run by a Python that knows only the path."""
    tasks = list(ab.load_tasks("arc1/training"))[:10]
    samples = [(task.id, task.pairs, given) for task in tasks for given, _ in task.samples][:SAMPLES]
    assert len(samples) == SAMPLES
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *modules],
        input=repr(samples),
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), compat.path(), *sys.path])},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("style", HEADERS)
def test_kept_files_run_on_25_of_25_samples(style: Any, rate: float, tmp_path: Path) -> None:
    names = []
    for name, text in kept_texts(style, seed=int(rate * 10), solvers=4, rate=rate):
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
        names.append(name)
    for name, found in zip(names, runs(tmp_path, names), strict=True):
        assert [entry if isinstance(entry, str) else entry[0] for entry in found] == [4] * SAMPLES, name


def load(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "kept") -> ModuleType:
    """A file that is imported with the historical modules on the path, and forgotten after the test."""
    (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(compat.path())
    monkeypatch.syspath_prepend(str(folder))
    own = {file.stem for file in Path(compat.path()).glob("*.py")} | {name}
    for module in own:
        monkeypatch.delitem(sys.modules, module, raising=False)
    module = __import__(name)
    for imported in own:
        sys.modules.pop(imported, None)
    return module


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Makes a batt function of lines, with `from pile import *` and `from dsl import *` above."""

    def made(lines: str) -> Any:
        body = "".join(f"    {line}\n" for line in lines.strip().splitlines())
        text = f"from pile import *\nfrom dsl import *\n\ndef batt(task_id, S, I, C, log_path):\n{body}"
        return load(text, tmp_path, monkeypatch).batt

    return made


@pytest.mark.parametrize("name", TABLE)
def test_an_op_gives_its_default_and_never_raises(name: str) -> None:
    op = safe_op(name)
    assert op() == TABLE[name].default
    assert op(*[None] * op.arity) == TABLE[name].default
    assert op(*[object()] * op.arity) == TABLE[name].default
    assert op(*["text"] * (op.arity + 1)) == TABLE[name].default
    assert op == getattr(runtime, name)


def test_a_failing_line_gives_a_typed_default(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
t1 = o_g(None, R5)
t2 = divide(ONE, ZERO)
t3 = rot90(t1)
t4 = compose(t3, t2)
t5 = t4(I)
t6 = even(t1)
t7 = get_nth_t(I, EIGHT)
return t1, t2, t3, t5, t6, t7
"""
    )
    assert batt(*ARGUMENTS) == (frozenset(), 0, (), (), 0, ())


def test_a_function_that_fails_inside_an_op_gives_its_default(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
t1 = rbind(divide, ZERO)
t2 = apply(t1, (ONE, TWO))
t3 = compose(first, rot90)
t4 = apply(t3, (I, ZERO))
t5 = sfilter((ONE, I, TWO), positive)
t6 = mapply(vmirror, (I, ONE))
t7 = fork(add, first, last)
t8 = t7(((), ONE))
return t2, t4, t5, t6, t8
"""
    )
    t2, t4, t5, t6, t8 = batt(*ARGUMENTS)
    assert (t2, t4, t5) == ((0, 0), ((3, 1), ()), (1, 2))
    assert t6 == ((2, 1), (4, 3))
    assert t8 == 0
    with pytest.raises(ValueError, match="apply fails with ZERO"):
        runtime.apply(runtime.rbind(runtime.divide, 0), (1, 2))


def test_too_many_applications_fail_the_op_and_not_each_of_them() -> None:
    step = safe_op("power")(safe_op("identity"), 6)
    assert safe_op("apply")(step, safe_op("repeat")(0, 100_000)) == ()


def test_a_call_of_what_is_no_function_gives_an_empty_tuple(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
t1 = EIGHT(I)
t2 = ORIGIN(I, I)
t3 = first(I)
t4 = t3(I)
t5 = asindices(I)
t6 = t5()
t7 = t6(I)
t8 = height(I)
t9 = t8(t8)
return t1, t2, t4, t6, t7, t9
"""
    )
    assert batt(*ARGUMENTS) == ((),) * 6


def test_an_unknown_name_costs_only_its_line(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
t1 = mirr_rot(I, R2)
t2 = apply(mirr_rot, I)
t3 = vmirror(I)
env = Env(7, task_id, S, log_path)
t4 = env.do_pile(4, [mirr_rot, I], True)
t5 = env.do_pile(5, [rot90, LILAC], True)
return t1, t2, t3, t4, t5
"""
    )
    with pytest.warns(RuntimeWarning, match=r"no op 'mirr_rot'; did you mean 'mir_rot.*'\?"):
        found = batt(*ARGUMENTS)
    assert found == ((), (), ((2, 1), (4, 3)), OKT(False, None), OKT(True, ()))


@pytest.mark.parametrize("environment", ["", "env = Env()\n", "env = Env(7, task_id)\n"])
def test_piled_lines_with_an_environment_of_another_kind(
    environment: str, kept: Callable[[str], Any]
) -> None:
    lines = "t1 = env.do_pile(1, [vmirror, I], True)\nreturn env.do_pile(2, [rot90, t1.t], t1.ok)"
    assert kept(environment + lines)(*ARGUMENTS) == OKT(True, ((4, 2), (3, 1)))


def test_a_piled_line_that_was_lost_is_not_ok(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
env = Env(7, task_id, S, log_path)
t2 = env.do_pile(2, [vmirror, t1.t], t1.ok)
t3 = env.do_pile(3, [add, t1.t, ONE], True)
return t2, t3
"""
    )
    assert batt(*ARGUMENTS) == (OKT(False, None), OKT(False, None))


def test_piled_lines_take_what_bare_lines_between_them_give(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
env = Env(7, task_id, S, log_path)
t1, t2, t3, t4 = batch_process_samples_gpu(S)
t5 = env.do_pile(5, [first, t1.t], t1.ok and t3.ok)
t6 = asindices(I)
t7 = height(I)
t8 = rbind(get_nth_t, F0)
t9 = env.do_pile(9, [size, t6.t], t6.ok)
t10 = env.do_pile(10, [add, t7.t, t9.t], t7.ok and t9.ok)
t11 = env.do_pile(11, [t8.t, I], t8.ok)
return t5, t10, t11
"""
    )
    assert batt(*ARGUMENTS) == (OKT(True, GRID), OKT(True, 6), OKT(True, (1, 2)))


@pytest.mark.filterwarnings("ignore:there is no op")
def test_an_environment_of_gpus_needs_no_import(kept: Callable[[str], Any]) -> None:
    batt = kept("env = GPUEnv(7, task_id, S, log_path)\nreturn env.do_pile(1, [vmirror, I], True).t == I")
    assert batt(*ARGUMENTS) is False
    batt = kept("t1 = logged(rot90, at=3)\nreturn t1")
    assert batt(*ARGUMENTS) == ()


@pytest.mark.parametrize(
    "module", ["batt_gpu", "dsl_gpu", "gpu_dsl_operations", "gpu_env", "mega_batch_batt"]
)
def test_every_module_of_gpus_says_whether_there_is_one(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = load(f"from {module} import GPU_AVAILABLE", tmp_path, monkeypatch)
    assert kept.GPU_AVAILABLE is has_gpu()


def test_a_flag_that_a_file_does_not_import_is_no_unknown_name(kept: Callable[[str], Any]) -> None:
    assert kept("return GPU_AVAILABLE")(*ARGUMENTS) is has_gpu()


def test_ops_of_a_kept_script_apply_python_functions() -> None:
    apply, compose, first, size = map(safe_op, ("apply", "compose", "first", "size"))
    assert apply(lambda number: number + 1, (1, 2)) == (2, 3)
    assert safe_op("sfilter")((1, 2, 3), lambda number: number > 1) == (2, 3)
    assert safe_op("fork")(lambda one, other: one + other, first, size)(((1,), (2,))) == ()
    assert safe_op("fork")(lambda one, other: (one, other), first, size)((7, 8)) == (7, 2)
    assert safe_op("rbind")(lambda one, other: one - other, 1)(5) == 4
    grown = compose(lambda number: number + 1, lambda number: number * 2)
    twice = compose(grown, compose(lambda number: -number, grown))
    assert (grown(3), twice(3), apply(twice, (0, 1))) == (7, -13, (-1, -5))
    assert (apply(max, ((1, 5), (4,))), safe_op("argmax")((1, 2), lambda number: -number)) == ((5, 4), 1)


def test_python_functions_that_fail_give_a_default() -> None:
    def failing(number: int) -> int:
        raise RuntimeError(number)

    apply, compose = safe_op("apply"), safe_op("compose")
    assert apply(failing, (1, 2)) == apply(lambda _: None, (1, 2)) == ((), ())
    composed = compose(failing, failing)
    assert (composed(1), composed(), apply(pickle.loads(pickle.dumps(composed)), (1,))) == ((), (), ())
    assert safe_op("rapply")((composed, composed), 3) == ()
    assert safe_op("rot90")(failing) == ()


def test_a_name_that_the_file_gives_itself_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
from dsl import *
try:
    import cupy as cp
    GPU = True
except ImportError:
    GPU = False


def batt(task_id, S, I, C, log_path):
    return GPU, later(I), [len(each) for each in S]


def later(grid):
    return rot90(grid)
"""
    module = load(text, tmp_path, monkeypatch)
    assert module.batt(*ARGUMENTS) == (module.GPU, ((3, 1), (4, 2)), [2])
    with pytest.raises(ImportError, match="mirr_rot"):
        load("from dsl import mirr_rot", tmp_path, monkeypatch, "another")


KEPT_IMPORTS = """
from typing import Any
from {module} import ({name}, {known})
from dsl import *


def batt(task_id: str, S: Samples, I: Grid, C: Grid, log_path: str) -> Tuple[List, List]:
    t1 = {name}(I)
    t2 = apply({name}, I)
    t3 = vmirror(I)
    return t1, t2, t3
"""


@pytest.mark.parametrize(
    ("module", "known"),
    [
        *(("dsl", "rot90"), ("pile", "Env"), ("utils", "rot90"), ("constants", "TWO"), ("arc_types", "Grid")),
        *(("safe_dsl", "safe_dsl"), ("batt_gpu", "batch_process_samples_gpu"), ("gpu_env", "GPUEnv")),
        *(("dsl_gpu", "o_g_gpu"), ("gpu_dsl_operations", "gpu_ops"), ("solvers_pre", "solve_67a3c6ac")),
        *(("mega_batch_batt", "BatchInput"), ("batch_dsl_context", "BatchContext")),
        *(("differs", "differ_shape"),),
    ],
)
def test_a_name_that_a_kept_file_imports_and_nothing_gives_costs_only_its_lines(
    module: str, known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = KEPT_IMPORTS.format(module=module, name="old_turned", known=known)
    with pytest.warns(RuntimeWarning, match="old_turned.*; a line that calls it gives") as told:
        found = load(text, tmp_path, monkeypatch).batt(*ARGUMENTS)
    assert found == ((), (), ((2, 1), (4, 3)))
    assert [warning.filename for warning in told] == [str(tmp_path / "kept.py")]
    without = text.replace("def batt(task_id", "def other(name").replace("S: Samples, ", "")
    with pytest.raises(ImportError, match="old_turned"):
        load(without, tmp_path, monkeypatch, "without")


def test_an_import_with_another_for_the_case_that_it_fails_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
try:
    from dsl import old_turned
except ImportError:
    from dsl import rot90 as old_turned
import dsl
from dsl import *


def batt(task_id, S, I, C, log_path):
    t1 = old_turned(I)
    t2 = dsl.rot90(I)
    t3 = dsl.old_turned(I)
    return t1, t2, t3


here = hasattr(dsl, "old_turned")
"""
    module = load(text, tmp_path, monkeypatch)
    with pytest.warns(RuntimeWarning, match="there is no op 'old_turned'"):
        assert module.batt(*ARGUMENTS) == (((3, 1), (4, 2)), ((3, 1), (4, 2)), ())
    assert module.here is False


@pytest.mark.filterwarnings("ignore:there is no op")
def test_parts_of_an_unknown_name_cost_only_their_lines(kept: Callable[[str], Any]) -> None:
    batt = kept("t1 = logger.info(I)\nt2 = cp.linalg.norm(I)\nt3 = vmirror(I)\nreturn t1, t2, t3")
    assert batt(*ARGUMENTS) == ((), (), ((2, 1), (4, 3)))


def test_the_language_brings_the_names_of_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
from {module} import *


def batt(task_id: str, S: Samples, I: Grid, C: Optional[Grid], log_path: Any) -> Tuple[List, Dict]:
    return rot90(I)


def turned(grid: Grid) -> Union[Grid, Callable]:
    return rot90(grid)
"""
    for module in ("dsl", "pile", "utils"):
        found = load(text.format(module=module), tmp_path, monkeypatch, f"typed_{module}")
        assert found.batt(*ARGUMENTS) == found.turned(GRID) == ((3, 1), (4, 2))


def test_an_op_takes_arguments_by_name(kept: Callable[[str], Any]) -> None:
    batt = kept(
        """
t1 = fill(I, patch=asindices(I), value=ONE)
t2 = rot90(grid=I)
t3 = rot90(I, grid=I)
t4 = rot90(piece=I)
t5 = height(I, task_id=task_id)
t6 = fill(grid=I)
return t1, t2, t3, t4, t5, t6
"""
    )
    assert batt(*ARGUMENTS) == (((1, 1), (1, 1)), ((3, 1), (4, 2)), (), (), 0, ())
    assert runtime.fill(GRID, patch=runtime.asindices(GRID), value=1) == ((1, 1), (1, 1))
    with pytest.raises(TypeError, match="rot90 fails with TYPE"):
        runtime.rot90(piece=GRID)


def test_an_environment_still_sees_failures(kept: Callable[[str], Any], tmp_path: Path) -> None:
    batt = kept(
        """
env = Env(7, task_id, S, log_path)
t1 = env.do_pile(1, [crop, TWO, ORIGIN, UNITY], True)
t2 = env.do_pile(2, [divide, ONE, ZERO], True)
return t1, t2
"""
    )
    assert batt(*ARGUMENTS[:4], tmp_path / "log") == (OKT(True, ()), OKT(False, None))
    assert len((tmp_path / "log").read_text("utf-8").splitlines()) == 2


@pytest.mark.parametrize("environment", ["Env", "GPUEnv"])
@pytest.mark.parametrize("head", ["EIGHT", "ORIGIN", "asindices(I)", "None"])
def test_a_piled_line_whose_function_is_none_fails(
    head: str, environment: str, kept: Callable[[str], Any], tmp_path: Path
) -> None:
    batt = kept(
        f"""
env = {environment}(7, task_id, S, log_path)
t1 = {head}
t2 = env.do_pile(2, [t1, I], True)
return t2, env.failures
"""
    )
    assert batt(*ARGUMENTS[:4], tmp_path / "log") == (OKT(False, None), 1)
    assert "t2 TYPE" in (tmp_path / "log").read_text("utf-8")


def test_results_are_plain_values_to_everything_else() -> None:
    grid, number, cells = safe_op("rot90")(GRID), safe_op("height")(GRID), safe_op("asindices")(GRID)
    assert (repr(grid), repr(number), repr(frozenset(cells) == cells)) == ("((3, 1), (4, 2))", "2", "True")
    assert repr(safe_op("palette")(((1,),))) == "frozenset({1})"
    assert json.dumps([grid, number]) == "[[[3, 1], [4, 2]], 2]"
    assert [type(pickle.loads(pickle.dumps(each))) for each in (grid, number, cells)] == [
        *(tuple, int, frozenset)
    ]
    assert ab.call("rot90", grid) == ((4, 3), (2, 1))
    assert {grid: number}[((3, 1), (4, 2))] == 2


def test_failures_are_value_errors_besides_their_kind() -> None:
    for kind in KINDS:
        assert issubclass(FAILURES[kind], ValueError)
    for op, arguments, own in (("divide", (1, 0), ZeroDivisionError), ("index", (GRID, (9, 9)), IndexError)):
        for wanted in (own, ValueError):
            with pytest.raises(wanted):
                getattr(runtime, op)(*arguments)


def test_guarded_lines_of_the_runtime_catch_every_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
from arcbatt.batt.runtime import *


def batt(task_id, S, I, C, log_path):
    found = []
    for op, arguments in ((divide, (1, 0)), (index, (I, (9, 9))), (canvas, (0, (1000, 1000))), (rot90, (C,))):
        try:
            t1 = op(*arguments)
        except (TypeError, AttributeError, ValueError):
            t1 = _get_safe_default(op)
        found.append(t1)
    return found
"""
    assert load(text, tmp_path, monkeypatch).batt(*ARGUMENTS) == [0, 0, (), ()]


def test_an_op_tells_a_helper_what_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (safe_op("o_g").__name__, safe_op("rot90").__annotations__["return"]) == ("o_g", "Grid")
    assert "FrozenSet" in str(get_type_hints(safe_op("o_g"))["return"])
    assert list(signature(safe_op("replace")).parameters) == ["grid", "replacee", "replacer"]


def test_imports_of_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
from arc_types import *
from utils import *
from constants import *
from dsl import *
from pile import *
from differs import *
from solvers_pre import *
import differs
import solvers_pre
from gpu_dsl_operations import GPUDSLOperations, gpu_ops
from mega_batch_batt import MegaBatchCoordinator, BatchInput, BatchResult
from batch_dsl_context import batch_dsl_context, BatchContext
from gpu_env import GPUEnv, GPUTransferManager, check_gpu_status
from dsl_gpu import replace_gpu, o_g_gpu
from safe_dsl import safe_dsl, make_all_dsl_safe, _get_safe_default
from batt_gpu import batch_process_samples_gpu, batch_batt_gpu
"""
    module = load(text, tmp_path, monkeypatch)
    assert module.GPUDSLOperations is ab.GPUDSLOperations
    assert module.MegaBatchCoordinator is ab.MegaBatchCoordinator
    assert module.batch_dsl_context is ab.batch_dsl_context
    assert module.GPUEnv is ab.GPUEnv
    assert module.replace_gpu(GRID, 1, 5) == ((5, 2), (3, 4))
    assert module.o_g_gpu(None, 5) == frozenset()
    assert module.gpu_ops.batch_rot90([GRID]) == [((3, 1), (4, 2))]
    assert module.solve_67a3c6ac((), GRID, None) == ((2, 1), (4, 3))
    assert {"solve_67a3c6ac"} < set(dir(module.solvers_pre)) <= set(dir(module))
    assert set(dir(module.differs)) == {program.name for program in load_library("differs")}
    assert module.batch_process_samples_gpu(((GRID, GRID),)) == ((GRID,), (GRID,), (1, 2, 3, 4), (1, 2, 3, 4))


def test_a_module_is_patched_with_wrappers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
import dsl
from gpu_dsl_operations import gpu_ops
dsl.o_g = gpu_ops.batch_o_g_wrapper
dsl.mapply = gpu_ops.batch_mapply_wrapper
from dsl import *


def batt(task_id, S, I, C, log_path):
    t1 = o_g(I, R5)
    t2 = mapply(rbind(o_g, R5), (I, I))
    return t1, t2
"""
    module = load(text, tmp_path, monkeypatch)
    before = module.gpu_ops.get_stats().calls
    found = runtime.o_g(GRID, 5)
    assert module.batt(*ARGUMENTS) == (found, runtime.mapply(runtime.rbind(runtime.o_g, 5), (GRID, GRID)))
    assert module.gpu_ops.get_stats().calls == before + 2


def test_functions_of_a_module_are_made_safe() -> None:
    from arcbatt.compat.safe_dsl import make_all_dsl_safe

    module = ModuleType("mine")
    exec("def half(n: 'Integer') -> 'Integer':\n    return n // 2\n", module.__dict__)  # noqa: S102
    make_all_dsl_safe(module)
    assert (module.half(6), module.half(None)) == (3, 0)


def test_a_context_takes_guarded_and_bare_lines_of_safe_ops_in_one_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
from dsl import *
from safe_dsl import _get_safe_default


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    try:
        t1 = rot90(I)
    except (TypeError, AttributeError, ValueError):
        t1 = _get_safe_default(rot90)
    t2 = crop(t1, ORIGIN, ZERO)
    t3 = divide(TWO, ZERO)
    o.append((1, False, 'a', t1))
    o.append((2, False, 'b', t2))
    o.append((3, False, 'c', t3))
    return o, s
"""
    function = load(text, tmp_path, monkeypatch).batt
    plain = function(*ARGUMENTS)
    assert [value for *_, value in plain[0]] == [((3, 1), (4, 2)), (), 0]
    with ab.batch_dsl_context() as batch:
        assert batch.map(function, [ARGUMENTS]) == [plain]
        assert function(*ARGUMENTS) == plain
    assert batch.fallbacks == []


@pytest.mark.parametrize(
    "environment",
    [
        "Env(7, task_id, S, log_path, 3)",
        "Env(seed=-7, task_id=task_id, S=S, log_path=log_path)",
        "GPUEnv(7, task_id, S, log_path)",
        "GPUEnv(7, task_id, S, log_path, 0, enable_gpu=False)",
    ],
)
def test_a_context_takes_an_environment_in_any_words_of_its_signature(
    environment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"""
from pile import *
from gpu_env import GPUEnv


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = {environment}
    t1 = env.do_pile(1, [divide, ONE, ZERO], True)
    t2 = env.do_pile(2, [vmirror, I], True)
    o.append((2, False, 'a', t2))
    return o, s
"""
    function = load(text, tmp_path, monkeypatch).batt
    logs = [tmp_path / "plain", tmp_path / "engine"]
    plain = function(*ARGUMENTS[:4], str(logs[0]))
    with ab.batch_dsl_context() as batch:
        assert function(*ARGUMENTS[:4], str(logs[1])) == plain
    assert batch.fallbacks == []
    assert logs[0].read_text("utf-8") == logs[1].read_text("utf-8") != ""


@pytest.mark.parametrize(
    "environment",
    ["Env(7, task_id, S)", "Env(7, S, task_id, log_path)", "Env()", "GPUEnv(7, task_id, S, log_path, C)"],
)
def test_a_context_leaves_other_environments_to_python(
    environment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"""
from pile import *
from gpu_env import GPUEnv


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = {environment}
    t1 = env.do_pile(1, [vmirror, I], True)
    o.append((1, False, 'a', t1))
    return o, s
"""
    function = load(text, tmp_path, monkeypatch).batt
    plain = function(*ARGUMENTS)
    with ab.batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="env' is made in another way"):
        assert function(*ARGUMENTS) == plain
    assert len(batch.fallbacks) == 1
