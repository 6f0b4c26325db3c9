# Numbers and vectors: counts, sizes, directions and places.

number 2: ONE
number 2: TWO
number 2: THREE
number 3: FOUR
number 3: FIVE
number 4: SIX
number 3: height(I)
number 3: width(I)
number 3: numcolors(I)
number 3: decrement(numcolors(I))
number 3: size(?objects)
number 3: size(ofcolor(I, ?color))
number 4: size(occurrences(I, asobject(canvas(?color, TWO_BY_TWO))))
number 4: size(?indices)
number 4: size(?object)
number 3: height(?object)
number 3: width(?object)
number 5: height(?grid)
number 5: width(?grid)
number 5: numcolors(?object)
number 3: valmax(?objects, ?measure)
number 4: valmin(?objects, ?measure)
number 5: size(dedupe(apply(?measure, totuple(?objects))))
number 4: double(?number)
number 4: halve(?number)
number 4: increment(?number)
number 4: decrement(?number)
number 5: add(?number1, ?number2)
number 5: subtract(?number1, ?number2)
number 5: multiply(?number1, ?number2)
number 5: divide(?number1, ?number2)
number 5: uppermost(?object)
number 5: leftmost(?object)

# Directions.
vector 2: UP
vector 2: DOWN
vector 2: LEFT
vector 2: RIGHT
vector 3: UNITY
vector 3: NEG_UNITY
vector 3: UP_RIGHT
vector 3: DOWN_LEFT
vector 4: position(?object1, ?object2)
vector 4: gravitate(?object1, ?object2)

# Shapes.
vector 1: shape(I)
vector 2: shape(?object)
vector 3: shape(first(?grids))
vector 4: shape(?grid)
vector 4: shape(?indices)
vector 3: TWO_BY_TWO
vector 2: THREE_BY_THREE
vector 3: double(shape(I))
vector 3: multiply(shape(I), THREE)
vector 3: multiply(shape(I), shape(I))
vector 3: multiply(shape(I), numcolors(I))
vector 4: multiply(shape(I), decrement(numcolors(I)))
vector 3: halve(shape(I))
vector 4: divide(shape(I), THREE)
vector 4: decrement(halve(shape(I)))
vector 4: increment(shape(I))
vector 4: increment(increment(shape(I)))
vector 4: decrement(decrement(shape(I)))
vector 3: astuple(height(I), halve(width(I)))
vector 3: astuple(halve(height(I)), width(I))
vector 4: astuple(height(I), double(width(I)))
vector 4: astuple(double(height(I)), width(I))
vector 4: astuple(height(I), height(I))
vector 4: astuple(width(I), height(I))
vector 4: astuple(maximum(shape(I)), maximum(shape(I)))
vector 4: astuple(?number1, ?number2)
vector 3: astuple(?number, ?number)
vector 4: astuple(ONE, ?number)
vector 4: astuple(?number, ONE)
vector 5: astuple(?number, width(I))
vector 5: astuple(height(I), ?number)
vector 4: decrement(decrement(shape(?object)))
vector 5: increment(increment(shape(?object)))
vector 3: shape(merge(?objects))
vector 3: astuple(valmax(?objects, size), size(?objects))
vector 3: astuple(size(?objects), valmax(?objects, size))
vector 3: astuple(valmax(?objects, height), valmax(?objects, width))
vector 4: astuple(size(?objects), size(?objects))
vector 3: astuple(ONE, size(?objects))
vector 4: astuple(size(?objects), ONE)
vector 4: increment(astuple(size(colorfilter(frontiers(I), ?color)), size(colorfilter(frontiers(I), ?color))))
vector 4: increment(astuple(size(sfilter(frontiers(I), hline)), size(sfilter(frontiers(I), vline))))

# Shapes of the outputs of the samples, where all are of one.
vector 3: shape(last(first(S)))

# Places and offsets.
vector 3: ORIGIN
vector 4: ulcorner(?object)
vector 4: ulcorner(ofcolor(I, ?color))
vector 5: lrcorner(ofcolor(I, ?color))
vector 5: lrcorner(?object)
vector 4: center(?object)
vector 5: center(?indices)
vector 4: decrement(shape(I))
vector 4: subtract(ulcorner(?object1), ulcorner(?object2))
vector 5: subtract(center(?object1), center(?object2))
vector 4: double(?vector)
vector 4: multiply(?vector, THREE)
vector 4: multiply(?vector, ?number)
vector 5: invert(?vector)
vector 5: add(?vector1, ?vector2)
vector 5: subtract(?vector1, ?vector2)
vector 5: increment(?vector)
vector 5: decrement(?vector)
vector 5: toivec(?number)
vector 5: tojvec(?number)
vector 4: toivec(height(?object))
vector 4: tojvec(width(?object))
