"""The part that runs on the nodes of a cluster: it applies a function, which came once, to items."""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.engine.running.worker import answer_to, failed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

HELD = 2  # functions that a worker process keeps ready; each has a plan and tasks

_held: OrderedDict[str, Callable[[Any], Any]] = OrderedDict()


def answered(digest: str, function: "npt.NDArray[np.uint8]", item: bytes, on_device: bool) -> bytes:
    """The pickled answer of a pickled function to a pickled item.

    The function lies in the object store of the node. A worker process reads it once, and finds it by its
    digest later. `on_device` tells that the worker has a GPU for itself.
    """
    try:
        run = _function(digest, function)
    except Exception as error:
        return pickle.dumps(failed(error), pickle.HIGHEST_PROTOCOL)
    return answer_to(getattr(run, "on_device", run) if on_device else run, item)


def _function(digest: str, pickled: "npt.NDArray[np.uint8]") -> Callable[[Any], Any]:
    if digest not in _held:
        _held[digest] = pickle.loads(pickled.data)
        if len(_held) > HELD:
            _held.popitem(last=False)
    _held.move_to_end(digest)
    return _held[digest]
