# Functions of an object: predicates that choose, measures that rank and tell apart; and changes of grids.

predicate 2: rbind(bordering, I)
predicate 2: compose(flip, rbind(bordering, I))
predicate 2: matcher(color, ?color)
predicate 3: compose(flip, matcher(color, ?color))
predicate 2: matcher(size, ONE)
predicate 2: compose(flip, matcher(size, ONE))
predicate 3: matcher(size, ?number)
predicate 3: square
predicate 3: hline
predicate 3: vline
predicate 3: portrait
predicate 4: fork(either, hline, vline)
predicate 4: matcher(numcolors, ONE)
predicate 3: compose(flip, matcher(numcolors, ONE))
predicate 4: matcher(numcolors, ?number)
predicate 3: compose(positive, compose(size, delta))
predicate 3: matcher(compose(size, delta), ZERO)
predicate 4: matcher(chain(size, rbind(o_g, R5), fork(paint, compose(lbind(canvas, ZERO), shape), chain(lbind(recolor, ONE), rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize)))), ?number)
predicate 3: compose(positive, compose(size, compose(rbind(enclosed, ZERO), rbind(subgrid, I))))
predicate 3: fork(equality, identity, vmirror)
predicate 4: fork(equality, identity, hmirror)
predicate 4: fork(equality, identity, dmirror)
predicate 5: compose(flip, fork(equality, identity, vmirror))
predicate 3: compose(lbind(contained, ?color), palette)
predicate 3: rbind(adjacent, ?object)
predicate 3: rbind(adjacent, ofcolor(I, ?color))
predicate 4: matcher(color, color(?object))
predicate 4: rbind(hmatching, ?object)
predicate 4: rbind(vmatching, ?object)
predicate 4: rbind(adjacent, ?indices)
predicate 4: compose(positive, compose(size, compose(lbind(intersection, ?indices), toindices)))
predicate 4: matcher(shape, ?vector)
predicate 3: matcher(normalize, normalize(?object))
predicate 4: matcher(compose(toindices, normalize), toindices(normalize(?object)))
predicate 4: matcher(?measure, ?number)
predicate 4: compose(rbind(greater, ?number), ?measure)
predicate 4: compose(rbind(greater, TWO), size)
predicate 5: compose(lbind(greater, ?number), size)
predicate 3: compose(even, size)
predicate 3: compose(even, height)
predicate 4: matcher(uppermost, ZERO)
predicate 4: matcher(leftmost, ZERO)
predicate 4: matcher(lowermost, decrement(height(I)))
predicate 4: matcher(rightmost, decrement(width(I)))
predicate 4: compose(rbind(greater, ONE), compose(minimum, shape))
predicate 3: fork(equality, height, width)
predicate 4: fork(greater, width, height)
predicate 4: fork(equality, size, compose(decrement, fork(add, height, width)))
predicate 5: compose(flip, ?predicate)
predicate 5: fork(both, ?predicate1, ?predicate2)
predicate 5: fork(either, ?predicate1, ?predicate2)
predicate 4: matcher(palette, palette(?object))

# Keys to rank objects by, or to tell the odd one.
measure 1: size
measure 2: height
measure 2: width
measure 2: uppermost
measure 2: leftmost
measure 4: lowermost
measure 4: rightmost
measure 2: color
measure 3: numcolors
measure 4: mostcolor
measure 3: leastcolor
measure 3: shape
measure 3: normalize
measure 3: compose(toindices, normalize)
measure 3: compose(size, delta)
measure 4: chain(size, rbind(o_g, R5), fork(paint, compose(lbind(canvas, ZERO), shape), chain(lbind(recolor, ONE), rbind(enclosed, ZERO), fork(paint, compose(lbind(canvas, ZERO), shape), normalize))))
measure 4: compose(size, backdrop)
measure 3: rbind(colorcount, ?color)
measure 4: lbind(manhattan, ?object)
measure 4: compose(maximum, shape)
measure 5: compose(minimum, shape)
measure 4: palette
measure 4: fork(colorcount, identity, leastcolor)
measure 4: fork(colorcount, identity, mostcolor)
measure 5: center
measure 5: square
measure 5: portrait
measure 5: vline
measure 5: hline
measure 4: fork(equality, identity, vmirror)
measure 5: fork(equality, identity, hmirror)
measure 5: fork(equality, identity, dmirror)
measure 5: compose(size, compose(rbind(o_g, R5), rbind(subgrid, I)))
measure 4: compose(size, rbind(sfilter, compose(flip, matcher(first, ZERO))))
measure 5: hperiod
measure 5: vperiod

# Grid to grid, to be mapped over several.
change 2: vmirror
change 2: hmirror
change 3: rot180
change 3: dmirror
change 3: rot90
change 4: rot270
change 4: cmirror
change 4: trim
change 4: rbind(symmetric, ZERO)
change 5: rbind(periodic, ZERO)
change 5: fork(rbind(overlay, ZERO), vmirror, identity)
change 5: fork(rbind(overlay, ZERO), hmirror, identity)
change 5: fork(rbind(overlay, ZERO), rot180, identity)
change 4: compress
change 5: lefthalf
change 5: tophalf
change 5: rbind(upscale, TWO)
change 5: rbind(upscale, THREE)
change 5: rbind(downscale, TWO)
