"""Every example in the installed package gives what it shows."""

import doctest
import importlib
from pathlib import Path

import pytest

import arcbatt
from arcbatt.engine.choose import AVAILABLE

PACKAGE = Path(arcbatt.__file__).parent
# An op's example uses `call`, which its module cannot import: examples see the public names.
PUBLIC = {name: getattr(arcbatt, name) for name in arcbatt.__all__}
NEED_CORE = {
    "arcbatt.batt.per_op_backend",  # an example shows an op that the core has
    "arcbatt.engine.packed",
    *(f"arcbatt.engine.backends.{name}" for name in ("cuda", "device", "emulated", "native")),
    *(f"arcbatt.engine.gpu.{name}" for name in ("batches", "cuda", "emulated", "session")),
}


def module_names() -> list[str]:
    """Modules of the package but for the library, whose files are programs and never imported."""
    files = (file.relative_to(PACKAGE.parent).with_suffix("") for file in PACKAGE.rglob("*.py"))
    dotted = (".".join(file.parts).removesuffix(".__init__") for file in files if file.name != "__main__")
    return sorted(name for name in dotted if not name.startswith("arcbatt.library"))


STARTS_PROCESSES = {"arcbatt.engine.running.worker_pool"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.process) if name in STARTS_PROCESSES else name
        for name in module_names()
    ],
)
def test_examples_of_module_give_what_they_show(name: str) -> None:
    if name in NEED_CORE and "native" not in AVAILABLE:
        pytest.skip("the compiled core is not installed")
    module = importlib.import_module(name)
    assert doctest.testmod(module, globs=PUBLIC | vars(module), optionflags=doctest.ELLIPSIS).failed == 0
