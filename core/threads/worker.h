// A worker: runs samples in the lane of a thread, and sees to it that they fit in its memory. Host only.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "threads/lone_program.h"
#include "threads/program_accounts.h"

namespace arcbatt {

// All programs of a sample run together while their values fit in the arena; nothing is released before the
// sample ends, so ordinary samples pay nothing. When the arena overflows, the complete outcomes are taken and
// the other programs start anew in smaller parts; a program that overflows by itself runs alone
// (lone_program.h). The arena of lone programs is more than twice as large: what fits here fits there, so the
// outcome of a program does not depend on its neighbours.
class Worker {
 public:
  Worker(const Job& job, const Flag* stop, Profile* profile = nullptr)
      : job_(job), stop_(stop), profile_(profile),
        own_(job, stop, profile, first_arena(job.limits.memory), ANY_WEIGHT) {}

  // Run a sample; false if the run is stopped. `take(lane, registers, places)` is called until it has got the
  // outcomes of all roots, each time with the places of some; the lane's status says whether it lacked
  // memory.
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

  // Programs together may hold as much as there is memory for: each is asked for its own account.
  static constexpr u64 ANY_WEIGHT = u64(1) << 62;

  // A schedule in two parts: programs that run together, and programs known to overflow, each by itself.
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
    while (!run_whole(task, inputs, schedule, take)) {
      if (lane_.status != Status::overflow) return false;
      const bool is_whole_pile = job_.mode == FailureMode::pile && is_over_one();  // memory would not help
      if (!is_whole_pile && own_.grow(arena_together(job_.limits.memory))) continue;
      const bool is_done = run_apart(task, inputs, schedule, take_complete(schedule, take), take);
      own_.loop.start_anew();
      return is_done;
    }
    return true;
  }

  // Run the remaining roots of a schedule in parts that fit.
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
      own_.loop.start_anew();
      if (run_whole(task, inputs, schedule, take)) continue;
      if (lane_.status != Status::overflow) return false;
      Positions left;
      for (u32 k : take_complete(schedule, take)) left.push_back(part[k]);
      if (left.empty()) continue;
      // Without progress: if a node of the sample overflowed, the first program runs alone; else the nodes of
      // earlier stages fill the arena, and the part is halved.
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

  // Take the outcomes that were complete when memory ran out; returns the positions of the other roots.
  template <class Take>
  Positions take_complete(const Schedule& schedule, const Take& take) {
    std::vector<u32> places;
    Positions rest, all;
    const ProgramAccounts accounts = accounts_of(schedule);
    for (u32 k = 0; k < schedule.roots.size(); ++k) {
      const u32 node = job_.plan->roots[schedule.roots[k]].node;
      const Stage stage = job_.plan->nodes[node].stage;
      const bool has_run = stage < overflowed_ || (stage == overflowed_ && node < overflowed_at_);
      const bool is_done = has_run && accounts.is_within(schedule.roots[k]);
      if (is_done && job_.mode != FailureMode::pile) places.push_back(schedule.places[k]);
      else rest.push_back(k);
      all.push_back(k);
    }
    lane_.status = Status::ok;
    if (!places.empty()) take(lane_, own_.registers.data(), places);
    return lane_.failed() ? all : rest;
  }

  // Run a schedule and take the outcomes of its roots; false if the lane cannot go on.
  template <class Take>
  bool run_whole(u32 task, const Sample& inputs, const Schedule& schedule, const Take& take) {
    if (!own_.loop.run(schedule.nodes.data(), schedule.stages, task, inputs)) {
      overflowed_at_ = own_.loop.steps.last();
      overflowed_ = job_.plan->nodes[overflowed_at_].stage;
      return false;
    }
    overflowed_ = Stage::sample;  // comparing takes memory, too
    overflowed_at_ = 0;
    if (is_over_one()) return take_apart(inputs, schedule, take);
    take(lane_, own_.registers.data(), schedule.places);
    return !lane_.failed();
  }

  // Whether programs together have cost, or hold, more than one program may: one of them may be over a limit.
  bool is_over_one() const {
    return lane_.account.held > job_.limits.held || is_overspent(lane_, own_.loop.steps.batt());
  }

  ProgramAccounts accounts_of(const Schedule& schedule) const {
    return {*job_.plan, own_.loop.steps, job_.limits, schedule.nodes};
  }

  // Take the outcomes of programs that together are over a limit of one. A program that is within it has the
  // outcome that it has; any other ends as it does by itself.
  template <class Take>
  bool take_apart(const Sample& inputs, const Schedule& schedule, const Take& take) {
    if (job_.mode == FailureMode::pile) {
      lane_.status = Status::overflow;
      return false;
    }
    const ProgramAccounts accounts = accounts_of(schedule);
    std::vector<u32> within;
    Positions over;
    for (u32 k = 0; k < schedule.roots.size(); ++k) {
      if (accounts.is_within(schedule.roots[k])) within.push_back(schedule.places[k]);
      else over.push_back(k);
    }
    if (!within.empty()) take(lane_, own_.registers.data(), within);
    if (lane_.failed()) return false;
    const Mark before = mark_of(lane_);
    for (u32 k : over) {
      if (accounts.is_overdrawn(schedule.roots[k])) {
        if (!run_alone(inputs, Schedule(*job_.plan, schedule, {k}, job_.mode), take)) return false;
        continue;
      }
      const std::vector<Value> ended = accounts.ended(lane_, schedule.roots[k], inputs, own_.registers);
      if (ended.empty()) return false;
      take(lane_, ended.data(), {schedule.places[k]});
      if (lane_.failed()) return false;
      go_back(lane_, before);
    }
    return true;
  }

  const Job& job_;
  const Flag* stop_;
  Profile* profile_;
  ThreadLane own_;
  Lane<Solo>& lane_ = own_.loop.lane;
  Stage overflowed_ = Stage::sample;  // where memory ran out
  u32 overflowed_at_ = 0;
  std::unique_ptr<Alone> alone_;
  std::set<u32> heavy_;  // roots that have run alone
  std::map<const Schedule*, std::shared_ptr<const Split>> splits_;
};

}  // namespace arcbatt
