"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, first third of the ids."""

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
    x4 = invert(NINE)
    x5 = interval(x4, TEN, THREE)
    x6 = apply(tojvec, x5)
    x7 = interval(x4, TEN, ONE)
    x8 = lbind(multiply, UP_RIGHT)
    x9 = apply(x8, x7)
    x10 = prapply(add, x6, x9)
    x11 = lbind(shift, x3)
    x12 = mapply(x11, x10)
    O = paint(I, x12)
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
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = initset(hmirror)
    x4 = insert(vmirror, x3)
    x5 = insert(cmirror, x4)
    x6 = rapply(x5, x2)
    x7 = merge(x6)
    O = paint(I, x7)
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
    x1 = objects(I, T, F, T)
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
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = sizefilter(x2, FOUR)
    x4 = size(x3)
    x5 = repeat(ONE, x4)
    x6 = subtract(FIVE, x4)
    x7 = repeat(ZERO, x6)
    x8 = combine(x5, x7)
    O = repeat(x8, ONE)
    return O


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
    x3 = difference(x1, x2)
    x4 = colorfilter(x3, FIVE)
    x5 = difference(x3, x4)
    x6 = product(x5, x2)
    x7 = compose(normalize, toindices)
    x8 = compose(x7, first)
    x9 = compose(x7, last)
    x10 = fork(equality, x8, x9)
    x11 = sfilter(x6, x10)
    x12 = mapply(first, x11)
    x13 = compose(color, first)
    x14 = fork(recolor, x13, last)
    x15 = mapply(x14, x11)
    x16 = fill(I, ZERO, x12)
    O = paint(x16, x15)
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
    x1 = compose(size, dedupe)
    x2 = matcher(x1, ONE)
    x3 = lbind(multiply, FIVE)
    x4 = rbind(repeat, THREE)
    x5 = chain(x4, x3, x2)
    O = apply(x5, I)
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
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = ulcorner(x2)
    x4 = width(I)
    x5 = halve(x4)
    x6 = tojvec(x5)
    x7 = add(x3, x6)
    x8 = rbind(connect, x7)
    x9 = compose(x8, ulcorner)
    x10 = fork(recolor, color, x9)
    x11 = mapply(x10, x1)
    x12 = paint(I, x11)
    x13 = initset(x7)
    O = fill(x12, FIVE, x13)
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


# Turn the grid upside down by half a turn.
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


# Join the two cells of each colour, vertical lines on top.
def solve_40853293(I):
    x1 = fgpartition(I)
    x2 = fork(recolor, color, backdrop)
    x3 = apply(x2, x1)
    x4 = mfilter(x3, hline)
    x5 = mfilter(x3, vline)
    x6 = paint(I, x4)
    O = paint(x6, x5)
    return O


# Let the loose cells fall onto the gray bar from both sides in gray.
def solve_4093f84a(I):
    x1 = frontiers(I)
    x2 = colorfilter(x1, FIVE)
    x3 = first(x2)
    x4 = vline(x3)
    x5 = branch(x4, identity, dmirror)
    x6 = palette(I)
    x7 = remove(FIVE, x6)
    x8 = other(x7, ZERO)
    x9 = replace(I, x8, FIVE)
    x10 = x5(x9)
    x11 = lefthalf(x10)
    x12 = righthalf(x10)
    x13 = rbind(order, identity)
    x14 = rbind(order, invert)
    x15 = apply(x13, x11)
    x16 = apply(x14, x12)
    x17 = hconcat(x15, x16)
    O = x5(x17)
    return O


# Draw magenta lines through the centre of each square, behind it.
def solve_41e4d17e(I):
    x1 = objects(I, T, F, T)
    x2 = compose(vfrontier, center)
    x3 = compose(hfrontier, center)
    x4 = fork(combine, x2, x3)
    x5 = mapply(x4, x1)
    O = underfill(I, SIX, x5)
    return O


# Surround every gray cell with blue.
def solve_4258a5f9(I):
    x1 = ofcolor(I, FIVE)
    x2 = mapply(neighbors, x1)
    O = fill(I, ONE, x2)
    return O


# Delete the isolated cells.
def solve_42a50994(I):
    x1 = objects(I, T, T, T)
    x2 = sizefilter(x1, ONE)
    x3 = merge(x2)
    O = cover(I, x3)
    return O


# Hollow out the rectangles.
def solve_4347f46a(I):
    x1 = objects(I, T, F, T)
    x2 = fork(difference, toindices, box)
    x3 = mapply(x2, x1)
    O = fill(I, ZERO, x3)
    return O


