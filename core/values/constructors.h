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
    return make_plain(lane, Form::tuple, elements, count);
  }
  const u32 classes = classes_of(first);
  if (classes & ROW_CLASS) {
    const u32 width = count_of(first);
    const auto fits_in = [&](u32 k) {
      return (classes_of(elements[k]) & ROW_CLASS) && count_of(elements[k]) == width;
    };
    if (all_of(lane.group, count, fits_in)) {
      return make_grid(lane, count, width,
                       [&](u32 place) { return integer_at(elements[place / width], place % width); });
    }
  } else if (classes & CELL_CLASS) {
    const auto has_key = [&](u32 k) { return is_cell(elements[k]) && fits_key(cell_of(elements[k])); };
    if (all_of(lane.group, count, has_key)) {
      const u64 weight = 1 + CELL_WEIGHT * u64(count);
      Head* head = lane.new_head(Form::cell_tuple, count, 0, weight, 3, u64(count) * sizeof(u32));
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

HOST_DEVICE constexpr u64 patch_weight(bool colored, u64 count) {
  return 1 + (colored ? CELL_WEIGHT : LOCATION_WEIGHT) * count;
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

// The Set of these elements, which may be in any order and repeated.
template <class Group>
CALLED Value make_set(Lane<Group>& lane, const Value* elements, u32 count) {
  if (count == 0) return EMPTY_SET;
  const Value first = elements[0];
  if (first.is_integer() && all_of(lane.group, count, [&](u32 k) { return elements[k].is_integer(); }))
    return make_integer_set(lane, count, [&](u32 k) { return elements[k].integer(); });
  const bool colored = is_cell(first);
  if (colored || is_location(first)) {
    const auto has_key = [&](u32 k) {
      if (colored) return is_cell(elements[k]) && fits_key(cell_of(elements[k]));
      if (!is_location(elements[k])) return false;
      const Location at = location_of(elements[k]);
      return fits_key(Cell{0, at.i, at.j});
    };
    if (all_of(lane.group, count, has_key)) {
      Head* head = new_keys(lane, colored, count);
      if (!head) return NO_VALUE;
      each(lane.group, count, [&](u32 k) {
        content<u32>(head)[k] = colored ? key_of(cell_of(elements[k])) : key_of(location_of(elements[k]));
      });
      return finish_keys(lane, head);
    }
  }
  if (count == 1) return make_plain(lane, Form::set, elements, 1);
  Value* sorted = lane.template array<Value>(count);
  if (!sorted) return NO_VALUE;
  const u32 distinct = sort_values(lane, elements, count, sorted);
  return lane.failed() ? NO_VALUE : make_plain(lane, Form::set, sorted, distinct);
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
  Value* elements = lane.template array<Value>(count);
  if (!elements) return NO_VALUE;
  for (u32 k = 0; k < count; ++k) {
    const Cell c = cell(k);
    const Value element = colored ? make_cell(lane, c) : make_pair(lane, c.i, c.j);
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { elements[k] = element; });
  }
  return make_set(lane, elements, u32(count));
}

template <class Group, class LocationAt>
HOST_DEVICE Value make_locations(Lane<Group>& lane, u64 count, LocationAt location) {
  return make_patch(lane, false, count, [&](u32 k) {
    const Location at = location(k);
    return Cell{0, at.i, at.j};
  });
}

// Element k of a container, inline pairs and cells included, as a value; a row of a grid is made here.
template <class Group>
CALLED Value value_at(Lane<Group>& lane, Value container, u32 k) {
  const Item it = element_of(item(container), k);
  if (!it.grid) return it.value;
  const u64 start = u64(k) * it.grid->detail;
  return make_integers(lane, it.grid->detail, [&](u32 column) { return grid_at(it.grid, start + column); });
}

// All elements of a container as an array; for containers of values it is the container's own.
template <class Group>
CALLED const Value* elements_of(Lane<Group>& lane, Scratch<Group>& scratch, Value container) {
  const bool holds_values = container.has_form(Form::tuple) || container.has_form(Form::set);
  if (holds_values) return content<Value>(container.head());
  const u32 count = count_of(container);
  Value* elements = scratch.template array<Value>(count);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value element = value_at(lane, container, k);
    once(lane.group, [&] { elements[k] = element; });
  }
  return lane.failed() ? nullptr : elements;
}

// The elements of a container at position(0), ..., position(count - 1), as an array; null if memory is out.
template <class Group, class Position>
HOST_DEVICE Value* elements_at(Lane<Group>& lane, Value container, u32 count, Position position) {
  Value* elements = lane.template array<Value>(count);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value element = value_at(lane, container, position(k));
    once(lane.group, [&] { elements[k] = element; });
  }
  return lane.failed() ? nullptr : elements;
}

// Elements as a container of the same kind as another.
template <class Group>
HOST_DEVICE Value make_like(Lane<Group>& lane, Value container, const Value* elements, u32 count) {
  return is_tuple(container) ? make_tuple(lane, elements, count) : make_set(lane, elements, count);
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
