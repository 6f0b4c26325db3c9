"""Ops of the user's own: a Python file that registers them is imported before a command runs."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from arcbatt.dsl.table import TABLE
from arcbatt.errors import ArcbattError
from arcbatt.telling import tell


def import_ops(file: str) -> None:
    """Execute a file that calls `arcbatt.register_op`."""
    spec = spec_from_file_location("arcbatt_own_ops", file)
    if spec is None or spec.loader is None:
        raise ArcbattError(f"{file}: is no Python file; name a .py file that calls arcbatt.register_op")
    if Path(file).exists() and not Path(file).is_file():
        raise ArcbattError(f"{file}: is no regular file; name a .py file that calls arcbatt.register_op")
    before = _names()
    try:
        spec.loader.exec_module(module_from_spec(spec))
    except ArcbattError as error:
        raise ArcbattError(f"{file}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit() would end the command as if it had done its work
        reason = f"{type(error).__name__}: {error}"
        raise ArcbattError(f"{file}: its ops cannot be imported: {reason}") from None
    if _names() == before:
        tell(f"{file}: registers no op; arcbatt.register_op makes an op of a Python function")


def _names() -> set[str]:
    """The names of the ops that are not the language's own."""
    return {op.name for op in TABLE.values() if not op.trusted}
