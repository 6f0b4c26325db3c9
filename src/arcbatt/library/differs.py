"""Differs: each scores a candidate grid, given as I, against the expected output C; 1000 is best."""

from arcbatt.library.vocabulary import *


# Height and width, each as the smaller one's share of the larger.
def differ_shape(S, I, C):
    x1 = shape(I)
    x2 = shape(C)
    x3 = pair(x1, x2)
    x4 = lbind(multiply, THOUSAND)
    x5 = compose(x4, minimum)
    x6 = fork(divide, x5, maximum)
    x7 = apply(x6, x3)
    x8 = first(x7)
    x9 = last(x7)
    x10 = add(x8, x9)
    x11 = halve(x10)
    x12 = subtract(x2, x1)
    O = astuple(x11, x12)
    return O


# Colours of the candidate that the expected output does not have.
def differ_colors_too_many(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    x3 = difference(x1, x2)
    x4 = size(x3)
    x5 = size(x1)
    x6 = subtract(x5, x4)
    x7 = multiply(THOUSAND, x6)
    x8 = divide(x7, x5)
    O = astuple(x8, x3)
    return O


# Colours of the expected output that the candidate lacks.
def differ_colors_missing(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    x3 = difference(x2, x1)
    x4 = size(x3)
    x5 = size(x2)
    x6 = subtract(x5, x4)
    x7 = multiply(THOUSAND, x6)
    x8 = divide(x7, x5)
    O = astuple(x8, x3)
    return O


# Cells of each colour: the smaller number's share of the larger, in the mean of all colours.
def differ_color_counts(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    x3 = combine(x1, x2)
    x4 = totuple(x3)
    x5 = lbind(colorcount, I)
    x6 = lbind(colorcount, C)
    x7 = fork(astuple, x5, x6)
    x8 = lbind(multiply, THOUSAND)
    x9 = compose(x8, minimum)
    x10 = fork(divide, x9, maximum)
    x11 = compose(x10, x7)
    x12 = apply(x11, x4)
    x13 = pair(x12, x12)
    x14 = centerofmass(x13)
    x15 = first(x14)
    x16 = pair(x4, x12)
    O = astuple(x15, x16)
    return O


# Objects of one cell that the expected output does not have there.
def differ_dots_too_many(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = objects(C, T, F, T)
    x4 = sizefilter(x3, ONE)
    x5 = difference(x2, x4)
    x6 = size(x5)
    x7 = size(x2)
    x8 = astuple(ONE, x7)
    x9 = maximum(x8)
    x10 = subtract(x9, x6)
    x11 = multiply(THOUSAND, x10)
    x12 = divide(x11, x9)
    x13 = merge(x5)
    O = astuple(x12, x13)
    return O


# Objects of one cell of the expected output that the candidate lacks there.
def differ_dots_missing(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = objects(C, T, F, T)
    x4 = sizefilter(x3, ONE)
    x5 = difference(x4, x2)
    x6 = size(x5)
    x7 = size(x4)
    x8 = astuple(ONE, x7)
    x9 = maximum(x8)
    x10 = subtract(x9, x6)
    x11 = multiply(THOUSAND, x10)
    x12 = divide(x11, x9)
    x13 = merge(x5)
    O = astuple(x12, x13)
    return O


# Cells that match, as a share of the larger of the two grids.
def differ_cells(S, I, C):
    x1 = asobject(I)
    x2 = asobject(C)
    x3 = difference(x2, x1)
    x4 = size(x3)
    x5 = size(x2)
    x6 = subtract(x5, x4)
    x7 = size(x1)
    x8 = astuple(x5, x7)
    x9 = maximum(x8)
    x10 = multiply(THOUSAND, x6)
    x11 = divide(x10, x9)
    O = astuple(x11, x3)
    return O


# Cells that match, among those of either grid that are not of the expected background.
def differ_foreground(S, I, C):
    x1 = mostcolor(C)
    x2 = asindices(I)
    x3 = ofcolor(I, x1)
    x4 = difference(x2, x3)
    x5 = toobject(x4, I)
    x6 = asindices(C)
    x7 = ofcolor(C, x1)
    x8 = difference(x6, x7)
    x9 = toobject(x8, C)
    x10 = difference(x9, x5)
    x11 = difference(x5, x9)
    x12 = size(x10)
    x13 = size(x11)
    x14 = add(x12, x13)
    x15 = size(x9)
    x16 = add(x15, x13)
    x17 = astuple(ONE, x16)
    x18 = maximum(x17)
    x19 = subtract(x18, x14)
    x20 = multiply(THOUSAND, x19)
    x21 = divide(x20, x18)
    O = astuple(x21, x10)
    return O


# Locations that are not of the expected background, whatever their colours.
def differ_mask(S, I, C):
    x1 = mostcolor(C)
    x2 = asindices(I)
    x3 = ofcolor(I, x1)
    x4 = difference(x2, x3)
    x5 = asindices(C)
    x6 = ofcolor(C, x1)
    x7 = difference(x5, x6)
    x8 = difference(x7, x4)
    x9 = difference(x4, x7)
    x10 = size(x8)
    x11 = size(x9)
    x12 = add(x10, x11)
    x13 = size(x7)
    x14 = add(x13, x11)
    x15 = astuple(ONE, x14)
    x16 = maximum(x15)
    x17 = subtract(x16, x12)
    x18 = multiply(THOUSAND, x17)
    x19 = divide(x18, x16)
    O = astuple(x19, x8)
    return O


# Sizes of objects, the largest against the largest and so on: the smaller one's share of the larger.
def differ_object_sizes(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = totuple(x1)
    x3 = apply(size, x2)
    x4 = order(x3, invert)
    x5 = objects(C, T, F, T)
    x6 = totuple(x5)
    x7 = apply(size, x6)
    x8 = order(x7, invert)
    x9 = pair(x4, x8)
    x10 = lbind(multiply, THOUSAND)
    x11 = compose(x10, minimum)
    x12 = fork(divide, x11, maximum)
    x13 = apply(x12, x9)
    x14 = pair(x13, x13)
    x15 = centerofmass(x14)
    x16 = repeat(THOUSAND, ONE)
    x17 = combine(x15, x16)
    x18 = first(x17)
    x19 = size(x3)
    x20 = size(x7)
    x21 = astuple(x19, x20)
    x22 = minimum(x21)
    x23 = maximum(x21)
    x24 = astuple(ONE, x23)
    x25 = maximum(x24)
    x26 = subtract(x23, x22)
    x27 = subtract(x25, x26)
    x28 = multiply(x18, x27)
    x29 = divide(x28, x25)
    O = astuple(x29, x9)
    return O


# Objects of each colour: the smaller number's share of the larger, in the mean of their colours.
def differ_object_colors(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = totuple(x1)
    x3 = apply(color, x2)
    x4 = repeat(x3, ONE)
    x5 = objects(C, T, F, T)
    x6 = totuple(x5)
    x7 = apply(color, x6)
    x8 = repeat(x7, ONE)
    x9 = combine(x3, x7)
    x10 = dedupe(x9)
    x11 = lbind(colorcount, x4)
    x12 = lbind(colorcount, x8)
    x13 = fork(astuple, x11, x12)
    x14 = lbind(multiply, THOUSAND)
    x15 = compose(x14, minimum)
    x16 = fork(divide, x15, maximum)
    x17 = compose(x16, x13)
    x18 = apply(x17, x10)
    x19 = pair(x18, x18)
    x20 = centerofmass(x19)
    x21 = repeat(THOUSAND, ONE)
    x22 = combine(x20, x21)
    x23 = first(x22)
    x24 = pair(x10, x18)
    O = astuple(x23, x24)
    return O


# Places of objects, by their upper left corners.
def differ_object_positions(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = apply(ulcorner, x1)
    x3 = objects(C, T, F, T)
    x4 = apply(ulcorner, x3)
    x5 = difference(x4, x2)
    x6 = difference(x2, x4)
    x7 = size(x5)
    x8 = size(x6)
    x9 = add(x7, x8)
    x10 = size(x4)
    x11 = add(x10, x8)
    x12 = astuple(ONE, x11)
    x13 = maximum(x12)
    x14 = subtract(x13, x9)
    x15 = multiply(THOUSAND, x14)
    x16 = divide(x15, x13)
    O = astuple(x16, x5)
    return O


# Objects as such, wherever they stand.
def differ_object_forms(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = apply(normalize, x1)
    x3 = objects(C, T, F, T)
    x4 = apply(normalize, x3)
    x5 = difference(x4, x2)
    x6 = difference(x2, x4)
    x7 = size(x5)
    x8 = size(x6)
    x9 = add(x7, x8)
    x10 = size(x4)
    x11 = add(x10, x8)
    x12 = astuple(ONE, x11)
    x13 = maximum(x12)
    x14 = subtract(x13, x9)
    x15 = multiply(THOUSAND, x14)
    x16 = divide(x15, x13)
    O = astuple(x16, x5)
    return O


# Mirrorings and turns that leave the grid as it is.
def differ_symmetry(S, I, C):
    x1 = interval(ZERO, SIX, ONE)
    x2 = lbind(mir_rot_t, I)
    x3 = matcher(x2, I)
    x4 = sfilter(x1, x3)
    x5 = lbind(mir_rot_t, C)
    x6 = matcher(x5, C)
    x7 = sfilter(x1, x6)
    x8 = difference(x7, x4)
    x9 = difference(x4, x7)
    x10 = size(x8)
    x11 = size(x9)
    x12 = add(x10, x11)
    x13 = subtract(SIX, x12)
    x14 = multiply(THOUSAND, x13)
    x15 = divide(x14, SIX)
    O = astuple(x15, x8)
    return O
