// Patches and geometry.
#pragma once

#include "../members.h"
#include "grids.h"
#include "numbers.h"

namespace arcbatt {

constexpr u32 FRONTIER = 30;
constexpr i64 REACH = 42;
constexpr u64 PAIRS_WORTH_A_RASTER = 1 << 9;
constexpr u64 PAIRS_WORTH_A_SWEEP = 1 << 16;

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

// A set that has been built in a longer head.
template <class Group>
HOST_DEVICE Value shortened(Lane<Group>& lane, Head* head, u32 count) {
  if (count == 0) return EMPTY_SET;
  once(lane.group, [&] {
    head->count = count;
    head->weight = 1 + (head->form == Form::cells ? 5 : 3) * count;
  });
  return heap_value(head);
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
template <class Group>
HOST_DEVICE Value make_rectangle(Lane<Group>& lane, const Bounds& box) {
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
template <class Group>
HOST_DEVICE Raster rasterized(Lane<Group>& lane, const Patch& patch, const Bounds& box) {
  const u64 area = area_of(box);
  const Raster raster{box, lane.template array<u8>(area)};
  u8* marks = raster.marks;
  if (!marks) return raster;
  each(lane.group, u32(area), [&](u32 place) { marks[place] = 0; });
  if (!patch.packed) {
    each(lane.group, patch.count, [&](u32 k) {
      if (holds(box, patch.location(k))) marks[raster.place(patch.location(k))] = 1;
    });
    return raster;
  }
  const u32* keys = patch.keys();
  const u32 top = u32(box.top + 2048), left = u32(box.left + 2048);
  const u32 height = u32(box.height()), width = u32(box.width());
  each(lane.group, patch.count, [&](u32 k) {
    const u32 i = (keys[k] >> 12 & 4095) - top, j = (keys[k] & 4095) - left;
    if (i < height && j < width) marks[i * width + j] = 1;
  });
  return raster;
}

// The keys of all locations marked so, ascending; their number is the answer.
template <class Group>
HOST_DEVICE u32 keys_marked(const Group& group, const Raster& raster, u8 wanted, i64 color, u32* keys) {
  const u32 width = u32(raster.box.width());
  const u8* marks = raster.marks;
  u32 kept = 0;
  for (i64 i = raster.box.top; i <= raster.box.bottom; ++i, marks += width) {
    const u32 first = key_of(Cell{color, i, raster.box.left});
    kept += compact(group, width, [&](u32 k) { return marks[k] == wanted; },
                    [&](u32 place, u32 k) { keys[kept + place] = first + k; });
  }
  return kept;
}

// The locations of a packed patch, each once: as locations, or as cells of a colour that fits a key.
template <class Group>
HOST_DEVICE Value in_one_color(Lane<Group>& lane, const Patch& patch, bool colored, i64 color) {
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

template <class Group>
HOST_DEVICE Value op_toindices(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  if (!patch.colored) return patch.value;
  if (patch.packed) return in_one_color(lane, patch, false, 0);
  return make_patch(lane, false, patch.count, [&](u32 k) { return patch.cell(k); });
}

template <class Group>
HOST_DEVICE Value op_ulcorner(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_TUPLE;
  const Bounds box = bounds_of(lane.group, patch);
  return make_pair(lane, box.top, box.left);
}
template <class Group>
HOST_DEVICE Value op_urcorner(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_TUPLE;
  const Bounds box = bounds_of(lane.group, patch);
  return make_pair(lane, box.top, box.right);
}
template <class Group>
HOST_DEVICE Value op_llcorner(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_TUPLE;
  const Bounds box = bounds_of(lane.group, patch);
  return make_pair(lane, box.bottom, box.left);
}
template <class Group>
HOST_DEVICE Value op_lrcorner(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_TUPLE;
  const Bounds box = bounds_of(lane.group, patch);
  return make_pair(lane, box.bottom, box.right);
}

template <class Group>
HOST_DEVICE Value op_uppermost(Lane<Group>& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).top);
}
template <class Group>
HOST_DEVICE Value op_lowermost(Lane<Group>& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).bottom);
}
template <class Group>
HOST_DEVICE Value op_leftmost(Lane<Group>& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).left);
}
template <class Group>
HOST_DEVICE Value op_rightmost(Lane<Group>& lane, const Patch& patch) {
  return integer_value(bounds_of(lane.group, patch).right);
}

