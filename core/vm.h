// The machine: checks arguments, runs ops, applies functions with an explicit stack of frames.
#pragma once

#include "dispatch.h"
#include "types.h"

namespace arcbatt {

struct Call {
  Value function;
  Value args[MOST_PARAMETERS];
  u32 count;
};

enum FrameKind : u8 { COMPOSE, CHAIN, FORK, MATCHER, HIGHER_ORDER_OP };

}  // namespace arcbatt

#include "higher_order.h"

namespace arcbatt {

template <class Group>
CALLED Frame* push_frame(Lane<Group>& lane, u8 kind, const Call& call) {
  if (lane.frame_top == lane.frame_size) {
    lane.fail(Status::overflow);
    return nullptr;
  }
  Frame* frame = &lane.frame(lane.frame_top++);
  once(lane.group, [&] {
    frame->kind = kind;
    frame->phase = 0;
    frame->depth = u16(lane.depth);
    frame->mark = lane.top;
    frame->function = call.function;
    for (u32 k = 0; k < MOST_PARAMETERS; ++k) frame->args[k] = call.args[k];
  });
  return frame;
}

// Enter a composite function: the call becomes that of its innermost part.
template <class Group>
HOST_DEVICE void enter_composite(Lane<Group>& lane, Call& call) {
  const Value* parts = content<Value>(call.function.head());
  switch (function_name(call.function)) {
    case number::lbind_:
      for (u32 k = call.count; k > 0; --k) call.args[k] = call.args[k - 1];
      call.args[0] = parts[1];
      ++call.count;
      call.function = parts[0];
      return;
    case number::rbind_:
      call.args[call.count++] = parts[1];
      call.function = parts[0];
      return;
    case number::compose_:
      push_frame(lane, COMPOSE, call);
      call.function = parts[1];
      return;
    case number::chain_:
      push_frame(lane, CHAIN, call);
      call.function = parts[2];
      return;
    case number::fork_:
      push_frame(lane, FORK, call);
      call.function = parts[1];
      return;
    default:
      push_frame(lane, MATCHER, call);
      call.function = parts[0];
  }
}

// Tell the composition below, if it applies the same function once more, what the function is about to get:
// what comes back may be the same, and then it stays so however often the function is applied.
template <class Group>
HOST_DEVICE void announce(Lane<Group>& lane, u32 floor, Value composition, Value function, Value argument) {
  if (lane.frame_top == floor) return;
  Frame& below = lane.frame(lane.frame_top - 1);
  if (below.kind != COMPOSE) return;
  const Value* parts = content<Value>(below.function.head());
  if (!parts[0].same_word(function) || !parts[1].same_word(composition)) return;
  once(lane.group, [&] {
    below.phase = 1;
    below.args[1] = argument;
    below.weight = lane.calls;
    below.work = lane.work;
  });
}

constexpr u64 ALWAYS_COMPARED = 256;  // items of a value

// Whether the function of a composition gives back what it gets. It has then been applied as often as it need
// be; one more application would take as many calls and as much work again and nest less deeply. To compare
// must not take longer than the application did.
template <class Group>
HOST_DEVICE bool at_rest(Lane<Group>& lane, const Frame& frame, Value result) {
  return frame.kind == COMPOSE && frame.phase == 1 &&
         weight_of(result) <= ALWAYS_COMPARED + (lane.work - frame.work) &&
         equal(lane, result, frame.args[1]) && 2 * lane.calls - frame.weight <= lane.limits.calls &&
         2 * lane.work - frame.work <= lane.limits.work;
}

// Go on with a composite that has got a result: true if it asks for another call, else `result` is its own.
template <class Group>
HOST_DEVICE bool resume_composite(Lane<Group>& lane, Frame& frame, Call& call, Value& result, u32 floor) {
  const Value* parts = content<Value>(frame.function.head());
  const bool resting = at_rest(lane, frame, result);
  result = reclaimed(lane, frame.mark, result);
  if (lane.failed()) return false;
  call.count = 1;
  switch (frame.kind) {
    case COMPOSE:
      --lane.frame_top;
      announce(lane, floor, frame.function, parts[0], result);
      if (resting) {
        lane.calls += lane.calls - frame.weight;
        lane.work += lane.work - frame.work;
        return false;
      }
      call.function = parts[0];
      call.args[0] = result;
      return true;
    case CHAIN: {
      const bool last = frame.phase == 1;
      call.function = parts[last ? 0 : 1];
      call.args[0] = result;
      lane.group.sync();
      if (last) --lane.frame_top;
      else once(lane.group, [&] { frame.phase = 1; });
      return true;
    }
    case FORK:
      if (frame.phase == 0) {
        call.function = parts[2];
        call.args[0] = frame.args[0];
        once(lane.group, [&] {
          frame.phase = 1;
          frame.args[1] = result;
          frame.mark = lane.top;
        });
        return true;
      }
      --lane.frame_top;
      call.function = parts[0];
      call.args[0] = frame.args[1];
      call.args[1] = result;
      call.count = 2;
      return true;
    default:
      --lane.frame_top;
      if (!lane.spend(u64(MATCH_WORK) * weight_of(result))) return false;
      result = boolean(equal(lane, result, parts[1]));
      return false;
  }
}

// An op that the core does not have. A lane without a host cannot go on: it is run again where there is one.
template <class Group>
HOST_DEVICE Value run_foreign(Lane<Group>& lane, u32 op, const Value* args, u32 count) {
  if constexpr (Group::HAS_HOST) return lane.ask_host(lane.host, lane, op, args, count);
  return lane.fail(Status::overflow);
}

// Count an application and what it nests in; false, with the failure set, past a limit.
template <class Group>
HOST_DEVICE bool enter(Lane<Group>& lane, const Call& call) {
  if (call.count != arity_of(call.function)) lane.fail(Status::TYPE);
  else if (lane.calls >= lane.limits.calls) lane.fail(Status::CALLS);
  else if (++lane.calls && lane.depth >= lane.limits.depth) lane.fail(Status::DEPTH);
  else if (lane.group.is_set(lane.stop)) lane.fail(Status::stopped);
  ++lane.depth;
  return !lane.failed();
}

// Run until the frames above `floor` are done. With `calling` the call is made first, else `result` is handed
// down.
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
        calling = begin_higher_order(lane, op, call, result);
      } else {
        result = run_first_order(lane, op, call.args, call.count);
        calling = false;
      }
      continue;
    }
    if (lane.frame_top == floor) return result;
    Frame& frame = lane.frame(lane.frame_top - 1);
    lane.depth = frame.depth;
    calling = frame.kind == HIGHER_ORDER_OP ? resume_higher_order(lane, frame, call, result)
                                            : resume_composite(lane, frame, call, result, floor);
  }
  return NO_VALUE;
}

