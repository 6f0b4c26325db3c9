from collections.abc import Callable, Iterator, Sequence
from types import NotImplementedType
from typing import Any

class Limits:
    def __init__(self, items: int, calls: int, depth: int, /) -> None: ...

class ForeignOps:
    def __init__(
        self,
        rows: list[tuple[str, int, int]],
        run: Callable[[str, tuple[Any, ...], int, int], tuple[int, int, Any]],
        function: type,
        /,
    ) -> None: ...

class Kernels:
    def use(self, op: int, in_use: bool, /) -> None: ...
    def costs(self) -> list[tuple[int, int, int]]: ...

class Session:
    def __init__(
        self,
        limits: Limits,
        foreign: ForeignOps,
        kernels: Kernels,
        named: type,
        presented: Callable[[Any], Any],
        room: int,
        /,
    ) -> None: ...
    def upload(self, value: Any, /) -> Resident: ...
    def is_value(self, candidate: Any, /) -> bool: ...
    def run(
        self, pile: Sequence[Any], upload: Callable[[Any], Resident], any_kernel: bool = False
    ) -> Resident | int | str | NotImplementedType: ...
    @property
    def runs(self) -> int: ...
    @property
    def nanoseconds(self) -> int: ...
    @property
    def downloads(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def is_full(self) -> bool: ...

class Resident:
    def value(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __call__(self, *arguments: Any) -> Any: ...

class Plan: ...
class PackedTasks: ...

def build_info() -> dict[str, str | int]: ...
def op_names() -> list[str]: ...
def call(op: str | None, args: tuple[Any, ...], limits: Limits, foreign: ForeignOps) -> Any: ...
def call_many(
    op: str | None,
    columns: list[Sequence[Any]],
    limits: Limits,
    foreign: ForeignOps,
    take_in: Callable[[Any], Any],
    failure: Callable[[Any], Any],
) -> list[Any]: ...
def make_plan(
    rows: list[tuple[int, int, int, tuple[int, ...], Any]],
    roots: list[tuple[int, bool]],
    default_function: Any,
    foreign_defaults: list[tuple[Any, Any]],
    limits: Limits,
    foreign: ForeignOps,
    /,
) -> Plan: ...
def pack_tasks(rows: list[tuple[Any, Any]], limits: Limits, foreign: ForeignOps, /) -> PackedTasks: ...
def run(
    plan: Plan,
    tasks: PackedTasks,
    wanted: list[list[int]],
    limits: Limits,
    mode: int,
    threads: int,
    on_finished: Callable[[list[tuple[int, bytes, bytes]]], None],
    /,
) -> tuple[bool, float]: ...
def outcomes(
    plan: Plan,
    tasks: PackedTasks,
    limits: Limits,
    mode: int,
    threads: int,
    foreign: ForeignOps,
    failure: Callable[[Any, int], Any],
    /,
) -> list[list[tuple[Any, ...]]] | None: ...
def profile(plan: Plan, tasks: PackedTasks, limits: Limits, mode: int, /) -> list[tuple[int, int, int]]: ...
def time_op(op: str, args: tuple[Any, ...], limits: Limits, rounds: int, foreign: ForeignOps, /) -> float: ...
