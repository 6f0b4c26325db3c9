"""Every name and argument that `engine/cuda.py` uses is there in the real CuPy; a GPU is not needed."""

import ast
import ctypes
import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")
pytest.importorskip("cupy", reason="CuPy is not installed: pip install '.[cuda]' brings it")

import cupy

from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.gpu import cuda
from arcbatt.engine.gpu.devices import check_gpu_status
from arcbatt.engine.gpu.emulated import Emulation
from support import cupy_stand_in
from support.cupy_stand_in import Call, StandIn, standing_in
from support.device_work import on_cuda, reports, small_job, watched

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

DECLARED = re.compile(r"[\w.]+\((?P<parameters>.*)\)")
INTEGERS = ("int", "size_t", "intptr_t", "unsigned int")
PYTHON_TYPES = {"bytes": bytes, "str": str, "unicode": str, "tuple": tuple}
CLASSES = {
    "cuda.Device": cupy_stand_in.Device,
    "cuda.Stream": cupy_stand_in.Stream,
    "cuda.Event": cupy_stand_in.Event,
    "cuda.PinnedMemoryPointer": cupy_stand_in.PinnedMemoryPointer,
    "cuda.function.Module": cupy_stand_in.Module,
    "cuda.function.Function": cupy_stand_in.Function,
    "cuda.runtime": cupy_stand_in.Runtime,
    "cuda.driver": cupy_stand_in.Driver,
}


def real(name: str) -> Any:
    """What CuPy has under a name."""
    return reduce(getattr, name.split("."), cupy)


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    """A call of each kind, as the backend makes them in a run that ends early."""
    stand_in = StandIn(watched(Emulation(2)))
    with standing_in(stand_in):
        backend, job = on_cuda(2), small_job(step=40)
        assert reports(backend, job) == reports(NativeBackend(), job)
        stream = backend.gpus[0].open()
        address = stream.allocate(1 << 12)
        stream.stop(address)
        stream.release(address)
    return list({(call.name, len(call.arguments), *call.keywords): call for call in stand_in.calls}.values())


def chains(tree: ast.AST) -> Iterator[str]:
    """The dotted names that begin with `cupy`."""
    for node in ast.walk(tree):
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if names and isinstance(node, ast.Name) and node.id == "cupy":
            yield ".".join(reversed(names))


def test_every_name_in_the_source_is_there() -> None:
    used = set(chains(ast.parse(inspect.getsource(cuda))))
    assert "cuda.runtime.CUDARuntimeError" in used
    for name in sorted(used):
        assert real(name) is not None, name


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_name_of_the_stand_in_is_there(name: str) -> None:
    standing = CLASSES[name]
    public = {each for each in (*vars(standing), *standing.__annotations__) if not each.startswith("_")}
    helpers = {"do", "drain"}  # of the stand-in's own
    assert public - helpers - set(dir(real(name))) == set()


def parameters(name: str) -> list[tuple[str, str, bool]]:
    """What a function of CuPy takes: type, name, and whether it may be left out."""
    function = real(name)
    if inspect.isclass(function) and str(function.__doc__).split("(")[0] != function.__name__:
        function = function.__init__
    declared = DECLARED.match(str(function.__doc__).splitlines()[0])
    try:
        signature = inspect.signature(function)
    except ValueError:
        assert declared is not None, f"{name} tells nothing of its parameters"
        found = []
        for each in filter(None, declared["parameters"].split(", ")):
            words, _, default = each.partition("=")
            kind, _, parameter = words.strip().rpartition(" ")
            found.append((kind, parameter, bool(default)))
    else:
        found = [
            ("", each.name, each.default is not each.empty)
            for each in signature.parameters.values()
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
    return [each for each in found if each[1] != "self"]


def test_every_call_has_arguments_that_are_taken(calls: list[Call]) -> None:
    assert len(calls) > 15
    for call in calls:
        if call.name == "cuda.function.Function.__call__":
            continue  # it does not tell; it is called below
        taken = parameters(call.name)
        assert len(call.arguments) <= len(taken), call
        given = {parameter for _, parameter, _ in taken[: len(call.arguments)]} | set(call.keywords)
        assert set(call.keywords) <= {parameter for _, parameter, _ in taken}, call
        assert {parameter for _, parameter, optional in taken if not optional} <= given, call
        for value, (kind, _, _) in zip(call.arguments, taken):
            if kind in INTEGERS:
                assert type(value) is int, call
            elif kind in PYTHON_TYPES:
                assert type(value) is PYTHON_TYPES[kind], call


@contextmanager
def suppress_lack_of_driver() -> Iterator[None]:
    """Let pass what CuPy raises where there is no driver, and nothing else."""
    try:
        yield
    except RuntimeError as error:
        if not re.search("InsufficientDriver|NoDevice|failed to load", str(error)):
            raise


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # streams that were not made
def test_without_a_driver_every_call_fails_for_that_reason_alone(calls: list[Call]) -> None:
    """The arguments are converted before the driver is asked, so wrong ones would be a TypeError."""
    if check_gpu_status().cuda is not None:
        pytest.skip("this machine has an NVIDIA driver, which the arguments of a stand-in must not reach")
    function = cupy.cuda.function.Function
    made = {
        "cuda.function.Function.": function.__new__(function),
        "cuda.function.Module.": cupy.cuda.function.Module(),
    }
    tried = 0
    for call in calls:
        owner, _, method = call.name.rpartition(".")
        if owner in ("cuda.Stream", "cuda.Event"):
            continue  # they cannot be made without a driver
        target = getattr(made[f"{owner}."], method) if f"{owner}." in made else real(call.name)
        stand_ins = {key: SimpleNamespace(ptr=0) for key in call.keywords if key == "stream"}
        with suppress_lack_of_driver():
            target(*call.arguments, **call.keywords | stand_ins)
        tried += 1
    assert tried > 9


def test_pinned_memory_is_a_buffer_that_can_be_written() -> None:
    host = ctypes.create_string_buffer(512)
    memory = SimpleNamespace(ptr=ctypes.addressof(host), size=512)
    pointer = cupy.cuda.PinnedMemoryPointer(memory, 0)
    cuda._bytes_of(pointer, 5)[:] = memoryview(b"abcde")
    assert host.raw[:6] == b"abcde\0"
    assert bytes(cuda._bytes_of(pointer, 3)) == b"abc"
    assert (pointer.ptr, pointer.mem.size) == (memory.ptr, 512)


def test_errors_tell_their_number() -> None:
    assert cupy.cuda.runtime.CUDARuntimeError(cuda.OUT_OF_MEMORY).status == cuda.OUT_OF_MEMORY
    with pytest.raises(cuda.DeviceOutOfMemory), cuda._plainly():
        raise cupy.cuda.runtime.CUDARuntimeError(cuda.OUT_OF_MEMORY)
    with pytest.raises(cuda.DeviceOutOfMemory), cuda._plainly():
        raise cupy.cuda.memory.OutOfMemoryError(1, 2)


def test_copies_have_the_numbers_of_the_run_time() -> None:
    runtime = cupy.cuda.runtime
    assert (runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost) == (cuda.TO_DEVICE, cuda.TO_HOST)
