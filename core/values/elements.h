// The elements of a container as values, whatever its form.
#pragma once

#include "values/constructors.h"

namespace arcbatt {

// Element k of a container, inline pairs and cells included, as a value; a row of a grid is made here.
template <class Group>
CALLED Value value_at(Lane<Group>& lane, Value container, u32 k) {
  const Item it = element_of(item(container), k);
  if (!it.grid) return it.value;
  const u64 start = u64(k) * it.grid->detail;
  return make_integers(lane, it.grid->detail, [&](u32 column) { return grid_at(it.grid, start + column); });
}

// The rows of a grid as values.
template <class Group>
CALLED void rows_of(Lane<Group>& lane, const Head* grid, Value* rows) {
  const u32 count = grid->count, width = grid->detail;
  const bool in_words = width == 2 && grid->form == Form::bytes_grid;
  if (width == 0 || in_words) {
    const i8* cells = content<i8>(grid);
    return each(lane.group, count,
                [&](u32 k) { rows[k] = width ? inline_pair(cells[2 * k], cells[2 * k + 1]) : EMPTY_TUPLE; });
  }
  const u64 bytes = rounded(sizeof(Head) + u64(width) * sizeof(i32));
  u8* room = lane.allocate(count * bytes);
  if (!room) return;
  each(lane.group, count, [&](u32 k) {
    Head* head = reinterpret_cast<Head*>(room + k * bytes);
    *head = Head{Form::integers, 0, 1, 1 + width, width, 0};
    i32* numbers = content<i32>(head);
    if (grid->form == Form::bytes_grid) {
      const i8* cells = content<i8>(grid) + u64(k) * width;
      for (u32 column = 0; column < width; ++column) numbers[column] = cells[column];
    } else {
      const i32* cells = content<i32>(grid) + u64(k) * width;
      for (u32 column = 0; column < width; ++column) numbers[column] = cells[column];
    }
    const bool is_inline = width == 2 && pair_is_inline(numbers[0], numbers[1]);
    rows[k] = is_inline ? inline_pair(numbers[0], numbers[1]) : heap_value(head);
  });
}

// All elements of a container as an array; for containers of values it is the container's own.
template <class Group>
CALLED const Value* elements_of(Lane<Group>& lane, Scratch<Group>& scratch, Value container) {
  const u32 count = count_of(container);
  if (!container.is_heap()) {
    Value* elements = scratch.template array<Value>(count);
    if (!elements) return nullptr;
    each(lane.group, count, [&](u32 k) { elements[k] = element_of(item(container), k).value; });
    return elements;
  }
  const Head* head = container.head();
  if (head->form == Form::tuple || head->form == Form::set) return content<Value>(head);
  Value* elements = scratch.template array<Value>(count);
  if (!elements) return nullptr;
  const u32* words = content<u32>(head);
  switch (head->form) {
    case Form::bytes_grid:
    case Form::grid: rows_of(lane, head, elements); break;
    case Form::locations:
      each(lane.group, count, [&](u32 k) {
        const Cell c = cell_of(words[k]);
        elements[k] = inline_pair(c.i, c.j);
      });
      break;
    case Form::cell_tuple:
    case Form::cells:
      each(lane.group, count, [&](u32 k) { elements[k] = inline_cell(cell_of(words[k])); });
      break;
    default: each(lane.group, count, [&](u32 k) { elements[k] = integer_value(i32(words[k])); });
  }
  return lane.failed() ? nullptr : elements;
}

// Write the elements of a container at position(0), ..., position(count - 1); the lane fails if memory is
// out.
template <class Group, class Position>
HOST_DEVICE void write_elements(Lane<Group>& lane, Value container, u32 count, Position position, Value* to) {
  if (container.has_form(Form::tuple) || container.has_form(Form::set)) {
    const Value* from = content<Value>(container.head());
    return each(lane.group, count, [&](u32 k) { to[k] = from[position(k)]; });
  }
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value element = value_at(lane, container, position(k));
    once(lane.group, [&] { to[k] = element; });
  }
}

// The same as an array; null if memory is out.
template <class Group, class Position>
HOST_DEVICE Value* elements_at(Lane<Group>& lane, Value container, u32 count, Position position) {
  Value* elements = lane.template array<Value>(count);
  if (elements) write_elements(lane, container, count, position, elements);
  return lane.failed() ? nullptr : elements;
}

// Elements as a container of the same kind as another.
template <class Group>
HOST_DEVICE Value make_like(Lane<Group>& lane, Value container, const Value* elements, u32 count) {
  return is_tuple(container) ? make_tuple(lane, elements, count) : make_set(lane, elements, count);
}

}  // namespace arcbatt
