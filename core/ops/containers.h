// Containers: building, joining, picking from and counting Tuples and Sets.
#pragma once

#include "sets.h"
#include "tallies.h"

namespace arcbatt {

struct Picked {
  const Value* elements;
  u32 count;
};

// The elements of a container that pass the test, in order.
template <class Group, class Test>
HOST_DEVICE Picked picked(Lane<Group>& lane, Scratch<Group>& scratch, Value container, Test test) {
  const u32 count = count_of(container);
  const Value* elements = elements_of(lane, scratch, container);
  Value* kept = scratch.template array<Value>(count);
  u32 place = 0;
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    if (!test(elements[k])) continue;
    once(lane.group, [&] { kept[place] = elements[k]; });
    ++place;
  }
  return {kept, place};
}

// The same in a container of the same kind.
template <class Group, class Test>
HOST_DEVICE Value kept_elements(Lane<Group>& lane, Value container, Test test) {
  Scratch<Group> scratch(lane);
  const Picked kept = picked(lane, scratch, container, test);
  if (lane.failed()) return NO_VALUE;
  if (kept.count == count_of(container)) return container;
  if (is_tuple(container)) return make_tuple(lane, kept.elements, kept.count);
  return make_sorted_set(lane, kept.elements, kept.count);
}

// The place of the first element whose equality with a value is as wanted; the count if there is none.
HOST_DEVICE u32 place_of_first(auto& lane, Value container, Value value, bool wanted) {
  const u32 count = count_of(container);
  for (u32 k = 0; k < count; ++k) {
    u8* mark = lane.top;
    const Value element = value_at(lane, container, k);
    if (lane.failed() || equal(lane, element, value) == wanted) return k;
    lane.release(mark);
  }
  return count;
}

HOST_DEVICE Value op_contained(auto& lane, Value value, Value container) {
  if (is_set(container)) return boolean(set_holds(lane, container, value));
  return boolean(place_of_first(lane, container, value, true) < count_of(container));
}

HOST_DEVICE Value op_size(auto&, Value container) { return integer_value(count_of(container)); }

HOST_DEVICE Value op_combine(auto& lane, Value a, Value b) {
  const Value both[] = {a, b};
  if (is_tuple(a)) return is_empty(b) ? a : merged(lane, true, both, 2);
  const Value others = as_set(lane, b);
  return lane.failed() ? NO_VALUE : united(lane, a, others);
}

// A walk along a Set of values in step with ascending ones: whether it holds each of them.
template <class Group>
struct ValueWalk {
  Lane<Group>& lane;
  const Value* values;
  u32 count, next;

  HOST_DEVICE ValueWalk(Lane<Group>& lane, Value set)
      : lane(lane), values(content<Value>(set.head())), count(count_of(set)), next(0) {}
  HOST_DEVICE bool meets(Value x) {
    int order = 1;
    while (next < count && !lane.failed() && (order = compare(lane, values[next], x)) < 0) ++next;
    return next < count && order == 0;
  }
};

// The elements of a container that a Set holds, or those that it does not hold.
template <class Group>
HOST_DEVICE Value kept_if_held(Lane<Group>& lane, Value container, Value set, bool wanted) {
  const bool in_step = container.has_form(Form::set) && set.has_form(Form::set);
  if (in_step && count_of(set) <= u64(count_of(container)) * MUCH_LARGER)
    return kept_elements(lane, container, [&, walk = ValueWalk(lane, set)](Value x) mutable {
      return walk.meets(x) == wanted;
    });
  return kept_elements(lane, container, [&](Value x) { return set_holds(lane, set, x) == wanted; });
}

HOST_DEVICE Value op_intersection(auto& lane, Value a, Value b) {
  const bool a_is_smaller = count_of(a) < count_of(b);
  const Value smaller = a_is_smaller ? a : b, larger = a_is_smaller ? b : a;
  if (are_packed_alike(a, b)) {
    if (u64(count_of(smaller)) * MUCH_LARGER < count_of(larger))
      return kept_keys(lane, smaller, [search = Search(larger)](u32 key) { return search.meets(key); });
    return kept_keys(lane, smaller, [walk = Walk(larger)](u32 key) mutable { return walk.meets(key); });
  }
  return kept_if_held(lane, smaller, larger, true);
}

