// Objects and partition: connected components, one object per colour, full lines.
#pragma once

#include "colors.h"
#include "grids.h"

namespace arcbatt {

// The Set of containers that are ascending and distinct.
HOST_DEVICE Value ascending_set(auto& lane, const Value* elements, u32 count) {
  return count ? make_plain(lane, Form::set, elements, count) : EMPTY_SET;
}

// The connected cells of a grid. The cell at row i, column j has the label labels[i * stride + j], or 0 if it
// is left out; labels of one component have the same number in `numbers`, from 1 to count.
struct Components {
  u32* labels;
  u32* numbers;
  u32* sizes;  // cells by number
  i64 stride;
  u32 count;
};

struct Joining {
  bool univalued, diagonal, without_background;
  i64 background;
};

HOST_DEVICE inline u32 root_of(u32* parents, u32 label) {
  while (parents[label] != label) label = parents[label] = parents[parents[label]];
  return label;
}

// Put two labels into one component: the smaller of their roots becomes that of both.
HOST_DEVICE inline u32 linked(u32* parents, u32 a, u32 b) {
  if (a == b) return a;
  a = root_of(parents, a);
  b = root_of(parents, b);
  return a < b ? parents[b] = a : parents[a] = b;
}

// Label the cells row by row; a cell is joined with its neighbours to the left and above. For one thread.
template <class Color>
HOST_DEVICE void label_cells(Components& found, const Color* cells, i64 height, i64 width, Joining how) {
  u32 *parents = found.numbers, *sizes = found.sizes, used = 0;
  const i64 stride = found.stride;
  for (i64 k = -stride - 1; k < 0; ++k) found.labels[k] = 0;
  for (i64 i = 0; i < height; ++i) {
    const Color* row = cells + i * width;
    u32* labels = found.labels + i * stride;
    labels[width] = 0;
    for (i64 j = 0; j < width; ++j) {
      const Color color = row[j];
      if (how.without_background && color == how.background) {
        labels[j] = 0;
        continue;
      }
      const auto joined = [&](i64 up, i64 right) -> u32 {
        const u32 label = labels[j - up * stride + right];
        return label && (!how.univalued || row[j - up * width + right] == color) ? label : 0;
      };
      // The neighbours that are next to each other have been joined already.
      u32 label = joined(1, 0);
      if (!how.diagonal) {
        const u32 left = joined(0, -1);
        label = label && left ? linked(parents, label, left) : label | left;
      } else if (!label) {
        u32 left = joined(0, -1);
        if (!left) left = joined(1, -1);
        label = joined(1, 1);
        label = label && left ? linked(parents, label, left) : label | left;
      }
      if (!label) {
        label = ++used;
        parents[label] = label;
        sizes[label] = 0;
      }
      labels[j] = label;
      ++sizes[label];
    }
  }
  // No parent exceeds its child, so in ascending order all that is looked at is final.
  found.count = 0;
  parents[0] = 0;
  for (u32 label = 1; label <= used; ++label) {
    const u32 size = sizes[label];
    if (parents[label] == label) {
      parents[label] = ++found.count;
      sizes[found.count] = size;
    } else {
      parents[label] = parents[parents[label]];
      sizes[parents[label]] += size;
    }
  }
}

// The objects of all components where a cell has no key.
template <class Group>
HOST_DEVICE Value general_objects(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid,
                                  const Components& found) {
  u32* places = scratch.template array<u32>(grid.size());
  u32* ends = scratch.template array<u32>(found.count + 1);
  Value* objects = scratch.template array<Value>(found.count);
  if (lane.failed()) return NO_VALUE;
  once(lane.group, [&] {
    u32 total = 0;
    for (u32 k = 1; k <= found.count; total += found.sizes[k++]) ends[k] = total;
    u32 place = 0;
    for (i64 i = 0; i < grid.height; ++i) {
      for (i64 j = 0; j < grid.width; ++j, ++place) {
        const u32 number = found.numbers[found.labels[i * found.stride + j]];
        if (number) places[ends[number]++] = place;
      }
    }
  });
  for (u32 k = 0; k < found.count; ++k) {
    const u32 size = found.sizes[k + 1], *own = places + ends[k + 1] - size;
    const Value object = make_patch(lane, true, size, [&](u32 m) { return cell_at(grid, own[m]); });
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { objects[k] = object; });
  }
  return make_set(lane, objects, found.count);
}

