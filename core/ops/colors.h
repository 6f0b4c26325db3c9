// Colours of grids and objects: how often they occur, in which cells, and others in their place.
#pragma once

#include "grids.h"
#include "runs.h"

namespace arcbatt {

// Visit the runs of equal colours in ascending color(0), ..., color(count - 1): visit(color, first, end).
template <class ColorAt, class Visit>
HOST_DEVICE void each_run(u32 count, ColorAt color, Visit visit) {
  for (u32 first = 0; first < count;) {
    const i64 current = color(first);
    u32 low = first + 1, high = count;
    if (color(count - 1) == current) low = count;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (color(middle) == current) low = middle + 1;
      else high = middle;
    }
    visit(current, first, low);
    first = low;
  }
}

// The colours of all cells of a grid, ascending, with their sign bit turned over.
template <class Group>
CALLED const u32* sorted_colors(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid) {
  const u32 size = grid.size();
  u32* colors = scratch.template array<u32>(size);
  if (lane.failed()) return nullptr;
  each(lane.group, size, [&](u32 k) { colors[k] = u32(grid.at(k)) ^ SIGN; });
  if (!order_keys(lane, colors, size)) return nullptr;
  return colors;
}

// How many cells of a grid of bytes have a colour.
template <class Group>
HOST_DEVICE u32 cells_of_color(const Group& group, const Grid& grid, i8 color) {
  const i8* cells = content<i8>(grid.head);
  const u32 size = grid.size();
  if (group.size() > 1) return u32(sum_of(group, size, [=](u32 k) { return cells[k] == color; }));
  constexpr u32 STEP = 192;  // what is counted of it fits a byte
  u32 total = 0;
  for (u32 start = 0; start < size; start += STEP) {
    const u32 end = start + STEP < size ? start + STEP : size;
    u8 here = 0;
    for (u32 k = start; k < end; ++k) here += cells[k] == color;
    total += here;
  }
  return total;
}

// Visit the colours of a grid of bytes in ascending order. A bit for each tells which there are; how often
// they occur is counted one by one, if at all.
template <class Group, class Visit>
HOST_DEVICE void each_color_of_bytes(const Group& group, const Grid& grid, bool counted, Visit visit) {
  const u8* cells = content<u8>(grid.head);
  const u32 size = grid.size(), rank = group.rank(), step = group.size();
  u8 bits = 0;
  for (u32 k = rank; k < size; k += step) bits |= cells[k];
  const bool small = group.max(bits) < 64;
  // By 64 colours, from -128 on.
  for (u32 first = small ? 0 : 128; first < (small ? 64 : 384); first += 64) {
    u64 mine = 0;
    if (small) {
      for (u32 k = rank; k < size; k += step) mine |= u64(1) << cells[k];
    } else {
      for (u32 k = rank; k < size; k += step) {
        mine |= cells[k] / 64 == first % 256 / 64 ? u64(1) << cells[k] % 64 : 0;
      }
    }
    for (;;) {
      const u32 next = u32(group.min(mine ? lowest_bit(mine) : 64));
      if (next == 64) break;
      mine &= ~(u64(1) << next);
      const i8 color = i8(first + next);
      visit(i64(color), counted ? cells_of_color(group, grid, color) : 0);
    }
  }
}

// Visit the colours of a grid or object in ascending order: visit(color, count), where the count is anything
// unless they are `counted`. False if memory ran out.
template <class Group, class Visit>
HOST_DEVICE bool each_color(Lane<Group>& lane, Value element, bool counted, Visit visit) {
  if (is_empty(element)) return true;
  const auto visit_run = [&](i64 color, u32 first, u32 end) { visit(color, end - first); };
  if (is_set(element)) {
    const Patch object(element);
    each_run(object.count, [&](u32 k) { return object.cell(k).color; }, visit_run);
    return true;
  }
  const Grid grid(element);
  if (!grid.wide) {
    each_color_of_bytes(lane.group, grid, counted, visit);
    return true;
  }
  Scratch<Group> scratch(lane);
  const u32* colors = sorted_colors(lane, scratch, grid);
  if (colors) each_run(grid.size(), [&](u32 k) { return i64(i32(colors[k] ^ SIGN)); }, visit_run);
  return !lane.failed();
}

// The most frequent colour of a grid or object that has cells.
CALLED i64 background_of(auto& lane, Value element) {
  if (element.has_form(Form::bytes_grid) && element.head()->detail > 0) {
    const i8 corner = *content<i8>(element.head());  // most often more than half of the cells have its colour
    if (2 * u64(cells_of_color(lane.group, element, corner)) > Grid(element).size()) return corner;
  }
  i64 best = 0;
  u32 most_cells = 0;
  each_color(lane, element, true, [&](i64 color, u32 count) {
    if (count > most_cells) best = color;
    most_cells = count > most_cells ? count : most_cells;
  });
  return best;
}
HOST_DEVICE i64 background_of(auto& lane, const Grid& grid) { return background_of(lane, grid.value()); }

