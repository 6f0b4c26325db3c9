// Relations of patches: rows and columns in common, distance, touching, position.
#pragma once

#include "numbers.h"
#include "patches.h"
#include "values/membership.h"

namespace arcbatt {

constexpr u64 PAIRS_WORTH_A_RASTER = 1 << 9;
constexpr u64 PAIRS_WORTH_A_SWEEP = 1 << 16;

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
      if (line(at) >= low && line(at) <= high) set_alike(marks + (line(at) - low), 1);
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
    shared = any_of(lane.group, b.count,
                    [&](u32 k) { return found_in(lines, count, u32(line(b.location(k))) ^ SIGN); });
  }
  lane.release(mark);
  return shared;
}

CALLED bool share_column(auto& lane, const Patch& a, const Patch& b, const Bounds& box) {
  return share_line(lane, a, b, box.left, box.right, [](Location at) { return at.j; });
}

// The rows or columns of packed patches as bits, if they all lie in one block of 64: for one thread, which
// needs no box to begin with.
struct LineBits {
  u64 lines[2] = {0, 0};
  bool fit = true;

  HOST_DEVICE LineBits(const Patch& a, const Patch& b, int field) {
    u32 differing = 0;
    for (u32 side = 0; side < 2; ++side) {
      const u32 *keys = (side ? b : a).keys(), count = (side ? b : a).count;
      u64 bits = 0;
      for (u32 k = 0; k < count; ++k) {
        differing |= keys[k] ^ a.keys()[0];
        bits |= u64(1) << (keys[k] >> field) % 64;
      }
      lines[side] = bits;
    }
    fit = (differing >> field & 4095) < 64;
  }
  HOST_DEVICE bool meet() const { return (lines[0] & lines[1]) != 0; }
};

HOST_DEVICE Value op_hmatching(auto& lane, const Patch& a, const Patch& b) {
  if (a.empty() || b.empty()) return boolean(false);
  if (decltype(lane.group)::SIZE == 1 && a.packed && b.packed) {
    const LineBits rows(a, b, 12);
    if (rows.fit) return boolean(rows.meet());
  }
  const Bounds box = common(bounds_of(lane.group, a), bounds_of(lane.group, b));
  return boolean(share_line(lane, a, b, box.top, box.bottom, [](Location at) { return at.i; }));
}
HOST_DEVICE Value op_vmatching(auto& lane, const Patch& a, const Patch& b) {
  if (a.empty() || b.empty()) return boolean(false);
  if (decltype(lane.group)::SIZE == 1 && a.packed && b.packed) {
    const LineBits columns(a, b, 0);
    if (columns.fit) return boolean(columns.meet());
  }
  return boolean(share_column(lane, a, b, common(bounds_of(lane.group, a), bounds_of(lane.group, b))));
}

// The smallest distance: of every pair.
CALLED i64 nearest_of_pairs(auto& lane, const Patch& a, const Patch& b) {
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
  lane.release(mark);
  return nearest;
}

// The same for many: going down and up through all locations, `farthest` tells for each column how far the
// locations of a so far reach towards those of b not left of it, or not right of it (a Fenwick tree).
CALLED i64 nearest_by_sweep(auto& lane, const Patch& a, const Patch& b) {
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

HOST_DEVICE Value op_manhattan(auto& lane, const Patch& a, const Patch& b) {
  u8* mark = lane.top;
  const bool few = u64(a.count) * b.count <= PAIRS_WORTH_A_SWEEP;
  const i64 nearest = few ? nearest_of_pairs(lane, a, b) : nearest_by_sweep(lane, a, b);
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
HOST_DEVICE bool are_adjacent(auto& lane, const Patch& a, const Patch& b) {
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

HOST_DEVICE Value op_adjacent(auto& lane, const Patch& a, const Patch& b) {
  u8* mark = lane.top;
  const bool adjacent = are_adjacent(lane, a, b);
  lane.release(mark);
  return boolean(adjacent);
}

HOST_DEVICE Value op_bordering(auto& lane, const Patch& patch, const Grid& grid) {
  const Bounds box = bounds_of(lane.group, patch);
  const bool starts = box.top == 0 || box.left == 0;
  return boolean(starts || box.bottom + 1 == grid.height || box.right + 1 == grid.width);
}

HOST_DEVICE Value op_position(auto& lane, const Patch& a, const Patch& b) {
  const Location from = bounds_of(lane.group, a).middle(), to = bounds_of(lane.group, b).middle();
  const i64 down = sign_of(to.i - from.i), right = sign_of(to.j - from.j);
  return make_pair(lane, down, down == 0 && right == 0 ? -1 : right);
}

}  // namespace arcbatt
