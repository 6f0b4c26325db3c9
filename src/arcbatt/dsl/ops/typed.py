"""Dialect: core ops whose main parameter is restricted to one kind, mostly one line each."""

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.ops.patches import color as color_of
from arcbatt.dsl.table import alias, op, restriction
from arcbatt.dsl.types import (
    AnyValue,
    Color,
    Container,
    ContainersF,
    ContainersT,
    FnsF,
    FnsT,
    Grid0,
    Indices,
    IndicesT,
    Integer,
    Object,
    ObjectsT,
    ObjectT,
    Patch,
    Set,
    Tuple,
)
from arcbatt.dsl.values import ordered

restriction("difference_tuple", "difference", result=Tuple, a=Tuple, b=Tuple)
alias("difference_t", "difference_tuple")
restriction("combine_t", "combine", result=Tuple, a=Tuple, b=Tuple)
restriction("combine_f", "combine", result=Set, a=Set, b=Set)
restriction("size_t", "size", container=Tuple)
restriction("size_f", "size", container=Set)
restriction("merge_t", "merge", result=Tuple, containers=ContainersT)
restriction("merge_f", "merge", result=Set, containers=ContainersF)
restriction("mostcommon_t", "mostcommon", container=Tuple)
restriction("mostcommon_f", "mostcommon", container=Set)
restriction("leastcommon_t", "leastcommon", container=Tuple)
restriction("leastcommon_f", "leastcommon", container=Set)
restriction("first_t", "first", container=Tuple)
restriction("first_f", "first", container=Set)
restriction("last_t", "last", container=Tuple)
restriction("last_f", "last", container=Set)


@op(order_sensitive=True, selects=True)
def remove_t(value: AnyValue, container: Container) -> Tuple:
    """The elements that differ from the value, as a Tuple.

    >>> call("remove_t", 2, frozenset({3, 2, 1}))
    (1, 3)
    """
    return tuple(x for x in ordered(container) if x != value)


restriction("remove_f", "remove", value=AnyValue)
restriction("other_t", "other", container=Tuple)
restriction("other_f", "other", container=Set)
restriction("valmax_t", "valmax", container=Tuple)
restriction("valmax_f", "valmax", container=Set)
restriction("valmin_t", "valmin", container=Tuple)
restriction("valmin_f", "valmin", container=Set)
restriction("argmax_t", "argmax", container=Tuple)
restriction("argmax_f", "argmax", container=Set)
restriction("argmin_t", "argmin", container=Tuple)
restriction("argmin_f", "argmin", container=Set)
restriction("sfilter_t", "sfilter", result=Tuple, container=Tuple)
restriction("sfilter_f", "sfilter", result=Set, container=Set)
restriction("mfilter_t", "mfilter", result=Tuple, container=ContainersT)
restriction("mfilter_f", "mfilter", result=Set, container=ContainersF)
restriction("apply_t", "apply", result=Tuple, container=Tuple)
restriction("apply_f", "apply", result=Set, container=Set)
restriction("rapply_t", "rapply", result=Tuple, functions=FnsT)
restriction("rapply_f", "rapply", result=Set, functions=FnsF)
restriction("mapply_t", "mapply", result=Tuple, container=Tuple)
restriction("mapply_f", "mapply", result=Set, container=Set)


@op(selects=True)
def sizefilter_t(container: ContainersT, n: Integer) -> Tuple:
    """The elements that have exactly n elements, as a Tuple.

    >>> call("sizefilter_t", ((1,), (2, 3), (4, 5)), 2)
    ((2, 3), (4, 5))
    """
    return tuple(x for x in container if len(x) == n)


@op(order_sensitive=True, selects=True)
def colorfilter_t(objs: ObjectsT, color: Color) -> Tuple:
    """The objects of a colour, as a Tuple.

    >>> call("colorfilter_t", (((3, (0, 0)),), ((4, (1, 1)),)), 4)
    (((4, (1, 1)),),)
    """
    if not all(objs):
        raise OpFailed("EMPTY")
    return tuple(cells for cells in objs if color_of(cells) == color)


