"""Wheels without an index: built from the sources of the project, or packed again from what is installed."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement

import arcbatt

ROOT = Path(__file__).parents[2]
WRITTEN_BY_PIP = {"INSTALLER", "REQUESTED", "direct_url.json"}


def built_wheel(folder: Path) -> Path:
    """The wheel that the build of the project makes, as pure Python; the build needs scikit-build-core."""
    words = [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*words, "--wheel-dir", str(folder), "-C", f"build-dir={folder / 'build'}", str(ROOT)],
        env=os.environ | {"ARCBATT_NATIVE": "OFF"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("arcbatt-*.whl")
    return wheel


def packed_wheel(name: str, folder: Path) -> Path:
    """An installed distribution as a wheel again; arcbatt with the files of the package that is imported."""
    found = metadata.distribution(name)
    told = (found.read_text("WHEEL") or "").splitlines()
    tags = [line.partition(": ")[2] for line in told if line.startswith("Tag: ")]
    parts = [sorted({tag.split("-")[place] for tag in tags}) for place in range(3)]
    stem = f"{name.replace('-', '_')}-{found.version}"
    wheel = folder / f"{stem}-{'-'.join('.'.join(part) for part in parts)}.whl"
    with ZipFile(wheel, "w") as packed:
        for inside, file in sorted(_files(name, found).items()):
            packed.write(file, inside)
    return wheel


def _files(name: str, found: metadata.Distribution) -> dict[str, Path]:
    """The files of a distribution by their paths in a wheel; scripts are made anew where it is installed."""
    listed = {str(file): Path(str(file.locate())) for file in found.files or ()}
    files = {inside: file for inside, file in listed.items() if ".." not in inside and file.is_file()}
    if name == "arcbatt":
        package = Path(arcbatt.__file__).parent
        files = {inside: file for inside, file in files.items() if not inside.startswith("arcbatt/")}
        files |= {
            str(file.relative_to(package.parent)): file for file in package.rglob("*") if file.is_file()
        }
    return {
        inside: file
        for inside, file in files.items()
        if "__pycache__" not in inside and file.name not in WRITTEN_BY_PIP
    }


def needed_by(name: str) -> list[str]:
    """A distribution and all that it needs, on this machine and without extras."""
    names, open_ = [name], [name]
    while open_:
        for text in metadata.requires(open_.pop()) or ():
            needed = Requirement(text)
            if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
                continue
            key = metadata.distribution(needed.name).name
            if key not in names:
                names.append(key)
                open_.append(key)
    return names
