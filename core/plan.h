// A batt on the host: its plan, packed tasks, what is wanted, and in which order nodes run. Host only.
#pragma once

#include <time.h>

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

// Nanoseconds that this thread has run: what it waits for others does not count. Else of a steady clock.
inline u64 thread_nanoseconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now;
  const bool is_known = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0;
  if (is_known) return u64(now.tv_sec) * 1'000'000'000u + u64(now.tv_nsec);
#endif
  return u64(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// Run a node as `run_node` does, and note what it costs where that is asked for.
inline bool run_profiled(Lane<Solo>& lane, const BattView& batt, u32 node, const Sample& inputs,
                         Value* registers, Profile* profile) {
  if (!profile) return run_node(lane, batt, node, inputs, registers);
  const u64 started = thread_nanoseconds();
  if (!run_node(lane, batt, node, inputs, registers)) return false;
  profile->nanoseconds[node] += thread_nanoseconds() - started;
  profile->runs[node] += 1;
  profile->failures[node] += lane.status != Status::ok;
  return true;
}

// The nodes that some roots need, by stage, in the order of the plan. Of a pile every line runs, as each may
// fail.
struct Schedule {
  std::vector<u32> roots, places;  // which are wanted, and their places in the list of all that are
  std::vector<u32> constant, task, sample;

  Schedule(const Plan& plan, const std::vector<u32>& wanted, FailureMode mode) : roots(wanted) {
    for (u32 k = 0; k < wanted.size(); ++k) places.push_back(k);
    find_nodes(plan, mode);
  }

  // A part of another schedule: some of its roots, by their positions in it.
  Schedule(const Plan& plan, const Schedule& whole, const std::vector<u32>& positions, FailureMode mode) {
    for (u32 k : positions) {
      roots.push_back(whole.roots[k]);
      places.push_back(whole.places[k]);
    }
    find_nodes(plan, mode);
  }

 private:
  void find_nodes(const Plan& plan, FailureMode mode) {
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

}  // namespace arcbatt
