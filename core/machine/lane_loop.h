// The lane loop: runs the nodes of a batt on sample after sample, in a CPU thread and in a GPU warp alike,
// and judges the outcomes. Constant nodes run once, nodes that depend on the task alone once a task, the
// others once a sample.
#pragma once

#include "machine/partial_score.h"
#include "machine/run_node.h"

namespace arcbatt {

// A list of nodes by stage: where the stages after the first begin in it, and its end.
struct Stages {
  u32 task, sample, end;
};

// A point to go back to: the top of a lane's arena, and its account.
struct Mark {
  u8* top;
  Account account;
};

template <class Group>
HOST_DEVICE Mark mark_of(const Lane<Group>& lane) {
  return {lane.top, lane.account};
}

template <class Group>
HOST_DEVICE void go_back(Lane<Group>& lane, const Mark& mark) {
  lane.release(mark.top);
  lane.account = mark.account;
}

// `Steps` has the batt, and runs a node of it as `run_node` does; false if the lane cannot go on.
template <class Group, class Steps>
class LaneLoop {
 public:
  HOST_DEVICE LaneLoop(const Steps& steps, Value* registers, const Lane<Group>& lane)
      : lane(lane), steps(steps), registers(registers) {
    start_anew();
  }

  // Forget all results; a register without a value belongs to a node that has not run.
  HOST_DEVICE void start_anew() {
    lane.release(lane.base);  // every thread has read what it needs
    each(lane.group, steps.batt().node_count, [&](u32 k) { registers[k] = NO_VALUE; });
    lane.account = {0, 0};
    after_constants_ = mark_of(lane);
    task_ = NO_TASK;
  }

  // Run a list of nodes on a sample; false if the lane cannot go on.
  HOST_DEVICE bool run(const u32* nodes, const Stages& stages, u32 task, const Sample& inputs) {
    lane.failures = 0;
    if (!prepare(nodes, stages, task, inputs)) return false;
    if (!run_nodes(nodes + stages.sample, nodes + stages.end, inputs)) return false;
    lane.status = Status::ok;
    return true;
  }

  // Whether the last run got as far as the nodes of the sample. If not, the loop has to start anew.
  HOST_DEVICE bool is_prepared() const { return task_ != NO_TASK; }

  Lane<Group> lane;
  Steps steps;
  Value* const registers;

 private:
  static constexpr u32 NO_TASK = 0xffffffffu;

  // Run the nodes of the stages `constant` and `task`, unless they have run.
  HOST_DEVICE bool prepare(const u32* nodes, const Stages& stages, u32 task, const Sample& inputs) {
    if (task == task_) {
      go_back(lane, after_task_);
      return true;
    }
    task_ = NO_TASK;
    go_back(lane, after_constants_);
    for (const u32* node = nodes; node != nodes + stages.task; ++node) {
      if (!registers[*node].exists() && !steps.run(lane, *node, inputs, registers)) return false;
    }
    after_constants_ = mark_of(lane);
    if (!run_nodes(nodes + stages.task, nodes + stages.sample, inputs)) return false;
    after_task_ = mark_of(lane);
    task_ = task;
    return true;
  }

  HOST_DEVICE bool run_nodes(const u32* node, const u32* end, const Sample& inputs) {
    for (; node != end; ++node) {
      if (!steps.run(lane, *node, inputs, registers)) return false;
    }
    return true;
  }

  u32 task_ = NO_TASK;
  Mark after_constants_{}, after_task_{};
};

struct Root {
  u32 node;
  u32 judged;  // as a Judging; a u32 leaves no padding
};

template <class Group>
HOST_DEVICE u8 verdict_of(Lane<Group>& lane, Root root, Value outcome, Value expected) {
  if (is_failure(outcome)) return u8(FAILED + failure_status(outcome));
  if (!root.judged || !expected.exists()) return UNJUDGED;
  return equal(lane, outcome, expected) ? EXACT : WRONG;
}

// The score of a differ: the Integer that its result, a pair, begins with.
HOST_DEVICE inline i32 score_of(Root root, Value outcome) {
  if (root.judged || is_failure(outcome) || !is_tuple(outcome) || count_of(outcome) != 2) return NO_SCORE;
  const Item first = element_of(item(outcome), 0);
  return !first.grid && first.value.is_integer() ? i32(first.value.integer()) : NO_SCORE;
}

// The partial score of a solver's outcome.
template <class Group>
HOST_DEVICE i32 partial_score_of(Lane<Group>& lane, u8 verdict, Value outcome, Value expected) {
  if (!expected.exists()) return NO_SCORE;
  if (verdict == EXACT) return BEST_SCORE;
  return verdict == WRONG ? partial_score(lane.group, outcome, expected) : 0;
}

// Judge the outcome of a root on a sample: one thread of the group writes the verdict and the score.
template <class Group>
HOST_DEVICE void judge(Lane<Group>& lane, Root root, Value outcome, Value expected, u8& verdict, i32& score) {
  const u8 judged = verdict_of(lane, root, outcome, expected);
  const bool in_parts = root.judged == u32(Judging::in_parts);
  const i32 scored = in_parts ? partial_score_of(lane, judged, outcome, expected) : score_of(root, outcome);
  if (lane.group.rank() != 0) return;
  verdict = judged;
  score = scored;
}

}  // namespace arcbatt
