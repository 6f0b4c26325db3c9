// Collected: the results of a run in columns on the lane's stack, or the positions of the elements it keeps.
#pragma once

#include "columns/column.h"
#include "dispatch/loop_frame.h"

namespace arcbatt {

// The state of a lane that columns change, to go back to.
struct Checkpoint {
  u8* top;
  u64 calls, work, elements, column_elements;
  u32 depth, frame_top, stack_top;

  template <class Group>
  HOST_DEVICE explicit Checkpoint(const Lane<Group>& lane)
      : top(lane.top), calls(lane.calls), work(lane.work), elements(lane.elements),
        column_elements(lane.column_elements), depth(lane.depth), frame_top(lane.frame_top),
        stack_top(lane.stack_top) {}

  template <class Group>
  HOST_DEVICE void restore(Lane<Group>& lane) const {
    lane.status = Status::ok;
    lane.calls = calls;
    lane.work = work;
    lane.elements = elements;
    lane.column_elements = column_elements;
    lane.depth = depth;
    lane.frame_top = frame_top;
    lane.stack_top = stack_top;
    lane.release(top);
  }
};

// What is known of the results on the stack.
struct Held {
  u64 weight = 1;  // with the container
  u32 sorted = 0;  // how many are sorted and distinct
  bool has_empty_set = false;  // `{}` is among them
};

// Columns that hand over to the machine may leave an eighth of the arena with values in it.
constexpr u64 MOST_LEFT = 8;

template <class Group>
class Collected {
 public:
  HOST_DEVICE Collected(Lane<Group>& lane, const Frame& frame, Columns<Group>& columns)
      : lane_(lane), frame_(frame), columns_(columns), before_{Checkpoint(lane), 0, {}} {}

  // Begin a block, with so many elements before it.
  HOST_DEVICE void begin_block(u32 elements) { before_ = {Checkpoint(lane_), elements, held_}; }

  // Undo what was done for the block.
  HOST_DEVICE void undo_block() { before_.state.restore(lane_); }

  // After a failure: leave the results of the blocks before it to the machine, which goes on from there.
  // False if that cannot be.
  HOST_DEVICE bool hands_over(Frame& frame) {
    if (before_.elements == 0 || lane_.status == Status::overflow) return false;
    // What the blocks have left in the arena besides results must not be what the machine lacks.
    if (u64(before_.state.top - frame.start) > u64(lane_.end - lane_.base) / MOST_LEFT) return false;
    undo_block();
    lane_.column_elements += before_.elements;
    once(lane_.group, [&] {
      frame.next = before_.elements;
      frame.mark = lane_.top;
      frame.weight = before_.held.weight;
      frame.sorted = before_.held.sorted;
      frame.holds_empty_set = before_.held.has_empty_set;
    });
    return true;
  }

  // The conditions of a block; null, with the lane failed, if one is no Integer.
  CALLED const i32* conditions(u8 result, u32 count) {
    if (lane_.failed()) return nullptr;
    if (columns_[result].shape != Shape::integers) lane_.fail(Status::TYPE);
    lane_.spend(u64(COLLECT_WORK) * count);
    return lane_.failed() ? nullptr : columns_[result].numbers;
  }

  // The place of the first element for which the condition holds, or `count`.
  HOST_DEVICE u32 first_kept(u32 count, u8 result) {
    const i32* holds = conditions(result, count);
    if (!holds) return 0;
    return u32(min_of(lane_.group, count, count, [&](u32 k) { return holds[k] ? i64(k) : i64(count); }));
  }

  // Push the positions of the elements for which the condition holds.
  CALLED void keep(u32 from, u32 count, u8 result) {
    const i32* holds = conditions(result, count);
    Value* kept = holds ? room_for(count) : nullptr;
    if (!kept) return;
    lane_.stack_top += compact(
        lane_.group, count, [&](u32 k) { return holds[k] != 0; },
        [&](u32 place, u32 k) { kept[place] = integer_value(from + k); });
    // Elements that are kept never weigh more than all of them do.
    if (weight_of(frame_.args[LOOPS[frame_.op].at.container]) > lane_.limits.items) lane_.fail(Status::SIZE);
  }