// The same where all cells have keys: they are dealt to their objects in ascending order, which is given or
// that of the rows. The objects are then sorted by their first cells, which differ.
template <class Group>
CALLED Value keyed_objects(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid,
                           const Components& found, const u32* ordered) {
  u32** cursors = scratch.template array<u32*>(found.count + 1);
  u32* firsts = scratch.template array<u32>(found.count + 1);
  Value* made = scratch.template array<Value>(found.count + 1);
  u32* left_out = scratch.template array<u32>(grid.size());
  if (lane.failed()) return NO_VALUE;
  u64 weight = 1;
  for (u32 k = 1; k <= found.count; ++k) {
    Head* head = new_keys(lane, true, found.sizes[k]);
    if (!head) return NO_VALUE;
    weight += head->weight;
    once(lane.group, [&] {
      made[k] = heap_value(head);
      cursors[k] = content<u32>(head);
    });
  }
  const auto number_at = [&](i64 i, i64 j) { return found.numbers[found.labels[i * found.stride + j]]; };
  const auto number_of = [&](u32 key) { return number_at(key >> 12 & 2047, key & 2047); };
  once(lane.group, [&] {
    cursors[0] = left_out;
    if (ordered) {
      for (u32 k = 0; k < grid.size(); ++k) *cursors[number_of(ordered[k])]++ = ordered[k];
    } else {
      const i8* cells = content<i8>(grid.head);
      for (i64 i = 0; i < grid.height; ++i, cells += grid.width) {
        const u32 row = key_of(Location{i, 0});
        for (i64 j = 0; j < grid.width; ++j) *cursors[number_at(i, j)]++ = with_color(row + u32(j), cells[j]);
      }
    }
  });
  each(lane.group, found.count, [&](u32 k) { firsts[k] = *content<u32>(made[k + 1].head()); });
  sort_keys(lane, firsts, found.count);
  if (lane.failed()) return NO_VALUE;
  if (found.count == 0) return EMPTY_SET;
  const u64 bytes = u64(found.count) * sizeof(Value);
  Head* head = lane.new_head(Form::set, found.count, CONTAINER_CLASS | OBJECT_CLASS, weight, 4, bytes);
  if (!head) return NO_VALUE;
  each(lane.group, found.count, [&](u32 k) { content<Value>(head)[k] = made[number_of(firsts[k])]; });
  return heap_value(head);
}

CALLED Value op_objects(auto& lane, Grid grid, i64 univalued, i64 diagonal, i64 without_bg) {
  Joining how{univalued != 0, diagonal != 0, without_bg != 0, 0};
  if (how.without_background) how.background = background_of(lane, grid);
  Scratch scratch(lane);
  const i64 stride = grid.width + 1;
  Components* found = scratch.template array<Components>(1);
  u32* labels = scratch.template array<u32>((grid.height + 1) * stride + 1);
  u32* numbers = scratch.template array<u32>(grid.size() + 1);
  u32* sizes = scratch.template array<u32>(grid.size() + 1);
  if (lane.failed()) return NO_VALUE;
  once(lane.group, [&] {
    *found = Components{labels + stride + 1, numbers, sizes, stride, 0};  // with room for zeros around
    if (grid.wide) label_cells(*found, content<i32>(grid.head), grid.height, grid.width, how);
    else label_cells(*found, content<i8>(grid.head), grid.height, grid.width, how);
  });
  // Many small objects weigh more than their grid: they are judged before they are built.
  const u32 count = found->count;
  const u64 cells = u64(sum_of(lane.group, count, [&](u32 k) { return found->sizes[k + 1]; }));
  if (!lane.admits(1 + count + CELL_WEIGHT * cells, count ? 4 : 1)) return NO_VALUE;
  if (!cells_have_keys(grid)) return general_objects(lane, scratch, grid, *found);
  if (how.univalued) return keyed_objects(lane, scratch, grid, *found, nullptr);
  u32* ordered = scratch.template array<u32>(grid.size());
  if (!ordered || !write_cells(lane, scratch, grid, ordered)) return NO_VALUE;
  return keyed_objects(lane, scratch, grid, *found, ordered);
}

