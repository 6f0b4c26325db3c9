// Membership: finding, dropping and joining elements.
#pragma once

#include "values/compaction.h"
#include "values/elements.h"

namespace arcbatt {

// The place of a number in an ascending array, or where it would stand.
template <class T>
HOST_DEVICE u32 place_in(const T* ascending, u32 count, T wanted) {
  const T* from = ascending;
  for (u32 left = count; left > 0;) {  // no branch depends on the numbers: it would often be guessed wrong
    const u32 half = (left + 1) / 2;
    from += from[half - 1] < wanted ? half : 0;
    left -= half;
  }
  return u32(from - ascending);
}

template <class T>
HOST_DEVICE bool found_in(const T* ascending, u32 count, T wanted) {
  const u32 place = place_in(ascending, count, wanted);
  return place < count && ascending[place] == wanted;
}

// The place of a value in an ascending array, or where it would stand.
struct Found {
  bool exists;
  u32 place;
};

template <class Group>
HOST_DEVICE Found find_in(Lane<Group>& lane, const Value* ascending, u32 count, Value wanted) {
  u32 low = 0, high = count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const int order = compare(lane, ascending[middle], wanted);
    if (order == 0) return {true, middle};
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return {false, low};
}

template <class Group>
HOST_DEVICE bool found_in(Lane<Group>& lane, const Value* ascending, u32 count, Value wanted) {
  return find_in(lane, ascending, count, wanted).exists;
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
CALLED Value as_set(Lane<Group>& lane, Value container) {
  if (is_set(container)) return container;
  if (holds_integers(container))
    return make_integer_set(lane, count_of(container), [&](u32 k) { return integer_at(container, k); });
  Scratch<Group> scratch(lane);
  const Value* elements = elements_of(lane, scratch, container);
  return elements ? make_set(lane, elements, count_of(container)) : NO_VALUE;
}

// A number that equal values share, and that values which differ seldom do.
HOST_DEVICE inline u64 digest_of(Value v) {
  if (!v.is_heap()) return v.word;
  const Head* head = v.head();
  u64 digest = (u64(head->weight) << 32 | head->count) + u64(head->form), factor = 0x9e3779b97f4a7c15u;
  const auto take = [&](u64 word) {
    digest += (word + 1) * factor;
    factor += 0x3c6ef372fe94f82au;  // it stays odd
  };
  if (holds_values(head)) {
    for (u32 k = 0; k < head->count; ++k) {
      const Value part = content<Value>(head)[k];
      take(part.is_heap() ? u64(part.head()->weight) << 32 | part.head()->count : part.word);
    }
  } else {
    const u64 words = (used_bytes(head) - sizeof(Head)) / sizeof(u32);
    for (u64 k = 0; k < words; ++k) take(content<u32>(head)[k]);
  }
  return digest;
}

constexpr u32 FEW = 64;  // up to here comparing all digests is cheapest

// Write the positions of the elements without the repeated ones, in order, to `kept`; returns how many there
// are.
template <class Group>
CALLED u32 keep_first(Lane<Group>& lane, const Value* elements, u32 count, u32* kept) {
  u8* mark = lane.top;
  u32 distinct = 0;
  if (count <= FEW) {
    u64* digests = lane.template array<u64>(count);  // of the elements kept
    if (!digests) return 0;
    for (u32 k = 0; k < count; ++k) {
      const u64 digest = digest_of(elements[k]);
      bool seen = false;
      for (u32 earlier = 0; earlier < distinct && !seen; ++earlier) {
        seen = digests[earlier] == digest && equal(lane, elements[k], elements[kept[earlier]]);
      }
      if (seen) continue;
      once(lane.group, [&] {
        kept[distinct] = k;
        digests[distinct] = digest;
      });
      ++distinct;
    }
    lane.release(mark);
    return distinct;
  }
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

// Write the content of all parts that have some, `width` numbers for each element, one behind the other.
template <class Group, class Number>
HOST_DEVICE void append_all(const Group& group, const Value* parts, u32 count, u32 width, Number* to) {
  for (u32 k = 0; k < count; ++k) {
    if (!parts[k].is_heap()) continue;
    const Number* from = content<Number>(parts[k].head());
    const u32 here = parts[k].head()->count * width;
    each(group, here, [&](u32 m) { to[m] = from[m]; });
    to += here;
  }
}

// The elements of all results in one Tuple, of which there are `total`, more than 0; no value, and no
// failure, unless the results are stored alike: as bytes in rows of one width, as Integers, or as keys of
// cells.
template <class Group>
HOST_DEVICE Value appended(Lane<Group>& lane, const Value* results, u32 count, u64 total) {
  bool cells = true, integers = total != 2, bytes = true;  // two Integers may be an inline pair
  const Head* first = nullptr;
  for (u32 k = 0; k < count; ++k) {
    if (is_empty(results[k])) continue;
    integers = integers && holds_integers(results[k]);
    if (!results[k].is_heap()) {
      bytes = cells = false;
      continue;
    }
    const Head* here = results[k].head();
    first = first ? first : here;
    bytes = bytes && here->form == Form::bytes_grid && here->detail == first->detail;
    cells = cells && (here->form == Form::cell_tuple || here->form == Form::cells);
  }
  if (integers) {
    Head* head = lane.new_head(Form::integers, total, 0, 1 + total, 1, total * sizeof(i32));
    if (!head) return NO_VALUE;
    i32* to = content<i32>(head);
    for (u32 k = 0; k < count; ++k) {
      const u32 here = count_of(results[k]);
      each(lane.group, here, [&](u32 m) { to[m] = i32(integer_at(results[k], m)); });
      to += here;
    }
    return heap_value(head);
  }
  if (!bytes && !cells) return NO_VALUE;
  const u64 width = bytes ? first->detail : 0, size = total * width;
  Head* head = bytes ? lane.new_head(Form::bytes_grid, total, width, 1 + total + size, 2, size)
                     : new_cell_tuple(lane, total);
  if (!head) return NO_VALUE;
  if (bytes) append_all(lane.group, results, count, u32(width), content<i8>(head));
  else append_all(lane.group, results, count, 1, content<u32>(head));
  return heap_value(head);
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
    append_all(lane.group, results, count, 1, content<u32>(head));
    return finish_keys(lane, head);
  }
  const Value alike = into_tuple ? appended(lane, results, count, total) : NO_VALUE;
  if (alike.exists() || lane.failed()) return alike;
  Scratch<Group> scratch(lane);
  Value* elements = scratch.template array<Value>(total);
  if (!elements) return NO_VALUE;
  Value* to = elements;
  for (u32 k = 0; k < count; ++k) {
    const u32 here = count_of(results[k]);
    const Value* from = elements_of(lane, scratch, results[k]);
    if (!from) return NO_VALUE;
    each(lane.group, here, [&](u32 m) { to[m] = from[m]; });
    to += here;
  }
  return into_tuple ? make_tuple(lane, elements, u32(total)) : make_set(lane, elements, u32(total));
}

}  // namespace arcbatt
