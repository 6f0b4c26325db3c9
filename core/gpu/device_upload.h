// A job for a device: its batches as bytes to upload, and the download with the results. Host only.
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/launch_layout.h"
#include "threads/copy.h"
#include "threads/run.h"

namespace arcbatt {

// Bytes for a device, put together at the address that they will have there.
class Block {
 public:
  Block(u64 address, u64 size) : address_(address), bytes_(size, '\0') {}

  // Where the next item will be, on the device.
  u64 address() const { return address_ + top_; }
  std::string& bytes() { return bytes_; }

  template <class T>
  T* put(const T* items, u64 count) {
    T* there = reinterpret_cast<T*>(address());
    if (count) std::memcpy(room(count * sizeof(T)), items, count * sizeof(T));
    return there;
  }
  template <class T>
  T* put(const std::vector<T>& items) {
    return put(items.data(), items.size());
  }

  // A value with all it points to.
  Value put(Value v) {
    return deep_copy(v, nullptr, [&](u64 bytes) {
      const u64 there = address();
      return Copy{room(bytes), reinterpret_cast<const Head*>(there)};
    });
  }

 private:
  u8* room(u64 bytes) {
    if (top_ + rounded(bytes) > bytes_.size()) throw std::logic_error("a block for a device is too small");
    u8* place = reinterpret_cast<u8*>(bytes_.data()) + top_;
    top_ += rounded(bytes);
    return place;
  }

  u64 address_, top_ = 0;
  std::string bytes_;
};

// The batt as bytes for an address of a device, and a Launch with the addresses of its parts.
struct BattImage {
  u64 address;
  Launch launch{};
  std::string bytes{};
};

// How much memory a batch has on its device.
struct Room {
  u32 groups;
  u64 arena_bytes;  // of each group
  u64 block_bytes;  // for outcomes; 0 if none are wanted
  u64 arena = 0, arena_end = 0;  // where outcomes stay on the device; 0 if they go back
};

// The samples of a job as lanes 0, 1, ...; a batch is some lanes in a row.
class DeviceJob {
 public:
  explicit DeviceJob(const Job& job) : job_(job), lanes_(places_of(job)) {
    std::map<std::vector<u32>, u32> known;
    for (const std::vector<u32>& wanted : job.wanted) {
      const auto [entry, fresh] = known.emplace(wanted, u32(schedules_.size()));
      if (fresh) add_schedule(wanted);
      schedule_of_.push_back(entry->second);
    }
    for (Value v : job.plan->constants) plan_values_ += job.plan->resident ? 0 : bytes_of(v);
    plan_values_ += bytes_of(job.plan->default_function);
    for (const ForeignDefault& entry : job.plan->foreign_defaults)
      plan_values_ += bytes_of(entry.fallback) + bytes_of(entry.stand_in);
    for (u64 k = 0; k < lanes_.size(); ++k) {
      const auto& [input, output] = inputs_of(lanes_[k]);
      before_.push_back({before_[k].bytes + samples_bytes(0, k) + bytes_of(input) + bytes_of(output),
                         before_[k].results + wanted_of(lanes_[k]).size()});
    }
  }

  const Job& job() const { return job_; }
  const std::vector<Place>& lanes() const { return lanes_; }

  // The bytes of the batt, which precede the Launch in an upload that brings it.
  u64 plan_bytes() const {
    const Plan& plan = *job_.plan;
    return size_of(plan.nodes) + size_of(plan.args) + size_of(plan.constants) +
           size_of(plan.foreign_defaults) + size_of(plan.roots) + size_of(schedules_) + size_of(order_) +
           size_of(wanted_) + plan_values_;
  }

  // The bytes of the Launch and the samples of a batch.
  u64 batch_bytes(u64 first, u64 count) const {
    const u64 values = before_[first + count].bytes - before_[first].bytes;
    // The first lane brings the samples of its task even if the lane before it did.
    const u64 again = samples_bytes(first, first) - samples_bytes(0, first);
    return rounded(sizeof(Launch)) + rounded(count * sizeof(SampleRecord)) + values + again;
  }

  u64 results(u64 first, u64 count) const { return before_[first + count].results - before_[first].results; }

  u64 download_bytes(u64 first, u64 count, u64 block_bytes) const {
    return layout(first, count, block_bytes).end;
  }