template <class Group>
HOST_DEVICE Value op_center(Lane<Group>& lane, const Patch& patch) {
  return make_pair(lane, bounds_of(lane.group, patch).middle());
}

// A location of two cells is summed once and counted twice.
template <class Group>
HOST_DEVICE Value op_centerofmass(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_TUPLE;
  u8* mark = lane.top;
  const Patch spots = ascends_by_location(patch) ? patch : Patch(op_toindices(lane, patch));
  if (lane.failed()) return NO_VALUE;
  const i64 rows = sum_of(lane.group, spots.count, [&](u32 k) { return spots.location(k).i; });
  const i64 columns = sum_of(lane.group, spots.count, [&](u32 k) { return spots.location(k).j; });
  lane.release(mark);
  return make_pair(lane, floor_divided(rows, patch.count), floor_divided(columns, patch.count));
}

template <class Group>
HOST_DEVICE Value op_corners(Lane<Group>& lane, const Patch& patch) {
  const Bounds box = bounds_of(lane.group, patch);
  return make_locations(lane, 4, [&](u32 k) {
    return Location{k / 2 ? box.bottom : box.top, k % 2 ? box.right : box.left};
  });
}

// Moving all keys alike keeps their order, as long as none leaves the range of keys.
template <class Group>
HOST_DEVICE Value shifted(Lane<Group>& lane, const Patch& patch, i64 down, i64 right) {
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

template <class Group>
HOST_DEVICE Value op_shift(Lane<Group>& lane, const Patch& patch, Location directions) {
  return shifted(lane, patch, directions.i, directions.j);
}
template <class Group>
HOST_DEVICE Value op_normalize(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return patch.value;
  const Bounds box = bounds_of(lane.group, patch);
  return shifted(lane, patch, -box.top, -box.left);
}

template <class Group>
HOST_DEVICE Value op_recolor(Lane<Group>& lane, i64 color, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  if (patch.packed && fits_bits(color, 8)) return in_one_color(lane, patch, true, color);
  return make_patch(lane, true, patch.count, [&](u32 k) {
    const Location at = patch.location(k);
    return Cell{color, at.i, at.j};
  });
}

template <class Group>
HOST_DEVICE Value op_color(Lane<Group>&, const Patch& patch) { return integer_value(patch.cell(0).color); }

// Some of the 9 locations at and around one, counted in reading order.
template <class Group, class Which>
HOST_DEVICE Value around(Lane<Group>& lane, Location at, u32 count, Which which) {
  return make_locations(lane, count, [&](u32 k) {
    return Location{at.i + which(k) / 3 - 1, at.j + which(k) % 3 - 1};
  });
}
template <class Group>
HOST_DEVICE Value op_dneighbors(Lane<Group>& lane, Location at) {
  return around(lane, at, 4, [](u32 k) { return 2 * k + 1; });
}
template <class Group>
HOST_DEVICE Value op_ineighbors(Lane<Group>& lane, Location at) {
  return around(lane, at, 4, [](u32 k) { return 2 * k + 2 * (k > 1); });
}
template <class Group>
HOST_DEVICE Value op_neighbors(Lane<Group>& lane, Location at) {
  return around(lane, at, 8, [](u32 k) { return k + (k > 3); });
}

template <class Group>
HOST_DEVICE Value op_vline(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return boolean(false);
  const Bounds box = bounds_of(lane.group, patch);
  return boolean(box.width() == 1 && box.height() == patch.count);
}
template <class Group>
HOST_DEVICE Value op_hline(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return boolean(false);
  const Bounds box = bounds_of(lane.group, patch);
  return boolean(box.height() == 1 && box.width() == patch.count);
}

// Whether two patches have the same number line(location) somewhere; it lies in low..high if so.
template <class Group, class Line>
HOST_DEVICE bool share_line(Lane<Group>& lane, const Patch& a, const Patch& b, i64 low, i64 high, Line line) {
  if (low > high) return false;
  u8* mark = lane.top;
  bool shared = false;
  if (high - low < 256 + 8 * i64(a.count)) {
    u8* marks = lane.template array<u8>(high - low + 1);
    if (!marks) return false;
    each(lane.group, u32(high - low + 1), [&](u32 k) { marks[k] = 0; });
    each_location(lane.group, a, [&](Location at) {
      if (line(at) >= low && line(at) <= high) marks[line(at) - low] = 1;
    });
    each_location(lane.group, b, [&](Location at) {
      if (line(at) >= low && line(at) <= high) shared |= marks[line(at) - low] != 0;
    });
    shared = lane.group.any(shared);
  } else {
    u32* lines = lane.template array<u32>(a.count);
    if (!lines) return false;
    each(lane.group, a.count, [&](u32 k) { lines[k] = u32(line(a.location(k))) ^ SIGN; });
    const u32 count = sort_keys(lane, lines, a.count);
    shared = any_of(lane.group, b.count, [&](u32 k) {
      return found_in(lines, count, u32(line(b.location(k))) ^ SIGN);
    });
  }
  lane.release(mark);
  return shared;
}

template <class Group>
HOST_DEVICE bool share_column(Lane<Group>& lane, const Patch& a, const Patch& b, const Bounds& box) {
  return share_line(lane, a, b, box.left, box.right, [](Location at) { return at.j; });
}

template <class Group>
HOST_DEVICE Value op_hmatching(Lane<Group>& lane, const Patch& a, const Patch& b) {
  if (a.empty() || b.empty()) return boolean(false);
  const Bounds box = common(bounds_of(lane.group, a), bounds_of(lane.group, b));
  return boolean(share_line(lane, a, b, box.top, box.bottom, [](Location at) { return at.i; }));
}
template <class Group>
HOST_DEVICE Value op_vmatching(Lane<Group>& lane, const Patch& a, const Patch& b) {
  if (a.empty() || b.empty()) return boolean(false);
  return boolean(share_column(lane, a, b, common(bounds_of(lane.group, a), bounds_of(lane.group, b))));
}

// The place of a number in an ascending array.
HOST_DEVICE inline u32 place_in(const u32* ascending, u32 count, u32 wanted) {
  u32 low = 0, high = count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (ascending[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The smallest distance: of every pair.
template <class Group>
HOST_DEVICE i64 nearest_of_pairs(Lane<Group>& lane, const Patch& a, const Patch& b) {
  if (!a.packed || !b.packed) {
    return min_of(lane.group, a.count, 4 * HIGHEST, [&](u32 k) {
      const Location from = a.location(k);
      i64 nearest = 4 * HIGHEST;
      for (u32 m = 0; m < b.count; ++m) {
        const Location to = b.location(m);
        nearest = least(nearest, magnitude(from.i - to.i) + magnitude(from.j - to.j));
      }
      return nearest;
    });
  }
  u8* mark = lane.top;
  i16* rows = lane.template array<i16>(b.count);
  i16* columns = lane.template array<i16>(b.count);
  if (!rows || !columns) return 0;
  const u32 *from = a.keys(), *to = b.keys();
  each(lane.group, b.count, [&](u32 k) {
    rows[k] = to[k] >> 12 & 4095;
    columns[k] = to[k] & 4095;
  });
  const i64 nearest = min_of(lane.group, a.count, HIGHEST, [&](u32 k) {
    const i16 row = from[k] >> 12 & 4095, column = from[k] & 4095;
    i16 best = 8192;
    for (u32 m = 0; m < b.count; ++m) {
      const i16 down = row - rows[m], up = -down, right = column - columns[m], left = -right;
      const i16 distance = (down > up ? down : up) + (right > left ? right : left);
      best = distance < best ? distance : best;
    }
    return best;
  });
  lane.group.sync();
  lane.release(mark);
  return nearest;
}

// The same for many: going down and up through all locations, `farthest` tells for each column how far the
// locations of a so far reach towards those of b not left of it, or not right of it (a Fenwick tree).
template <class Group>
HOST_DEVICE i64 nearest_by_sweep(Lane<Group>& lane, const Patch& a, const Patch& b) {
  constexpr i64 never = -(i64(1) << 40);
  const u32 count = a.count + b.count;
  Location* spots = lane.template array<Location>(count);
  u32* columns = lane.template array<u32>(count);
  u32* slots = lane.template array<u32>(count);
  u32* order = lane.template array<u32>(count);
  i64* farthest = lane.template array<i64>(count + 1);
  i64* best = lane.template array<i64>(1);
  if (lane.failed()) return 0;
  each(lane.group, count, [&](u32 k) {
    spots[k] = k < a.count ? a.location(k) : b.location(k - a.count);
    columns[k] = u32(spots[k].j) ^ SIGN;
    order[k] = k;
  });
  const u32 width = sort_keys(lane, columns, count);
  const auto precedes = [&](u32 k, u32 m) {
    return spots[k].i != spots[m].i ? spots[k].i < spots[m].i : spots[k].j < spots[m].j;
  };
  if (!sort_positions(lane, order, count, precedes)) return 0;
  each(lane.group, count, [&](u32 k) { slots[k] = place_in(columns, width, u32(spots[k].j) ^ SIGN); });
  once(lane.group, [&] {
    *best = -never;
    for (u32 pass = 0; pass < 4; ++pass) {
      const bool upward = pass & 1, leftward = pass & 2;
      for (u32 slot = 0; slot <= width; ++slot) farthest[slot] = never;
      for (u32 k = 0; k < count; ++k) {
        const u32 at = order[upward ? count - 1 - k : k];
        const i64 reach = (upward ? -spots[at].i : spots[at].i) + (leftward ? -spots[at].j : spots[at].j);
        u32 slot = leftward ? width - slots[at] : slots[at] + 1;
        if (at < a.count) {
          for (; slot <= width; slot += slot & -slot) farthest[slot] = most(farthest[slot], reach);
        } else {
          for (; slot; slot &= slot - 1) *best = least(*best, reach - farthest[slot]);
        }
      }
    }
  });
  return *best;
}

template <class Group>
HOST_DEVICE Value op_manhattan(Lane<Group>& lane, const Patch& a, const Patch& b) {
  u8* mark = lane.top;
  const bool few = u64(a.count) * b.count <= PAIRS_WORTH_A_SWEEP;
  const i64 nearest = few ? nearest_of_pairs(lane, a, b) : nearest_by_sweep(lane, a, b);
  lane.group.sync();
  lane.release(mark);
  return lane.failed() ? NO_VALUE : make_integer(lane, nearest);
}

// Whether a Set of locations has this one.
HOST_DEVICE inline bool has_location(const Patch& set, Location at) {
  if (set.packed) return fits_key(Cell{0, at.i, at.j}) && found_in(set.keys(), set.count, key_of(at));
  u32 low = 0, high = set.count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const Location here = set.location(middle);
    if (here == at) return true;
    if (here.i < at.i || (here.i == at.i && here.j < at.j)) low = middle + 1;
    else high = middle;
  }
  return false;
}

// Whether two patches are one step apart: only locations of a in `near` can touch b.
template <class Group>
HOST_DEVICE bool are_adjacent(Lane<Group>& lane, const Patch& a, const Patch& b) {
  const Bounds near = common(bounds_of(lane.group, a), grown(bounds_of(lane.group, b), 1));
  if (is_empty(near)) return false;
  if (u64(a.count) * b.count <= PAIRS_WORTH_A_RASTER) return nearest_of_pairs(lane, a, b) == 1;
  bool overlaps = false, touches = false;
  if (worth_a_raster(grown(near, 1), a.count + u64(b.count))) {
    const Raster raster = rasterized(lane, b, grown(near, 1));
    if (!raster.marks) return false;
    const i64 row = raster.box.width();
    each_location(lane.group, a, [&](Location at) {
      if (!holds(near, at)) return;
      const u8* mark = raster.marks + raster.place(at);
      overlaps |= mark[0];
      touches |= mark[-row] | mark[-1] | mark[1] | mark[row];
    });
  } else {
    const Patch spots(as_set(lane, op_toindices(lane, b)));
    if (lane.failed()) return false;
    each_location(lane.group, a, [&](Location at) {
      if (!holds(near, at)) return;
      overlaps |= has_location(spots, at);
      touches |= has_location(spots, {at.i - 1, at.j}) || has_location(spots, {at.i, at.j - 1}) ||
                 has_location(spots, {at.i, at.j + 1}) || has_location(spots, {at.i + 1, at.j});
    });
  }
  return lane.group.any(touches) && !lane.group.any(overlaps);
}

template <class Group>
HOST_DEVICE Value op_adjacent(Lane<Group>& lane, const Patch& a, const Patch& b) {
  u8* mark = lane.top;
  const bool adjacent = are_adjacent(lane, a, b);
  lane.release(mark);
  return boolean(adjacent);
}

template <class Group>
HOST_DEVICE Value op_bordering(Lane<Group>& lane, const Patch& patch, const Grid& grid) {
  const Bounds box = bounds_of(lane.group, patch);
  const bool starts = box.top == 0 || box.left == 0;
  return boolean(starts || box.bottom + 1 == grid.height || box.right + 1 == grid.width);
}

template <class Group>
HOST_DEVICE Value op_position(Lane<Group>& lane, const Patch& a, const Patch& b) {
  const Location from = bounds_of(lane.group, a).middle(), to = bounds_of(lane.group, b).middle();
  const i64 down = sign_of(to.i - from.i), right = sign_of(to.j - from.j);
  return make_pair(lane, down, down == 0 && right == 0 ? -1 : right);
}

template <class Group>
HOST_DEVICE Value op_connect(Lane<Group>& lane, Location a, Location b) {
  const i64 down = b.i - a.i, right = b.j - a.j;
  if (down && right && magnitude(down) != magnitude(right)) return EMPTY_SET;
  const u64 count = u64(most(magnitude(down), magnitude(right))) + 1;
  if (!lane.admits(1 + 3 * count, 2)) return NO_VALUE;
  const Location first = down < 0 || (down == 0 && right < 0) ? b : a;
  const i64 di = down != 0, dj = down < 0 ? -sign_of(right) : down > 0 ? sign_of(right) : right != 0;
  const Bounds box{least(a.i, b.i), least(a.j, b.j), most(a.i, b.i), most(a.j, b.j)};
  const auto location = [&](u32 k) { return Location{first.i + k * di, first.j + k * dj}; };
  return make_ascending(lane, box, count, location);
}
template <class Group>
HOST_DEVICE Value op_shoot(Lane<Group>& lane, Location start, Location direction) {
  const Location end{start.i + REACH * direction.i, start.j + REACH * direction.j};
  if (!fits(end.i) || !fits(end.j)) return lane.fail(Status::RANGE);
  return op_connect(lane, start, end);
}

template <class Group>
HOST_DEVICE Value op_vfrontier(Lane<Group>& lane, Location at) {
  const Bounds box{0, at.j, FRONTIER - 1, at.j};
  return make_ascending(lane, box, FRONTIER, [&](u32 k) { return Location{k, at.j}; });
}
template <class Group>
HOST_DEVICE Value op_hfrontier(Lane<Group>& lane, Location at) {
  const Bounds box{at.i, 0, at.i, FRONTIER - 1};
  return make_ascending(lane, box, FRONTIER, [&](u32 k) { return Location{at.i, k}; });
}

template <class Group>
HOST_DEVICE Value op_backdrop(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  const Bounds box = bounds_of(lane.group, patch);
  return lane.admits(1 + 3 * area_of(box), 2) ? make_rectangle(lane, box) : NO_VALUE;
}

template <class Group>
HOST_DEVICE Value op_delta(Lane<Group>& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  const Bounds box = bounds_of(lane.group, patch);
  const u64 area = area_of(box);
  if (!lane.admits(1 + 3 * area, 2)) return NO_VALUE;
  const bool packed = fits_keys(box);
  Head* head = packed ? new_keys(lane, false, area) : nullptr;
  u32* places = packed ? nullptr : lane.template array<u32>(area);
  u8* mark = lane.top;
  const Raster raster = rasterized(lane, patch, box);
  if (lane.failed()) return NO_VALUE;
  if (packed) {
    const u32 count = keys_marked(lane.group, raster, 0, 0, content<u32>(head));
    lane.release(mark);
    return shortened(lane, head, count);
  }
  const u32 width = u32(box.width());
  const u32 count = compact(lane.group, u32(area), [&](u32 k) { return !raster.marks[k]; },
                            [&](u32 place, u32 k) { places[place] = k; });
  lane.release(mark);
  return make_locations(lane, count, [&](u32 k) {
    return Location{box.top + places[k] / width, box.left + places[k] % width};
  });
}

// The outline of a box: its top row, the ends of the rows between, its bottom row.
template <class Group>
HOST_DEVICE Value make_outline(Lane<Group>& lane, const Bounds& box) {
  if (!fits(box)) return lane.fail(Status::RANGE);
  const u64 rows = u64(box.height()), columns = u64(box.width());
  const u64 count = rows > 1 && columns > 1 ? 2 * (rows + columns) - 4 : rows * columns;
  if (!lane.admits(1 + 3 * count, 2)) return NO_VALUE;
  const u32 width = u32(columns), below = u32(count) - width, two = width > 1;
  return make_ascending(lane, box, count, [&](u32 k) {
    if (k < width) return Location{box.top, box.left + k};
    if (k >= below) return Location{box.bottom, box.left + (k - below)};
    const u32 between = k - width;
    return Location{box.top + 1 + (between >> two), between & two ? box.right : box.left};
  });
}

template <class Group>
HOST_DEVICE Value op_box(Lane<Group>& lane, const Patch& patch) {
  return patch.empty() ? patch.value : make_outline(lane, bounds_of(lane.group, patch));
}
template <class Group>
HOST_DEVICE Value op_inbox(Lane<Group>& lane, const Patch& patch) {
  const Bounds in = grown(bounds_of(lane.group, patch), -1);
  return make_outline(lane, {least(in.top, in.bottom), least(in.left, in.right), most(in.top, in.bottom),
                             most(in.left, in.right)});
}
template <class Group>
HOST_DEVICE Value op_outbox(Lane<Group>& lane, const Patch& patch) {
  return make_outline(lane, grown(bounds_of(lane.group, patch), 1));
}

// Sort keys that ascend by location into a head, by colour: they are counted, then placed.
template <class Group>
HOST_DEVICE Value sorted_by_color(Lane<Group>& lane, Head* head, const u32* keys, u32 count) {
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

template <class Group>
HOST_DEVICE Value op_toobject(Lane<Group>& lane, const Patch& patch, const Grid& grid) {
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
  const u32 count = compact(lane.group, patch.count,
                            [&](u32 k) { return grid.holds(patch.location(k).i, patch.location(k).j); },
                            [&](u32 place, u32 k) { places[place] = k; });
  return make_patch(lane, true, count, [&](u32 k) {
    const Location at = patch.location(places[k]);
    return Cell{grid(at.i, at.j), at.i, at.j};
  });
}

template <class Group>
HOST_DEVICE Value op_subgrid(Lane<Group>& lane, const Patch& patch, const Grid& grid) {
  const Bounds box = bounds_of(lane.group, patch);
  return op_crop(lane, grid, Location{box.top, box.left}, Location{box.height(), box.width()});
}

}  // namespace arcbatt
