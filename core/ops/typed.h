// Dialect: typed ops that give a Tuple whatever they are given, and so have a body of their own.
#pragma once

#include "containers.h"

namespace arcbatt {

HOST_DEVICE Value op_difference_tuple(auto& lane, Value a, Value b) {
  const Value elements = op_totuple(lane, a);
  return lane.failed() ? NO_VALUE : op_difference(lane, elements, b);
}

HOST_DEVICE Value op_combine_t(auto& lane, Value a, Value b) {
  const Value elements = op_totuple(lane, a);
  return lane.failed() ? NO_VALUE : op_combine(lane, elements, b);
}

HOST_DEVICE Value op_merge_t(auto& lane, Value containers) {
  const Value elements = op_totuple(lane, containers);
  return lane.failed() ? NO_VALUE : op_merge(lane, elements);
}

// The elements that pass the test as a Tuple.
template <class Group, class Test>
HOST_DEVICE Value tuple_of_kept(Lane<Group>& lane, Value container, Test test) {
  Scratch<Group> scratch(lane);
  const Picked kept = picked(lane, scratch, container, test);
  return lane.failed() ? NO_VALUE : make_tuple(lane, kept.elements, kept.count);
}

HOST_DEVICE Value op_remove_t(auto& lane, Value value, Value container) {
  return tuple_of_kept(lane, container, [&](Value x) { return !equal(lane, x, value); });
}

HOST_DEVICE Value op_sizefilter_t(auto& lane, Value container, i64 n) {
  return tuple_of_kept(lane, container, [&](Value x) { return count_of(x) == n; });
}

HOST_DEVICE Value op_colorfilter_t(auto& lane, Value objs, i64 color) {
  const auto lacks_cells = [&](u32 k) { return count_of(element_of(item(objs), k)) == 0; };
  if (any_of(lane.group, count_of(objs), lacks_cells)) return lane.fail(Status::EMPTY);
  return tuple_of_kept(lane, objs, [&](Value cells) { return Patch(cells).cell(0).color == color; });
}

HOST_DEVICE Value op_normalize_t(auto&, Value piece) { return piece; }

}  // namespace arcbatt
