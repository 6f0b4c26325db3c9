"""The types that the historical module `arc_types` named, and those of the language by these names."""

from collections.abc import Callable, Mapping
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Tuple, Union, get_args, get_origin  # noqa: UP035 - their text is read

from arcbatt.dsl.types import Type

_IJ = Tuple[int, int]  # noqa: UP006
_Grid = Tuple[Tuple[int, ...], ...]  # noqa: UP006
_Cell = Tuple[int, _IJ]  # noqa: UP006
_Object = FrozenSet[_Cell]  # noqa: UP006
_Indices = FrozenSet[_IJ]  # noqa: UP006
_Container = Union[Tuple[Any, ...], FrozenSet[Any]]  # noqa: UP006,UP007

TYPES: Mapping[str, Any] = {
    "Any": Any,
    "Boolean": bool,
    "Callable": Callable,
    "Cell": _Cell,
    "Container": _Container,
    "ContainerContainer": Union[Tuple[_Container, ...], FrozenSet[_Container]],  # noqa: UP006,UP007
    "Dict": Dict,  # noqa: UP006
    "Element": Union[_Object, _Grid],  # noqa: UP007
    "FrozenSet": FrozenSet,  # noqa: UP006
    "Grid": _Grid,
    "IJ": _IJ,
    "Indices": _Indices,
    "IndicesSet": FrozenSet[_Indices],  # noqa: UP006
    "Integer": int,
    "IntegerSet": FrozenSet[int],  # noqa: UP006
    "IntegerTuple": _IJ,
    "Iterable": Iterable,
    "List": List,  # noqa: UP006
    "Numerical": Union[int, _IJ],  # noqa: UP007
    "Object": _Object,
    "Objects": FrozenSet[_Object],  # noqa: UP006
    "Optional": Optional,
    "Patch": Union[_Object, _Indices],  # noqa: UP007
    "Piece": Union[_Grid, _Object, _Indices],  # noqa: UP007
    "Samples": Tuple[Tuple[_Grid, _Grid], ...],  # noqa: UP006
    "Tuple": Tuple,  # noqa: UP006
    "TupleTuple": Tuple[Tuple[Any, ...], ...],  # noqa: UP006
    "Union": Union,
} | dict.fromkeys(("A4", "A8", "C_", "FL", "F_", "L_", "R4", "R8", "R_"), int)
NAMES = {
    "Grid0": "Grid",
    "Set": "FrozenSet",
    "SetOrTuple": "Container",
    "Containers": "ContainerContainer",
    "Integers": "Container",
    "IntegersT": "Tuple",
    "LocationsT": "Tuple",
    "IndicesT": "Indices",
    "ObjectT": "Object",
    "PatchC": "Patch",
    "PatchT": "Patch",
}


def name_of(kind: Type) -> str:
    """The historical name of a type.

    >>> from arcbatt.dsl import types
    >>> name_of(types.GRID0), name_of(types.FN1), name_of(types.INTEGER)
    ('Grid', 'Callable', 'Integer')
    """
    if kind.is_function:
        return "Callable"
    return NAMES.get(kind.name, kind.name if kind.name in TYPES else "Any")


def default_of_annotation(annotation: Any) -> Any:
    """The typed default of a function whose result is annotated so; None if nothing is known of it.

    >>> default_of_annotation("Grid"), default_of_annotation("Objects"), default_of_annotation("Boolean")
    ((), frozenset(), False)
    """
    kind = TYPES.get(annotation, annotation) if isinstance(annotation, str) else annotation
    origin = get_origin(kind) or kind
    if origin is Callable:
        return lambda *_: ()
    if origin is Union:
        return default_of_annotation(get_args(kind)[0])
    return origin() if origin in (int, bool, tuple, frozenset) else None
