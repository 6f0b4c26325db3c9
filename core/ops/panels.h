// Panels: grids cut at separators, put together, laid over each other, repeated and multiplied.
#pragma once

#include "colors.h"
#include "grids.h"

namespace arcbatt {

HOST_DEVICE Value op_overlay(auto& lane, Grid under, Grid over, i64 transparent) {
  if (under.wide || over.wide) {
    return make_grid_by_cell(lane, under.height, under.width, [&](i64 i, i64 j) {
      return over.holds(i, j) && over(i, j) != transparent ? over(i, j) : under(i, j);
    });
  }
  Head* head = new_bytes_grid(lane, under.height, under.width);
  if (!head) return NO_VALUE;
  const i8* above = content<i8>(over.head);
  i8* to = content<i8>(head);
  copy_bytes(lane.group, to, content<i8>(under.head), under.size());
  const i64 width = under.width, stride = over.width;
  const i64 rows = least(under.height, over.height), columns = least(width, stride);
  const bool all_show = !fits_bits(transparent, 8);
  const i8 hidden = i8(transparent);
  each_cell(lane.group, rows, columns, [=](i64 i, i64 j) {
    const i8 color = above[i * stride + j];
    if (color != hidden || all_show) to[i * width + j] = color;
  });
  return heap_value(head);
}

// The colours of rows and then columns that have but one.
struct PlainLines {
  i32* colors;
  u8* plain;

  HOST_DEVICE bool has(u32 line, i64 color) const { return plain[line] && colors[line] == color; }
};

template <class Group>
HOST_DEVICE PlainLines plain_lines(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid) {
  const u32 height = u32(grid.height), width = u32(grid.width);
  const PlainLines lines{scratch.template array<i32>(height + width),
                         scratch.template array<u8>(height + width)};
  if (lane.failed()) return lines;
  each(lane.group, height + width, [&](u32 k) {
    const bool is_row = k < height;
    const u32 first = is_row ? k * width : k - height, step = is_row ? 1 : width;
    const u32 count = is_row ? width : height;
    const i64 color = grid.at(first);
    u32 m = 1;
    while (m < count && grid.at(first + m * step) == color) ++m;
    lines.colors[k] = i32(color);
    lines.plain[k] = m == count;
  });
  return lines;
}

// The colour of most plain lines: of several one other than 0, then the smallest. False if there are none.
template <class Group>
HOST_DEVICE bool find_separator(Lane<Group>& lane, Scratch<Group>& scratch, const PlainLines& lines,
                                u32 count, i64& separator) {
  u32* keys = scratch.template array<u32>(count);
  if (!keys) return false;
  const u32 found = compact(
      lane.group, count, [&](u32 k) { return lines.plain[k]; },
      [&](u32 at, u32 k) { keys[at] = u32(lines.colors[k]) ^ SIGN; });
  if (!order_keys(lane, keys, found)) return false;
  u32 times = 0;
  each_run(
      found, [&](u32 k) { return i64(i32(keys[k] ^ SIGN)); },
      [&](i64 color, u32 first, u32 end) {
        if (end - first < times || (end - first == times && separator != 0)) return;
        times = end - first;
        separator = color;
      });
  return found > 0;
}

// Where the runs of lines between separators begin, and how long they are.
struct Pieces {
  u32 *starts, *lengths;
  u32 count;
};

template <class Group>
HOST_DEVICE Pieces pieces_between(Lane<Group>& lane, Scratch<Group>& scratch, const PlainLines& lines,
                                  u32 first, u32 count, i64 separator) {
  Pieces pieces{scratch.template array<u32>(count), scratch.template array<u32>(count), 0};
  if (lane.failed()) return pieces;
  const auto cuts = [&](u32 k) { return lines.has(first + k, separator); };
  pieces.count = compact(
      lane.group, count, [&](u32 k) { return !cuts(k) && (k == 0 || cuts(k - 1)); },
      [&](u32 at, u32 k) { pieces.starts[at] = k; });
  compact(
      lane.group, count, [&](u32 k) { return !cuts(k) && (k + 1 == count || cuts(k + 1)); },
      [&](u32 at, u32 k) { pieces.lengths[at] = k + 1 - pieces.starts[at]; });
  return pieces;
}

// Between which rows and columns the separators of a grid leave panels.
struct PanelCuts {
  Pieces rows, columns;
  bool whole;  // there is no separator
};

template <class Group>
HOST_DEVICE PanelCuts find_cuts(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid) {
  PanelCuts cuts{};
  const u32 height = u32(grid.height), width = u32(grid.width);
  const PlainLines lines = plain_lines(lane, scratch, grid);
  if (lane.failed()) return cuts;
  i64 separator = 0;
  cuts.whole = !find_separator(lane, scratch, lines, height + width, separator);
  if (lane.failed() || cuts.whole) return cuts;
  cuts.rows = pieces_between(lane, scratch, lines, 0, height, separator);
  cuts.columns = pieces_between(lane, scratch, lines, height, width, separator);
  return cuts;
}

// Write the panels of one row; false if memory ran out.
template <class Group>
HOST_DEVICE bool write_panels(Lane<Group>& lane, const Grid& grid, const PanelCuts& cuts, u32 row,
                              Value* panels) {
  const Pieces &rows = cuts.rows, &columns = cuts.columns;
  for (u32 j = 0; j < columns.count; ++j) {
    const Value panel =
        cut(lane, grid, rows.starts[row], columns.starts[j], rows.lengths[row], columns.lengths[j]);
    if (lane.failed()) return false;
    once(lane.group, [&] { panels[j] = panel; });
  }
  return true;
}

HOST_DEVICE Value op_panels(auto& lane, Grid grid) {
  Scratch scratch(lane);
  const PanelCuts cuts = find_cuts(lane, scratch, grid);
  if (lane.failed()) return NO_VALUE;
  const Value whole = grid.value();
  if (cuts.whole) return make_tuple(lane, &whole, 1);
  const u32 count = cuts.rows.count * cuts.columns.count;
  Value* panels = scratch.template array<Value>(count);
  if (!panels) return NO_VALUE;
  for (u32 i = 0; i < cuts.rows.count; ++i) {
    if (!write_panels(lane, grid, cuts, i, panels + i * cuts.columns.count)) return NO_VALUE;
  }
  return make_tuple(lane, panels, count);
}

HOST_DEVICE Value op_panel_rows(auto& lane, Grid grid) {
  Scratch scratch(lane);
  const PanelCuts cuts = find_cuts(lane, scratch, grid);
  if (lane.failed()) return NO_VALUE;
  if (cuts.whole) {
    const Value whole = grid.value(), row = make_tuple(lane, &whole, 1);
    return lane.failed() ? NO_VALUE : make_tuple(lane, &row, 1);
  }
  Value* rows = scratch.template array<Value>(cuts.rows.count);
  Value* panels = scratch.template array<Value>(cuts.columns.count);
  if (lane.failed()) return NO_VALUE;
  for (u32 i = 0; i < cuts.rows.count; ++i) {
    if (!write_panels(lane, grid, cuts, i, panels)) return NO_VALUE;
    const Value row = make_tuple(lane, panels, cuts.columns.count);
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { rows[i] = row; });
  }
  return make_tuple(lane, rows, cuts.rows.count);
}

