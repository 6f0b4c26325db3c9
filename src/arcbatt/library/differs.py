"""Differs: each scores a candidate grid, given as I, against the expected output C; 1000 is best."""

from arcbatt.library.vocabulary import *


# Colours of the candidate that the expected output does not have.
def differ_colors_too_many(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    x3 = difference(x1, x2)
    x4 = size(x3)
    x5 = multiply(THOUSAND, x4)
    x6 = size(x1)
    x7 = divide(x5, x6)
    x8 = subtract(THOUSAND, x7)
    O = astuple(x8, x3)
    return O


# Colours of the expected output that the candidate lacks.
def differ_colors_missing(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    x3 = difference(x2, x1)
    x4 = size(x3)
    x5 = multiply(THOUSAND, x4)
    x6 = size(x2)
    x7 = divide(x5, x6)
    x8 = subtract(THOUSAND, x7)
    O = astuple(x8, x3)
    return O


# Objects of one cell that the expected output does not have there.
def differ_dots_too_many(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = objects(C, T, F, T)
    x4 = sizefilter(x3, ONE)
    x5 = difference(x2, x4)
    x6 = size(x5)
    x7 = multiply(THOUSAND, x6)
    x8 = size(x2)
    x9 = astuple(ONE, x8)
    x10 = maximum(x9)
    x11 = divide(x7, x10)
    x12 = subtract(THOUSAND, x11)
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
    x7 = multiply(THOUSAND, x6)
    x8 = size(x4)
    x9 = astuple(ONE, x8)
    x10 = maximum(x9)
    x11 = divide(x7, x10)
    x12 = subtract(THOUSAND, x11)
    x13 = merge(x5)
    O = astuple(x12, x13)
    return O


# Cells that match, as a share of the larger of the two grids.
def differ_cells(S, I, C):
    x1 = asobject(I)
    x2 = asobject(C)
    x3 = intersection(x1, x2)
    x4 = size(x3)
    x5 = multiply(THOUSAND, x4)
    x6 = size(x1)
    x7 = size(x2)
    x8 = astuple(x6, x7)
    x9 = maximum(x8)
    x10 = divide(x5, x9)
    x11 = difference(x2, x1)
    O = astuple(x10, x11)
    return O
