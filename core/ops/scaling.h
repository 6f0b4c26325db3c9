// Composition and scaling: grids enlarged, reduced, joined and split.
#pragma once

#include "grids.h"

namespace arcbatt {

// Every cell of a grid as a block of so many rows and columns.
CALLED Value enlarged(auto& lane, const Grid& grid, i64 down, i64 right) {
  const i64 height = grid.height * most(0, down), width = grid.width * most(0, right);
  if (!admits_grid(lane, height, width)) return NO_VALUE;
  if (height == 0) return EMPTY_TUPLE;
  if (grid.wide) {
    return make_grid_by_cell(lane, height, width, [&](i64 i, i64 j) { return grid(i / down, j / right); });
  }
  Head* head = new_bytes_grid(lane, height, width);
  if (!head) return NO_VALUE;
  if (width == 0) return heap_value(head);  // then nothing bounds `right`
  const i8* from = content<i8>(grid.head);
  i8* to = content<i8>(head);
  if (lane.group.size() > 1) {
    each_cell(lane.group, height, width,
              [=](i64 i, i64 j) { to[i * width + j] = from[i / down * grid.width + j / right]; });
    return heap_value(head);
  }
  // First the upper row of every block, then the others from it.
  const RowWriter writer{end_of(head), end_of(grid.head)};
  const i64 step = down * width;
  for (i64 i = 0; i < grid.height; ++i) {
    const i8* cells = from + i * grid.width;
    if (right == 1) writer.copy(to + i * step, cells, width);
    else writer.stretch(to + i * step, cells, grid.width, right);
  }
  for (i64 i = 0; i < grid.height; ++i, to += step) {
    for (i64 below = 1; below < down; ++below) copy_bytes(lane.group, to + below * width, to, u64(width));
  }
  return heap_value(head);
}

HOST_DEVICE Value op_hupscale(auto& lane, Grid grid, i64 factor) { return enlarged(lane, grid, 1, factor); }
HOST_DEVICE Value op_vupscale(auto& lane, Grid grid, i64 factor) { return enlarged(lane, grid, factor, 1); }

// A cell of an object that is enlarged from the upper left corner of its box: the first of its block.
HOST_DEVICE inline Cell enlarged(Cell c, const Bounds& box, i64 factor) {
  return {c.color, box.top + (c.i - box.top) * factor, box.left + (c.j - box.left) * factor};
}

// The keys of an enlarged object, ascending: the cells of a row stay together in each of the rows it becomes.
HOST_DEVICE Value enlarged_keys(auto& lane, const Patch& object, const Bounds& box, u32 factor) {
  Head* head = new_keys(lane, true, u64(object.count) * factor * factor);
  if (!head) return NO_VALUE;
  const u32 *keys = object.keys(), count = object.count;
  u32* to = content<u32>(head);
  for (u32 first = 0, end = 0; first < count; first = end) {
    while (end < count && keys[end] >> 12 == keys[first] >> 12) ++end;
    const u32 run = (end - first) * factor;
    each(lane.group, end - first, [&](u32 k) {
      const u32 corner = key_of(enlarged(cell_of(keys[first + k]), box, factor));
      for (u32 below = 0; below < factor; ++below) {
        u32* row = to + below * run + k * factor;
        for (u32 beside = 0; beside < factor; ++beside) row[beside] = corner + (below << 12) + beside;
      }
    });
    to += run * factor;
  }
  return heap_value(head);
}

CALLED Value enlarged(auto& lane, const Patch& object, i64 factor) {
  if (object.empty() || factor <= 0) return EMPTY_SET;
  const Bounds box = bounds_of(lane.group, object);
  const Location far{box.top + box.height() * factor - 1, box.left + box.width() * factor - 1};
  if (!fits(far.i) || !fits(far.j)) return lane.fail(Status::RANGE);
  const u64 edge = u64(least(factor, 1 << 16));  // beyond that a cell alone is too heavy for any limit
  if (!lane.admits(patch_weight(true, edge * edge * object.count), 3)) return NO_VALUE;
  if (object.packed && fits_key(Cell{0, far.i, far.j})) return enlarged_keys(lane, object, box, u32(factor));
  return make_patch(lane, true, u64(object.count) * edge * edge, [&](u32 k) {
    const Cell corner = enlarged(object.cell(k / u32(edge * edge)), box, factor);
    return Cell{corner.color, corner.i + k / u32(edge) % u32(edge), corner.j + k % u32(edge)};
  });
}

HOST_DEVICE Value op_upscale(auto& lane, Value element, i64 factor) {
  if (is_set(element)) return enlarged(lane, Patch(element), factor);
  return enlarged(lane, Grid(element), factor, factor);
}

HOST_DEVICE Value op_downscale(auto& lane, Grid grid, i64 factor) {
  const i64 step = magnitude(factor);
  const auto steps = [=](i64 length) { return (length - 1) / step + 1; };
  return walked(lane, grid, steps(grid.height), steps(grid.width), {0, step * grid.width, step});
}

HOST_DEVICE Value op_hconcat(auto& lane, Grid a, Grid b) {
  const i64 height = least(a.height, b.height), width = a.width + b.width;
  if (height == 0) return EMPTY_TUPLE;
  if (a.wide || b.wide) {
    return make_grid_by_cell(lane, height, width,
                             [&](i64 i, i64 j) { return j < a.width ? a(i, j) : b(i, j - a.width); });
  }
  Head* head = new_bytes_grid(lane, height, width);
  if (!head) return NO_VALUE;
  i8* to = content<i8>(head);
  const i8 *left = content<i8>(a.head), *right = content<i8>(b.head);
  if (lane.group.size() > 1) {
    each_cell(lane.group, height, width, [=](i64 i, i64 j) {
      to[i * width + j] = j < a.width ? left[i * a.width + j] : right[i * b.width + j - a.width];
    });
    return heap_value(head);
  }
  const RowWriter from_left{end_of(head), end_of(a.head)}, from_right{end_of(head), end_of(b.head)};
  for (i64 i = 0; i < height; ++i, to += width) {
    from_left.copy(to, left + i * a.width, a.width);
    from_right.copy(to + a.width, right + i * b.width, b.width);
  }
  return heap_value(head);
}

HOST_DEVICE Value op_vconcat(auto& lane, Grid a, Grid b) {
  if (a.height == 0) return b.value();
  if (b.height == 0) return a.value();
  if (a.width != b.width) return lane.fail(Status::TYPE);
  const i64 height = a.height + b.height;
  const u32 size = a.size();
  if (a.wide || b.wide) {
    return make_grid(lane, height, a.width,
                     [&](u32 place) { return place < size ? a.at(place) : b.at(place - size); });
  }
  Head* head = new_bytes_grid(lane, height, a.width);
  if (!head) return NO_VALUE;
  copy_bytes(lane.group, content<i8>(head), content<i8>(a.head), size);
  copy_bytes(lane.group, content<i8>(head) + size, content<i8>(b.head), b.size());
  return heap_value(head);
}

// n parts of a length split with equal steps; what is left over is dropped between them.
struct Split {
  i64 part, step;
  HOST_DEVICE Split(i64 length, i64 n) : part(length / n), step(part + (length % n > 0)) {}
};

// The Tuple of part(0), ..., part(n - 1).
template <class Group, class Part>
HOST_DEVICE Value split(Lane<Group>& lane, i64 n, bool alike, Part part) {
  Scratch<Group> scratch(lane);
  Value* parts = scratch.template array<Value>(n);
  if (!parts) return NO_VALUE;
  Value made = NO_VALUE;
  for (i64 k = 0; k < n; ++k) {
    if (k == 0 || !alike) made = part(k);
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { parts[k] = made; });
  }
  return make_tuple(lane, parts, u32(n));
}

HOST_DEVICE Value op_hsplit(auto& lane, Grid grid, i64 n) {
  if (n < 0) return EMPTY_TUPLE;
  const bool hollow = n > grid.width;  // all parts are rows without cells
  if (hollow && !lane.admits(1 + u64(n) * u64(1 + grid.height), 3)) return NO_VALUE;
  const Split sides(grid.width, n);
  return split(lane, n, hollow, [&](i64 k) {
    const Slice columns = slice_of(grid.width, k * sides.step, sides.part);
    return cut(lane, grid, 0, columns.start, grid.height, columns.length);
  });
}

HOST_DEVICE Value op_vsplit(auto& lane, Grid grid, i64 n) {
  if (n < 0) return EMPTY_TUPLE;
  const bool hollow = n > grid.height;
  if (hollow && !lane.admits(1 + u64(n), 2)) return NO_VALUE;
  const Split sides(grid.height, n);
  return split(lane, n, hollow, [&](i64 k) {
    const Slice rows = slice_of(grid.height, k * sides.step, sides.part);
    return cut(lane, grid, rows.start, 0, rows.length, grid.width);
  });
}

}  // namespace arcbatt
