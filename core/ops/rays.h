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

// Run task(line) for every line of a grid of this shape along a direction, of which the signs count.
template <class Group, class Task>
HOST_DEVICE void each_line(const Group& group, i64 height, i64 width, Location direction, Task task) {
  const i64 down = sign_of(direction.i), right = sign_of(direction.j);
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

template <class Group, class Task>
HOST_DEVICE void each_line(const Group& group, const Grid& grid, Location direction, Task task) {
  each_line(group, grid.height, grid.width, direction, task);
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
  if (count == 0) return EMPTY_SET;
  if (!lane.admits(patch_weight(true, count), 3)) return NO_VALUE;  // the cells may weigh more than the grid
  return make_patch(lane, true, count, [&](u32 k) {
    const Location at = location_at(grid, places[k]);
    return Cell{colors[places[k]], at.i, at.j};
  });
}

constexpr u32 NOWHERE = HEAVIEST;

// Objects that fall: parts of a grid, numbered, and how far each goes. All arrays have room for every place.
struct Falling {
  u32* parts;  // by place: the part that has it, or NOWHERE
  u32 *cells, *starts;  // the places of all parts, one part after the other, and where each begins
  u32 *behind, *gaps;  // by place: the cell behind it in its line, or NOWHERE, and how many lie between
  u32* drops;  // by part
  u32* waiting;  // by distance: the entry of the first part that waits there
  u32 *entries, *next;  // parts, and the entries after them; room for twice the places
  u32 count;
};

// Number the parts: cells of one colour that touch at sides or corners. For one thread.
HOST_DEVICE inline u32 number_parts(const Grid& grid, i64 free, const Falling& fall) {
  const u32 size = grid.size();
  const i64 height = grid.height, width = grid.width;
  u32 count = 0, found = 0;
  for (u32 place = 0; place < size; ++place) fall.parts[place] = NOWHERE;
  for (u32 first = 0; first < size; ++first) {
    const i64 color = grid.at(first);
    if (color == free || fall.parts[first] != NOWHERE) continue;
    fall.starts[count] = found;
    fall.parts[first] = count;
    fall.cells[found] = first;
    for (u32 seen = found++; seen < found; ++seen) {
      const Location at = location_at(grid, fall.cells[seen]);
      const i64 top = most(0, at.i - 1), bottom = least(height - 1, at.i + 1);
      const i64 left = most(0, at.j - 1), right = least(width - 1, at.j + 1);
      for (i64 i = top; i <= bottom; ++i) {
        for (i64 j = left; j <= right; ++j) {
          const u32 other = u32(i * width + j);
          if (fall.parts[other] != NOWHERE || grid.at(other) != color) continue;
          fall.parts[other] = count;
          fall.cells[found++] = other;
        }
      }
    }
    ++count;
  }
  fall.starts[count] = found;
  return count;
}

// How far each part goes: the shortest way over gaps between parts, from the edge on. For one thread.
HOST_DEVICE inline void find_drops(const Falling& fall, u32 longest) {
  u32 entry = 0;
  const auto wait = [&](u32 part, u32 drop) {
    fall.drops[part] = drop;
    fall.entries[entry] = part;
    fall.next[entry] = fall.waiting[drop];
    fall.waiting[drop] = entry++;
  };
  for (u32 drop = 0; drop <= longest; ++drop) fall.waiting[drop] = NOWHERE;
  for (u32 part = 0; part < fall.count; ++part) {
    if (fall.drops[part] < longest) wait(part, fall.drops[part]);
  }
  for (u32 drop = 0; drop < longest; ++drop) {
    while (fall.waiting[drop] != NOWHERE) {
      const u32 part = fall.entries[fall.waiting[drop]];
      fall.waiting[drop] = fall.next[fall.waiting[drop]];
      if (fall.drops[part] != drop) continue;  // a shorter way was found
      for (u32 k = fall.starts[part]; k < fall.starts[part + 1]; ++k) {
        const u32 place = fall.cells[k], other = fall.behind[place];
        if (other == NOWHERE) continue;
        const u32 further = drop + fall.gaps[place];
        if (further < fall.drops[fall.parts[other]]) wait(fall.parts[other], further);
      }
    }
  }
}

template <class Group>
HOST_DEVICE Falling falling_in(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid,
                               Location direction, i64 free) {
  const u32 size = grid.size(), longest = u32(most(grid.height, grid.width));
  u32* room = scratch.template array<u32>(10 * u64(size) + longest + 3);
  if (!room) return {};
  Falling fall{room,
               room + size,
               room + 2 * size,
               room + 3 * size + 1,
               room + 4 * size + 1,
               room + 5 * size + 1,
               room + 10 * size + 1,
               room + 6 * size + 1,
               room + 8 * size + 1,
               0};
  u32* count = room + 10 * u64(size) + longest + 2;
  once(lane.group, [&] { *count = number_parts(grid, free, fall); });
  fall.count = *count;
  each(lane.group, fall.count, [&](u32 part) { fall.drops[part] = longest; });
  each_line(lane.group, grid, direction, [=](const GridLine& line) {
    u32 last = NOWHERE;
    for (u32 k = 0; k < line.length; ++k) {
      const u32 place = line.place(k);
      if (fall.parts[place] == NOWHERE) continue;
      const bool alike = last != NOWHERE && fall.parts[line.place(last)] == fall.parts[place];
      fall.behind[place] = last == NOWHERE || alike ? NOWHERE : line.place(last);
      fall.gaps[place] = k - last - 1;
      last = k;
    }
  });
  once(lane.group, [&] {
    each_line(Solo{}, grid, direction, [&](const GridLine& line) {
      for (u32 drop = 0; drop < line.length; ++drop) {
        const u32 part = fall.parts[line.place(line.length - 1 - drop)];
        if (part == NOWHERE) continue;
        fall.drops[part] = u32(least(fall.drops[part], drop));
        break;
      }
    });
    find_drops(fall, longest);
  });
  return fall;
}

HOST_DEVICE Value op_settle(auto& lane, Grid grid, Location direction, i64 free) {
  const bool has_free = any_of(lane.group, grid.size(), [=](u32 place) { return grid.at(place) == free; });
  if (!has_free || (!direction.i && !direction.j)) return grid.value();
  Scratch scratch(lane);
  const Falling fall = falling_in(lane, scratch, grid, direction, free);
  if (lane.failed()) return NO_VALUE;
  const i64 step = sign_of(direction.i) * grid.width + sign_of(direction.j);
  return redrawn(lane, grid, !grid.wide, [&](auto* cells) {
    const u32 count = fall.starts[fall.count];
    each(lane.group, count, [=](u32 k) { cells[fall.cells[k]] = free; });
    each(lane.group, count, [=](u32 k) {
      const u32 place = fall.cells[k];
      cells[place + fall.drops[fall.parts[place]] * step] = grid.at(place);
    });
  });
}

// The locations between those of a patch in a box that is worth a raster.
HOST_DEVICE Value between_in_raster(auto& lane, const Patch& patch, const Bounds& box, Location direction) {
  Head* head = new_keys(lane, false, area_of(box));
  if (!head) return NO_VALUE;
  u8* mark = lane.top;
  const Raster raster = rasterized(lane, patch, box);
  if (lane.failed()) return NO_VALUE;
  u8* marks = raster.marks;
  each_line(lane.group, box.height(), box.width(), direction, [=](const GridLine& line) {
    u32 first = 0, end = line.length;
    while (first < end && !marks[line.place(first)]) ++first;
    while (first < end && !marks[line.place(end - 1)]) --end;
    for (u32 k = first; k < end; ++k) {
      u8& here = marks[line.place(k)];
      here = here ? here : 2;
    }
  });
  const u32 count = keys_marked(lane.group, raster, 2, 0, content<u32>(head));
  lane.release(mark);
  return shortened(lane, head, count);
}

// The same for locations that lie far apart: they are sorted by line, then along it.
HOST_DEVICE Value between_sorted(auto& lane, const Patch& patch, Location direction) {
  const i64 di = sign_of(direction.i), dj = sign_of(direction.j);
  const Location step = di ? Location{1, di * dj} : Location{0, 1};
  const auto line = [=](Location at) { return dj * at.i - di * at.j; };
  const auto along = [=](Location at) { return di ? at.i : at.j; };
  Scratch scratch(lane);
  u32* order = scratch.template array<u32>(patch.count);
  u64* ends = scratch.template array<u64>(patch.count);  // of the gaps before each, counted together
  if (lane.failed()) return NO_VALUE;
  each(lane.group, patch.count, [=](u32 k) { order[k] = k; });
  const auto before = [&](u32 a, u32 b) {
    const Location one = patch.location(a), other = patch.location(b);
    return line(one) != line(other) ? line(one) < line(other) : along(one) < along(other);
  };
  if (!sort_positions(lane, order, patch.count, before)) return NO_VALUE;
  once(lane.group, [&] {
    ends[0] = 0;
    for (u32 k = 1; k < patch.count; ++k) {
      const Location one = patch.location(order[k - 1]), other = patch.location(order[k]);
      const i64 gap = line(one) == line(other) ? along(other) - along(one) - 1 : 0;
      ends[k] = ends[k - 1] + u64(most(0, gap));
    }
  });
  const u64 count = ends[patch.count - 1];
  if (!lane.admits(count ? patch_weight(false, count) : 1, count ? 2 : 1)) return NO_VALUE;
  return make_locations(lane, count, [&](u32 k) {
    u32 low = 1, high = patch.count - 1;  // the first gap that ends behind k
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (ends[middle] > k) high = middle;
      else low = middle + 1;
    }
    const Location from = patch.location(order[low - 1]);
    const i64 by = i64(k - ends[low - 1]) + 1;
    return Location{from.i + by * step.i, from.j + by * step.j};
  });
}

HOST_DEVICE Value op_between(auto& lane, const Patch& patch, Location direction) {
  if (patch.empty() || (!direction.i && !direction.j)) return EMPTY_SET;
  const Bounds box = bounds_of(lane.group, patch);
  if (fits_keys(box) && worth_a_raster(box, patch.count))
    return between_in_raster(lane, patch, box, direction);
  return between_sorted(lane, patch, direction);
}

}  // namespace arcbatt
