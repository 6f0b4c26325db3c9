"""The ops of section 6 that are a core op under a typed name, and values to try on them.

`of the Tuple`: the op is the core op on the elements of its container as a Tuple, in their order.
"""

from typing import Any, NamedTuple

from arcbatt import fn
from arcbatt.dsl.values import ordered
from support.cases import Call, constantly, setof

OF_TUPLE, A_SET = " of the Tuple", ", a Set"

LINES = """
get_arg_rank_t(Container, Fn1, Integer) = get_arg_rank
get_arg_rank_f(Container, Fn1, Integer) = get_arg_rank
get_val_rank_t(Container, Fn1, Integer) = get_val_rank
get_val_rank_f(Container, Fn1, Integer) = get_val_rank
get_common_rank_t(Container, Integer) = get_common_rank
get_common_rank_f(Container, Integer) = get_common_rank

c_branch(Integer, Integer, Integer) = branch
p_f(Object) = palette
f_ofcolor(Grid0, Integer) = ofcolor

difference_tuple(Container, Container) = difference of the Tuple
combine_t(Container, Container) = combine of the Tuple
combine_f(Container, Container) = combine
size_t(Container) = size
size_f(Container) = size
merge_t(Container) = merge of the Tuple
merge_f(Container) = merge
mostcommon_t(Container) = mostcommon of the Tuple
mostcommon_f(Container) = mostcommon of the Tuple
leastcommon_t(Container) = leastcommon of the Tuple
leastcommon_f(Container) = leastcommon of the Tuple
first_t(Container) = first
first_f(Container) = first
last_t(Container) = last
last_f(Container) = last
remove_f(Any, Container) = remove
other_t(Container, Any) = other
other_f(Container, Any) = other
valmax_t(Container, Fn1) = valmax
valmax_f(Container, Fn1) = valmax
valmin_t(Container, Fn1) = valmin
valmin_f(Container, Fn1) = valmin
argmax_t(Container, Fn1) = argmax
argmax_f(Container, Fn1) = argmax
argmin_t(Container, Fn1) = argmin
argmin_f(Container, Fn1) = argmin
sfilter_t(Container, Fn1) = sfilter of the Tuple
sfilter_f(Container, Fn1) = sfilter, a Set
mfilter_t(Container, Fn1) = mfilter of the Tuple
mfilter_f(Container, Fn1) = mfilter
apply_t(Fn1, Container) = apply of the Tuple
apply_f(Fn1, Container) = apply
rapply_t(Container, Any) = rapply of the Tuple
rapply_f(Container, Any) = rapply
mapply_t(Fn1, Container) = mapply of the Tuple
mapply_f(Fn1, Container) = mapply

height_t(Grid0) = height
height_f(Patch) = height
height_i(Indices) = height
height_o(Object) = height
width_t(Grid0) = width
width_f(Patch) = width
width_i(Indices) = width
width_o(Object) = width
shape_t(Grid0) = shape
shape_f(Patch) = shape
portrait_t(Grid0) = portrait
portrait_f(Patch) = portrait
square_t(Grid0) = square
square_f(Patch) = square
lowermost_i(Indices) = lowermost
lowermost_o(Object) = lowermost
uppermost_i(Indices) = uppermost
uppermost_o(Object) = uppermost
leftmost_i(Indices) = leftmost
leftmost_o(Object) = leftmost
rightmost_i(Indices) = rightmost
rightmost_o(Object) = rightmost
ulcorner_i(Indices) = ulcorner
ulcorner_o(Object) = ulcorner
urcorner_i(Indices) = urcorner
urcorner_o(Object) = urcorner
llcorner_i(Indices) = llcorner
llcorner_o(Object) = llcorner
lrcorner_i(Indices) = lrcorner
lrcorner_o(Object) = lrcorner
vline_i(Indices) = vline
vline_o(Object) = vline
hline_i(Indices) = hline
hline_o(Object) = hline
mostcolor_t(Grid0) = mostcolor
mostcolor_f(Object) = mostcolor
leastcolor_t(Grid0) = leastcolor
leastcolor_f(Object) = leastcolor
numcolors_t(Grid0) = numcolors
numcolors_f(Object) = numcolors
palette_t(Grid0) = palette
palette_f(Object) = palette
colorcount_t(Grid0, Integer) = colorcount
colorcount_f(Object, Integer) = colorcount

normalize_i(Indices) = normalize
normalize_o(Object) = normalize
toindices_i(Indices) = toindices
toindices_o(Object) = toindices
recolor_i(Integer, IndicesT) = recolor
recolor_o(Integer, ObjectT) = recolor
hmirror_t(Grid0) = hmirror
hmirror_f(Patch) = hmirror
hmirror_i(Indices) = hmirror
hmirror_o(Object) = hmirror
vmirror_t(Grid0) = vmirror
vmirror_f(Patch) = vmirror
vmirror_i(Indices) = vmirror
vmirror_o(Object) = vmirror
dmirror_t(Grid0) = dmirror
dmirror_f(Patch) = dmirror
dmirror_i(Indices) = dmirror
dmirror_o(Object) = dmirror
cmirror_t(Grid0) = cmirror
cmirror_f(Patch) = cmirror
cmirror_i(Indices) = cmirror
cmirror_o(Object) = cmirror
upscale_t(Grid0, Integer) = upscale
upscale_f(Object, Integer) = upscale
"""


