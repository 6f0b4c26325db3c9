// Elements ranked by a function.
#pragma once

#include "calls/loop.h"
#include "values/elements.h"
#include "values/sort.h"

namespace arcbatt {

// Whether all ranking keys are of one kind that can be ranked.
CALLED bool can_be_ranked(auto& lane, const Value* keys, u32 count) {
  const int kind = kind_rank(item(keys[0]));
  const auto is_like = [&](u32 k) { return kind_rank(item(keys[k])) == kind; };
  const bool alike = kind != 3 && all_of(lane.group, count, is_like);
  if (!alike) lane.fail(Status::TYPE);
  return alike;
}

enum class Direction : int { ascending = -1, descending = 1 };

// The position of the first key in a direction; 0, with the failure set, if the keys cannot be ranked.
CALLED u32 first_ranked(auto& lane, const Results& got, Direction direction) {
  const Value* keys = got.values;
  u32 best = 0;
  if (!can_be_ranked(lane, keys, got.count)) return best;
  if (keys[0].is_integer()) {
    i64 leading = keys[0].integer() * int(direction);
    for (u32 k = 1; k < got.count; ++k) {
      const i64 here = keys[k].integer() * int(direction);
      if (here > leading) best = k;
      leading = most(here, leading);
    }
    return best;
  }
  for (u32 k = 1; k < got.count; ++k) {
    if (compare(lane, keys[k], keys[best], OrderRule::rank) == int(direction)) best = k;
  }
  return best;
}

// Whether a Tuple holds no Sets, which ranking compares by their number of elements; by its form alone.
HOST_DEVICE inline bool ranks_in_order(Value tuple) {
  if (!tuple.is_heap()) return true;
  return is_grid_form(tuple.form()) || tuple.form() == Form::integers || tuple.form() == Form::cell_tuple;
}

// The positions of the keys in ranking order; equal ones keep their order.
CALLED u32* ranking(auto& lane, const Results& got, Direction direction) {
  const Value* keys = got.values;
  u32* positions = can_be_ranked(lane, keys, got.count) ? lane.template array<u32>(got.count) : nullptr;
  if (!positions) return nullptr;
  each(lane.group, got.count, [&](u32 k) { positions[k] = k; });
  u64* beginnings = nullptr;
  if (is_tuple(keys[0]) && all_of(lane.group, got.count, [&](u32 k) { return ranks_in_order(keys[k]); })) {
    beginnings = lane.template array<u64>(got.count);
    if (!beginnings) return nullptr;
    each(lane.group, got.count, [&](u32 k) { beginnings[k] = beginning(keys[k]); });
  }
  const auto before = [&](u32 a, u32 b) {
    if (keys[a].is_integer()) return order_of(keys[a].integer(), keys[b].integer()) == int(direction);
    if (beginnings && beginnings[a] != beginnings[b])
      return (beginnings[a] < beginnings[b]) == (direction == Direction::ascending);
    return compare(lane, keys[a], keys[b], OrderRule::rank) == int(direction);
  };
  return sort_positions(lane, positions, got.count, before) ? positions : nullptr;
}

struct op_order {
  static constexpr Loop LOOP{Over::elements, Hold::tuple_of_results};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    if (got.count == 0) return EMPTY_TUPLE;
    const u32* positions = ranking(lane, got, Direction::ascending);
    if (!positions) return NO_VALUE;
    const Value* elements = elements_at(lane, got.args[0], got.count, [&](u32 k) { return positions[k]; });
    return elements ? make_tuple(lane, elements, got.count) : NO_VALUE;
  }
};

// The element that comes first in a direction.
template <Direction direction>
struct FirstElement {
  static constexpr Loop LOOP = op_order::LOOP;
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const u32 best = first_ranked(lane, got, direction);
    return lane.failed() ? NO_VALUE : value_at(lane, got.args[0], best);
  }
};
struct op_argmax : FirstElement<Direction::descending> {};
struct op_argmin : FirstElement<Direction::ascending> {};

// The value of the function that comes first in a direction; without elements that of 0, of whatever kind.
template <Direction direction>
struct FirstKey {
  static constexpr Loop LOOP{Over::elements_or_zero, Hold::tuple_of_results};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return got.values[is_empty(got.args[0]) ? 0 : first_ranked(lane, got, direction)];
  }
};
struct op_valmax : FirstKey<Direction::descending> {};
struct op_valmin : FirstKey<Direction::ascending> {};

}  // namespace arcbatt
