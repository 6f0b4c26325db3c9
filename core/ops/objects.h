// Objects and partition: connected components, one object per colour, full lines.
#pragma once

#include "colors.h"
#include "grids.h"

namespace arcbatt {

// The Set of containers that are ascending and distinct.
HOST_DEVICE Value ascending_set(auto& lane, const Value* elements, u32 count) {
  return count ? make_plain(lane, Form::set, elements, count) : EMPTY_SET;
}

// Where the runs of a grid are joined, as bits by place.
struct Joints {
  bool univalued, diagonal;
  u64* breaks;  // what is not joined with its left neighbour
  u64 *up, *up_left, *up_right;  // what is joined with neighbours above, where that does not follow
  u64* ranks;   // by place, a byte each: how many runs begin in its 64 places up to it

  // The number of the run that has a place.
  HOST_DEVICE u32 run_at(const Runs& runs, u32 place) const {
    return runs.before[place / 64] + u32(ranks[place / 8] >> place % 8 * 8 & 255);
  }
};

template <class Group>
CALLED Joints joints_of(Lane<Group>& lane, Scratch<Group>& scratch, const Runs& runs, bool univalued,
                        bool diagonal) {
  const u32 words = runs.words, width = runs.width;
  u64* up = scratch.template array<u64>(12 * u64(words) + 1);
  if (!up) return {};
  u64 *up_left = up + words, *up_right = up_left + words, *ranks = up_right + words;
  u64* breaks = univalued ? runs.breaks : ranks + 8 * words;
  if (!univalued) {
    each(lane.group, words + 1, [&](u32 k) {
      breaks[k] = k < words ? runs.rows[k] | ~(runs.inside[k] & runs.inside_back(k, 1)) : 0;
    });
  }
  // The candidates that are joined with the cell so many places before them.
  const auto joined = [&](u32 word, u64 candidates, u32 by) {
    const u64 both = candidates & runs.inside_back(word, by);
    const i64 place = 64 * i64(word);
    return univalued ? both & ~runs.colors.differing(place, place - by) : both;
  };
  each(lane.group, words, [&](u32 k) {
    u64 rank = 0;
    for (u32 m = 0; m < 8; ++m) {
      rank = (bytes_of_bits(runs.firsts[k] >> 8 * m & 255) + (rank >> 56)) * EACH_BYTE;
      ranks[8 * k + m] = rank;
    }
    up[k] = joined(k, runs.inside[k], width);
    if (!diagonal) return;
    // What is joined with the cell above it, or beside it, is so with the cell between them, too.
    const u64 alone = runs.inside[k] & ~up[k], next = 64 * u64(k) + 1;
    up_left[k] = joined(k, alone & breaks[k] & ~runs.rows[k], width + 1);
    up_right[k] = joined(k, alone & bits_from(breaks, next) & ~bits_from(runs.rows, next), width - 1);
  });
  return {univalued, diagonal, breaks, up, up_left, up_right, ranks};
}

HOST_DEVICE inline u32 root_of(const u32* parents, u32 run) {
  run = parents[run];  // most often this is the root
  while (parents[run] != run) run = parents[run];
  return run;
}

// Put two runs into one component: the smaller of their roots becomes that of both.
HOST_DEVICE inline void join(u32* parents, u32 a, u32 b) {
  const u32 x = root_of(parents, a), y = root_of(parents, b), root = x < y ? x : y;
  parents[x] = parents[y] = parents[a] = parents[b] = root;
}

// For each run one of its component before it, or itself if it is the first. For one thread.
HOST_DEVICE inline void find_parents(const Runs& runs, const Joints& joints, u32* parents) {
  const auto join_all = [&](u32 word, u64 bits, u32 by) {
    for (; bits; bits &= bits - 1) {
      const u32 place = 64 * word + lowest_bit(bits);
      join(parents, joints.run_at(runs, place), joints.run_at(runs, place - by));
    }
  };
  for (u32 run = 0; run < runs.count; ++run) parents[run] = run;
  u64 carried = 0;
  for (u32 word = 0; word < runs.words; ++word) {
    const u64 up = joints.up[word], breaks = joints.breaks[word];
    if (!joints.univalued) join_all(word, runs.firsts[word] & ~breaks, 1);
    join_all(word, up & (breaks | ~(up << 1 | carried)), runs.width);
    carried = up >> 63;
    if (!joints.diagonal) continue;
    join_all(word, joints.up_left[word], runs.width + 1);
    join_all(word, joints.up_right[word], runs.width - 1);
  }
}

// Objects as runs: run k is a part of object parts[k], where its cells begin at offsets[k].
struct Parts {
  const u32* order;      // of runs, in which the cells of an object ascend; null if that is by place
  u32 *parts, *offsets;
  u32 *sizes, *leaders;  // the cells of each object, and its first run
  u32 count, cells;      // of all objects

