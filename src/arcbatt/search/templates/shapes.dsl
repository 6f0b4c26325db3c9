# Shapes: holes, gaps and parts of objects, their symmetries, the shape up to turns.

# Holes of the input as objects.
predicate 3: chain(positive, size, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)))
measure 5: compose(size, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)))
measure 4: chain(size, rbind(o_g, R5), compose(lbind(lbind(fill, canvas(ZERO, shape(I))), ONE), compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize))))
indices 3: mapply(fork(shift, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)), ulcorner), ?objects)
object 4: mapply(fork(recolor, color, fork(shift, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)), ulcorner)), ?objects)
object 5: mapply(fork(recolor, ?measure, fork(shift, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)), ulcorner)), ?objects)

# Frames, lines along a diagonal, symmetry.
predicate 4: fork(equality, toindices, box)
predicate 4: fork(both, fork(equality, size, height), fork(equality, height, width))
predicate 4: fork(either, fork(equality, identity, vmirror), fork(equality, identity, hmirror))
predicate 4: fork(both, fork(equality, identity, vmirror), fork(equality, identity, hmirror))

# The shape up to turns.
measure 4: chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize))

# Gaps in the outline.
indices 3: mapply(fork(difference, box, toindices), ?objects)
indices 4: mapply(fork(shoot, compose(center, delta), compose(sign, fork(subtract, chain(double, center, delta), fork(add, ulcorner, lrcorner)))), ?objects)
object 4: mapply(fork(recolor, color, fork(shoot, compose(center, delta), compose(sign, fork(subtract, chain(double, center, delta), fork(add, ulcorner, lrcorner))))), ?objects)

# First and last rows and columns of each, halves, middle lines.
indices 4: mapply(fork(sfilter, toindices, compose(lbind(matcher, first), uppermost)), ?objects)
indices 4: mapply(fork(sfilter, toindices, compose(lbind(matcher, first), lowermost)), ?objects)
indices 4: mapply(fork(sfilter, toindices, compose(lbind(matcher, last), leftmost)), ?objects)
indices 4: mapply(fork(sfilter, toindices, compose(lbind(matcher, last), rightmost)), ?objects)
indices 5: mapply(fork(shift, chain(asindices, tophalf, rbind(subgrid, I)), ulcorner), ?objects)
indices 5: mapply(fork(shift, chain(asindices, lefthalf, rbind(subgrid, I)), ulcorner), ?objects)
indices 4: mapply(fork(intersection, backdrop, compose(hfrontier, center)), ?objects)
indices 4: mapply(fork(intersection, backdrop, compose(vfrontier, center)), ?objects)
indices 5: mapply(fork(combine, fork(connect, ulcorner, lrcorner), fork(connect, urcorner, llcorner)), ?objects)

# Each made symmetric, mirrored beyond itself, its two colours exchanged.
object 4: mapply(fork(combine, identity, vmirror), ?objects)
object 4: mapply(fork(combine, identity, hmirror), ?objects)
object 5: mapply(fork(combine, identity, compose(hmirror, vmirror)), ?objects)
object 4: mapply(fork(shift, vmirror, compose(tojvec, width)), ?objects)
object 5: mapply(fork(shift, vmirror, chain(tojvec, invert, width)), ?objects)
object 4: mapply(fork(shift, hmirror, compose(toivec, height)), ?objects)
object 5: mapply(fork(shift, hmirror, chain(toivec, invert, height)), ?objects)
object 4: mapply(fork(combine, fork(recolor, leastcolor, fork(sfilter, identity, compose(lbind(matcher, first), mostcolor))), fork(recolor, mostcolor, fork(sfilter, identity, compose(lbind(matcher, first), leastcolor)))), ?objects)
object 5: mapply(fork(combine, fork(combine, identity, compose(vmirror, dmirror)), fork(combine, compose(hmirror, vmirror), compose(hmirror, dmirror))), ?objects)

# Lines of any direction, extended both ways.
indices 4: combine(mapply(fork(combine, fork(shoot, lrcorner, chain(sign, decrement, shape)), fork(shoot, ulcorner, compose(invert, chain(sign, decrement, shape)))), sfilter(?objects, fork(contained, ulcorner, toindices))), mapply(fork(combine, compose(rbind(shoot, UP_RIGHT), urcorner), compose(rbind(shoot, DOWN_LEFT), llcorner)), sfilter(?objects, compose(flip, fork(contained, ulcorner, toindices)))))
object 4: combine(mapply(fork(recolor, color, fork(combine, fork(shoot, lrcorner, chain(sign, decrement, shape)), fork(shoot, ulcorner, compose(invert, chain(sign, decrement, shape))))), sfilter(?objects, fork(contained, ulcorner, toindices))), mapply(fork(recolor, color, fork(combine, compose(rbind(shoot, UP_RIGHT), urcorner), compose(rbind(shoot, DOWN_LEFT), llcorner))), sfilter(?objects, compose(flip, fork(contained, ulcorner, toindices)))))

# Mirrored about its last line, which stays one line.
grid 3: vconcat(I, crop(hmirror(I), DOWN, shape(I)))
grid 3: hconcat(I, crop(vmirror(I), RIGHT, shape(I)))
grid 4: vconcat(?grid, crop(hmirror(?grid), DOWN, shape(?grid)))
grid 4: hconcat(?grid, crop(vmirror(?grid), RIGHT, shape(?grid)))
grid 5: vconcat(hmirror(?grid), crop(?grid, DOWN, shape(?grid)))
grid 5: hconcat(vmirror(?grid), crop(?grid, RIGHT, shape(?grid)))

# A canvas of the background.
grid 4: canvas(mostcolor(I), ?vector)
