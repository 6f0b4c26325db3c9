"""The notebooks of the project: where they are, their cells, and running them with a kernel."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"


def notebook(name: str) -> dict[str, Any]:
    """A notebook as it is kept."""
    content: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return content


def cells(name: str, kind: str) -> dict[str, str]:
    """The sources of the cells of a kind, by their ids."""
    return {
        cell["id"]: "".join(cell["source"]) for cell in notebook(name)["cells"] if cell["cell_type"] == kind
    }
