// The work of a lane group in a launch: take samples, run the batt on them, write the results.
#pragma once

#include "gpu/launch_layout.h"
#include "gpu/warp.h"

namespace arcbatt {

// Runs the nodes of a launch.
template <class Group>
struct LaunchSteps {
  Launch& launch;

  HOST_DEVICE const BattView& batt() const { return launch.batt; }
  HOST_DEVICE bool run(Lane<Group>& lane, u32 node, const Sample& inputs, Value* registers) const {
    if (!run_node(lane, launch.batt, node, inputs, registers)) return false;
    if (is_overspent(lane, launch.batt)) lane.status = Status::overflow;  // the host tells programs apart
    return lane.status != Status::overflow;
  }
};

template <class Group>
class DeviceLane {
 public:
  HOST_DEVICE DeviceLane(Launch& launch, u32 number, Frame* near_frames)
      : loop_(in_part(launch, launch.workspace + number * launch.group_bytes, near_frames)) {}

  HOST_DEVICE void run() {
    while (true) {
      const u64 first = loop_.lane.group.take(&launch().next, launch().chunk);
      if (first >= launch().sample_count) return;
      const u64 last = u64(least(i64(first + launch().chunk), i64(launch().sample_count)));
      for (u64 number = first; number < last; ++number) {
        // After a stop every remaining sample still gets a status: the memory has no content before.
        const bool stopped = loop_.lane.group.is_set(&launch().stop);
        const u64 elements = loop_.lane.elements, in_columns = loop_.lane.column_elements;
        const Status status = stopped ? Status::stopped : run_sample(launch().samples[number], number);
        if (loop_.lane.group.rank() != 0) continue;
        launch().statuses[number] = u8(status);
        launch().counts[number] = {loop_.lane.elements - elements, loop_.lane.column_elements - in_columns};
      }
    }
  }

 private:
  using Loop = LaneLoop<Group, LaunchSteps<Group>>;

  // The loop of a group that has this part of the workspace.
  HOST_DEVICE static Loop in_part(Launch& launch, u8* part, Frame* near_frames) {
    u8* const end = part + launch.group_bytes;
    Value* registers = reinterpret_cast<Value*>(part);
    part += rounded(launch.batt.node_count * sizeof(Value));
    Frame* frames = reinterpret_cast<Frame*>(part);
    part += rounded(u64(launch.frame_size) * sizeof(Frame));
    Value* stack = reinterpret_cast<Value*>(part);
    part += rounded(u64(launch.stack_size) * sizeof(Value));
    u8* const arena = launch.arena ? launch.arena : part;
    u8* const arena_end = launch.arena ? launch.arena_end : end;
    const Lane<Group> lane{.group = {},
                           .limits = launch.limits,
                           .base = arena,
                           .top = arena,
                           .end = arena_end,
                           .stack = stack,
                           .stack_size = launch.stack_size,
                           .frames = frames,
                           .frame_size = launch.frame_size,
                           .stop = &launch.stop,
                           .near_frames = near_frames,
                           .columns = launch.columns};
    return Loop({launch}, registers, lane);
  }

  HOST_DEVICE Status run_sample(const SampleRecord& sample, u64 number) {
    const ScheduleRecord& schedule = launch().schedules[sample.schedule];
    if (!loop_.run(launch().order + schedule.nodes, schedule.stages, sample.task, sample.inputs)) {
      const Status status = loop_.lane.status;
      if (!loop_.is_prepared()) loop_.start_anew();
      return status;
    }
    for (u32 k = 0; k < schedule.wanted_count; ++k) {
      const u64 place = sample.first + k;
      judge(loop_.lane, root(schedule, k), outcome(schedule, k), sample.inputs.comparison,
            launch().verdicts[place], launch().scores[place]);
    }
    if (launch().arena) leave(sample, schedule, number);
    else if (launch().block_places && !hand_out(sample, schedule, number)) return Status::overflow;
    return loop_.lane.status;
  }

  HOST_DEVICE Launch& launch() const { return loop_.steps.launch; }
  HOST_DEVICE Root root(const ScheduleRecord& schedule, u32 k) const {
    return launch().roots[launch().wanted[schedule.wanted + k]];
  }
  HOST_DEVICE Value outcome(const ScheduleRecord& schedule, u32 k) const {
    return loop_.registers[root(schedule, k).node];
  }

  // Leave the outcomes in the arena, and report their words and the top of the arena.
  HOST_DEVICE void leave(const SampleRecord& sample, const ScheduleRecord& schedule, u64 number) {
    const Lane<Group>& lane = loop_.lane;
    if (lane.group.rank() != 0) return;
    for (u32 k = 0; k < schedule.wanted_count; ++k) {
      launch().outcomes[sample.first + k] = outcome(schedule, k);
    }
    launch().block_places[number] = u64(lane.top);
  }

  // Copy the outcomes with all their parts into a block; addresses in it count from its beginning.
  HOST_DEVICE bool hand_out(const SampleRecord& sample, const ScheduleRecord& schedule, u64 number) {
    Lane<Group>& lane = loop_.lane;
    u8* const start = lane.top;
    const auto every_part = [](Value) { return true; };
    for (u32 k = 0; k < schedule.wanted_count; ++k) {
      const Value given = outcome(schedule, k);
      const Value kept = given.is_heap() ? copied_to_top(lane, given, u64(start), every_part) : given;
      if (lane.failed()) return false;
      if (lane.group.rank() == 0) launch().outcomes[sample.first + k] = kept;
    }
    const u64 bytes = u64(lane.top - start);
    const u64 place = lane.group.take(&launch().block_top, bytes);
    if (place + bytes > launch().block_bytes) return false;
    if (lane.group.rank() == 0) launch().block_places[number] = place;
    copy_words(lane.group, launch().blocks + place, start, bytes);
    lane.release(start);
    return true;
  }

  Loop loop_;
};

}  // namespace arcbatt