HOST_DEVICE Value op_mostcolor(auto& lane, Value element) {
  return integer_value(background_of(lane, element));
}

HOST_DEVICE Value op_leastcolor(auto& lane, Value element) {
  i64 best = 0;
  u32 fewest_cells = HEAVIEST;
  each_color(lane, element, true, [&](i64 color, u32 count) {
    if (count < fewest_cells) best = color;
    fewest_cells = count < fewest_cells ? count : fewest_cells;
  });
  return integer_value(best);
}

HOST_DEVICE Value op_colorcount(auto& lane, Value element, i64 value) {
  if (is_empty(element)) return integer_value(0);
  const auto counted = [&](u32 n, auto test) { return integer_value(sum_of(lane.group, n, test)); };
  if (is_set(element)) {
    const Patch object(element);
    return counted(object.count, [&](u32 k) { return object.cell(k).color == value; });
  }
  const Grid grid(element);
  if (grid.wide) return counted(grid.size(), [&](u32 k) { return grid.at(k) == value; });
  return integer_value(fits_bits(value, 8) ? cells_of_color(lane.group, grid, i8(value)) : 0);
}

CALLED Value op_palette(auto& lane, Value element) {
  Scratch scratch(lane);
  i32* colors = scratch.template array<i32>(is_set(element) ? count_of(element) : Grid(element).size());
  u32 count = 0;
  if (!colors || !each_color(lane, element, false, [&](i64 color, u32) {
        once(lane.group, [&] { colors[count] = i32(color); });
        ++count;
      }))
    return NO_VALUE;
  if (count == 0) return EMPTY_SET;
  Head* head = lane.new_head(Form::integer_set, count, 0, 1 + count, 1, count * sizeof(i32));
  if (!head) return NO_VALUE;
  each(lane.group, count, [&](u32 k) { content<i32>(head)[k] = colors[k]; });
  return heap_value(head);
}

HOST_DEVICE Value op_numcolors(auto& lane, Value element) {
  u32 count = 0;
  each_color(lane, element, false, [&](i64, u32) { ++count; });
  return integer_value(count);
}

// Whether all locations of a grid have keys, and all cells.
HOST_DEVICE inline bool locations_have_keys(const Grid& grid) {
  return grid.height <= 2048 && grid.width <= 2048;
}
HOST_DEVICE inline bool cells_have_keys(const Grid& grid) { return !grid.wide && locations_have_keys(grid); }

HOST_DEVICE inline Location location_at(const Grid& grid, u32 place) {
  return {place / grid.width, place % grid.width};
}
HOST_DEVICE inline Cell cell_at(const Grid& grid, u32 place) {
  return {grid.at(place), place / grid.width, place % grid.width};
}

// The keys of all locations of a grid, row by row.
HOST_DEVICE void write_locations(const auto& group, const Grid& grid, u32* keys) {
  const i64 width = grid.width;
  each_cell(group, grid.height, width, [=](i64 i, i64 j) { keys[i * width + j] = key_of(Location{i, j}); });
}

constexpr u32 QUARTERS = 4;  // of a grid: equal neighbours counted in one place would wait for each other

// Run task(quarter, place) for all places of a grid, in each quarter in order. For one thread.
template <class Task>
HOST_DEVICE void each_quartered(u32 size, Task task) {
  const u32 length = size / QUARTERS;
  for (u32 k = 0; k < length; ++k) {
    for (u32 quarter = 0; quarter < QUARTERS; ++quarter) task(quarter, quarter * length + k);
  }
  for (u32 place = QUARTERS * length; place < size; ++place) task(QUARTERS - 1, place);
}

// The keys of all cells of a grid of bytes, ascending. For one thread.
HOST_DEVICE inline void write_cells(const Grid& grid, const u32* locations, u32* cursors, u32* to) {
  const u8* cells = content<u8>(grid.head);
  u8 bits = 0;
  for (u32 place = 0; place < grid.size(); ++place) bits |= cells[place];
  const u32 span = bits > 127 ? 256 : bits + 1, flip = bits > 127 ? 128 : 0;
  for (u32 k = 0; k < QUARTERS * span; ++k) cursors[k] = 0;
  each_quartered(grid.size(),
                 [=](u32 quarter, u32 place) { ++cursors[(cells[place] ^ flip) * QUARTERS + quarter]; });
  u32 total = 0;
  for (u32 k = 0; k < QUARTERS * span; ++k) {
    const u32 here = cursors[k];
    cursors[k] = total;
    total += here;
  }
  each_quartered(grid.size(), [=](u32 quarter, u32 place) {
    const u32 color = cells[place];
    to[cursors[(color ^ flip) * QUARTERS + quarter]++] = (locations[place] & LOCATION_BITS) | (color ^ 128)
                                                                                                  << 24;
  });
}

