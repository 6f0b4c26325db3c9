// Running one program by itself where memory is short: values are released after their last use. Host only.
#pragma once

#include <vector>

#include "threads/plan.h"
#include "threads/sliding_compaction.h"

namespace arcbatt {

// The order in which one program, or a pile, runs by itself.
struct Sequence {
  std::vector<u32> nodes;
  std::vector<u32> last_use;  // by node: the place in `nodes` of the last node that needs it
  static constexpr u32 WANTED = 0xffffffffu;  // a root: never released

  Sequence(const Plan& plan, const std::vector<u32>& roots, FailureMode mode)
      : nodes(plan.needed(roots, mode)), last_use(plan.nodes.size(), 0) {
    for (u32 place = 0; place < nodes.size(); ++place) {
      last_use[nodes[place]] = place;
      const Node& node = plan.nodes[nodes[place]];
      for (u32 k = 0; k < node.arg_count; ++k) last_use[plan.args[node.first_arg + k]] = place;
    }
    for (u32 root : roots) last_use[plan.roots[root].node] = WANTED;
  }
};

// Runs programs by themselves, so that an outcome depends on the program, the sample and the limits alone. A
// node that does not fit fails with SIZE, after compaction has removed the values that nobody needs.
class Alone {
 public:
  Alone(const Job& job, const Flag* stop, Profile* profile)
      : plan_(*job.plan), mode_(job.mode),
        own_(job, stop, profile, arena_alone(job.limits.memory), job.limits.held) {}

  // Run some roots of the plan on a sample and hand the registers to `take(lane, registers)`, again after a
  // compaction if it lacks memory. False if the run is stopped.
  template <class Take>
  bool run(const std::vector<u32>& roots, const Sample& inputs, const Take& take) {
    const Sequence sequence(plan_, roots, mode_);
    own_.loop.start_anew();
    lane_.failures = 0;
    fresh_from_ = lane_.top;
    for (u32 place = 0; place < sequence.nodes.size(); ++place) {
      if (!run_one(sequence.nodes[place], inputs)) return false;
      release_after(sequence, place);
    }
    const auto is_taken = [&] {
      lane_.status = Status::ok;
      take(lane_, registers_.data());
      return !lane_.failed();
    };
    if (is_taken() || (compact() && is_taken())) return true;  // comparing takes memory, too
    for (u32 root : roots) registers_[plan_.roots[root].node] = too_large(plan_.roots[root].node);
    is_taken();
    return true;
  }

 private:
  static Value too_large(u32 node) { return failure_value(u32(Status::SIZE), node); }

  // Run a node; false if the run is stopped.
  bool run_one(u32 node, const Sample& inputs) {
    if (mode_ != FailureMode::pile) lane_.carried = lane_.account.spent;
    while (true) {
      const Mark before = mark_of(lane_);
      if (own_.loop.steps.run(lane_, node, inputs, registers_.data())) return true;
      if (lane_.status != Status::overflow) return false;
      const bool too_heavy = lane_.account.held > lane_.limits.held;
      go_back(lane_, before);
      // Compaction costs time in proportion to the live values: it is due after a quarter of the arena is
      // new.
      const bool is_worth_it = u64(lane_.top - fresh_from_) >= own_.memory.bytes() / 4;
      if (too_heavy || !is_worth_it || !compact()) break;
    }
    settle(lane_, own_.loop.steps.batt(), node, registers_.data(), too_large(node));
    return true;
  }

  void release_after(const Sequence& sequence, u32 place) {
    const Node& node = plan_.nodes[sequence.nodes[place]];
    const auto release = [&](u32 number) {
      if (sequence.last_use[number] != place) return;
      if (plan_.nodes[number].kind >= NodeKind::op) lane_.account.held -= held_by(registers_[number]);
      registers_[number] = NO_VALUE;
    };
    for (u32 k = 0; k < node.arg_count; ++k) release(plan_.args[node.first_arg + k]);
    release(sequence.nodes[place]);
  }

  // Compact the arena to the values that registers hold; false if the system has no memory for that.
  bool compact() {
    try {
      Compaction compaction(lane_.base, lane_.top);
      for (Value v : registers_) compaction.mark(v);
      u8* const top = compaction.slide();
      for (Value& v : registers_) v = compaction.moved(v);
      lane_.release(top);
      fresh_from_ = top;
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  const Plan& plan_;
  const FailureMode mode_;
  ThreadLane own_;
  Lane<Solo>& lane_ = own_.loop.lane;
  std::vector<Value>& registers_ = own_.registers;
  u8* fresh_from_ = nullptr;  // the top after the last compaction
};

}  // namespace arcbatt
