"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, ids from 4 to 6."""

from arcbatt.library.vocabulary import *


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


# Enlarge by the number of colours other than black and draw red diagonals from the square.
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


# Shrink the dots to a 5x5 grid and enlarge it fourfold.
def solve_46f33fce(I):
    x1 = rot180(I)
    x2 = downscale(x1, TWO)
    x3 = rot180(x2)
    O = upscale(x3, FOUR)
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
    x3 = compose(last, centerofmass)
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


# Shrink the big figure to three by three and give it the colour of the noise.
def solve_5ad4f10b(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = color(x2)
    x4 = fgpartition(I)
    x5 = apply(color, x4)
    x6 = other(x5, x3)
    x7 = shape(x2)
    x8 = canvas(ZERO, x7)
    x9 = normalize(x2)
    x10 = fill(x8, x6, x9)
    x11 = width(x2)
    x12 = divide(x11, THREE)
    O = downscale(x10, x12)
    return O


# Cut out the upper right corner.
def solve_5bd6f4ac(I):
    x1 = tojvec(SIX)
    O = crop(I, x1, THREE_BY_THREE)
    return O


# Shoot a diagonal from each square, blue up left and red down right.
def solve_5c0a986e(I):
    x1 = ofcolor(I, ONE)
    x2 = ofcolor(I, TWO)
    x3 = ulcorner(x1)
    x4 = lrcorner(x2)
    x5 = shoot(x3, NEG_UNITY)
    x6 = shoot(x4, UNITY)
    x7 = fill(I, ONE, x5)
    O = fill(x7, TWO, x6)
    return O


# Fill the gaps in the bounding boxes of the objects.
def solve_60b61512(I):
    x1 = objects(I, T, T, T)
    x2 = mapply(delta, x1)
    O = fill(I, SEVEN, x2)
    return O


# Turn the grid half way round.
def solve_6150a2bd(I):
    O = rot180(I)
    return O


# Shoot the cell along both diagonals.
def solve_623ea044(I):
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = ulcorner(x2)
    x4 = lbind(shoot, x3)
    x5 = ineighbors(ORIGIN)
    x6 = mapply(x4, x5)
    x7 = color(x2)
    O = fill(I, x7, x6)
    return O


# Unfold the grid to the right and then downward by mirroring.
def solve_62c24649(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hmirror(x2)
    O = vconcat(x2, x3)
    return O


# Grey the object that has the shape shown in the corner.
def solve_63613498(I):
    x1 = crop(I, ORIGIN, THREE_BY_THREE)
    x2 = asindices(x1)
    x3 = ofcolor(x1, ZERO)
    x4 = difference(x2, x3)
    x5 = normalize(x4)
    x6 = objects(I, T, F, T)
    x7 = compose(normalize, toindices)
    x8 = matcher(x7, x5)
    x9 = mfilter(x6, x8)
    x10 = fill(I, FIVE, x9)
    x11 = toobject(x4, I)
    O = paint(x10, x11)
    return O


# Mark the cells that are empty in both halves.
def solve_6430c8c4(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = ofcolor(x1, ZERO)
    x4 = ofcolor(x2, ZERO)
    x5 = intersection(x3, x4)
    x6 = shape(x1)
    x7 = canvas(ZERO, x6)
    O = fill(x7, THREE, x5)
    return O


# Fill the largest region blue and the smallest ones cyan.
def solve_6455b5f5(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = argmax(x2, size)
    x4 = valmin(x2, size)
    x5 = sizefilter(x2, x4)
    x6 = merge(x5)
    x7 = fill(I, ONE, x3)
    O = fill(x7, EIGHT, x6)
    return O


# Of three stacked tiles keep the one that is not its own transpose.
def solve_662c240a(I):
    x1 = vsplit(I, THREE)
    x2 = fork(equality, dmirror, identity)
    x3 = compose(flip, x2)
    O = extract(x1, x3)
    return O


# Recolour the green objects of three or more cells.
def solve_67385a82(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, THREE)
    x3 = rbind(greater, TWO)
    x4 = compose(x3, size)
    x5 = mfilter(x2, x4)
    O = fill(I, EIGHT, x5)
    return O


# Mark the tiles that hold two magenta cells.
def solve_6773b310(I):
    x1 = vsplit(I, THREE)
    x2 = rbind(hsplit, THREE)
    x3 = rbind(colorcount, SIX)
    x4 = matcher(x3, TWO)
    x5 = lbind(apply, x4)
    x6 = compose(x5, x2)
    O = apply(x6, x1)
    return O


# Mirror left to right.
def solve_67a3c6ac(I):
    O = vmirror(I)
    return O


# Put a ring around the crossing of the two lines.
def solve_67a423a3(I):
    x1 = fgpartition(I)
    x2 = argmax(x1, width)
    x3 = argmax(x1, height)
    x4 = uppermost(x2)
    x5 = leftmost(x3)
    x6 = astuple(x4, x5)
    x7 = neighbors(x6)
    O = fill(I, FOUR, x7)
    return O


# Unfold the grid into four mirrored copies.
def solve_67e8384a(I):
    x1 = hmirror(I)
    x2 = vconcat(I, x1)
    x3 = vmirror(x2)
    O = hconcat(x2, x3)
    return O


# Mirror top to bottom.
def solve_68b16354(I):
    O = hmirror(I)
    return O


# Fill the inside of the smaller rectangle blue and of the larger one red.
def solve_694f12f3(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FOUR)
    x3 = argmin(x2, size)
    x4 = argmax(x2, size)
    x5 = compose(backdrop, inbox)
    x6 = x5(x3)
    x7 = x5(x4)
    x8 = fill(I, ONE, x6)
    O = fill(x8, TWO, x7)
    return O


# Enlarge the figure until it fills the frame.
def solve_6b9890af(I):
    x1 = ofcolor(I, TWO)
    x2 = subgrid(x1, I)
    x3 = objects(I, F, T, T)
    x4 = argmin(x3, width)
    x5 = width(x2)
    x6 = width(x4)
    x7 = divide(x5, x6)
    x8 = normalize(x4)
    x9 = upscale(x8, x7)
    x10 = shift(x9, UNITY)
    O = paint(x2, x10)
    return O


# Replace every small ring by a red plus.
def solve_6c434453(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, EIGHT)
    x3 = merge(x2)
    x4 = cover(I, x3)
    x5 = apply(center, x2)
    x6 = mapply(dneighbors, x5)
    x7 = combine(x5, x6)
    O = fill(x4, TWO, x7)
    return O


# Keep only the lines whose two ends lie on opposite borders.
def solve_6cdd2623(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = prapply(connect, x2, x2)
    x4 = height(I)
    x5 = sizefilter(x3, x4)
    x6 = width(I)
    x7 = sizefilter(x3, x6)
    x8 = combine(x5, x7)
    x9 = merge(x8)
    x10 = shape(I)
    x11 = canvas(ZERO, x10)
    O = fill(x11, x1, x9)
    return O


# Keep only the tile with the yellow cell, moved to the place the cell has inside it.
def solve_6d0160f0(I):
    x1 = ofcolor(I, FOUR)
    x2 = first(x1)
    x3 = divide(x2, FOUR)
    x4 = multiply(x3, FOUR)
    x5 = subtract(x2, x4)
    x6 = multiply(x5, FOUR)
    x7 = crop(I, x4, THREE_BY_THREE)
    x8 = asobject(x7)
    x9 = shift(x8, x6)
    x10 = ofcolor(I, FIVE)
    x11 = shape(I)
    x12 = canvas(ZERO, x11)
    x13 = fill(x12, FIVE, x10)
    O = paint(x13, x9)
    return O


# Append the mirror image on the right.
def solve_6d0aefbc(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O


# Complete the figure to a rectangle.
def solve_6d75e8bb(I):
    x1 = ofcolor(I, EIGHT)
    x2 = backdrop(x1)
    O = underfill(I, TWO, x2)
    return O


# Draw a line whose direction tells the number of colours.
def solve_6e02f1e3(I):
    x1 = numcolors(I)
    x2 = equality(x1, TWO)
    x3 = equality(x1, THREE)
    x4 = branch(x3, TWO_BY_ZERO, ORIGIN)
    x5 = branch(x2, TWO_BY_TWO, ZERO_BY_TWO)
    x6 = connect(x4, x5)
    x7 = canvas(ZERO, THREE_BY_THREE)
    O = fill(x7, FIVE, x6)
    return O


# Every corner piece shoots a diagonal out of its open side.
def solve_6e19193c(I):
    x1 = objects(I, T, F, T)
    x2 = compose(first, delta)
    x3 = fork(add, ulcorner, lrcorner)
    x4 = compose(double, x2)
    x5 = fork(subtract, x4, x3)
    x6 = fork(add, x2, x5)
    x7 = fork(shoot, x6, x5)
    x8 = mapply(x7, x1)
    x9 = leastcolor(I)
    O = fill(I, x9, x8)
    return O


# Colour the objects by their size.
def solve_6e82a1ae(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, FOUR)
    x3 = merge(x2)
    x4 = sizefilter(x1, THREE)
    x5 = merge(x4)
    x6 = replace(I, FIVE, THREE)
    x7 = fill(x6, ONE, x3)
    O = fill(x7, TWO, x5)
    return O


# Draw a frame along the border.
def solve_6f8cd79b(I):
    x1 = asindices(I)
    x2 = box(x1)
    O = fill(I, EIGHT, x2)
    return O


# Append the mirror image below.
def solve_6fa7a44f(I):
    x1 = hmirror(I)
    O = vconcat(I, x1)
    return O
