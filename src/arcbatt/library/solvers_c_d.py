"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from c to d."""

from arcbatt.library.vocabulary import *


# Fill every gray frame with a colour that depends on its size.
def solve_c0f76784(I):
    x1 = objects(I, T, F, T)
    x2 = apply(delta, x1)
    x3 = lbind(add, FIVE)
    x4 = compose(x3, width)
    x5 = fork(recolor, x4, identity)
    x6 = mapply(x5, x2)
    O = paint(I, x6)
    return O


# Mark the full empty rows and columns red.
def solve_c1d99e64(I):
    x1 = frontiers(I)
    x2 = merge(x1)
    O = fill(I, TWO, x2)
    return O


# Tile the grid with itself wherever its cell has the most common colour.
def solve_c3e719e8(I):
    x1 = hconcat(I, I)
    x2 = hconcat(x1, I)
    x3 = vconcat(x2, x2)
    x4 = vconcat(x3, x2)
    x5 = mostcolor(I)
    x6 = upscale(I, THREE)
    x7 = ofcolor(x6, x5)
    x8 = asindices(x6)
    x9 = difference(x8, x7)
    O = fill(x4, ZERO, x9)
    return O


# Restore the erased parts: colours are constant along the antidiagonals.
def solve_c3f564a4(I):
    x1 = asobject(I)
    x2 = matcher(first, ZERO)
    x3 = compose(flip, x2)
    x4 = sfilter(x1, x3)
    x5 = rbind(shoot, UP_RIGHT)
    x6 = compose(x5, last)
    x7 = fork(recolor, first, x6)
    x8 = mapply(x7, x4)
    x9 = paint(I, x8)
    x10 = rbind(shoot, DOWN_LEFT)
    x11 = compose(x10, last)
    x12 = fork(recolor, first, x11)
    x13 = mapply(x12, x4)
    O = paint(x9, x13)
    return O


