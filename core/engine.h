// The lane in which a thread runs samples, and what it does when memory runs out. Host only.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "alone.h"

namespace arcbatt {

// One thread's lane: its memory, its registers, and what it has computed for the task it is at.
//
// Programs run together as long as all their values fit; nothing is released before the sample ends, so that
// ordinary samples pay nothing. Where they do not fit, those that are complete are taken and the rest starts
// anew; a program for which there is not enough memory even so runs alone. The memory of lone programs is
// more than twice as large: what fits here fits there, so that what a program gives depends on no other.
class Worker {
 public:
  Worker(const Job& job, const Flag* stop, Profile* profile = nullptr)
      : job_(job), stop_(stop), profile_(profile), batt_(view_of(*job.plan, job.mode)),
        memory_(Memory::up_to(first_arena(job.limits.memory), job.limits.depth)) {
    start_anew();
  }

  // Run a sample; false if the run is stopped. `take(lane, registers, places)` gets what the roots at some
  // places of the schedule gave, until it has got all; it says by the lane's status that it lacks memory.
  template <class Take>
  bool run(u32 task, u32 sample, const Schedule& schedule, const Take& take) {
    const PackedTask& packed = job_.tasks->tasks[task];
    const Sample inputs{packed.samples, packed.inputs[sample].first, packed.inputs[sample].second};
    if (heavy_.empty()) return run_together(task, inputs, schedule, take);
    const std::shared_ptr<const Split> split = split_of(schedule);
    if (!split->light.places.empty() && !run_together(task, inputs, split->light, take)) return false;
    for (const Schedule& heavy : split->heavy) {
      if (!run_alone(inputs, heavy, take)) return false;
    }
    return true;
  }

 private:
  using Positions = std::vector<u32>;  // of roots in a schedule

  // A schedule without the programs that are known to need memory of their own, and those.
  struct Split {
    Schedule light;
    std::vector<Schedule> heavy;
  };

  std::shared_ptr<const Split> split_of(const Schedule& schedule) {
    std::shared_ptr<const Split>& known = splits_[&schedule];
    if (known) return known;
    const bool is_pile = job_.mode == FailureMode::pile;
    Positions light;
    std::vector<Schedule> heavy;
    if (is_pile) heavy.push_back(schedule);
    for (u32 k = 0; k < schedule.roots.size() && !is_pile; ++k) {
      if (heavy_.count(schedule.roots[k])) heavy.emplace_back(*job_.plan, schedule, Positions{k}, job_.mode);
      else light.push_back(k);
    }
    known = std::make_shared<const Split>(
        Split{Schedule(*job_.plan, schedule, light, job_.mode), std::move(heavy)});
    return known;
  }

  template <class Take>
  bool run_together(u32 task, const Sample& inputs, const Schedule& schedule, const Take& take) {
    while (true) {
      if (run_stages(task, inputs, schedule)) {
        take(lane_, registers_.data(), schedule.places);
        if (!lane_.failed()) return true;
      }
      if (lane_.status != Status::overflow) return false;
      // Where the programs hold or cost too much, more memory would not help.
      const bool is_overdrawn = lane_.account.held > lane_.limits.held || is_overspent(lane_, batt_);
      if (is_overdrawn || !memory_.grow(arena_together(job_.limits.memory))) break;
      start_anew();
    }
    const bool is_done = run_apart(task, inputs, schedule, complete(schedule, take), take);
    start_anew();
    return is_done;
  }

  // Run the rest of the roots of a schedule in parts that fit.
  template <class Take>
  bool run_apart(u32 task, const Sample& inputs, const Schedule& whole, Positions rest, const Take& take) {
    std::vector<Positions> waiting;
    if (!rest.empty()) waiting.push_back(std::move(rest));
    while (!waiting.empty()) {
      const Positions part = std::move(waiting.back());
      waiting.pop_back();
      const Schedule schedule(*job_.plan, whole, part, job_.mode);
      if (part.size() == 1 || job_.mode == FailureMode::pile) {
        heavy_.insert(schedule.roots.begin(), schedule.roots.end());
        splits_.clear();
        if (!run_alone(inputs, schedule, take)) return false;
        continue;
      }
      start_anew();
      if (run_stages(task, inputs, schedule)) {
        take(lane_, registers_.data(), schedule.places);
        if (!lane_.failed()) continue;
      }
      if (lane_.status != Status::overflow) return false;
      Positions left;
      for (u32 k : complete(schedule, take)) left.push_back(part[k]);
      if (left.empty()) continue;
      // With no progress, either the first program is to blame or what all of them prepare for samples.
      u64 cut = left.size();
      if (left.size() == part.size()) cut = overflowed_ == Stage::sample ? 1 : left.size() / 2;
      if (cut < left.size()) waiting.emplace_back(left.begin() + i64(cut), left.end());
      waiting.emplace_back(left.begin(), left.begin() + i64(cut));
    }
    return true;
  }

