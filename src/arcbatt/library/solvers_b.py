"""Solvers in the core vocabulary, written for this project: ARC-AGI-1 training, second third of the ids."""

from arcbatt.library.vocabulary import *


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
