// A batt on the host: its plan, packed tasks, and the lane in which a thread runs samples. Host only.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "host.h"
#include "judge.h"

namespace arcbatt {

// A batt ready to run.
struct Plan {
  std::vector<Node> nodes;
  std::vector<u32> args;
  std::vector<Value> constants;
  std::vector<Root> roots;
  std::unique_ptr<Memory> memory;  // holds the constants
  Value default_function;
  std::vector<ForeignDefault> foreign_defaults;
  Host host;
  bool resident = false;  // the constants are in the memory of a device
};

inline BattView view_of(const Plan& plan, FailureMode mode) {
  return {plan.nodes.data(), plan.args.data(), plan.constants.data(), mode, plan.default_function,
          plan.foreign_defaults.data()};
}

struct PackedTask {
  Value samples;
  std::vector<std::pair<Value, Value>> inputs;  // input and, where known, expected output
};

struct PackedTasks {
  std::vector<PackedTask> tasks;
  std::unique_ptr<Memory> memory;
};

// A flag that one thread sets and others read.
struct Flag {
  u32 state = 0;
  void set() { __atomic_store_n(&state, 1, __ATOMIC_RELAXED); }
  bool is_set() const { return __atomic_load_n(&state, __ATOMIC_RELAXED) != 0; }
};

// What to run: for each task the roots that are wanted.
struct Job {
  const Plan* plan;
  const PackedTasks* tasks;
  std::vector<std::vector<u32>> wanted;
  Limits limits;
  FailureMode mode;
};

// What each node has cost: how often it ran, how long, how often it failed by itself.
struct Profile {
  std::vector<u64> runs, nanoseconds, failures;

  explicit Profile(u64 nodes) : runs(nodes), nanoseconds(nodes), failures(nodes) {}
};

// The nodes that some roots need, by stage, in the order of the plan. Of a pile every line runs, as each may
// fail.
struct Schedule {
  std::vector<u32> constant, task, sample;

  Schedule(const Plan& plan, const std::vector<u32>& roots, FailureMode mode) {
    std::vector<bool> needed(plan.nodes.size(), mode == FailureMode::pile);
    if (roots.empty()) return;
    for (u32 root : roots) needed[plan.roots[root].node] = true;
    for (u32 node = u32(plan.nodes.size()); node-- > 0;) {
      if (!needed[node]) continue;
      const u32 *arg = plan.args.data() + plan.nodes[node].first_arg, *end = arg + plan.nodes[node].arg_count;
      for (; arg != end; ++arg) needed[*arg] = true;
    }
    for (u32 node = 0; node < plan.nodes.size(); ++node) {
      if (!needed[node]) continue;
      const Stage stage = plan.nodes[node].stage;
      (stage == Stage::constant ? constant : stage == Stage::task ? task : sample).push_back(node);
    }
  }
};

// One thread's lane: its memory, its registers, and what it has computed for the task it is at.
class Worker {
 public:
  Worker(const Job& job, const Flag* stop, u64 arena_bytes, Profile* profile = nullptr)
      : job_(job), stop_(stop), profile_(profile), batt_(view_of(*job.plan, job.mode)),
        memory_(arena_bytes, job.limits.depth) {
    start_anew();
  }

  // Run a sample and hand its registers on, unless the run is stopped.
  template <class Take>
  void run(u32 task, u32 sample, const Schedule& schedule, const Take& take) {
    const PackedTask& packed = job_.tasks->tasks[task];
    const Sample inputs{packed.samples, packed.inputs[sample].first, packed.inputs[sample].second};
    while (!stop_->is_set()) {
      lane_.failures = 0;
      if (prepare(task, schedule, inputs) && run_nodes(schedule.sample, inputs)) {
        lane_.status = Status::ok;
        take(lane_, registers_.data());
        if (!lane_.failed()) return;  // to compare values takes memory, too
      }
      if (lane_.status != Status::overflow) return;
      memory_.grow();
      start_anew();
    }
  }

 private:
  // Forget what was computed; a register without a value is one that has not run.
  void start_anew() {
    lane_ = memory_.lane(job_.limits, &stop_->state, job_.plan->host);
    registers_.assign(job_.plan->nodes.size(), NO_VALUE);
    after_constants_ = lane_.top;
    task_ = NO_TASK;
  }

  bool run_nodes(const std::vector<u32>& nodes, const Sample& inputs) {
    for (u32 node : nodes) {
      if (!run_one(node, inputs)) return false;
    }
    return true;
  }

  bool run_one(u32 node, const Sample& inputs) {
    if (!profile_) return run_node(lane_, batt_, node, inputs, registers_.data());
    using Clock = std::chrono::steady_clock;
    const auto started = Clock::now();
    if (!run_node(lane_, batt_, node, inputs, registers_.data())) return false;
    profile_->nanoseconds[node] += u64(std::chrono::nanoseconds(Clock::now() - started).count());
    profile_->runs[node] += 1;
    profile_->failures[node] += lane_.status != Status::ok;
    return true;
  }

  // Run what is constant and what depends on the task alone, unless it has been run.
  bool prepare(u32 task, const Schedule& schedule, const Sample& inputs) {
    if (task == task_) {
      lane_.release(after_task_);
      return true;
    }
    lane_.release(after_constants_);
    for (u32 node : schedule.constant) {
      if (!registers_[node].exists() && !run_one(node, inputs)) return false;
    }
    after_constants_ = lane_.top;
    if (!run_nodes(schedule.task, inputs)) return false;
    after_task_ = lane_.top;
    task_ = task;
    return true;
  }

  static constexpr u32 NO_TASK = 0xffffffffu;
  const Job& job_;
  const Flag* stop_;
  Profile* profile_;
  const BattView batt_;
  std::vector<Value> registers_;
  Memory memory_;
  Lane<Solo> lane_{};
  u32 task_ = NO_TASK;
  u8* after_constants_ = nullptr;
  u8* after_task_ = nullptr;
};

}  // namespace arcbatt
