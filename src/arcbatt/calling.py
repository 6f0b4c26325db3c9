"""Calls of programs: the one place where a program reaches up to the engine, found by name at run time."""

from importlib import import_module
from typing import Any


def call_program(program: Any, grid: Any, pairs: Any, expected: Any) -> Any:
    """The outcome of a program on an input grid; `arcbatt.engine.run` says how."""
    return import_module("arcbatt.engine.run").apply(program, grid, pairs, expected)