  template <class Take>
  bool run_alone(const Sample& inputs, const Schedule& schedule, const Take& take) {
    if (!alone_) alone_ = std::make_unique<Alone>(job_, stop_, profile_);
    return alone_->run(schedule.roots, inputs, [&](Lane<Solo>& lane, const Value* registers) {
      take(lane, registers, schedule.places);
    });
  }

  // Take the roots that had run when memory ran out; the positions of the others are the answer.
  template <class Take>
  Positions complete(const Schedule& schedule, const Take& take) {
    std::vector<u32> places;
    Positions done, rest, all;
    for (u32 k = 0; k < schedule.roots.size(); ++k) {
      const u32 node = job_.plan->roots[schedule.roots[k]].node;
      const Stage stage = job_.plan->nodes[node].stage;
      const bool is_done = stage < overflowed_ || (stage == overflowed_ && node < overflowed_at_);
      if (is_done && job_.mode != FailureMode::pile) places.push_back(schedule.places[k]);
      else rest.push_back(k);
      all.push_back(k);
    }
    lane_.status = Status::ok;
    if (!places.empty()) take(lane_, registers_.data(), places);
    return lane_.failed() ? all : rest;
  }

  // Forget what was computed; a register without a value is one that has not run.
  void start_anew() {
    lane_ = memory_.lane(job_.limits, &stop_->state, job_.plan->host);
    registers_.assign(job_.plan->nodes.size(), NO_VALUE);
    after_constants_ = lane_.top;
    account_of_constants_ = {0, 0};
    task_ = NO_TASK;
  }

  // Run what the roots of a schedule need; false if the lane cannot go on.
  bool run_stages(u32 task, const Sample& inputs, const Schedule& schedule) {
    lane_.failures = 0;
    if (!prepare(task, schedule, inputs) || !run_nodes(schedule.sample, inputs)) return false;
    lane_.status = Status::ok;
    overflowed_ = Stage::sample;  // to compare values takes memory, too
    overflowed_at_ = 0;
    return true;
  }

  bool run_nodes(const std::vector<u32>& nodes, const Sample& inputs) {
    for (u32 node : nodes) {
      if (!run_one(node, inputs)) return false;
    }
    return true;
  }

  bool run_one(u32 node, const Sample& inputs) {
    if (run_profiled(lane_, batt_, node, inputs, registers_.data(), profile_) && may_go_on(lane_, batt_)) {
      return true;
    }
    overflowed_ = job_.plan->nodes[node].stage;
    overflowed_at_ = node;
    return false;
  }

  // Run what is constant and what depends on the task alone, unless it has been run.
  bool prepare(u32 task, const Schedule& schedule, const Sample& inputs) {
    if (task == task_) {
      lane_.release(after_task_);
      lane_.account = account_of_task_;
      return true;
    }
    task_ = NO_TASK;
    lane_.release(after_constants_);
    lane_.account = account_of_constants_;
    for (u32 node : schedule.constant) {
      if (!registers_[node].exists() && !run_one(node, inputs)) return false;
    }
    after_constants_ = lane_.top;
    account_of_constants_ = lane_.account;
    if (!run_nodes(schedule.task, inputs)) return false;
    after_task_ = lane_.top;
    account_of_task_ = lane_.account;
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
  Account account_of_constants_{}, account_of_task_{};  // by the time these have run

  Stage overflowed_ = Stage::sample;  // where memory ran out
  u32 overflowed_at_ = 0;
  std::unique_ptr<Alone> alone_;
  std::set<u32> heavy_;               // roots that have run alone
  std::map<const Schedule*, std::shared_ptr<const Split>> splits_;
};

}  // namespace arcbatt