  // Deal a run to the object that it begins, or to another. Without a branch, which would cost more.
  HOST_DEVICE u32 deal(u32 run, u32 length, bool is_new, u32 other) {
    const u32 part = is_new ? count : other;
    parts[run] = part;
    leaders[count] = run;
    offsets[run] = sizes[part] & (u32(is_new) - 1);
    sizes[part] = offsets[run] + length;
    cells += length;
    count += is_new;
    return part;
  }
};

// Deal runs by place. For one thread.
HOST_DEVICE inline void deal_by_place(const Runs& runs, const u32* parents, Parts& found) {
  for (u32 run = 0; run < runs.count; ++run) {
    const u32 parent = parents[run], other = found.parts[parent];  // a parent has been dealt before
    found.deal(run, runs.length(run), parent == run, other);
  }
}

// Deal runs by colour: so that all cells ascend, and so do the objects as they come up. For one thread.
HOST_DEVICE inline void deal_by_color(const Runs& runs, const ColorLists& lists, u32* parents, u32* order,
                                      u32* numbers, Parts& found) {
  for (u32 run = 0; run < runs.count; ++run) {
    parents[run] = parents[parents[run]];  // now the first of its component
    numbers[run] = NO_RUN;
  }
  for (u32 color = 0; color < runs.color_span; ++color) {
    for (u32 run = lists.first[color]; run != NO_RUN; run = lists.next[run]) {
      u32& number = numbers[parents[run]];
      number = found.deal(run, runs.length(run), number == NO_RUN, number);
      *order++ = run;
    }
  }
}

template <class Group>
CALLED Parts components_of(Lane<Group>& lane, Scratch<Group>& scratch, const Runs& runs,
                           const Joints& joints) {
  const u32 n = runs.count;
  const bool by_place = joints.univalued || runs.colors.numbers;  // else objects have several colours
  Parts* found = scratch.template array<Parts>(1);
  u32* parents = scratch.template array<u32>(5 * u64(n) + 1);
  u32* order = by_place ? nullptr : scratch.template array<u32>(2 * u64(n));
  const ColorLists lists = by_place ? ColorLists{} : color_lists(lane, scratch, runs);
  if (lane.failed()) return {};
  once(lane.group, [&] {
    Parts own{order, parents + n, parents + 2 * n, parents + 3 * n, parents + 4 * n, 0, 0};
    find_parents(runs, joints, parents);
    if (by_place) deal_by_place(runs, parents, own);
    else deal_by_color(runs, lists, parents, order, order + n, own);
    *found = own;
  });
  return *found;
}

// The Set of the objects where a cell has no key.
template <class Group>
HOST_DEVICE Value general_objects(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid,
                                  const Runs& runs, const Parts& found) {
  u32* places = scratch.template array<u32>(grid.size());
  u32* ends = scratch.template array<u32>(found.count + 1);
  Value* objects = scratch.template array<Value>(found.count);
  if (lane.failed()) return NO_VALUE;
  once(lane.group, [&] {
    ends[0] = 0;
    for (u32 k = 0; k < found.count; ++k) ends[k + 1] = ends[k] + found.sizes[k];
  });
  each(lane.group, runs.count, [&](u32 k) {
    u32* to = places + ends[found.parts[k]] + found.offsets[k];
    for (u32 m = 0; m < runs.length(k); ++m) to[m] = runs.starts[k] + m;
  });
  for (u32 k = 0; k < found.count; ++k) {
    const u32* own = places + ends[k];
    const Value object = make_patch(lane, true, found.sizes[k], [&](u32 m) { return cell_at(grid, own[m]); });
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { objects[k] = object; });
  }
  return make_set(lane, objects, found.count);
}

// A Set of objects that are being made. There is room behind each for keys that are written too many.
struct ObjectSet {
  Head* set;
  u8* room;

  static constexpr u64 SPARE = KeyWriter::TOGETHER * sizeof(u32);

  // The place for the keys of an object of so many cells, which lies from `free` on. For one thread.
  HOST_DEVICE u32* put(u32 place, u8*& free, u32 size) const {
    Head* head = reinterpret_cast<Head*>(free);
    *head = keys_head(true, size);
    content<Value>(set)[place] = heap_value(head);
    free += rounded(sizeof(Head) + size * sizeof(u32) + SPARE);
    return content<u32>(head);
  }
};

template <class Group>
CALLED ObjectSet new_objects(Lane<Group>& lane, u32 count, u64 cells) {
  const u64 weight = 1 + count + CELL_WEIGHT * cells;
  Head* set =
      lane.new_head(Form::set, count, CONTAINER_CLASS | OBJECT_CLASS, weight, 4, count * sizeof(Value));
  const u64 apart = sizeof(Head) + ObjectSet::SPARE + ALIGNMENT;
  return {set, set ? lane.allocate(cells * sizeof(u32) + count * apart) : nullptr};
}

