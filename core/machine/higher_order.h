// Ops that apply functions: the loop over applications that their records (loop.h) describe.
#pragma once

#include "columns/run_columns.h"
#include "values/membership.h"

namespace arcbatt {

// Set the call of the next application.
template <class Group>
CALLED void set_call(Lane<Group>& lane, const Frame& frame, Call& call) {
  const Loop& loop = LOOPS[frame.op];
  const Value fixed = frame.args[loop.at.function], container = frame.args[loop.at.container];
  const u32 k = frame.next;
  switch (loop.over) {
    case Over::elements: return call.set(fixed, value_at(lane, container, k));
    case Over::elements_or_zero:
      return call.set(fixed, is_empty(container) ? integer_value(0) : value_at(lane, container, k));
    case Over::functions: return call.set(value_at(lane, container, k), fixed);
    case Over::pairs: {
      const Value other = frame.args[loop.at.container + 1];
      return call.set(fixed, value_at(lane, container, k), value_at(lane, other, k));
    }
    case Over::product: {
      const Value other = frame.args[loop.at.container + 1];
      const u32 count = count_of(container);
      return call.set(fixed, value_at(lane, container, k % count), value_at(lane, other, k / count));
    }
    case Over::samples: {
      const u32 count = count_of(container);
      const Value pair = value_at(lane, container, k % count);
      return call.set(fixed, value_at(lane, pair, k / count));
    }
  }
}

template <class Group>
HOST_DEVICE bool push_value(Lane<Group>& lane, Value v) {
  if (lane.stack_top == lane.stack_size) {
    lane.fail(Status::overflow);
    return false;
  }
  once(lane.group, [&] { lane.stack[lane.stack_top] = v; });
  ++lane.stack_top;
  return true;
}

// Add the result of an application to those held; false, with the failure set, if it may not be.
template <class Group>
HOST_DEVICE bool collect(Lane<Group>& lane, Frame& frame, Value result) {
  if (LOOPS[frame.op].hold == Hold::elements_of_results) {
    if (!is_container(result)) return lane.fail(Status::TYPE).exists();
    const bool outputs_begin = frame.next == frame.count / 2;
    const u64 before = outputs_begin ? 1 : frame.weight;
    once(lane.group, [&] { frame.weight = before + weight_of(result) - 1; });
  } else {
    if (frame.sorted && found_in(lane, lane.stack + frame.base, frame.sorted, result)) {
      lane.release(frame.mark);
      return !lane.failed();
    }
    if (result.same_word(EMPTY_SET) && collects_set(frame.op, frame.args)) {
      if (frame.holds_empty_set) return true;  // common, and once is enough
      once(lane.group, [&] { frame.holds_empty_set = true; });
    }
    once(lane.group, [&] { frame.weight += weight_of(result); });
  }
  if (!push_value(lane, result)) return false;
  if (frame.weight > lane.limits.items && collects_set(frame.op, frame.args)) {
    const u64 weight = collapsed(lane, frame.base);
    once(lane.group, [&] {
      frame.weight = weight;
      frame.sorted = lane.stack_top - frame.base;
    });
  }
  if (frame.weight > lane.limits.items) lane.fail(Status::SIZE);
  return !lane.failed();
}

// Keep the current element if the condition holds for it: `found` is then the element. False, with the
// failure set, if the condition is no Integer or the kept elements are too heavy.
template <class Group>
HOST_DEVICE bool keep_element(Lane<Group>& lane, Frame& frame, Value condition, Value& found) {
  if (!condition.is_integer()) return lane.fail(Status::TYPE).exists();
  lane.release(frame.mark);
  if (!condition.integer()) return true;
  const Loop& loop = LOOPS[frame.op];
  found = value_at(lane, frame.args[loop.at.container], frame.next);
  if (lane.failed() || loop.hold == Hold::first_kept) return !lane.failed();
  once(lane.group, [&] { frame.weight += weight_of(found); });
  if (frame.weight > lane.limits.items) return lane.fail(Status::SIZE).exists();
  if (!push_value(lane, integer_value(frame.next))) return false;
  lane.release(frame.mark);
  return true;
}

// Start an op on the arguments of `call`: true if it asks for a call, false if `result` is its result
// already.
template <class Group>
CALLED bool begin_loop(Lane<Group>& lane, u32 op, Call& call, Value& result) {
  Frame* frame = open_loop(lane, op, call);
  if (!frame) return false;
  if (frame->count == 0) return finish(lane, *frame, call, result);
  if (run_columns(lane, *frame, result)) return false;
  set_call(lane, *frame, call);
  return true;
}

// Go on after an application: true if the op asks for another call, false if `result` is its result.
template <class Group>
HOST_DEVICE inline bool resume_loop(Lane<Group>& lane, Frame& frame, Call& call, Value& result) {
  const Hold hold = LOOPS[frame.op].hold;
  if (!lane.spend(u64(COLLECT_WORK) * weight_of(result))) return false;
  if (frame.phase == PICKING) return ended(lane, frame, result);
  if (hold == Hold::kept_elements || hold == Hold::first_kept) {
    Value found = NO_VALUE;
    if (!keep_element(lane, frame, result, found)) return false;
    if (hold == Hold::first_kept && found.exists()) {
      result = found;
      return ended(lane, frame, result);
    }
  } else {
    result = reclaimed(lane, frame.mark, result);
    if (lane.failed() || !collect(lane, frame, result)) return false;
  }
  once(lane.group, [&] {
    ++frame.next;
    frame.mark = lane.top;
  });
  if (frame.next == frame.count) return finish(lane, frame, call, result);
  set_call(lane, frame, call);
  return true;
}

}  // namespace arcbatt
