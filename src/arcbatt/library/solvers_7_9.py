"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from 7 to 9."""

from arcbatt.library.vocabulary import *


# Cut out the object that is its own left-right mirror image.
def solve_72ca375d(I):
    x1 = objects(I, T, T, T)
    x2 = fork(equality, vmirror, identity)
    x3 = extract(x1, x2)
    O = subgrid(x3, I)
    return O


# Fill every third field of the zigzag.
def solve_7447852a(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = width(I)
    x4 = increment(x3)
    x5 = interval(ZERO, x4, SIX)
    x6 = rbind(contained, x5)
    x7 = chain(x6, crement, leftmost)
    x8 = mfilter(x2, x7)
    O = fill(I, FOUR, x8)
    return O


# Cut out the figure and mirror it left to right.
def solve_7468f01a(I):
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    O = vmirror(x3)
    return O


# Reduce every stripe to one cell.
def solve_746b3537(I):
    x1 = objects(I, T, F, F)
    x2 = order(x1, ulcorner)
    x3 = apply(color, x2)
    x4 = repeat(x3, ONE)
    x5 = first(x2)
    x6 = width(x5)
    x7 = width(I)
    x8 = equality(x6, x7)
    x9 = branch(x8, dmirror, identity)
    O = x9(x4)
    return O


# Transpose the grid.
def solve_74dd1130(I):
    O = dmirror(I)
    return O


# Lay the four quarters over each other, in a fixed priority.
def solve_75b8110e(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = tophalf(x1)
    x4 = bottomhalf(x2)
    x5 = ofcolor(x4, NINE)
    x6 = fill(x3, NINE, x5)
    x7 = bottomhalf(x1)
    x8 = ofcolor(x7, SIX)
    x9 = fill(x6, SIX, x8)
    x10 = tophalf(x2)
    x11 = ofcolor(x10, FIVE)
    O = fill(x9, FIVE, x11)
    return O


# Mirror the cyan figure to the side the yellow hand points to.
def solve_760b3cac(I):
    x1 = ofcolor(I, EIGHT)
    x2 = vmirror(x1)
    x3 = index(I, THREE_BY_THREE)
    x4 = equality(x3, FOUR)
    x5 = branch(x4, LEFT, RIGHT)
    x6 = multiply(x5, THREE)
    x7 = shift(x2, x6)
    O = fill(I, EIGHT, x7)
    return O


# Colour the quarters of the inner figure by the four corner cells.
def solve_77fdfe62(I):
    x1 = height(I)
    x2 = decrement(x1)
    x3 = downscale(I, x2)
    x4 = power(trim, TWO)
    x5 = x4(I)
    x6 = width(x5)
    x7 = halve(x6)
    x8 = upscale(x3, x7)
    x9 = ofcolor(x5, ZERO)
    O = fill(x8, ZERO, x9)
    return O


# Count the blue cells by a fixed sequence of red cells.
def solve_794b24be(I):
    x1 = colorcount(I, ONE)
    x2 = decrement(x1)
    x3 = astuple(x2, TWO)
    x4 = minimum(x3)
    x5 = tojvec(x4)
    x6 = connect(ORIGIN, x5)
    x7 = insert(UNITY, x6)
    x8 = greater(x1, THREE)
    x9 = branch(x8, x7, x6)
    x10 = canvas(ZERO, THREE_BY_THREE)
    O = fill(x10, TWO, x9)
    return O


# Keep the first half along the longer side.
def solve_7b7f7511(I):
    x1 = portrait(I)
    x2 = branch(x1, tophalf, lefthalf)
    O = x2(I)
    return O


# Colour the four quarters of the green figure by the two by two legend.
def solve_7c008303(I):
    x1 = compress(I)
    x2 = ofcolor(x1, ZERO)
    x3 = ofcolor(x1, THREE)
    x4 = combine(x2, x3)
    x5 = asindices(x1)
    x6 = difference(x5, x4)
    x7 = subgrid(x6, x1)
    x8 = upscale(x7, THREE)
    x9 = ulcorner(x6)
    x10 = divide(x9, THREE)
    x11 = subtract(TWO, x10)
    x12 = shape(x8)
    x13 = crop(x1, x11, x12)
    x14 = ofcolor(x13, ZERO)
    O = fill(x8, ZERO, x14)
    return O


# Extend the tails of the square to the border.
def solve_7ddcd7ec(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = sizefilter(x1, ONE)
    x4 = lbind(position, x2)
    x5 = fork(shoot, ulcorner, x4)
    x6 = mapply(x5, x3)
    x7 = color(x2)
    O = fill(I, x7, x6)
    return O


# Remove what is no part of a two by two block.
def solve_7f4411dc(I):
    x1 = leastcolor(I)
    x2 = canvas(x1, TWO_BY_TWO)
    x3 = asobject(x2)
    x4 = occurrences(I, x3)
    x5 = lbind(shift, x3)
    x6 = mapply(x5, x4)
    x7 = shape(I)
    x8 = canvas(ZERO, x7)
    O = paint(x8, x6)
    return O


# Surround a corner with the four rotations of the grid.
def solve_7fe24cdd(I):
    x1 = rot90(I)
    x2 = rot180(I)
    x3 = rot270(I)
    x4 = hconcat(I, x1)
    x5 = hconcat(x3, x2)
    O = vconcat(x4, x5)
    return O


# Shrink the figure and repeat it in the places given by its own cells.
def solve_80af3007(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = subgrid(x2, I)
    x4 = downscale(x3, THREE)
    x5 = hconcat(x4, x4)
    x6 = hconcat(x5, x4)
    x7 = vconcat(x6, x6)
    x8 = vconcat(x7, x6)
    O = cellwise(x3, x8, ZERO)
    return O


# Turn the closed rings green.
def solve_810b9b61(I):
    x1 = objects(I, T, F, T)
    x2 = fork(equality, toindices, box)
    x3 = chain(positive, size, delta)
    x4 = fork(both, x2, x3)
    x5 = mfilter(x1, x4)
    O = fill(I, THREE, x5)
    return O


# Continue the short rows in the pattern of the full row, in their own colours.
def solve_82819916(I):
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, size)
    x3 = remove(x2, x1)
    x4 = ulcorner(x2)
    x5 = index(I, x4)
    x6 = matcher(first, x5)
    x7 = sfilter(x2, x6)
    x8 = difference(x2, x7)
    x9 = rbind(subtract, x4)
    x10 = compose(x9, ulcorner)
    x11 = lbind(index, I)
    x12 = compose(x11, ulcorner)
    x13 = fork(other, palette, x12)
    x14 = lbind(shift, x7)
    x15 = compose(x14, x10)
    x16 = fork(recolor, x12, x15)
    x17 = lbind(shift, x8)
    x18 = compose(x17, x10)
    x19 = fork(recolor, x13, x18)
    x20 = fork(combine, x16, x19)
    x21 = mapply(x20, x3)
    O = paint(I, x21)
    return O


# Drop the cell by one row and draw every second column above it.
def solve_834ec97d(I):
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = ulcorner(x2)
    x4 = last(x3)
    x5 = hfrontier(x3)
    x6 = rbind(subtract, x4)
    x7 = chain(even, x6, last)
    x8 = sfilter(x5, x7)
    x9 = rbind(shoot, UP)
    x10 = mapply(x9, x8)
    x11 = fill(I, FOUR, x10)
    x12 = shift(x2, DOWN)
    O = paint(x11, x12)
    return O


# Draw every second column from the cell on, with grey stops in turn at both ends.
def solve_8403a5d5(I):
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = leftmost(x2)
    x4 = color(x2)
    x5 = width(I)
    x6 = interval(x3, x5, TWO)
    x7 = apply(tojvec, x6)
    x8 = mapply(vfrontier, x7)
    x9 = fill(I, x4, x8)
    x10 = increment(x3)
    x11 = interval(x10, x5, FOUR)
    x12 = apply(tojvec, x11)
    x13 = fill(x9, FIVE, x12)
    x14 = add(x3, THREE)
    x15 = interval(x14, x5, FOUR)
    x16 = height(I)
    x17 = decrement(x16)
    x18 = lbind(astuple, x17)
    x19 = apply(x18, x15)
    O = fill(x13, FIVE, x19)
    return O


# Every hole becomes a line across its band.
def solve_855e0971(I):
    x1 = objects(I, T, F, F)
    x2 = rbind(greater, ONE)
    x3 = compose(x2, size)
    x4 = sfilter(x1, x3)
    x5 = first(x4)
    x6 = width(x5)
    x7 = width(I)
    x8 = equality(x6, x7)
    x9 = branch(x8, vfrontier, hfrontier)
    x10 = lbind(mapply, x9)
    x11 = compose(x10, delta)
    x12 = fork(intersection, x11, backdrop)
    x13 = mapply(x12, x4)
    O = fill(I, ZERO, x13)
    return O


# Reverse the colours of the nested rings.
def solve_85c4e7cd(I):
    x1 = partition(I)
    x2 = order(x1, size)
    x3 = apply(color, x2)
    x4 = compose(invert, size)
    x5 = order(x1, x4)
    x6 = mpapply(recolor, x3, x5)
    O = paint(I, x6)
    return O


# Copy the figure onto the grey cell.
def solve_88a10436(I):
    x1 = objects(I, F, T, T)
    x2 = ofcolor(I, FIVE)
    x3 = argmax(x1, size)
    x4 = center(x3)
    x5 = ulcorner(x2)
    x6 = subtract(x5, x4)
    x7 = shift(x3, x6)
    O = paint(I, x7)
    return O


# Keep the tile that differs from the other three.
def solve_88a62173(I):
    x1 = hsplit(I, TWO)
    x2 = rbind(vsplit, TWO)
    x3 = mapply(x2, x1)
    O = leastcommon(x3)
    return O


# Reflect the grid downward.
def solve_8be77c9e(I):
    x1 = hmirror(I)
    O = vconcat(I, x1)
    return O


# Mirror to the left, then stack mirrored, plain and mirrored copies.
def solve_8d5021e8(I):
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    x3 = hmirror(x2)
    x4 = vconcat(x3, x2)
    O = vconcat(x4, x3)
    return O


# Red cells run to the grey bar, blue cells run away from it.
def solve_8d510a79(I):
    x1 = ofcolor(I, FIVE)
    x2 = uppermost(x1)
    x3 = ofcolor(I, ONE)
    x4 = rbind(subtract, x2)
    x5 = compose(x4, first)
    x6 = chain(toivec, sign, x5)
    x7 = fork(shoot, identity, x6)
    x8 = mapply(x7, x3)
    x9 = fill(I, ONE, x8)
    x10 = ofcolor(I, TWO)
    x11 = lbind(astuple, x2)
    x12 = compose(x11, last)
    x13 = fork(connect, identity, x12)
    x14 = mapply(x13, x10)
    x15 = fill(x9, TWO, x14)
    O = fill(x15, FIVE, x1)
    return O


# List the coloured lines in order, in the size of the grey square.
def solve_8e1813be(I):
    x1 = fgpartition(I)
    x2 = extract(x1, square)
    x3 = remove(x2, x1)
    x4 = first(x3)
    x5 = portrait(x4)
    x6 = branch(x5, leftmost, uppermost)
    x7 = order(x3, x6)
    x8 = apply(color, x7)
    x9 = width(x2)
    x10 = repeat(x8, x9)
    x11 = branch(x5, identity, dmirror)
    O = x11(x10)
    return O


# Fill the two empty panels with the first panel, turned a quarter and a half.
def solve_8e5a5113(I):
    x1 = hsplit(I, THREE)
    x2 = first(x1)
    x3 = rot90(x2)
    x4 = asobject(x3)
    x5 = tojvec(FOUR)
    x6 = shift(x4, x5)
    x7 = paint(I, x6)
    x8 = rot180(x2)
    x9 = asobject(x8)
    x10 = double(x5)
    x11 = shift(x9, x10)
    O = paint(x7, x11)
    return O


# Repeat the band up and down over the whole grid.
def solve_8eb1be9a(I):
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = height(x2)
    x4 = lbind(multiply, x3)
    x5 = lbind(shift, x2)
    x6 = chain(x5, toivec, x4)
    x7 = invert(TEN)
    x8 = interval(x7, TEN, ONE)
    x9 = mapply(x6, x8)
    O = paint(I, x9)
    return O


# Cut out the rectangle with the most red cells.
def solve_8efcae92(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ONE)
    x3 = rbind(toobject, I)
    x4 = rbind(colorcount, TWO)
    x5 = chain(x4, x3, backdrop)
    x6 = argmax(x2, x5)
    O = subgrid(x6, I)
    return O


# Repeat the figure in the places given by its own cells.
def solve_8f2ea7aa(I):
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = hconcat(x3, x3)
    x5 = hconcat(x4, x3)
    x6 = vconcat(x5, x5)
    x7 = vconcat(x6, x5)
    x8 = upscale(x3, THREE)
    x9 = ofcolor(x8, ZERO)
    O = fill(x7, ZERO, x9)
    return O


# Reduce every field of the patchwork to a cell.
def solve_90c28cc7(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = dedupe(x3)
    x5 = cmirror(x4)
    x6 = dedupe(x5)
    O = cmirror(x6)
    return O


# Put a ring around every cell, coloured by the cell.
def solve_913fb3ed(I):
    x1 = ofcolor(I, THREE)
    x2 = mapply(neighbors, x1)
    x3 = fill(I, SIX, x2)
    x4 = ofcolor(I, EIGHT)
    x5 = mapply(neighbors, x4)
    x6 = fill(x3, FOUR, x5)
    x7 = ofcolor(I, TWO)
    x8 = mapply(neighbors, x7)
    O = fill(x6, ONE, x8)
    return O


# Lay out as many copies as the tile has coloured cells, in rows as long as it has empty cells.
def solve_91413438(I):
    x1 = colorcount(I, ZERO)
    x2 = subtract(NINE, x1)
    x3 = interval(ZERO, x2, ONE)
    x4 = rbind(divide, x1)
    x5 = lbind(multiply, x1)
    x6 = compose(x5, x4)
    x7 = fork(subtract, identity, x6)
    x8 = fork(astuple, x4, x7)
    x9 = lbind(multiply, THREE)
    x10 = asobject(I)
    x11 = lbind(shift, x10)
    x12 = chain(x11, x9, x8)
    x13 = mapply(x12, x3)
    x14 = multiply(x1, THREE_BY_THREE)
    x15 = canvas(ZERO, x14)
    O = paint(x15, x13)
    return O


# Keep the largest rectangle, without the noise that touches it.
def solve_91714a58(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = shape(I)
    x4 = canvas(ZERO, x3)
    x5 = paint(x4, x2)
    x6 = color(x2)
    x7 = canvas(x6, TWO_BY_TWO)
    x8 = asobject(x7)
    x9 = occurrences(x5, x8)
    x10 = lbind(shift, x8)
    x11 = mapply(x10, x9)
    O = paint(x4, x11)
    return O


# Blow every cell up to three by three.
def solve_9172f3a0(I):
    x1 = hupscale(I, THREE)
    O = vupscale(x1, THREE)
    return O


# Draw a frame in the colour of the ring just inside the grey cells.
def solve_928ad970(I):
    x1 = ofcolor(I, FIVE)
    x2 = inbox(x1)
    x3 = replace(I, FIVE, ZERO)
    x4 = leastcolor(x3)
    O = fill(I, x4, x2)
    return O


# Every cell of the square throws an enlarged copy past the opposite corner.
def solve_93b581b8(I):
    x1 = objects(I, T, F, T)
    x2 = merge(x1)
    x3 = ulcorner(x2)
    x4 = lrcorner(x2)
    x5 = add(x3, x4)
    x6 = compose(double, ulcorner)
    x7 = lbind(subtract, x5)
    x8 = lbind(multiply, FIVE)
    x9 = chain(x8, x7, x6)
    x10 = chain(halve, decrement, x9)
    x11 = rbind(upscale, TWO)
    x12 = fork(shift, x11, x10)
    x13 = mapply(x12, x1)
    O = paint(I, x13)
    return O


# Fill the upper left, the central and the lower right field of the lattice.
def solve_941d9a10(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = argmin(x2, ulcorner)
    x4 = argmax(x2, lrcorner)
    x5 = astuple(FIVE, FIVE)
    x6 = astuple(ZERO, x5)
    x7 = lbind(contained, x6)
    x8 = extract(x2, x7)
    x9 = fill(I, ONE, x3)
    x10 = fill(x9, TWO, x8)
    O = fill(x10, THREE, x4)
    return O


# Mark the cells that are empty in both halves, by comparing them cell by cell.
def solve_94f9d214(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = cellwise(x1, x2, TWO)
    O = switch(x3, ZERO, TWO)
    return O


# The cells in the inner corners of the frame leave it at the opposite outer corners.
def solve_952a094c(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = sizefilter(x1, ONE)
    x4 = ulcorner(x2)
    x5 = lrcorner(x2)
    x6 = add(x4, x5)
    x7 = compose(double, ulcorner)
    x8 = lbind(subtract, x6)
    x9 = power(crement, TWO)
    x10 = chain(x9, x8, x7)
    x11 = fork(shift, identity, x10)
    x12 = mapply(x11, x3)
    x13 = merge(x3)
    x14 = cover(I, x13)
    O = paint(x14, x12)
    return O


# Turn every colour but the most common one to grey.
def solve_9565186b(I):
    x1 = mostcolor(I)
    x2 = ofcolor(I, x1)
    x3 = shape(I)
    x4 = canvas(FIVE, x3)
    O = fill(x4, x1, x2)
    return O


# Number the four corners around every square.
def solve_95990924(I):
    x1 = objects(I, T, F, T)
    x2 = apply(outbox, x1)
    x3 = apply(ulcorner, x2)
    x4 = apply(urcorner, x2)
    x5 = apply(llcorner, x2)
    x6 = apply(lrcorner, x2)
    x7 = fill(I, ONE, x3)
    x8 = fill(x7, TWO, x4)
    x9 = fill(x8, THREE, x5)
    O = fill(x9, FOUR, x6)
    return O


# Continue the ribbon to twice its length.
def solve_963e52fc(I):
    x1 = asobject(I)
    x2 = hperiod(x1)
    x3 = shape(I)
    x4 = width(I)
    x5 = tojvec(x4)
    x6 = add(x3, x5)
    x7 = canvas(ZERO, x6)
    x8 = add(x4, x2)
    x9 = interval(ZERO, x8, x2)
    x10 = lbind(shift, x1)
    x11 = compose(x10, tojvec)
    x12 = mapply(x11, x9)
    O = paint(x7, x12)
    return O


# Every cell sends a dashed line to the right.
def solve_97999447(I):
    x1 = objects(I, T, F, T)
    x2 = rbind(shoot, RIGHT)
    x3 = compose(x2, ulcorner)
    x4 = fork(recolor, color, x3)
    x5 = mapply(x4, x1)
    x6 = paint(I, x5)
    x7 = width(I)
    x8 = interval(ONE, x7, TWO)
    x9 = apply(tojvec, x8)
    x10 = apply(ulcorner, x1)
    x11 = prapply(add, x10, x9)
    O = fill(x6, FIVE, x11)
    return O


# The rectangle with a handle loses it and moves up to the other one.
def solve_98cf29f8(I):
    x1 = objects(I, T, F, T)
    x2 = compose(size, delta)
    x3 = argmax(x1, x2)
    x4 = argmin(x1, x2)
    x5 = color(x3)
    x6 = canvas(x5, TWO_BY_TWO)
    x7 = asobject(x6)
    x8 = occurrences(I, x7)
    x9 = lbind(shift, x7)
    x10 = mapply(x9, x8)
    x11 = gravitate(x10, x4)
    x12 = shift(x10, x11)
    x13 = cover(I, x3)
    O = paint(x13, x12)
    return O


# Name the pattern of each of the three squares by a row of its colour.
def solve_995c5fa3(I):
    x1 = hsplit(I, THREE)
    x2 = rbind(index, DOWN)
    x3 = matcher(x2, ZERO)
    x4 = rbind(index, UNITY)
    x5 = matcher(x4, ZERO)
    x6 = rbind(index, TWO_BY_TWO)
    x7 = matcher(x6, ZERO)
    x8 = fork(subtract, x7, x5)
    x9 = compose(double, x8)
    x10 = rbind(multiply, SIX)
    x11 = compose(x10, x5)
    x12 = fork(add, x3, x9)
    x13 = fork(add, x11, x12)
    x14 = rbind(add, TWO)
    x15 = compose(x14, x13)
    x16 = apply(x15, x1)
    x17 = repeat(x16, THREE)
    O = dmirror(x17)
    return O


# Mark the cells that are set in exactly one half.
def solve_99b1bc43(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = replace(x2, TWO, ONE)
    x4 = cellwise(x1, x3, THREE)
    O = replace(x4, ONE, ZERO)
    return O


# Every cell runs to the right border and down along it until the next one.
def solve_99fa7670(I):
    x1 = objects(I, T, F, T)
    x2 = order(x1, uppermost)
    x3 = rbind(shoot, RIGHT)
    x4 = compose(x3, ulcorner)
    x5 = width(I)
    x6 = decrement(x5)
    x7 = rbind(astuple, x6)
    x8 = rbind(shoot, DOWN)
    x9 = chain(x8, x7, uppermost)
    x10 = fork(combine, x4, x9)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x2)
    O = paint(I, x12)
    return O


# Draw the histogram of the colours, largest first.
def solve_9af7a82c(I):
    x1 = partition(I)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = valmax(x1, size)
    x5 = fork(repeat, color, size)
    x6 = lbind(subtract, x4)
    x7 = lbind(repeat, ZERO)
    x8 = chain(x7, x6, size)
    x9 = fork(combine, x5, x8)
    x10 = apply(x9, x3)
    O = dmirror(x10)
    return O


# Transpose the grid.
def solve_9dfd6313(I):
    O = dmirror(I)
    return O


# Restore the blanked patch from the mirror image.
def solve_9ecd008a(I):
    x1 = vmirror(I)
    x2 = ofcolor(I, ZERO)
    O = subgrid(x2, x1)
    return O


# Fill the empty regions that touch a blue cell.
def solve_9edfc990(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = ofcolor(I, ONE)
    x4 = rbind(adjacent, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, ONE, x5)
    return O


# Reduce every field of the lattice to a cell and mirror left to right.
def solve_9f236235(I):
    x1 = frontiers(I)
    x2 = sfilter(x1, hline)
    x3 = valmin(x2, uppermost)
    x4 = compress(I)
    x5 = downscale(x4, x3)
    O = vmirror(x5)
    return O
