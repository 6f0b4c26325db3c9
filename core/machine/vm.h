// The machine: checks arguments, runs ops, and applies functions with an explicit stack of frames, not by
// recursion.
#pragma once

#include "machine/higher_order.h"

namespace arcbatt {

// Run an op that the core does not have. A lane without a host (on a GPU) overflows: it runs again on the
// CPU.
template <class Group>
HOST_DEVICE Value run_foreign(Lane<Group>& lane, u32 op, const Value* args, u32 count) {
  if constexpr (Group::HAS_HOST) return lane.ask_host(lane.host, lane, op, args, count);
  return lane.fail(Status::overflow);
}

// Count an application, its cost and its depth; false, with the failure set, past a limit.
template <class Group>
HOST_DEVICE bool enter(Lane<Group>& lane, const Call& call) {
  if (call.count != arity_of(call.function)) lane.fail(Status::TYPE);
  else if (lane.calls >= lane.limits.calls) lane.fail(Status::CALLS);
  else if (++lane.calls && lane.depth >= lane.limits.depth) lane.fail(Status::DEPTH);
  else if (!lane.spend(CALL_WORK)) return false;
  else if (lane.group.is_set(lane.stop)) lane.fail(Status::stopped);
  ++lane.depth;
  return !lane.failed();
}

// Run until the frames above `floor` are done. With `calling` the call comes first; else `result` goes to the
// uppermost frame.
template <class Group>
CALLED Value interpret(Lane<Group>& lane, Call call, bool calling, Value result, u32 floor) {
  while (!lane.failed()) {
    if (calling) {
      if (!enter(lane, call)) break;
      if (call.function.is_heap()) {
        enter_composite(lane, call);
        continue;
      }
      const u32 op = function_name(call.function);
      if (is_foreign(op)) {
        result = run_foreign(lane, op, call.args, call.count);
        calling = false;
      } else if (OPS[op].higher_order) {
        calling = begin_loop(lane, op, call, result);
      } else {
        result = run_first_order(lane, op, call.args, call.count);
        calling = false;
      }
      continue;
    }
    if (lane.frame_top == floor) return result;
    Frame& frame = lane.frame(lane.frame_top - 1);
    lane.depth = frame.depth;
    calling = frame.function.is_heap() ? resume_composite(lane, frame, floor, call, result)
                                       : resume_loop(lane, frame, call, result);
  }
  return NO_VALUE;
}

// Run an op that applies functions, or a CALL, as `run_top_level` does.
template <class Group>
HOST_DEVICE Value run_applying(Lane<Group>& lane, u32 op, const Value* args, u32 count) {
  const u32 floor = lane.frame_top, stack = lane.stack_top;
  const bool is_call = op == number::CALL;
  const u32 given = is_call ? count - 1 : count;
  if (is_call ? !is_function(args[0]) || given > MOST_PARAMETERS : given != OPS[op].arity) {
    return lane.fail(Status::TYPE);
  }
  Call call{is_call ? args[0] : NO_VALUE, {}, given};
  for (u32 k = 0; k < given; ++k) call.args[k] = args[k + count - given];
  Value result = NO_VALUE;
  const bool calling = is_call || begin_loop(lane, op, call, result);
  result = interpret(lane, call, calling, result, floor);
  lane.frame_top = floor;
  lane.stack_top = stack;
  return lane.failed() ? NO_VALUE : result;
}

// Run a top-level op, which may be a CALL, with fresh counts of calls, depth and work; the lane's status says
// how it ended.
template <class Group>
INLINED Value run_top_level(Lane<Group>& lane, u32 op, const Value* args, u32 count) {
  lane.status = Status::ok;
  lane.calls = 0;
  lane.work = lane.carried;
  lane.depth = 0;
  if (is_foreign(op)) return run_foreign(lane, op, args, count);
  return OPS[op].higher_order ? run_applying(lane, op, args, count) : run_first_order(lane, op, args, count);
}

}  // namespace arcbatt
