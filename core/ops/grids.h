// Grids: walks over their cells, shape, cutting, comparing and compressing.
#pragma once

#if !defined(__CUDACC__)
#include <cstring>
#endif

#include "values/constructors.h"

namespace arcbatt {

// Copy bytes to others that they do not overlap.
template <class Group>
HOST_DEVICE void copy_bytes(const Group& group, i8* to, const i8* from, u64 count) {
#if !defined(__CUDACC__)
  if constexpr (Group::HAS_HOST) {
    std::memcpy(to, from, count);
    return;
  }
#endif
  each(group, u32(count), [=](u32 k) { to[k] = from[k]; });
}

// The end of the memory that a grid of bytes has: what lies between it and the cells may be read and written.
HOST_DEVICE inline i8* end_of(const Head* grid) {
  static_assert(sizeof(Head) == ALIGNMENT);
  return const_cast<i8*>(content<i8>(grid)) + rounded(u64(grid->count) * grid->detail);
}

// Rows of bytes that one thread writes to a grid in ascending order: so it may write some bytes too many, and
// read some of the grid that they come from.
struct RowWriter {
  i8* end;
  const i8* from_end;

  HOST_DEVICE void copy(i8* to, const i8* from, i64 width) const {
#if !defined(__CUDACC__)
    constexpr i64 TOGETHER = 16;
    if (width + TOGETHER <= end - to && width + TOGETHER <= from_end - from) {
      for (i64 k = 0; k < width; k += TOGETHER) std::memcpy(to + k, from + k, TOGETHER);
      return;
    }
#endif
    for (i64 k = 0; k < width; ++k) to[k] = from[k];
  }

  // So many bytes before `from`, the last one first.
  HOST_DEVICE void reverse(i8* to, const i8* from, i64 width) const {
#if !defined(__CUDACC__)
    constexpr i64 TOGETHER = 8;
    if (width + TOGETHER <= end - to) {  // a head lies before the cells, so that there is something to read
      for (i64 k = 0; k < width; k += TOGETHER) {
        u64 word;
        std::memcpy(&word, from - k - TOGETHER, TOGETHER);
        word = __builtin_bswap64(word);
        std::memcpy(to + k, &word, TOGETHER);
      }
      return;
    }
#endif
    for (i64 k = 0; k < width; ++k) to[k] = from[-1 - k];
  }

