// Dialect: elements by rank, from the front (0, 1, ...) or from the back (-1, -2, ...).
#pragma once

#include "colors.h"
#include "containers.h"
#include "ranking.h"

namespace arcbatt {

// The position that a rank means among `count`, with failure INDEX if there is none.
HOST_DEVICE i64 place_of_rank(auto& lane, i64 rank, i64 count) {
  const i64 position = position_of_rank(rank, count);
  if (position < 0) lane.fail(Status::INDEX);
  return position;
}

HOST_DEVICE Value op_get_nth_f(auto& lane, Value container, i64 rank) {
  const i64 place = place_of_rank(lane, rank, count_of(container));
  return lane.failed() ? NO_VALUE : value_at(lane, container, u32(place));
}

HOST_DEVICE Value op_second(auto& lane, Value container) { return op_get_nth_f(lane, container, 1); }

HOST_DEVICE Value op_get_rank(auto& lane, Value container, i64 rank) {
  const u32 count = count_of(container);
  const i64 place = place_of_rank(lane, rank, count);
  Scratch scratch(lane);
  const Value* ascending = lane.failed() ? nullptr : sorted_elements(lane, scratch, container);
  return ascending ? ascending[count - 1 - place] : NO_VALUE;
}

// The place of a rank once 0, ..., count - 1 are sorted by times(k), descending; equal ones keep their order.
template <class Group, class Times>
HOST_DEVICE u32 place_by_times(Lane<Group>& lane, i64 rank, u32 count, Times times) {
  const i64 place = place_of_rank(lane, rank, count);
  Scratch<Group> scratch(lane);
  u32* order = scratch.template array<u32>(count);
  if (lane.failed()) return 0;
  each(lane.group, count, [&](u32 k) { order[k] = k; });
  const auto before = [&](u32 a, u32 b) { return times(a) > times(b); };
  return sort_positions(lane, order, count, before) ? order[place] : 0;
}

HOST_DEVICE Value op_get_common_rank(auto& lane, Value container, i64 rank) {
  if (is_set(container)) return op_get_nth_f(lane, container, rank);
  Scratch scratch(lane);
  const Tally tally = tally_of(lane, scratch, container);
  if (lane.failed()) return NO_VALUE;
  return tally.elements[place_by_times(lane, rank, tally.distinct, [&](u32 k) { return tally.times[k]; })];
}

HOST_DEVICE Value op_get_color_rank(auto& lane, Value element, i64 rank) {
  Scratch scratch(lane);
  const u32 cells = is_set(element) ? count_of(element) : Grid(element).size();
  i32* colors = scratch.template array<i32>(cells);
  u32* counts = scratch.template array<u32>(cells);
  if (lane.failed()) return NO_VALUE;
  u32 distinct = 0;
  each_color(lane, element, true, [&](i64 color, u32 count) {
    once(lane.group, [&] {
      colors[distinct] = i32(color);
      counts[distinct] = count;
    });
    ++distinct;
  });
  if (lane.failed()) return NO_VALUE;
  return integer_value(colors[place_by_times(lane, rank, distinct, [&](u32 k) { return counts[k]; })]);
}

// The position of the key at a rank, which is an argument; 0, with the failure set, if keys cannot be ranked.
HOST_DEVICE u32 position_at_rank(auto& lane, const Results& got, u32 rank_place, Direction direction) {
  const u32* positions = ranking(lane, got, direction);
  const i64 rank = got.args[rank_place].integer();
  return positions ? positions[position_of_rank(rank, got.count)] : 0;
}

struct op_get_nth_by_key {
  static constexpr Loop LOOP{Over::elements, Hold::tuple_of_results, {.function = 2, .rank = 1}};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const u32 position = position_at_rank(lane, got, LOOP.at.rank, Direction::ascending);
    return lane.failed() ? NO_VALUE : value_at(lane, got.args[0], position);
  }
};

struct op_get_arg_rank {
  static constexpr Loop LOOP{Over::elements, Hold::tuple_of_results, {.rank = 2}};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const u32 position = position_at_rank(lane, got, LOOP.at.rank, Direction::descending);
    return lane.failed() ? NO_VALUE : value_at(lane, got.args[0], position);
  }
};

struct op_get_val_rank {
  static constexpr Loop LOOP = op_get_arg_rank::LOOP;
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return got.values[position_at_rank(lane, got, LOOP.at.rank, Direction::descending)];
  }
};

}  // namespace arcbatt
