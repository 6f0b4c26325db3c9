// Building values: a constructor chooses the one form that the content of a value determines.
#pragma once

#include "values/sort.h"

namespace arcbatt {

HOST_DEVICE inline u32 arity_of(Value function) {
  if (function.is_heap()) return function.head()->arity;
  const u32 op = u32(function.word >> 32);
  return is_foreign(op) ? u32(function.word >> 8 & 255) : u32(OPS[op].arity);
}

HOST_DEVICE inline bool is_grid(Value v) {
  return v.tag() == Tag::empty_tuple || (v.is_heap() && is_grid_form(v.form()));
}

// The classes of a value, which its container intersects over all elements.
CALLED inline u32 classes_of(Value v) {
  switch (v.tag()) {
    case Tag::integer: return INTEGER_CLASS;
    case Tag::pair: return LOCATION_CLASS | CONTAINER_CLASS | ROW_CLASS;
    case Tag::cell: return CELL_CLASS | CONTAINER_CLASS;
    case Tag::empty_tuple: return CONTAINER_CLASS | OBJECT_CLASS | ROW_CLASS;
    case Tag::empty_set: return CONTAINER_CLASS | OBJECT_CLASS;
    case Tag::primitive: return arity_of(v) == 1 ? u32(FUNCTION1_CLASS) : 0;
    default: break;
  }
  const Head* head = v.head();
  const u32 object = (head->form == Form::tuple || head->form == Form::set) && (head->detail & CELL_CLASS);
  switch (head->form) {
    case Form::integers: return CONTAINER_CLASS | ROW_CLASS | (head->count == 2 ? u32(LOCATION_CLASS) : 0);
    case Form::cell_tuple:
    case Form::cells: return CONTAINER_CLASS | OBJECT_CLASS;
    case Form::set: return CONTAINER_CLASS | (object ? u32(OBJECT_CLASS) : 0);
    case Form::function: return head->arity == 1 ? u32(FUNCTION1_CLASS) : 0;
    case Form::tuple: {
      const Value* parts = content<Value>(head);
      const bool sample = head->count == 2 && is_grid(parts[0]) && is_grid(parts[1]) &&
                          Grid(parts[0]).size() > 0 && Grid(parts[1]).size() > 0;
      return CONTAINER_CLASS | (object ? u32(OBJECT_CLASS) : 0) | (is_cell(v) ? u32(CELL_CLASS) : 0) |
             (sample ? u32(SAMPLE_CLASS) : 0);
    }
    default: return CONTAINER_CLASS;
  }
}

// A result within the limits of depth and size, or the failure.
template <class Group>
INLINED Value judged(Lane<Group>& lane, Value result) {
  if (lane.failed() || !lane.admits(weight_of(result), nest_of(result))) return NO_VALUE;
  return result;
}

template <class Group>
HOST_DEVICE Value make_integer(Lane<Group>& lane, i64 number) {
  return fits(number) ? integer_value(number) : lane.fail(Status::RANGE);
}

// The Tuple of number(0), ..., number(count - 1), which must fit 32 bits or the lane fails RANGE.
template <class Group, class Number>
HOST_DEVICE Value make_integers(Lane<Group>& lane, u32 count, Number number) {
  if (count == 0) return EMPTY_TUPLE;
  if (any_of(lane.group, count, [&](u32 k) { return !fits(number(k)); })) return lane.fail(Status::RANGE);
  if (count == 2 && pair_is_inline(number(0), number(1))) return inline_pair(number(0), number(1));
  Head* head = lane.new_head(Form::integers, count, 0, 1 + u64(count), 1, u64(count) * sizeof(i32));
  if (!head) return NO_VALUE;
  each(lane.group, count, [&](u32 k) { content<i32>(head)[k] = i32(number(k)); });
  return heap_value(head);
}

// The pair (a, b); RANGE where one does not fit.
template <class Group>
CALLED Value make_pair(Lane<Group>& lane, i64 a, i64 b) {
  if (pair_is_inline(a, b)) return inline_pair(a, b);
  return make_integers(lane, 2, [&](u32 k) { return k ? b : a; });
}
template <class Group>
HOST_DEVICE Value make_pair(Lane<Group>& lane, Location at) {
  return make_pair(lane, at.i, at.j);
}

// A grid of `height` rows whose cell at row * width + column is color(place); every colour must fit 32 bits.
template <class Group, class Color>
HOST_DEVICE Value make_grid(Lane<Group>& lane, i64 height, i64 width, Color color) {
  if (height <= 0) return EMPTY_TUPLE;
  const u64 size = u64(height) * u64(width);
  const u64 weight = 1 + u64(height) + size;
  u8* mark = lane.top;
  Head* head = lane.new_head(Form::bytes_grid, height, width, weight, 2, size);
  if (!head) return NO_VALUE;
  i8* bytes = content<i8>(head);
  bool wide = false;
  each(lane.group, u32(size), [&](u32 place) {
    const i64 c = color(place);
    wide |= !fits_bits(c, 8);
    bytes[place] = i8(c);
  });
  if (!lane.group.any(wide)) return heap_value(head);
  lane.release(mark);
  head = lane.new_head(Form::grid, height, width, weight, 2, size * sizeof(i32));
  if (!head) return NO_VALUE;
  each(lane.group, u32(size), [&](u32 place) { content<i32>(head)[place] = i32(color(place)); });
  return heap_value(head);
}

// The same by row and column.
template <class Group, class Color>
HOST_DEVICE Value make_grid_by_cell(Lane<Group>& lane, i64 height, i64 width, Color color) {
  return make_grid(lane, height, width,
                   [&](u32 place) { return color(i64(place / u32(width)), i64(place % u32(width))); });
}

// The cell (colour, (i, j)); RANGE where one does not fit.
template <class Group>
CALLED Value make_cell(Lane<Group>& lane, Cell c) {
  if (cell_is_inline(c)) return inline_cell(c);
  if (!fits(c.color)) return lane.fail(Status::RANGE);
  const Value at = make_pair(lane, c.i, c.j);
  if (lane.failed()) return NO_VALUE;
  Head* head = lane.new_head(Form::tuple, 2, 0, CELL_WEIGHT, 2, 2 * sizeof(Value));
  if (!head) return NO_VALUE;
  once(lane.group, [&] {
    content<Value>(head)[0] = integer_value(c.color);
    content<Value>(head)[1] = at;
  });
  return heap_value(head);
}

// A container of these elements as values, for content without a packed form.
template <class Group>
CALLED Value make_plain(Lane<Group>& lane, Form form, const Value* elements, u32 count) {
  u64 weight = 1;
  u32 nest = 0, classes = EVERY_CLASS;
  for (u32 k = 0; k < count; ++k) {
    weight += weight_of(elements[k]);
    nest = nest_of(elements[k]) > nest ? nest_of(elements[k]) : nest;
    classes &= classes_of(elements[k]);
  }
  Head* head = lane.new_head(form, count, classes, weight, nest + 1, u64(count) * sizeof(Value));
  if (!head) return NO_VALUE;
  each(lane.group, count, [&](u32 k) { content<Value>(head)[k] = elements[k]; });
  return heap_value(head);
}

HOST_DEVICE constexpr u64 patch_weight(bool colored, u64 count) {
  return 1 + (colored ? CELL_WEIGHT : LOCATION_WEIGHT) * count;
}

// A head for the keys of a Tuple of cells.
template <class Group>
HOST_DEVICE Head* new_cell_tuple(Lane<Group>& lane, u64 count) {
  return lane.new_head(Form::cell_tuple, count, 0, 1 + CELL_WEIGHT * count, 3, count * sizeof(u32));
}

// A Tuple of Integers, `()` included.
HOST_DEVICE inline bool is_row(Value v) {
  return v.tag() == Tag::pair || v.tag() == Tag::empty_tuple || v.has_form(Form::integers);
}

// Write the Integers of rows of this width, which are `step` places apart, one behind the other; false if one
// does not fit in a number.
template <class Group, class Number>
HOST_DEVICE bool write_rows(const Group& group, const Value* rows, u32 step, u32 count, u32 width,
                            Number* to) {
  u32 beyond = 0;
  for (u32 row = 0; row < count; ++row, to += width) {
    const Value numbers = rows[row * step];
    if (numbers.tag() == Tag::pair) {
      const Location pair = location_of(numbers);
      beyond |= pair.i != Number(pair.i) || pair.j != Number(pair.j);
      if (group.rank() != 0) continue;
      to[0] = Number(pair.i);
      to[1] = Number(pair.j);
    } else {
      const i32* from = content<i32>(numbers.head());
      for (u32 k = group.rank(); k < width; k += group.size()) {
        to[k] = Number(from[k]);
        beyond |= u32(from[k] ^ Number(from[k]));
      }
    }
  }
  group.sync();
  return !group.any(beyond != 0);
}

// The grid of rows of this width, which are `step` places apart: with step 0 of one row again and again.
template <class Group>
HOST_DEVICE Value make_rows(Lane<Group>& lane, const Value* rows, u32 step, u32 count, u32 width) {
  const u64 size = u64(count) * width, weight = 1 + u64(count) + size;
  u8* mark = lane.top;
  Head* head = lane.new_head(Form::bytes_grid, count, width, weight, 2, size);
  if (!head) return NO_VALUE;
  if (write_rows(lane.group, rows, step, width ? count : 0, width, content<i8>(head)))
    return heap_value(head);
  lane.release(mark);
  head = lane.new_head(Form::grid, count, width, weight, 2, size * sizeof(i32));
  if (!head) return NO_VALUE;
  write_rows(lane.group, rows, step, count, width, content<i32>(head));
  return heap_value(head);
}

// The Tuple of the pairs pair(0), ..., pair(count - 1), which must fit 32 bits: a grid of two columns.
template <class Group, class Pair>
HOST_DEVICE Value make_pairs(Lane<Group>& lane, u32 count, Pair pair) {
  if (count == 0) return EMPTY_TUPLE;
  const u64 weight = patch_weight(false, count);
  u8* mark = lane.top;
  Head* head = lane.new_head(Form::bytes_grid, count, 2, weight, 2, u64(count) * 2);
  if (!head) return NO_VALUE;
  i8* bytes = content<i8>(head);
  bool wide = false;
  each(lane.group, count, [&](u32 k) {
    const Location at = pair(k);
    bytes[2 * k] = i8(at.i);
    bytes[2 * k + 1] = i8(at.j);
    wide |= at.i != i8(at.i) || at.j != i8(at.j);
  });
  if (!lane.group.any(wide)) return heap_value(head);
  lane.release(mark);
  head = lane.new_head(Form::grid, count, 2, weight, 2, u64(count) * 2 * sizeof(i32));
  if (!head) return NO_VALUE;
  i32* numbers = content<i32>(head);
  each(lane.group, count, [&](u32 k) {
    const Location at = pair(k);
    numbers[2 * k] = i32(at.i);
    numbers[2 * k + 1] = i32(at.j);
  });
  return heap_value(head);
}

// The Tuple of these elements.
template <class Group>
CALLED Value make_tuple(Lane<Group>& lane, const Value* elements, u32 count) {
  if (count == 0) return EMPTY_TUPLE;
  const Value first = elements[0];
  if (first.is_integer()) {
    if (all_of(lane.group, count, [&](u32 k) { return elements[k].is_integer(); }))
      return make_integers(lane, count, [&](u32 k) { return elements[k].integer(); });
    if (count == 2 && is_location(elements[1])) {
      const Location at = location_of(elements[1]);
      const Cell c{first.integer(), at.i, at.j};
      if (cell_is_inline(c)) return inline_cell(c);
    }
  } else if (is_row(first)) {
    const u32 width = count_of(first);
    const auto fits_in = [&](u32 k) { return is_row(elements[k]) && count_of(elements[k]) == width; };
    if (all_of(lane.group, count, fits_in)) return make_rows(lane, elements, 1, count, width);
  } else if (is_cell(first)) {
    const auto has_key = [&](u32 k) { return is_cell(elements[k]) && fits_key(cell_of(elements[k])); };
    if (all_of(lane.group, count, has_key)) {
      Head* head = new_cell_tuple(lane, count);
      if (!head) return NO_VALUE;
      each(lane.group, count, [&](u32 k) { content<u32>(head)[k] = key_of(cell_of(elements[k])); });
      return heap_value(head);
    }
  }
  return make_plain(lane, Form::tuple, elements, count);
}

template <class Group>
HOST_DEVICE Value make_two(Lane<Group>& lane, Value a, Value b) {
  const Value elements[2] = {a, b};
  return make_tuple(lane, elements, 2);
}

// The head of a packed set of locations or cells that is not too heavy.
HOST_DEVICE inline Head keys_head(bool colored, u32 count) {
  const Form form = colored ? Form::cells : Form::locations;
  return {form, 0, u16(colored ? 3 : 2), u32(patch_weight(colored, count)), count, 0};
}

// A head for the keys of a packed set of locations or cells.
template <class Group>
HOST_DEVICE Head* new_keys(Lane<Group>& lane, bool colored, u64 count) {
  const Form form = colored ? Form::cells : Form::locations;
  return lane.new_head(form, count, 0, patch_weight(colored, count), colored ? 3 : 2, count * sizeof(u32));
}

// A packed set of which only the first keys behind its head have been written.
template <class Group>
HOST_DEVICE Value shortened(Lane<Group>& lane, Head* head, u32 count) {
  if (count == 0) return EMPTY_SET;
  if (count == head->count) return heap_value(head);
  once(lane.group, [&] {
    head->count = count;
    head->weight = u32(patch_weight(head->form == Form::cells, count));
  });
  return heap_value(head);
}

// A packed set whose keys have been written behind its head in any order, and may be repeated.
template <class Group>
CALLED Value finish_keys(Lane<Group>& lane, Head* head) {
  const u32 count = sort_keys(lane, content<u32>(head), head->count);
  return lane.failed() ? NO_VALUE : shortened(lane, head, count);
}

// The Set of the keys on a board, to which at most so many have been added.
template <class Group>
CALLED Value set_of(Lane<Group>& lane, const Bitboard<Group>& board, bool colored, u64 at_most) {
  if (at_most == 0) return EMPTY_SET;
  u8* mark = lane.top;
  Head* head = new_keys(lane, colored, at_most);
  if (!head) return NO_VALUE;
  const u32 count = board.write(content<u32>(head));
  lane.release(mark);
  return count ? heap_value(new_keys(lane, colored, count)) : EMPTY_SET;  // in place, as long as needed
}

// The Set of Integers from keys that are the numbers with their sign bit turned over, which sorts them.
constexpr u32 SIGN = 0x80000000u;

template <class Group, class Number>
HOST_DEVICE Value make_integer_set(Lane<Group>& lane, u32 count, Number number) {
  if (count == 0) return EMPTY_SET;
  Head* head = lane.new_head(Form::integer_set, count, 0, 1 + u64(count), 1, u64(count) * sizeof(u32));
  if (!head) return NO_VALUE;
  u32* keys = content<u32>(head);
  each(lane.group, count, [&](u32 k) { keys[k] = u32(number(k)) ^ SIGN; });
  const u32 distinct = sort_keys(lane, keys, count);
  if (lane.failed()) return NO_VALUE;
  lane.group.sync();  // every thread has read the keys that others change now
  each(lane.group, distinct, [&](u32 k) { keys[k] ^= SIGN; });
  once(lane.group, [&] {
    head->count = distinct;
    head->weight = 1 + distinct;
  });
  return heap_value(head);
}

HOST_DEVICE constexpr Cell uncolored(Location at) { return {0, at.i, at.j}; }

// The Set of these elements, which may be in any order and repeated.
template <class Group>
CALLED Value make_set(Lane<Group>& lane, const Value* elements, u32 count) {
  if (count == 0) return EMPTY_SET;
  const Value first = elements[0];
  if (first.is_integer() && all_of(lane.group, count, [&](u32 k) { return elements[k].is_integer(); }))
    return make_integer_set(lane, count, [&](u32 k) { return elements[k].integer(); });
  const bool colored = is_cell(first);
  if (colored || is_location(first)) {
    u8* mark = lane.top;
    Head* head = new_keys(lane, colored, count);
    if (!head) return NO_VALUE;
    bool has_keys = true;
    each(lane.group, count, [&](u32 k) {
      if (colored ? !is_cell(elements[k]) : !is_location(elements[k])) {
        has_keys = false;
        return;
      }
      const Cell c = colored ? cell_of(elements[k]) : uncolored(location_of(elements[k]));
      has_keys = has_keys && fits_key(c);
      content<u32>(head)[k] = key_of(c);
    });
    if (!lane.group.any(!has_keys)) return finish_keys(lane, head);
    lane.release(mark);
  }
  if (count == 1) return make_plain(lane, Form::set, elements, 1);
  Value* sorted = lane.template array<Value>(count);
  if (!sorted) return NO_VALUE;
  const u32 distinct = sort_values(lane, elements, count, sorted);
  return lane.failed() ? NO_VALUE : make_plain(lane, Form::set, sorted, distinct);
}

// The same where some do not fit a key: sorted as numbers, so that each value is made once.
template <class Group, class CellAt>
CALLED Value make_wide_patch(Lane<Group>& lane, bool colored, u32 count, CellAt cell) {
  Scratch<Group> scratch(lane);
  u64* leading = scratch.template array<u64>(count);  // colour and row
  u64* trailing = scratch.template array<u64>(count);  // column
  u32* order = scratch.template array<u32>(count);
  Value* elements = scratch.template array<Value>(count);
  if (lane.failed()) return NO_VALUE;
  each(lane.group, count, [&](u32 k) {
    const Cell c = cell(k);
    leading[k] = u64(colored ? u32(c.color) ^ SIGN : 0) << 32 | (u32(c.i) ^ SIGN);
    trailing[k] = u32(c.j) ^ SIGN;
    order[k] = k;
  });
  const auto before = [&](u32 a, u32 b) {
    return leading[a] != leading[b] ? leading[a] < leading[b] : trailing[a] < trailing[b];
  };
  if (!all_of(lane.group, count - 1, [&](u32 k) { return before(k, k + 1); })) {
    if (!Group::SMALL_CODE && count >= WORTH_A_RADIX) {
      if (!sort_by_beginning(lane, order, trailing, count)) return NO_VALUE;
      if (!sort_by_beginning(lane, order, leading, count)) return NO_VALUE;
    } else if (!sort_positions(lane, order, count, before)) {
      return NO_VALUE;
    }
  }
  u32 distinct = 0;
  for (u32 k = 0; k < count; ++k) {
    if (k > 0 && !before(order[k - 1], order[k])) continue;
    const Cell c = cell(order[k]);
    const Value element = colored ? make_cell(lane, c) : make_pair(lane, c.i, c.j);
    if (!element.exists()) return NO_VALUE;
    once(lane.group, [&] { elements[distinct] = element; });
    ++distinct;
  }
  return make_plain(lane, Form::set, elements, distinct);
}

// The Set of cell(0), ..., cell(count - 1), as locations unless `colored`. RANGE where one does not fit.
template <class Group, class CellAt>
HOST_DEVICE Value make_patch(Lane<Group>& lane, bool colored, u64 count, CellAt cell) {
  if (count == 0) return EMPTY_SET;
  u8* mark = lane.top;
  Head* head = new_keys(lane, colored, count);
  if (!head) return NO_VALUE;
  u32* keys = content<u32>(head);
  bool has_keys = true, in_range = true;
  each(lane.group, u32(count), [&](u32 k) {
    Cell c = cell(k);
    if (!colored) c.color = 0;
    if (fits_key(c)) {
      keys[k] = key_of(c);
      return;
    }
    has_keys = false;
    in_range = in_range && fits(c.color) && fits(c.i) && fits(c.j);
  });
  if (lane.group.any(!in_range)) return lane.fail(Status::RANGE);
  if (!lane.group.any(!has_keys)) return finish_keys(lane, head);
  lane.release(mark);
  return make_wide_patch(lane, colored, u32(count), cell);
}

template <class Group, class LocationAt>
HOST_DEVICE Value make_locations(Lane<Group>& lane, u64 count, LocationAt location) {
  return make_patch(lane, false, count, [&](u32 k) {
    const Location at = location(k);
    return Cell{0, at.i, at.j};
  });
}

template <class Group>
HOST_DEVICE Value make_function(Lane<Group>& lane, u32 name, u32 arity, const Value* parts, u32 count) {
  const Value made = make_plain(lane, Form::function, parts, count);
  if (lane.failed()) return NO_VALUE;
  Head* head = const_cast<Head*>(made.head());
  once(lane.group, [&] {
    head->arity = u8(arity);
    head->detail = name;
  });
  return made;
}

}  // namespace arcbatt