class Restriction(NamedTuple):
    """One line of the list."""

    name: str
    types: tuple[str, ...]
    of: str
    turns_to: str

    def __str__(self) -> str:
        return self.name


def parsed(line: str) -> Restriction:
    signature, _, of = line.partition(" = ")
    name, _, types = signature.rstrip(")").partition("(")
    of, turns_to = next(((of[: -len(end)], end) for end in (OF_TUPLE, A_SET) if of.endswith(end)), (of, ""))
    return Restriction(name, tuple(types.split(", ")), of, turns_to)


def core_outcome(call: Call, op: Restriction, arguments: tuple[Any, ...]) -> Any:
    """What the core op says of the arguments of a typed one."""
    if op.turns_to == OF_TUPLE:
        place = op.types.index("Container")
        arguments = (*arguments[:place], ordered(arguments[place]), *arguments[place + 1 :])
    outcome = call(op.of, *arguments)
    return frozenset(outcome) if op.turns_to == A_SET and isinstance(outcome, tuple) else outcome


RESTRICTIONS = [parsed(line) for line in LINES.splitlines() if line]

FUNCTION = fn("first")
RAGGED = ((1, 2), (3,))
LOCATIONS = ((3, 1), (0, 2))
CELLS = ((4, (0, 0)), (2, (5, 5)))
MIXED_PATCH = setof((0, 0), (1, (0, 0)))
BAD_CELLS = setof((1, (0, 0, 0)), (2, (0, 0)))

GRIDS = ((), ((), ()), ((4,),), ((1, 2, 2), (3, 3, 0)), ((5, 5), (5, 6)), ((7,), (8,), (7,)))
INDICES = (
    setof(),
    setof((0, 0)),
    setof((1, 2), (2, 2), (3, 2)),
    setof((4, -1), (4, 0)),
    setof((1, 2), (3, 2), (3, 5)),
    setof((0, 0), (0, 1), (1, 0), (1, 1)),
)
OBJECTS = (
    setof(),
    setof((3, (0, 0))),
    setof((1, (1, 2)), (5, (2, 2)), (1, (3, 2))),
    setof((9, (4, -1)), (0, (4, 0))),
    setof((2, (1, 2)), (3, (3, 2)), (3, (3, 5)), (4, (3, 5))),
)
TUPLES = (
    (),
    (3,),
    (3, 1, 3, 2),
    ((1, 2), (3,), setof(4, 3)),
    (fn("size"), fn("initset")),
    ((0, 0), setof(), 5),
)
SETS = tuple(map(frozenset, TUPLES))

ADMITTED: dict[str, tuple[Any, ...]] = {
    "Any": (3, (1, 2), setof(), FUNCTION),
    "Integer": (0, 1, 3, -1, -2),
    "Fn1": (fn("identity"), fn("size"), fn("initset"), fn("positive"), fn("first"), constantly(7)),
    "Tuple": TUPLES,
    "Set": SETS,
    "Container": TUPLES + SETS,
    "Grid0": GRIDS,
    "Indices": INDICES,
    "Object": OBJECTS,
    "Patch": INDICES + OBJECTS,
    "IndicesT": (*INDICES, (), ((0, 0),), LOCATIONS, ((1, 1), (1, 1))),
    "ObjectT": (*OBJECTS, (), CELLS, ((1, (0, 0)), (2, (0, 0)))),
}

NO_PATCHES = (5, setof(3), setof((0, 0, 0)), setof(((), 1)), MIXED_PATCH, BAD_CELLS, setof(setof()), FUNCTION)

EXCLUDED: dict[str, tuple[Any, ...]] = {
    "Any": (),
    "Integer": ((), (1,), (1, 1), setof(), setof(1), FUNCTION),
    "Fn1": (5, (), setof(), (FUNCTION,), fn("add"), fn("fill"), fn("objects"), fn("rbind", fn("fill"), 1)),
    "Tuple": (5, setof(), setof(5), setof((1,)), FUNCTION),
    "Set": (5, (), (5,), (setof(1),), ((1, 2), (3, 4)), FUNCTION),
    "Container": (5, FUNCTION),
    "Grid0": (5, setof(), setof((0, 0)), RAGGED, (1, 2), (setof(1),), ((1,), (setof(),)), CELLS, FUNCTION),
    "Indices": (*NO_PATCHES, (), LOCATIONS, CELLS, setof((1, (0, 0)))),
    "Object": (*NO_PATCHES, (), LOCATIONS, CELLS, ((1, 2), (3, 4)), setof((0, 0))),
    "Patch": (*NO_PATCHES, (), LOCATIONS, CELLS, ((1, 2), (3, 4))),
    "IndicesT": (*NO_PATCHES, CELLS, setof((1, (0, 0))), (1, 2), ((0, 0), (1, (0, 0)))),
    "ObjectT": (*NO_PATCHES, LOCATIONS, setof((0, 0)), (1, 2), ((1, (0, 0)), (0, 0))),
}
