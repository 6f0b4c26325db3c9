// Drawing: grids with patches filled, painted, covered or moved; locations outside the grid are ignored.
#pragma once

#include "colors.h"
#include "grids.h"
#include "values/membership.h"

namespace arcbatt {

// The grid after draw(cells) on an array of its cells; `bytes` says that it and all that is drawn are bytes.
template <class Group, class Draw>
HOST_DEVICE Value redrawn(Lane<Group>& lane, const Grid& grid, bool bytes, Draw draw) {
  if (bytes) {
    Head* head = new_bytes_grid(lane, grid.height, grid.width);
    if (!head) return NO_VALUE;
    const i8* from = content<i8>(grid.head);
    i8* cells = content<i8>(head);
    copy_bytes(lane.group, cells, from, grid.size());
    draw(cells);
    return heap_value(head);
  }
  Scratch<Group> scratch(lane);
  i32* cells = scratch.template array<i32>(grid.size());
  if (!cells) return NO_VALUE;
  each(lane.group, grid.size(), [&](u32 k) { cells[k] = i32(grid.at(k)); });
  draw(cells);
  return make_grid(lane, grid.height, grid.width, [=](u32 k) { return cells[k]; });
}

// Whether a patch may hold several colours for one location: they must then be drawn in order.
HOST_DEVICE inline bool may_clash(const Patch& patch) {
  return patch.colored && !(patch.is_set() && patch.cell(0).color == patch.cell(patch.count - 1).color);
}

// Run task(place, color) for the cells of a patch that lie on the grid when moved.
template <class Group, class Task>
HOST_DEVICE void each_hit(const Group& group, const Grid& grid, const Patch& patch, Location offset,
                          bool in_order, Task task) {
  const u64 height = u64(grid.height), width = u64(grid.width);
  const auto hit_all = [&](auto cell) {
    const auto hit = [=](u32 k) {
      const Cell c = cell(k);
      const u64 i = u64(c.i + offset.i), j = u64(c.j + offset.j);  // what is negative is very large now
      if (i < height && j < width) task(i64(i * width + j), c.color);
    };
    if (!in_order) return each(group, patch.count, hit);
    once(group, [hit, count = patch.count] {
      for (u32 k = 0; k < count; ++k) hit(k);
    });
  };
  if (patch.packed) hit_all([keys = patch.keys()](u32 k) { return cell_of(keys[k]); });
  else hit_all([&](u32 k) { return patch.cell(k); });
}

constexpr Location UNMOVED{0, 0};

template <class Group, class Number>
HOST_DEVICE void fill_hits(const Group& group, const Grid& grid, const Patch& patch, Number* cells,
                           i64 value) {
  each_hit(group, grid, patch, UNMOVED, false, [=](i64 place, i64) { set_alike(cells + place, value); });
}

CALLED Value op_fill(auto& lane, Grid grid, i64 value, Patch patch) {
  if (patch.empty()) return grid.value();
  return redrawn(lane, grid, !grid.wide && fits_bits(value, 8),
                 [&](auto* cells) { fill_hits(lane.group, grid, patch, cells, value); });
}

HOST_DEVICE Value op_paint(auto& lane, Grid grid, Patch obj) {
  if (obj.empty()) return grid.value();
  return redrawn(lane, grid, !grid.wide && obj.packed, [&](auto* cells) {
    const auto draw = [=](i64 place, i64 color) { cells[place] = color; };
    each_hit(lane.group, grid, obj, UNMOVED, may_clash(obj), draw);
  });
}

HOST_DEVICE Value op_underfill(auto& lane, Grid grid, i64 value, Patch patch) {
  const i64 background = background_of(lane, grid);
  if (lane.failed() || patch.empty()) return grid.value();
  return redrawn(lane, grid, !grid.wide && fits_bits(value, 8), [&](auto* cells) {
    each_hit(lane.group, grid, patch, UNMOVED, false, [=](i64 place, i64) {
      if (grid.at(u64(place)) == background) set_alike(cells + place, value);
    });
  });
}

HOST_DEVICE Value op_underpaint(auto& lane, Grid grid, Patch obj) {
  const i64 background = background_of(lane, grid);
  if (lane.failed() || obj.empty()) return grid.value();
  return redrawn(lane, grid, !grid.wide && obj.packed, [&](auto* cells) {
    each_hit(lane.group, grid, obj, UNMOVED, may_clash(obj), [=](i64 place, i64 color) {
      if (cells[place] == background) cells[place] = color;
    });
  });
}

HOST_DEVICE Value op_cover(auto& lane, Grid grid, Patch patch) {
  return op_fill(lane, grid, background_of(lane, grid), patch);
}

HOST_DEVICE Value op_move(auto& lane, Grid grid, Patch obj, Location offset) {
  const auto leaves_range = [&](u32 k) {
    const Location at = obj.location(k);
    return !fits(at.i + offset.i) || !fits(at.j + offset.j);
  };
  if (any_of(lane.group, obj.count, leaves_range)) return lane.fail(Status::RANGE);
  const i64 background = background_of(lane, grid);
  const Value shifted = as_set(lane, obj.value);  // what is shifted is a Set, and drawn in its order
  if (lane.failed()) return NO_VALUE;
  const Patch moved(shifted);
  if (moved.empty()) return grid.value();
  return redrawn(lane, grid, !grid.wide && moved.packed, [&](auto* cells) {
    const auto draw = [=](i64 place, i64 color) { cells[place] = color; };
    fill_hits(lane.group, grid, moved, cells, background);
    each_hit(lane.group, grid, moved, offset, may_clash(moved), draw);
  });
}

}  // namespace arcbatt
