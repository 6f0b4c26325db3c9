# Relations: what an object contains, touches, is next to, shares with others; objects moved and copied to others.

# Inside another, with something inside, beside a colour.
predicate 3: chain(positive, size, compose(lbind(intersection, mapply(fork(shift, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)), ulcorner), o_g(I, R5))), toindices))
predicate 4: chain(positive, size, compose(lbind(intersection, mapply(delta, o_g(I, R5))), toindices))
predicate 4: chain(positive, size, compose(lbind(intersection, difference(asindices(I), ofcolor(I, ZERO))), delta))
predicate 4: compose(lbind(contained, ?color), compose(palette, rbind(subgrid, I)))
predicate 4: chain(positive, size, compose(lbind(intersection, mapply(neighbors, ofcolor(I, ?color))), toindices))
predicate 4: rbind(hmatching, ofcolor(I, ?color))
predicate 4: rbind(vmatching, ofcolor(I, ?color))
predicate 4: matcher(chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)), first(apply(chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)), initset(?object))))

# The colour that is inside, that touches, that surrounds; how much is inside.
measure 4: fork(other, compose(lbind(remove, ZERO), compose(palette, rbind(subgrid, I))), color)
measure 4: fork(other, compose(lbind(remove, ZERO), compose(palette, chain(rbind(toobject, I), lbind(mapply, dneighbors), toindices))), color)
measure 5: chain(mostcolor, rbind(toobject, I), outbox)
measure 5: chain(size, lbind(intersection, difference(asindices(I), ofcolor(I, ZERO))), delta)
measure 5: compose(rbind(colorcount, ?color), rbind(subgrid, I))
measure 5: compose(lbind(colorcount, I), color)

# Objects that share something with another one, and those that do not.
objects 4: sfilter(?objects, compose(rbind(greater, ONE), chain(size, lbind(sfilter, apply(?measure, totuple(?objects))), compose(lbind(matcher, identity), ?measure))))
objects 4: sfilter(?objects, matcher(chain(size, lbind(sfilter, apply(?measure, totuple(?objects))), compose(lbind(matcher, identity), ?measure)), ONE))

# Each in the colour of the nearest, or of the one of its shape.
object 4: mapply(fork(recolor, compose(color, compose(lbind(argmin, ?objects2), lbind(lbind, manhattan))), identity), ?objects1)
object 5: mapply(fork(recolor, compose(color, fork(argmin, rbind(remove, ?objects), lbind(lbind, manhattan))), identity), ?objects)
object 7: mapply(fork(recolor, chain(color, lbind(extract, ?objects2), compose(lbind(matcher, chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize))), chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)))), identity), ?objects1)

# Each moved to the nearest, or to the one of its colour.
object 4: mapply(fork(shift, identity, fork(gravitate, identity, compose(lbind(argmin, ?objects2), lbind(lbind, manhattan)))), ?objects1)
object 5: mapply(fork(shift, identity, fork(gravitate, identity, chain(lbind(extract, ?objects2), lbind(matcher, color), color))), ?objects1)
objects 4: difference(o_g(I, R5), sizefilter(o_g(I, R5), ONE))

# Copied to marks: by its centre, and by its own cells of the marks' colour.
object 4: mapply(lbind(shift, shift(?object, invert(center(?object)))), ?indices)
object 3: mapply(lbind(shift, shift(?object, invert(center(sfilter(?object, matcher(first, ?color)))))), ofcolor(I, ?color))

# The edges of the input.
object 5: toobject(connect(ORIGIN, toivec(decrement(height(I)))), I)
object 5: toobject(connect(ORIGIN, tojvec(decrement(width(I)))), I)
object 5: toobject(connect(tojvec(decrement(width(I))), decrement(shape(I))), I)
object 5: toobject(connect(toivec(decrement(height(I))), decrement(shape(I))), I)

# All others of the shape of an object.
indices 3: toindices(merge(remove(?object, sfilter(o_g(I, R5), matcher(compose(toindices, normalize), toindices(normalize(?object)))))))
indices 4: toindices(merge(remove(?object, sfilter(o_g(I, R7), matcher(compose(toindices, normalize), toindices(normalize(?object)))))))
indices 6: toindices(merge(remove(?object, sfilter(o_g(I, R5), matcher(chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)), first(apply(chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)), initset(?object))))))))
object 3: argmin(o_g(I, R5), fork(add, lowermost, rightmost))

object 4: recolor(color(?object), toindices(merge(sfilter(o_g(I, R5), matcher(compose(toindices, normalize), toindices(normalize(?object)))))))
object 4: extract(o_g(I, R5), chain(positive, size, compose(lbind(intersection, mapply(fork(shift, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)), ulcorner), o_g(I, R5))), toindices)))
objects 4: sfilter(o_g(I, R5), chain(positive, size, compose(lbind(intersection, mapply(fork(shift, compose(rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)), ulcorner), o_g(I, R5))), toindices)))

# Objects like those of another collection.
objects 5: sfilter(?objects1, compose(rbind(contained, apply(?measure, ?objects2)), ?measure))

# Single cells moved to the larger object of their colour.
object 4: mapply(fork(shift, identity, fork(gravitate, identity, chain(lbind(extract, difference(o_g(I, R5), sizefilter(o_g(I, R5), ONE))), lbind(matcher, color), color))), sfilter(sizefilter(o_g(I, R5), ONE), compose(rbind(contained, palette(merge(difference(o_g(I, R5), sizefilter(o_g(I, R5), ONE))))), color)))

# The object of most colours set on marks.
object 3: mapply(lbind(shift, shift(argmax(o_g(I, R3), numcolors), invert(center(argmax(o_g(I, R3), numcolors))))), ofcolor(I, ?color))

# Colours of the single cell and of the corners.
color 3: color(first(sizefilter(o_g(I, R5), ONE)))
color 4: index(I, decrement(shape(I)))
color 4: index(I, tojvec(decrement(width(I))))
color 4: index(I, toivec(decrement(height(I))))

# Colours in reverse order of size, and each in that of the next.
object 4: shift(mpapply(recolor, apply(color, order(?objects, compose(invert, size))), order(?objects, size)), ORIGIN)
object 5: shift(mpapply(recolor, apply(color, combine(remove(first(order(?objects, ?measure)), order(?objects, ?measure)), repeat(first(order(?objects, ?measure)), ONE))), order(?objects, ?measure)), ORIGIN)

# Where the background is not 0.
indices 3: combine(combine(rays(I, ofcolor(I, ?color1), UP, ?color2), rays(I, ofcolor(I, ?color1), DOWN, ?color2)), combine(rays(I, ofcolor(I, ?color1), LEFT, ?color2), rays(I, ofcolor(I, ?color1), RIGHT, ?color2)))
indices 4: combine(combine(rays(I, ofcolor(I, ?color1), UNITY, ?color2), rays(I, ofcolor(I, ?color1), NEG_UNITY, ?color2)), combine(rays(I, ofcolor(I, ?color1), UP_RIGHT, ?color2), rays(I, ofcolor(I, ?color1), DOWN_LEFT, ?color2)))
indices 4: rays(I, ofcolor(I, ?color), ?vector, mostcolor(I))
object 4: combine(linked(I, UNITY, mostcolor(I)), linked(I, UP_RIGHT, mostcolor(I)))
grid 4: smear(I, ?vector, mostcolor(I))
grid 4: settle(I, ?vector, mostcolor(I))
grid 4: sink(I, ?vector, mostcolor(I))
