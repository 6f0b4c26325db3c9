"""What batt functions are tried on, and a way to import some."""

import pytest

from support.batt_functions import Arguments, Load, importer, some_calls


@pytest.fixture(scope="module")
def inputs() -> list[Arguments]:
    """Arguments of calls of a batt function."""
    return some_calls()


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """Imports texts as modules."""
    return importer(tmp_path_factory.mktemp("batts"))
