"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from 0 to 1."""

from arcbatt.library.vocabulary import *


# Copy the grid into each 3x3 cell of its own enlargement that is coloured.
def solve_007bbfb7(I):
    x1 = repeat(I, THREE)
    x2 = merge(x1)
    x3 = dmirror(x2)
    x4 = repeat(x3, THREE)
    x5 = merge(x4)
    x6 = dmirror(x5)
    x7 = upscale(I, THREE)
    O = cellwise(x6, x7, ZERO)
    return O


# Fill the black regions that are enclosed by green with yellow.
def solve_00d62c1b(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# Continue the vertical pattern to nine rows and turn blue into red.
def solve_017c7c7b(I):
    x1 = asobject(I)
    x2 = vperiod(x1)
    x3 = interval(ZERO, NINE, x2)
    x4 = apply(toivec, x3)
    x5 = lbind(shift, x1)
    x6 = mapply(x5, x4)
    x7 = astuple(NINE, THREE)
    x8 = canvas(ZERO, x7)
    x9 = paint(x8, x6)
    O = replace(x9, ONE, TWO)
    return O


# Mark in red the cells that are blue in both halves.
def solve_0520fde7(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = lbind(papply, both)
    x4 = papply(x3, x1, x2)
    O = replace(x4, ONE, TWO)
    return O


# Continue the coloured diagonals with period three over the whole grid.
def solve_05269061(I):
    x1 = asobject(I)
    x2 = compose(positive, first)
    x3 = sfilter(x1, x2)
    x4 = double(SIX)
    x5 = invert(x4)
    x6 = increment(x4)
    x7 = interval(x5, x6, THREE)
    x8 = apply(tojvec, x7)
    x9 = interval(x5, x6, ONE)
    x10 = lbind(multiply, UP_RIGHT)
    x11 = apply(x10, x9)
    x12 = prapply(add, x8, x11)
    x13 = lbind(shift, x3)
    x14 = mapply(x13, x12)
    O = paint(I, x14)
    return O


# Push the red shape straight against the cyan square.
def solve_05f2a901(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, EIGHT)
    x3 = gravitate(x1, x2)
    x4 = recolor(TWO, x1)
    O = move(I, x4, x3)
    return O


# Join equal coloured cells of the lattice that share a row or a column.
def solve_06df4c85(I):
    x1 = frontiers(I)
    x2 = merge(x1)
    x3 = color(x2)
    x4 = replace(I, x3, ZERO)
    x5 = fgpartition(x4)
    x6 = lbind(prapply, connect)
    x7 = fork(x6, toindices, toindices)
    x8 = fork(either, hline, vline)
    x9 = rbind(mfilter, x8)
    x10 = compose(x9, x7)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x5)
    x13 = paint(I, x12)
    O = paint(x13, x2)
    return O


# Colour the four bars by their height, the tallest blue.
def solve_08ed6ac7(I):
    x1 = objects(I, T, F, T)
    x2 = order(x1, height)
    x3 = interval(FOUR, ZERO, NEG_ONE)
    x4 = mpapply(recolor, x3, x2)
    O = paint(I, x4)
    return O


# Blow up the cell with the most black to the size of the whole lattice.
def solve_09629e4f(I):
    x1 = hsplit(I, THREE)
    x2 = rbind(vsplit, THREE)
    x3 = mapply(x2, x1)
    x4 = rbind(colorcount, ZERO)
    x5 = argmax(x3, x4)
    x6 = upscale(x5, FOUR)
    x7 = shape(I)
    x8 = crop(x6, ORIGIN, x7)
    x9 = ofcolor(I, FIVE)
    O = fill(x8, FIVE, x9)
    return O


# Let each plus grow by one and add diagonals in the colour of its centre.
def solve_0962bcdd(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = palette(I)
    x4 = remove(ZERO, x3)
    x5 = other(x4, x1)
    x6 = ofcolor(I, x5)
    x7 = mapply(dneighbors, x6)
    x8 = fill(I, x5, x7)
    x9 = power(outbox, TWO)
    x10 = chain(corners, x9, initset)
    x11 = fork(combine, ineighbors, x10)
    x12 = mapply(x11, x2)
    x13 = fill(x8, x1, x12)
    O = fill(x13, x1, x2)
    return O


# Repeat the two seeds as alternating stripes along the longer side.
def solve_0a938d79(I):
    x1 = portrait(I)
    x2 = branch(x1, dmirror, identity)
    x3 = x2(I)
    x4 = fgpartition(x3)
    x5 = valmin(x4, leftmost)
    x6 = valmax(x4, leftmost)
    x7 = subtract(x6, x5)
    x8 = double(x7)
    x9 = width(x3)
    x10 = interval(x5, x9, x8)
    x11 = interval(x6, x9, x8)
    x12 = compose(vfrontier, tojvec)
    x13 = mapply(x12, x10)
    x14 = mapply(x12, x11)
    x15 = argmin(x4, leftmost)
    x16 = argmax(x4, leftmost)
    x17 = color(x15)
    x18 = color(x16)
    x19 = fill(x3, x17, x13)
    x20 = fill(x19, x18, x14)
    O = x2(x20)
    return O


# Cut out the block whose colour is rarest.
def solve_0b148d64(I):
    x1 = merge(I)
    x2 = leastcommon(x1)
    x3 = ofcolor(I, x2)
    O = subgrid(x3, I)
    return O


# Put orange beside blue cells and yellow at the corners of red cells.
def solve_0ca9ddb6(I):
    x1 = ofcolor(I, ONE)
    x2 = mapply(dneighbors, x1)
    x3 = ofcolor(I, TWO)
    x4 = mapply(ineighbors, x3)
    x5 = fill(I, SEVEN, x2)
    O = fill(x5, FOUR, x4)
    return O


# Exchange the colours in four fixed pairs.
def solve_0d3d703e(I):
    x1 = switch(I, THREE, FOUR)
    x2 = switch(x1, ONE, FIVE)
    x3 = switch(x2, TWO, SIX)
    O = switch(x3, EIGHT, NINE)
    return O


# Restore the holes in a pattern that repeats in both directions.
def solve_0dfd9992(I):
    x1 = asobject(I)
    x2 = compose(positive, first)
    x3 = sfilter(x1, x2)
    x4 = toindices(x3)
    x5 = lbind(shift, x3)
    x6 = lbind(paint, I)
    x7 = lbind(toobject, x4)
    x8 = chain(x7, x6, x5)
    x9 = matcher(x8, x3)
    x10 = width(I)
    x11 = interval(ONE, x10, ONE)
    x12 = apply(tojvec, x11)
    x13 = extract(x12, x9)
    x14 = apply(toivec, x11)
    x15 = extract(x14, x9)
    x16 = invert(NINE)
    x17 = interval(x16, TEN, ONE)
    x18 = lbind(multiply, x13)
    x19 = apply(x18, x17)
    x20 = mapply(x5, x19)
    x21 = paint(I, x20)
    x22 = asobject(x21)
    x23 = sfilter(x22, x2)
    x24 = lbind(shift, x23)
    x25 = lbind(multiply, x15)
    x26 = apply(x25, x17)
    x27 = mapply(x24, x26)
    O = paint(x21, x27)
    return O


# Tile the grid twice each way and put cyan at the corners of the coloured cells.
def solve_10fcaaa3(I):
    x1 = hconcat(I, I)
    x2 = vconcat(x1, x1)
    x3 = palette(I)
    x4 = other(x3, ZERO)
    x5 = ofcolor(x2, x4)
    x6 = mapply(ineighbors, x5)
    O = underfill(x2, EIGHT, x6)
    return O


# Complete the figure so that it is symmetric in all directions.
def solve_11852cab(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = initset(hmirror)
    x4 = insert(vmirror, x3)
    x5 = insert(dmirror, x4)
    x6 = insert(cmirror, x5)
    x7 = rapply(x6, x2)
    x8 = merge(x7)
    O = paint(I, x8)
    return O


# Count the fields between the lines in each direction.
def solve_1190e5a7(I):
    x1 = frontiers(I)
    x2 = sfilter(x1, hline)
    x3 = difference(x1, x2)
    x4 = size(x2)
    x5 = size(x3)
    x6 = astuple(x4, x5)
    x7 = increment(x6)
    x8 = mostcolor(I)
    O = canvas(x8, x7)
    return O


# Put all pieces together around their common gray cell.
def solve_137eaa0f(I):
    x1 = objects(I, F, T, T)
    x2 = matcher(first, FIVE)
    x3 = rbind(extract, x2)
    x4 = compose(last, x3)
    x5 = lbind(subtract, UNITY)
    x6 = compose(x5, x4)
    x7 = fork(shift, identity, x6)
    x8 = mapply(x7, x1)
    x9 = canvas(ZERO, THREE_BY_THREE)
    O = paint(x9, x8)
    return O


# Draw columns through red cells, then rows through the other cells.
def solve_178fcbfb(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(vfrontier, x1)
    x3 = fill(I, TWO, x2)
    x4 = objects(I, T, F, T)
    x5 = colorfilter(x4, TWO)
    x6 = difference(x4, x5)
    x7 = compose(hfrontier, ulcorner)
    x8 = fork(recolor, color, x7)
    x9 = mapply(x8, x6)
    O = paint(x3, x9)
    return O


# Mark in cyan the cells that are black in both halves.
def solve_1b2d62fb(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = lbind(papply, either)
    x4 = papply(x3, x1, x2)
    x5 = replace(x4, ZERO, EIGHT)
    O = replace(x5, NINE, ZERO)
    return O


# Draw a double barred frame in each half with the colour of its seed.
def solve_1bfc4729(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = leastcolor(x1)
    x4 = leastcolor(x2)
    x5 = asindices(I)
    x6 = box(x5)
    x7 = hfrontier(TWO_BY_ZERO)
    x8 = combine(x6, x7)
    x9 = fill(x1, x3, x8)
    x10 = fill(x1, x4, x8)
    x11 = hmirror(x10)
    O = vconcat(x9, x11)
    return O


# Cut out the inside of the large frame.
def solve_1c786137(I):
    x1 = objects(I, T, F, F)
    x2 = fork(equality, toindices, box)
    x3 = sfilter(x1, x2)
    x4 = argmax(x3, size)
    x5 = subgrid(x4, I)
    O = trim(x5)
    return O


# Move all shapes vertically to the rows of the blue one.
def solve_1caeab9d(I):
    x1 = objects(I, T, T, T)
    x2 = ofcolor(I, ONE)
    x3 = uppermost(x2)
    x4 = lbind(subtract, x3)
    x5 = chain(toivec, x4, uppermost)
    x6 = fork(shift, identity, x5)
    x7 = mapply(x6, x1)
    x8 = merge(x1)
    x9 = cover(I, x8)
    O = paint(x9, x7)
    return O


# Cut out the only shape.
def solve_1cf80156(I):
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    O = subgrid(x2, I)
    return O


# Let the coloured cells of every column fall to the bottom.
def solve_1e0a9b12(I):
    x1 = dmirror(I)
    x2 = rbind(order, sign)
    x3 = apply(x2, x1)
    O = dmirror(x3)
    return O


# Complete the figure of the first field in all fields with the line colour.
def solve_1e32b0e9(I):
    x1 = frontiers(I)
    x2 = first(x1)
    x3 = color(x2)
    x4 = astuple(FIVE, FIVE)
    x5 = crop(I, ORIGIN, x4)
    x6 = asindices(x5)
    x7 = ofcolor(x5, ZERO)
    x8 = difference(x6, x7)
    x9 = width(I)
    x10 = interval(ZERO, x9, SIX)
    x11 = product(x10, x10)
    x12 = lbind(shift, x8)
    x13 = mapply(x12, x11)
    O = underfill(I, x3, x13)
    return O


# Copy every single cell onto the nearest cell of the cyan block.
def solve_1f642eb9(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = ofcolor(I, EIGHT)
    x4 = rbind(gravitate, x3)
    x5 = compose(crement, x4)
    x6 = fork(shift, identity, x5)
    x7 = mapply(x6, x2)
    O = paint(I, x7)
    return O


# Cut out the largest shape.
def solve_1f85a75f(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O


# Join the two cells of each colour.
def solve_1f876c06(I):
    x1 = fgpartition(I)
    x2 = compose(first, toindices)
    x3 = compose(last, toindices)
    x4 = fork(connect, x2, x3)
    x5 = fork(recolor, color, x4)
    x6 = mapply(x5, x1)
    O = paint(I, x6)
    return O


# Count the blue 2x2 squares in a bar of length five.
def solve_1fad071e(I):
    x1 = canvas(ONE, TWO_BY_TWO)
    x2 = asobject(x1)
    x3 = occurrences(I, x2)
    x4 = size(x3)
    x5 = repeat(ONE, x4)
    x6 = subtract(FIVE, x4)
    x7 = repeat(ZERO, x6)
    x8 = combine(x5, x7)
    O = repeat(x8, ONE)
    return O
