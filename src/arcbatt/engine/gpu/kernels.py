"""Kernels that came compiled with the package, and where the kernel of a device comes from."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from arcbatt.engine.gpu.nvrtc import compile_options, compiler_version, is_cached, kernel_source
from arcbatt.errors import BackendError
from arcbatt.files import write_whole

FOLDER = "kernels"  # in the package
LIST = "kernels.json"  # the kernels in the folder, with digests, options and compiler


@dataclass(frozen=True)
class ShippedKernel:
    """A kernel that came with the package: its architecture, the NVRTC that made it, and its code."""

    architecture: str
    nvrtc: str
    cubin: bytes


def shipped_kernels() -> dict[str, ShippedKernel]:
    """The kernels that came with the package, by architecture; those of another source do not count."""
    with suppress(BackendError):
        return _sound_kernels(resources.files("arcbatt").joinpath(FOLDER), kernel_source())
    return {}


def _sound_kernels(folder: Any, source: str) -> dict[str, ShippedKernel]:
    """The kernels of a folder that are whole, and made from this source with these options."""
    found: dict[str, ShippedKernel] = {}
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):  # no list, or a damaged one
        content = json.loads(folder.joinpath(LIST).read_text(encoding="utf-8"))
        if content["source"] != _digest(source.encode()):
            return {}
        for architecture, entry in content["kernels"].items():
            cubin = folder.joinpath(f"{architecture}.cubin").read_bytes()
            is_ours = entry["options"] == compile_options(architecture)
            if is_ours and entry["digest"] == _digest(cubin):
                found[architecture] = ShippedKernel(architecture, str(content["nvrtc"]), cubin)
    return found


def write_kernels(folder: Path, source: str, nvrtc: str, cubins: dict[str, bytes]) -> None:
    """Write a folder of kernels for `shipped_kernels` to read; the list is written last."""
    folder.mkdir(parents=True, exist_ok=True)
    for architecture, cubin in cubins.items():
        write_whole(str(folder / f"{architecture}.cubin"), cubin)
    kernels = {
        architecture: {"digest": _digest(cubin), "options": compile_options(architecture)}
        for architecture, cubin in cubins.items()
    }
    content = {"source": _digest(source.encode()), "nvrtc": nvrtc, "kernels": kernels}
    write_whole(str(folder / LIST), f"{json.dumps(content, indent=1)}\n".encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def runs_on(built: str, architecture: str) -> bool:
    """Whether code for one architecture runs on another: of the same major version, and not an older one.

    >>> [runs_on("sm_60", each) for each in ("sm_60", "sm_61", "sm_70", "sm_100")]
    [True, True, False, False]
    >>> runs_on("sm_89", "sm_86")
    False
    """
    (major, minor), (its_major, its_minor) = map(_version, (built, architecture))
    return major == its_major and minor <= its_minor


def _version(architecture: str) -> tuple[int, int]:
    """The version of an architecture; the last digit is the minor one."""
    number = int(architecture.removeprefix("sm_").rstrip("af"))
    return number // 10, number % 10


def shipped_kernel(architecture: str) -> ShippedKernel | None:
    """The kernel that came with the package for an architecture, the nearest of several."""
    suitable = [each for each in shipped_kernels().values() if runs_on(each.architecture, architecture)]
    return max(suitable, key=lambda each: _version(each.architecture), default=None)


def origin(architecture: str) -> str:
    """Where the kernel of an architecture comes from, as text."""
    shipped = shipped_kernel(architecture)
    if shipped is not None:
        return f"shipped for {shipped.architecture}"
    if compiler_version() is None:
        return "missing: NVRTC must compile it, and it is not installed"
    if is_cached(architecture):
        return "in the cache, compiled before"
    return "to be compiled at the first use, which takes about 40 seconds"


def shipped_in_words() -> str:
    """The kernels that came with the package, as text.

    >>> shipped_in_words() == "none shipped; NVRTC compiles them" or "shipped for" in shipped_in_words()
    True
    """
    shipped = shipped_kernels()
    if not shipped:
        return "none shipped; NVRTC compiles them"
    compilers = ", ".join(sorted({each.nvrtc for each in shipped.values()}))
    return f"shipped for {', '.join(shipped)}, made by NVRTC {compilers}; NVRTC compiles others"
