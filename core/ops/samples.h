// Dialect: what the demo pairs of a task have in common.
#pragma once

#include "calls/loop.h"
#include "codes.h"
#include "containers.h"

namespace arcbatt {

HOST_DEVICE Value op_dedupe_pair_tuple(auto& lane, Value samples) {
  return kept_elements(lane, samples, [&](Value pair) {
    const Value* grids = content<Value>(pair.head());
    return !equal(lane, grids[0], grids[1]);
  });
}

HOST_DEVICE bool turns_into(auto& lane, Value sample, i64 turn) {
  u8* mark = lane.top;
  const Value* grids = content<Value>(sample.head());
  const Value turned = op_mir_rot_t(lane, Grid(grids[0]), turn);
  const bool same = !lane.failed() && equal(lane, turned, grids[1]);
  lane.release(mark);
  return same;
}

HOST_DEVICE Value op_a_mr(auto& lane, Value samples) {
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

// The elements of the results `here` that no result `there` has: each once, in order.
CALLED Value found_only_in(auto& lane, const Value* here, const Value* there, u32 count) {
  const Value mine = merged(lane, true, here, count);
  const Value others = lane.failed() ? NO_VALUE : merged(lane, false, there, count);
  if (lane.failed()) return NO_VALUE;
  const u32 total = count_of(mine);
  Scratch scratch(lane);
  const Value* elements = elements_of(lane, scratch, mine);
  u32* kept = scratch.template array<u32>(total);
  Value* wanted = scratch.template array<Value>(total);
  if (lane.failed()) return NO_VALUE;
  const u32 distinct = keep_first(lane, elements, total, kept);
  u32 place = 0;
  for (u32 k = 0; k < distinct; ++k) {
    const Value element = elements[kept[k]];
    if (set_holds(lane, others, element)) continue;
    once(lane.group, [&] { wanted[place] = element; });
    ++place;
  }
  return lane.failed() ? NO_VALUE : make_tuple(lane, wanted, place);
}

struct op_c_iz {
  static constexpr Loop LOOP{Over::samples, Hold::elements_of_results};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const u32 samples = got.count / 2;
    return found_only_in(lane, got.values, got.values + samples, samples);
  }
};

struct op_c_zo {
  static constexpr Loop LOOP = op_c_iz::LOOP;
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const u32 samples = got.count / 2;
    return found_only_in(lane, got.values + samples, got.values, samples);
  }
};

struct op_c_iz_n : op_c_iz {
  static constexpr Loop LOOP{Over::samples, Hold::elements_of_results, {.picker = 2}};
};

struct op_c_zo_n : op_c_zo {
  static constexpr Loop LOOP = op_c_iz_n::LOOP;
};

}  // namespace arcbatt