HOST_DEVICE Value op_asindices(auto& lane, Grid grid) {
  if (grid.size() == 0) return EMPTY_SET;
  if (!locations_have_keys(grid)) {
    return make_locations(lane, grid.size(), [&](u32 k) { return location_at(grid, k); });
  }
  Head* head = new_keys(lane, false, grid.size());
  if (!head) return NO_VALUE;
  write_locations(lane.group, grid, content<u32>(head));
  return heap_value(head);
}

CALLED Value cells_of_grid(auto& lane, Grid grid) {
  if (grid.size() == 0) return EMPTY_SET;
  if (!cells_have_keys(grid)) {
    return make_patch(lane, true, grid.size(), [&](u32 k) { return cell_at(grid, k); });
  }
  Scratch scratch(lane);
  u32* locations = scratch.template array<u32>(grid.size());
  u32* cursors = scratch.template array<u32>(QUARTERS * 256);
  Head* head = new_keys(lane, true, grid.size());
  if (lane.failed()) return NO_VALUE;
  write_locations(lane.group, grid, locations);
  once(lane.group, [&] { write_cells(grid, locations, cursors, content<u32>(head)); });
  return heap_value(head);
}

HOST_DEVICE Value op_asobject(auto& lane, Grid grid) {
  const u32 count = grid.size();
  return count && !lane.admits(patch_weight(true, count), 3) ? NO_VALUE : cells_of_grid(lane, grid);
}

// The keys of the locations that pass a test by place, ascending; the number of them is the answer.
template <class Group, class Test>
HOST_DEVICE u32 keep_locations(const Group& group, const Grid& grid, Test test, u32* keys) {
  if (group.size() > 1) {
    return compact(group, grid.size(), test, [&](u32 at, u32 k) { keys[at] = key_of(location_at(grid, k)); });
  }
  u32 kept = 0, place = 0;
  for (i64 i = 0; i < grid.height; ++i) {
    for (i64 j = 0; j < grid.width; ++j, ++place) {
      keys[kept] = key_of(Location{i, j});  // written in any case: a branch would cost more
      kept += test(place);
    }
  }
  return kept;
}

HOST_DEVICE Value op_ofcolor(auto& lane, Grid grid, i64 value) {
  if (grid.size() == 0 || (!grid.wide && !fits_bits(value, 8))) return EMPTY_SET;
  if (!cells_have_keys(grid)) {
    Scratch scratch(lane);
    u32* places = scratch.template array<u32>(grid.size());
    if (!places) return NO_VALUE;
    const u32 count = compact(
        lane.group, grid.size(), [&](u32 k) { return grid.at(k) == value; },
        [&](u32 at, u32 k) { places[at] = k; });
    return make_locations(lane, count, [&](u32 k) { return location_at(grid, places[k]); });
  }
  u8* mark = lane.top;
  Head* head = new_keys(lane, false, grid.size());
  if (!head) return NO_VALUE;
  const i8 *cells = content<i8>(grid.head), wanted = i8(value);
  const auto is_wanted = [=](u32 k) { return cells[k] == wanted; };
  const u32 count = keep_locations(lane.group, grid, is_wanted, content<u32>(head));
  lane.release(mark);
  return count ? heap_value(new_keys(lane, false, count)) : EMPTY_SET;  // in place, as long as needed
}

// A grid of the same shape by a map of colours; with `bytes` the map is asked for bytes and keeps to them.
template <class Group, class Map>
HOST_DEVICE Value recolored(Lane<Group>& lane, const Grid& grid, bool bytes, Map map) {
  if (!bytes) return make_grid(lane, grid.height, grid.width, [&](u32 place) { return map(grid.at(place)); });
  if (grid.height == 0) return EMPTY_TUPLE;
  Head* head = new_bytes_grid(lane, grid.height, grid.width);
  if (!head) return NO_VALUE;
  const i8* from = content<i8>(grid.head);
  i8* to = content<i8>(head);
  each(lane.group, grid.size(), [=](u32 place) { to[place] = map(from[place]); });
  return heap_value(head);
}

HOST_DEVICE Value op_replace(auto& lane, Grid grid, i64 replacee, i64 replacer) {
  if (!grid.wide && !fits_bits(replacee, 8)) return grid.value();
  return recolored(lane, grid, !grid.wide && fits_bits(replacer, 8), [=](auto color) {
    using Color = decltype(color);
    return color == Color(replacee) ? Color(replacer) : color;
  });
}
HOST_DEVICE Value op_switch(auto& lane, Grid grid, i64 a, i64 b) {
  return recolored(lane, grid, !grid.wide && fits_bits(a, 8) && fits_bits(b, 8), [=](auto color) {
    using Color = decltype(color);
    return color == Color(a) ? Color(b) : color == Color(b) ? Color(a) : color;
  });
}

}  // namespace arcbatt
