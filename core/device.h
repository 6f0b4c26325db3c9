// What a group of threads does in a launch: it takes samples, runs the batt on them and leaves the results.
#pragma once

#include "image.h"
#include "warp.h"

namespace arcbatt {

template <class Group>
class DeviceLane {
 public:
  HOST_DEVICE DeviceLane(Launch& launch, u32 number, Frame* near_frames) : launch_(launch) {
    u8* part = launch.workspace + number * launch.group_bytes;
    u8* const end = part + launch.group_bytes;
    registers_ = reinterpret_cast<Value*>(part);
    part += rounded(launch.node_count * sizeof(Value));
    Frame* frames = reinterpret_cast<Frame*>(part);
    part += rounded(u64(launch.frame_size) * sizeof(Frame));
    Value* stack = reinterpret_cast<Value*>(part);
    part += rounded(u64(launch.stack_size) * sizeof(Value));
    u8* const arena = launch.arena ? launch.arena : part;
    u8* const arena_end = launch.arena ? launch.arena_end : end;
    lane_ = Lane<Group>{Group{}, launch.limits, arena, arena, arena_end, stack, 0, launch.stack_size,
                        frames, 0, launch.frame_size, 0, 0, 0, Status::ok, &launch.stop, nullptr, nullptr, 0,
                        near_frames, {0, 0}, 0};
    start_anew();
  }

  HOST_DEVICE void run() {
    while (true) {
      const u64 first = lane_.group.take(&launch_.next, launch_.chunk);
      if (first >= launch_.sample_count) return;
      const u64 last = u64(least(i64(first + launch_.chunk), i64(launch_.sample_count)));
      for (u64 number = first; number < last; ++number) {
        // After a stop every sample that is left gets its status, too: what else would be read as one?
        const bool stopped = lane_.group.is_set(&launch_.stop);
        const Status status = stopped ? Status::stopped : run_sample(launch_.samples[number], number);
        if (lane_.group.rank() == 0) launch_.statuses[number] = u8(status);
      }
    }
  }

 private:
  static constexpr u32 NO_TASK = 0xffffffffu;

  // Forget what was computed; a register without a value is one that has not run.
  HOST_DEVICE void start_anew() {
    lane_.release(lane_.base);  // every thread has read what it needs
    each(lane_.group, u32(launch_.node_count), [&](u32 k) { registers_[k] = NO_VALUE; });
    after_constants_ = lane_.top;
    lane_.account = account_of_constants_ = {0, 0};
    task_ = NO_TASK;
  }

  HOST_DEVICE Status run_sample(const SampleRecord& sample, u64 number) {
    const ScheduleRecord& schedule = launch_.schedules[sample.schedule];
    lane_.failures = 0;
    if (!prepare(sample, schedule)) {
      const Status status = lane_.status;
      start_anew();
      return status;
    }
    if (!run_nodes(schedule.of_sample, schedule.end, sample.inputs)) return lane_.status;
    lane_.status = Status::ok;
    judge(sample, schedule);
    if (launch_.arena) leave(sample, schedule, number);
    else if (launch_.block_places && !hand_out(sample, schedule, number)) return Status::overflow;
    return lane_.status;
  }

  // Run what is constant and what depends on the task alone, unless it has been run.
  HOST_DEVICE bool prepare(const SampleRecord& sample, const ScheduleRecord& schedule) {
    if (sample.task == task_) {
      lane_.release(after_task_);
      lane_.account = account_of_task_;
      return true;
    }
    task_ = NO_TASK;
    lane_.release(after_constants_);
    lane_.account = account_of_constants_;
    for (u32 k = schedule.constants; k < schedule.of_task; ++k) {
      const u32 node = launch_.order[k];
      if (registers_[node].exists()) continue;
      if (!run_one(node, sample.inputs)) return false;
    }
    after_constants_ = lane_.top;
    account_of_constants_ = lane_.account;
    if (!run_nodes(schedule.of_task, schedule.of_sample, sample.inputs)) return false;
    after_task_ = lane_.top;
    account_of_task_ = lane_.account;
    task_ = sample.task;
    return true;
  }

  HOST_DEVICE bool run_one(u32 node, const Sample& inputs) {
    return run_node(lane_, launch_.batt, node, inputs, registers_) && may_go_on(lane_, launch_.batt);
  }

  HOST_DEVICE bool run_nodes(u32 from, u32 to, const Sample& inputs) {
    for (u32 k = from; k < to; ++k) {
      if (!run_one(launch_.order[k], inputs)) return false;
    }
    return true;
  }

  HOST_DEVICE Value outcome(const ScheduleRecord& schedule, u32 k) const {
    return registers_[launch_.roots[launch_.wanted[schedule.wanted + k]].node];
  }

  HOST_DEVICE void judge(const SampleRecord& sample, const ScheduleRecord& schedule) {
    for (u32 k = 0; k < schedule.wanted_end - schedule.wanted; ++k) {
      const Root root = launch_.roots[launch_.wanted[schedule.wanted + k]];
      const Value given = outcome(schedule, k);
      const u8 verdict = verdict_of(lane_, root, given, sample.inputs.comparison);
      if (lane_.group.rank() != 0) continue;
      launch_.verdicts[sample.first + k] = verdict;
      launch_.scores[sample.first + k] = score_of(root, given);
    }
  }

  // Leave the outcomes where they are, and tell where, and where the arena is free.
  HOST_DEVICE void leave(const SampleRecord& sample, const ScheduleRecord& schedule, u64 number) {
    if (lane_.group.rank() != 0) return;
    for (u32 k = 0; k < schedule.wanted_end - schedule.wanted; ++k) {
      launch_.outcomes[sample.first + k] = outcome(schedule, k);
    }
    launch_.block_places[number] = u64(lane_.top);
  }

  // Copy the outcomes, with all they point to, into a block; addresses in it count from its beginning.
  HOST_DEVICE bool hand_out(const SampleRecord& sample, const ScheduleRecord& schedule, u64 number) {
    u8* const start = lane_.top;
    const auto every_part = [](Value) { return true; };
    for (u32 k = 0; k < schedule.wanted_end - schedule.wanted; ++k) {
      const Value given = outcome(schedule, k);
      const Value kept = given.is_heap() ? copied_to_top(lane_, given, u64(start), every_part) : given;
      if (lane_.failed()) return false;
      if (lane_.group.rank() == 0) launch_.outcomes[sample.first + k] = kept;
    }
    const u64 bytes = u64(lane_.top - start);
    const u64 place = lane_.group.take(&launch_.block_top, bytes);
    if (place + bytes > launch_.block_bytes) return false;
    if (lane_.group.rank() == 0) launch_.block_places[number] = place;
    copy_words(lane_.group, launch_.blocks + place, start, bytes);
    lane_.release(start);
    return true;
  }

  Launch& launch_;
  Lane<Group> lane_;
  Value* registers_;
  u8* after_constants_ = nullptr;
  u8* after_task_ = nullptr;
  Account account_of_constants_{}, account_of_task_{};  // by the time these have run
  u32 task_ = NO_TASK;
};

}  // namespace arcbatt
