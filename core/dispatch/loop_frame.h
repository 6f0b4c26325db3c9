// The frame of an op that applies functions: it is opened on checked arguments, and finished with the results
// of all applications.
#pragma once

#include "dispatch.h"
#include "values/compaction.h"
#include "values/membership.h"

namespace arcbatt {

// The number of applications that an op makes.
HOST_DEVICE inline u64 applications(const Loop& loop, const Value* args) {
  const u64 count = count_of(args[loop.at.container]);
  switch (loop.over) {
    case Over::elements:
    case Over::functions: break;
    case Over::elements_or_zero: return count ? count : 1;
    case Over::pairs: return least(count, count_of(args[loop.at.container + 1]));
    case Over::product: return count * count_of(args[loop.at.container + 1]);
    case Over::samples: return 2 * count;
  }
  return count;
}

// Make values of the rows of grids: an op that applies a function to all pairs of elements would make each
// row as often as it is in a pair. False if memory is out.
template <class Group>
CALLED bool has_values_as_rows(Lane<Group>& lane, Frame& frame) {
  const u32 first = LOOPS[frame.op].at.container;
  for (u32 k = first; k < first + 2; ++k) {
    const Value container = frame.args[k];
    if (!container.is_heap() || !is_grid_form(container.form())) continue;
    Scratch<Group> scratch(lane);
    const Value* rows = elements_of(lane, scratch, container);
    const Value made = rows ? make_plain(lane, Form::tuple, rows, count_of(container)) : NO_VALUE;
    if (!made.exists()) return false;
    once(lane.group, [&] { frame.args[k] = made; });
  }
  return true;
}

// Push the frame of an op on the arguments of a call; null, with the failure set, if it may not run on them.
template <class Group>
CALLED Frame* open_loop(Lane<Group>& lane, u32 op, const Call& call) {
  if (!check(lane, op, call.args, call.count)) return nullptr;
  if (!lane.spend(work_of_arguments(OPS[op], call.args))) return nullptr;
  const Loop& loop = LOOPS[op];
  if (loop.at.rank != NO_PLACE) {
    const i64 rank = call.args[loop.at.rank].integer(), count = count_of(call.args[loop.at.container]);
    if (position_of_rank(rank, count) < 0) {
      lane.fail(Status::INDEX);
      return nullptr;
    }
  }
  Frame* frame = push_frame(lane, op, call);
  if (!frame) return nullptr;
  u8* const start = lane.top;
  if (loop.over == Over::product && !has_values_as_rows(lane, *frame)) return nullptr;
  const u64 count = applications(loop, call.args);
  lane.elements += count;
  once(lane.group, [&] {
    frame->next = 0;
    frame->count = count < 0xffffffffu ? u32(count) : 0xffffffffu;  // no limit allows as many calls
    frame->base = lane.stack_top;
    frame->sorted = 0;
    frame->holds_empty_set = false;
    frame->weight = 1;
    frame->start = start;
    frame->mark = lane.top;
  });
  return frame;
}

constexpr u8 PICKING = 1;  // the phase in which an op waits for its picker

// End the op of the uppermost frame with this result; false, since it asks for no call.
template <class Group>
HOST_DEVICE bool ended(Lane<Group>& lane, const Frame& frame, Value& result) {
  result = paid(lane, OPS[frame.op], result);
  --lane.frame_top;
  return false;
}

// Finish an op after its last application: false with its result, or true if it asks for one more call.
template <class Group>
CALLED bool finish(Lane<Group>& lane, Frame& frame, Call& call, Value& result) {
  const OpRecord& record = OPS[frame.op];
  const Loop& loop = LOOPS[frame.op];
  const bool in_tuple = record.gives == Gives::as_given ? is_tuple(frame.args[loop.at.container])
                                                        : record.gives == Gives::tuple;
  const Results got{frame.args, lane.stack + frame.base, lane.stack_top - frame.base, in_tuple};
  result = finish_loop(lane, frame.op, got);
  if (lane.failed()) return false;
  lane.stack_top = frame.base;
  if (loop.at.picker != NO_PLACE) {
    once(lane.group, [&] { frame.phase = PICKING; });
    call.set(frame.args[loop.at.picker], result);
    return true;
  }
  result = reclaimed(lane, frame.start, result);
  if (lane.failed()) return false;
  if (!record.selects) result = judged(lane, result);
  return ended(lane, frame, result);
}

// Whether results are collected in a Set, where equal ones weigh once.
HOST_DEVICE inline bool collects_set(u32 op, const Value* args) {
  const Loop& loop = LOOPS[op];
  if (OPS[op].gives == Gives::tuple) return false;
  return loop.hold == Hold::set_of_results ||
         (loop.hold == Hold::results_in_kind && is_set(args[loop.at.container]));
}

// Sort the results on the lane's stack from `base` on and drop repeated ones: their exact weight, for Sets
// that seem too heavy.
template <class Group>
CALLED u64 collapsed(Lane<Group>& lane, u32 base) {
  u8* mark = lane.top;
  Value* results = lane.stack + base;
  const u32 count = lane.stack_top - base;
  Value* sorted = lane.template array<Value>(count);
  if (!sorted) return 0;
  const u32 distinct = sort_values(lane, results, count, sorted);
  if (lane.failed()) return 0;
  u64 weight = 1;
  for (u32 k = 0; k < distinct; ++k) weight += weight_of(sorted[k]);
  each(lane.group, distinct, [&](u32 k) { results[k] = sorted[k]; });
  lane.stack_top = base + distinct;
  lane.release(mark);
  return weight;
}

}  // namespace arcbatt
