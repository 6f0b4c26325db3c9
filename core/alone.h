// A program by itself on one sample, in memory where values are released after their last use. Host only.
#pragma once

#include <algorithm>
#include <vector>

#include "compact.h"
#include "plan.h"

namespace arcbatt {

// The order in which something that cannot be parted runs: one program's nodes, each after its arguments,
// which come from left to right; or the nodes of a pile as they stand.
struct Sequence {
  std::vector<u32> nodes;
  std::vector<u32> last_use;  // by node: the place in `nodes` of the last node that needs it
  static constexpr u32 WANTED = 0xffffffffu;  // needed to the end

  Sequence(const Plan& plan, const std::vector<u32>& roots, FailureMode mode)
      : last_use(plan.nodes.size(), 0) {
    if (mode == FailureMode::pile) {
      for (u32 node = 0; node < plan.nodes.size(); ++node) nodes.push_back(node);
    } else {
      for (u32 root : roots) add(plan, plan.roots[root].node);
    }
    for (u32 place = 0; place < nodes.size(); ++place) {
      last_use[nodes[place]] = place;
      const Node& node = plan.nodes[nodes[place]];
      for (u32 k = 0; k < node.arg_count; ++k) last_use[plan.args[node.first_arg + k]] = place;
    }
    for (u32 root : roots) last_use[plan.roots[root].node] = WANTED;
  }

 private:
  // Depth first; the programs of a plan may be longer than the stack of a thread is deep.
  void add(const Plan& plan, u32 root) {
    std::vector<bool> seen(plan.nodes.size());
    for (u32 node : nodes) seen[node] = true;
    std::vector<std::pair<u32, u32>> open;  // a node and how many of its arguments have been looked at
    const auto enter = [&](u32 node) {
      if (seen[node]) return;
      seen[node] = true;
      open.emplace_back(node, 0);
    };
    enter(root);
    while (!open.empty()) {
      auto& [node, looked_at] = open.back();
      if (looked_at < plan.nodes[node].arg_count) {
        enter(plan.args[plan.nodes[node].first_arg + looked_at++]);
      } else {
        nodes.push_back(node);
        open.pop_back();
      }
    }
  }
};

// Memory for programs that run by themselves. What one gives depends on it, the sample and the limits alone.
// A node for which there is no room, though nothing is kept in vain, fails with SIZE.
class Alone {
 public:
  Alone(const Job& job, const Flag* stop, Profile* profile)
      : job_(job), stop_(stop), profile_(profile), batt_(view_of(*job.plan, job.mode)),
        memory_(Memory::up_to(arena_alone(job.limits.memory), job.limits.depth)) {}

  // Run some roots of the plan on a sample; `take(lane, registers)` gets what they gave, perhaps once more.
  // False if the run is stopped.
  template <class Take>
  bool run(const std::vector<u32>& roots, const Sample& inputs, const Take& take) {
    const Sequence sequence(*job_.plan, roots, job_.mode);
    lane_ = memory_.lane(job_.limits, &stop_->state, job_.plan->host);
    registers_.assign(job_.plan->nodes.size(), NO_VALUE);
    fresh_from_ = lane_.top;
    for (u32 place = 0; place < sequence.nodes.size(); ++place) {
      if (!run_one(sequence.nodes[place], inputs)) return false;
      release_after(sequence, place);
    }
    lane_.status = Status::ok;
    take(lane_, registers_.data());
    if (lane_.failed() && compact()) {  // to compare values takes memory, too
      lane_.status = Status::ok;
      take(lane_, registers_.data());
    }
    if (lane_.failed()) {
      lane_.status = Status::ok;
      for (u32 root : roots) fail(job_.plan->roots[root].node);
      take(lane_, registers_.data());
    }
    return true;
  }

 private:
  // Run a node; false if the run is stopped.
  bool run_one(u32 node, const Sample& inputs) {
    u8* const mark = lane_.top;
    const Account before = lane_.account;
    if (job_.mode != FailureMode::pile) lane_.carried = before.spent;
    while (!run_profiled(lane_, batt_, node, inputs, registers_.data(), profile_)) {
      if (lane_.status != Status::overflow) return false;
      const bool too_heavy = lane_.account.held > lane_.limits.held;
      lane_.release(mark);
      lane_.account = before;
      // Compaction takes as long as all that is in use; it is worth that after as much has been made again.
      const bool is_worth_it = u64(lane_.top - fresh_from_) >= memory_.bytes() / 4;
      if (too_heavy || !is_worth_it || !compact()) {
        const Value failure = failure_value(u32(Status::SIZE), node);
        registers_[node] = instead_of(lane_, batt_, node, registers_.data(), failure);
        lane_.account.held += held_by(registers_[node]);
        lane_.account.spent += lane_.work - lane_.carried;
        return true;
      }
    }
    return true;
  }

  void release_after(const Sequence& sequence, u32 place) {
    const Node& node = job_.plan->nodes[sequence.nodes[place]];
    const auto release = [&](u32 number) {
      if (sequence.last_use[number] != place) return;
      if (job_.plan->nodes[number].kind >= NodeKind::op) lane_.account.held -= held_by(registers_[number]);
      registers_[number] = NO_VALUE;
    };
    for (u32 k = 0; k < node.arg_count; ++k) release(job_.plan->args[node.first_arg + k]);
    release(sequence.nodes[place]);
  }

  void fail(u32 node) { registers_[node] = failure_value(u32(Status::SIZE), node); }

  // Slide together what the registers hold; false if the system has no memory for it.
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

  const Job& job_;
  const Flag* stop_;
  Profile* profile_;
  const BattView batt_;
  std::vector<Value> registers_;
  Memory memory_;
  Lane<Solo> lane_{};
  u8* fresh_from_ = nullptr;  // the top after the last compaction
};

}  // namespace arcbatt
