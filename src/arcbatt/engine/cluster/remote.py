"""The part that runs on the nodes of a cluster: it applies a function, which came once, to items."""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from arcbatt import __version__
from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.engine.cluster.sending import from_sent
from arcbatt.engine.running.worker import OUT_OF_MEMORY, answer_to
from arcbatt.errors import BackendError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

HELD = 2  # functions that a worker process keeps ready; each has a plan and tasks

_held: OrderedDict[str, Any] = OrderedDict()


def answered(
    digest: str, release: str, function: "npt.NDArray[np.uint8]", item: bytes, on_device: bool
) -> bytes:
    """The pickled answer of a pickled function to a pickled item.

    The function lies in the object store of the node. A worker process reads it once, and finds it by its
    digest later. `on_device` tells that the worker has a GPU for itself. A node with another release of
    arcbatt than the sender, or without a module of the function, cannot answer at all: it raises an error.
    """
    if release != __version__:
        raise BackendError(
            f"it has arcbatt {__version__}, and this machine has {release}; install one on all"
        )
    run = _function(digest, function)
    try:
        return answer_to(run.on_device if on_device else run, item)
    except MemoryError:
        return OUT_OF_MEMORY


def _function(digest: str, pickled: "npt.NDArray[np.uint8]") -> Any:
    if digest not in _held:
        _held[digest] = from_sent(pickled.data)
        if len(_held) > HELD:
            _held.popitem(last=False)
    _held.move_to_end(digest)
    return _held[digest]