// The objects of one colour each where a cell has no key.
HOST_DEVICE Value general_partition(auto& lane, const Grid& grid, bool without_background) {
  const i64 background = without_background ? background_of(lane, grid) : 0;
  if (lane.failed()) return NO_VALUE;
  const Value all = op_asobject(lane, grid);
  if (lane.failed()) return NO_VALUE;
  const Patch cells(all);
  Scratch scratch(lane);
  Value* objects = scratch.template array<Value>(cells.count);
  if (!objects) return NO_VALUE;
  u32 count = 0;
  each_run(
      cells.count, [&](u32 k) { return cells.cell(k).color; },
      [&](i64 color, u32 first, u32 end) {
        if (without_background && color == background) return;
        const Value object =
            make_patch(lane, true, end - first, [&](u32 k) { return cells.cell(first + k); });
        once(lane.group, [&] { objects[count] = object; });
        ++count;
      });
  return lane.failed() ? NO_VALUE : ascending_set(lane, objects, count);
}

CALLED Value partitioned(auto& lane, const Grid& grid, bool without_background) {
  if (grid.size() == 0) return EMPTY_SET;
  if (!cells_have_keys(grid)) return general_partition(lane, grid, without_background);
  Scratch scratch(lane);
  const ColorTally tally = color_tally(lane, scratch, grid);
  u32** starts = scratch.template array<u32*>(tally.span);
  Value* objects = scratch.template array<Value>(tally.span);
  if (lane.failed()) return NO_VALUE;
  const i64 background = without_background ? most_frequent(tally) : 256;  // else no colour at all
  u32 count = 0;
  for (u32 k = 0; k < tally.span; ++k) {
    const u32 size = tally.counts[k];
    if (size == 0) continue;
    const bool left_out = tally.low + k == background;
    Head* head = left_out ? nullptr : new_keys(lane, true, size);
    u32* keys = left_out ? scratch.template array<u32>(size) : content<u32>(head);
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] {
      starts[k] = keys;
      if (head) objects[count] = heap_value(head);
    });
    count += head != nullptr;
  }
  return deal_cells(lane, scratch, grid, tally, starts) ? ascending_set(lane, objects, count) : NO_VALUE;
}

HOST_DEVICE Value op_partition(auto& lane, Grid grid) { return partitioned(lane, grid, false); }
HOST_DEVICE Value op_fgpartition(auto& lane, Grid grid) { return partitioned(lane, grid, true); }

HOST_DEVICE Value op_colorfilter(auto& lane, Value objs, i64 value) {
  const u32 count = count_of(objs);
  if (count == 0) return EMPTY_SET;
  if (is_grid(objs)) return lane.fail(Status::EMPTY);  // a Tuple of `()`
  const Value* objects = content<Value>(objs.head());
  if (any_of(lane.group, count, [&](u32 k) { return is_empty(objects[k]); })) return lane.fail(Status::EMPTY);
  Scratch scratch(lane);
  Value* kept = scratch.template array<Value>(count);
  if (!kept) return NO_VALUE;
  const u32 left = compact(
      lane.group, count, [&](u32 k) { return Patch(objects[k]).cell(0).color == value; },
      [&](u32 at, u32 k) { kept[at] = objects[k]; });
  if (is_tuple(objs)) return make_set(lane, kept, left);
  return left == count ? objs : ascending_set(lane, kept, left);
}

HOST_DEVICE Value op_frontiers(auto& lane, Grid grid) {
  Scratch scratch(lane);
  Value* lines = scratch.template array<Value>(grid.height + grid.width);
  if (!lines) return NO_VALUE;
  u32 count = 0;
  for (i64 k = 0; k < grid.height + grid.width && !lane.failed(); ++k) {
    const bool is_row = k < grid.height;
    const i64 i = is_row ? k : 0, j = is_row ? 0 : k - grid.height, color = grid(i, j);
    if (is_row ? !row_is_plain(lane.group, grid, i) : !column_is_plain(lane.group, grid, j)) continue;
    const Value line = make_patch(lane, true, is_row ? grid.width : grid.height,
                                  [=](u32 m) { return is_row ? Cell{color, i, m} : Cell{color, m, j}; });
    once(lane.group, [&] { lines[count] = line; });
    ++count;
  }
  return lane.failed() ? NO_VALUE : make_set(lane, lines, count);
}

}  // namespace arcbatt
