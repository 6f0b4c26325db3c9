"""Solvers in the batt dialect, written for this project: ARC-AGI-1 training."""

from arcbatt.library.vocabulary import *


# The shape takes the colour of the corner pixel, which vanishes.
def solve_aabf363d(S, I, C):
    x1 = get_color_rank_t(I, F1)
    x2 = get_color_rank_t(I, L1)
    x3 = f_ofcolor(I, x2)
    x4 = corner(x3, R2)
    x5 = replace(I, x1, x2)
    x6 = ascell(x4, BLACK)
    x7 = initset(x6)
    O = paint(x5, x7)
    return O


# Pick the square with the most blue cells.
def solve_ae4f1146(S, I, C):
    x1 = o_g(I, R1)
    x2 = rbind(colorcount_f, BLUE)
    x3 = get_arg_rank_f(x1, x2, F0)
    O = subgrid(x3, I)
    return O


# Replace the colour that the outputs lose by the one they gain.
def solve_b1948b0a(S, I, C):
    x1 = rbind(get_nth_t, F0)
    x2 = c_iz_n(S, p_g, x1)
    x3 = c_zo_n(S, p_g, x1)
    O = replace(I, x2, x3)
    return O


# Restore the masked parts of a grid that is symmetric both ways.
def solve_b8825c91(S, I, C):
    x1 = matcher(first, YELLOW)
    x2 = compose(flip, x1)
    x3 = mir_rot_t(I, A2)
    x4 = asobject(x3)
    x5 = sfilter_f(x4, x2)
    x6 = paint(I, x5)
    x7 = mir_rot_t(x6, A0)
    x8 = asobject(x7)
    x9 = sfilter_f(x8, x2)
    O = paint(x6, x9)
    return O


# Enlarge the grid by its number of colours besides black.
def solve_b91ae062(S, I, C):
    x1 = p_g(I)
    x2 = initset(BLACK)
    x3 = totuple(x2)
    x4 = difference_tuple(x1, x3)
    x5 = size_t(x4)
    O = upscale_t(I, x5)
    return O


# Crop the framed square and exchange its two colours.
def solve_b94a9452(S, I, C):
    x1 = o_g(I, R1)
    x2 = get_nth_f(x1, F0)
    x3 = subgrid(x2, I)
    x4 = p_g(x3)
    x5 = get_nth_t(x4, F0)
    x6 = get_nth_t(x4, L1)
    O = switch(x3, x5, x6)
    return O


# The bar that lies below comes to the top at the crossing.
def solve_ba97ae07(S, I, C):
    x1 = fgpartition(I)
    x2 = get_nth_f(x1, F0)
    x3 = get_nth_f(x1, L1)
    x4 = backdrop(x2)
    x5 = backdrop(x3)
    x6 = intersection(x4, x5)
    x7 = corner(x6, R0)
    x8 = index(I, x7)
    x9 = merge_f(x1)
    x10 = p_o(x9)
    x11 = other_t(x10, x8)
    O = fill(I, x11, x6)
    return O


# Lay the four overlapping corners of the grid over each other.
def solve_bc1d5164(S, I, C):
    x1 = p_g(I)
    x2 = other_t(x1, BLACK)
    x3 = f_ofcolor(I, x2)
    x4 = interval(ZERO, NEG_THREE, NEG_TWO)
    x5 = interval(ZERO, NEG_FIVE, NEG_FOUR)
    x6 = product(x4, x5)
    x7 = lbind(shift, x3)
    x8 = mapply_f(x7, x6)
    x9 = canvas(BLACK, THREE_BY_THREE)
    O = fill(x9, x2, x8)
    return O


# Crop the largest shape.
def solve_be94b721(S, I, C):
    x1 = o_g(I, R5)
    x2 = get_arg_rank_f(x1, size_f, F0)
    O = subgrid(x2, I)
    return O


# Replace the colour that vanishes by the colour that appears.
def solve_c8f0f002(S, I, C):
    x1 = c_iz(S, p_g)
    x2 = get_nth_t(x1, F0)
    x3 = c_zo(S, p_g)
    x4 = get_nth_t(x3, F0)
    O = replace(I, x2, x4)
    return O


# Crop the frame drawn in the rarest colour.
def solve_c909285e(S, I, C):
    x1 = get_color_rank_t(I, L1)
    x2 = f_ofcolor(I, x1)
    O = subgrid(x2, I)
    return O


# Mark the cells that are set in the upper or the lower half.
def solve_ce4f8723(S, I, C):
    x1 = tophalf(I)
    x2 = f_ofcolor(x1, BLUE)
    x3 = bottomhalf(I)
    x4 = f_ofcolor(x3, RED)
    x5 = combine_f(x2, x4)
    x6 = rbind(get_nth_t, F0)
    x7 = c_zo_n(S, p_g, x6)
    x8 = shape_t(x1)
    x9 = canvas(BLACK, x8)
    O = fill(x9, x7, x5)
    return O


