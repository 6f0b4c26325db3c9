// Function builders; the ops that apply functions are in higher_order.h.
#pragma once

#include "../build.h"

namespace arcbatt {

template <class Group>
HOST_DEVICE Value op_identity(Lane<Group>&, Value x) { return x; }

template <class Group>
HOST_DEVICE Value op_compose(Lane<Group>& lane, Value outer, Value inner) {
  const Value parts[] = {outer, inner};
  return make_function(lane, number::compose_, 1, parts, 2);
}
template <class Group>
HOST_DEVICE Value op_chain(Lane<Group>& lane, Value h, Value g, Value f) {
  const Value parts[] = {h, g, f};
  return make_function(lane, number::chain_, 1, parts, 3);
}
template <class Group>
HOST_DEVICE Value op_fork(Lane<Group>& lane, Value outer, Value a, Value b) {
  const Value parts[] = {outer, a, b};
  return make_function(lane, number::fork_, 1, parts, 3);
}
template <class Group>
HOST_DEVICE Value op_matcher(Lane<Group>& lane, Value function, Value target) {
  const Value parts[] = {function, target};
  return make_function(lane, number::matcher_, 1, parts, 2);
}
template <class Group>
HOST_DEVICE Value op_lbind(Lane<Group>& lane, Value function, Value fixed) {
  const Value parts[] = {function, fixed};
  return make_function(lane, number::lbind_, arity_of(function) - 1, parts, 2);
}
template <class Group>
HOST_DEVICE Value op_rbind(Lane<Group>& lane, Value function, Value fixed) {
  const Value parts[] = {function, fixed};
  return make_function(lane, number::rbind_, arity_of(function) - 1, parts, 2);
}

// power(f, n) composes f with itself until it stands n times; it is judged before it is built.
template <class Group>
HOST_DEVICE Value op_power(Lane<Group>& lane, Value function, i64 n) {
  if (n != 1 && arity_of(function) != 1) return lane.fail(Status::TYPE);
  if (n < 1) return lane.fail(Status::DEPTH);
  const i64 nest = i64(nest_of(function)) + n - 1;
  if (!lane.admits(u64(n) * weight_of(function) + u64(n) - 1, u32(least(nest, 1 << 30)))) return NO_VALUE;
  Value result = function;
  for (i64 k = 1; k < n && !lane.failed(); ++k) result = op_compose(lane, function, result);
  return result;
}

}  // namespace arcbatt
