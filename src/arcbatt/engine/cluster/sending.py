"""What can be sent to a cluster, and the sentences that refuse the rest."""

import io
import pickle
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from arcbatt.arguments import shown
from arcbatt.errors import ArcbattError, BackendError
from arcbatt.program.graph import Node, as_rows, from_rows, topological

OLDEST_RAY = 2, 59  # the first release that protects clusters with a token by itself
ADDRESS = re.compile(r"local|auto|(?:ray://)?[\w.\-\[\]:]+:\d{1,5}")


class _Pickler(pickle.Pickler):
    """Pickles all but the nodes of programs, which it collects: programs share most of them.

    Functions and classes of a script are refused: the nodes of a cluster cannot import it.
    """

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.found: dict[Node, int] = {}

    def persistent_id(self, given: Any) -> int | None:
        """The number of a node; called for every object."""
        return self.found.setdefault(given, len(self.found)) if type(given) is Node else None

    def reducer_override(self, given: Any) -> Any:
        """Called for each function and class, among others."""
        if getattr(given, "__module__", None) == "__main__" and hasattr(given, "__qualname__"):
            raise _not_to_be_sent(given.__qualname__)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` has written, given the nodes that it has collected."""

    def __init__(self, file: io.BytesIO, found: Sequence[Node]) -> None:
        super().__init__(file)
        self._found = found

    def persistent_load(self, number: Any) -> Any:
        """The node with a number."""
        return self._found[number]


def as_sent(run: Any) -> bytes:
    """A function as bytes for the nodes of a cluster; each node of its programs is in them once."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    try:
        pickler.dump(run)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise _not_to_be_sent(str(error)) from None
    nodes = topological(pickler.found)
    place = {node: position for position, node in enumerate(nodes)}
    found = [place[node] for node in pickler.found]
    return pickle.dumps((as_rows(nodes), found, file.getvalue()), pickle.HIGHEST_PROTOCOL)


def from_sent(sent: Any) -> Any:
    """The function that was sent as bytes.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_67a3c6ac(I): return vmirror(I)")
    >>> from_sent(as_sent(program)) == program
    True
    """
    rows, found, rest = pickle.loads(sent)
    nodes = from_rows(rows, with_holes=True)  # searches send templates
    return _Unpickler(io.BytesIO(rest), [nodes[place] for place in found]).load()


def _not_to_be_sent(what: str) -> ArcbattError:
    return ArcbattError(
        f"a function of your own cannot be sent to a cluster: {what}; define it in a module that every node "
        "can import, or leave cluster out"
    )


def require_no_own_ops(names: Iterable[str]) -> None:
    """Refuse ops of a user's own, which the nodes do not know."""
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
    if _release("ray") < OLDEST_RAY:
        raise BackendError(
            f"a cluster needs Ray {OLDEST_RAY[0]}.{OLDEST_RAY[1]} or newer, which asks for a token, and this "
            f'one is {version("ray")}: python -m pip install --upgrade "arcbatt[cluster]"'
        )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # somebody blocks it
        return False


def _release(package: str) -> tuple[int, int]:
    """The first two numbers of the release of a package; (0, 0) if it has none."""
    try:
        major, minor, *_ = version(package).split(".")
        return int(major), int(minor)
    except (PackageNotFoundError, ValueError):
        return 0, 0
