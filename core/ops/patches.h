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
  if (!ascends && patch.count > 32) {
    const Bounds box = bounds_of(lane.group, patch);
    if (worth_a_raster(box, patch.count)) {
      u8* mark = lane.top;
      const Raster raster = rasterized(lane, patch, box);
      if (!raster.marks) return NO_VALUE;
      const u32 count = keys_marked(lane.group, raster, 1, color, keys);
      lane.release(mark);
      return shortened(lane, head, count);
    }
  }
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
  return make_locations(
      lane, 4, [&](u32 k) { return Location{k / 2 ? box.bottom : box.top, k % 2 ? box.right : box.left}; });
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

// Sort keys that ascend by location into a head, by colour: they are counted, then placed.
HOST_DEVICE Value sorted_by_color(auto& lane, Head* head, const u32* keys, u32 count) {
  const u32 low = u32(min_of(lane.group, count, 255, [&](u32 k) { return keys[k] >> 24; }));
  const u32 high = u32(max_of(lane.group, count, 0, [&](u32 k) { return keys[k] >> 24; }));
  u8* mark = lane.top;
  u32* starts = lane.template array<u32>(high - low + 2);
  if (!starts) return NO_VALUE;
  u32* to = content<u32>(head);
  each(lane.group, high - low + 2, [&](u32 color) { starts[color] = 0; });
  once(lane.group, [&] {
    for (u32 k = 0; k < count; ++k) ++starts[(keys[k] >> 24) - low + 1];
    for (u32 color = 1; color <= high - low; ++color) starts[color] += starts[color - 1];
    for (u32 k = 0; k < count; ++k) to[starts[(keys[k] >> 24) - low]++] = keys[k];
  });
  lane.release(mark);
  return shortened(lane, head, count);
}

HOST_DEVICE Value op_toobject(auto& lane, const Patch& patch, const Grid& grid) {
  const u32 height = u32(grid.height), width = u32(grid.width);
  if (patch.packed && !grid.wide) {
    Head* head = new_keys(lane, true, patch.count);
    u8* mark = lane.top;
    u32* keys = lane.template array<u32>(patch.count);
    if (!head || !keys) return NO_VALUE;
    const u32* from = patch.keys();
    const i8* colors = content<i8>(grid.head);
    const auto row = [&](u32 k) { return (from[k] >> 12 & 4095) - 2048; };
    const auto column = [&](u32 k) { return (from[k] & 4095) - 2048; };
    const u32 count = compact(
        lane.group, patch.count, [&](u32 k) { return row(k) < height && column(k) < width; },
        [&](u32 place, u32 k) { keys[place] = with_color(from[k], colors[row(k) * width + column(k)]); });
    const bool distinct = ascends_by_location(patch);
    const u32 left = distinct ? count : sort_keys(lane, keys, count);
    if (lane.failed()) return NO_VALUE;
    if (left == 0) return EMPTY_SET;
    const Value made = sorted_by_color(lane, head, keys, left);
    lane.release(mark);
    return made;
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
