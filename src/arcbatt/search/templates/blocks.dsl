# Building blocks: layers, panels, enclosed areas, rectangles, neighbours, completed patterns, rays, gravity and
# products of grids.

# Layers and panels.
grid 3: overlay(?grid1, ?grid2, ZERO)
grid 5: overlay(?grid1, ?grid2, ?color)
grid 3: overlay(first(?grids), last(?grids), ZERO)
grid 3: overlay(last(?grids), first(?grids), ZERO)
grids 1: panels(I)
grids 4: panels(?grid)
grid 3: condense(I)
grid 5: condense(?grid)

# Panels in rows: one colour, or one number, for each; all changed and put together again; some of them.
grid 2: apply(lbind(apply, mostcolor), panel_rows(I))
grid 2: apply(lbind(apply, leastcolor), panel_rows(I))
grid 3: apply(lbind(apply, compose(maximum, palette)), panel_rows(I))
grid 4: apply(lbind(apply, compose(minimum, palette)), panel_rows(I))
grid 4: apply(lbind(apply, numcolors), panel_rows(I))
grid 4: apply(lbind(apply, rbind(colorcount, ?color)), panel_rows(I))
grid 4: apply(lbind(apply, compose(lbind(contained, ?color), palette)), panel_rows(I))
grid 4: apply(lbind(apply, matcher(rbind(colorcount, ZERO), valmin(panels(I), rbind(colorcount, ZERO)))), panel_rows(I))
grid 4: joined(apply(lbind(apply, ?change), panel_rows(I)))
grid 4: joined(panel_rows(I))
grids 3: first(panel_rows(I))
grids 3: last(panel_rows(I))
grids 4: apply(first, panel_rows(I))
grids 4: apply(last, panel_rows(I))

# Enclosed areas and areas that starts reach.
indices 1: enclosed(I, ZERO)
indices 3: difference(ofcolor(I, ZERO), enclosed(I, ZERO))
indices 3: enclosed(I, ?color)
indices 5: enclosed(?grid, ZERO)
indices 3: flood(I, ?indices)
indices 3: flood(I, ?object)
indices 5: flood(?grid, ?indices)
indices 4: flood(I, initset(ORIGIN))
indices 4: flood(I, mapply(dneighbors, ?indices))
indices 4: flood(I, mapply(outbox, ?objects))
object 3: mapply(fork(recolor, color, lbind(flood, fill(I, ZERO, merge(?objects)))), ?objects)
grid 3: nearest(I, ZERO)
grid 5: nearest(?grid, ?color)

# Holes of objects.
measure 3: holes
predicate 3: compose(positive, holes)
predicate 3: matcher(holes, ZERO)
predicate 4: matcher(holes, ONE)
color 4: holes(?object)

# The largest rectangle of a colour, cells among many of a colour, lone cells.
indices 2: rectangle(I, ZERO)
indices 3: rectangle(I, ?color)
indices 5: rectangle(?grid, ?color)
grid 3: subgrid(rectangle(I, ?color), I)
grid 2: stripped(I, ZERO)
grid 4: stripped(?grid, ?color)
indices 4: crowded(I, ?color, ?number)
indices 4: dcrowded(I, ?color, ?number)
indices 4: intersection(ofcolor(I, ?color1), crowded(I, ?color2, ?number))
indices 4: intersection(ofcolor(I, ?color1), dcrowded(I, ?color2, ?number))
grid 3: denoised(I)
grid 4: denoised(?grid)

# Patterns completed where a colour hides them.
grid 2: symmetric(I, ZERO)
grid 2: symmetric(I, ?color)
grid 6: symmetric(?grid, ?color)
grid 2: periodic(I, ZERO)
grid 2: periodic(I, ?color)
grid 6: periodic(?grid, ?color)
grid 2: subgrid(ofcolor(I, ?color), symmetric(I, ?color))
grid 3: subgrid(ofcolor(I, ?color), periodic(I, ?color))
grid 6: symmetric(subgrid(?object, I), ZERO)
object 6: shift(asobject(symmetric(subgrid(?object, I), ZERO)), ulcorner(?object))

# Each row, or each column, continued by itself.
grid 4: merge(apply(rbind(periodic, ZERO), vsplit(I, height(I))))
grid 4: dmirror(merge(apply(rbind(periodic, ZERO), vsplit(dmirror(I), width(I)))))
# A pattern continued on a larger grid: -1 is the colour of what is not known yet.
grid 3: periodic(overlay(canvas(NEG_ONE, ?vector), I, NEG_TWO), NEG_ONE)
grid 3: periodic(overlay(canvas(NEG_ONE, shape(last(first(S)))), I, NEG_TWO), NEG_ONE)
grid 5: periodic(overlay(canvas(NEG_ONE, ?vector), ?grid, NEG_TWO), NEG_ONE)

