// Loading: elements of a container as a column.
#pragma once

#include "columns/column.h"

namespace arcbatt {

// Where the elements of a block are in a container: one after the other or, for a product of containers, the
// remainders or the quotients of their numbers by the length of a row.
struct BlockPosition {
  u32 from;
  HOST_DEVICE u32 operator()(u32 k) const { return from + k; }
};
constexpr u32 NO_ROWS = 0xffffffffu;  // longer than any container
struct ProductPosition {
  u32 from, row;
  bool divides;
  HOST_DEVICE u32 operator()(u32 k) const { return divides ? (from + k) / row : (from + k) % row; }
};

// The column of the elements of a container at position(0), ..., position(count - 1).
template <class Group, class Position>
CALLED u8 load(Columns<Group>& columns, Value container, u32 count, Position position) {
  auto& lane = columns.lane;
  if (container.is_heap()) {
    const Head* head = container.head();
    const u32* keys = content<u32>(head);
    switch (head->form) {
      case Form::locations:
        return columns.fill_locations(count, [&](u32 k) {
          const Cell c = cell_of(keys[position(k)]);
          return Location{c.i, c.j};
        });
      case Form::cells:
      case Form::cell_tuple:
        return columns.fill_cells(count, [&](u32 k) { return cell_of(keys[position(k)]); });
      case Form::integers:
      case Form::integer_set: {
        const i32* numbers = content<i32>(head);
        return columns.fill(count, [&](u32 k) { return numbers[position(k)]; });
      }
      case Form::bytes_grid:
      case Form::grid:
        if (head->detail != 2) break;
        return columns.fill_locations(count, [&](u32 k) {
          return Location{grid_at(head, 2 * u64(position(k))), grid_at(head, 2 * u64(position(k)) + 1)};
        });
      default: break;
    }
  }
  Value* values = columns.new_values();
  if (!values) return NO_COLUMN;
  write_elements(lane, container, count, position, values);
  return lane.failed() ? NO_COLUMN : narrowed(columns, columns.add_values(values), count);
}

}  // namespace arcbatt
