// Rays: what goes along a direction over a grid until something is in the way.
#pragma once

#include "drawing.h"
#include "numbers.h"
#include "regions.h"

namespace arcbatt {

// A line of a grid: its first place, how many places on the next one is, and how many there are.
struct GridLine {
  i64 first, step;
  u32 length;

  HOST_DEVICE u32 place(u32 k) const { return u32(first + k * step); }
};

// Run task(line) for every line of a grid along a direction, of which the signs count.
template <class Group, class Task>
HOST_DEVICE void each_line(const Group& group, const Grid& grid, Location direction, Task task) {
  const i64 down = sign_of(direction.i), right = sign_of(direction.j);
  const i64 height = grid.height, width = grid.width;
  const i64 across = down ? width : 0;  // lines that begin in the first row that is passed
  const i64 count = across + (right ? height - (down != 0) : 0);
  each(group, u32(count), [&](u32 k) {
    const bool begins_above = k < across;
    const i64 row = begins_above ? 0 : k - across + (down != 0);  // counted in the direction
    const i64 i = down < 0 ? height - 1 - row : row;
    const i64 j = begins_above ? k : right > 0 ? 0 : width - 1;
    const i64 below = down > 0 ? height - i : i + 1, beside = right > 0 ? width - j : j + 1;
    const i64 length = !right ? below : !down ? beside : least(below, beside);
    task(GridLine{i * width + j, down * width + right, u32(length)});
  });
}

HOST_DEVICE Value op_smear(auto& lane, Grid grid, Location direction, i64 free) {
  return redrawn(lane, grid, !grid.wide, [&](auto* cells) {
    each_line(lane.group, grid, direction, [=](const GridLine& line) {
      auto* cell = cells + line.first;
      auto carried = *cell;
      for (u32 k = 1; k < line.length; ++k) {
        cell += line.step;
        if (*cell == free) *cell = carried;
        else carried = *cell;
      }
    });
  });
}

HOST_DEVICE Value op_rays(auto& lane, Grid grid, const Patch& starts, Location direction, i64 free) {
  if (starts.empty()) return EMPTY_SET;
  Scratch scratch(lane);
  u8 *begun = new_marks(lane, scratch, grid), *passed = new_marks(lane, scratch, grid);
  if (lane.failed()) return NO_VALUE;
  mark_patch(lane.group, grid, starts, begun);
  each_line(lane.group, grid, direction, [=](const GridLine& line) {
    bool runs = false;
    for (u32 k = 0; k < line.length; ++k) {
      const u32 place = line.place(k);
      runs = runs && grid.at(place) == free;
      passed[place] = runs;
      runs = runs || begun[place];
    }
  });
  return locations_where(lane, grid, [=](u32 place) { return passed[place] != 0; });
}

HOST_DEVICE Value op_sink(auto& lane, Grid grid, Location direction, i64 free) {
  if (direction.i && direction.j) return grid.value();
  return redrawn(lane, grid, !grid.wide, [&](auto* cells) {
    each_line(lane.group, grid, direction, [=](const GridLine& line) {
      u32 kept = line.length;
      for (u32 k = line.length; k-- > 0;) {
        const auto color = cells[line.place(k)];
        if (color == free) continue;
        --kept;
        cells[line.place(k)] = cells[line.place(kept)];  // free, or the cell itself
        cells[line.place(kept)] = color;
      }
    });
  });
}

HOST_DEVICE Value op_linked(auto& lane, Grid grid, Location direction, i64 free) {
  Scratch scratch(lane);
  u8* marks = new_marks(lane, scratch, grid);
  i32* colors = scratch.template array<i32>(grid.size());
  u32* places = scratch.template array<u32>(grid.size());
  if (lane.failed()) return NO_VALUE;
  each_line(lane.group, grid, direction, [=](const GridLine& line) {
    u32 begun = line.length;  // the last cell that is not free, once there is one
    for (u32 k = 0; k < line.length; ++k) {
      const i64 color = grid.at(line.place(k));
      if (color == free) continue;
      if (begun < k && grid.at(line.place(begun)) == color) {
        for (u32 m = begun + 1; m < k; ++m) {
          marks[line.place(m)] = 1;
          colors[line.place(m)] = i32(color);
        }
      }
      begun = k;
    }
  });
  const u32 count = compact(
      lane.group, grid.size(), [=](u32 place) { return marks[place]; },
      [=](u32 at, u32 place) { places[at] = place; });
  return make_patch(lane, true, count, [&](u32 k) {
    const Location at = location_at(grid, places[k]);
    return Cell{colors[places[k]], at.i, at.j};
  });
}

}  // namespace arcbatt
