"""Compiles the kernel for the GPUs we name, so that no first run has to.

Run by the build as `python core/build/kernels.py KERNEL_FILE OUTPUT_FOLDER` where ARCBATT_KERNELS is on.
It needs NVRTC.
"""

import sys
from pathlib import Path

from arcbatt.engine.gpu.kernels import write_kernels
from arcbatt.engine.gpu.nvrtc import ARCHITECTURES, cached_kernel, compiler_version
from arcbatt.errors import ArcbattError


def main() -> None:
    """Write the folder: a kernel for each architecture, one after the other, and the list of them."""
    kernel, folder = map(Path, sys.argv[1:])
    source = kernel.read_text(encoding="utf-8")
    try:
        cubins = {architecture: cached_kernel(architecture, source) for architecture in ARCHITECTURES}
    except ArcbattError as error:
        raise SystemExit(f"arcbatt: the kernels cannot be compiled: {error}") from None
    write_kernels(folder, source, compiler_version() or "of unknown version", cubins)


if __name__ == "__main__":
    main()
