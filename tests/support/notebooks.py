"""The notebooks of the project: their cells, and their code run as one script without a network."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"
NO_NETWORK = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise RuntimeError(f"the notebook asks the network: {event} {arguments}")
sys.addaudithook(refuse)
"""


class Notebook:
    """A notebook of the project, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def content(self) -> dict[str, Any]:
        """The whole file."""
        content: dict[str, Any] = json.loads((FOLDER / f"{self.name}.ipynb").read_text("utf-8"))
        return content

    @cached_property
    def code(self) -> dict[str, str]:
        """The cells of code by their ids."""
        code = (cell for cell in self.content["cells"] if cell["cell_type"] == "code")
        return {cell["id"]: "".join(cell["source"]) for cell in code}

    def execute(
        self,
        names: Iterable[str],
        folder: Path,
        options: tuple[str, ...] = (),
        python: str = sys.executable,
        **settings: str,
    ) -> "subprocess.CompletedProcess[str]":
        """Run cells of code as one script, in a folder that also stands for what is attached."""
        script = folder / "script.py"
        script.write_text("\n".join([NO_NETWORK, *(self.code[name] for name in names)]), "utf-8")
        environment = os.environ | {"ARCBATT_NOTEBOOK_INPUT": str(folder)} | settings
        words = [python, *options, str(script)]
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
