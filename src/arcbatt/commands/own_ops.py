"""Files of the user's own that are executed before a command runs: ops, and functions that steer a search."""

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from arcbatt.dsl.table import names_of_own_ops
from arcbatt.errors import ArcbattError
from arcbatt.notices import tell

PLUGINS = ("fitness", "selection", "mutation")  # as `arcbatt.evolve` names them


def import_ops(file: str) -> None:
    """Execute a file that calls `arcbatt.register_op`."""
    before = names_of_own_ops()
    _executed(file, "arcbatt_own_ops", "its ops", "name a .py file that calls arcbatt.register_op")
    if names_of_own_ops() == before:
        tell(f"{file}: registers no op; arcbatt.register_op makes an op of a Python function")


def import_plugins(file: str) -> dict[str, Callable[..., Any]]:
    """Execute a file that defines functions which steer a search; those functions by name."""
    wanted = f"name a .py file that defines {' or '.join(PLUGINS)}"
    module = _executed(file, "arcbatt_plugins", "its functions", wanted)
    found = {name: getattr(module, name) for name in PLUGINS if hasattr(module, name)}
    if not found:
        raise ArcbattError(f"{file}: defines none of {', '.join(PLUGINS)}; {wanted}")
    wrong = next((name for name, function in found.items() if not callable(function)), None)
    if wrong is not None:
        raise ArcbattError(f"{file}: {wrong} is no function; define one")
    return found


def _executed(file: str, name: str, what: str, wanted: str) -> ModuleType:
    """The module that a file makes when it is executed."""
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ArcbattError(f"{file}: is no Python file; {wanted}")
    if Path(file).exists() and not Path(file).is_file():
        raise ArcbattError(f"{file}: is no regular file; {wanted}")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ArcbattError as error:
        raise ArcbattError(f"{file}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit() would end the command as if it had done its work
        reason = f"{type(error).__name__}: {error}"
        raise ArcbattError(f"{file}: {what} cannot be imported: {reason}") from None
    return module