// Run a top-level op, or a call of a function value, with a fresh account; the lane's status tells how it
// ended.
template <class Group>
HOST_DEVICE Value run_top_level(Lane<Group>& lane, bool is_call, u32 op, const Value* args, u32 count) {
  lane.status = Status::ok;
  lane.calls = 0;
  lane.work = lane.carried;
  lane.depth = 0;
  const u32 floor = lane.frame_top, stack = lane.stack_top;
  if (!is_call && is_foreign(op)) return run_foreign(lane, op, args, count);
  if (!is_call && !OPS[op].higher_order) return run_first_order(lane, op, args, count);
  Call call{NO_VALUE, {}, 0};
  Value result = NO_VALUE;
  if (is_call) {
    if (!is_function(args[0]) || count > 5) return lane.fail(Status::TYPE);
    call.function = args[0];
    for (u32 k = 1; k < count; ++k) call.args[k - 1] = args[k];
    call.count = count - 1;
    result = interpret(lane, call, true, NO_VALUE, floor);
  } else {
    if (count != OPS[op].arity) return lane.fail(Status::TYPE);
    for (u32 k = 0; k < count; ++k) call.args[k] = args[k];
    call.count = count;
    const bool calling = begin_higher_order(lane, op, call, result);
    result = interpret(lane, call, calling, result, floor);
  }
  lane.frame_top = floor;
  lane.stack_top = stack;
  return lane.failed() ? NO_VALUE : result;
}

}  // namespace arcbatt
