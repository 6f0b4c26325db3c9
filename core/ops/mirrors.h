// Mirrors and turns of grids and patches.
#pragma once

#include "colors.h"
#include "grids.h"

namespace arcbatt {

HOST_DEVICE Value op_rot90(auto& lane, Grid grid) {
  return walked(lane, grid, grid.width, grid.height, {(grid.height - 1) * grid.width, 1, -grid.width});
}
HOST_DEVICE Value op_rot180(auto& lane, Grid grid) {
  return walked(lane, grid, grid.height, grid.width, {grid.height * grid.width - 1, -grid.width, -1});
}
HOST_DEVICE Value op_rot270(auto& lane, Grid grid) {
  return walked(lane, grid, grid.width, grid.height, {grid.width - 1, -1, grid.width});
}

// A patch with its elements moved to place(box, i, j) within its bounding box.
template <class Group, class Place>
HOST_DEVICE Value mirrored(Lane<Group>& lane, const Patch& patch, Place place) {
  if (patch.empty()) return lane.fail(Status::EMPTY);
  const Bounds box = bounds_of(lane.group, patch);
  return make_patch(lane, patch.colored, patch.count, [&](u32 k) {
    const Cell c = patch.cell(k);
    const Location at = place(box, c.i, c.j);
    return Cell{c.color, at.i, at.j};
  });
}

// The keys of a packed patch upside down: within each colour the rows change their order.
HOST_DEVICE Value keys_upside_down(auto& lane, const Patch& patch) {
  Head* head = new_keys(lane, patch.colored, patch.count);
  if (!head) return NO_VALUE;
  const Bounds box = bounds_of(lane.group, patch);
  const u32 both = u32(box.top + box.bottom + 2 * 2048);
  const u32* all = patch.keys();
  each_run(
      patch.count, [=](u32 k) { return i64(all[k] >> 24); },
      [&](i64 color, u32 first, u32 end) {
        const u32* keys = all + first;
        each_run(
            end - first, [=](u32 k) { return i64(keys[k] >> 12); },
            [&](i64 row, u32 begin, u32 stop) {
              const u32 turned = u32(color) << 24 | (both - (u32(row) & 4095)) << 12;
              u32* to = content<u32>(head) + end - stop;
              each(lane.group, stop - begin, [=](u32 k) { to[k] = turned | (keys[begin + k] & 4095); });
            });
      });
  return heap_value(head);
}

// The keys of a packed patch with left and right exchanged: each row turns round.
HOST_DEVICE Value keys_turned_round(auto& lane, const Patch& patch) {
  Head* head = new_keys(lane, patch.colored, patch.count);
  if (!head) return NO_VALUE;
  const Bounds box = bounds_of(lane.group, patch);
  const u32 *keys = patch.keys(), both = u32(box.left + box.right + 2 * 2048);
  u32* to = content<u32>(head);
  each_run(
      patch.count, [=](u32 k) { return i64(keys[k] >> 12); },
      [&](i64 row, u32 begin, u32 stop) {
        each(lane.group, stop - begin,
             [=](u32 k) { to[stop - 1 - k] = u32(row) << 12 | (both - (keys[begin + k] & 4095)); });
      });
  return heap_value(head);
}

CALLED Value op_hmirror(auto& lane, Value piece) {
  if (is_set(piece)) {
    const Patch patch(piece);
    if (patch.packed) return keys_upside_down(lane, patch);
    return mirrored(lane, patch,
                    [](const Bounds& b, i64 i, i64 j) { return Location{b.top + b.bottom - i, j}; });
  }
  const Grid grid(piece);
  return walked(lane, grid, grid.height, grid.width, {(grid.height - 1) * grid.width, -grid.width, 1});
}
CALLED Value op_vmirror(auto& lane, Value piece) {
  if (is_set(piece)) {
    const Patch patch(piece);
    if (patch.packed) return keys_turned_round(lane, patch);
    return mirrored(lane, patch,
                    [](const Bounds& b, i64 i, i64 j) { return Location{i, b.left + b.right - j}; });
  }
  const Grid grid(piece);
  return walked(lane, grid, grid.height, grid.width, {grid.width - 1, grid.width, -1});
}
CALLED Value op_dmirror(auto& lane, Value piece) {
  if (is_set(piece)) {
    return mirrored(lane, Patch(piece), [](const Bounds& b, i64 i, i64 j) {
      return Location{j - b.left + b.top, i - b.top + b.left};
    });
  }
  const Grid grid(piece);
  return walked(lane, grid, grid.width, grid.height, {0, 1, grid.width});
}
CALLED Value op_cmirror(auto& lane, Value piece) {
  if (is_set(piece)) {
    return mirrored(lane, Patch(piece), [](const Bounds& b, i64 i, i64 j) {
      return Location{b.top + b.right - j, b.left + b.bottom - i};
    });
  }
  const Grid grid(piece);
  return walked(lane, grid, grid.width, grid.height, {grid.height * grid.width - 1, -1, -grid.width});
}

}  // namespace arcbatt
