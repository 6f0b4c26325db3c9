"""The kernel, compiled by NVRTC for an architecture of GPUs (no GPU need be there) and kept in a cache."""

import ctypes
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from time import process_time

from arcbatt.engine.gpu.devices import WINDOWS, call_library, code_of, load_library
from arcbatt.errors import ArcbattError, BackendError
from arcbatt.files import UnreadableFile, cache_folder, content_of_file, write_whole

COMPILER = (
    ("nvrtc64_130_0.dll", "nvrtc64_120_0.dll")
    if WINDOWS
    else ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2")
)
ENTRY = "arcbatt_run"  # the kernel's name in its source
ARCHITECTURES = ("sm_60", "sm_75", "sm_89")  # P100, T4, L4
OPTIONS = (
    "--std=c++20",
    "--device-as-default-execution-space",
    "--diag-suppress=177",  # constants that the kernel does not use
    "--ptxas-options=-v",
)
# Registers of a thread: with 80 a multiprocessor holds 24 warps. Some hold 16 at most, and can have 128.
MOST_REGISTERS = 80
MOST_REGISTERS_OF_16_WARPS = 128
HOLD_16_WARPS = ("sm_75", "sm_86", "sm_87")
MOST_KEPT = 16  # compiled kernels in the cache
LARGEST_KERNEL = 64 << 20  # bytes

_one_at_a_time = Lock()


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel for one architecture."""

    architecture: str
    cubin: bytes
    log: str
    seconds: float


@cache
def _compiler() -> ctypes.CDLL:
    library = load_library([*_packaged(), *COMPILER])
    if library is None:
        raise BackendError("NVRTC was not found; pip install 'arcbatt[nvrtc]' brings it")
    return library


def _packaged() -> list[Path]:
    """The library as NVIDIA's Python packages install it."""
    found = []
    for package in ("nvidia.cuda_nvrtc", "nvidia.cu13"):
        with suppress(ModuleNotFoundError, ValueError):
            spec = find_spec(package)
            for place in (spec.submodule_search_locations or ()) if spec else ():
                found += [Path(place, folder, name) for folder in ("bin", "lib") for name in COMPILER]
    return [file for file in found if file.exists()]


def compiler_version() -> str | None:
    """The version of NVRTC, such as 12.9; None where there is none."""
    with suppress(BackendError):
        return _version()
    return None


def _version() -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    call_library(_compiler(), "nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def kernel_source() -> str:
    """The source of the kernel with all its includes, which the build puts into the package."""
    try:
        return resources.files("arcbatt").joinpath("kernel.cu").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BackendError(
            "the kernel's source is not installed; install the package with a C++20 compiler at hand"
        ) from None


@cache
def source_digest() -> str:
    """A digest of the kernel's source, which has all ops; `none` where it is missing."""
    with suppress(BackendError):
        return hashlib.sha256(kernel_source().encode()).hexdigest()[:12]
    return "none"


def compile_options(architecture: str) -> list[str]:
    """The options of the compiler for an architecture."""
    registers = MOST_REGISTERS_OF_16_WARPS if architecture in HOLD_16_WARPS else MOST_REGISTERS
    return [*OPTIONS, f"--gpu-architecture={architecture}", f"--maxrregcount={registers}"]


def compile_kernel(source: str, architecture: str) -> CompiledKernel:
    """Compile a source for an architecture such as sm_75; the seconds are those of the processor."""
    nvrtc, program = _compiler(), ctypes.c_void_p()
    text = source.encode()
    call_library(nvrtc, "nvrtcCreateProgram", ctypes.byref(program), text, b"kernel.cu", 0, None, None)
    try:
        words = [word.encode() for word in compile_options(architecture)]
        options = (ctypes.c_char_p * len(words))(*words)
        started = process_time()
        code = code_of(nvrtc, "nvrtcCompileProgram", program, len(words), options)
        seconds = process_time() - started
        log = _product(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
        if code:
            raise BackendError(f"NVRTC {_version()} for {architecture}: {_first_error(log, code)}")
        return CompiledKernel(architecture, _product(program, "CUBIN"), log, seconds)
    finally:
        code_of(nvrtc, "nvrtcDestroyProgram", ctypes.byref(program))


def _product(program: ctypes.c_void_p, what: str) -> bytes:
    """The log or the code of a compiled program."""
    size = ctypes.c_size_t()
    call_library(_compiler(), f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    call_library(_compiler(), f"nvrtcGet{what}", program, buffer)
    return buffer.raw


def _first_error(log: str, code: int) -> str:
    """The first line of a log that has an error.

    >>> _first_error("a.cu(1): warning: x\\na.cu(2): error: y is not z\\n", 6)
    'a.cu(2): error: y is not z'
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else f"error {code}")


def cached_kernel(architecture: str, source: str | None = None) -> bytes:
    """The kernel for an architecture, from the user's cache or compiled now."""
    text = kernel_source() if source is None else source
    name = _cached_name(architecture, text)
    with _one_at_a_time:
        kept = _kept(name)
        if kept is None:
            kept = compile_kernel(text, architecture).cubin
            _keep(name, kept)
    return kept


def is_cached(architecture: str) -> bool:
    """Whether the kernel for an architecture is in the cache."""
    with suppress(BackendError):
        return _kept(_cached_name(architecture, kernel_source())) is not None
    return False


def _cached_name(architecture: str, source: str) -> str:
    """The file name of a kernel, which depends on source, options and compiler."""
    parts = (source, *compile_options(architecture), _version())
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{architecture}-{key[:32]}.cubin"


def _cache_file(name: str) -> Path:
    return cache_folder() / "kernels" / name


def _kept(name: str) -> bytes | None:
    """A kernel from the cache, if it is there and the digest at its end is right."""
    with suppress(OSError, UnreadableFile):
        file = _cache_file(name)
        data = content_of_file(file, LARGEST_KERNEL)
        cubin, digest = data[:-32], data[-32:]
        if hashlib.sha256(cubin).digest() == digest:
            os.utime(file)
            return cubin
    return None


def _keep(name: str, cubin: bytes) -> None:
    """Put a kernel into the cache; where that fails, it is compiled again next time."""
    with suppress(OSError, ArcbattError):
        file = _cache_file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(file), cubin + hashlib.sha256(cubin).digest())
        by_age = sorted(file.parent.glob("*.cubin"), key=lambda kept: kept.stat().st_mtime, reverse=True)
        for old in by_age[MOST_KEPT:]:
            old.unlink(missing_ok=True)