# Overlay the three parts, the left one on top.
def solve_cf98881b(S, I, C):
    x1 = hsplit(I, THREE)
    x2 = get_nth_t(x1, F0)
    x3 = second(x1)
    x4 = get_nth_t(x1, L1)
    x5 = f_ofcolor(x3, BURGUNDY)
    x6 = fill(x4, BURGUNDY, x5)
    x7 = f_ofcolor(x2, YELLOW)
    O = fill(x6, YELLOW, x7)
    return O


# Shapes of six cells turn red, all others blue.
def solve_d2abd087(S, I, C):
    x1 = o_g_t(I, R5)
    x2 = sizefilter_t(x1, SIX)
    x3 = merge_t(x2)
    x4 = replace(I, GRAY, BLUE)
    O = fill(x4, RED, x3)
    return O


# Show the number of coloured cells as a bar.
def solve_d631b094(S, I, C):
    x1 = p_g(I)
    x2 = other_t(x1, BLACK)
    x3 = f_ofcolor(I, x2)
    x4 = size_f(x3)
    x5 = astuple(ONE, x4)
    O = canvas(x2, x5)
    return O


# Mark the cells that are set in the left or the right half.
def solve_dae9d2b5(S, I, C):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = f_ofcolor(x1, YELLOW)
    x4 = f_ofcolor(x2, GREEN)
    x5 = combine_f(x3, x4)
    x6 = rbind(get_nth_t, F0)
    x7 = c_zo_n(S, p_g, x6)
    x8 = recolor_i(x7, x5)
    x9 = shape_t(x1)
    x10 = canvas(BLACK, x9)
    O = paint(x10, x8)
    return O


# Show what the green square hides, using both mirror symmetries.
def solve_dc0a314f(S, I, C):
    x1 = f_ofcolor(I, GREEN)
    x2 = matcher(first_t, GREEN)
    x3 = compose(flip, x2)
    x4 = mir_rot_t(I, A2)
    x5 = asobject(x4)
    x6 = sfilter_f(x5, x3)
    x7 = paint(I, x6)
    x8 = mir_rot_t(x7, A0)
    x9 = asobject(x8)
    x10 = sfilter_f(x9, x3)
    x11 = paint(x7, x10)
    O = subgrid(x1, x11)
    return O


# Report the colour of the area that holds the most pixels.
def solve_de1cd16c(S, I, C):
    x1 = o_g(I, R4)
    x2 = compose(size_f, delta)
    x3 = get_arg_rank_f(x1, x2, F0)
    x4 = get_color_rank_f(x3, F0)
    O = canvas(x4, UNITY)
    return O


# Join the pixels of one row or column.
def solve_ded97339(S, I, C):
    x1 = get_color_rank_t(I, L1)
    x2 = f_ofcolor(I, x1)
    x3 = prapply(connect, x2, x2)
    x4 = fork(either, vline_i, hline_i)
    x5 = mfilter_f(x3, x4)
    O = fill(I, x1, x5)
    return O


# Fold the right side over the left side.
def solve_e3497940(S, I, C):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = mir_rot_t(x2, A2)
    x4 = asobject(x3)
    x5 = matcher(first_t, BLACK)
    x6 = compose(flip, x5)
    x7 = sfilter_f(x4, x6)
    O = paint(x1, x7)
    return O


# Crop the rectangle with the most red cells.
def solve_e50d258f(S, I, C):
    x1 = replace(I, CYAN, BLUE)
    x2 = replace(x1, RED, BLUE)
    x3 = o_g(x2, R4)
    x4 = colorfilter(x3, BLUE)
    x5 = rbind(toobject, I)
    x6 = rbind(colorcount_f, RED)
    x7 = compose(x6, x5)
    x8 = get_arg_rank_f(x4, x7, F0)
    O = subgrid(x8, I)
    return O


# Overlay the parts above and below the gray line.
def solve_e98196ab(S, I, C):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = p_g(x2)
    x4 = other_t(x3, BLACK)
    x5 = f_ofcolor(x2, x4)
    O = fill(x1, x4, x5)
    return O


# Two stripes turn into a checkerboard.
def solve_e9afcf9a(S, I, C):
    x1 = mir_rot_t(I, A0)
    x2 = asobject(x1)
    x3 = chain(even, last_t, toij)
    x4 = compose(flip, x3)
    x5 = sfilter_f(x2, x4)
    O = paint(I, x5)
    return O


