"""Settings: frozen dataclasses whose fields say once what a setting may be, and what the help says of it.

The checks follow from the fields, and so do the options of commands (`commands/options.py`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from math import inf
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

from arcbatt import arguments
from arcbatt.arguments import MOST

Value = TypeVar("Value")
KEY = "setting"  # of the metadata of a field


@dataclass(frozen=True)
class SettingSpec:
    """What a setting may be, and the `help` of its option; without help it is no option of a command.

    `flags` name the option, by default as the field. `allowed` are the texts that a setting takes, by default
    those of its `Literal`; `check` refuses what is wrong where neither these nor the bounds of a number say
    it. The field of a dataclass gives the rest: its name, its type without None, and its default.
    """

    help: str = ""
    least: float = -MOST
    most: float = MOST
    metavar: str = "N"
    flags: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    check: Callable[[object], None] | None = None
    name: str = ""
    kind: Any = str
    takes_none: bool = False
    default: Any = None

    def require(self, name: str, value: object) -> None:
        """Refuse a value that the setting does not take."""
        if value is None and self.takes_none:
            return
        if self.check is not None:
            self.check(value)
        elif self.allowed:
            arguments.require_one_of(name, value, self.allowed)
        elif self.kind is bool:
            arguments.require_flags(**{name: value})
        elif self.kind is int:
            arguments.require_count(name, value, self.least, self.most)
        elif self.kind is float:
            arguments.require_number(name, value, self.least, self.most)
        elif get_origin(self.kind) is Callable:
            arguments.require_callable(name, value)


SEED = SettingSpec(
    "The seed of all that is random; the same seed repeats the run.", -inf, inf, "K", name="seed", kind=int
)


def setting(default: Value, of: str | SettingSpec = "", **said: Any) -> Value:
    """A field of `Settings`: its default, and its help and more that `SettingSpec` says, or a whole one."""
    found = of if isinstance(of, SettingSpec) else SettingSpec(of, **said)
    return field(default=default, metadata={KEY: found})


@dataclass(frozen=True)
class Settings:
    """A base of dataclasses whose fields are settings; wrong values are refused.

    >>> @dataclass(frozen=True)
    ... class Walk(Settings):
    ...     steps: int = setting(1, "So many steps.", least=1)
    >>> Walk(0)
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: steps: expected an integer >= 1, got 0
    """

    def __post_init__(self) -> None:
        for each in self.declared():
            value = getattr(self, each.name)
            each.require(each.name, value)
            if each.kind is bool:  # a number or a flag of NumPy may be in its place
                object.__setattr__(self, each.name, bool(value))

    @classmethod
    def declared(cls) -> Iterator[SettingSpec]:
        """The settings, in the order of the fields."""
        for each in fields(cls):
            found, parts = each.metadata.get(KEY, SettingSpec()), get_args(each.type)
            kind = next(part for part in parts if part is not NoneType) if NoneType in parts else each.type
            if get_origin(kind) is Literal:
                kind, found = str, replace(found, allowed=found.allowed or get_args(kind))
            takes_none = NoneType in parts
            yield replace(found, name=each.name, kind=kind, takes_none=takes_none, default=each.default)
