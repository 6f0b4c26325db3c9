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

HOST_DEVICE Value op_add(auto& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return x + y; });
}
HOST_DEVICE Value op_subtract(auto& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return x - y; });
}
HOST_DEVICE Value op_multiply(auto& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return x * y; });
}
HOST_DEVICE Value op_divide(auto& lane, Value a, Value b) {
  return per_component(lane, a, b, [](i64 x, i64 y) { return floor_divided(x, y); });
}
HOST_DEVICE Value op_invert(auto& lane, Value n) {
  return per_component(lane, n, [](i64 x) { return -x; });
}
HOST_DEVICE Value op_even(auto&, i64 n) { return boolean(n % 2 == 0); }
HOST_DEVICE Value op_double(auto& lane, Value n) {
  return per_component(lane, n, [](i64 x) { return 2 * x; });
}
HOST_DEVICE Value op_halve(auto& lane, Value n) {
  return per_component(lane, n, [](i64 x) { return floor_divided(x, 2); });
}
HOST_DEVICE Value op_increment(auto& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return n + 1; });
}
HOST_DEVICE Value op_decrement(auto& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return n - 1; });
}
HOST_DEVICE Value op_crement(auto& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return n + sign_of(n); });
}
HOST_DEVICE Value op_sign(auto& lane, Value x) {
  return per_component(lane, x, [](i64 n) { return sign_of(n); });
}
HOST_DEVICE Value op_positive(auto&, i64 x) { return boolean(x > 0); }
HOST_DEVICE Value op_greater(auto&, i64 a, i64 b) { return boolean(a > b); }
HOST_DEVICE Value op_equality(auto& lane, Value a, Value b) { return boolean(equal(lane, a, b)); }
HOST_DEVICE Value op_flip(auto&, i64 b) { return boolean(b == 0); }
HOST_DEVICE Value op_both(auto&, i64 a, i64 b) { return integer_value(a ? b : a); }
HOST_DEVICE Value op_either(auto&, i64 a, i64 b) { return integer_value(a ? a : b); }
HOST_DEVICE Value op_toivec(auto& lane, i64 i) { return make_pair(lane, i, 0); }
HOST_DEVICE Value op_tojvec(auto& lane, i64 j) { return make_pair(lane, 0, j); }
HOST_DEVICE Value op_branch(auto&, i64 condition, Value a, Value b) { return condition ? a : b; }

}  // namespace arcbatt
