# Relations: what an object contains, touches, is next to, shares with others; objects moved and copied to others.

# Inside another, with something inside, beside a colour.
predicate 3: chain(positive, size, compose(lbind(intersection, mapply(delta, o_g(I, R5))), toindices))
predicate 3: chain(positive, size, compose(lbind(intersection, difference(asindices(I), ofcolor(I, ZERO))), delta))
predicate 4: compose(lbind(contained, ?color), compose(palette, rbind(subgrid, I)))
predicate 4: chain(positive, size, compose(lbind(intersection, mapply(neighbors, ofcolor(I, ?color))), toindices))
predicate 4: rbind(hmatching, ofcolor(I, ?color))
predicate 4: rbind(vmatching, ofcolor(I, ?color))
predicate 4: matcher(chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)), first(apply(chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)), initset(?object))))

# The colour that is inside, that touches, that surrounds; how much is inside.
measure 3: fork(other, compose(lbind(remove, ZERO), compose(palette, rbind(subgrid, I))), color)
measure 3: fork(other, compose(lbind(remove, ZERO), compose(palette, chain(rbind(toobject, I), lbind(mapply, dneighbors), toindices))), color)
measure 4: chain(mostcolor, rbind(toobject, I), outbox)
measure 4: chain(size, lbind(intersection, difference(asindices(I), ofcolor(I, ZERO))), delta)
measure 4: compose(rbind(colorcount, ?color), rbind(subgrid, I))
measure 5: compose(lbind(colorcount, I), color)

# Objects that share something with another one, and those that do not.
objects 4: sfilter(?objects, compose(rbind(greater, ONE), chain(size, lbind(sfilter, apply(?measure, totuple(?objects))), compose(lbind(matcher, identity), ?measure))))
objects 4: sfilter(?objects, matcher(chain(size, lbind(sfilter, apply(?measure, totuple(?objects))), compose(lbind(matcher, identity), ?measure)), ONE))

# Each in the colour of the nearest, or of the one of its shape.
object 4: mapply(fork(recolor, compose(color, compose(lbind(argmin, ?objects2), lbind(lbind, manhattan))), identity), ?objects1)
object 5: mapply(fork(recolor, compose(color, fork(argmin, rbind(remove, ?objects), lbind(lbind, manhattan))), identity), ?objects)
object 5: mapply(fork(recolor, chain(color, lbind(extract, ?objects2), compose(lbind(matcher, chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize))), chain(lbind(mapply, fork(insert, identity, compose(initset, dmirror))), lbind(mapply, fork(insert, identity, compose(initset, hmirror))), chain(fork(insert, identity, compose(initset, vmirror)), toindices, normalize)))), identity), ?objects1)

# Each moved to the nearest, or to the one of its colour.
object 4: mapply(fork(shift, identity, fork(gravitate, identity, compose(lbind(argmin, ?objects2), lbind(lbind, manhattan)))), ?objects1)
object 5: mapply(fork(shift, identity, fork(gravitate, identity, chain(lbind(extract, ?objects2), lbind(matcher, color), color))), ?objects1)
objects 3: difference(o_g(I, R5), sizefilter(o_g(I, R5), ONE))

# Moved to the rows or columns of another.
object 5: shift(?object1, toivec(subtract(uppermost(?object2), uppermost(?object1))))
object 5: shift(?object1, tojvec(subtract(leftmost(?object2), leftmost(?object1))))

# Copied to marks: by its centre, and by its own cells of the marks' colour.
object 4: mapply(lbind(shift, shift(?object, invert(center(?object)))), ?indices)
object 3: mapply(lbind(shift, shift(?object, invert(center(sfilter(?object, matcher(first, ?color)))))), ofcolor(I, ?color))

# The edges of the input.
object 4: toobject(connect(ORIGIN, toivec(decrement(height(I)))), I)
object 4: toobject(connect(ORIGIN, tojvec(decrement(width(I)))), I)
object 4: toobject(connect(tojvec(decrement(width(I))), decrement(shape(I))), I)
object 4: toobject(connect(toivec(decrement(height(I))), decrement(shape(I))), I)
