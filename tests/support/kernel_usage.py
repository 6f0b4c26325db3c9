"""What the log of the CUDA compiler says of the kernel: registers, stack, spills and shared memory."""

import re
from typing import NamedTuple

from arcbatt.engine.gpu.nvrtc import ENTRY

SIZES = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")
FRAME = re.compile(r"Function properties for (\S+)\D+(\d+) bytes stack frame")
UNBOUNDED = "cannot be statically determined"


class Usage(NamedTuple):
    """Of the kernel and the functions it calls: the most registers, the deepest frame, all spills."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int


def usage(log: str) -> Usage:
    frames = [tuple(map(int, found)) for found in SIZES.findall(log)]
    return Usage(
        max((int(found) for found in REGISTERS.findall(log)), default=0),
        max((frame[0] for frame in frames), default=0),
        sum(frame[1] for frame in frames),
        sum(frame[2] for frame in frames),
        max((int(found) for found in SHARED.findall(log)), default=0),
    )


def has_bounded_stack(log: str) -> bool:
    """Whether the compiler could tell the depth of the stack.

    The frames of all functions are then part of the kernel's; a recursive function has a frame of its own.
    """
    own = [name for name, size in FRAME.findall(log) if name != ENTRY and int(size)]
    return UNBOUNDED not in log and not own