// The elements of a container that are not among those of a Tuple, which is heavier: it is not sorted, but
// each of its elements is sought among those of the container.
template <class Group>
CALLED Value without_listed(Lane<Group>& lane, Value container, Value listed) {
  const Value sought = as_set(lane, container);
  Scratch scratch(lane);
  const u32 count = count_of(sought);
  const Value* ascending = lane.failed() ? nullptr : elements_of(lane, scratch, sought);
  u8* is_listed = scratch.template array<u8>(count);
  if (lane.failed()) return NO_VALUE;
  each(lane.group, count, [&](u32 k) { is_listed[k] = 0; });
  for (u32 k = 0; k < count_of(listed) && !lane.failed(); ++k) {
    u8* mark = lane.top;
    const Value element = value_at(lane, listed, k);
    if (lane.failed()) return NO_VALUE;
    const Found found = find_in(lane, ascending, count, element);
    lane.release(mark);
    if (found.exists) once(lane.group, [&] { is_listed[found.place] = 1; });
  }
  return kept_elements(lane, container, [&](Value x) {
    const Found found = find_in(lane, ascending, count, x);
    return !found.exists || !is_listed[found.place];
  });
}

// Whether the Set of the elements of a Tuple costs little: they are sorted as numbers.
HOST_DEVICE inline bool sorts_as_numbers(Value tuple) {
  return is_set(tuple) || holds_integers(tuple) || tuple.has_form(Form::cell_tuple);
}

CALLED Value op_difference(auto& lane, Value a, Value b) {
  if (is_empty(a) || is_empty(b)) return a;
  if (!sorts_as_numbers(b) && weight_of(b) > weight_of(a)) return without_listed(lane, a, b);
  const Value unwanted = as_set(lane, b);
  if (lane.failed()) return NO_VALUE;
  if (are_packed_alike(a, unwanted)) {
    if (u64(count_of(a)) * MUCH_LARGER < count_of(unwanted))
      return kept_keys(lane, a, [search = Search(unwanted)](u32 key) { return !search.meets(key); });
    return kept_keys(lane, a, [walk = Walk(unwanted)](u32 key) mutable { return !walk.meets(key); });
  }
  return kept_if_held(lane, a, unwanted, false);
}

HOST_DEVICE Value op_dedupe(auto& lane, Value tup) {
  const u32 count = count_of(tup);
  Scratch scratch(lane);
  const Value* elements = elements_of(lane, scratch, tup);
  u32* kept = scratch.template array<u32>(count);
  Value* distinct = scratch.template array<Value>(count);
  if (lane.failed()) return NO_VALUE;
  const u32 left = keep_first(lane, elements, count, kept);
  if (lane.failed() || left == count) return tup;
  each(lane.group, left, [&](u32 k) { distinct[k] = elements[kept[k]]; });
  return make_tuple(lane, distinct, left);
}

HOST_DEVICE Value op_merge(auto& lane, Value containers) {
  if (is_grid(containers)) {
    const Grid rows(containers);
    return make_integers(lane, rows.size(), [&](u32 place) { return rows.at(place); });
  }
  Scratch scratch(lane);
  const Value* inner = elements_of(lane, scratch, containers);
  return inner ? merged(lane, is_tuple(containers), inner, count_of(containers)) : NO_VALUE;
}

HOST_DEVICE Value op_repeat(auto& lane, Value item, i64 num) {
  if (num <= 0) return EMPTY_TUPLE;
  if (!lane.admits(1 + u64(num) * weight_of(item), 1 + nest_of(item))) return NO_VALUE;
  if (item.is_integer()) return make_integers(lane, u32(num), [&](u32) { return item.integer(); });
  if (is_row(item)) return make_rows(lane, &item, 0, u32(num), count_of(item));
  if (is_cell(item)) {
    Scratch scratch(lane);
    Value* copies = scratch.template array<Value>(num);
    if (!copies) return NO_VALUE;
    each(lane.group, u32(num), [&](u32 k) { copies[k] = item; });
    return make_tuple(lane, copies, u32(num));
  }
  const u64 weight = 1 + u64(num) * weight_of(item), bytes = u64(num) * sizeof(Value);
  Head* head = lane.new_head(Form::tuple, num, classes_of(item), weight, 1 + nest_of(item), bytes);
  if (!head) return NO_VALUE;
  each(lane.group, u32(num), [&](u32 k) { content<Value>(head)[k] = item; });
  return heap_value(head);
}

