"""Batt files as people kept them: every style, the headers of the time, and lines spoilt by mutation."""

import random
import re
from collections.abc import Iterator

from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import TABLE
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Style
from arcbatt.program.merge import batt_of

# What stood at the top of files, by style. `mega` has imports that fail where there is no GPU.
HEADERS: dict[Style, tuple[str, ...]] = {
    "pile": (
        "from pile import *\n",
        "import random\nfrom arc_types import *\nfrom constants import *\nfrom dsl import *\n"
        "from pile import *\n",
        "from pile import *\nfrom gpu_env import GPUEnv as Env\n",
    ),
    "guarded": (
        "from dsl import *\nfrom constants import *\nfrom safe_dsl import _get_safe_default\n",
        "from utils import *\nfrom constants import *\nfrom dsl import *\nfrom pile import *\n",
        "from dsl import *\nfrom typing import get_type_hints\n\n\n"
        "def _get_safe_default(func, *others):\n"
        "    try:\n"
        "        kind = str(get_type_hints(func).get('return'))\n"
        "    except Exception:\n"
        "        return None\n"
        "    if 'FrozenSet' in kind:\n"
        "        return frozenset()\n"
        "    return () if 'Tuple' in kind else 0 if 'int' in kind else None\n",
    ),
    "vectorized": (
        "from dsl import *\nfrom constants import *\n"
        "from batt_gpu import GPU_AVAILABLE, batch_process_samples_gpu\n",
        "from pile import *\n\ntry:\n    import cupy as cp\n    GPU_AVAILABLE = True\n"
        "except ImportError:\n    cp = None\n    GPU_AVAILABLE = False\n\nBATCH = 30\n",
        "from gpu_dsl_operations import gpu_ops\nfrom dsl import *\nfrom constants import *\n"
        "o_g = gpu_ops.batch_o_g_wrapper\nmapply = gpu_ops.batch_mapply_wrapper\n",
    ),
    "hybrid": (
        "from pile import *\nfrom safe_dsl import _get_safe_default\n",
        "from arc_types import *\nfrom utils import *\nfrom dsl import *\nfrom pile import *\n"
        "from gpu_env import GPUEnv\nfrom batt_gpu import *\n",
    ),
}
HEADER = re.compile(r"^from arcbatt\.batt\.runtime import \(.*?\)\n", re.DOTALL | re.MULTILINE)
CALL = re.compile(r"^(?P<before>\s*t\d+ = )(?P<head>\w+)\((?P<arguments>[^()\[\]]*)\)$")
PILED = re.compile(
    r"^(?P<before>\s*t\d+ = env\.do_pile\(\d+, \[)"
    r"(?P<head>[\w.]+)(?:, )?(?P<arguments>[^\]]*)(?P<after>\].*)$"
)
SPOILT_NAMES = ("mirr_rot", "o_gg", "get_nth_q", "LILAC")


def spoilt_line(line: str, rng: random.Random) -> str:
    """A line with another head or other arguments, as mutation of text gives them."""
    found = CALL.match(line) or PILED.match(line)
    if found is None:
        return line
    arguments = [each for each in found["arguments"].split(", ") if each]
    head, after = found["head"], found.groupdict().get("after")
    change = rng.randrange(7)
    if change == 0:
        head = rng.choice(list(CONSTANTS))
    elif change == 1:
        head = rng.choice(SPOILT_NAMES)
    elif change == 2:
        arguments = arguments[:-1]
    elif change == 3:
        arguments.append(rng.choice(list(CONSTANTS)))
    elif change == 4 and arguments:
        arguments[rng.randrange(len(arguments))] = rng.choice([*SPOILT_NAMES, "None", "()", "C"])
    elif change == 5 and arguments:
        arguments[rng.randrange(len(arguments))] = rng.choice([*CONSTANTS, *TABLE])
    else:
        head = rng.choice(list(TABLE))
    return (
        f"{found['before']}{', '.join([head, *arguments])}{after}"
        if after
        else (f"{found['before']}{head}({', '.join(arguments)})")
    )


def kept_texts(style: Style, seed: int, solvers: int = 6, rate: float = 0.1) -> Iterator[tuple[str, str]]:
    """Names and texts of files of a style; of their lines `rate` are spoilt."""
    rng = random.Random(seed)
    programs = rng.sample(list(load_library("solvers")), solvers)
    text = batt_source(batt_of(programs, list(load_library("differs"))[:6]), style)
    for number, header in enumerate(HEADERS[style]):
        lines = [
            spoilt_line(line, rng) if rng.random() < rate else line
            for line in HEADER.sub("", text, count=1).splitlines()
        ]
        body = "\n".join(lines)
        if style == "guarded":
            body = body.replace("except Exception:", "except (TypeError, AttributeError, ValueError):")
        if style == "vectorized" and number == 0:
            body = body.replace(
                "    o = []\n",
                "    o = []\n    t9001, t9002, t9003, t9004 = batch_process_samples_gpu(S)\n",
                1,
            )
        if style == "hybrid" and number == 1:
            body = body.replace("    o = []\n", "    o = []\n    env = GPUEnv(7, task_id, S, log_path)\n", 1)
        yield f"{style}_{seed}_{number}", f"{header}\n\n{body}\n"
