"""Calls of programs: the one place where a program reaches up to the engine, imported by name at run time."""

from importlib import import_module
from typing import Any


def call_program(program: Any, grid: Any, pairs: Any, expected: Any) -> Any:
    """The outcome of a program on an input grid, computed by `arcbatt.engine.run`."""
    return import_module("arcbatt.engine.run").apply(program, grid, pairs, expected)
