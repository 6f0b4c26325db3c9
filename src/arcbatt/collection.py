"""Putting off the collection of garbage where very many objects are made and none of them is garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Around reading and planning: to look for garbage while a graph grows takes as long as to make it.

    >>> with collection_put_off():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
