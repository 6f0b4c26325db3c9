// Regions: cells of one colour that hang together, holes, rectangles, and the neighbours of cells.
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

// Runs of locations side by side, from top to bottom and left to right.
struct LocationRuns {
  i32 *rows, *lefts, *rights;
  u32* above;  // the run that stands for all that a run hangs together with, in steps
  u32 count;

  HOST_DEVICE u32 root(u32 run) const {
    while (above[run] != run) run = above[run] = above[above[run]];
    return run;
  }
  HOST_DEVICE bool lies_behind(u32 run, u32 other) const {  // or farther than one row above it
    const i64 gap = i64(rows[other]) - rows[run];
    return gap > 1 || (gap == 1 && i64(rights[run]) + 1 < lefts[other]);
  }
};

// Find the runs of locations that ascend. For one thread.
HOST_DEVICE inline void find_runs(const Patch& spots, LocationRuns& runs) {
  runs.count = 0;
  for (u32 k = 0; k < spots.count; ++k) {
    const Location at = spots.location(k);
    const u32 last = runs.count - 1;
    if (k > 0 && runs.rows[last] == at.i && i64(runs.rights[last]) + 1 == at.j) {
      runs.rights[last] = i32(at.j);
      continue;
    }
    runs.rows[runs.count] = i32(at.i);
    runs.lefts[runs.count] = runs.rights[runs.count] = i32(at.j);
    runs.above[runs.count] = runs.count;
    ++runs.count;
  }
}

// A run that touches one above it, with which it hangs together already, closes a hole. For one thread.
HOST_DEVICE inline u32 count_holes(const LocationRuns& runs) {
  u32 count = 0, first = 0;
  for (u32 run = 0; run < runs.count; ++run) {
    while (runs.lies_behind(first, run)) ++first;
    for (u32 other = first; runs.rows[other] < runs.rows[run]; ++other) {
      if (i64(runs.lefts[other]) > i64(runs.rights[run]) + 1) break;
      const u32 one = runs.root(other), two = runs.root(run);
      if (one == two) ++count;
      else runs.above[two] = one;
    }
  }
  return count;
}

HOST_DEVICE Value op_holes(auto& lane, const Patch& patch) {
  if (patch.empty()) return integer_value(0);
  u8* mark = lane.top;
  const Patch spots = ascends_by_location(patch)
                          ? patch
                          : Patch(make_patch(lane, false, patch.count, [&](u32 k) { return patch.cell(k); }));
  if (lane.failed()) return NO_VALUE;
  u32 count = 0;
  {
    Scratch scratch(lane);
    const u64 most_runs = spots.count;
    i32* numbers = scratch.template array<i32>(3 * most_runs);
    u32* above = scratch.template array<u32>(most_runs + 1);
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] {
      LocationRuns runs{numbers, numbers + most_runs, numbers + 2 * most_runs, above, 0};
      find_runs(spots, runs);
      above[most_runs] = count_holes(runs);
    });
    count = above[most_runs];
  }
  lane.release(mark);
  return integer_value(count);
}

// A rectangle that is compared with others: by its cells, then the uppermost, leftmost, tallest.
struct Candidate {
  i64 area, top, left, height;

  HOST_DEVICE bool beats(const Candidate& other) const {
    if (area != other.area) return area > other.area;
    if (top != other.top) return top < other.top;
    return left != other.left ? left < other.left : height > other.height;
  }
};

// The best rectangle of a colour. `depths` has a number for each column and one more, all 0: how far the
// colour reaches up from the row that is looked at. `begun` and `lefts` have room for rectangles that go on
// to the right, of ascending height. For one thread.
HOST_DEVICE inline Candidate best_rectangle(const Grid& grid, i64 color, u32* depths, u32* begun,
                                            u32* lefts) {
  const u32 height = u32(grid.height), width = u32(grid.width);
  Candidate best{0, 0, 0, 0};
  for (u32 i = 0; i < height; ++i) {
    u32 count = 0;
    for (u32 j = 0; j <= width; ++j) {
      if (j < width) depths[j] = grid(i, j) == color ? depths[j] + 1 : 0;
      u32 left = j;
      while (count > 0 && begun[count - 1] > depths[j]) {
        const u32 tall = begun[--count];
        left = lefts[count];
        const Candidate found{i64(tall) * (j - left), i64(i) + 1 - tall, left, tall};
        if (found.beats(best)) best = found;
      }
      if (depths[j] <= (count > 0 ? begun[count - 1] : 0)) continue;
      begun[count] = depths[j];
      lefts[count++] = left;
    }
  }
  return best;
}

