"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from e to f."""

from arcbatt.library.vocabulary import *


# Repeat the two arms of the cross over the whole row and column.
def solve_e21d9049(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = toindices(x2)
    x4 = totuple(x3)
    x5 = apply(first, x4)
    x6 = mostcommon(x5)
    x7 = apply(last, x4)
    x8 = mostcommon(x7)
    x9 = astuple(x6, x8)
    x10 = hfrontier(x9)
    x11 = intersection(x10, x3)
    x12 = toobject(x11, I)
    x13 = vfrontier(x9)
    x14 = intersection(x13, x3)
    x15 = toobject(x14, I)
    x16 = width(x12)
    x17 = tojvec(x16)
    x18 = lbind(multiply, x17)
    x19 = invert(FIVE)
    x20 = interval(x19, SIX, ONE)
    x21 = apply(x18, x20)
    x22 = lbind(shift, x12)
    x23 = mapply(x22, x21)
    x24 = height(x15)
    x25 = toivec(x24)
    x26 = lbind(multiply, x25)
    x27 = apply(x26, x20)
    x28 = lbind(shift, x15)
    x29 = mapply(x28, x27)
    x30 = paint(I, x23)
    O = paint(x30, x29)
    return O


# Remove the noise from the stripes, which run down or across.
def solve_e26a3af2(I):
    x1 = apply(mostcommon, I)
    x2 = width(I)
    x3 = repeat(x1, x2)
    x4 = dmirror(x3)
    x5 = dmirror(I)
    x6 = apply(mostcommon, x5)
    x7 = height(I)
    x8 = repeat(x6, x7)
    x9 = numcolors(x4)
    x10 = numcolors(x8)
    x11 = greater(x9, x10)
    O = branch(x11, x4, x8)
    return O


# Move the cross left and down by the number of gray cells.
def solve_e48d4e1a(I):
    x1 = colorcount(I, FIVE)
    x2 = multiply(DOWN_LEFT, x1)
    x3 = frontiers(I)
    x4 = extract(x3, hline)
    x5 = uppermost(x4)
    x6 = extract(x3, vline)
    x7 = leftmost(x6)
    x8 = astuple(x5, x7)
    x9 = add(x8, x2)
    x10 = hfrontier(x9)
    x11 = vfrontier(x9)
    x12 = combine(x10, x11)
    x13 = color(x4)
    x14 = shape(I)
    x15 = canvas(ZERO, x14)
    O = fill(x15, x13, x12)
    return O


# Copy the coloured pattern onto the gray rectangles.
def solve_e76a88a6(I):
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, numcolors)
    x3 = normalize(x2)
    x4 = remove(x2, x1)
    x5 = lbind(shift, x3)
    x6 = compose(x5, ulcorner)
    x7 = mapply(x6, x4)
    O = paint(I, x7)
    return O


# Colour the black areas by their size.
def solve_e8593010(I):
    x1 = objects(I, T, F, T)
    x2 = lbind(subtract, FOUR)
    x3 = compose(x2, size)
    x4 = fork(recolor, x3, identity)
    x5 = mapply(x4, x1)
    O = paint(I, x5)
    return O


# Draw a green plus halfway between the two pixels.
def solve_e9614598(I):
    x1 = ofcolor(I, ONE)
    x2 = centerofmass(x1)
    x3 = dneighbors(x2)
    x4 = insert(x2, x3)
    O = fill(I, THREE, x4)
    return O


# Erase both diagonals.
def solve_ea786f4a(I):
    x1 = asindices(I)
    x2 = lrcorner(x1)
    x3 = connect(ORIGIN, x2)
    x4 = llcorner(x1)
    x5 = urcorner(x1)
    x6 = connect(x4, x5)
    x7 = combine(x3, x6)
    O = fill(I, ZERO, x7)
    return O


# Pixels shoot a line to the nearest bars and make a crossing there.
def solve_ecdecbb3(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, TWO)
    x3 = colorfilter(x1, EIGHT)
    x4 = prapply(astuple, x2, x3)
    x5 = compose(center, first)
    x6 = fork(gravitate, first, last)
    x7 = compose(crement, x6)
    x8 = fork(add, x5, x7)
    x9 = fork(connect, x5, x8)
    x10 = ofcolor(I, EIGHT)
    x11 = lbind(intersection, x10)
    x12 = chain(size, x11, x9)
    x13 = matcher(x12, ONE)
    x14 = sfilter(x4, x13)
    x15 = mapply(x9, x14)
    x16 = fill(I, TWO, x15)
    x17 = apply(x8, x14)
    x18 = mapply(neighbors, x17)
    x19 = fill(x16, EIGHT, x18)
    O = fill(x19, TWO, x17)
    return O


# Crop the shape and double it.
def solve_f25fbde4(I):
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    O = upscale(x3, TWO)
    return O


# Fill the columns that hold a pixel with cyan, then tile the grid two by two.
def solve_f5b8619d(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = mapply(vfrontier, x2)
    x4 = underfill(I, EIGHT, x3)
    x5 = hconcat(x4, x4)
    O = vconcat(x5, x5)
    return O


# Below each block hang a green strip as long as the block has colours.
def solve_fcc82909(I):
    x1 = objects(I, F, F, T)
    x2 = rbind(add, DOWN)
    x3 = compose(x2, llcorner)
    x4 = compose(toivec, numcolors)
    x5 = fork(add, lrcorner, x4)
    x6 = fork(astuple, x3, x5)
    x7 = compose(backdrop, x6)
    x8 = mapply(x7, x1)
    O = fill(I, THREE, x8)
    return O


# On a larger canvas the row lies at the bottom and its pixels run up to the right.
def solve_feca6190(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = size(x2)
    x4 = multiply(FIVE, x3)
    x5 = astuple(x4, x4)
    x6 = canvas(ZERO, x5)
    x7 = decrement(x4)
    x8 = toivec(x7)
    x9 = shift(x2, x8)
    x10 = rbind(shoot, UP_RIGHT)
    x11 = compose(x10, last)
    x12 = fork(recolor, first, x11)
    x13 = mapply(x12, x9)
    O = paint(x6, x13)
    return O


# Count the red squares and light as many of five fixed cells.
def solve_ff28f65a(I):
    x1 = canvas(TWO, TWO_BY_TWO)
    x2 = asobject(x1)
    x3 = occurrences(I, x2)
    x4 = size(x3)
    x5 = canvas(ZERO, THREE_BY_THREE)
    x6 = asindices(x5)
    x7 = corners(x6)
    x8 = insert(UNITY, x7)
    x9 = totuple(x8)
    x10 = interval(ZERO, x4, ONE)
    x11 = pair(x9, x10)
    x12 = apply(first, x11)
    O = fill(x5, ONE, x12)
    return O
