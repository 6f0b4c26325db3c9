// Tallies: the elements of a container in order, and how often each occurs.
#pragma once

#include "values/elements.h"

namespace arcbatt {

// The elements in canonical order, repeated ones too.
template <class Group>
CALLED const Value* sorted_elements(Lane<Group>& lane, Scratch<Group>& scratch, Value container) {
  if (is_set(container)) return elements_of(lane, scratch, container);
  const u32 count = count_of(container);
  Value* sorted = scratch.template array<Value>(count);
  u32* order = scratch.template array<u32>(count);
  if (lane.failed()) return nullptr;
  if (holds_integers(container)) {
    each(lane.group, count, [&](u32 k) { order[k] = u32(integer_at(container, k)) ^ SIGN; });
    order_keys(lane, order, count);
    each(lane.group, count, [&](u32 k) { sorted[k] = integer_value(i32(order[k] ^ SIGN)); });
  } else {
    const Value* elements = elements_of(lane, scratch, container);
    if (!elements) return nullptr;
    each(lane.group, count, [&](u32 k) { order[k] = k; });
    const auto before = [&](u32 a, u32 b) { return compare(lane, elements[a], elements[b]) < 0; };
    sort_positions(lane, order, count, before);
    each(lane.group, count, [&](u32 k) { sorted[k] = elements[order[k]]; });
  }
  return lane.failed() ? nullptr : sorted;
}

// The distinct elements of a container, ascending, and how often each occurs.
struct Tally {
  Value* elements;
  u32* times;
  u32 distinct;
};

// Counters for each Integer: where the same one comes again and again, a single counter would have to wait.
constexpr u32 COUNTERS = 4;

// The tally of a Tuple of Integers that lie in low..high, by counting them.
template <class Group>
HOST_DEVICE Tally counted(Lane<Group>& lane, Scratch<Group>& scratch, Value container, i64 low, i64 high) {
  const u32 count = count_of(container), range = u32(high - low + 1);
  u32* counters = scratch.template array<u32>(u64(range) * COUNTERS);
  Tally tally{scratch.template array<Value>(range), scratch.template array<u32>(range), 0};
  if (lane.failed()) return tally;
  each(lane.group, range * COUNTERS, [&](u32 k) { counters[k] = 0; });
  const i32* numbers = content<i32>(container.head());
  once(lane.group, [&] {
    for (u32 k = 0; k < count; ++k) ++counters[u32(numbers[k] - low) * COUNTERS + k % COUNTERS];
  });
  const auto times = [&](u32 k) {
    u32 total = 0;
    for (u32 counter = 0; counter < COUNTERS; ++counter) total += counters[k * COUNTERS + counter];
    return total;
  };
  tally.distinct = compact(
      lane.group, range, [&](u32 k) { return times(k) > 0; },
      [&](u32 place, u32 k) {
        tally.elements[place] = integer_value(low + k);
        tally.times[place] = times(k);
      });
  return tally;
}

template <class Group>
CALLED Tally tally_of(Lane<Group>& lane, Scratch<Group>& scratch, Value container) {
  const u32 count = count_of(container);
  if (container.has_form(Form::integers)) {
    const i32* numbers = content<i32>(container.head());
    i32 least_of_mine = i32(HIGHEST), most_of_mine = i32(LOWEST);
    for (u32 k = lane.group.rank(); k < count; k += lane.group.size()) {
      least_of_mine = numbers[k] < least_of_mine ? numbers[k] : least_of_mine;
      most_of_mine = numbers[k] > most_of_mine ? numbers[k] : most_of_mine;
    }
    const i64 low = lane.group.min(least_of_mine), high = lane.group.max(most_of_mine);
    if (high - low < 16 + i64(count)) return counted(lane, scratch, container, low, high);
  }
  const Value* sorted = sorted_elements(lane, scratch, container);
  Tally tally{scratch.template array<Value>(count), scratch.template array<u32>(count), 0};
  u32 start = 0;
  for (u32 k = 1; k <= count && !lane.failed(); ++k) {
    if (k < count && equal(lane, sorted[k], sorted[start])) continue;
    once(lane.group, [&] {
      tally.elements[tally.distinct] = sorted[start];
      tally.times[tally.distinct] = k - start;
    });
    ++tally.distinct;
    start = k;
  }
  return tally;
}

}  // namespace arcbatt
