// Numbers and logic.
#pragma once

#include "values/constructors.h"

namespace arcbatt {

template <class Group, class Function>
HOST_DEVICE Value per_component(Lane<Group>& lane, Value n, Function function) {
  if (n.is_integer()) return make_integer(lane, function(n.integer()));
  const Location pair = location_of(n);
  return make_pair(lane, function(pair.i), function(pair.j));
}

// Integer with Integer, or per component; an Integer goes with both components of a pair.
template <class Group, class Function>
HOST_DEVICE Value per_component(Lane<Group>& lane, Value a, Value b, Function function) {
  if (a.is_integer() && b.is_integer()) return make_integer(lane, function(a.integer(), b.integer()));
  const Location p = a.is_integer() ? Location{a.integer(), a.integer()} : location_of(a);
  const Location q = b.is_integer() ? Location{b.integer(), b.integer()} : location_of(b);
  return make_pair(lane, function(p.i, q.i), function(p.j, q.j));
}

HOST_DEVICE constexpr i64 floor_divided(i64 a, i64 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
HOST_DEVICE constexpr i64 sign_of(i64 n) { return (n > 0) - (n < 0); }

template <class Group>
HOST_DEVICE Value op_add(Lane<Group>& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return x + y; });
}
template <class Group>
HOST_DEVICE Value op_subtract(Lane<Group>& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return x - y; });
}
template <class Group>
HOST_DEVICE Value op_multiply(Lane<Group>& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return x * y; });
}
template <class Group>
HOST_DEVICE Value op_divide(Lane<Group>& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return floor_divided(x, y); });
}
template <class Group>
HOST_DEVICE Value op_invert(Lane<Group>& lane, Value n) {
  return per_component(lane, n, [](i64 x) { return -x; });
}
template <class Group>
HOST_DEVICE Value op_even(Lane<Group>&, i64 n) { return boolean(n % 2 == 0); }
template <class Group>
HOST_DEVICE Value op_double(Lane<Group>& lane, Value n) {
  return per_component(lane, n, [](i64 x) { return 2 * x; });
}
template <class Group>
HOST_DEVICE Value op_halve(Lane<Group>& lane, Value n) {
  return per_component(lane, n, [](i64 x) { return floor_divided(x, 2); });
}
template <class Group>
HOST_DEVICE Value op_increment(Lane<Group>& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return n + 1; });
}
template <class Group>
HOST_DEVICE Value op_decrement(Lane<Group>& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return n - 1; });
}
template <class Group>
HOST_DEVICE Value op_crement(Lane<Group>& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return n + sign_of(n); });
}
template <class Group>
HOST_DEVICE Value op_sign(Lane<Group>& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return sign_of(n); });
}
template <class Group>
HOST_DEVICE Value op_positive(Lane<Group>&, i64 x) { return boolean(x > 0); }
template <class Group>
HOST_DEVICE Value op_greater(Lane<Group>&, i64 a, i64 b) { return boolean(a > b); }
template <class Group>
HOST_DEVICE Value op_equality(Lane<Group>& lane, Value a, Value b) { return boolean(equal(lane, a, b)); }
template <class Group>
HOST_DEVICE Value op_flip(Lane<Group>&, i64 b) { return boolean(b == 0); }
template <class Group>
HOST_DEVICE Value op_both(Lane<Group>&, i64 a, i64 b) { return integer_value(a ? b : a); }
template <class Group>
HOST_DEVICE Value op_either(Lane<Group>&, i64 a, i64 b) { return integer_value(a ? a : b); }
template <class Group>
HOST_DEVICE Value op_toivec(Lane<Group>& lane, i64 i) { return make_pair(lane, i, 0); }
template <class Group>
HOST_DEVICE Value op_tojvec(Lane<Group>& lane, i64 j) { return make_pair(lane, 0, j); }
template <class Group>
HOST_DEVICE Value op_branch(Lane<Group>&, i64 condition, Value a, Value b) { return condition ? a : b; }

}  // namespace arcbatt