  // The bytes of a group with such an arena, and the largest arena of a group within some bytes.
  u64 group_bytes(u64 arena_bytes) const {
    const u64 nodes = job_.plan->nodes.size();
    return fixed_bytes(nodes, frame_size(job_.limits.depth), stack_size(arena_bytes)) + rounded(arena_bytes);
  }
  u64 arena_within(u64 bytes) const {
    const u64 besides = group_bytes(0), left = bytes > besides ? bytes - besides : 0;
    return left * ARENA_A_VALUE / (ARENA_A_VALUE + sizeof(Value)) / ARENA_A_VALUE * ARENA_A_VALUE;
  }

  BattImage batt_at(u64 address) const {
    BattImage image{address};
    Block block(address, plan_bytes());
    write_plan(block, image.launch);
    image.bytes = std::move(block.bytes());
    return image;
  }

  // The upload of a batch, to follow the batt on the device or to come with it.
  std::string upload(const BattImage& batt, u64 first, u64 count, const Room& room, bool with_batt) const {
    Launch launch = batt.launch;
    Block batch(batt.address + plan_bytes(), batch_bytes(first, count));
    write_batch(batch, launch, first, count, room);
    return with_batt ? batt.bytes + batch.bytes() : std::move(batch.bytes());
  }

  // The outcome that one lane of one root left on the device, its status, and the top of the arena.
  struct Left {
    Status status;
    Value outcome;
    u64 top;
  };
  Left left_by(u64 block_bytes, const u8* bytes) const {
    const Layout at = layout(0, 1, block_bytes);
    return {Status(bytes[at.statuses]), *reinterpret_cast<const Value*>(bytes + at.outcomes),
            *reinterpret_cast<const u64*>(bytes + at.places)};
  }

  // Pass the results of a batch to a sink; returns the lanes that the device could not finish.
  std::vector<u64> read(u64 first, u64 count, u64 block_bytes, const u8* bytes, Sink& sink) const {
    const Layout at = layout(first, count, block_bytes);
    std::vector<u64> unfinished;
    for (u64 k = 0; k < count; ++k) {
      const Place lane = lanes_[first + k];
      const u64 place = results(first, k);
      const ElementCounts& counts = reinterpret_cast<const ElementCounts*>(bytes + at.counts)[k];
      job_.count(counts.all, counts.in_columns);
      if (Status(bytes[at.statuses + k]) == Status::ok) {
        const i32* scores = reinterpret_cast<const i32*>(bytes + at.scores);
        Given given{bytes + at.verdicts + place, scores + place, nullptr, nullptr};
        if (block_bytes) {
          given.outcomes = reinterpret_cast<const Value*>(bytes + at.outcomes) + place;
          given.base = bytes + at.blocks + reinterpret_cast<const u64*>(bytes + at.places)[k];
        }
        sink.put(lane, given);
      } else {
        unfinished.push_back(first + k);
      }
    }
    return unfinished;
  }

 private:
  // Where the parts of a download begin.
  struct Layout {
    u64 statuses, counts, verdicts, scores, places, outcomes, blocks, end;
  };
  Layout layout(u64 first, u64 count, u64 block_bytes) const {
    const u64 given = results(first, count);
    Layout at{};
    at.counts = rounded(count);
    at.verdicts = at.counts + rounded(count * sizeof(ElementCounts));
    at.scores = at.verdicts + rounded(given);
    at.places = at.scores + rounded(given * sizeof(i32));
    at.outcomes = at.places + (block_bytes ? rounded(count * sizeof(u64)) : 0);
    at.blocks = at.outcomes + (block_bytes ? rounded(given * sizeof(Value)) : 0);
    at.end = at.blocks + rounded(block_bytes);
    return at;
  }

  template <class T>
  static u64 size_of(const std::vector<T>& items) {
    return rounded(items.size() * sizeof(T));
  }
  const PackedTask& task_of(Place lane) const { return job_.tasks->tasks[lane.task]; }
  const std::pair<Value, Value>& inputs_of(Place lane) const { return task_of(lane).inputs[lane.sample]; }
  const std::vector<u32>& wanted_of(Place lane) const { return job_.wanted[lane.task]; }

  // Whether a lane of a batch brings the samples of its task, and the bytes that this takes.
  bool brings_samples(u64 first, u64 k) const { return k == first || lanes_[k].task != lanes_[k - 1].task; }
  u64 samples_bytes(u64 first, u64 k) const {
    return brings_samples(first, k) ? bytes_of(task_of(lanes_[k]).samples) : 0;
  }

