// Patches: their boxes and rasters, corners and centres, moving and recolouring, the cells of a grid.
#pragma once

#include "grids.h"
#include "numbers.h"

namespace arcbatt {

HOST_DEVICE constexpr Bounds grown(const Bounds& box, i64 by) {
  return {box.top - by, box.left - by, box.bottom + by, box.right + by};
}
HOST_DEVICE constexpr Bounds common(const Bounds& a, const Bounds& b) {
  return {most(a.top, b.top), most(a.left, b.left), least(a.bottom, b.bottom), least(a.right, b.right)};
}
HOST_DEVICE constexpr bool is_empty(const Bounds& box) {
  return box.top > box.bottom || box.left > box.right;
}
HOST_DEVICE constexpr bool holds(const Bounds& box, Location at) {
  return at.i >= box.top && at.i <= box.bottom && at.j >= box.left && at.j <= box.right;
}
HOST_DEVICE constexpr bool fits(const Bounds& box) {
  return fits(box.top) && fits(box.left) && fits(box.bottom) && fits(box.right);
}
HOST_DEVICE constexpr bool fits_keys(const Bounds& box) {
  return fits_key(Cell{0, box.top, box.left}) && fits_key(Cell{0, box.bottom, box.right});
}
// The number of locations in a box, saturating.
HOST_DEVICE inline u64 area_of(const Bounds& box) {
  const u64 rows = u64(box.height()), columns = u64(box.width());
  return rows > u64(HIGHEST) || columns > u64(HIGHEST) ? HEAVIEST : rows * columns;
}

// Run task(location) for every element; the form of the patch is asked for once.
template <class Group, class Task>
HOST_DEVICE void each_location(const Group& group, const Patch& patch, Task task) {
  if (!patch.packed) return each(group, patch.count, [&](u32 k) { task(patch.location(k)); });
  const u32* keys = patch.keys();
  each(group, patch.count, [&](u32 k) {
    const Cell c = cell_of(keys[k]);
    task(Location{c.i, c.j});
  });
}

// The Set of location(0), location(1), ..., which ascend and have this bounding box.
template <class Group, class LocationAt>
HOST_DEVICE Value make_ascending(Lane<Group>& lane, const Bounds& box, u64 count, LocationAt location) {
  if (fits_keys(box)) {
    Head* head = new_keys(lane, false, count);
    if (!head) return NO_VALUE;
    each(lane.group, u32(count), [&](u32 k) { content<u32>(head)[k] = key_of(location(k)); });
    return heap_value(head);
  }
  Value* elements = lane.template array<Value>(count);
  if (!elements) return NO_VALUE;
  for (u32 k = 0; k < count; ++k) {
    const Value element = make_pair(lane, location(k));
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { elements[k] = element; });
  }
  return make_plain(lane, Form::set, elements, u32(count));
}

// The Set of `count` locations from one on, in steps that ascend.
CALLED Value make_ray(auto& lane, Location first, Location step, u64 count) {
  const Location last{first.i + i64(count - 1) * step.i, first.j + i64(count - 1) * step.j};
  const Bounds box{first.i, least(first.j, last.j), last.i, most(first.j, last.j)};
  if (!fits_keys(box)) {
    return make_ascending(lane, box, count,
                          [&](u32 k) { return Location{first.i + k * step.i, first.j + k * step.j}; });
  }
  Head* head = new_keys(lane, false, count);
  if (!head) return NO_VALUE;
  u32* keys = content<u32>(head);
  const u32 start = key_of(first), stride = (u32(step.i) << 12) + u32(step.j);
  each(lane.group, u32(count), [&](u32 k) { keys[k] = start + k * stride; });
  return heap_value(head);
}

// All locations of a box.
CALLED Value make_rectangle(auto& lane, const Bounds& box) {
  const u64 area = area_of(box);
  const u32 width = u32(box.width());
  if (!fits_keys(box)) {
    const auto location = [&](u32 k) { return Location{box.top + k / width, box.left + k % width}; };
    return make_ascending(lane, box, area, location);
  }
  Head* head = new_keys(lane, false, area);
  if (!head) return NO_VALUE;
  u32* keys = content<u32>(head);
  for (i64 i = box.top; i <= box.bottom; ++i, keys += width) {
    const u32 first = key_of(Location{i, box.left});
    each(lane.group, width, [&](u32 k) { keys[k] = first + k; });
  }
  return heap_value(head);
}

