// Containers: building, joining, picking from and counting Tuples and Sets.
#pragma once

#include "values/membership.h"

namespace arcbatt {

// Packed Sets are arrays of keys; turned over by their `flip`, keys ascend as unsigned numbers.
HOST_DEVICE inline bool is_packed_set(Value v) {
  return v.is_heap() && v.form() >= Form::integer_set && v.form() <= Form::cells;
}
HOST_DEVICE inline bool are_packed_alike(Value a, Value b) {
  return is_packed_set(a) && b.has_form(a.form());
}
HOST_DEVICE inline u32 flip_of(const Head* set) { return set->form == Form::integer_set ? SIGN : 0; }
HOST_DEVICE inline u32 weight_of_each(const Head* set) { return (set->weight - 1) / set->count; }

HOST_DEVICE Head* new_packed_set(auto& lane, const Head* like, u64 count) {
  const u64 weight = 1 + weight_of_each(like) * count;
  return lane.new_head(like->form, count, 0, weight, like->nest, count * sizeof(u32));
}

// A walk along a packed Set in step with ascending keys: whether it holds each of them.
struct Walk {
  const u32* keys;
  u32 count, flip, next;

  HOST_DEVICE explicit Walk(Value set)
      : keys(content<u32>(set.head())), count(set.head()->count), flip(flip_of(set.head())), next(0) {}
  HOST_DEVICE bool meets(u32 key) {
    while (next < count && (keys[next] ^ flip) < (key ^ flip)) ++next;
    return next < count && keys[next] == key;
  }
};

// The Set of the keys of a packed Set that pass the test.
template <class Group, class Test>
HOST_DEVICE Value kept_keys(Lane<Group>& lane, Value set, Test test) {
  u8* mark = lane.top;
  const Head* from = set.head();
  const u32* keys = content<u32>(from);
  Head* head = new_packed_set(lane, from, from->count);
  if (!head) return NO_VALUE;
  u32* to = content<u32>(head);
  const u32 kept = compact(
      lane.group, from->count, [&](u32 k) { return test(keys[k]); },
      [&](u32 place, u32 k) { to[place] = keys[k]; });
  lane.release(mark);
  if (kept == 0 || kept == from->count) return kept ? set : EMPTY_SET;
  return heap_value(new_packed_set(lane, from, kept));  // in place, as long as needed
}

// The union of two packed Sets of the same form.
HOST_DEVICE Value united_keys(auto& lane, Value a, Value b) {
  u8* mark = lane.top;
  const Head *x = a.head(), *y = b.head();
  Head* head = new_packed_set(lane, x, u64(x->count) + y->count);
  if (!head) return NO_VALUE;
  once(lane.group, [&] {
    const u32 flip = flip_of(x);
    const u32 *p = content<u32>(x), *p_end = p + x->count, *q = content<u32>(y), *q_end = q + y->count;
    u32* to = content<u32>(head);
    while (p != p_end && q != q_end) {
      const u32 left = *p ^ flip, right = *q ^ flip;
      *to++ = left <= right ? *p : *q;
      p += left <= right;
      q += right <= left;
    }
    while (p != p_end) *to++ = *p++;
    while (q != q_end) *to++ = *q++;
    head->count = u32(to - content<u32>(head));
  });
  const u32 count = head->count;
  lane.release(mark);
  return heap_value(new_packed_set(lane, x, count));  // in place, as long as needed
}

// The Set of elements that are ascending and distinct already.
HOST_DEVICE Value make_sorted_set(auto& lane, const Value* elements, u32 count) {
  const auto is_plain = [&](u32 k) {
    const Value x = elements[k];
    if (is_location(x)) return !fits_key(Cell{0, location_of(x).i, location_of(x).j});
    return is_cell(x) ? !fits_key(cell_of(x)) : !x.is_integer();
  };
  return any_of(lane.group, count, is_plain) ? make_plain(lane, Form::set, elements, count)
                                             : make_set(lane, elements, count);
}

// The union of two Sets.
CALLED Value united(auto& lane, Value a, Value b) {
  if (is_empty(a) || is_empty(b)) return is_empty(a) ? b : a;
  if (are_packed_alike(a, b)) return united_keys(lane, a, b);
  const u32 count_a = count_of(a), count_b = count_of(b);
  Scratch scratch(lane);
  const Value *p = elements_of(lane, scratch, a), *q = elements_of(lane, scratch, b);
  Value* to = scratch.template array<Value>(u64(count_a) + count_b);
  if (lane.failed()) return NO_VALUE;
  u32 i = 0, j = 0, count = 0;
  while (i < count_a || j < count_b) {
    const int order = i == count_a ? 1 : j == count_b ? -1 : compare(lane, p[i], q[j]);
    const Value taken = order <= 0 ? p[i] : q[j];
    once(lane.group, [&] { to[count] = taken; });
    ++count;
    i += order <= 0;
    j += order >= 0;
  }
  return lane.failed() ? NO_VALUE : make_sorted_set(lane, to, count);
}

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
  const Value* sorted;
  u32* starts;  // where the copies of each element begin in `sorted`, and where the last ones end
  u32 distinct;

