"""All notebooks are plain: valid, without outputs, magic or addresses, and they install without an index."""

import ast
import re

import pytest

from support.notebooks import FOLDER, Notebook

NAMES = sorted(file.stem for file in FOLDER.glob("*.ipynb"))
INSTALLING = [name for name in NAMES if "install" in Notebook(name).code]


@pytest.mark.parametrize("name", NAMES)
def test_notebook_is_plain_and_valid(name: str) -> None:
    notebook = Notebook(name).content
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
    for cell in notebook["cells"]:
        common = {"cell_type", "id", "metadata", "source"}
        if cell["cell_type"] == "markdown":
            assert set(cell) == common
        else:
            assert cell["cell_type"] == "code"
            assert set(cell) == common | {"execution_count", "outputs"}
            assert (cell["execution_count"], cell["outputs"]) == (None, [])


@pytest.mark.parametrize("name", NAMES)
def test_notebook_has_no_magic_and_no_address(name: str) -> None:
    for source in Notebook(name).code.values():
        ast.parse(source)  # a line that begins with % or ! is not Python
        assert "://" not in source
        assert "get_ipython" not in source


def test_notebooks_for_other_machines_install_in_one_way_and_without_an_index() -> None:
    assert INSTALLING == ["gpu_check", "kaggle_submission"]
    (cell,) = {Notebook(name).code["install"] for name in INSTALLING}
    assert "--no-index" in cell
