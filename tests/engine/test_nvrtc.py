"""NVRTC compiles the kernel for each GPU we name, within bounds, and keeps it: `pip install '.[nvrtc]'`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.engine.gpu import nvrtc
from arcbatt.errors import BackendError
from arcbatt.files import cache_folder
from support.kernel_usage import has_bounded_stack, usage

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 60.0  # of the processor
DEEPEST_FRAME = 2560  # bytes of a thread
LARGEST_CUBIN = 2 << 20
SMALL = 'extern "C" __global__ void arcbatt_run(int* x) { *x = %d; }'

pytestmark = pytest.mark.skipif(
    nvrtc.compiler_version() is None, reason="NVRTC is not installed: pip install '.[nvrtc]'"
)


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The kernel of this checkout as one text."""
    folder = tmp_path_factory.mktemp("kernel")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    for words in (("glue.py", folder), ("bundle.py", folder, folder / "kernel.cu")):
        script, *rest = map(str, words)
        subprocess.run([sys.executable, ROOT / "core" / "build" / script, *rest], env=environment, check=True)
    return (folder / "kernel.cu").read_text()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_the_kernel_compiles_within_bounds(source: str, architecture: str) -> None:
    compiled = nvrtc.compile_kernel(source, architecture)
    used = usage(compiled.log)
    print(f"{architecture}: {compiled.seconds:.1f} s, {used}, {len(compiled.cubin):,} bytes")
    assert compiled.cubin[:4] == b"\x7fELF"
    assert nvrtc.ENTRY.encode() in compiled.cubin
    assert has_bounded_stack(compiled.log)
    assert 0 < used.registers <= 255
    assert 0 < used.stack < DEEPEST_FRAME
    assert 0 < used.shared < 48 << 10
    assert len(compiled.cubin) < LARGEST_CUBIN
    assert compiled.seconds < MOST_SECONDS  # clock: that of the processor, and a wide bound


def test_the_seconds_of_compiling_are_those_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the bound holds on a machine that is busy with something else."""
    readings = iter((100.0, 102.5))
    monkeypatch.setattr(nvrtc, "process_time", lambda: next(readings))
    assert nvrtc.compile_kernel(SMALL % 1, "sm_75").seconds == 2.5


def test_recursion_would_be_seen() -> None:
    recursive = (
        "__device__ __noinline__ int down(int n) { return n < 2 ? n : down(n - 1) + down(n - 2); }\n"
        'extern "C" __global__ void arcbatt_run(int* x) { *x = down(*x); }'
    )
    twice = "__device__ __noinline__ int twice(int n) { int a[8] = {n}; return a[n & 7] + n; }\n"
    called = twice + 'extern "C" __global__ void arcbatt_run(int* x) { *x = twice(*x) + twice(x[1]); }'
    assert not has_bounded_stack(nvrtc.compile_kernel(recursive, "sm_75").log)
    assert has_bounded_stack(nvrtc.compile_kernel(called, "sm_75").log)


def test_what_does_not_compile_is_told_in_a_sentence() -> None:
    first_error = r"kernel.cu\(1\): error: .*y.*undefined"
    with pytest.raises(BackendError, match=rf"^NVRTC 1\d\.\d+ for sm_75: {first_error}$"):
        nvrtc.compile_kernel('extern "C" __global__ void arcbatt_run(int* x) { *x = y; }', "sm_75")
    with pytest.raises(BackendError, match=r"^NVRTC 1\d\.\d+ for sm_1: "):
        nvrtc.compile_kernel(SMALL % 1, "sm_1")


def test_a_kernel_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = nvrtc.cached_kernel("sm_75", SMALL % 1)
    assert len(list(cache_folder().rglob("*.cubin"))) == 1

    def not_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(nvrtc, "compile_kernel", not_again)
    assert nvrtc.cached_kernel("sm_75", SMALL % 1) == compiled
    for other in (("sm_60", SMALL % 1), ("sm_75", SMALL % 2)):
        with pytest.raises(AssertionError):
            nvrtc.cached_kernel(*other)


def test_a_damaged_cache_is_made_anew() -> None:
    compiled = nvrtc.cached_kernel("sm_75", SMALL % 1)
    (file,) = cache_folder().rglob("*.cubin")
    for damaged in (b"", b"\x7fELF", file.read_bytes()[:-1], b"x" + file.read_bytes()[1:]):
        file.write_bytes(damaged)
        assert nvrtc.cached_kernel("sm_75", SMALL % 1) == compiled


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "arcbatt").write_text("in the way")
    assert nvrtc.cached_kernel("sm_75", SMALL % 1)[:4] == b"\x7fELF"


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as it does where nobody knows the home
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert nvrtc.cached_kernel("sm_75", SMALL % 1)[:4] == b"\x7fELF"


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "MOST_KEPT", 3)
    for number in range(5):
        nvrtc.cached_kernel("sm_75", SMALL % number)
    assert len(list(cache_folder().rglob("*"))) == 1 + 3
