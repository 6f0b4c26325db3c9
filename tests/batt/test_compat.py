"""Kept batt files run as plain Python, unedited, with the folder of `arcbatt.compat` on the path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt import compat
from arcbatt.batt import runtime
from arcbatt.batt.historical.type_names import TYPES

PILE = """
from pile import *


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = Env(3, task_id, S, log_path)
    t1 = env.do_pile(1, [vmirror, I], True)
    o.append((1, False, '67a3c6ac', t1))
    t2 = env.do_pile(2, [crop, TWO, ORIGIN, UNITY], t1.ok)
    o.append((2, True, '3c9b0459', t2))
    return o, s
"""
GUARDED = """
from dsl import *
from constants import *
from safe_dsl import _get_safe_default
from batt_gpu import batch_process_samples_gpu


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    try:
        t1 = vmirror(I)
    except (TypeError, AttributeError, ValueError):
        t1 = _get_safe_default(vmirror)
    o.append((1, False, '67a3c6ac', t1))
    t2, t3, t4, t5 = batch_process_samples_gpu(S)
    try:
        t6 = upscale(t2, TWO)
    except (TypeError, AttributeError, ValueError):
        t6 = _get_safe_default(upscale)
    o.append((6, True, 'c59eb873', t6))
    return o, s
"""
ON_GPU_ENV = """
from gpu_env import GPUEnv
from dsl import *


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = GPUEnv(7, task_id, S, log_path)
    t1 = env.do_pile(1, [vmirror, I], True)
    o.append((1, False, '67a3c6ac', t1))
    return o, s
"""
RENAMED = PILE.replace("from pile import *\n", "from pile import *\nfrom gpu_env import GPUEnv as Env\n")
HYBRID = """
from pile import *


def batt(task_id, S, I, C, log_path):
    try:
        return batt_gpu_resident(task_id, S, I, C, log_path)
    except Exception as error:
        return batt_cpu_fallback(task_id, S, I, C, log_path)


def batt_gpu_resident(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = vmirror(I)
    t2 = first(ZERO)
    o.append((1, False, '67a3c6ac', t1))
    return o, s


def batt_cpu_fallback(task_id, S, I, C, log_path):
    s = []
    o = []
    env = Env(7, task_id, S, log_path)
    t1 = env.do_pile(1, [vmirror, I], True)
    o.append((1, False, '67a3c6ac', t1))
    return o, s
"""
TEXTS = {"pile": PILE, "guarded": GUARDED, "gpu_env": ON_GPU_ENV, "renamed": RENAMED, "hybrid": HYBRID}
KEPT = Path(__file__).parents[1] / "data" / "batts"
TASK = "67a3c6ac"  # solved by vmirror

# Runs a batt on a task and prints the first output; the file knows nothing of arcbatt but the path.
DRIVER = """
import sys
from ast import literal_eval
from importlib import import_module
batt = import_module(sys.argv[1]).batt
for S, I, C in literal_eval(sys.stdin.read()):
    o, s = batt('67a3c6ac', S, I, C, None)
    first = o[0][3]
    print((first.t if hasattr(first, 'ok') else first) == C)
"""


def verdicts(folder: Path, module: str) -> list[str]:
    """Whether the first output of a file solves each sample, run as plain Python in a process of its own."""
    (task,) = ab.load_tasks(TASK)
    samples = [(task.pairs, given, expected) for given, expected in task.samples]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), compat.path(), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, module],
        input=repr(samples),
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("name", TEXTS)
def test_a_kept_file_runs_unedited(name: str, tmp_path: Path) -> None:
    (tmp_path / f"kept_{name}.py").write_text(TEXTS[name], "utf-8")
    assert verdicts(tmp_path, f"kept_{name}") == ["True"] * len(next(iter(ab.load_tasks(TASK))).samples)


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.py")), ids=lambda path: path.stem)
def test_an_odd_file_runs_unedited(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / f"kept_{path.name}")  # `gpu_env.py` would hide the module of that name
    assert set(verdicts(tmp_path, f"kept_{path.stem}")) == {"True"}


def test_the_modules_have_the_names_that_files_import() -> None:
    names = {
        *("arc_types", "batch_dsl_context", "batt_gpu", "constants", "differs", "dsl", "dsl_gpu"),
        *("gpu_dsl_operations", "gpu_env", "mega_batch_batt", "pile", "safe_dsl", "solvers_pre", "utils"),
    }
    assert {file.stem for file in Path(compat.path()).glob("*.py")} == names | {"__init__"}


def test_the_modules_give_what_the_runtime_gives() -> None:
    from arcbatt.compat import batt_gpu, constants, dsl, gpu_env, pile, safe_dsl

    assert pile.Env is runtime.Env
    assert set(dsl.__all__) == set(pile.__all__) == {*runtime.__all__, *TYPES}
    assert constants.TWO == 2
    assert set(constants.__all__) <= set(pile.__all__)
    assert safe_dsl._get_safe_default is pile._get_safe_default
    assert batt_gpu.batch_process_samples_gpu is dsl.batch_process_samples_gpu
    assert dsl.rot90 == runtime.rot90
    assert gpu_env.GPUEnv is ab.GPUEnv
    with pytest.raises(AttributeError, match="no constant 'rot90'"):
        _ = constants.rot90
