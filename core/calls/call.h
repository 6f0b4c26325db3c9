// A call of a function value, and the frame of a function that waits for the result of a call.
#pragma once

#include "values/lane.h"

namespace arcbatt {

constexpr u32 MOST_ARGUMENTS = MOST_PARAMETERS + 1;  // of a node: a call of a function has the function first

struct Call {
  Value function;
  Value args[MOST_PARAMETERS];
  u32 count;

  HOST_DEVICE void set(Value called, Value argument) {
    function = called;
    args[0] = argument;
    count = 1;
  }
  HOST_DEVICE void set(Value called, Value first, Value second) {
    function = called;
    args[0] = first;
    args[1] = second;
    count = 2;
  }
};

// Push the frame of an op that applies functions, or of a composite function, on the arguments of a call.
template <class Group>
CALLED Frame* push_frame(Lane<Group>& lane, u32 op, const Call& call) {
  if (lane.frame_top == lane.frame_size) {
    lane.fail(Status::overflow);
    return nullptr;
  }
  Frame* frame = &lane.frame(lane.frame_top++);
  once(lane.group, [&] {
    frame->op = u16(op);
    frame->phase = 0;
    frame->depth = u16(lane.depth);
    frame->mark = lane.top;
    frame->function = call.function;
    for (u32 k = 0; k < MOST_PARAMETERS; ++k) frame->args[k] = call.args[k];
  });
  return frame;
}

}  // namespace arcbatt
