"""Dialect: core ops under typed names, mostly one line each.

Where the core op takes a Container, its typed names take Tuples and Sets alike and give what the core op
gives. But a `_t` op that gives a Tuple also gives one for a Set, with the elements in order, and `sfilter_f`
always gives a Set. Names for grids, patches, Objects and Indices admit only these.
"""

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.held_weight import kept_elements, tuple_of_results
from arcbatt.dsl.ops.containers import combine, difference, merge
from arcbatt.dsl.ops.functions import apply, mapply, mfilter, rapply, sfilter
from arcbatt.dsl.ops.patches import color as color_of
from arcbatt.dsl.table import alias, op, restriction
from arcbatt.dsl.types import (
    AnyValue,
    Color,
    Condition,
    Container,
    Containers,
    Fn1,
    Fns,
    Grid0,
    Indices,
    IndicesT,
    Integer,
    Object,
    Objects,
    ObjectT,
    Patch,
    Set,
    SetOrTuple,
    Tuple,
)
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import BUILD, CONSTANT, TALLY, WorkRule


@op(
    signature="k[a], m[a] -> Tuple[a]",
    order_sensitive=True,
    selects=True,
    restricts="difference",
    idempotent=True,
)
def difference_tuple(a: Container, b: Container) -> Tuple:
    """The elements of a that are not in b, as a Tuple.

    >>> call("difference_tuple", frozenset({3, 2, 1}), (2,))
    (1, 3)
    """
    return tuple(difference(ordered(a), b))


alias("difference_t", "difference_tuple")


@op(signature="k[a], m[a] -> Tuple[a]", order_sensitive=True, restricts="combine")
def combine_t(a: Container, b: Container) -> Tuple:
    """The elements of a, then those of b, as a Tuple.

    >>> call("combine_t", frozenset({2, 1}), (2, 3))
    (1, 2, 2, 3)
    """
    return tuple(combine(ordered(a), b))


restriction("combine_f", "combine", result=SetOrTuple)
restriction("size_t", "size")
restriction("size_f", "size")


@op(signature="k[m[a]] -> Tuple[a]", order_sensitive=True, selects=True, restricts="merge")
def merge_t(containers: Containers) -> Tuple:
    """The elements of all inner containers, one container after the other, as a Tuple.

    >>> call("merge_t", frozenset({(2, 3), (1, 2)}))
    (1, 2, 2, 3)
    """
    return tuple(merge(ordered(containers)))


restriction("merge_f", "merge", result=SetOrTuple)
restriction("mostcommon_t", "mostcommon", signature="k[a] -> a", container=Container)
restriction("mostcommon_f", "mostcommon", signature="k[a] -> a", container=Container)
restriction("leastcommon_t", "leastcommon", signature="k[a] -> a", container=Container)
restriction("leastcommon_f", "leastcommon", signature="k[a] -> a", container=Container)
restriction("first_t", "first")
restriction("first_f", "first")
restriction("last_t", "last")
restriction("last_f", "last")


@op(signature="a, k[a] -> Tuple[a]", order_sensitive=True, selects=True)
def remove_t(value: AnyValue, container: Container) -> Tuple:
    """The elements that differ from the value, as a Tuple.

    >>> call("remove_t", 2, frozenset({3, 2, 1}))
    (1, 3)
    """
    return tuple(x for x in ordered(container) if x != value)


restriction("remove_f", "remove")
restriction("other_t", "other")
restriction("other_f", "other")
restriction("valmax_t", "valmax")
restriction("valmax_f", "valmax")
restriction("valmin_t", "valmin")
restriction("valmin_f", "valmin")
restriction("argmax_t", "argmax")
restriction("argmax_f", "argmax")
restriction("argmin_t", "argmin")
restriction("argmin_f", "argmin")


@op(
    signature="k[a], (a -> Integer) -> Tuple[a]",
    order_sensitive=True,
    selects=True,
    collects=kept_elements,
    restricts="sfilter",
)
def sfilter_t(container: Container, condition: Condition) -> Tuple:
    """The elements for which the condition holds, as a Tuple.

    >>> call("sfilter_t", frozenset({4, 3, 2}), fn("even"))
    (2, 4)
    """
    return tuple(sfilter(ordered(container), condition))