HOST_DEVICE Value op_maximum(auto& lane, Value container) {
  const u32 count = count_of(container);
  if (count == 0) return integer_value(0);
  return integer_value(max_of(lane.group, count, LOWEST, [&](u32 k) { return integer_at(container, k); }));
}

HOST_DEVICE Value op_minimum(auto& lane, Value container) {
  const u32 count = count_of(container);
  if (count == 0) return integer_value(0);
  return integer_value(min_of(lane.group, count, HIGHEST, [&](u32 k) { return integer_at(container, k); }));
}

// The most common element of a container or, if asked for, the rarest; of several the smallest.
CALLED Value commonest(auto& lane, Value container, bool rarest) {
  if (is_set(container)) return value_at(lane, container, 0);
  Scratch scratch(lane);
  const Tally tally = tally_of(lane, scratch, container);
  if (lane.failed()) return NO_VALUE;
  u32 best = 0;
  for (u32 k = 1; k < tally.distinct; ++k) {
    const u32 here = tally.times[k], there = tally.times[best];
    if (rarest ? here < there : here > there) best = k;
  }
  return tally.elements[best];
}

HOST_DEVICE Value op_mostcommon(auto& lane, Value container) { return commonest(lane, container, false); }
HOST_DEVICE Value op_leastcommon(auto& lane, Value container) { return commonest(lane, container, true); }

HOST_DEVICE Value op_initset(auto& lane, Value value) { return make_set(lane, &value, 1); }

CALLED Value op_insert(auto& lane, Value value, Value container) {
  if (is_packed_set(container)) {
    u32 key = 0;
    if (key_in(container.head(), value, key)) {
      const Search search(container);
      const u32 place = search.place_of(key);
      return search.has_at(place, key) ? container : with_key(lane, container, place, key);
    }
  } else if (container.is_heap()) {
    const Found found = find_in(lane, content<Value>(container.head()), container.head()->count, value);
    if (lane.failed()) return NO_VALUE;
    return found.exists ? container : with_value(lane, container, found.place, value);
  }
  const Value alone = op_initset(lane, value);
  return lane.failed() ? NO_VALUE : united(lane, container, alone);
}

CALLED Value op_remove(auto& lane, Value value, Value container) {
  if (is_packed_set(container)) {
    u32 key = 0;
    if (!key_in(container.head(), value, key)) return container;
    const Search search(container);
    const u32 place = search.place_of(key);
    return search.has_at(place, key) ? without_key(lane, container, place) : container;
  }
  return kept_elements(lane, container, [&](Value x) { return !equal(lane, x, value); });
}

HOST_DEVICE Value op_first(auto& lane, Value container) { return value_at(lane, container, 0); }

HOST_DEVICE Value op_last(auto& lane, Value container) {
  return value_at(lane, container, count_of(container) - 1);
}

HOST_DEVICE Value op_other(auto& lane, Value container, Value value) {
  const u32 place = place_of_first(lane, container, value, false);
  if (lane.failed()) return NO_VALUE;
  return place < count_of(container) ? value_at(lane, container, place) : lane.fail(Status::INDEX);
}

CALLED Value op_totuple(auto& lane, Value container) {
  if (is_tuple(container)) return container;
  const u32 count = count_of(container);
  if (container.has_form(Form::integer_set))
    return make_integers(lane, count, [&](u32 k) { return integer_at(container, k); });
  if (container.has_form(Form::locations)) {
    const u32* keys = content<u32>(container.head());
    return make_pairs(lane, count, [&](u32 k) {
      const Cell c = cell_of(keys[k]);
      return Location{c.i, c.j};
    });
  }
  if (container.has_form(Form::cells)) {
    const Head* from = container.head();
    Head* head = new_cell_tuple(lane, count);
    if (!head) return NO_VALUE;
    each(lane.group, count, [&](u32 k) { content<u32>(head)[k] = content<u32>(from)[k]; });
    return heap_value(head);
  }
  return count ? make_tuple(lane, content<Value>(container.head()), count) : EMPTY_TUPLE;
}

