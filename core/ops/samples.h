// Dialect: what the demo pairs of a task have in common.
#pragma once

#include "codes.h"
#include "containers.h"

namespace arcbatt {

template <class Group>
HOST_DEVICE Value op_dedupe_pair_tuple(Lane<Group>& lane, Value samples) {
  return kept_elements(lane, samples, [&](Value pair) {
    const Value* grids = content<Value>(pair.head());
    return !equal(lane, grids[0], grids[1]);
  });
}

template <class Group>
HOST_DEVICE bool turns_into(Lane<Group>& lane, Value sample, i64 turn) {
  u8* mark = lane.top;
  const Value* grids = content<Value>(sample.head());
  const Value turned = op_mir_rot_t(lane, Grid(grids[0]), turn);
  const bool same = !lane.failed() && equal(lane, turned, grids[1]);
  lane.release(mark);
  return same;
}

template <class Group>
HOST_DEVICE Value op_a_mr(Lane<Group>& lane, Value samples) {
  const u32 count = count_of(samples);
  const Value* pairs = content<Value>(samples.head());
  for (i64 turn = 0; turn <= NO_TURN; ++turn) {
    u32 fitting = 0;
    while (fitting < count && turns_into(lane, pairs[fitting], turn)) ++fitting;
    if (lane.failed()) return NO_VALUE;
    if (fitting == count) return integer_value(turn);
  }
  return lane.fail(Status::INDEX);
}

}  // namespace arcbatt
