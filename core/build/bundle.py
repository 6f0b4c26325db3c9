"""Writes the kernel as one CUDA source file, so that the run-time compiler needs no include path.

Run by the build as `python core/build/bundle.py GLUE_FOLDER OUTPUT_FILE`, after `glue.py GLUE_FOLDER`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

CORE = Path(__file__).parent.parent
INCLUDE = re.compile(r'#include "(.+)"')
LOOP = re.compile(r"\s*(for|while) \(")
ROLLED = "#pragma unroll 1"  # compile time grows with the size of the code, and the loops of a warp are short
NOTE = "// Written by core/build/bundle.py from the headers of the core. Do not edit.\n\n"


def found(name: str, includer: Path, glue: Path) -> Path:
    """The file that an include names: beside the file that includes it, else in the core, else generated."""
    for folder in (includer.parent, CORE, glue):
        file = (folder / name).resolve()
        if file.is_file():
            return file
    raise SystemExit(f"{includer}: there is no file {name} to include")


def lines(file: Path, glue: Path, seen: set[Path]) -> Iterator[str]:
    """The lines of a file with what it includes in place, each file once."""
    seen.add(file)
    for line in file.read_text(encoding="utf-8").splitlines():
        include = INCLUDE.fullmatch(line)
        if include:
            included = found(include[1], file, glue)
            if included not in seen:
                yield from lines(included, glue, seen)
        elif line != "#pragma once":
            if LOOP.match(line):
                yield ROLLED
            yield line


def bundle(glue: Path) -> str:
    """The kernel with all that it includes."""
    return NOTE + "\n".join(lines(CORE.resolve() / "gpu" / "kernel.cu", glue, set())) + "\n"


def main() -> None:
    """Write the file."""
    glue, output = map(Path, sys.argv[1:])
    output.write_text(bundle(glue), encoding="utf-8")


if __name__ == "__main__":
    main()
