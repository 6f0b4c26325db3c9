"""Interning: equal objects are one object as long as it is referenced, so that they compare by identity."""

from collections.abc import Hashable
from threading import RLock
from typing import Generic, TypeVar
from weakref import ref

Item = TypeVar("Item")


class Reference(ref):  # type: ignore[type-arg]  # a subclass of C's type takes no parameter at run time
    """A weak reference that knows its key."""

    __slots__ = ("key",)
    key: Hashable


class InternTable(Generic[Item]):
    """Objects by their keys, each until its last reference is gone.

    Like `WeakValueDictionary`, in half the time, and threads that make equal objects get the same one.

    >>> known = InternTable()
    >>> held = known.keep("a", {1})
    >>> known.get("a") is held, known.keep("a", {1}) is held, known.get("b")
    (True, True, None)
    >>> del held
    >>> print(known.get("a"))
    None
    """

    __slots__ = ("forget", "references")

    def __init__(self) -> None:
        references: dict[Hashable, Reference] = {}
        lock = RLock()  # forgetting an object may end others, in the same thread

        def forget(reference: Reference) -> None:
            with lock:
                if references.get(reference.key) is reference:
                    del references[reference.key]

        self.references = references
        self.forget = forget

    def get(self, key: Hashable) -> Item | None:
        """The object with a key."""
        reference = self.references.get(key)
        return None if reference is None else reference()

    def keep(self, key: Hashable, item: Item) -> Item:
        """The object with a key; adds the given one if the key is new."""
        new = Reference(item, self.forget)
        new.key = key
        while True:
            reference = self.references.setdefault(key, new)
            known: Item | None = reference()
            if known is not None:
                return known
            self.forget(reference)  # its object has just been deleted
