// Sorting: keys by radix sort or bitboard, values by how they begin and then by merge sort.
#pragma once

#include "values/bitboard.h"
#include "values/compare.h"

namespace arcbatt {

template <class Group>
HOST_DEVICE bool is_strictly_ascending(const Group& group, const u32* keys, u32 count) {
  return count < 2 || all_of(group, count - 1, [&](u32 k) { return keys[k] < keys[k + 1]; });
}

CALLED inline void insertion_sort(u32* keys, u32 count) {
  for (u32 k = 1; k < count; ++k) {
    const u32 key = keys[k];
    u32 place = k;
    for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
    keys[place] = key;
  }
}

// One pass of a radix sort by eight bits from `shift`.
CALLED inline void radix_pass(const u32* from, u32* to, u32 count, int shift, u32* starts) {
  for (u32 digit = 0; digit < 256; ++digit) starts[digit] = 0;
  for (u32 k = 0; k < count; ++k) ++starts[from[k] >> shift & 255];
  u32 total = 0;
  for (u32 digit = 0; digit < 256; ++digit) {
    const u32 here = starts[digit];
    starts[digit] = total;
    total += here;
  }
  for (u32 k = 0; k < count; ++k) to[starts[from[k] >> shift & 255]++] = from[k];
}

// Drop repeated keys from a sorted array; returns how many are left.
template <class Group>
HOST_DEVICE u32 drop_repeats(Lane<Group>& lane, u32* keys, u32 count) {
  u8* mark = lane.top;
  u32* kept = lane.template array<u32>(1);  // shared by the threads of the group
  if (!kept) return 0;
  once(lane.group, [&] {
    u32 distinct = 0;
    for (u32 k = 0; k < count; ++k) {
      if (k == 0 || keys[k] != keys[distinct - 1]) keys[distinct++] = keys[k];
    }
    *kept = distinct;
  });
  const u32 answer = *kept;
  lane.release(mark);
  return answer;
}

// Sort keys ascending; false, with the lane failed, if there is no memory for it.
template <class Group>
CALLED bool order_keys(Lane<Group>& lane, u32* keys, u32 count) {
  u8* mark = lane.top;
  u32* spare = count > 48 ? lane.template array<u32>(count + 257) : nullptr;
  if (count > 48 && !spare) return false;
  once(lane.group, [&] {
    if (count <= 48) return insertion_sort(keys, count);
    u32 differing = 0;
    for (u32 k = 1; k < count; ++k) differing |= keys[k] ^ keys[0];
    u32 *from = keys, *to = spare;
    for (int shift = 0; shift < 32; shift += 8) {
      if (!(differing >> shift & 255)) continue;
      radix_pass(from, to, count, shift, spare + count);
      u32* other = from;
      from = to;
      to = other;
    }
    if (from != keys) {
      for (u32 k = 0; k < count; ++k) keys[k] = from[k];
    }
  });
  lane.release(mark);
  return true;
}

constexpr u32 MANY_KEYS = 16;   // from here on a board is worth its set-up
constexpr u32 WORDS_A_KEY = 8;  // words of a board that are worth their cost for each key

// Whether a board of this size sorts so many keys faster than a radix sort does.
HOST_DEVICE inline bool suits_board(const KeyBox& box, u64 count) {
  return count >= MANY_KEYS && box.words() <= WORDS_A_KEY * count;
}

// Sort keys ascending and drop repeated ones; returns how many are left.
template <class Group>
CALLED u32 sort_keys(Lane<Group>& lane, u32* keys, u32 count) {
  if (is_strictly_ascending(lane.group, keys, count)) return count;
  if (count >= MANY_KEYS) {
    const KeyBox box = box_of(lane.group, keys, count);
    if (suits_board(box, count)) {
      Scratch<Group> scratch(lane);
      const Bitboard<Group> board(lane, scratch, box);
      if (!board.exists()) return 0;
      board.put_all(keys, count);
      return board.write(keys);
    }
  }
  return order_keys(lane, keys, count) ? drop_repeats(lane, keys, count) : 0;
}

// A stable merge sort of positions by `before(a, b)`: whether the element at a must stand before
// that at b.
template <class Group, class Before>
HOST_DEVICE bool sort_positions(Lane<Group>& lane, u32* positions, u32 count, Before before) {
  u8* mark = lane.top;
  u32* spare = lane.template array<u32>(count ? count : 1);
  if (!spare) return false;
  u32 *from = positions, *to = spare;
  for (u32 width = 1; width < count; width *= 2) {
    for (u32 start = 0; start < count; start += 2 * width) {
      const u32 middle = start + width < count ? start + width : count;
      const u32 stop = start + 2 * width < count ? start + 2 * width : count;
      if (middle == stop || !before(from[middle], from[middle - 1])) {  // in order already
        each(lane.group, stop - start, [&](u32 k) { to[start + k] = from[start + k]; });
        continue;
      }
      u32 left = start, right = middle;
      for (u32 place = start; place < stop; ++place) {
        const bool take_right = left == middle || (right < stop && before(from[right], from[left]));
        const u32 taken = take_right ? from[right++] : from[left++];
        once(lane.group, [&] { to[place] = taken; });
      }
    }
    u32* other = from;
    from = to;
    to = other;
  }
  if (from != positions) each(lane.group, count, [&](u32 k) { positions[k] = from[k]; });
  lane.release(mark);
  return !lane.failed();
}

// How a Function begins, as a number: the place of its name, and that of its first part, which is a Function,
// too. 32 bits.
HOST_DEVICE inline u64 beginning_of_function(Value v) {
  const u64 name = u64(name_place(v)) << 16;
  if (!v.is_heap() || count_of(v) == 0) return name;
  const Item first = element_of(item(v), 0);
  return kind_rank(first) == 3 ? name | name_place(first.value) : name;
}

// A prefix of a value as a number, to compare before the value itself: if it is smaller than another's, so is
// the value in canonical order.
//
// From the top: kind (2 bits); the kind of the first element (2), where that is a container in turn the kind
// of its own first element (2); an Integer found there, or how a Function begins (32); the kind of what
// follows (2) and how its Integer, or that of a Tuple in that place, begins (24). Where there is nothing the
// rest is zero; numbers may be equal.
HOST_DEVICE inline u64 beginning(Value v) {
  const Item whole = item(v);
  const u64 kind = u64(kind_rank(whole)) << 62;
  if (kind_rank(whole) == 0) return kind | u64(u32(v.integer()) ^ 0x80000000u) << 26;
  if (kind_rank(whole) == 3) return kind | beginning_of_function(v) << 26;
  if (count_of(v) == 0) return kind;
  Item sequence = whole;
  u64 found = kind;
  Item first = element_of(sequence, 0);
  found |= u64(kind_rank(first)) << 60;
  if (kind_rank(first) == 3) return found | beginning_of_function(first.value) << 26;
  if (kind_rank(first) != 0) {
    if (count_of(first) == 0) return found;
    sequence = first;
    first = element_of(sequence, 0);
    found |= u64(kind_rank(first)) << 58;
    if (kind_rank(first) != 0) return found;
  }
  found |= u64(u32(first.value.integer()) ^ 0x80000000u) << 26;
  if (count_of(sequence) < 2) return found;
  Item second = element_of(sequence, 1);
  found |= u64(kind_rank(second)) << 24;
  if (kind_rank(second) > 1 || (kind_rank(second) == 1 && count_of(second) == 0)) return found;
  if (kind_rank(second) == 1) second = element_of(second, 0);
  // Behind a Tuple's Integers come its containers: they count as more than any Integer.
  const u32 begins = kind_rank(second) == 0 ? u32(second.value.integer()) ^ 0x80000000u : 0xffffffffu;
  return found | begins >> 8;
}

// The same for Sets of packed keys among themselves, `{}` included: their first two keys, none as the least.
HOST_DEVICE inline u64 beginning_of_keys(Value v) {
  if (!v.is_heap()) return 0;
  const u32* keys = content<u32>(v.head());
  return u64(keys[0]) << 32 | (v.head()->count > 1 ? keys[1] : 0);
}

// Whether all values are pairs, or all cells, that fit a word: `inline_key` then tells all of their order.
template <class Group>
HOST_DEVICE bool are_inline_alike(const Group& group, const Value* values, u32 count) {
  if (count == 0) return false;
  const Tag tag = values[0].tag();
  if (tag != Tag::pair && tag != Tag::cell) return false;
  return all_of(group, count, [&](u32 k) { return values[k].tag() == tag; });
}

constexpr u32 WORTH_A_RADIX = 128;  // values

// Sort positions by their beginnings, equal ones in the order in which they are: a radix sort by the bytes in
// which beginnings differ, for a group of one.
template <class Group>
HOST_DEVICE bool sort_by_beginning(Lane<Group>& lane, u32* positions, const u64* beginnings, u32 count) {
  constexpr u32 DIGITS = 256;
  Scratch<Group> scratch(lane);
  u32* other = scratch.template array<u32>(count);
  u32* places = scratch.template array<u32>(DIGITS);
  if (lane.failed()) return false;
  u64 differing = 0;
  for (u32 k = 1; k < count; ++k) differing |= beginnings[k] ^ beginnings[0];
  u32 *from = positions, *to = other;
  for (u32 shift = 0; shift < 64; shift += 8) {
    if (!(differing >> shift & (DIGITS - 1))) continue;
    const auto digit = [&](u32 position) { return beginnings[position] >> shift & (DIGITS - 1); };
    for (u32 k = 0; k < DIGITS; ++k) places[k] = 0;
    for (u32 k = 0; k < count; ++k) ++places[digit(from[k])];
    for (u32 k = 0, before = 0; k < DIGITS; ++k) {
      const u32 here = places[k];
      places[k] = before;
      before += here;
    }
    for (u32 k = 0; k < count; ++k) to[places[digit(from[k])]++] = from[k];
    u32* sorted = to;
    to = from;
    from = sorted;
  }
  if (from != positions) {
    for (u32 k = 0; k < count; ++k) positions[k] = from[k];
  }
  return true;
}

// Write the values, sorted and distinct, to `sorted`; returns how many there are.
template <class Group>
CALLED u32 sort_values(Lane<Group>& lane, const Value* values, u32 count, Value* sorted) {
  u8* mark = lane.top;
  u32* positions = lane.template array<u32>(count);
  u64* beginnings = lane.template array<u64>(count);
  if (!positions || !beginnings) return 0;
  const Value sign = values[count > 1 && values[0].same_word(EMPTY_SET)];
  const bool colored = sign.has_form(Form::cells);
  const Form form = colored ? Form::cells : Form::locations;
  const bool keyed = (colored || sign.has_form(form)) && all_of(lane.group, count, [&](u32 k) {
                       return values[k].has_form(form) || values[k].same_word(EMPTY_SET);
                     });
  const bool whole = are_inline_alike(lane.group, values, count);
  each(lane.group, count, [&](u32 k) {
    positions[k] = k;
    beginnings[k] = whole   ? inline_key(values[k])
                    : keyed ? beginning_of_keys(values[k])
                            : beginning(values[k]);
  });
  if (!Group::SMALL_CODE && count >= WORTH_A_RADIX) {
    if (!sort_by_beginning(lane, positions, beginnings, count)) return 0;
    const auto before = [&](u32 a, u32 b) { return compare(lane, values[a], values[b]) < 0; };
    for (u32 start = 0, stop; start < count && !whole; start = stop) {
      const u64 beginning = beginnings[positions[start]];
      for (stop = start + 1; stop < count && beginnings[positions[stop]] == beginning;) ++stop;
      if (stop - start > 1 && !sort_positions(lane, positions + start, stop - start, before)) return 0;
    }
  } else {
    const auto before = [&](u32 a, u32 b) {
      if (beginnings[a] != beginnings[b]) return beginnings[a] < beginnings[b];
      return compare(lane, values[a], values[b]) < 0;
    };
    if (!sort_positions(lane, positions, count, before)) return 0;
  }
  u32 distinct = 0;
  for (u32 k = 0; k < count; ++k) {
    const u32 place = positions[k];
    const bool again = k > 0 && beginnings[place] == beginnings[positions[k - 1]] &&
                       equal(lane, values[place], sorted[distinct - 1]);
    if (again) continue;
    once(lane.group, [&] { sorted[distinct] = values[place]; });
    ++distinct;
  }
  lane.release(mark);
  return distinct;
}

}  // namespace arcbatt