# Cells of a colour in the colour of the nearest other cell.
object 3: toobject(ofcolor(I, ?color), nearest(replace(I, ?color, ZERO), ZERO))
# What is taken away gets the colour of what is nearest, also of the background.
grid 3: nearest(replace(I, ?color, NEG_ONE), NEG_ONE)
grid 4: nearest(fill(I, NEG_ONE, merge(sizefilter(o_g(I, R4), ONE))), NEG_ONE)
grid 5: nearest(fill(I, NEG_ONE, ?indices), NEG_ONE)
grid 4: nearest(replace(I, ?color, ZERO), ZERO)
object 4: toobject(ofcolor(I, ?color), smear(replace(I, ?color, ZERO), ?vector, ZERO))

# Rays and smears that end at what is not free.
grid 3: smear(I, ?vector, ZERO)
grid 5: smear(?grid, ?vector, ZERO)
grid 5: smear(I, ?vector, ?color)
indices 3: rays(I, ?indices, ?vector, ZERO)
indices 4: rays(I, ?object, ?vector, ZERO)
indices 5: rays(I, ?indices, ?vector, ?color)
indices 3: combine(combine(rays(I, ?indices, UP, ZERO), rays(I, ?indices, DOWN, ZERO)), combine(rays(I, ?indices, LEFT, ZERO), rays(I, ?indices, RIGHT, ZERO)))
indices 3: combine(rays(I, ?indices, LEFT, ZERO), rays(I, ?indices, RIGHT, ZERO))
indices 3: combine(rays(I, ?indices, UP, ZERO), rays(I, ?indices, DOWN, ZERO))
indices 4: combine(combine(rays(I, ?indices, UNITY, ZERO), rays(I, ?indices, NEG_UNITY, ZERO)), combine(rays(I, ?indices, UP_RIGHT, ZERO), rays(I, ?indices, DOWN_LEFT, ZERO)))
object 3: linked(I, ?vector, ZERO)
indices 4: intersection(rays(I, ?indices, LEFT, ZERO), rays(I, ?indices, RIGHT, ZERO))
indices 4: intersection(rays(I, ?indices, UP, ZERO), rays(I, ?indices, DOWN, ZERO))
indices 4: combine(combine(intersection(rays(I, ofcolor(I, ?color1), LEFT, ZERO), rays(I, ofcolor(I, ?color2), RIGHT, ZERO)), intersection(rays(I, ofcolor(I, ?color1), RIGHT, ZERO), rays(I, ofcolor(I, ?color2), LEFT, ZERO))), combine(intersection(rays(I, ofcolor(I, ?color1), UP, ZERO), rays(I, ofcolor(I, ?color2), DOWN, ZERO)), intersection(rays(I, ofcolor(I, ?color1), DOWN, ZERO), rays(I, ofcolor(I, ?color2), UP, ZERO))))
indices 5: combine(combine(intersection(rays(I, ?indices1, LEFT, ZERO), rays(I, ?indices2, RIGHT, ZERO)), intersection(rays(I, ?indices1, RIGHT, ZERO), rays(I, ?indices2, LEFT, ZERO))), combine(intersection(rays(I, ?indices1, UP, ZERO), rays(I, ?indices2, DOWN, ZERO)), intersection(rays(I, ?indices1, DOWN, ZERO), rays(I, ?indices2, UP, ZERO))))
object 5: linked(?grid, ?vector, ZERO)
object 2: combine(linked(I, DOWN, ZERO), linked(I, RIGHT, ZERO))
object 3: combine(linked(I, UNITY, ZERO), linked(I, UP_RIGHT, ZERO))
object 4: combine(linked(I, DOWN, mostcolor(I)), linked(I, RIGHT, mostcolor(I)))

# Gaps along lines.
indices 3: between(?indices, ?vector)
indices 3: between(?object, ?vector)
indices 2: combine(between(?indices, DOWN), between(?indices, RIGHT))
indices 4: mapply(rbind(between, ?vector), ?objects)
object 4: mapply(fork(recolor, color, rbind(between, ?vector)), ?objects)
object 2: mapply(fork(recolor, color, fork(combine, rbind(between, DOWN), rbind(between, RIGHT))), ?objects)

# Gravity of cells and of objects.
grid 3: settle(I, ?vector, ZERO)
grid 5: settle(?grid, ?vector, ZERO)
grid 2: sink(I, ?vector, ZERO)
grid 4: sink(I, ?vector, ?color)
grid 4: sink(?grid, ?vector, ZERO)

# Tiles and products.
grid 3: tile(I, ?vector)
grid 4: tile(?grid, ?vector)
grid 2: tile(I, double(shape(I)))
grid 2: tile(I, multiply(shape(I), THREE))
grid 2: tile(I, multiply(shape(I), shape(I)))
grid 4: tile(I, shape(I))
grid 2: outer(I, I, ZERO)
grid 2: outer(fill(canvas(ZERO, shape(I)), ONE, ofcolor(I, ?color)), I, ZERO)
grid 4: outer(fill(canvas(ZERO, shape(I)), ONE, ofcolor(I, ?color)), ?grid, ZERO)
grid 5: outer(?grid, ?grid, ZERO)
grid 6: outer(?grid1, ?grid2, ZERO)
grid 6: outer(?grid, ?grid, ?color)
grid 3: outer_color(I, I, ZERO)
grid 6: outer_color(?grid1, ?grid2, ZERO)