# Colour the three bars by their length.
def solve_ea32f347(S, I, C):
    x1 = o_g(I, R5)
    x2 = get_arg_rank_f(x1, size_f, F0)
    x3 = recolor_o(BLUE, x2)
    x4 = paint(I, x3)
    x5 = get_arg_rank_f(x1, size_f, F1)
    x6 = recolor_o(YELLOW, x5)
    x7 = paint(x4, x6)
    x8 = get_arg_rank_f(x1, size_f, L1)
    x9 = recolor_o(RED, x8)
    O = paint(x7, x9)
    return O


# Turn the grid as the examples do.
def solve_ed36ccf7(S, I, C):
    x1 = a_mr(S)
    O = mir_rot_t(I, x1)
    return O


# Reflect the lower half into the upper half.
def solve_f25ffba3(S, I, C):
    x1 = bottomhalf(I)
    x2 = mir_rot_t(x1, A0)
    O = vconcat(x2, x1)
    return O


# Gray takes the other colour, the other colour turns black.
def solve_f76d97a5(S, I, C):
    x1 = p_g(I)
    x2 = other_t(x1, GRAY)
    x3 = replace(I, x2, BLACK)
    O = replace(x3, GRAY, x2)
    return O


# Reflect the gray patterns across the walls they are next to.
def solve_f8a8fe49(S, I, C):
    x1 = f_ofcolor(I, RED)
    x2 = col_row(x1, R1)
    x3 = center(x1)
    x4 = get_nth_t(x3, L1)
    x5 = astuple(x2, x4)
    x6 = index(I, x5)
    x7 = equality(x6, RED)
    x8 = branch(x7, A7, A1)
    x9 = mir_rot_t(I, x8)
    x10 = f_ofcolor(x9, RED)
    x11 = f_ofcolor(x9, GRAY)
    x12 = center(x10)
    x13 = get_nth_t(x12, F0)
    x14 = lbind(greater, x13)
    x15 = compose(x14, first_t)
    x16 = sfilter_f(x11, x15)
    x17 = difference(x11, x16)
    x18 = fork(add, uppermost_i, lowermost_i)
    x19 = col_row(x10, R1)
    x20 = double(x19)
    x21 = x18(x16)
    x22 = subtract(x20, x21)
    x23 = toivec(x22)
    x24 = mir_rot_f(x16, A0)
    x25 = shift(x24, x23)
    x26 = col_row(x10, R0)
    x27 = double(x26)
    x28 = x18(x17)
    x29 = subtract(x27, x28)
    x30 = toivec(x29)
    x31 = mir_rot_f(x17, A0)
    x32 = shift(x31, x30)
    x33 = replace(x9, GRAY, BLACK)
    x34 = combine_f(x25, x32)
    x35 = fill(x33, GRAY, x34)
    O = mir_rot_t(x35, x8)
    return O


# List the rarer colours, the most frequent first.
def solve_f8b3ba0a(S, I, C):
    x1 = interval(TWO, FIVE, ONE)
    x2 = lbind(get_color_rank_t, I)
    x3 = apply_t(x2, x1)
    x4 = interval(ZERO, THREE, ONE)
    x5 = apply_t(toivec, x4)
    x6 = celltuple(x5, x3)
    x7 = astuple(THREE, ONE)
    x8 = canvas(BLACK, x7)
    O = paint(x8, x6)
    return O


# List the colours of the three shapes by size.
def solve_f8ff0b80(S, I, C):
    x1 = o_g(I, R7)
    x2 = lbind(get_arg_rank_f, x1)
    x3 = lbind(x2, size_f)
    x4 = compose(color, x3)
    x5 = interval(ZERO, THREE, ONE)
    x6 = apply_t(x4, x5)
    x7 = repeat(x6, ONE)
    O = mir_rot_t(x7, A1)
    return O


# Mark the cells that are empty in both halves.
def solve_fafffa47(S, I, C):
    x1 = tophalf(I)
    x2 = f_ofcolor(x1, BLACK)
    x3 = bottomhalf(I)
    x4 = f_ofcolor(x3, BLACK)
    x5 = intersection(x2, x4)
    x6 = shape_t(x1)
    x7 = canvas(BLACK, x6)
    O = fill(x7, RED, x5)
    return O


# Crop the largest frame and give it the colour of its dots.
def solve_fcb5c309(S, I, C):
    x1 = o_g(I, R5)
    x2 = get_arg_rank_f(x1, size_f, F0)
    x3 = subgrid(x2, I)
    x4 = get_color_rank_f(x2, F0)
    x5 = get_color_rank_t(x3, L1)
    O = replace(x3, x4, x5)
    return O


# Show what the blue square hides, using the half-turn symmetry.
def solve_ff805c23(S, I, C):
    x1 = f_ofcolor(I, BLUE)
    x2 = mir_rot_t(I, A5)
    O = subgrid(x1, x2)
    return O
