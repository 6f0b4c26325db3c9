// Sets: elements found, joined, added and taken away, on packed keys where there are some.
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

// The same by binary search, for a Set that is much larger than the keys are many.
struct Search {
  const u32* keys;
  u32 count, flip;

  HOST_DEVICE explicit Search(Value set)
      : keys(content<u32>(set.head())), count(set.head()->count), flip(flip_of(set.head())) {}
  // The place of a key, or where it would stand.
  HOST_DEVICE u32 place_of(u32 key) const {
    u32 low = 0, high = count;
    while (low < high) {
      const u32 middle = (low + high) / 2;
      const bool before = (keys[middle] ^ flip) < (key ^ flip);
      low = before ? middle + 1 : low;
      high = before ? high : middle;
    }
    return low;
  }
  HOST_DEVICE bool has_at(u32 place, u32 key) const { return place < count && keys[place] == key; }
  HOST_DEVICE bool meets(u32 key) const { return has_at(place_of(key), key); }
};

// The key that an element would have in a packed Set; false if it cannot be in it.
HOST_DEVICE inline bool key_in(const Head* set, Value element, u32& key) {
  if (set->form == Form::integer_set) {
    key = u32(element.integer());
    return element.is_integer();
  }
  const bool colored = set->form == Form::cells;
  if (colored ? !is_cell(element) : !is_location(element)) return false;
  const Cell c = colored ? cell_of(element) : uncolored(location_of(element));
  key = key_of(c);
  return fits_key(c);
}

// A packed Set with or without one key, which stands at `place` or would stand there.
CALLED Value with_key(auto& lane, Value set, u32 place, u32 key) {
  const Head* from = set.head();
  Head* head = new_packed_set(lane, from, u64(from->count) + 1);
  if (!head) return NO_VALUE;
  const u32* keys = content<u32>(from);
  u32* to = content<u32>(head);
  each(lane.group, place, [&](u32 k) { to[k] = keys[k]; });
  once(lane.group, [&] { to[place] = key; });
  each(lane.group, from->count - place, [&](u32 k) { to[place + 1 + k] = keys[place + k]; });
  return heap_value(head);
}
CALLED Value without_key(auto& lane, Value set, u32 place) {
  const Head* from = set.head();
  if (from->count == 1) return EMPTY_SET;
  Head* head = new_packed_set(lane, from, from->count - 1);
  if (!head) return NO_VALUE;
  const u32* keys = content<u32>(from);
  u32* to = content<u32>(head);
  each(lane.group, from->count - 1, [&](u32 k) { to[k] = keys[k + (k >= place)]; });
  return heap_value(head);
}

constexpr u32 MUCH_LARGER = 8;  // times as many keys: a search for each costs less than a walk along all

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
    if ((p_end[-1] ^ flip) < (*q ^ flip)) {
      while (p != p_end) *to++ = *p++;
    }
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

// A Set of values with one that does not fit a packed form among them, and one more at its place.
CALLED Value with_value(auto& lane, Value set, u32 place, Value value) {
  const Head* from = set.head();
  const u64 weight = u64(from->weight) + weight_of(value);
  const u32 nest = u32(most(from->nest, 1 + nest_of(value))), classes = from->detail & classes_of(value);
  const u64 count = u64(from->count) + 1;
  Head* head = lane.new_head(Form::set, count, classes, weight, nest, count * sizeof(Value));
  if (!head) return NO_VALUE;
  const Value* values = content<Value>(from);
  Value* to = content<Value>(head);
  each(lane.group, from->count, [&](u32 k) { to[k + (k >= place)] = values[k]; });
  once(lane.group, [&] { to[place] = value; });
  return heap_value(head);
}

}  // namespace arcbatt