HOST_DEVICE Value op_interval(auto& lane, i64 start, i64 stop, i64 step) {
  const i64 distance = step > 0 ? stop - start : start - stop;
  const i64 count = most(0, (distance + magnitude(step) - 1) / magnitude(step));
  if (!lane.admits(1 + u64(count), 1)) return NO_VALUE;
  if (count < 3) return make_integers(lane, u32(count), [&](u32 k) { return start + i64(k) * step; });
  Head* head = lane.new_head(Form::integers, u64(count), 0, 1 + u64(count), 1, u64(count) * sizeof(i32));
  if (!head) return NO_VALUE;  // its numbers lie between `start` and `stop`
  each(lane.group, u32(count), [&](u32 k) { content<i32>(head)[k] = i32(u32(start) + k * u32(step)); });
  return heap_value(head);
}

HOST_DEVICE Value op_astuple(auto& lane, Value a, Value b) { return make_two(lane, a, b); }

// All pairs of Integers of two Sets.
CALLED Value product_of_numbers(auto& lane, const Head* x, const Head* y) {
  const i32 *p = content<i32>(x), *q = content<i32>(y);
  const u32 rows = x->count, columns = y->count;
  if (fits_key(Cell{0, p[0], q[0]}) && fits_key(Cell{0, p[rows - 1], q[columns - 1]})) {
    Head* head = new_keys(lane, false, u64(rows) * columns);
    if (!head) return NO_VALUE;
    u32* keys = content<u32>(head);
    for (u32 row = 0; row < rows; ++row, keys += columns) {
      const u32 start = key_of(Location{p[row], 0});
      each(lane.group, columns, [&](u32 k) { keys[k] = start + u32(q[k]); });
    }
    return heap_value(head);
  }
  return make_locations(lane, u64(rows) * columns,
                        [&](u32 k) { return Location{p[k / columns], q[k % columns]}; });
}

// All pairs of locations of two Sets: each is a grid of two rows. They are made at once.
CALLED Value product_of_locations(auto& lane, const Head* x, const Head* y, u64 weight) {
  constexpr u64 bytes = rounded(sizeof(Head) + 4 * sizeof(i32));
  constexpr u32 pair_weight = 1 + 2 * LOCATION_WEIGHT;
  const u32 rows = x->count, columns = y->count;
  const u64 count = u64(rows) * columns;
  Head* head = lane.new_head(Form::set, count, CONTAINER_CLASS, weight, 3, count * sizeof(Value));
  u8* room = lane.allocate(count * bytes);
  if (!head || !room) return NO_VALUE;
  const auto is_far = [](u32 key) {
    const Cell c = cell_of(key);
    return c.i != i8(c.i) || c.j != i8(c.j);
  };
  for (u32 row = 0; row < rows; ++row) {
    const u32 left = content<u32>(x)[row];
    const Cell a = cell_of(left);
    Value* to = content<Value>(head) + u64(row) * columns;
    u8* places = room + u64(row) * columns * bytes;
    each(lane.group, columns, [&](u32 k) {
      const u32 right = content<u32>(y)[k];
      const Cell b = cell_of(right);
      const bool far = is_far(left) || is_far(right);
      Head* pair = reinterpret_cast<Head*>(places + k * bytes);
      *pair = Head{far ? Form::grid : Form::bytes_grid, 0, 2, pair_weight, 2, 2};
      const i64 cells[] = {a.i, a.j, b.i, b.j};
      for (u32 m = 0; m < 4; ++m) {
        if (far) content<i32>(pair)[m] = i32(cells[m]);
        else content<i8>(pair)[m] = i8(cells[m]);
      }
      to[k] = heap_value(pair);
    });
  }
  return heap_value(head);
}