// A byte for each location of a box: whether a patch has it.
struct Raster {
  Bounds box;
  u8* marks;
  HOST_DEVICE u64 place(Location at) const { return u64((at.i - box.top) * box.width() + at.j - box.left); }
};

HOST_DEVICE inline bool worth_a_raster(const Bounds& box, u64 elements) {
  return area_of(box) <= 1024 + 16 * elements;
}

// `marks` is null, and the lane failed, if there is no memory for it.
CALLED Raster rasterized(auto& lane, const Patch& patch, const Bounds& box) {
  const u64 area = area_of(box);
  const Raster raster{box, lane.template array<u8>(area)};
  u8* marks = raster.marks;
  if (!marks) return raster;
  each(lane.group, u32(area), [&](u32 place) { marks[place] = 0; });
  if (!patch.packed) {
    each(lane.group, patch.count, [&](u32 k) {
      if (holds(box, patch.location(k))) set_alike(marks + raster.place(patch.location(k)), 1);
    });
    return raster;
  }
  const u32* keys = patch.keys();
  const u32 top = u32(box.top + 2048), left = u32(box.left + 2048);
  const u32 height = u32(box.height()), width = u32(box.width());
  each(lane.group, patch.count, [&](u32 k) {
    const u32 i = (keys[k] >> 12 & 4095) - top, j = (keys[k] & 4095) - left;
    if (i < height && j < width) set_alike(marks + (i * width + j), 1);
  });
  return raster;
}

// The keys of all locations marked so, ascending; their number is the answer.
HOST_DEVICE u32 keys_marked(const auto& group, const Raster& raster, u8 wanted, i64 color, u32* keys) {
  const u32 width = u32(raster.box.width());
  const u8* marks = raster.marks;
  u32 kept = 0;
  for (i64 i = raster.box.top; i <= raster.box.bottom; ++i, marks += width) {
    const u32 first = key_of(Cell{color, i, raster.box.left});
    kept += compact(
        group, width, [&](u32 k) { return marks[k] == wanted; },
        [&](u32 place, u32 k) { keys[kept + place] = first + k; });
  }
  return kept;
}

// The locations of a packed patch, each once: as locations, or as cells of a colour that fits a key.
CALLED Value in_one_color(auto& lane, const Patch& patch, bool colored, i64 color) {
  Head* head = new_keys(lane, colored, patch.count);
  if (!head) return NO_VALUE;
  const u32* from = patch.keys();
  u32* keys = content<u32>(head);
  const u32 tint = with_color(0, color);
  const bool ascends = ascends_by_location(patch);
  each(lane.group, patch.count, [&](u32 k) { keys[k] = (from[k] & LOCATION_BITS) | tint; });
  return ascends ? heap_value(head) : finish_keys(lane, head);
}

CALLED Value op_toindices(auto& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  if (!patch.colored) return patch.value;
  if (patch.packed) return in_one_color(lane, patch, false, 0);
  return make_patch(lane, false, patch.count, [&](u32 k) { return patch.cell(k); });
}

CALLED Value corner_of(auto& lane, const Patch& patch, bool lower, bool right) {
  if (patch.empty()) return EMPTY_TUPLE;
  const Bounds box = bounds_of(lane.group, patch);
  return make_pair(lane, lower ? box.bottom : box.top, right ? box.right : box.left);
}
HOST_DEVICE Value op_ulcorner(auto& lane, const Patch& patch) { return corner_of(lane, patch, false, false); }
HOST_DEVICE Value op_urcorner(auto& lane, const Patch& patch) { return corner_of(lane, patch, false, true); }
HOST_DEVICE Value op_llcorner(auto& lane, const Patch& patch) { return corner_of(lane, patch, true, false); }
HOST_DEVICE Value op_lrcorner(auto& lane, const Patch& patch) { return corner_of(lane, patch, true, true); }

HOST_DEVICE Value op_uppermost(auto& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).top);
}
HOST_DEVICE Value op_lowermost(auto& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).bottom);
}
HOST_DEVICE Value op_leftmost(auto& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).left);
}
HOST_DEVICE Value op_rightmost(auto& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).right);
}

HOST_DEVICE Value op_center(auto& lane, const Patch& patch) {
  return make_pair(lane, bounds_of(lane.group, patch).middle());
}

// A location of two cells is summed once and counted twice.
HOST_DEVICE Value op_centerofmass(auto& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_TUPLE;
  u8* mark = lane.top;
  const Patch spots = ascends_by_location(patch) ? patch : Patch(op_toindices(lane, patch));
  if (lane.failed()) return NO_VALUE;
  const i64 rows = sum_of(lane.group, spots.count, [&](u32 k) { return spots.location(k).i; });
  const i64 columns = sum_of(lane.group, spots.count, [&](u32 k) { return spots.location(k).j; });
  lane.release(mark);
  return make_pair(lane, floor_divided(rows, patch.count), floor_divided(columns, patch.count));
}