restriction("height_t", "height", piece=Grid0)
restriction("height_f", "height", piece=Patch)
restriction("height_i", "height", piece=Indices)
restriction("height_o", "height", piece=Object)
restriction("width_t", "width", piece=Grid0)
restriction("width_f", "width", piece=Patch)
restriction("width_i", "width", piece=Indices)
restriction("width_o", "width", piece=Object)
restriction("shape_t", "shape", piece=("grid", Grid0))
restriction("shape_f", "shape", piece=("patch", Patch))
restriction("portrait_t", "portrait", piece=("grid", Grid0))
restriction("portrait_f", "portrait", piece=("patch", Patch))
restriction("square_t", "square", piece=("grid", Grid0))
restriction("square_f", "square", piece=("patch", Patch))
restriction("lowermost_i", "lowermost", patch=("indices", Indices))
restriction("lowermost_o", "lowermost", patch=("obj", Object))
restriction("uppermost_i", "uppermost", patch=("indices", Indices))
restriction("uppermost_o", "uppermost", patch=("obj", Object))
restriction("leftmost_i", "leftmost", patch=("indices", Indices))
restriction("leftmost_o", "leftmost", patch=("obj", Object))
restriction("rightmost_i", "rightmost", patch=("indices", Indices))
restriction("rightmost_o", "rightmost", patch=("obj", Object))
restriction("ulcorner_i", "ulcorner", patch=("indices", Indices))
restriction("ulcorner_o", "ulcorner", patch=("obj", Object))
restriction("urcorner_i", "urcorner", patch=("indices", Indices))
restriction("urcorner_o", "urcorner", patch=("obj", Object))
restriction("llcorner_i", "llcorner", patch=("indices", Indices))
restriction("llcorner_o", "llcorner", patch=("obj", Object))
restriction("lrcorner_i", "lrcorner", patch=("indices", Indices))
restriction("lrcorner_o", "lrcorner", patch=("obj", Object))
restriction("vline_i", "vline", patch=Indices)
restriction("vline_o", "vline", patch=Object)
restriction("hline_i", "hline", patch=Indices)
restriction("hline_o", "hline", patch=Object)
restriction("mostcolor_t", "mostcolor", element=("grid", Grid0))
restriction("mostcolor_f", "mostcolor", element=("obj", Object))
restriction("leastcolor_t", "leastcolor", element=("grid", Grid0))
restriction("leastcolor_f", "leastcolor", element=("obj", Object))
restriction("numcolors_t", "numcolors", element=("grid", Grid0))
restriction("numcolors_f", "numcolors", element=("obj", Object))
restriction("palette_t", "palette", element=Grid0)
restriction("palette_f", "palette", element=Object)
restriction("colorcount_t", "colorcount", element=("grid", Grid0), value=("color", Color))
restriction("colorcount_f", "colorcount", element=("obj", Object), value=("color", Color))


@op(selects=True)
def normalize_t(piece: Tuple) -> Tuple:
    """The Tuple itself.

    >>> call("normalize_t", ((1, 2), (3, 4)))
    ((1, 2), (3, 4))
    """
    return piece


restriction("normalize_i", "normalize", result=Indices, patch=("indices", Indices))
restriction("normalize_o", "normalize", result=Object, patch=("obj", Object))
restriction("toindices_i", "toindices", patch=("indices", Indices))
restriction("toindices_o", "toindices", patch=("obj", Object))
restriction("recolor_i", "recolor", value=("color", Color), patch=("indices", IndicesT))
restriction("recolor_o", "recolor", value=("color", Color), patch=("obj", ObjectT))
restriction("hmirror_t", "hmirror", result=Grid0, piece=("grid", Grid0))
restriction("hmirror_f", "hmirror", result=Patch, piece=("patch", Patch))
restriction("hmirror_i", "hmirror", result=Indices, piece=("indices", Indices))
restriction("hmirror_o", "hmirror", result=Object, piece=("obj", Object))
restriction("vmirror_t", "vmirror", result=Grid0, piece=("grid", Grid0))
restriction("vmirror_f", "vmirror", result=Patch, piece=("patch", Patch))
restriction("vmirror_i", "vmirror", result=Indices, piece=("indices", Indices))
restriction("vmirror_o", "vmirror", result=Object, piece=("obj", Object))
restriction("dmirror_t", "dmirror", result=Grid0, piece=("grid", Grid0))
restriction("dmirror_f", "dmirror", result=Patch, piece=("patch", Patch))
restriction("dmirror_i", "dmirror", result=Indices, piece=("indices", Indices))
restriction("dmirror_o", "dmirror", result=Object, piece=("obj", Object))
restriction("cmirror_t", "cmirror", result=Grid0, piece=("grid", Grid0))
restriction("cmirror_f", "cmirror", result=Patch, piece=("patch", Patch))
restriction("cmirror_i", "cmirror", result=Indices, piece=("indices", Indices))
restriction("cmirror_o", "cmirror", result=Object, piece=("obj", Object))
restriction("upscale_t", "upscale", result=Grid0, element=("grid", Grid0))
restriction("upscale_f", "upscale", result=Object, element=("obj", Object))
