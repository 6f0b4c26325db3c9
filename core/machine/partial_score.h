// The partial score of an output: how near it comes to the expected grid.
#pragma once

#include "values/views.h"

namespace arcbatt {

HOST_DEVICE inline bool is_filled_grid(Value v) {
  return v.is_heap() && is_grid_form(v.form()) && v.head()->count > 0 && v.head()->detail > 0;
}

// A bit for each colour of a grid; all Integers that are no colour share one.
template <class Group>
HOST_DEVICE u32 colors_in(const Group& group, const Grid& grid) {
  u32 mine = 0;
  const auto add = [&](u64 color) { mine |= 1u << (color < COLOR_COUNT ? color : COLOR_COUNT); };
  const u32 count = grid.size();
  if (grid.wide) {
    for (u32 k = group.rank(); k < count; k += group.size()) add(u64(grid.at(k)));
  } else {  // a byte below 0 is no colour either
    const u8* const cells = content<u8>(grid.head);
    for (u32 k = group.rank(); k < count; k += group.size()) add(cells[k]);
  }
  if constexpr (Group::SIZE == 1) return mine;
  u32 colors = 0;
  for (u32 color = 0; color <= COLOR_COUNT; ++color) colors |= u32(group.any(mine >> color & 1)) << color;
  return colors;
}

// The number of locations of both grids that have the same colour in both.
template <class Group>
HOST_DEVICE i64 right_cells(const Group& group, const Grid& a, const Grid& b) {
  const bool in_one = a.width == b.width;  // rows one after the other are one row
  const i64 rows = least(a.height, b.height);
  const u32 height = in_one ? 1 : u32(rows), width = u32(in_one ? rows * a.width : least(a.width, b.width));
  const auto counted = [&](auto is_right) {
    u32 mine = 0;
    for (u32 i = 0; i < height; ++i) {
      for (u32 j = group.rank(); j < width; j += group.size()) mine += is_right(i, j);
    }
    return group.sum(mine);
  };
  if (a.wide || b.wide) return counted([&](u32 i, u32 j) { return a(i, j) == b(i, j); });
  const i8 *p = content<i8>(a.head), *q = content<i8>(b.head);
  const u32 p_width = u32(a.width), q_width = u32(b.width);
  return counted([&](u32 i, u32 j) { return p[i * p_width + j] == q[i * q_width + j]; });
}

// From 0 to 1000, and 1000 for the expected grid alone: parts for height, width, right cells and colours.
template <class Group>
HOST_DEVICE i32 partial_score(const Group& group, Value output, Value expected) {
  if (!is_filled_grid(output) || !is_filled_grid(expected)) return 0;
  const Grid a(output), b(expected);
  const u32 given = colors_in(group, a), wanted = colors_in(group, b);
  const i64 colors = PART_OF_COLORS * bit_count(given & wanted) / bit_count(given | wanted);
  const i64 cells = PART_OF_CELLS * right_cells(group, a, b) / most(a.size(), b.size());
  const i64 sides = PART_OF_SIDE * ((a.height == b.height) + (a.width == b.width));
  return i32(sides + cells + colors);
}

}  // namespace arcbatt
