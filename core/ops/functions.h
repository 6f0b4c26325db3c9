// Composite functions: one record each, with the part it calls first and how it goes on with the result.
//
// `enter` turns the call of a composite into the call of the part that comes first. If more is to be done
// with the result, it pushes a frame, and `resume` goes on: true if it asks for another call, else `result`
// is that of the composite.
#pragma once

#include "calls/call.h"
#include "values/compaction.h"
#include "values/compare.h"
#include "values/constructors.h"

namespace arcbatt {

HOST_DEVICE Value op_identity(auto&, Value x) { return x; }

// A frame that has got a result: the composite's parts, and the lowest frame of this run of the machine.
struct Resumed {
  Frame& frame;
  const Value* parts;
  u32 floor;
};

// Give back the memory that an application used, except for its result; false if memory is out.
HOST_DEVICE bool keep_result(auto& lane, const Frame& frame, Value& result) {
  result = reclaimed(lane, frame.mark, result);
  return !lane.failed();
}

// Fixed-point shortcut for `power(f, n)`: note f's argument in the frame below; if f returns it unchanged,
// the next application is skipped.
HOST_DEVICE void note_argument(auto& lane, const Resumed& at, Value argument) {
  if (lane.frame_top == at.floor) return;
  Frame& below = lane.frame(lane.frame_top - 1);
  if (below.op != number::compose_) return;
  const Value* parts = content<Value>(below.function.head());
  if (!parts[0].same_word(at.parts[0]) || !parts[1].same_word(at.frame.function)) return;
  once(lane.group, [&] {
    below.phase = 1;
    below.args[1] = argument;
    below.weight = lane.calls;
    below.work = lane.work;
  });
}

constexpr u64 ALWAYS_COMPARED = 256;  // items of a value

// Whether f has returned the argument that was noted, so that one more application would return it, too. That
// would take as many calls and as much work again, which must be within the limits, and nest less deeply. The
// comparison must not take longer than the application did.
HOST_DEVICE bool at_fixed_point(auto& lane, const Frame& frame, Value result) {
  return frame.phase == 1 && weight_of(result) <= ALWAYS_COMPARED + (lane.work - frame.work) &&
         equal(lane, result, frame.args[1]) && 2 * lane.calls - frame.weight <= lane.limits.calls &&
         2 * lane.work - frame.work <= lane.limits.work;
}

// A composite of one argument that waits for the part at the place `first`.
template <u32 first>
struct Waits {
  HOST_DEVICE static u32 arity(const Value*) { return 1; }
  HOST_DEVICE static void enter(auto& lane, u32 op, const Value* parts, Call& call) {
    push_frame(lane, op, call);
    call.function = parts[first];
  }
};

struct op_compose : Waits<1> {
  HOST_DEVICE static bool resume(auto& lane, const Resumed& at, Call& call, Value& result) {
    const Frame& frame = at.frame;
    const bool is_settled = at_fixed_point(lane, frame, result);
    if (!keep_result(lane, frame, result)) return false;
    --lane.frame_top;
    note_argument(lane, at, result);
    if (is_settled) {  // as if it had been applied once more
      lane.calls += lane.calls - frame.weight;
      lane.work += lane.work - frame.work;
      return false;
    }
    call.set(at.parts[0], result);
    return true;
  }
};

struct op_chain : Waits<2> {
  HOST_DEVICE static bool resume(auto& lane, const Resumed& at, Call& call, Value& result) {
    if (!keep_result(lane, at.frame, result)) return false;
    const bool is_last = at.frame.phase == 1;
    call.set(at.parts[is_last ? 0 : 1], result);
    lane.group.sync();
    if (is_last) --lane.frame_top;
    else once(lane.group, [&] { at.frame.phase = 1; });
    return true;
  }
};

struct op_fork : Waits<1> {
  HOST_DEVICE static bool resume(auto& lane, const Resumed& at, Call& call, Value& result) {
    Frame& frame = at.frame;
    if (!keep_result(lane, frame, result)) return false;
    if (frame.phase == 0) {
      call.set(at.parts[2], frame.args[0]);
      once(lane.group, [&] {
        frame.phase = 1;
        frame.args[1] = result;
        frame.mark = lane.top;
      });
      return true;
    }
    --lane.frame_top;
    call.set(at.parts[0], frame.args[1], result);
    return true;
  }
};

struct op_matcher : Waits<0> {
  HOST_DEVICE static bool resume(auto& lane, const Resumed& at, Call&, Value& result) {
    if (!keep_result(lane, at.frame, result)) return false;
    --lane.frame_top;
    if (!lane.spend(u64(MATCH_WORK) * weight_of(result))) return false;
    result = boolean(equal(lane, result, at.parts[1]));
    return false;
  }
};

// A function with an argument fixed. It needs no frame: what the function gives is its own result.
struct Binds {
  HOST_DEVICE static u32 arity(const Value* parts) { return arity_of(parts[0]) - 1; }
  HOST_DEVICE static bool resume(auto&, const Resumed&, Call&, Value&) { return false; }
};

struct op_lbind : Binds {
  HOST_DEVICE static void enter(auto&, u32, const Value* parts, Call& call) {
    for (u32 k = call.count; k > 0; --k) call.args[k] = call.args[k - 1];
    call.args[0] = parts[1];
    ++call.count;
    call.function = parts[0];
  }
};

struct op_rbind : Binds {
  HOST_DEVICE static void enter(auto&, u32, const Value* parts, Call& call) {
    call.args[call.count++] = parts[1];
    call.function = parts[0];
  }
};

// power(f, n) is n - 1 nested compositions; it is judged before it is built.
HOST_DEVICE Value op_power(auto& lane, Value function, i64 n) {
  if (n != 1 && arity_of(function) != 1) return lane.fail(Status::TYPE);
  if (n < 1) return lane.fail(Status::DEPTH);
  const i64 nest = i64(nest_of(function)) + n - 1;
  if (!lane.admits(u64(n) * weight_of(function) + u64(n) - 1, u32(least(nest, 1 << 30)))) return NO_VALUE;
  Value result = function;
  for (i64 k = 1; k < n && !lane.failed(); ++k) {
    const Value parts[] = {function, result};
    result = make_function(lane, number::compose_, 1, parts, 2);
  }
  return result;
}

}  // namespace arcbatt