// The same where all cells have keys.
template <class Group>
CALLED Value keyed_objects(Lane<Group>& lane, Scratch<Group>& scratch, const Runs& runs, const Parts& found) {
  const u32 count = found.count;
  u32** keys = scratch.template array<u32*>(count);
  const ObjectSet made = new_objects(lane, count, found.cells);
  if (lane.failed()) return NO_VALUE;
  once(lane.group, [&] {
    u8* free = made.room;
    if (!found.order) {
      for (u32 k = 0; k < count; ++k) ++runs.by_color[runs.color_at(found.leaders[k])];
      add_up_colors(runs);
    }
    for (u32 k = 0; k < count; ++k) {
      const u32 place = found.order ? k : runs.by_color[runs.color_at(found.leaders[k])]++;
      keys[k] = made.put(place, free, found.sizes[k]);
    }
  });
  const KeyWriter writer(runs);
  each(lane.group, runs.count, [&](u32 k) {
    const u32 run = found.order ? found.order[k] : k;
    writer.write(lane.group, run, keys[found.parts[run]] + found.offsets[run]);
  });
  return heap_value(made.set);
}

CALLED Value op_objects(auto& lane, Grid grid, i64 univalued, i64 diagonal, i64 without_bg) {
  if (grid.size() == 0) return EMPTY_SET;
  if (!univalued && !without_bg) {
    if (!lane.admits(2 + CELL_WEIGHT * u64(grid.size()), 4)) return NO_VALUE;
    const Value all = cells_of_grid(lane, grid);
    return lane.failed() ? NO_VALUE : make_plain(lane, Form::set, &all, 1);
  }
  const i64 background = without_bg ? background_of(lane, grid) : EVERY_COLOR_STAYS;
  if (lane.failed()) return NO_VALUE;
  Scratch scratch(lane);
  const Runs runs = runs_of(lane, scratch, grid, background);
  if (lane.failed()) return NO_VALUE;
  const Joints joints = joints_of(lane, scratch, runs, univalued != 0, diagonal != 0);
  if (lane.failed()) return NO_VALUE;
  const Parts found = components_of(lane, scratch, runs, joints);
  if (lane.failed()) return NO_VALUE;
  // Many small objects weigh more than their grid: they are judged before they are built.
  const u64 weight = 1 + found.count + CELL_WEIGHT * u64(found.cells);
  if (!lane.admits(weight, found.count ? 4 : 1)) return NO_VALUE;
  if (found.count == 0) return EMPTY_SET;
  if (!cells_have_keys(grid)) return general_objects(lane, scratch, grid, runs, found);
  return keyed_objects(lane, scratch, runs, found);
}

// The objects of one colour each where a cell has no key.
HOST_DEVICE Value general_partition(auto& lane, const Grid& grid, bool without_background) {
  const i64 background = without_background ? background_of(lane, grid) : 0;
  if (lane.failed()) return NO_VALUE;
  const Value all = cells_of_grid(lane, grid);
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
  const i64 background = without_background ? background_of(lane, grid) : EVERY_COLOR_STAYS;
  if (lane.failed()) return NO_VALUE;
  Scratch scratch(lane);
  const Runs runs = runs_of(lane, scratch, grid, background);
  if (lane.failed()) return NO_VALUE;
  const ColorLists lists = color_lists(lane, scratch, runs);
  if (lane.failed()) return NO_VALUE;
  u32 count = 0;
  for (u32 color = 0; color < runs.color_span; ++color) count += lists.first[color] != NO_RUN;
  if (count == 0) return EMPTY_SET;
  const u64 cells = u64(sum_of(lane.group, runs.count, [&](u32 run) { return runs.length(run); }));
  const ObjectSet made = new_objects(lane, count, cells);
  if (lane.failed()) return NO_VALUE;
  once(lane.group, [&] {
    const KeyWriter writer(runs);
    u8* free = made.room;
    u32 place = 0;
    for (u32 color = 0; color < runs.color_span; ++color) {
      if (lists.first[color] == NO_RUN) continue;
      u32 *keys = content<u32>(reinterpret_cast<Head*>(free)), *end = keys;
      for (u32 run = lists.first[color]; run != NO_RUN; run = lists.next[run])
        end = writer.write(lane.group, run, end);
      made.put(place++, free, u32(end - keys));
    }
  });
  return heap_value(made.set);
}

HOST_DEVICE Value op_partition(auto& lane, Grid grid) {
  const u64 least_weight = 1 + patch_weight(true, grid.size());  // if there is but one colour
  if (grid.size() > 0 && !lane.admits(least_weight, 4)) return NO_VALUE;
  return partitioned(lane, grid, false);
}
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
  u64 weight = 1;
  for (i64 k = 0; k < grid.height + grid.width && !lane.failed(); ++k) {
    const bool is_row = k < grid.height;
    const i64 i = is_row ? k : 0, j = is_row ? 0 : k - grid.height, color = grid(i, j);
    if (is_row ? !row_is_plain(lane.group, grid, i) : !column_is_plain(lane.group, grid, j)) continue;
    weight += patch_weight(true, is_row ? grid.width : grid.height);
    if (grid.size() > 1 && !lane.admits(weight, 4)) return NO_VALUE;  // of one cell row and column are equal
    const Value line = make_patch(lane, true, is_row ? grid.width : grid.height,
                                  [=](u32 m) { return is_row ? Cell{color, i, m} : Cell{color, m, j}; });
    once(lane.group, [&] { lines[count] = line; });
    ++count;
  }
  return lane.failed() ? NO_VALUE : make_set(lane, lines, count);
}

}  // namespace arcbatt
