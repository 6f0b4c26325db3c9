"""Modules with the names that kept batt files import: with this folder on `sys.path` they run unchanged.

>>> import sys
>>> sys.path.insert(0, path())
>>> from constants import *
>>> TWO, ORIGIN
(2, (0, 0))
>>> sys.path.remove(path())
"""

from pathlib import Path


def path() -> str:
    """The folder to put on `sys.path` or into the environment variable PYTHONPATH."""
    return str(Path(__file__).parent)
