"""The tour of the notebooks, executed by a kernel and exported: every object is drawn, and nothing fails."""

import re
from pathlib import Path
from typing import Any

import pytest

from arcbatt.engine.choose import AVAILABLE
from support.notebooks import FOLDER

nbclient = pytest.importorskip("nbclient", reason="nbclient, which runs notebooks, is not installed")
nbconvert = pytest.importorskip("nbconvert", reason="nbconvert, which exports them, is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat, which reads them, is not installed")
pytest.importorskip("ipykernel", reason="ipykernel, which runs their cells, is not installed")

needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
WITH_PICTURES = {
    "task-set": 24,  # an input and an output of each of 12 tasks
    "task": 10,
    "sample": 2,
    "outcome-solved": 15,
    "outcome-wrong": 12,
    "outcome-failed": 10,  # inputs and expected outputs
    "trace": 6,  # the sample, the output, and the values of three lines
    "trace-failed": 2,
    "task-answers": 4,
    "answer": 2,
}
WITH_TABLES = ("results", "dataframe", "solution", "evolution", "archive")


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tour as it is after all cells ran."""
    content = nbformat.read(FOLDER / "tour.ipynb", as_version=4)
    folder = tmp_path_factory.mktemp("tour")
    nbclient.NotebookClient(content, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return content


def shown(tour: Any, cell_id: str) -> str:
    """The HTML that a cell shows."""
    (cell,) = (cell for cell in tour.cells if cell.id == cell_id)
    (output,) = cell.outputs
    html: str = output["data"]["text/html"]
    return html


@pytest.mark.process
@needs_core
def test_every_object_is_drawn(tour: Any) -> None:
    for cell_id, pictures in WITH_PICTURES.items():
        assert shown(tour, cell_id).count("<svg") == pictures, cell_id
    for cell_id in WITH_TABLES:
        assert shown(tour, cell_id).count("<table") == 1, cell_id
    assert '<abbr title="' in shown(tour, "program")


@needs_core
def test_repr_stays_beside_the_picture(tour: Any) -> None:
    (cell,) = (cell for cell in tour.cells if cell.id == "task")
    assert cell.outputs[0]["data"]["text/plain"] == "Task('be94b721', 4 demo, 1 test)"


@needs_core
def test_exported_page_has_all_that_the_cells_show(tour: Any, tmp_path: Path) -> None:
    page, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(tour)
    assert page.count("<svg") == sum(shown(tour, cell_id).count("<svg") for cell_id in WITH_PICTURES)
    assert re.search("Traceback|Error", page) is None