  // Push the results of a block.
  CALLED void collect(u32 count, u8 result) {
    const bool into_set = collects_set(frame_.op, frame_.args);
    const Column& column = columns_[result];
    const Value* values = column.values;
    const u64 weight = column.shape == Shape::values
                           ? u64(sum_of(lane_.group, count, [&](u32 k) { return i64(weight_of(values[k])); }))
                           : u64(count) * column.weight;
    if (!lane_.spend(COLLECT_WORK * weight)) return;
    const auto is_too_heavy = [&](u64 more) { return held_.weight + more > lane_.limits.items; };
    if (into_set && is_too_heavy(weight)) make_distinct();
    const u32 base = lane_.stack_top;
    Value* results = lane_.failed() ? nullptr : room_for(count);
    if (!results) return;
    u32 pushed = count;
    if (column.shape == Shape::values) {
      pushed = compact(
          lane_.group, count, [&](u32 k) { return !into_set || !values[k].same_word(EMPTY_SET); },
          [&](u32 place, u32 k) { results[place] = values[k]; });
      if (pushed < count && !held_.has_empty_set) {  // `{}` is common, and once is enough
        once(lane_.group, [&] { results[pushed] = EMPTY_SET; });
        held_.has_empty_set = true;
        ++pushed;
      }
    } else {
      write_values(columns_, result, count, results);
    }
    if (lane_.failed()) return;
    lane_.stack_top += pushed;
    u64 more = held_.sorted > 0 ? weight_of_new(results, pushed) : weight - (count - pushed);
    if (into_set && is_too_heavy(more)) more = collapsed(lane_, base) - 1;
    if (is_too_heavy(more)) lane_.fail(Status::SIZE);
    held_.weight += more;
  }

  // What it costs to collect results of this weight, which must not pass the limit of what an op may hold.
  HOST_DEVICE void pay(u64 weight) {
    held_.weight += weight;
    lane_.spend(COLLECT_WORK * weight);
    if (held_.weight > lane_.limits.items) lane_.fail(Status::SIZE);
  }

 private:
  // What has been done before a block.
  struct Done {
    Checkpoint state;
    u32 elements;
    Held held;
  };

  // Room on the lane's stack for the results of a block; null, with the lane failed, if there is none.
  HOST_DEVICE Value* room_for(u32 count) {
    if (lane_.stack_size - lane_.stack_top < count) {
      lane_.fail(Status::overflow);
      return nullptr;
    }
    return lane_.stack + lane_.stack_top;
  }

  // Sort the results of earlier blocks and drop repeated ones, for their exact weight.
  HOST_DEVICE void make_distinct() {
    if (held_.sorted == lane_.stack_top - frame_.base) return;
    held_.weight = collapsed(lane_, frame_.base);
    held_.sorted = lane_.stack_top - frame_.base;
    before_.held.weight = held_.weight;
    before_.held.sorted = held_.sorted;
    before_.state.stack_top = lane_.stack_top;
  }

  // Drop those of the results pushed last that are among the sorted ones; the weight of the others.
  HOST_DEVICE u64 weight_of_new(Value* results, u32 count) {
    u64 weight = 0;
    u32 kept = 0;
    for (u32 k = 0; k < count && !lane_.failed(); ++k) {
      const Value v = results[k];
      if (found_in(lane_, lane_.stack + frame_.base, held_.sorted, v)) continue;
      once(lane_.group, [&] { results[kept] = v; });
      ++kept;
      weight += weight_of(v);
    }
    lane_.stack_top -= count - kept;
    return weight;
  }

  Lane<Group>& lane_;
  const Frame& frame_;
  Columns<Group>& columns_;
  Held held_;
  Done before_;
};

}  // namespace arcbatt
