// Regions: cells of one colour that hang together, and areas around cells.
#pragma once

#include "colors.h"
#include "grids.h"
#include "patches.h"

namespace arcbatt {

// The Set of the locations of a grid that pass a test by place.
template <class Group, class Test>
HOST_DEVICE Value locations_where(Lane<Group>& lane, const Grid& grid, Test test) {
  if (locations_have_keys(grid)) {
    u8* mark = lane.top;
    Head* head = new_keys(lane, false, grid.size());
    if (!head) return NO_VALUE;
    const u32 count = keep_locations(lane.group, grid, test, content<u32>(head));
    lane.release(mark);
    return count ? heap_value(new_keys(lane, false, count)) : EMPTY_SET;  // in place, as long as needed
  }
  Scratch<Group> scratch(lane);
  u32* places = scratch.template array<u32>(grid.size());
  if (!places) return NO_VALUE;
  const u32 count = compact(lane.group, grid.size(), test, [&](u32 at, u32 place) { places[at] = place; });
  if (count == 0) return EMPTY_SET;
  if (!lane.admits(patch_weight(false, count), 2)) return NO_VALUE;
  return make_locations(lane, count, [&](u32 k) { return location_at(grid, places[k]); });
}

// A byte for each place of a grid, all 0; null, with the lane failed, if there is no memory for it.
template <class Group>
HOST_DEVICE u8* new_marks(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid) {
  u8* marks = scratch.template array<u8>(grid.size());
  if (marks) each(lane.group, grid.size(), [=](u32 place) { marks[place] = 0; });
  return marks;
}

// Mark the places of a grid that a patch has.
HOST_DEVICE void mark_patch(const auto& group, const Grid& grid, const Patch& patch, u8* marks) {
  each_location(group, patch, [=](Location at) {
    if (grid.holds(at.i, at.j)) set_alike(marks + (at.i * grid.width + at.j), 1);
  });
}

// Mark all places that are joined to a marked one by cells of its colour, side by side. For one thread, with
// room for all places.
HOST_DEVICE inline void spread(const Grid& grid, u8* marks, u32* waiting) {
  const u32 size = grid.size(), width = u32(grid.width);
  u32 count = 0;
  for (u32 place = 0; place < size; ++place) {
    if (marks[place]) waiting[count++] = place;
  }
  while (count > 0) {
    const u32 place = waiting[--count], column = place % width;
    const i64 color = grid.at(place);
    const auto visit = [&](u32 other) {
      if (marks[other] || grid.at(other) != color) return;
      marks[other] = 1;
      waiting[count++] = other;
    };
    if (place >= width) visit(place - width);
    if (column > 0) visit(place - 1);
    if (column + 1 < width) visit(place + 1);
    if (place + width < size) visit(place + width);
  }
}

HOST_DEVICE Value op_enclosed(auto& lane, Grid grid, i64 color) {
  Scratch scratch(lane);
  u8* marks = new_marks(lane, scratch, grid);
  u32* waiting = scratch.template array<u32>(grid.size());
  if (lane.failed()) return NO_VALUE;
  const u32 height = u32(grid.height), width = u32(grid.width);
  each(lane.group, width, [=](u32 j) {
    marks[j] = grid(0, j) == color;
    marks[(height - 1) * width + j] = grid(height - 1, j) == color;
  });
  each(lane.group, height, [=](u32 i) {
    marks[i * width] = grid(i, 0) == color;
    marks[i * width + width - 1] = grid(i, width - 1) == color;
  });
  once(lane.group, [=] { spread(grid, marks, waiting); });
  return locations_where(lane, grid, [=](u32 place) { return !marks[place] && grid.at(place) == color; });
}

HOST_DEVICE Value op_flood(auto& lane, Grid grid, const Patch& starts) {
  Scratch scratch(lane);
  u8* marks = new_marks(lane, scratch, grid);
  u32* waiting = scratch.template array<u32>(grid.size());
  if (lane.failed()) return NO_VALUE;
  mark_patch(lane.group, grid, starts, marks);
  once(lane.group, [=] { spread(grid, marks, waiting); });
  return locations_where(lane, grid, [=](u32 place) { return marks[place] != 0; });
}

// A distance and a colour as a number: the nearer is the smaller, then the smaller colour.
constexpr u64 ONE_STEP = u64(1) << 32;
constexpr u64 FAR_AWAY = u64(1) << 62;

// Make each of some numbers in a line, `step` places apart, at most one step more than those beside it.
HOST_DEVICE inline void approach(u64* numbers, u32 count, u32 step) {
  for (u32 k = 1; k < count; ++k) {
    const u64 from = numbers[(k - 1) * step] + ONE_STEP;
    u64& here = numbers[k * step];
    here = from < here ? from : here;
  }
  for (u32 k = count - 1; k-- > 0;) {
    const u64 from = numbers[(k + 1) * step] + ONE_STEP;
    u64& here = numbers[k * step];
    here = from < here ? from : here;
  }
}

HOST_DEVICE Value op_nearest(auto& lane, Grid grid, i64 free) {
  const auto is_free = [=](u32 place) { return grid.at(place) == free; };
  if (!any_of(lane.group, grid.size(), is_free) || all_of(lane.group, grid.size(), is_free))
    return grid.value();
  Scratch scratch(lane);
  u64* numbers = scratch.template array<u64>(grid.size());
  if (!numbers) return NO_VALUE;
  const u32 height = u32(grid.height), width = u32(grid.width);
  each(lane.group, grid.size(),
       [=](u32 place) { numbers[place] = is_free(place) ? FAR_AWAY : u64(u32(grid.at(place)) ^ SIGN); });
  each(lane.group, width, [=](u32 j) { approach(numbers + j, height, width); });
  each(lane.group, height, [=](u32 i) { approach(numbers + i * width, width, 1); });
  return make_grid(lane, height, width, [=](u32 place) { return i64(i32(u32(numbers[place]) ^ SIGN)); });
}

}  // namespace arcbatt