@op(
    signature="k[a], (a -> Integer) -> Set[a]",
    selects=True,
    collects=kept_elements,
    restricts="sfilter",
    work=WorkRule(BUILD, BUILD, listed=TALLY),
)
def sfilter_f(container: Container, condition: Condition) -> Set:
    """The elements for which the condition holds, as a Set.

    >>> call("sfilter_f", (4, 3, 4), fn("even"))
    frozenset({4})
    """
    return frozenset(sfilter(container, condition))


@op(
    signature="k[m[a]], (m[a] -> Integer) -> Tuple[a]",
    order_sensitive=True,
    selects=True,
    collects=kept_elements,
    restricts="mfilter",
)
def mfilter_t(container: Containers, function: Condition) -> Tuple:
    """The elements for which the condition holds, merged into a Tuple.

    >>> call("mfilter_t", frozenset({(2, 3), (1, 2), (4,)}), fn("matcher", fn("size"), 2))
    (1, 2, 2, 3)
    """
    return tuple(mfilter(ordered(container), function))


restriction("mfilter_f", "mfilter", result=SetOrTuple)


@op(
    signature="(a -> b), k[a] -> Tuple[b]", order_sensitive=True, collects=tuple_of_results, restricts="apply"
)
def apply_t(function: Fn1, container: Container) -> Tuple:
    """The function of every element, as a Tuple.

    >>> call("apply_t", fn("even"), frozenset({3, 2, 1}))
    (0, 1, 0)
    """
    return tuple(apply(function, ordered(container)))


restriction("apply_f", "apply", result=SetOrTuple)


@op(
    signature="k[(a -> b)], a -> Tuple[b]",
    order_sensitive=True,
    collects=tuple_of_results,
    restricts="rapply",
)
def rapply_t(functions: Fns, value: AnyValue) -> Tuple:
    """Every function of one value, as a Tuple.

    >>> call("rapply_t", frozenset({fn("halve"), fn("double")}), 4)
    (8, 2)
    """
    return tuple(rapply(ordered(functions), value))


restriction("rapply_f", "rapply", result=SetOrTuple)


@op(
    signature="(a -> m[b]), k[a] -> Tuple[b]",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    restricts="mapply",
)
def mapply_t(function: Fn1, container: Container) -> Tuple:
    """The function of every element, and the results merged into a Tuple.

    >>> call("mapply_t", fn("identity"), frozenset({(2, 3), (1, 2)}))
    (1, 2, 2, 3)
    """
    return tuple(mapply(function, ordered(container)))


restriction("mapply_f", "mapply", result=SetOrTuple)


@op(signature="k[m[a]], Integer -> Tuple[m[a]]", order_sensitive=True, selects=True)
def sizefilter_t(container: Containers, n: Integer) -> Tuple:
    """The elements that have exactly n elements, as a Tuple.

    >>> call("sizefilter_t", ((1,), (2, 3), (4, 5)), 2)
    ((2, 3), (4, 5))
    """
    return tuple(x for x in ordered(container) if len(x) == n)


@op(
    signature="k[Object], Integer -> Tuple[Object]; k[Tuple[Cell]], Integer -> Tuple[Tuple[Cell]]",
    order_sensitive=True,
    selects=True,
)
def colorfilter_t(objs: Objects, color: Color) -> Tuple:
    """The objects of a colour, as a Tuple.

    >>> call("colorfilter_t", (((3, (0, 0)),), ((4, (1, 1)),)), 4)
    (((4, (1, 1)),),)
    """
    if not all(objs):
        raise OpFailed("EMPTY")
    return tuple(cells for cells in ordered(objs) if color_of(cells) == color)


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


@op(signature="Tuple[a] -> Tuple[a]", selects=True, work=CONSTANT, idempotent=True)
def normalize_t(piece: Tuple) -> Tuple:
    """The Tuple itself.

    >>> call("normalize_t", ((1, 2), (3, 4)))
    ((1, 2), (3, 4))
    """
    return piece


restriction("normalize_i", "normalize", result=Indices, patch=("indices", Indices))
restriction("normalize_o", "normalize", result=Object, patch=("obj", Object))
restriction("toindices_i", "toindices", patch=("indices", Indices))
restriction("toindices_o", "toindices", idempotent=False, patch=("obj", Object))
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
