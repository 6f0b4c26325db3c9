// Running batts on the host: packed tasks, threads that take samples from one queue, verdicts. Host only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "batt.h"
#include "host.h"

namespace arcbatt {

// A verdict on one sample: below FAILED how the value compares, above it how the program failed.
constexpr u8 WRONG = 0, EXACT = 1, UNJUDGED = 2, FAILED = 16;

struct Root {
  u32 node;
  bool judged;  // a solver's output is compared with the expected one, a differ's is not
};

// A batt ready to run.
struct Plan {
  std::vector<Node> nodes;
  std::vector<u32> args;
  std::vector<Value> constants;
  std::vector<Root> roots;
  std::unique_ptr<Memory> memory;  // holds the constants
  Value default_function;
  std::vector<Value> foreign_defaults;
  Host host;
};

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

// The nodes that some roots need, by stage, in the order of the plan.
struct Schedule {
  std::vector<u32> constant, task, sample;

  Schedule(const Plan& plan, const std::vector<u32>& roots) {
    std::vector<bool> needed(plan.nodes.size());
    u32 last = 0;
    for (u32 root : roots) {
      needed[plan.roots[root].node] = true;
      last = plan.roots[root].node > last ? plan.roots[root].node : last;
    }
    if (roots.empty()) return;
    for (u32 node = last + 1; node-- > 0;) {
      if (!needed[node]) continue;
      for (u32 k = 0; k < plan.nodes[node].arg_count; ++k) needed[plan.args[plan.nodes[node].first_arg + k]] = true;
    }
    for (u32 node = 0; node <= last; ++node) {
      if (!needed[node]) continue;
      const Stage stage = plan.nodes[node].stage;
      (stage == Stage::constant ? constant : stage == Stage::task ? task : sample).push_back(node);
    }
  }
};

// One thread's lane: its memory, its registers, and what it has computed for the task it is at.
class Worker {
 public:
  Worker(const Job& job, const Flag* stop, u64 arena_bytes)
      : job_(job), stop_(stop), registers_(job.plan->nodes.size()), known_(job.plan->nodes.size()), bytes_(arena_bytes) {
    grow(arena_bytes);
  }

  // The registers after a sample has run, or null if the run was stopped.
  const Value* run(u32 task, u32 sample, const Schedule& schedule) {
    const PackedTask& packed = job_.tasks->tasks[task];
    const Sample inputs{packed.samples, packed.inputs[sample].first, packed.inputs[sample].second};
    while (!stop_->is_set()) {
      const bool done = prepare(task, schedule, inputs) && run_nodes(schedule.sample, inputs);
      if (done) return registers_.data();
      if (lane_.status != Status::overflow || bytes_ * 4 > LARGEST) break;
      grow(bytes_ * 4);
    }
    return nullptr;
  }

  Lane<Solo>& lane() { return lane_; }
  bool out_of_memory() const { return lane_.status == Status::overflow; }

 private:
  static constexpr u64 LARGEST = u64(4) << 30;

  // Start anew in a larger arena.
  void grow(u64 bytes) {
    memory_.reset();
    memory_ = std::make_unique<Memory>(bytes, job_.limits.depth);
    bytes_ = bytes;
    lane_ = memory_->lane(job_.limits, &stop_->state, job_.plan->host);
    std::fill(known_.begin(), known_.end(), false);
    after_constants_ = lane_.top;
    task_ = NO_TASK;
  }

  bool run_nodes(const std::vector<u32>& nodes, const Sample& inputs) {
    const BattView batt{job_.plan->nodes.data(), job_.plan->args.data(), job_.plan->constants.data(), job_.mode,
                        job_.plan->default_function, job_.plan->foreign_defaults.data()};
    for (u32 node : nodes) {
      if (!run_node(lane_, batt, node, inputs, registers_.data())) return false;
    }
    return true;
  }

  // Run what is constant and what depends on the task alone, unless it has been run.
  bool prepare(u32 task, const Schedule& schedule, const Sample& inputs) {
    if (task == task_) {
      lane_.release(after_task_);
      return true;
    }
    lane_.release(after_constants_);
    std::vector<u32> fresh;
    for (u32 node : schedule.constant) {
      if (!known_[node]) fresh.push_back(node);
    }
    if (!run_nodes(fresh, inputs)) return false;
    for (u32 node : fresh) known_[node] = true;
    after_constants_ = lane_.top;
    if (!run_nodes(schedule.task, inputs)) return false;
    after_task_ = lane_.top;
    task_ = task;
    return true;
  }