# Copy the pattern of the filled compartment into all other compartments.
def solve_c444b776(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = argmin(x2, size)
    x4 = backdrop(x3)
    x5 = toobject(x4, I)
    x6 = normalize(x5)
    x7 = lbind(shift, x6)
    x8 = compose(x7, ulcorner)
    x9 = mapply(x8, x2)
    O = paint(I, x9)
    return O


# Centre all coloured point patterns over each other.
def solve_c8cbb738(I):
    x1 = fgpartition(I)
    x2 = valmax(x1, height)
    x3 = valmax(x1, width)
    x4 = astuple(x2, x3)
    x5 = mostcolor(I)
    x6 = canvas(x5, x4)
    x7 = asindices(x6)
    x8 = center(x7)
    x9 = lbind(subtract, x8)
    x10 = compose(x9, center)
    x11 = fork(shift, identity, x10)
    x12 = mapply(x11, x1)
    O = paint(x6, x12)
    return O


# Gray cells take the colour of the first cell of their row.
def solve_c9f8e694(I):
    x1 = height(I)
    x2 = astuple(x1, ONE)
    x3 = crop(I, ORIGIN, x2)
    x4 = width(I)
    x5 = hupscale(x3, x4)
    x6 = ofcolor(I, FIVE)
    x7 = toobject(x6, x5)
    O = paint(I, x7)
    return O


# Continue the periodic pattern over the border colour and move it one column left.
def solve_caa06a1f(I):
    x1 = asindices(I)
    x2 = lrcorner(x1)
    x3 = index(I, x2)
    x4 = ofcolor(I, x3)
    x5 = difference(x1, x4)
    x6 = toobject(x5, I)
    x7 = hperiod(x6)
    x8 = vperiod(x6)
    x9 = interval(NEG_ONE, TEN, x7)
    x10 = interval(ZERO, TEN, x8)
    x11 = product(x10, x9)
    x12 = lbind(shift, x6)
    x13 = mapply(x12, x11)
    O = paint(I, x13)
    return O


# Equal marks at both ends of a row or column of blocks put the mark in the middle block, too.
def solve_cbded52d(I):
    x1 = fgpartition(I)
    x2 = lbind(prapply, connect)
    x3 = fork(x2, toindices, toindices)
    x4 = rbind(sizefilter, SEVEN)
    x5 = compose(x4, x3)
    x6 = fork(either, hline, vline)
    x7 = rbind(sfilter, x6)
    x8 = lbind(apply, center)
    x9 = chain(x8, x7, x5)
    x10 = fork(recolor, color, x9)
    x11 = mapply(x10, x1)
    O = paint(I, x11)
    return O


# List the colours from left to right in a 3x3 grid, the middle row backwards.
def solve_cdecee7f(I):
    x1 = objects(I, T, F, T)
    x2 = order(x1, leftmost)
    x3 = apply(color, x2)
    x4 = size(x3)
    x5 = subtract(NINE, x4)
    x6 = repeat(ZERO, x5)
    x7 = combine(x3, x6)
    x8 = repeat(x7, ONE)
    x9 = hsplit(x8, THREE)
    x10 = first(x9)
    x11 = last(x9)
    x12 = astuple(ONE, THREE)
    x13 = tojvec(THREE)
    x14 = crop(x8, x13, x12)
    x15 = vmirror(x14)
    x16 = vconcat(x10, x15)
    O = vconcat(x16, x11)
    return O


# Grow every gray pixel to a blue 3x3 block.
def solve_ce22a75a(I):
    x1 = replace(I, FIVE, ONE)
    x2 = ofcolor(I, FIVE)
    x3 = mapply(neighbors, x2)
    O = fill(x1, ONE, x3)
    return O


# Recolour the lower half of every vertical bar.
def solve_ce9e57f2(I):
    x1 = objects(I, T, F, T)
    x2 = rbind(add, DOWN)
    x3 = compose(x2, centerofmass)
    x4 = fork(connect, x3, llcorner)
    x5 = mapply(x4, x1)
    O = fill(I, EIGHT, x5)
    return O


# Every pixel drops a line down to the bottom.
def solve_d037b0a7(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = rbind(shoot, DOWN)
    x4 = compose(x3, last)
    x5 = fork(recolor, first, x4)
    x6 = mapply(x5, x2)
    O = underpaint(I, x6)
    return O


# A staircase runs through the pixel in both diagonal directions.
def solve_d06dbe63(I):
    x1 = ofcolor(I, EIGHT)
    x2 = first(x1)
    x3 = double(UP)
    x4 = double(UP_RIGHT)
    x5 = connect(ORIGIN, x3)
    x6 = connect(x3, x4)
    x7 = combine(x5, x6)
    x8 = interval(ZERO, SIX, ONE)
    x9 = lbind(multiply, x4)
    x10 = apply(x9, x8)
    x11 = lbind(shift, x7)
    x12 = mapply(x11, x10)
    x13 = apply(invert, x12)
    x14 = combine(x12, x13)
    x15 = shift(x14, x2)
    O = underfill(I, FIVE, x15)
    return O


# Count the shapes and show the number as a diagonal.
def solve_d0f5fe59(I):
    x1 = objects(I, T, F, T)
    x2 = size(x1)
    x3 = astuple(x2, x2)
    x4 = canvas(ZERO, x3)
    x5 = shoot(ORIGIN, UNITY)
    O = fill(x4, EIGHT, x5)
    return O


# On a canvas of twice the size every pixel runs down to the right.
def solve_d13f3404(I):
    x1 = shape(I)
    x2 = double(x1)
    x3 = canvas(ZERO, x2)
    x4 = fgpartition(I)
    x5 = merge(x4)
    x6 = rbind(shoot, UNITY)
    x7 = compose(x6, last)
    x8 = fork(recolor, first, x7)
    x9 = mapply(x8, x5)
    O = paint(x3, x9)
    return O


# Keep only the middle column.
def solve_d23f8c26(I):
    x1 = asindices(I)
    x2 = center(x1)
    x3 = vfrontier(x2)
    x4 = difference(x1, x3)
    O = fill(I, ZERO, x4)
    return O


# Put four coloured pixels around every blue pixel.
def solve_d364b489(I):
    x1 = ofcolor(I, ONE)
    x2 = shift(x1, UP)
    x3 = underfill(I, TWO, x2)
    x4 = shift(x1, DOWN)
    x5 = underfill(x3, EIGHT, x4)
    x6 = shift(x1, LEFT)
    x7 = underfill(x5, SEVEN, x6)
    x8 = shift(x1, RIGHT)
    O = underfill(x7, SIX, x8)
    return O


# Gray turns green in every second column, counted from the right.
def solve_d406998b(I):
    x1 = vmirror(I)
    x2 = ofcolor(x1, FIVE)
    x3 = compose(even, last)
    x4 = sfilter(x2, x3)
    x5 = fill(x1, THREE, x4)
    O = vmirror(x5)
    return O


# Pixels in line with the green block are joined to it.
def solve_d43fd935(I):
    x1 = ofcolor(I, THREE)
    x2 = objects(I, T, F, T)
    x3 = sizefilter(x2, ONE)
    x4 = rbind(hmatching, x1)
    x5 = rbind(vmatching, x1)
    x6 = fork(either, x4, x5)
    x7 = sfilter(x3, x6)
    x8 = rbind(gravitate, x1)
    x9 = fork(add, center, x8)
    x10 = fork(connect, center, x9)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x7)
    O = underpaint(I, x12)
    return O


# Join the two pixels by a yellow path, first along the column, then along the row.
def solve_d4a91cb9(I):
    x1 = ofcolor(I, EIGHT)
    x2 = first(x1)
    x3 = ofcolor(I, TWO)
    x4 = first(x3)
    x5 = lowermost(x3)
    x6 = rightmost(x1)
    x7 = astuple(x5, x6)
    x8 = connect(x2, x7)
    x9 = connect(x7, x4)
    x10 = combine(x8, x9)
    O = underfill(I, FOUR, x10)
    return O


# Fill the frame and let the filling run out through the gap.
def solve_d4f3cd78(I):
    x1 = ofcolor(I, FIVE)
    x2 = delta(x1)
    x3 = box(x1)
    x4 = difference(x3, x1)
    x5 = first(x4)
    x6 = position(x1, x4)
    x7 = shoot(x5, x6)
    x8 = combine(x2, x7)
    O = fill(I, EIGHT, x8)
    return O


# Keep only the areas enclosed by red, in green.
def solve_d5d6de2d(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    x6 = replace(I, TWO, ZERO)
    O = fill(x6, THREE, x5)
    return O


# Single pixels fly to the wall of their colour; pixels without a wall vanish.
def solve_d687bc17(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = apply(color, x3)
    x5 = rbind(contained, x4)
    x6 = compose(x5, color)
    x7 = sfilter(x2, x6)
    x8 = lbind(colorfilter, x3)
    x9 = chain(merge, x8, color)
    x10 = fork(gravitate, identity, x9)
    x11 = fork(shift, identity, x10)
    x12 = mapply(x11, x7)
    x13 = merge(x2)
    x14 = cover(I, x13)
    O = paint(x14, x12)
    return O


# Join two rectangles by a bridge one cell narrower on both sides than their overlap.
def solve_d6ad076f(I):
    x1 = objects(I, T, F, T)
    x2 = apply(toindices, x1)
    x3 = first(x2)
    x4 = last(x2)
    x5 = prapply(connect, x3, x4)
    x6 = fork(either, hline, vline)
    x7 = mfilter(x5, x6)
    x8 = merge(x2)
    x9 = difference(x7, x8)
    x10 = vmatching(x3, x4)
    x11 = ulcorner(x9)
    x12 = lrcorner(x9)
    x13 = branch(x10, vfrontier, hfrontier)
    x14 = x13(x11)
    x15 = x13(x12)
    x16 = combine(x14, x15)
    x17 = difference(x9, x16)
    O = fill(I, EIGHT, x17)
    return O


# The four pixels move to the nearest cell of the 2x2 block.
def solve_d89b689b(I):
    x1 = ofcolor(I, EIGHT)
    x2 = apply(initset, x1)
    x3 = objects(I, T, F, T)
    x4 = sizefilter(x3, ONE)
    x5 = lbind(argmin, x2)
    x6 = lbind(lbind, manhattan)
    x7 = compose(x5, x6)
    x8 = fork(recolor, color, x7)
    x9 = mapply(x8, x4)
    x10 = merge(x4)
    x11 = cover(I, x10)
    O = paint(x11, x9)
    return O


# Continue the pattern periodically to the right.
def solve_d8c310e9(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = hperiod(x2)
    x4 = width(I)
    x5 = interval(ZERO, x4, x3)
    x6 = apply(tojvec, x5)
    x7 = lbind(shift, x2)
    x8 = mapply(x7, x6)
    O = paint(I, x8)
    return O


# Where green and red touch, green turns cyan and red vanishes.
def solve_d90796e8(I):
    x1 = objects(I, F, F, T)
    x2 = initset(TWO)
    x3 = insert(THREE, x2)
    x4 = matcher(palette, x3)
    x5 = mfilter(x1, x4)
    x6 = cover(I, x5)
    x7 = matcher(first, THREE)
    x8 = sfilter(x5, x7)
    O = fill(x6, EIGHT, x8)
    return O


# Lines rise from the bottom and step one column right before an obstacle.
def solve_d9f24cd1(I):
    x1 = ofcolor(I, TWO)
    x2 = rbind(shoot, UP)
    x3 = mapply(x2, x1)
    x4 = ofcolor(I, FIVE)
    x5 = intersection(x3, x4)
    x6 = mapply(x2, x5)
    x7 = difference(x3, x6)
    x8 = shift(x5, UNITY)
    x9 = mapply(x2, x8)
    x10 = combine(x7, x9)
    O = fill(I, TWO, x10)
    return O


# Report the colour of the cell that a ring surrounds.
def solve_d9fac9be(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = toindices(x2)
    x4 = lbind(intersection, x3)
    x5 = chain(size, x4, neighbors)
    x6 = matcher(x5, EIGHT)
    x7 = asindices(I)
    x8 = extract(x7, x6)
    x9 = index(I, x8)
    O = canvas(x9, UNITY)
    return O


# The line grows into a funnel of alternating columns.
def solve_db3e9e38(I):
    x1 = ofcolor(I, SEVEN)
    x2 = rbind(shoot, NEG_UNITY)
    x3 = mapply(x2, x1)
    x4 = rbind(shoot, UP_RIGHT)
    x5 = mapply(x4, x1)
    x6 = combine(x3, x5)
    x7 = fill(I, EIGHT, x6)
    x8 = leftmost(x1)
    x9 = lbind(subtract, x8)
    x10 = chain(even, x9, last)
    x11 = sfilter(x6, x10)
    O = fill(x7, SEVEN, x11)
    return O


# Squares get a green border of half their width and cast a blue shadow down.
def solve_db93a21d(I):
    x1 = ofcolor(I, NINE)
    x2 = rbind(shoot, DOWN)
    x3 = mapply(x2, x1)
    x4 = underfill(I, ONE, x3)
    x5 = objects(I, T, F, T)
    x6 = compose(halve, width)
    x7 = fork(subtract, ulcorner, x6)
    x8 = fork(add, lrcorner, x6)
    x9 = fork(astuple, x7, x8)
    x10 = compose(backdrop, x9)
    x11 = mapply(x10, x5)
    x12 = fill(x4, THREE, x11)
    O = fill(x12, NINE, x1)
    return O


# Join the blue pixels of one row or column.
def solve_dbc1a6ce(I):
    x1 = ofcolor(I, ONE)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, vline, hline)
    x4 = mfilter(x2, x3)
    O = underfill(I, EIGHT, x4)
    return O


# Surround the red pixels with blue.
def solve_dc1df850(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, TWO)
    x3 = mapply(outbox, x2)
    O = fill(I, ONE, x3)
    return O


# The green pixel takes one step towards the yellow one.
def solve_dc433765(I):
    x1 = ofcolor(I, THREE)
    x2 = recolor(THREE, x1)
    x3 = ofcolor(I, FOUR)
    x4 = recolor(FOUR, x3)
    x5 = position(x2, x4)
    O = move(I, x2, x5)
    return O


# Gray rectangles take the colour of the pixel above them in the top row.
def solve_ddf7fa4f(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = colorfilter(x1, FIVE)
    x4 = lbind(lbind, vmatching)
    x5 = lbind(extract, x2)
    x6 = chain(color, x5, x4)
    x7 = fork(recolor, x6, identity)
    x8 = mapply(x7, x3)
    O = paint(I, x8)
    return O