# Fill each vessel with its colour up to the row above the opening.
def solve_444801d8(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = rbind(toobject, I)
    x4 = compose(x3, delta)
    x5 = chain(maximum, palette, x4)
    x6 = lbind(add, UP)
    x7 = compose(x6, ulcorner)
    x8 = compose(x6, urcorner)
    x9 = fork(connect, x7, x8)
    x10 = fork(combine, delta, x9)
    x11 = fork(recolor, x5, x10)
    x12 = mapply(x11, x2)
    O = paint(I, x12)
    return O


# Show the colour of the larger frame.
def solve_445eab21(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = color(x2)
    O = canvas(x3, TWO_BY_TWO)
    return O


# Fill the square holes of the gray shapes with red.
def solve_44d8ac46(I):
    x1 = objects(I, T, F, T)
    x2 = apply(delta, x1)
    x3 = mfilter(x2, square)
    O = fill(I, TWO, x3)
    return O


# Tell whether the grid is symmetric left to right.
def solve_44f52bb0(I):
    x1 = vmirror(I)
    x2 = equality(x1, I)
    x3 = branch(x2, ONE, SEVEN)
    O = canvas(x3, UNITY)
    return O


# Put the four rotations of the grid together.
def solve_46442a0e(I):
    x1 = rot90(I)
    x2 = rot270(I)
    x3 = rot180(I)
    x4 = hconcat(I, x1)
    x5 = hconcat(x2, x3)
    O = vconcat(x4, x5)
    return O


# Enlarge by the number of colours less one and draw red diagonals from the square.
def solve_469497ad(I):
    x1 = numcolors(I)
    x2 = decrement(x1)
    x3 = upscale(I, x2)
    x4 = objects(x3, T, F, T)
    x5 = sfilter(x4, square)
    x6 = argmax(x5, size)
    x7 = ulcorner(x6)
    x8 = urcorner(x6)
    x9 = llcorner(x6)
    x10 = lrcorner(x6)
    x11 = shoot(x7, NEG_UNITY)
    x12 = shoot(x8, UP_RIGHT)
    x13 = shoot(x9, DOWN_LEFT)
    x14 = shoot(x10, UNITY)
    x15 = combine(x11, x12)
    x16 = combine(x13, x14)
    x17 = combine(x15, x16)
    O = underfill(x3, TWO, x17)
    return O


# Mirror the first quarter in both directions in the colour of the cross.
def solve_47c1f68c(I):
    x1 = frontiers(I)
    x2 = first(x1)
    x3 = color(x2)
    x4 = tophalf(I)
    x5 = lefthalf(x4)
    x6 = palette(x5)
    x7 = other(x6, ZERO)
    x8 = replace(x5, x7, x3)
    x9 = vmirror(x8)
    x10 = hconcat(x8, x9)
    x11 = hmirror(x10)
    O = vconcat(x10, x11)
    return O


# Cut out the shape below the gray cell.
def solve_48d8fb45(I):
    x1 = objects(I, T, T, T)
    x2 = colorfilter(x1, FIVE)
    x3 = first(x2)
    x4 = lbind(adjacent, x3)
    x5 = extract(x1, x4)
    O = subgrid(x5, I)
    return O


# Mirror the red shape about the green square in both directions.
def solve_4938f0c2(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = ofcolor(I, THREE)
    x4 = ulcorner(x3)
    x5 = matcher(first, THREE)
    x6 = rbind(sfilter, x5)
    x7 = lbind(subtract, x4)
    x8 = chain(x7, ulcorner, x6)
    x9 = fork(shift, identity, x8)
    x10 = compose(hmirror, vmirror)
    x11 = astuple(hmirror, vmirror)
    x12 = initset(x10)
    x13 = combine(x11, x12)
    x14 = rapply(x13, x2)
    x15 = mapply(x9, x14)
    O = paint(I, x15)
    return O


# Mirror the upper half downward.
def solve_496994bd(I):
    x1 = tophalf(I)
    x2 = hmirror(x1)
    O = vconcat(x1, x2)
    return O


# Repeat the border cells outward and leave the new corners black.
def solve_49d1d64f(I):
    x1 = asobject(I)
    x2 = shape(I)
    x3 = add(x2, TWO)
    x4 = canvas(ZERO, x3)
    x5 = lbind(shift, x1)
    x6 = dneighbors(UNITY)
    x7 = mapply(x5, x6)
    x8 = paint(x4, x7)
    x9 = x5(UNITY)
    O = paint(x8, x9)
    return O


# List the colours of the stripes in their order.
def solve_4be741c5(I):
    x1 = first(I)
    x2 = dedupe(x1)
    x3 = repeat(x2, ONE)
    x4 = dmirror(I)
    x5 = first(x4)
    x6 = dedupe(x5)
    x7 = repeat(x6, ONE)
    x8 = dmirror(x7)
    x9 = size(x2)
    x10 = greater(x9, ONE)
    O = branch(x10, x3, x8)
    return O


# Put the mirrored grid above the grid.
def solve_4c4377d9(I):
    x1 = hmirror(I)
    O = vconcat(x1, I)
    return O


# Mirror the shape about the centre of the cross in all directions.
def solve_4c5c2cf0(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = fork(equality, identity, vmirror)
    x4 = extract(x1, x3)
    x5 = ulcorner(x4)
    x6 = color(x4)
    x7 = matcher(first, x6)
    x8 = rbind(sfilter, x7)
    x9 = lbind(subtract, x5)
    x10 = chain(x9, ulcorner, x8)
    x11 = fork(shift, identity, x10)
    x12 = vmirror(x2)
    x13 = x11(x12)
    x14 = combine(x2, x13)
    x15 = hmirror(x14)
    x16 = x11(x15)
    x17 = combine(x14, x16)
    O = paint(I, x17)
    return O


# Fill the inside of the rectangles with cyan.
def solve_50cb2852(I):
    x1 = objects(I, T, F, T)
    x2 = compose(backdrop, inbox)
    x3 = mapply(x2, x1)
    O = fill(I, EIGHT, x3)
    return O


# Cut out the shape with the cyan cell in its own colour.
def solve_5117e062(I):
    x1 = objects(I, F, T, T)
    x2 = lbind(contained, EIGHT)
    x3 = compose(x2, palette)
    x4 = extract(x1, x3)
    x5 = subgrid(x4, I)
    x6 = mostcolor(x4)
    O = replace(x5, EIGHT, x6)
    return O


# Move the red frame on to the next green dot.
def solve_5168d44c(I):
    x1 = ofcolor(I, THREE)
    x2 = portrait(x1)
    x3 = branch(x2, TWO_BY_ZERO, ZERO_BY_TWO)
    x4 = ofcolor(I, TWO)
    x5 = shift(x4, x3)
    x6 = fill(I, ZERO, x4)
    O = fill(x6, TWO, x5)
    return O


# Outline the shapes in green and fill their holes with yellow.
def solve_543a7ed5(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(outbox, x1)
    x3 = mapply(delta, x1)
    x4 = fill(I, THREE, x2)
    O = fill(x4, FOUR, x3)
    return O


# Mark the middle of each shape in the bottom row.
def solve_54d82841(I):
    x1 = objects(I, T, T, T)
    x2 = totuple(x1)
    x3 = compose(last, center)
    x4 = apply(x3, x2)
    x5 = height(I)
    x6 = decrement(x5)
    x7 = size(x2)
    x8 = repeat(x6, x7)
    x9 = pair(x8, x4)
    O = fill(I, FOUR, x9)
    return O


# Fill each field with the colour of its dot plus five.
def solve_54d9e175(I):
    x1 = objects(I, T, F, F)
    x2 = sizefilter(x1, ONE)
    x3 = lbind(add, FIVE)
    x4 = compose(x3, color)
    x5 = compose(backdrop, outbox)
    x6 = fork(recolor, x4, x5)
    x7 = mapply(x6, x2)
    O = paint(I, x7)
    return O


# Lift every rectangle by its own height.
def solve_5521c0d9(I):
    x1 = objects(I, T, F, T)
    x2 = chain(toivec, invert, height)
    x3 = fork(shift, identity, x2)
    x4 = mapply(x3, x1)
    x5 = merge(x1)
    x6 = cover(I, x5)
    O = paint(x6, x4)
    return O


# Fill the grid with its most common colour.
def solve_5582e5ca(I):
    x1 = merge(I)
    x2 = mostcommon(x1)
    x3 = shape(I)
    O = canvas(x2, x3)
    return O


# Reduce every 3x3 block to its main colour.
def solve_5614dbcf(I):
    x1 = vsplit(I, THREE)
    x2 = rbind(hsplit, THREE)
    x3 = lbind(apply, mostcolor)
    x4 = compose(x3, x2)
    O = apply(x4, x1)
    return O


# Push the green shape against the red line and close it off with cyan.
def solve_56dc2b01(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, THREE)
    x3 = recolor(THREE, x2)
    x4 = gravitate(x2, x1)
    x5 = move(I, x3, x4)
    x6 = sign(x4)
    x7 = shape(x2)
    x8 = increment(x7)
    x9 = multiply(x6, x8)
    x10 = invert(x9)
    x11 = shift(x1, x10)
    O = fill(x5, EIGHT, x11)
    return O


# Span a rectangle between the two cells of each colour.
def solve_56ff96f3(I):
    x1 = fgpartition(I)
    x2 = fork(recolor, color, backdrop)
    x3 = mapply(x2, x1)
    O = paint(I, x3)
    return O
