// Membership: finding, dropping and joining elements.
#pragma once

#include "values/constructors.h"

namespace arcbatt {

// The place of a number in an ascending array, or where it would stand.
template <class T>
HOST_DEVICE u32 place_in(const T* ascending, u32 count, T wanted) {
  u32 low = 0, high = count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (ascending[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

template <class T>
HOST_DEVICE bool found_in(const T* ascending, u32 count, T wanted) {
  const u32 place = place_in(ascending, count, wanted);
  return place < count && ascending[place] == wanted;
}

// Whether an ascending array of values holds one that is equal.
template <class Group>
HOST_DEVICE bool found_in(Lane<Group>& lane, const Value* ascending, u32 count, Value wanted) {
  u32 low = 0, high = count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const int order = compare(lane, ascending[middle], wanted);
    if (order == 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

// Whether a Set holds an element.
template <class Group>
CALLED bool set_holds(Lane<Group>& lane, Value set, Value element) {
  if (!set.is_heap()) return false;
  const Head* head = set.head();
  switch (head->form) {
    case Form::integer_set:
      return element.is_integer() && found_in(content<i32>(head), head->count, i32(element.integer()));
    case Form::locations: {
      if (!is_location(element)) return false;
      const Location at = location_of(element);
      return fits_key(Cell{0, at.i, at.j}) && found_in(content<u32>(head), head->count, key_of(at));
    }
    case Form::cells: {
      if (!is_cell(element)) return false;
      const Cell c = cell_of(element);
      return fits_key(c) && found_in(content<u32>(head), head->count, key_of(c));
    }
    default: return found_in(lane, content<Value>(head), head->count, element);
  }
}

// Any container as a Set.
template <class Group>
HOST_DEVICE Value as_set(Lane<Group>& lane, Value container) {
  if (is_set(container)) return container;
  Scratch<Group> scratch(lane);
  const Value* elements = elements_of(lane, scratch, container);
  return elements ? make_set(lane, elements, count_of(container)) : NO_VALUE;
}

constexpr u32 FEW = 12;  // up to here comparing all pairs is cheapest

// Write the positions of the elements without the repeated ones, in order, to `kept`; returns how many there
// are.
template <class Group>
CALLED u32 keep_first(Lane<Group>& lane, const Value* elements, u32 count, u32* kept) {
  u32 distinct = 0;
  if (count <= FEW) {
    for (u32 k = 0; k < count; ++k) {
      bool seen = false;
      for (u32 earlier = 0; earlier < distinct && !seen; ++earlier) {
        seen = equal(lane, elements[k], elements[kept[earlier]]);
      }
      if (seen) continue;
      once(lane.group, [&] { kept[distinct] = k; });
      ++distinct;
    }
    return distinct;
  }
  u8* mark = lane.top;
  u32* positions = lane.template array<u32>(count);
  u8* repeated = lane.template array<u8>(count);
  if (!positions || !repeated) return 0;
  each(lane.group, count, [&](u32 k) {
    positions[k] = k;
    repeated[k] = 0;
  });
  // The sort is stable, so the first of equal elements comes first.
  const auto before = [&](u32 a, u32 b) { return compare(lane, elements[a], elements[b]) < 0; };
  if (!sort_positions(lane, positions, count, before)) return 0;
  for (u32 k = 1; k < count; ++k) {
    const bool again = equal(lane, elements[positions[k]], elements[positions[k - 1]]);
    once(lane.group, [&] { repeated[positions[k]] = again; });
  }
  distinct = compact(
      lane.group, count, [&](u32 k) { return !repeated[k]; }, [&](u32 place, u32 k) { kept[place] = k; });
  lane.release(mark);
  return distinct;
}

// The elements of all results in one container; each result must be a container, or the lane fails TYPE.
template <class Group>
CALLED Value merged(Lane<Group>& lane, bool into_tuple, const Value* results, u32 count) {
  u64 total = 0;
  bool keys = !into_tuple, colored = false, plain = false;
  for (u32 k = 0; k < count; ++k) {
    if (!is_container(results[k])) return lane.fail(Status::TYPE);
    total += count_of(results[k]);
    if (is_empty(results[k])) continue;
    const bool cells = results[k].has_form(Form::cells), locations = results[k].has_form(Form::locations);
    keys = keys && (cells || locations);
    colored |= cells;
    plain |= locations;
  }
  if (total == 0) return into_tuple ? EMPTY_TUPLE : EMPTY_SET;
  if (keys && colored != plain) {
    Head* head = new_keys(lane, colored, total);
    if (!head) return NO_VALUE;
    u32* to = content<u32>(head);
    for (u32 k = 0; k < count; ++k) {
      const u32 here = count_of(results[k]);
      if (here == 0) continue;
      const u32* from = content<u32>(results[k].head());
      each(lane.group, here, [&](u32 m) { to[m] = from[m]; });
      to += here;
    }
    return finish_keys(lane, head);
  }
  Value* elements = lane.template array<Value>(total);
  if (!elements) return NO_VALUE;
  u32 place = 0;
  for (u32 k = 0; k < count; ++k) {
    const u32 here = count_of(results[k]);
    for (u32 m = 0; m < here; ++m) {
      const Value element = value_at(lane, results[k], m);
      if (lane.failed()) return NO_VALUE;
      once(lane.group, [&] { elements[place] = element; });
      ++place;
    }
  }
  return into_tuple ? make_tuple(lane, elements, place) : make_set(lane, elements, place);
}

}  // namespace arcbatt
