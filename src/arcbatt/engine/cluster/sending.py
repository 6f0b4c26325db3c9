"""What can be sent to a cluster, and the sentences that refuse the rest."""

import io
import pickle
import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from arcbatt.arguments import shown
from arcbatt.errors import ArcbattError, BackendError

ADDRESS = re.compile(r"local|auto|(?:ray://)?[\w.\-\[\]:]+:\d{1,5}")


class _Pickler(pickle.Pickler):
    """Refuses the functions and classes of a script: the nodes cannot import it."""

    def reducer_override(self, given: Any) -> Any:
        """Called for each function and class, among others."""
        if getattr(given, "__module__", None) == "__main__" and hasattr(given, "__qualname__"):
            raise _not_to_be_sent(given.__qualname__)
        return NotImplemented


def as_sent(run: Any) -> bytes:
    """A function as bytes for the nodes."""
    file = io.BytesIO()
    try:
        _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(run)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise _not_to_be_sent(str(error)) from None
    return file.getvalue()


def _not_to_be_sent(what: str) -> ArcbattError:
    return ArcbattError(
        f"a function of your own cannot be sent to a cluster: {what}; define it in a module that every node "
        "can import, or leave cluster out"
    )


def require_no_own_ops(names: Iterable[str]) -> None:
    """Refuse ops of a user's own, which the nodes do not know: they need processes that can be stopped."""
    found = sorted(names)
    if found:
        raise ArcbattError(
            f"{found[0]!r} is an op of your own, and a cluster has the ops of the language alone; leave "
            "cluster out, or run parts of the tasks with --shard on several machines and merge their archives"
        )


def require_cluster(address: object) -> None:
    """Refuse what is no address of a cluster, and any if Ray is not installed or cannot be used here."""
    if not isinstance(address, str) or not ADDRESS.fullmatch(address):
        right = "local, auto, or an address such as 10.0.0.1:6379"
        raise ArcbattError(f"cluster is {shown(address)}; it must be {right}")
    if sys.platform == "win32":
        raise BackendError("a cluster needs Linux or macOS; without --cluster the work runs on this machine")
    if not _is_there("ray"):
        raise BackendError(
            'a cluster needs Ray, which is not installed: python -m pip install "arcbatt[cluster]"'
        )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # somebody blocks it
        return False
