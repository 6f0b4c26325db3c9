// A batt on the host: its plan, packed tasks, which roots are wanted, in which order nodes run, and the lane
// of a thread that runs them. Host only.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "machine/lane_loop.h"
#include "threads/lane_memory.h"

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

  // The nodes that some roots need, in topological order: root by root, depth first, arguments from left to
  // right. In mode `pile` every line runs, in file order, since the count of failures is part of the result.
  std::vector<u32> needed(const std::vector<u32>& wanted, FailureMode mode) const {
    std::vector<u32> found;
    if (wanted.empty()) return found;
    if (mode == FailureMode::pile) {
      for (u32 node = 0; node < nodes.size(); ++node) found.push_back(node);
      return found;
    }
    std::vector<bool> seen(nodes.size());
    std::vector<std::pair<u32, u32>> open;  // a node and how many of its arguments have been looked at
    const auto enter = [&](u32 node) {
      if (!seen[node]) open.emplace_back(node, 0);
      seen[node] = true;
    };
    for (u32 root : wanted) {
      enter(roots[root].node);
      while (!open.empty()) {
        auto& [node, looked_at] = open.back();
        if (looked_at < nodes[node].arg_count) {
          enter(args[nodes[node].first_arg + looked_at++]);
        } else {
          found.push_back(node);
          open.pop_back();
        }
      }
    }
    return found;
  }
};

inline BattView view_of(const Plan& plan, FailureMode mode) {
  return {plan.nodes.data(),
          plan.args.data(),
          plan.constants.data(),
          u32(plan.nodes.size()),
          mode,
          plan.default_function,
          plan.foreign_defaults.data()};
}

struct PackedTask {
  Value samples;
  std::vector<std::pair<Value, Value>> inputs;  // input and, where known, expected output
  std::shared_ptr<const Memory> memory;  // holds the values of this task, and of others
};

struct PackedTasks {
  std::vector<PackedTask> tasks;
};

// A flag that one thread sets and others read.
struct Flag {
  u32 state = 0;
  void set() { __atomic_store_n(&state, 1, __ATOMIC_RELAXED); }
  bool is_set() const { return __atomic_load_n(&state, __ATOMIC_RELAXED) != 0; }
};

// What to run: a plan on tasks, with the wanted roots of each task.
struct Job {
  const Plan* plan;
  const PackedTasks* tasks;
  std::vector<std::vector<u32>> wanted;
  Limits limits;
  FailureMode mode;
  bool columns;
  // Sums over the lanes that have ended.
  mutable std::atomic<u64> elements{0}, column_elements{0};

  void count(u64 all, u64 in_columns) const {
    elements += all;
    column_elements += in_columns;
  }
};

// The cost of a node or an op: how often it ran, how long in total, how often it failed by itself.
struct Cost {
  u64 runs = 0, nanoseconds = 0, failures = 0;

  void add(u64 spent, bool is_failure) {
    ++runs;
    nanoseconds += spent;
    failures += is_failure;
  }
};
// The cost of a node, and the elements that it applied functions to.
struct NodeCost : Cost {
  u64 elements = 0, column_elements = 0;
};
using Profile = std::vector<NodeCost>;  // by node

// CPU time of this thread in nanoseconds: waiting does not count. A steady clock where the system has no
// such.
inline u64 thread_nanoseconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now;
  const bool is_known = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0;
  if (is_known) return u64(now.tv_sec) * 1'000'000'000u + u64(now.tv_nsec);
#endif
  return u64(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// Runs the nodes of a batt in a thread. Remembers the last node, the account of each and, with a profile,
// adds up the cost of each.
class ThreadSteps {
 public:
  ThreadSteps(const BattView& batt, Profile* profile)
      : batt_(batt), profile_(profile), accounts_(batt.node_count) {}

  const BattView& batt() const { return batt_; }
  u32 last() const { return last_; }
  const Account& account(u32 node) const { return accounts_[node]; }  // when it ran last
  const u32* place_of_last() const { return &last_; }

  bool run(Lane<Solo>& lane, u32 node, const Sample& inputs, Value* registers) {
    last_ = node;
    const Account before = lane.account;
    const bool goes_on =
        profile_ ? run_timed(lane, node, inputs, registers) : run_node(lane, batt_, node, inputs, registers);
    accounts_[node] = {lane.account.held - before.held, lane.account.spent - before.spent};
    return goes_on;
  }

 private:
  bool run_timed(Lane<Solo>& lane, u32 node, const Sample& inputs, Value* registers) {
    const u64 elements = lane.elements, in_columns = lane.column_elements;
    const u64 started = thread_nanoseconds();
    if (!run_node(lane, batt_, node, inputs, registers)) return false;
    NodeCost& cost = (*profile_)[node];
    cost.add(thread_nanoseconds() - started, lane.failed());
    cost.elements += lane.elements - elements;
    cost.column_elements += lane.column_elements - in_columns;
    return true;
  }

  const BattView batt_;
  Profile* const profile_;
  u32 last_ = 0;
  std::vector<Account> accounts_;  // by node
};

// The lane loop of a thread, with memory of its own, for programs that together may hold some weight.
struct ThreadLane {
  ThreadLane(const Job& job, const Flag* stop, Profile* profile, u64 arena_bytes, u64 held)
      : job(job), stop(stop), held(held), memory(SpareMemory::take(arena_bytes, job.limits.depth)),
        registers(job.plan->nodes.size()),
        loop(ThreadSteps(view_of(*job.plan, job.mode), profile), registers.data(), fresh()) {
    loop.lane.node = loop.steps.place_of_last();
  }
  ~ThreadLane() {
    count_elements();
    SpareMemory::leave(std::move(memory));
  }
  ThreadLane(const ThreadLane&) = delete;
  ThreadLane& operator=(const ThreadLane&) = delete;

  // Start anew with more memory, within a bound; false, with all left as it is, where there is no more.
  bool grow(u64 most) {
    if (!memory.grow(most)) return false;
    count_elements();
    loop.lane = fresh();
    loop.lane.node = loop.steps.place_of_last();
    loop.start_anew();
    return true;
  }

  Lane<Solo> fresh() const {
    Lane<Solo> lane = memory.lane(job.limits, &stop->state, job.plan->host);
    lane.limits.held = held;
    lane.columns = job.columns;
    return lane;
  }
  void count_elements() const { job.count(loop.lane.elements, loop.lane.column_elements); }

  const Job& job;
  const Flag* stop;
  const u64 held;
  Memory memory;
  std::vector<Value> registers;
  LaneLoop<Solo, ThreadSteps> loop;
};

// The nodes that some roots need, by stage; within a stage in the order of the plan.
struct Schedule {
  std::vector<u32> roots, places;  // the wanted roots, and their places in the job's list of wanted roots
  std::vector<u32> nodes;
  Stages stages;

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
    nodes = plan.needed(roots, mode);
    const auto order = [&](u32 node) { return std::pair(plan.nodes[node].stage, node); };
    std::sort(nodes.begin(), nodes.end(), [&](u32 a, u32 b) { return order(a) < order(b); });
    const auto end_of = [&](Stage stage) {
      const auto is_of = [&](u32 node) { return plan.nodes[node].stage <= stage; };
      return u32(std::partition_point(nodes.begin(), nodes.end(), is_of) - nodes.begin());
    };
    stages = {end_of(Stage::constant), end_of(Stage::task), u32(nodes.size())};
  }
};

}  // namespace arcbatt
