"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from 2 to 3."""

from arcbatt.library.vocabulary import *


# Cut out the upper left quarter of the figure.
def solve_2013d3e2(I):
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = tophalf(x3)
    O = lefthalf(x4)
    return O


# Give each green cell the colour of the nearer border line.
def solve_2204b7a8(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, THREE)
    x3 = frontiers(I)
    x4 = colorfilter(x3, ZERO)
    x5 = difference(x3, x4)
    x6 = lbind(lbind, manhattan)
    x7 = lbind(argmin, x5)
    x8 = chain(color, x7, x6)
    x9 = fork(recolor, x8, identity)
    x10 = mapply(x9, x2)
    O = paint(I, x10)
    return O


# Fill every row between cells of the same colour.
def solve_22168020(I):
    x1 = fgpartition(I)
    x2 = lbind(prapply, connect)
    x3 = fork(x2, toindices, toindices)
    x4 = rbind(mfilter, hline)
    x5 = compose(x4, x3)
    x6 = fork(recolor, color, x5)
    x7 = mapply(x6, x1)
    O = paint(I, x7)
    return O


# Put red where a marked row crosses a marked column.
def solve_2281f1f4(I):
    x1 = ofcolor(I, FIVE)
    x2 = apply(first, x1)
    x3 = apply(last, x1)
    x4 = remove(ZERO, x2)
    x5 = remove(NINE, x3)
    x6 = product(x4, x5)
    O = fill(I, TWO, x6)
    return O


# Move each shape into the hole of the same form.
def solve_228f6490(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = partition(I)
    x4 = product(x3, x2)
    x5 = compose(normalize, toindices)
    x6 = compose(x5, first)
    x7 = compose(x5, last)
    x8 = fork(equality, x6, x7)
    x9 = sfilter(x4, x8)
    x10 = mapply(first, x9)
    x11 = compose(color, first)
    x12 = fork(recolor, x11, last)
    x13 = mapply(x12, x9)
    x14 = fill(I, ZERO, x10)
    O = paint(x14, x13)
    return O


# Fill the rows whose two ends have the same colour.
def solve_22eb0ac0(I):
    x1 = vmirror(I)
    x2 = cellwise(I, x1, ZERO)
    x3 = fgpartition(x2)
    x4 = lbind(mapply, hfrontier)
    x5 = compose(x4, toindices)
    x6 = fork(recolor, color, x5)
    x7 = mapply(x6, x3)
    O = paint(I, x7)
    return O


# Draw row and column through both cells and mark the crossings red.
def solve_23581191(I):
    x1 = fgpartition(I)
    x2 = compose(vfrontier, ulcorner)
    x3 = compose(hfrontier, ulcorner)
    x4 = fork(combine, x2, x3)
    x5 = fork(recolor, color, x4)
    x6 = mapply(x5, x1)
    x7 = paint(I, x6)
    x8 = apply(x4, x1)
    x9 = first(x8)
    x10 = last(x8)
    x11 = intersection(x9, x10)
    O = fill(x7, TWO, x11)
    return O


# Tell whether the red squares are linked by cyan.
def solve_239be575(I):
    x1 = objects(I, F, T, T)
    x2 = rbind(colorcount, TWO)
    x3 = valmax(x1, x2)
    x4 = greater(x3, FOUR)
    x5 = branch(x4, EIGHT, ZERO)
    O = canvas(x5, UNITY)
    return O


# Cut out the smallest rectangle.
def solve_23b5c85d(I):
    x1 = fgpartition(I)
    x2 = argmin(x1, size)
    O = subgrid(x2, I)
    return O


# Join cyan cells that share a row or a column with green.
def solve_253bf280(I):
    x1 = ofcolor(I, EIGHT)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, hline, vline)
    x4 = mfilter(x2, x3)
    x5 = difference(x4, x1)
    O = fill(I, THREE, x5)
    return O