HOST_DEVICE Value op_rectangle(auto& lane, Grid grid, i64 color) {
  Scratch scratch(lane);
  const u32 width = u32(grid.width);
  u32* room = scratch.template array<u32>(3 * u64(width) + 1);
  Candidate* best = scratch.template array<Candidate>(1);
  if (lane.failed()) return NO_VALUE;
  each(lane.group, width + 1, [=](u32 j) { room[j] = 0; });
  once(lane.group,
       [=] { *best = best_rectangle(grid, color, room, room + width + 1, room + 2 * u64(width) + 1); });
  const auto [area, top, left, tall] = *best;
  if (area == 0) return EMPTY_SET;
  if (!lane.admits(patch_weight(false, u64(area)), 2)) return NO_VALUE;
  return make_rectangle(lane, {top, left, top + tall - 1, left + area / tall - 1});
}

// The locations of which at least so many neighbours have a colour: of the direct ones, or of all.
template <class Group>
HOST_DEVICE Value crowded_by(Lane<Group>& lane, const Grid& grid, i64 color, i64 count, bool corners) {
  Scratch<Group> scratch(lane);
  const i64 width = grid.width, size = grid.size();
  // What a cell counts for those above and below it; there is a row of nothing at either end.
  u8* row = scratch.template array<u8>(u64(size + 2 * width));
  u8* beside = scratch.template array<u8>(u64(size));
  if (lane.failed()) return NO_VALUE;
  each(lane.group, u32(width), [=](u32 j) { row[j] = row[size + width + j] = 0; });
  const auto has = [=](i64 place) { return u8(grid.at(u64(place)) == color); };
  each_cell(lane.group, grid.height, width, [=](i64 i, i64 j) {
    const i64 place = i * width + j;
    beside[place] = u8((j > 0 && has(place - 1)) + (j + 1 < width && has(place + 1)));
    row[width + place] = u8(has(place) + (corners ? beside[place] : 0));
  });
  return locations_where(
      lane, grid, [=](u32 place) { return beside[place] + row[place] + row[place + 2 * width] >= count; });
}

HOST_DEVICE Value op_crowded(auto& lane, Grid grid, i64 color, i64 count) {
  return crowded_by(lane, grid, color, count, true);
}
HOST_DEVICE Value op_dcrowded(auto& lane, Grid grid, i64 color, i64 count) {
  return crowded_by(lane, grid, color, count, false);
}

// Run task(color) for the neighbours of a cell, at most eight.
template <class Task>
HOST_DEVICE void each_neighbor(const Grid& grid, i64 i, i64 j, Task task) {
  for (i64 k = most(0, i - 1); k <= least(grid.height - 1, i + 1); ++k) {
    for (i64 m = most(0, j - 1); m <= least(grid.width - 1, j + 1); ++m) {
      if (k != i || m != j) task(grid(k, m));
    }
  }
}

HOST_DEVICE Value op_denoised(auto& lane, Grid grid) {
  const i64 width = grid.width;
  const auto judged = [=](i64 i, i64 j) {
    const i64 own = grid(i, j);
    if ((j > 0 && grid(i, j - 1) == own) || (j + 1 < width && grid(i, j + 1) == own)) return own;
    i64 colors[8] = {};
    u32 count = 0;
    each_neighbor(grid, i, j, [&](i64 color) { colors[count++] = color; });
    i64 best = own;
    u32 times = 0;
    for (u32 k = 0; k < count; ++k) {
      if (colors[k] == own) return own;
      u32 here = 0;
      for (u32 m = 0; m < count; ++m) here += colors[m] == colors[k];
      if (here < times || (here == times && colors[k] >= best)) continue;
      times = here;
      best = colors[k];
    }
    return best;
  };
  return make_grid_by_cell(lane, grid.height, width, judged);
}

}  // namespace arcbatt
