# Colours: the ten of them, and those that a grid, an object or the samples tell.

color 1: BLACK
color 2: BLUE
color 2: RED
color 2: GREEN
color 2: YELLOW
color 2: GRAY
color 3: MAGENTA
color 3: ORANGE
color 2: CYAN
color 3: BURGUNDY

color 2: mostcolor(I)
color 2: leastcolor(I)
color 3: get_color_rank_t(I, F1)
color 4: get_color_rank_t(I, F2)
color 4: get_color_rank_t(I, L2)
color 3: mostcommon(remove(ZERO, merge(I)))
color 3: color(?object)
color 3: color(argmax(?objects, ?measure))
color 3: color(argmin(?objects, ?measure))
color 2: color(argmax(o_g(I, R5), ?measure))
color 4: color(extract(?objects, ?predicate))
color 3: mostcolor(?object)
color 3: leastcolor(?object)
color 4: mostcolor(?grid)
color 4: leastcolor(?grid)
color 4: other(palette(?grid), ZERO)
color 4: other(palette(?object), color(?object))
color 4: other(remove(ZERO, palette(I)), ?color)
color 4: index(I, ORIGIN)
color 5: index(?grid, ?vector)
color 4: color(merge(frontiers(I)))
color 4: mostcommon(apply(color, totuple(?objects)))
color 4: leastcommon(apply(color, totuple(?objects)))

# Told by the samples: colours that only their outputs have, and those that only their inputs have.
color 2: c_zo_n(S, p_g, rbind(get_nth_t, F0))
color 4: c_zo_n(S, p_g, rbind(get_nth_t, F1))
color 3: c_iz_n(S, p_g, rbind(get_nth_t, F0))
color 4: c_iz_n(S, p_g, rbind(get_nth_t, F1))

# One colour if the input is symmetric, else another.
color 5: branch(equality(I, vmirror(I)), ?color1, ?color2)
color 6: branch(equality(I, hmirror(I)), ?color1, ?color2)
color 6: branch(equality(I, dmirror(I)), ?color1, ?color2)