  // Each byte so many times.
  HOST_DEVICE void stretch(i8* to, const i8* from, i64 width, i64 times) const {
#if !defined(__CUDACC__)
    constexpr i64 TOGETHER = 8;
    if (times <= TOGETHER && width * times + TOGETHER <= end - to) {
      for (i64 k = 0; k < width; ++k, to += times) {
        const u64 word = 0x0101010101010101u * u8(from[k]);
        std::memcpy(to, &word, TOGETHER);
      }
      return;
    }
#endif
    for (i64 k = 0; k < width; ++k) {
      for (i64 m = 0; m < times; ++m) *to++ = from[k];
    }
  }
};

// Run task(i, j) for every cell of a grid, in one thread row by row.
template <class Group, class Task>
HOST_DEVICE void each_cell(const Group& group, i64 height, i64 width, Task task) {
  if (group.size() > 1) {
    const u32 columns = u32(width);
    each(group, u32(height * width), [&](u32 place) { task(i64(place / columns), i64(place % columns)); });
    return;
  }
  for (i64 i = 0; i < height; ++i) {
    for (i64 j = 0; j < width; ++j) task(i, j);
  }
}

// The weight of a grid of so many rows and columns, less than none counting as none. It cannot overflow.
HOST_DEVICE constexpr u64 grid_weight(i64 height, i64 width) {
  const u64 rows = u64(most(0, least(height, HIGHEST))), columns = u64(most(0, least(width, HIGHEST)));
  return 1 + rows + rows * columns;
}
HOST_DEVICE bool admits_grid(auto& lane, i64 height, i64 width) {
  return lane.admits(grid_weight(height, width), height > 0 ? 2 : 1);
}

HOST_DEVICE Head* new_bytes_grid(auto& lane, i64 height, i64 width) {
  const u64 bytes = u64(height) * u64(width);
  return lane.new_head(Form::bytes_grid, height, width, grid_weight(height, width), 2, bytes);
}

// A walk over the cells of a grid: row i, column j of the result is at origin + i * down + j * right.
struct CellWalk {
  i64 origin, down, right;
};

CALLED Value walked(auto& lane, const Grid& grid, i64 height, i64 width, CellWalk walk) {
  if (height <= 0) return EMPTY_TUPLE;
  width = most(width, 0);
  const auto place = [=](i64 i, i64 j) { return walk.origin + i * walk.down + j * walk.right; };
  if (grid.wide) {
    return make_grid_by_cell(lane, height, width, [&](i64 i, i64 j) { return grid.at(place(i, j)); });
  }
  Head* head = new_bytes_grid(lane, height, width);
  if (!head) return NO_VALUE;
  const i8* from = content<i8>(grid.head);
  i8* to = content<i8>(head);
  if (lane.group.size() > 1) {
    each_cell(lane.group, height, width, [=](i64 i, i64 j) { to[i * width + j] = from[place(i, j)]; });
    return heap_value(head);
  }
  if (walk.right == 1 && walk.down == width) {
    copy_bytes(lane.group, to, from + walk.origin, u64(height * width));
    return heap_value(head);
  }
  const RowWriter writer{end_of(head), end_of(grid.head)};
  from += walk.origin;
  for (i64 i = 0; i < height; ++i, to += width, from += walk.down) {
    if (walk.right == 1) {
      writer.copy(to, from, width);
    } else if (walk.right == -1) {
      writer.reverse(to, from + 1, width);
    } else {
      const i8* cell = from;
      for (i64 j = 0; j < width; ++j, cell += walk.right) to[j] = *cell;
    }
  }
  return heap_value(head);
}

// Height and width of a grid or patch.
struct Extent {
  i64 height, width;
};

HOST_DEVICE Extent extent_of(const auto& group, Value piece) {
  if (is_empty(piece)) return {0, 0};
  if (is_grid(piece)) return {i64(piece.head()->count), i64(piece.head()->detail)};
  const Bounds box = bounds_of(group, Patch(piece));
  return {box.height(), box.width()};
}

HOST_DEVICE Value op_height(auto& lane, Value piece) {
  return make_integer(lane, extent_of(lane.group, piece).height);
}
HOST_DEVICE Value op_width(auto& lane, Value piece) {
  return make_integer(lane, extent_of(lane.group, piece).width);
}
HOST_DEVICE Value op_shape(auto& lane, Value piece) {
  const Extent extent = extent_of(lane.group, piece);
  return make_pair(lane, extent.height, extent.width);
}
HOST_DEVICE Value op_portrait(auto& lane, Value piece) {
  const Extent extent = extent_of(lane.group, piece);
  return boolean(extent.height > extent.width);
}
HOST_DEVICE Value op_square(auto& lane, Value piece) {
  const Extent extent = extent_of(lane.group, piece);
  const bool even_sided = extent.height == extent.width;
  if (is_set(piece)) return boolean(even_sided && u64(extent.height) * u64(extent.width) == count_of(piece));
  return extent.width == 0 ? lane.fail(Status::EMPTY) : boolean(even_sided);
}

HOST_DEVICE Value op_index(auto& lane, Grid grid, Location loc) {
  return grid.holds(loc.i, loc.j) ? integer_value(grid(loc.i, loc.j)) : lane.fail(Status::INDEX);
}

HOST_DEVICE Value op_canvas(auto& lane, i64 value, Location dimensions) {
  if (!admits_grid(lane, dimensions.i, dimensions.j)) return NO_VALUE;
  return make_grid(lane, dimensions.i, most(0, dimensions.j), [=](u32) { return value; });
}

// The positions from `start` on of a sequence of n, numbers as in Python slices.
struct Slice {
  i64 start, length;
};
HOST_DEVICE constexpr Slice slice_of(i64 n, i64 start, i64 length) {
  const auto clamped = [n](i64 at) { return most(0, least(at < 0 ? at + n : at, n)); };
  const i64 low = clamped(start);
  return {low, most(0, clamped(start + length) - low)};
}

// The part of a grid from row `top` and column `left` on, which must lie within it.
HOST_DEVICE Value cut(auto& lane, const Grid& grid, i64 top, i64 left, i64 height, i64 width) {
  if (height == grid.height && width == grid.width) return grid.value();
  return walked(lane, grid, height, width, {top * grid.width + left, grid.width, 1});
}

CALLED Value op_crop(auto& lane, Grid grid, Location start, Location dims) {
  const Slice rows = slice_of(grid.height, start.i, dims.i), columns = slice_of(grid.width, start.j, dims.j);
  return cut(lane, grid, rows.start, columns.start, rows.length, columns.length);
}

HOST_DEVICE Value op_trim(auto& lane, Grid grid) {
  return cut(lane, grid, 1, 1, most(0, grid.height - 2), most(0, grid.width - 2));
}
HOST_DEVICE Value op_tophalf(auto& lane, Grid grid) {
  return cut(lane, grid, 0, 0, grid.height / 2, grid.width);
}
HOST_DEVICE Value op_bottomhalf(auto& lane, Grid grid) {
  return cut(lane, grid, grid.height - grid.height / 2, 0, grid.height / 2, grid.width);
}
HOST_DEVICE Value op_lefthalf(auto& lane, Grid grid) {
  const i64 half = grid.width / 2;
  return half ? cut(lane, grid, 0, 0, grid.height, half) : EMPTY_TUPLE;
}
HOST_DEVICE Value op_righthalf(auto& lane, Grid grid) {
  const i64 half = grid.width / 2;
  return half ? cut(lane, grid, 0, grid.width - half, grid.height, half) : EMPTY_TUPLE;
}

HOST_DEVICE Value op_cellwise(auto& lane, Grid a, Grid b, i64 fallback) {
  if (b.height < a.height || b.width < a.width) return lane.fail(Status::INDEX);
  if (a.wide || b.wide || !fits_bits(fallback, 8)) {
    return make_grid_by_cell(lane, a.height, a.width,
                             [&](i64 i, i64 j) { return a(i, j) == b(i, j) ? a(i, j) : fallback; });
  }
  Head* head = new_bytes_grid(lane, a.height, a.width);
  if (!head) return NO_VALUE;
  const i8 *here = content<i8>(a.head), *there = content<i8>(b.head), other = i8(fallback);
  i8* to = content<i8>(head);
  const i64 width = a.width, stride = b.width;
  each_cell(lane.group, a.height, width, [=](i64 i, i64 j) {
    const i8 color = here[i * width + j];
    to[i * width + j] = color == there[i * stride + j] ? color : other;
  });
  return heap_value(head);
}

HOST_DEVICE bool row_is_plain(const auto& group, const Grid& grid, i64 i) {
  return all_of(group, u32(grid.width), [&](u32 j) { return grid(i, j) == grid(i, 0); });
}
HOST_DEVICE bool column_is_plain(const auto& group, const Grid& grid, i64 j) {
  return all_of(group, u32(grid.height), [&](u32 i) { return grid(i, j) == grid(0, j); });
}

HOST_DEVICE Value op_compress(auto& lane, Grid grid) {
  if (grid.size() == 0) return grid.value();
  Scratch scratch(lane);
  u32 *rows = scratch.template array<u32>(grid.height), *columns = scratch.template array<u32>(grid.width);
  if (!rows || !columns) return NO_VALUE;
  u32 height = 0, width = 0;
  for (i64 i = 0; i < grid.height; ++i) {
    if (row_is_plain(lane.group, grid, i)) continue;
    once(lane.group, [&] { rows[height] = u32(i); });
    ++height;
  }
  for (i64 j = 0; j < grid.width; ++j) {
    if (column_is_plain(lane.group, grid, j)) continue;
    once(lane.group, [&] { columns[width] = u32(j); });
    ++width;
  }
  if (height == 0) return EMPTY_TUPLE;
  if (grid.wide) {
    return make_grid_by_cell(lane, height, width, [&](i64 i, i64 j) { return grid(rows[i], columns[j]); });
  }
  Head* head = new_bytes_grid(lane, height, width);
  if (!head) return NO_VALUE;
  const i8* from = content<i8>(grid.head);
  i8* to = content<i8>(head);
  each_cell(lane.group, height, width,
            [=](i64 i, i64 j) { to[i * width + j] = from[rows[i] * grid.width + columns[j]]; });
  return heap_value(head);
}

}  // namespace arcbatt