  static constexpr u32 NO_TASK = 0xffffffffu;
  const Job& job_;
  const Flag* stop_;
  std::vector<Value> registers_;
  std::vector<bool> known_;
  u64 bytes_;
  std::unique_ptr<Memory> memory_;
  Lane<Solo> lane_{};
  u32 task_ = NO_TASK;
  u8* after_constants_ = nullptr;
  u8* after_task_ = nullptr;
};

// The verdicts of a run: for each task, for each wanted root, for each sample one byte.
class Run {
 public:
  explicit Run(Job job) : job_(std::move(job)) {
    for (u32 task = 0; task < job_.wanted.size(); ++task) {
      const u32 samples = u32(job_.tasks->tasks[task].inputs.size());
      verdicts.emplace_back(job_.wanted[task].size() * samples);
      left_.push_back(job_.wanted[task].empty() ? 0 : samples);
      for (u32 sample = 0; sample < left_.back(); ++sample) queue_.push_back({task, sample});
      if (task == 0 || job_.wanted[task] != job_.wanted[task - 1])
        schedules_.push_back(std::make_shared<Schedule>(*job_.plan, job_.wanted[task]));
      else
        schedules_.push_back(schedules_.back());
    }
  }

  // Run on some threads; `watch` is called now and then in this thread and may ask to stop by returning false.
  void go(u32 threads, u64 arena_bytes, const std::function<bool()>& watch) {
    std::vector<std::thread> workers;
    start(workers, threads < queue_.size() ? threads : u32(queue_.size()), arena_bytes);
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (running_ > 0) {
        changed_.wait_for(lock, std::chrono::milliseconds(50));
        lock.unlock();
        if (!stop_.is_set() && !watch()) stop_.set();
        lock.lock();
      }
    }
    for (std::thread& worker : workers) worker.join();
    if (raised_) std::rethrow_exception(raised_);
  }

  // The tasks whose samples have all run, in the order in which they ended.
  std::vector<u32> finished() {
    std::lock_guard<std::mutex> lock(mutex_);
    return finished_;
  }
  bool out_of_memory() const { return out_of_memory_; }

  std::vector<std::vector<u8>> verdicts;

 private:
  struct Item {
    u32 task, sample;
  };

  // Start threads; where the system gives fewer, those do the work.
  void start(std::vector<std::thread>& workers, u32 threads, u64 arena_bytes) {
    workers.reserve(threads);
    for (u32 k = 0; k < threads; ++k) {
      std::lock_guard<std::mutex> lock(mutex_);
      try {
        workers.emplace_back([this, arena_bytes] { work(arena_bytes); });
        ++running_;
      } catch (const std::system_error&) {
        if (workers.empty()) throw;
        return;
      }
    }
  }

  void work(u64 arena_bytes) {
    try {
      Worker worker(job_, &stop_, arena_bytes);
      for (u64 place = next_++; place < queue_.size() && !stop_.is_set(); place = next_++) {
        const Item at = queue_[place];
        const Value* registers = worker.run(at.task, at.sample, *schedules_[at.task]);
        if (!registers) {
          if (worker.out_of_memory()) out_of_memory_ = true;
          stop_.set();
          break;
        }
        judge(worker.lane(), at, registers);
        std::lock_guard<std::mutex> lock(mutex_);
        if (--left_[at.task] == 0) finished_.push_back(at.task);
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      stop_.set();
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex_);
      raised_ = std::current_exception();
      stop_.set();
    }
    std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  void judge(Lane<Solo>& lane, Item at, const Value* registers) {
    const PackedTask& task = job_.tasks->tasks[at.task];
    const Value expected = task.inputs[at.sample].second;
    const std::vector<u32>& wanted = job_.wanted[at.task];
    for (u64 k = 0; k < wanted.size(); ++k) {
      const Root root = job_.plan->roots[wanted[k]];
      const Value outcome = registers[root.node];
      u8 verdict = UNJUDGED;
      if (is_failure(outcome)) verdict = u8(FAILED + failure_status(outcome));
      else if (root.judged && expected.exists()) verdict = equal(lane, outcome, expected) ? EXACT : WRONG;
      verdicts[at.task][k * task.inputs.size() + at.sample] = verdict;
    }
  }

  Job job_;
  std::vector<std::shared_ptr<Schedule>> schedules_;
  std::vector<Item> queue_;
  std::atomic<u64> next_{0};
  Flag stop_;
  std::atomic<bool> out_of_memory_{false};
  std::exception_ptr raised_;
  std::mutex mutex_;
  std::condition_variable changed_;
  u32 running_ = 0;
  std::vector<u32> left_, finished_;
};

}  // namespace arcbatt