  HOST_DEVICE Value element(u32 k) const { return sorted[starts[k]]; }
  HOST_DEVICE u32 times(u32 k) const { return starts[k + 1] - starts[k]; }
};

template <class Group>
CALLED Tally tally_of(Lane<Group>& lane, Scratch<Group>& scratch, Value container) {
  const u32 count = count_of(container);
  Tally tally{sorted_elements(lane, scratch, container), scratch.template array<u32>(u64(count) + 1), 0};
  for (u32 k = 0; k <= count && !lane.failed(); ++k) {
    if (k > 0 && k < count && equal(lane, tally.sorted[k], tally.sorted[k - 1])) continue;
    once(lane.group, [&] { tally.starts[tally.distinct] = k; });
    ++tally.distinct;
  }
  --tally.distinct;
  return tally;
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

HOST_DEVICE Value op_intersection(auto& lane, Value a, Value b) {
  if (are_packed_alike(a, b))
    return kept_keys(lane, a, [walk = Walk(b)](u32 key) mutable { return walk.meets(key); });
  const bool a_is_smaller = count_of(a) < count_of(b);
  const Value larger = a_is_smaller ? b : a;
  return kept_elements(lane, a_is_smaller ? a : b, [&](Value x) { return set_holds(lane, larger, x); });
}

CALLED Value op_difference(auto& lane, Value a, Value b) {
  if (is_empty(a) || is_empty(b)) return a;
  const Value unwanted = as_set(lane, b);
  if (lane.failed()) return NO_VALUE;
  if (are_packed_alike(a, unwanted))
    return kept_keys(lane, a, [walk = Walk(unwanted)](u32 key) mutable { return !walk.meets(key); });
  return kept_elements(lane, a, [&](Value x) { return !set_holds(lane, unwanted, x); });
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
  Scratch scratch(lane);
  Value* copies = scratch.template array<Value>(num);
  if (!copies) return NO_VALUE;
  each(lane.group, u32(num), [&](u32 k) { copies[k] = item; });
  return make_tuple(lane, copies, u32(num));
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
    const u32 here = tally.times(k), there = tally.times(best);
    if (rarest ? here < there : here > there) best = k;
  }
  return tally.element(best);
}

HOST_DEVICE Value op_mostcommon(auto& lane, Value container) { return commonest(lane, container, false); }
HOST_DEVICE Value op_leastcommon(auto& lane, Value container) { return commonest(lane, container, true); }

HOST_DEVICE Value op_initset(auto& lane, Value value) { return make_set(lane, &value, 1); }

HOST_DEVICE Value op_insert(auto& lane, Value value, Value container) {
  if (set_holds(lane, container, value)) return container;
  const Value alone = op_initset(lane, value);
  return lane.failed() ? NO_VALUE : united(lane, container, alone);
}

HOST_DEVICE Value op_remove(auto& lane, Value value, Value container) {
  if (is_tuple(container))
    return kept_elements(lane, container, [&](Value x) { return !equal(lane, x, value); });
  const Value alone = op_initset(lane, value);
  return lane.failed() ? NO_VALUE : op_difference(lane, container, alone);
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
    const Patch patch(container);
    return make_grid_by_cell(lane, count, 2, [&](i64 k, i64 axis) {
      return axis ? patch.location(u32(k)).j : patch.location(u32(k)).i;
    });
  }
  if (container.has_form(Form::cells)) {
    const Head* from = container.head();
    Head* head = lane.new_head(Form::cell_tuple, count, 0, from->weight, from->nest, count * sizeof(u32));
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
  return make_integers(lane, u32(count), [&](u32 k) { return start + i64(k) * step; });
}

HOST_DEVICE Value op_astuple(auto& lane, Value a, Value b) { return make_two(lane, a, b); }

HOST_DEVICE Value op_product(auto& lane, Value a, Value b) {
  const Value x = as_set(lane, a), y = lane.failed() ? NO_VALUE : as_set(lane, b);
  if (lane.failed()) return NO_VALUE;
  const u64 count_x = count_of(x), count_y = count_of(y), count = count_x * count_y;
  if (count == 0) return EMPTY_SET;
  const u64 weight = 1 + count + (weight_of(x) - 1) * count_y + (weight_of(y) - 1) * count_x;
  if (!lane.admits(weight, 1 + u32(most(nest_of(x), nest_of(y))))) return NO_VALUE;
  if (x.has_form(Form::integer_set) && y.has_form(Form::integer_set)) {
    return make_locations(lane, count, [&](u32 k) {
      return Location{integer_at(x, u32(k / count_y)), integer_at(y, u32(k % count_y))};
    });
  }
  // The pairs come in ascending order, as the elements do.
  Scratch scratch(lane);
  const Value *p = elements_of(lane, scratch, x), *q = elements_of(lane, scratch, y);
  Value* pairs = scratch.template array<Value>(count);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value pair = make_two(lane, p[k / count_y], q[k % count_y]);
    once(lane.group, [&] { pairs[k] = pair; });
  }
  return lane.failed() ? NO_VALUE : make_sorted_set(lane, pairs, u32(count));
}

HOST_DEVICE Value op_pair(auto& lane, Value a, Value b) {
  const u32 count = u32(least(count_of(a), count_of(b)));
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