// The elements of a Tuple, where each may be a Tuple without Integers; those that are all `()` count as none.
struct Nested {
  const Value* values = nullptr;
  u32 count = 0;
  bool fit;  // no element is a row of Integers, by the form of the Tuple

  HOST_DEVICE explicit Nested(Value v) : fit(v.has_form(Form::tuple)) {
    if (fit) {
      values = content<Value>(v.head());
      count = v.head()->count;
    } else {
      fit = is_grid(v) && Grid(v).width == 0;
    }
  }
};

// Height and width of a row of grids; a height of -1 if it is none.
HOST_DEVICE inline Extent extent_of_row(Value row) {
  const Nested grids(row);
  Extent extent{grids.fit ? 0 : -1, 0};
  for (u32 k = 0; k < grids.count; ++k) {
    const Value grid = grids.values[k];
    if (!is_grid(grid)) return {-1, 0};
    const i64 height = Grid(grid).height;
    if (k > 0 && height != extent.height) return {-1, 0};
    extent.height = height;
    extent.width += Grid(grid).width;
  }
  return extent;
}

HOST_DEVICE Value op_joined(auto& lane, Value rows) {
  const Nested parts(rows);
  if (!parts.fit) return lane.fail(Status::TYPE);
  i64 height = 0, width = 0;
  for (u32 k = 0; k < parts.count; ++k) {
    const Extent extent = extent_of_row(parts.values[k]);
    if (extent.height < 0 || (height > 0 && extent.height > 0 && extent.width != width))
      return lane.fail(Status::TYPE);
    width = extent.height > 0 ? extent.width : width;
    height += extent.height;
  }
  if (height == 0) return EMPTY_TUPLE;
  Scratch scratch(lane);
  i32* cells = scratch.template array<i32>(u64(height) * u64(width));
  if (!cells) return NO_VALUE;
  i32* to = cells;
  for (u32 k = 0; k < parts.count; ++k) {
    const Nested grids(parts.values[k]);
    i64 left = 0, lines = 0;
    for (u32 m = 0; m < grids.count; ++m) {
      const Grid grid(grids.values[m]);
      each_cell(lane.group, grid.height, grid.width,
                [=](i64 i, i64 j) { to[i * width + left + j] = i32(grid(i, j)); });
      left += grid.width;
      lines = grid.height;
    }
    to += lines * width;
  }
  return make_grid(lane, height, width, [=](u32 place) { return i64(cells[place]); });
}