HOST_DEVICE Value op_corners(auto& lane, const Patch& patch) {
  const Bounds box = bounds_of(lane.group, patch);
  const u32 across = 1 + (box.width() > 1), down = 1 + (box.height() > 1);
  return make_ascending(lane, box, across * down, [&](u32 k) {
    return Location{k < across ? box.top : box.bottom, k % across ? box.right : box.left};
  });
}

// Moving all keys alike keeps their order, as long as none leaves the range of keys.
CALLED Value shifted(auto& lane, const Patch& patch, i64 down, i64 right) {
  if (patch.empty() || (down == 0 && right == 0 && patch.is_set())) return patch.value;
  if (patch.packed && magnitude(down) < 4096 && magnitude(right) < 4096) {
    u8* mark = lane.top;
    Head* head = new_keys(lane, patch.colored, patch.count);
    if (!head) return NO_VALUE;
    const u32* from = patch.keys();
    u32* keys = content<u32>(head);
    const u32 rows = u32(down), columns = u32(right);
    u32 beyond = 0;
    each(lane.group, patch.count, [&](u32 k) {
      beyond |= ((from[k] >> 12 & 4095) + rows) | ((from[k] & 4095) + columns);
      keys[k] = from[k] + (rows << 12) + columns;
    });
    if (!lane.group.any(beyond > 4095)) return patch.is_set() ? heap_value(head) : finish_keys(lane, head);
    lane.release(mark);
  }
  return make_patch(lane, patch.colored, patch.count, [&](u32 k) {
    const Cell c = patch.cell(k);
    return Cell{c.color, c.i + down, c.j + right};
  });
}

HOST_DEVICE Value op_shift(auto& lane, const Patch& patch, Location directions) {
  return shifted(lane, patch, directions.i, directions.j);
}
HOST_DEVICE Value op_normalize(auto& lane, const Patch& patch) {
  if (patch.empty()) return patch.value;
  const Bounds box = bounds_of(lane.group, patch);
  return shifted(lane, patch, -box.top, -box.left);
}

HOST_DEVICE Value op_recolor(auto& lane, i64 color, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  if (patch.packed && fits_bits(color, 8)) return in_one_color(lane, patch, true, color);
  return make_patch(lane, true, patch.count, [&](u32 k) {
    const Location at = patch.location(k);
    return Cell{color, at.i, at.j};
  });
}

HOST_DEVICE Value op_color(auto&, const Patch& patch) { return integer_value(patch.cell(0).color); }

HOST_DEVICE Value op_vline(auto& lane, const Patch& patch) {
  if (patch.empty()) return boolean(false);
  const Bounds box = bounds_of(lane.group, patch);
  return boolean(box.width() == 1 && box.height() == patch.count);
}
HOST_DEVICE Value op_hline(auto& lane, const Patch& patch) {
  if (patch.empty()) return boolean(false);
  const Bounds box = bounds_of(lane.group, patch);
  return boolean(box.height() == 1 && box.width() == patch.count);
}

// Append the keys of one colour; returns how many there are. One more may be written behind them.
template <class Group>
HOST_DEVICE u32 append_color(const Group& group, u32 color, const u32* keys, u32 count, u32* to) {
  if constexpr (Group::SIZE == 1) {
    u32 place = 0;
    for (u32 k = 0; k < count; ++k) {
      to[place] = keys[k];
      place += keys[k] >> 24 == color;
    }
    return place;
  }
  return compact(
      group, count, [&](u32 k) { return keys[k] >> 24 == color; },
      [&](u32 place, u32 k) { to[place] = keys[k]; });
}

// Set the bit of each colour that keys have, of which there must be one, in four words.
template <class Group>
HOST_DEVICE void mark_colors(const Group& group, const u32* keys, u32 count, u64* present) {
  each(group, 4, [&](u32 word) { present[word] = 0; });
  const u32 usual = keys[0] >> 30;
  u64 mine = 0;
  for (u32 k = group.rank(); k < count; k += group.size()) {
    const u64 bit = u64(1) << (keys[k] >> 24) % 64;
    if (keys[k] >> 30 == usual) mine |= bit;
    else group.set_bits(present + (keys[k] >> 30), bit);
  }
  group.set_bits(present + usual, mine);
  group.sync();
}

