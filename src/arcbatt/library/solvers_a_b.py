"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from a to b."""

from arcbatt.library.vocabulary import *


# Move the red figure between the four green corners.
def solve_a1570a43(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, THREE)
    x3 = ulcorner(x1)
    x4 = ulcorner(x2)
    x5 = subtract(x4, x3)
    x6 = increment(x5)
    x7 = toobject(x1, I)
    O = move(I, x7, x6)
    return O


# Join the red cell to the green cell, first along the row and then along the column.
def solve_a2fd1cf0(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, THREE)
    x3 = uppermost(x1)
    x4 = leftmost(x2)
    x5 = astuple(x3, x4)
    x6 = first(x1)
    x7 = first(x2)
    x8 = connect(x6, x5)
    x9 = connect(x5, x7)
    x10 = combine(x8, x9)
    O = underfill(I, EIGHT, x10)
    return O


# List the colours of the largest objects from left to right, as columns of their size.
def solve_a3325580(I):
    x1 = objects(I, T, F, T)
    x2 = valmax(x1, size)
    x3 = sizefilter(x1, x2)
    x4 = order(x3, leftmost)
    x5 = apply(color, x4)
    O = repeat(x5, x2)
    return O


# Put two copies side by side.
def solve_a416b8f3(I):
    O = hconcat(I, I)
    return O


# The grey cells come up to the red square.
def solve_a48eeaf7(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, FIVE)
    x3 = outbox(x1)
    x4 = lbind(lbind, manhattan)
    x5 = rbind(compose, initset)
    x6 = chain(x5, x4, initset)
    x7 = lbind(argmin, x3)
    x8 = compose(x7, x6)
    x9 = apply(x8, x2)
    x10 = cover(I, x2)
    O = fill(x10, FIVE, x9)
    return O


# Fill the enclosed regions.
def solve_a5313dff(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, ONE, x5)
    return O