  void add_schedule(const std::vector<u32>& wanted) {
    const Schedule schedule(*job_.plan, wanted, job_.mode);
    schedules_.push_back({u32(order_.size()), schedule.stages, u32(wanted_.size()), u32(wanted.size())});
    order_.insert(order_.end(), schedule.nodes.begin(), schedule.nodes.end());
    wanted_.insert(wanted_.end(), wanted.begin(), wanted.end());
  }

  void write_plan(Block& block, Launch& launch) const {
    const Plan& plan = *job_.plan;
    std::vector<Value> constants;
    for (Value v : plan.constants) constants.push_back(plan.resident ? v : block.put(v));
    std::vector<ForeignDefault> defaults;
    for (const ForeignDefault& entry : plan.foreign_defaults)
      defaults.push_back({block.put(entry.fallback), block.put(entry.stand_in)});
    launch.batt.default_function = block.put(plan.default_function);
    launch.batt.nodes = block.put(plan.nodes);
    launch.batt.node_count = u32(plan.nodes.size());
    launch.batt.args = block.put(plan.args);
    launch.batt.constants = block.put(constants);
    launch.batt.mode = job_.mode;
    launch.batt.foreign_defaults = block.put(defaults);
    launch.roots = block.put(plan.roots);
    launch.schedules = block.put(schedules_);
    launch.order = block.put(order_);
    launch.wanted = block.put(wanted_);
  }

  void write_batch(Block& block, Launch& launch, u64 first, u64 count, const Room& room) const {
    const u64 after_upload = block.address() + batch_bytes(first, count);
    const Layout at = layout(first, count, room.block_bytes);
    launch.sample_count = count;
    launch.chunk = u64(most(1, i64(count / (u64(room.groups) * 4))));
    launch.limits = job_.limits;
    launch.columns = job_.columns;
    launch.group_bytes = group_bytes(room.arena_bytes);
    launch.frame_size = frame_size(job_.limits.depth);
    launch.stack_size = stack_size(room.arena_bytes);
    launch.statuses = reinterpret_cast<u8*>(after_upload + at.statuses);
    launch.counts = reinterpret_cast<ElementCounts*>(after_upload + at.counts);
    launch.verdicts = reinterpret_cast<u8*>(after_upload + at.verdicts);
    launch.scores = reinterpret_cast<i32*>(after_upload + at.scores);
    launch.block_places = room.block_bytes ? reinterpret_cast<u64*>(after_upload + at.places) : nullptr;
    launch.outcomes = reinterpret_cast<Value*>(after_upload + at.outcomes);
    launch.blocks = reinterpret_cast<u8*>(after_upload + at.blocks);
    launch.block_bytes = room.block_bytes;
    launch.workspace = reinterpret_cast<u8*>(after_upload + at.end);
    launch.arena = reinterpret_cast<u8*>(room.arena);
    // Arrays lie before its end, aligned.
    launch.arena_end = reinterpret_cast<u8*>(room.arena_end / ALIGNMENT * ALIGNMENT);
    std::vector<SampleRecord> records(count);
    launch.samples = reinterpret_cast<const SampleRecord*>(block.address() + rounded(sizeof(Launch)));
    block.put(&launch, 1);
    const u64 before_values = rounded(sizeof(Launch)) + size_of(records);
    Block values(block.address() + size_of(records), batch_bytes(first, count) - before_values);
    Value samples = NO_VALUE;
    for (u64 k = 0; k < count; ++k) {
      const Place lane = lanes_[first + k];
      if (brings_samples(first, first + k)) samples = values.put(task_of(lane).samples);
      const auto& [input, output] = inputs_of(lane);
      const Sample packed{samples, values.put(input), values.put(output)};
      records[k] = {packed, lane.task, schedule_of_[lane.task], results(first, k)};
    }
    block.put(records);
    block.put(values.bytes().data(), values.bytes().size());
  }

  const Job& job_;
  const std::vector<Place> lanes_;
  std::vector<u32> schedule_of_;  // by task
  std::vector<ScheduleRecord> schedules_;
  std::vector<u32> order_, wanted_;
  u64 plan_values_ = 0;
  struct Sums {
    u64 bytes, results;
  };
  std::vector<Sums> before_{{0, 0}};  // for each lane, of the values and results of all lanes before it
};

}  // namespace arcbatt
