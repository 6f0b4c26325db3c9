"""The choice of a backend, by name or by what this machine has."""

from typing import Literal, get_args

from arcbatt.errors import BackendError

BackendName = Literal["auto", "reference", "native", "cuda", "emulated"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
AVAILABLE: tuple[BackendName, ...] = ("reference",)


def choose(name: str) -> tuple[BackendName, str]:
    """The backend to use and the reason for it.

    >>> choose("auto")
    ('reference', 'the only backend of this version')
    """
    if name == "auto":
        return "reference", "the only backend of this version"
    if name in AVAILABLE:
        return "reference", "asked for"
    if name in BACKENDS:
        raise BackendError(f"backend {name!r} is not part of this version; use {' or '.join(AVAILABLE)}")
    raise BackendError(f"there is no backend {name!r}; use one of {', '.join(BACKENDS)}")