# Turn the coloured cells of every second column to yellow.
def solve_a5f85a15(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = compose(even, last)
    x4 = compose(flip, x3)
    x5 = sfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# Put the four corner pieces together to a square ring.
def solve_a61ba2ce(I):
    x1 = objects(I, T, F, T)
    x2 = compose(first, delta)
    x3 = fork(subtract, x2, ulcorner)
    x4 = lbind(subtract, UNITY)
    x5 = chain(double, x4, x3)
    x6 = fork(shift, normalize, x5)
    x7 = mapply(x6, x1)
    x8 = double(TWO_BY_TWO)
    x9 = canvas(ZERO, x8)
    O = paint(x9, x7)
    return O


# Keep the tallest bar in blue and the shortest in red.
def solve_a61f2674(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, height)
    x3 = argmin(x1, height)
    x4 = replace(I, FIVE, ZERO)
    x5 = fill(x4, ONE, x2)
    O = fill(x5, TWO, x3)
    return O


# Build stairs above and below the red bar.
def solve_a65b410d(I):
    x1 = ofcolor(I, TWO)
    x2 = urcorner(x1)
    x3 = shoot(x2, UP_RIGHT)
    x4 = shoot(x2, DOWN_LEFT)
    x5 = rbind(shoot, LEFT)
    x6 = mapply(x5, x3)
    x7 = mapply(x5, x4)
    x8 = fill(I, THREE, x6)
    x9 = fill(x8, ONE, x7)
    O = fill(x9, TWO, x1)
    return O


# Lay the four panels over each other, earlier panels on top.
def solve_a68b268e(I):
    x1 = vsplit(I, TWO)
    x2 = rbind(hsplit, TWO)
    x3 = mapply(x2, x1)
    x4 = mapply(asobject, x3)
    x5 = first(x3)
    x6 = shape(x5)
    x7 = canvas(ZERO, x6)
    O = underpaint(x7, x4)
    return O


# Put a red cell between two blue cells.
def solve_a699fb00(I):
    x1 = ofcolor(I, ONE)
    x2 = shift(x1, RIGHT)
    x3 = shift(x1, LEFT)
    x4 = intersection(x2, x3)
    O = fill(I, TWO, x4)
    return O


# Cut out the figure and blank its background.
def solve_a740d043(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = mostcolor(I)
    O = replace(x3, x4, ZERO)
    return O


# Draw a parallel diagonal past the tip of each grey triangle.
def solve_a78176bb(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = fork(contained, urcorner, toindices)
    x4 = sfilter(x2, x3)
    x5 = difference(x2, x4)
    x6 = rbind(shift, UP_RIGHT)
    x7 = compose(urcorner, x6)
    x8 = apply(x7, x4)
    x9 = rbind(shift, DOWN_LEFT)
    x10 = compose(llcorner, x9)
    x11 = apply(x10, x5)
    x12 = combine(x8, x11)
    x13 = rbind(shoot, UNITY)
    x14 = rbind(shoot, NEG_UNITY)
    x15 = fork(combine, x13, x14)
    x16 = mapply(x15, x12)
    x17 = replace(I, FIVE, ZERO)
    x18 = palette(x17)
    x19 = other(x18, ZERO)
    O = fill(x17, x19, x16)
    return O


# Move the figure down by one row and turn it red.
def solve_a79310a0(I):
    x1 = ofcolor(I, EIGHT)
    x2 = recolor(TWO, x1)
    O = move(I, x2, DOWN)
    return O


# Colour every row by the column of its grey cell.
def solve_a85d4709(I):
    x1 = ofcolor(I, FIVE)
    x2 = matcher(last, ZERO)
    x3 = sfilter(x1, x2)
    x4 = mapply(hfrontier, x3)
    x5 = matcher(last, ONE)
    x6 = sfilter(x1, x5)
    x7 = mapply(hfrontier, x6)
    x8 = shape(I)
    x9 = canvas(THREE, x8)
    x10 = fill(x9, TWO, x4)
    O = fill(x10, FOUR, x7)
    return O


# Keep the tile whose figure differs from the others.
def solve_a87f7484(I):
    x1 = numcolors(I)
    x2 = decrement(x1)
    x3 = portrait(I)
    x4 = branch(x3, vsplit, hsplit)
    x5 = x4(I, x2)
    x6 = rbind(colorcount, ZERO)
    x7 = apply(x6, x5)
    x8 = leastcommon(x7)
    x9 = matcher(x6, x8)
    O = extract(x5, x9)
    return O


# Replace the red cell by four coloured diagonal neighbours.
def solve_a9f96cdd(I):
    x1 = ofcolor(I, TWO)
    x2 = replace(I, TWO, ZERO)
    x3 = shift(x1, NEG_UNITY)
    x4 = fill(x2, THREE, x3)
    x5 = shift(x1, UP_RIGHT)
    x6 = fill(x4, SIX, x5)
    x7 = shift(x1, DOWN_LEFT)
    x8 = fill(x6, EIGHT, x7)
    x9 = shift(x1, UNITY)
    O = fill(x8, SEVEN, x9)
    return O


# Odd pixels slide along their row or column until they touch the pixel they belong to.
def solve_ae3edfdc(I):
    x1 = objects(I, T, F, T)
    x2 = ofcolor(I, TWO)
    x3 = rbind(gravitate, x2)
    x4 = fork(shift, identity, x3)
    x5 = colorfilter(x1, THREE)
    x6 = mapply(x4, x5)
    x7 = ofcolor(I, ONE)
    x8 = rbind(gravitate, x7)
    x9 = fork(shift, identity, x8)
    x10 = colorfilter(x1, SEVEN)
    x11 = mapply(x9, x10)
    x12 = merge(x5)
    x13 = cover(I, x12)
    x14 = merge(x10)
    x15 = cover(x13, x14)
    x16 = paint(x15, x6)
    O = paint(x16, x11)
    return O


# Turn isolated pixels blue.
def solve_aedd82e4(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, TWO)
    x3 = sizefilter(x2, ONE)
    x4 = merge(x3)
    O = fill(I, ONE, x4)
    return O


# Fill the inside of every rectangle whose four corners are yellow.
def solve_af902bf9(I):
    x1 = ofcolor(I, FOUR)
    x2 = prapply(astuple, x1, x1)
    x3 = rbind(difference, x1)
    x4 = chain(size, x3, corners)
    x5 = matcher(x4, ZERO)
    x6 = sfilter(x2, x5)
    x7 = fork(difference, backdrop, box)
    x8 = mapply(x7, x6)
    O = fill(I, TWO, x8)
    return O


# Count the empty rows above the water and show the number in a 3x3 grid, the middle row backwards.
def solve_b0c4d837(I):
    x1 = ofcolor(I, FIVE)
    x2 = uppermost(x1)
    x3 = ofcolor(I, EIGHT)
    x4 = uppermost(x3)
    x5 = subtract(x4, x2)
    x6 = repeat(EIGHT, x5)
    x7 = subtract(NINE, x5)
    x8 = repeat(ZERO, x7)
    x9 = combine(x6, x8)
    x10 = repeat(x9, ONE)
    x11 = hsplit(x10, THREE)
    x12 = merge(x11)
    x13 = vmirror(x12)
    x14 = hfrontier(DOWN)
    x15 = toobject(x14, x13)
    O = paint(x12, x15)
    return O


# Among three shapes colour the odd one out red, the others blue.
def solve_b230c067(I):
    x1 = objects(I, T, T, T)
    x2 = totuple(x1)
    x3 = apply(normalize, x2)
    x4 = leastcommon(x3)
    x5 = matcher(normalize, x4)
    x6 = extract(x1, x5)
    x7 = replace(I, EIGHT, ONE)
    O = fill(x7, TWO, x6)
    return O


# Draw a green outline around every domino.
def solve_b27ca6d3(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, TWO)
    x3 = mapply(outbox, x2)
    O = fill(I, THREE, x3)
    return O


# Recolour the shapes that enclose a hole.
def solve_b2862040(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, NINE)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    x6 = colorfilter(x1, ONE)
    x7 = rbind(adjacent, x5)
    x8 = mfilter(x6, x7)
    O = fill(I, EIGHT, x8)
    return O


# Stretch the framed rectangle until it reaches the single pixel.
def solve_b548a754(I):
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, size)
    x3 = ulcorner(x2)
    x4 = index(I, x3)
    x5 = increment(x3)
    x6 = index(I, x5)
    x7 = merge(x1)
    x8 = backdrop(x7)
    x9 = fill(I, x6, x8)
    x10 = box(x7)
    O = fill(x9, x4, x10)
    return O


# Replace every gray pixel by a small ring with gray corners and blue sides.
def solve_b60334d2(I):
    x1 = ofcolor(I, FIVE)
    x2 = cover(I, x1)
    x3 = mapply(ineighbors, x1)
    x4 = fill(x2, FIVE, x3)
    x5 = mapply(dneighbors, x1)
    O = fill(x4, ONE, x5)
    return O


# Paint every rectangle red with a yellow frame and blue corners.
def solve_b6afb2da(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FIVE)
    x3 = replace(I, FIVE, TWO)
    x4 = mapply(box, x2)
    x5 = fill(x3, FOUR, x4)
    x6 = mapply(corners, x2)
    O = fill(x5, ONE, x6)
    return O


# Two colours fill the corridors of the maze in turn, starting from the coloured spot.
def solve_b782dc8a(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = asindices(I)
    x4 = ofcolor(I, EIGHT)
    x5 = difference(x3, x4)
    x6 = lbind(mapply, dneighbors)
    x7 = fork(combine, identity, x6)
    x8 = lbind(intersection, x5)
    x9 = compose(x8, x7)
    x10 = multiply(FIVE, TEN)
    x11 = power(x9, x10)
    x12 = x11(x2)
    x13 = rbind(manhattan, x2)
    x14 = chain(even, x13, initset)
    x15 = sfilter(x12, x14)
    x16 = palette(I)
    x17 = remove(ZERO, x16)
    x18 = remove(EIGHT, x17)
    x19 = other(x18, x1)
    x20 = fill(I, x19, x12)
    O = fill(x20, x1, x15)
    return O


# Two diagonals leave the block above the gap in the bottom row, in the colour of the gap.
def solve_b8cdaf2b(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = shift(x2, UP)
    x4 = ulcorner(x3)
    x5 = shoot(x4, NEG_UNITY)
    x6 = underfill(I, x1, x5)
    x7 = urcorner(x3)
    x8 = shoot(x7, UP_RIGHT)
    O = underfill(x6, x1, x8)
    return O


# Report the colour of the rectangle that has a hole.
def solve_b9b7f026(I):
    x1 = objects(I, T, F, T)
    x2 = compose(size, delta)
    x3 = argmax(x1, x2)
    x4 = color(x3)
    O = canvas(x4, UNITY)
    return O


# In every third column turn yellow into magenta.
def solve_ba26e723(I):
    x1 = width(I)
    x2 = interval(ZERO, x1, THREE)
    x3 = compose(vfrontier, tojvec)
    x4 = mapply(x3, x2)
    x5 = ofcolor(I, FOUR)
    x6 = rbind(contained, x4)
    x7 = sfilter(x5, x6)
    O = fill(I, SIX, x7)
    return O


# Fill the inside of every gray rectangle with red.
def solve_bb43febb(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FIVE)
    x3 = compose(backdrop, inbox)
    x4 = mapply(x3, x2)
    O = fill(I, TWO, x4)
    return O


# Grow the bar by one cell per row into a staircase.
def solve_bbc9ae5d(I):
    x1 = index(I, ORIGIN)
    x2 = ofcolor(I, x1)
    x3 = urcorner(x2)
    x4 = shoot(x3, UNITY)
    x5 = rbind(shoot, LEFT)
    x6 = mapply(x5, x4)
    x7 = width(I)
    x8 = halve(x7)
    x9 = vupscale(I, x8)
    O = fill(x9, x1, x6)
    return O


# Below the gray line repeat the colours of the first row as full rows.
def solve_bd4472b8(I):
    x1 = width(I)
    x2 = astuple(ONE, x1)
    x3 = crop(I, ORIGIN, x2)
    x4 = dmirror(x3)
    x5 = hupscale(x4, x1)
    x6 = vconcat(x5, x5)
    x7 = astuple(TWO, x1)
    x8 = crop(I, ORIGIN, x7)
    x9 = vconcat(x8, x6)
    x10 = shape(I)
    O = crop(x9, ORIGIN, x10)
    return O


# Extend both bars over the whole grid and mark their crossing yellow.
def solve_bdad9b1f(I):
    x1 = ofcolor(I, TWO)
    x2 = center(x1)
    x3 = hfrontier(x2)
    x4 = ofcolor(I, EIGHT)
    x5 = center(x4)
    x6 = vfrontier(x5)
    x7 = fill(I, TWO, x3)
    x8 = fill(x7, EIGHT, x6)
    x9 = intersection(x3, x6)
    O = fill(x8, FOUR, x9)
    return O


# Stack the bars by length in the lower right corner.
def solve_beb8660c(I):
    x1 = objects(I, T, F, T)
    x2 = order(x1, size)
    x3 = apply(normalize, x2)
    x4 = height(I)
    x5 = size(x1)
    x6 = subtract(x4, x5)
    x7 = interval(x6, x4, ONE)
    x8 = width(I)
    x9 = lbind(subtract, x8)
    x10 = compose(x9, width)
    x11 = apply(x10, x2)
    x12 = pair(x7, x11)
    x13 = mpapply(shift, x3, x12)
    x14 = merge(x1)
    x15 = cover(I, x14)
    O = paint(x15, x13)
    return O