# Shoot a ray from the odd cell through the tip of its triangle.
def solve_25d487eb(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = first(x2)
    x4 = objects(I, F, T, T)
    x5 = first(x4)
    x6 = position(x2, x5)
    x7 = shoot(x3, x6)
    O = underfill(I, x1, x7)
    return O


# Turn rows of one colour gray and all others black.
def solve_25d8a9c8(I):
    x1 = fork(equality, maximum, minimum)
    x2 = lbind(multiply, FIVE)
    x3 = rbind(repeat, THREE)
    x4 = chain(x3, x2, x1)
    O = apply(x4, I)
    return O


# Move the shape down by one.
def solve_25ff71a9(I):
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    O = move(I, x2, DOWN)
    return O


# Colour the middle field and the four fields beside it.
def solve_272f95fa(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = extract(x2, x4)
    x6 = lbind(vmatching, x5)
    x7 = sfilter(x2, x6)
    x8 = lbind(hmatching, x5)
    x9 = sfilter(x2, x8)
    x10 = argmin(x7, uppermost)
    x11 = argmax(x7, lowermost)
    x12 = argmin(x9, leftmost)
    x13 = argmax(x9, rightmost)
    x14 = fill(I, SIX, x5)
    x15 = fill(x14, TWO, x10)
    x16 = fill(x15, ONE, x11)
    x17 = fill(x16, FOUR, x12)
    O = fill(x17, THREE, x13)
    return O


# Name the pattern by a colour.
def solve_27a28665(I):
    x1 = index(I, UNITY)
    x2 = index(I, ORIGIN)
    x3 = hmirror(I)
    x4 = equality(x3, I)
    x5 = branch(x4, SIX, THREE)
    x6 = branch(x2, TWO, x5)
    x7 = branch(x1, x6, ONE)
    O = canvas(x7, UNITY)
    return O


# Cut out the shape and put it twice side by side.
def solve_28bf18c6(I):
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    O = hconcat(x3, x3)
    return O


# Fill the fields with the most coloured cells and clear the others.
def solve_29623171(I):
    x1 = interval(ZERO, NINE, FOUR)
    x2 = product(x1, x1)
    x3 = canvas(ZERO, THREE_BY_THREE)
    x4 = asindices(x3)
    x5 = lbind(shift, x4)
    x6 = apply(x5, x2)
    x7 = palette(I)
    x8 = remove(FIVE, x7)
    x9 = other(x8, ZERO)
    x10 = ofcolor(I, x9)
    x11 = lbind(intersection, x10)
    x12 = compose(size, x11)
    x13 = valmax(x6, x12)
    x14 = matcher(x12, x13)
    x15 = mfilter(x6, x14)
    x16 = replace(I, x9, ZERO)
    O = fill(x16, x9, x15)
    return O


# Extend both ends of the row to the middle and put gray between them.
def solve_29c11459(I):
    x1 = objects(I, T, F, T)
    x2 = width(I)
    x3 = halve(x2)
    x4 = tojvec(x3)
    x5 = lbind(multiply, DOWN)
    x6 = lbind(add, x4)
    x7 = chain(x6, x5, ulcorner)
    x8 = fork(connect, ulcorner, x7)
    x9 = fork(recolor, color, x8)
    x10 = mapply(x9, x1)
    x11 = paint(I, x10)
    x12 = apply(x7, x1)
    O = fill(x11, FIVE, x12)
    return O


# Restore the holes in a table of products modulo the number of colours.
def solve_29ec7d0e(I):
    x1 = palette(I)
    x2 = maximum(x1)
    x3 = fork(multiply, first, last)
    x4 = rbind(divide, x2)
    x5 = lbind(multiply, x2)
    x6 = compose(x5, x4)
    x7 = fork(subtract, identity, x6)
    x8 = chain(increment, x7, x3)
    x9 = fork(astuple, x8, identity)
    x10 = asindices(I)
    x11 = apply(x9, x10)
    O = paint(I, x11)
    return O


# Reflect the shape across the red edge and make the ground green.
def solve_2bcee788(I):
    x1 = ofcolor(I, TWO)
    x2 = fgpartition(I)
    x3 = matcher(color, TWO)
    x4 = compose(flip, x3)
    x5 = extract(x2, x4)
    x6 = hmatching(x5, x1)
    x7 = branch(x6, vmirror, hmirror)
    x8 = x7(x5)
    x9 = position(x5, x1)
    x10 = branch(x6, RIGHT, DOWN)
    x11 = multiply(x9, x10)
    x12 = shape(x5)
    x13 = multiply(x11, x12)
    x14 = shift(x8, x13)
    x15 = replace(I, TWO, ZERO)
    x16 = replace(x15, ZERO, THREE)
    O = paint(x16, x14)
    return O


# Fill the inner rows and columns that are completely free with green.
def solve_2bee17df(I):
    x1 = trim(I)
    x2 = frontiers(x1)
    x3 = colorfilter(x2, ZERO)
    x4 = merge(x3)
    x5 = shift(x4, UNITY)
    O = fill(I, THREE, x5)
    return O


# Join the single cells to the rectangle where they face it.
def solve_2c608aff(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = remove(x2, x1)
    x4 = lbind(hmatching, x2)
    x5 = lbind(vmatching, x2)
    x6 = fork(either, x4, x5)
    x7 = sfilter(x3, x6)
    x8 = rbind(gravitate, x2)
    x9 = fork(add, ulcorner, x8)
    x10 = fork(connect, ulcorner, x9)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x7)
    O = paint(I, x12)
    return O


# Cut out the quarter that contains the odd cell.
def solve_2dc579da(I):
    x1 = vsplit(I, TWO)
    x2 = rbind(hsplit, TWO)
    x3 = mapply(x2, x1)
    O = argmax(x3, numcolors)
    return O


# Keep the first of three equal parts.
def solve_2dee498d(I):
    x1 = hsplit(I, THREE)
    O = first(x1)
    return O


# Keep only the cell of unique colour and frame it in red.
def solve_31aa019c(I):
    x1 = partition(I)
    x2 = sizefilter(x1, ONE)
    x3 = first(x2)
    x4 = outbox(x3)
    x5 = shape(I)
    x6 = canvas(ZERO, x5)
    x7 = paint(x6, x3)
    O = fill(x7, TWO, x4)
    return O


# Move the coloured pattern onto every cyan copy of its form.
def solve_321b1fc6(I):
    x1 = objects(I, F, F, T)
    x2 = colorfilter(x1, EIGHT)
    x3 = difference(x1, x2)
    x4 = first(x3)
    x5 = normalize(x4)
    x6 = lbind(shift, x5)
    x7 = compose(x6, ulcorner)
    x8 = mapply(x7, x2)
    x9 = cover(I, x4)
    O = paint(x9, x8)
    return O


# Turn the blue cells inside the cyan area green.
def solve_32597951(I):
    x1 = ofcolor(I, EIGHT)
    x2 = backdrop(x1)
    x3 = ofcolor(I, ONE)
    x4 = intersection(x2, x3)
    O = fill(I, THREE, x4)
    return O


# Mark in green the cells that differ between the two halves.
def solve_3428a4f5(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = lbind(papply, equality)
    x4 = papply(x3, x1, x2)
    x5 = replace(x4, ZERO, THREE)
    O = replace(x5, ONE, ZERO)
    return O


# Drop the blue cells by two rows.
def solve_3618c87e(I):
    x1 = ofcolor(I, ONE)
    x2 = shift(x1, TWO_BY_ZERO)
    x3 = fill(I, ZERO, x1)
    O = fill(x3, ONE, x2)
    return O


# Restore the covered parts of the mosaic from its symmetries.
def solve_3631a71a(I):
    x1 = replace(I, NINE, ZERO)
    x2 = dmirror(x1)
    x3 = asobject(x2)
    x4 = underpaint(x1, x3)
    x5 = shape(I)
    x6 = crop(x4, TWO_BY_TWO, x5)
    x7 = vmirror(x6)
    x8 = asobject(x7)
    x9 = shift(x8, TWO_BY_TWO)
    x10 = underpaint(x4, x9)
    x11 = crop(x10, TWO_BY_TWO, x5)
    x12 = hmirror(x11)
    x13 = asobject(x12)
    x14 = shift(x13, TWO_BY_TWO)
    O = underpaint(x10, x14)
    return O


# Stamp the pattern of the corner around every blue cell.
def solve_363442ee(I):
    x1 = crop(I, ORIGIN, THREE_BY_THREE)
    x2 = asobject(x1)
    x3 = ofcolor(I, ONE)
    x4 = lbind(shift, x2)
    x5 = compose(x4, decrement)
    x6 = mapply(x5, x3)
    O = paint(I, x6)
    return O


# Let the red bars rise until they meet blue.
def solve_3906de3d(I):
    x1 = dmirror(I)
    x2 = matcher(identity, ZERO)
    x3 = rbind(order, x2)
    x4 = apply(x3, x1)
    O = dmirror(x4)
    return O


# Show the shape that occurs most often.
def solve_39a8645d(I):
    x1 = objects(I, T, T, T)
    x2 = totuple(x1)
    x3 = apply(normalize, x2)
    x4 = mostcommon(x3)
    x5 = shape(x4)
    x6 = canvas(ZERO, x5)
    O = paint(x6, x4)
    return O


# Fill the missing corner of every angle with blue.
def solve_3aa6fb7a(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, ONE, x2)
    return O


# Continue each seed downward as a zigzag.
def solve_3ac3eb23(I):
    x1 = objects(I, T, F, T)
    x2 = compose(even, first)
    x3 = compose(flip, x2)
    x4 = rbind(sfilter, x2)
    x5 = rbind(sfilter, x3)
    x6 = chain(x4, vfrontier, ulcorner)
    x7 = compose(ineighbors, ulcorner)
    x8 = lbind(mapply, vfrontier)
    x9 = chain(x5, x8, x7)
    x10 = fork(combine, x6, x9)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x1)
    O = paint(I, x12)
    return O


# Mirror the grid to the right and then downward.
def solve_3af2c5a8(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hmirror(x2)
    O = vconcat(x2, x3)
    return O


# Draw a red diagonal from the lower left and a yellow bottom row.
def solve_3bd67248(I):
    x1 = asindices(I)
    x2 = llcorner(x1)
    x3 = add(x2, UP_RIGHT)
    x4 = shoot(x3, UP_RIGHT)
    x5 = fill(I, TWO, x4)
    x6 = add(x2, RIGHT)
    x7 = shoot(x6, RIGHT)
    O = fill(x5, FOUR, x7)
    return O


# Cut every other cell out of the middle row of each bar.
def solve_3bdb4ada(I):
    x1 = objects(I, T, F, T)
    x2 = chain(initset, first, center)
    x3 = compose(increment, leftmost)
    x4 = rbind(interval, TWO)
    x5 = fork(x4, x3, rightmost)
    x6 = fork(product, x2, x5)
    x7 = mapply(x6, x1)
    O = fill(I, ZERO, x7)
    return O


# Exchange the two colours of each square and let it grow four arms.
def solve_3befdf3e(I):
    x1 = leastcolor(I)
    x2 = palette(I)
    x3 = remove(ZERO, x2)
    x4 = other(x3, x1)
    x5 = switch(I, x1, x4)
    x6 = objects(I, F, F, T)
    x7 = chain(decrement, decrement, width)
    x8 = compose(toivec, x7)
    x9 = compose(tojvec, x7)
    x10 = fork(shift, toindices, x8)
    x11 = compose(invert, x8)
    x12 = fork(shift, toindices, x11)
    x13 = fork(shift, toindices, x9)
    x14 = compose(invert, x9)
    x15 = fork(shift, toindices, x14)
    x16 = fork(combine, x10, x12)
    x17 = fork(combine, x13, x15)
    x18 = fork(combine, x16, x17)
    x19 = mapply(x18, x6)
    O = underfill(x5, x4, x19)
    return O


# Rotate the grid by half a turn.
def solve_3c9b0459(I):
    O = rot180(I)
    return O


# Cut out the inside of the four corner marks in their colour.
def solve_3de23699(I):
    x1 = fgpartition(I)
    x2 = fork(equality, corners, toindices)
    x3 = extract(x1, x2)
    x4 = other(x1, x3)
    x5 = subgrid(x3, I)
    x6 = trim(x5)
    x7 = color(x4)
    x8 = color(x3)
    O = replace(x6, x7, x8)
    return O


# Cut out the part between the gray bars together with their end rows.
def solve_3f7978a0(I):
    x1 = ofcolor(I, FIVE)
    x2 = ulcorner(x1)
    x3 = add(x2, UP)
    x4 = shape(x1)
    x5 = add(x4, TWO_BY_ZERO)
    O = crop(I, x3, x5)
    return O