// The pairs of a value with each of some others.
CALLED void pair_with_all(auto& lane, Value first, const Value* others, u32 count, Value* pairs) {
  if (first.is_integer() || is_row(first) || is_cell(first)) {  // a pair may have a form of its own
    for (u32 k = 0; k < count && !lane.failed(); ++k) {
      const Value pair = make_two(lane, first, others[k]);
      once(lane.group, [&] { pairs[k] = pair; });
    }
    return;
  }
  constexpr u64 bytes = sizeof(Head) + 2 * sizeof(Value);
  static_assert(bytes == rounded(bytes));
  u8* room = lane.allocate(count * bytes);
  if (!room) return;
  const u32 classes = classes_of(first), nest = nest_of(first);
  const u64 weight = 1 + u64(weight_of(first));
  each(lane.group, count, [&](u32 k) {
    const Value second = others[k];
    const u64 both = weight + weight_of(second);
    const u32 inner = nest_of(second) > nest ? nest_of(second) : nest;
    Head* head = reinterpret_cast<Head*>(room + k * bytes);
    *head = Head{Form::tuple,
                 0,
                 u16(inner < 65534 ? inner + 1 : 65535),
                 both < HEAVIEST ? u32(both) : HEAVIEST,
                 2,
                 classes & classes_of(second)};
    content<Value>(head)[0] = first;
    content<Value>(head)[1] = second;
    pairs[k] = heap_value(head);
  });
}

HOST_DEVICE Value op_product(auto& lane, Value a, Value b) {
  const Value x = as_set(lane, a), y = lane.failed() ? NO_VALUE : as_set(lane, b);
  if (lane.failed()) return NO_VALUE;
  const u64 count_x = count_of(x), count_y = count_of(y), count = count_x * count_y;
  if (count == 0) return EMPTY_SET;
  const u64 weight = 1 + count + (weight_of(x) - 1) * count_y + (weight_of(y) - 1) * count_x;
  if (!lane.admits(weight, 1 + u32(most(nest_of(x), nest_of(y))))) return NO_VALUE;
  const bool numbers = x.has_form(Form::integer_set) && y.has_form(Form::integer_set);
  if (numbers) return product_of_numbers(lane, x.head(), y.head());
  if (x.has_form(Form::locations) && y.has_form(Form::locations))
    return product_of_locations(lane, x.head(), y.head(), weight);
  // The pairs come in ascending order, as the elements do.
  Scratch scratch(lane);
  const Value *p = elements_of(lane, scratch, x), *q = elements_of(lane, scratch, y);
  Value* pairs = scratch.template array<Value>(count);
  for (u32 k = 0; k < count_x && !lane.failed(); ++k)
    pair_with_all(lane, p[k], q, u32(count_y), pairs + k * count_y);
  return lane.failed() ? NO_VALUE : make_sorted_set(lane, pairs, u32(count));
}

HOST_DEVICE Value op_pair(auto& lane, Value a, Value b) {
  const u32 count = u32(least(count_of(a), count_of(b)));
  if (holds_integers(a) && holds_integers(b))
    return make_pairs(lane, count, [&](u32 k) { return Location{integer_at(a, k), integer_at(b, k)}; });
  Scratch scratch(lane);
  const Value *p = elements_of(lane, scratch, a), *q = elements_of(lane, scratch, b);
  Value* pairs = scratch.template array<Value>(count);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value pair = make_two(lane, p[k], q[k]);
    once(lane.group, [&] { pairs[k] = pair; });
  }
  return lane.failed() ? NO_VALUE : make_tuple(lane, pairs, count);
}

HOST_DEVICE Value op_sizefilter(auto& lane, Value container, i64 n) {
  const auto has_size = [&](Value x) { return count_of(x) == n; };
  if (is_set(container)) return kept_elements(lane, container, has_size);
  Scratch scratch(lane);
  const Picked kept = picked(lane, scratch, container, has_size);
  return lane.failed() ? NO_VALUE : make_set(lane, kept.elements, kept.count);
}

}  // namespace arcbatt