HOST_DEVICE Value op_tile(auto& lane, Grid grid, Location dimensions) {
  const i64 height = dimensions.i, width = most(0, dimensions.j);
  if (!admits_grid(lane, height, width)) return NO_VALUE;
  if (height <= 0) return EMPTY_TUPLE;
  const auto color = [&](i64 i, i64 j) { return grid(i % grid.height, j % grid.width); };
  if (grid.wide || lane.group.size() > 1) return make_grid_by_cell(lane, height, width, color);
  Head* head = new_bytes_grid(lane, height, width);
  if (!head) return NO_VALUE;
  const i8* from = content<i8>(grid.head);
  i8* to = content<i8>(head);
  for (i64 i = 0; i < height; ++i, to += width) {
    if (i >= grid.height) {
      copy_bytes(lane.group, to, to - grid.height * width, u64(width));
      continue;
    }
    for (i64 start = 0; start < width; start += grid.width) {
      const i64 columns = least(grid.width, width - start);
      for (i64 j = 0; j < columns; ++j) to[start + j] = from[i * grid.width + j];
    }
  }
  return heap_value(head);
}

// A block of the shape of b for each cell of a, with color(a's cell, b's cell) in it.
template <class Group, class Color>
HOST_DEVICE Value product_of(Lane<Group>& lane, const Grid& a, const Grid& b, bool bytes, Color color) {
  const i64 height = a.height * b.height, width = a.width * b.width;
  if (!admits_grid(lane, height, width)) return NO_VALUE;
  if (!bytes || lane.group.size() > 1) {
    return make_grid_by_cell(lane, height, width, [&](i64 i, i64 j) {
      return color(a(i / b.height, j / b.width), b(i % b.height, j % b.width));
    });
  }
  Head* head = new_bytes_grid(lane, height, width);
  if (!head) return NO_VALUE;
  const i8 *outside = content<i8>(a.head), *within = content<i8>(b.head);
  i8* to = content<i8>(head);
  for (i64 i = 0; i < a.height; ++i) {
    for (i64 k = 0; k < b.height; ++k) {
      for (i64 j = 0; j < a.width; ++j, to += b.width) {
        const i8 cell = outside[i * a.width + j], *row = within + k * b.width;
        for (i64 m = 0; m < b.width; ++m) to[m] = i8(color(cell, row[m]));
      }
    }
  }
  return heap_value(head);
}

HOST_DEVICE Value op_outer(auto& lane, Grid a, Grid b, i64 free) {
  const bool bytes = !a.wide && !b.wide && fits_bits(free, 8);
  return product_of(lane, a, b, bytes,
                    [=](i64 outside, i64 within) { return outside != free ? within : free; });
}
HOST_DEVICE Value op_outer_color(auto& lane, Grid a, Grid b, i64 free) {
  const bool bytes = !a.wide && !b.wide && fits_bits(free, 8);
  return product_of(lane, a, b, bytes,
                    [=](i64 outside, i64 within) { return within != free ? outside : free; });
}

HOST_DEVICE Value op_condense(auto& lane, Grid grid) {
  Scratch scratch(lane);
  const u32 height = u32(grid.height), width = u32(grid.width);
  u32 *rows = scratch.template array<u32>(height), *columns = scratch.template array<u32>(width);
  if (lane.failed()) return NO_VALUE;
  const auto row_is_new = [&](u32 i) {
    u32 j = 0;
    while (i > 0 && j < width && grid(i, j) == grid(i - 1, j)) ++j;
    return j < width;
  };
  const auto column_is_new = [&](u32 j) {
    u32 i = 0;
    while (j > 0 && i < height && grid(i, j) == grid(i, j - 1)) ++i;
    return i < height;
  };
  const u32 down = compact(lane.group, height, row_is_new, [&](u32 at, u32 i) { rows[at] = i; });
  const u32 across = compact(lane.group, width, column_is_new, [&](u32 at, u32 j) { columns[at] = j; });
  if (down == height && across == width) return grid.value();
  return make_grid_by_cell(lane, down, across, [&](i64 i, i64 j) { return grid(rows[i], columns[j]); });
}

HOST_DEVICE Value op_stripped(auto& lane, Grid grid, i64 color) {
  const auto row_shows = [&](i64 i) {
    return any_of(lane.group, u32(grid.width), [&](u32 j) { return grid(i, j) != color; });
  };
  const auto column_shows = [&](i64 j) {
    return any_of(lane.group, u32(grid.height), [&](u32 i) { return grid(i, j) != color; });
  };
  i64 top = 0, bottom = grid.height, left = 0, right = grid.width;
  while (top < bottom && !row_shows(top)) ++top;
  if (top == bottom) return cut(lane, grid, 0, 0, 1, 1);
  while (!row_shows(bottom - 1)) --bottom;
  while (!column_shows(left)) ++left;
  while (!column_shows(right - 1)) --right;
  return cut(lane, grid, top, left, bottom - top, right - left);
}

}  // namespace arcbatt