constexpr u32 FEW_COLORS = 3;  // so many passes over keys cost less than counting and placing them

// Sort by colour the first keys behind a head, which ascend by location and leave room for one more.
CALLED Value sorted_by_color(auto& lane, Head* head, u32 count) {
  if (count == 0) return EMPTY_SET;
  u8* mark = lane.top;
  u32* const to = content<u32>(head);
  const u32* keys = to;
  u64* present = lane.template array<u64>(4);  // a bit for each colour
  if (!present) return NO_VALUE;
  mark_colors(lane.group, keys, count, present);
  const auto each_present = [&](auto task) {
    for (u32 word = 0; word < 4; ++word) {
      for (u64 rest = present[word]; rest; rest &= rest - 1) task(word * 64 + lowest_bit(rest));
    }
  };
  u32 colors = 0, done = 0;
  each_present([&](u32) { ++colors; });
  if (colors > 1) {
    u32* copies = lane.template array<u32>(count);
    if (!copies) return NO_VALUE;
    each(lane.group, count, [&](u32 k) { copies[k] = to[k]; });
    keys = copies;
  }
  u32* starts = colors > FEW_COLORS ? lane.template array<u32>(256) : nullptr;
  if (lane.failed()) return NO_VALUE;
  if (colors > 1 && !starts) {
    each_present([&](u32 color) { done += append_color(lane.group, color, keys, count, to + done); });
  } else if (starts) {
    once(lane.group, [&] {
      each_present([&](u32 color) { starts[color] = 0; });
      for (u32 k = 0; k < count; ++k) ++starts[keys[k] >> 24];
      each_present([&](u32 color) {
        const u32 here = starts[color];
        starts[color] = done;
        done += here;
      });
      for (u32 k = 0; k < count; ++k) to[starts[keys[k] >> 24]++] = keys[k];
    });
  }
  lane.release(mark);
  return shortened(lane, head, count);
}

// Write the keys of a packed patch that lie in a grid of bytes, with its colours; returns how many there are.
// One more may be written behind them.
template <class Group>
HOST_DEVICE u32 keys_in_grid(const Group& group, const Patch& patch, const Grid& grid, u32* to) {
  const u32 *from = patch.keys(), height = u32(grid.height), width = u32(grid.width);
  const i8* colors = content<i8>(grid.head);
  const auto row = [&](u32 k) { return (from[k] >> 12 & 4095) - 2048; };
  const auto column = [&](u32 k) { return (from[k] & 4095) - 2048; };
  const auto is_inside = [&](u32 k) { return (row(k) < height) & (column(k) < width); };
  if constexpr (Group::SIZE == 1) {
    u32 place = 0;
    for (u32 k = 0; k < patch.count; ++k) {
      const u32 inside = is_inside(k);
      to[place] = with_color(from[k], colors[inside * (row(k) * width + column(k))]);
      place += inside;
    }
    return place;
  }
  return compact(group, patch.count, is_inside, [&](u32 place, u32 k) {
    to[place] = with_color(from[k], colors[row(k) * width + column(k)]);
  });
}

HOST_DEVICE Value op_toobject(auto& lane, const Patch& patch, const Grid& grid) {
  if (patch.packed && !grid.wide && grid.size() > 0) {
    Head* head = new_keys(lane, true, u64(patch.count) + 1);
    if (!head) return NO_VALUE;
    u32* keys = content<u32>(head);
    const u32 count = keys_in_grid(lane.group, patch, grid, keys);
    if (ascends_by_location(patch)) return sorted_by_color(lane, head, count);
    const u32 distinct = sort_keys(lane, keys, count);  // cells of one location become one
    return lane.failed() ? NO_VALUE : shortened(lane, head, distinct);
  }
  u32* places = lane.template array<u32>(patch.count);
  if (!places) return NO_VALUE;
  const u32 count = compact(
      lane.group, patch.count, [&](u32 k) { return grid.holds(patch.location(k).i, patch.location(k).j); },
      [&](u32 place, u32 k) { places[place] = k; });
  return make_patch(lane, true, count, [&](u32 k) {
    const Location at = patch.location(places[k]);
    return Cell{grid(at.i, at.j), at.i, at.j};
  });
}

HOST_DEVICE Value op_subgrid(auto& lane, const Patch& patch, const Grid& grid) {
  const Bounds box = bounds_of(lane.group, patch);
  return op_crop(lane, grid, Location{box.top, box.left}, Location{box.height(), box.width()});
}

}  // namespace arcbatt
