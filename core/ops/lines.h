// Lines and boxes: locations around one or between two, frontiers, and the box of a patch.
#pragma once

#include "numbers.h"
#include "patches.h"

namespace arcbatt {

// Some of the 9 locations at and around one, counted in reading order.
template <class Group, class Which>
HOST_DEVICE Value around(Lane<Group>& lane, Location at, u32 count, Which which) {
  const Bounds box{at.i - 1, at.j - 1, at.i + 1, at.j + 1};
  return make_ascending(lane, box, count,
                        [&](u32 k) { return Location{at.i + which(k) / 3 - 1, at.j + which(k) % 3 - 1}; });
}
HOST_DEVICE Value op_dneighbors(auto& lane, Location at) {
  return around(lane, at, 4, [](u32 k) { return 2 * k + 1; });
}
HOST_DEVICE Value op_ineighbors(auto& lane, Location at) {
  return around(lane, at, 4, [](u32 k) { return 2 * k + 2 * (k > 1); });
}
HOST_DEVICE Value op_neighbors(auto& lane, Location at) {
  return around(lane, at, 8, [](u32 k) { return k + (k > 3); });
}

CALLED Value op_connect(auto& lane, Location a, Location b) {
  const i64 down = b.i - a.i, right = b.j - a.j;
  if (down && right && magnitude(down) != magnitude(right)) return EMPTY_SET;
  const u64 count = u64(most(magnitude(down), magnitude(right))) + 1;
  if (!lane.admits(patch_weight(false, count), 2)) return NO_VALUE;
  const Location first = down < 0 || (down == 0 && right < 0) ? b : a;
  const i64 di = down != 0, dj = down < 0 ? -sign_of(right) : down > 0 ? sign_of(right) : right != 0;
  return make_ray(lane, first, {di, dj}, count);
}
HOST_DEVICE Value op_shoot(auto& lane, Location start, Location direction) {
  const Location end{start.i + REACH * direction.i, start.j + REACH * direction.j};
  if (!fits(end.i) || !fits(end.j)) return lane.fail(Status::RANGE);
  return op_connect(lane, start, end);
}

HOST_DEVICE Value op_vfrontier(auto& lane, Location at) {
  return make_ray(lane, {0, at.j}, {1, 0}, FRONTIER);
}
HOST_DEVICE Value op_hfrontier(auto& lane, Location at) {
  return make_ray(lane, {at.i, 0}, {0, 1}, FRONTIER);
}

HOST_DEVICE Value op_backdrop(auto& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  const Bounds box = bounds_of(lane.group, patch);
  return lane.admits(patch_weight(false, area_of(box)), 2) ? make_rectangle(lane, box) : NO_VALUE;
}

HOST_DEVICE Value op_delta(auto& lane, const Patch& patch) {
  if (patch.empty()) return EMPTY_SET;
  const Bounds box = bounds_of(lane.group, patch);
  const u64 area = area_of(box);
  if (!lane.admits(patch_weight(false, area), 2)) return NO_VALUE;
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
  const u32 count = compact(
      lane.group, u32(area), [&](u32 k) { return !raster.marks[k]; },
      [&](u32 place, u32 k) { places[place] = k; });
  lane.release(mark);
  return make_locations(lane, count, [&](u32 k) {
    return Location{box.top + places[k] / width, box.left + places[k] % width};
  });
}

// The outline of a box: its top row, the ends of the rows between, its bottom row.
CALLED Value make_outline(auto& lane, const Bounds& box) {
  if (!fits(box)) return lane.fail(Status::RANGE);
  const u64 rows = u64(box.height()), columns = u64(box.width());
  const u64 count = rows > 1 && columns > 1 ? 2 * (rows + columns) - 4 : rows * columns;
  if (!lane.admits(patch_weight(false, count), 2)) return NO_VALUE;
  const u32 width = u32(columns), below = u32(count) - width, two = width > 1;
  if (fits_keys(box)) {
    Head* head = new_keys(lane, false, count);
    if (!head) return NO_VALUE;
    u32* keys = content<u32>(head);
    const u32 first = key_of(Location{box.top, box.left}), last = key_of(Location{box.bottom, box.left});
    each(lane.group, width, [&](u32 k) {
      keys[k] = first + k;
      keys[below + k] = last + k;
    });
    keys += width;
    for (u32 row = 1; row + 1 < rows; ++row, keys += 1 + two) {
      once(lane.group, [&] {
        keys[0] = first + (row << 12);
        keys[two] = first + (row << 12) + width - 1;
      });
    }
    return heap_value(head);
  }
  return make_ascending(lane, box, count, [&](u32 k) {
    if (k < width) return Location{box.top, box.left + k};
    if (k >= below) return Location{box.bottom, box.left + (k - below)};
    const u32 between = k - width;
    return Location{box.top + 1 + (between >> two), between & two ? box.right : box.left};
  });
}

HOST_DEVICE Value op_box(auto& lane, const Patch& patch) {
  return patch.empty() ? patch.value : make_outline(lane, bounds_of(lane.group, patch));
}
HOST_DEVICE Value op_inbox(auto& lane, const Patch& patch) {
  const Bounds in = grown(bounds_of(lane.group, patch), -1);
  return make_outline(lane, {least(in.top, in.bottom), least(in.left, in.right), most(in.top, in.bottom),
                             most(in.left, in.right)});
}
HOST_DEVICE Value op_outbox(auto& lane, const Patch& patch) {
  return make_outline(lane, grown(bounds_of(lane.group, patch), 1));
}

}  // namespace arcbatt
