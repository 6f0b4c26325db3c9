// Search and physics.
#pragma once

#include "lines.h"
#include "patches.h"
#include "relations.h"
#include "runs.h"
#include "values/membership.h"

namespace arcbatt {

// A direction of movement: x grows along it, y numbers the lines beside each other.
struct Course {
  bool vertical;
  i64 sign;
  HOST_DEVICE i64 x(Location at) const { return sign * (vertical ? at.i : at.j); }
  HOST_DEVICE i64 y(Location at) const { return vertical ? at.j : at.i; }
};

// The first number of steps after which the source touches. ahead(y, x): bit k is whether the destination has
// (x + k - 1, y), for k up to REACH + 1.
template <class Group, class Ahead>
HOST_DEVICE i64 steps_to_contact(const Group& group, const Patch& source, Course course, Ahead ahead) {
  u64 overlaps = 0, touches = 0;
  each_location(group, source, [&](Location at) {
    const i64 x = course.x(at), y = course.y(at);
    const u64 same = ahead(y, x);
    overlaps |= same >> 1;
    touches |= same | same >> 2 | (ahead(y - 1, x) | ahead(y + 1, x)) >> 1;
  });
  i64 steps = 0;
  while (steps < REACH && !(group.any(touches >> steps & 1) && !group.any(overlaps >> steps & 1))) ++steps;
  return steps;
}

// With a bit for each location that the source can meet.
HOST_DEVICE i64 steps_by_bits(auto& lane, const Patch& source, const Patch& destination, Course course,
                              Location low, u64 lines, u64 words) {
  u64* bits = lane.template array<u64>(lines * words);
  if (!bits) return 0;
  each(lane.group, u32(lines * words), [&](u32 k) { bits[k] = 0; });
  once(lane.group, [&] {
    each_location(Solo{}, destination, [&](Location at) {
      const u64 line = u64(course.y(at) - low.j), place = u64(course.x(at) - low.i);
      if (line < lines && place < 64 * (words - 1)) bits[line * words + place / 64] |= u64(1) << place % 64;
    });
  });
  return steps_to_contact(lane.group, source, course, [&](i64 y, i64 x) {
    return bits_from(bits + u64(y - low.j) * words, u64(x - 1 - low.i));
  });
}

// With the destination sorted by lines: for patches that are scattered wide.
HOST_DEVICE i64 steps_by_search(auto& lane, const Patch& source, const Patch& destination, Course course) {
  const u32 count = destination.count;
  u32* order = lane.template array<u32>(count);
  Location* spots = lane.template array<Location>(count);
  if (lane.failed()) return 0;
  each(lane.group, count, [&](u32 k) { order[k] = k; });
  const auto precedes = [&](Location a, Location b) {
    return course.y(a) != course.y(b) ? course.y(a) < course.y(b) : course.x(a) < course.x(b);
  };
  if (!sort_positions(lane, order, count, [&](u32 a, u32 b) {
        return precedes(destination.location(a), destination.location(b));
      }))
    return 0;
  each(lane.group, count, [&](u32 k) {
    const Location at = destination.location(order[k]);
    spots[k] = {course.x(at), course.y(at)};
  });
  return steps_to_contact(lane.group, source, course, [&](i64 y, i64 x) {
    u32 low = 0, high = count;
    while (low < high) {
      const u32 middle = (low + high) / 2;
      if (spots[middle].j != y ? spots[middle].j < y : spots[middle].i < x - 1) low = middle + 1;
      else high = middle;
    }
    u64 bits = 0;
    for (; low < count && spots[low].j == y && spots[low].i <= x + REACH; ++low)
      bits |= u64(1) << (spots[low].i - x + 1);
    return bits;
  });
}

HOST_DEVICE Value op_gravitate(auto& lane, const Patch& source, const Patch& destination) {
  const Bounds box = bounds_of(lane.group, source), goal = bounds_of(lane.group, destination);
  const Location from = box.middle(), to = goal.middle();
  const bool vertical = share_column(lane, source, destination, common(box, goal));
  const Course course{vertical, (vertical ? from.i < to.i : from.j < to.j) ? 1 : -1};
  const Location start{box.top, box.left}, end{box.bottom, box.right};
  const Location low{least(course.x(start), course.x(end)) - 1, course.y(start) - 1};
  const u64 lines = u64(course.y(end) - course.y(start)) + 3;
  const u64 words = (u64(magnitude(course.x(end) - course.x(start))) + REACH + 2) / 64 + 2;
  u8* mark = lane.top;
  const u64 most_words = 256 + source.count + u64(destination.count);
  const bool few = lines <= most_words && words <= most_words && lines * words <= most_words;
  const i64 steps = few ? steps_by_bits(lane, source, destination, course, low, lines, words)
                        : steps_by_search(lane, source, destination, course);
  if (lane.failed()) return NO_VALUE;
  lane.release(mark);
  return make_pair(lane, vertical ? steps * course.sign : 0, vertical ? 0 : steps * course.sign);
}

HOST_DEVICE inline u32 number_of_bits(u64 word) {
#if defined(__CUDA_ARCH__)
  return u32(__popcll(word));
#else
  return u32(__builtin_popcountll(word));
#endif
}

// Set the bits of places first..first + count - 1.
HOST_DEVICE inline void set_bits(u64* words, u64 first, u64 count) {
  while (count > 0) {
    const u64 skipped = first % 64, here = count < 64 - skipped ? count : 64 - skipped;
    words[first / 64] |= (~u64(0) >> (64 - here)) << skipped;
    first += here;
    count -= here;
  }
}

// The places of a colour in a run of up to 64 cells, as bits.
template <class T>
HOST_DEVICE u64 bits_of_color(const T* cells, u32 count, T color) {
  u64 bits = 0;
  for (u32 k = 0; k < count; ++k) bits |= u64(cells[k] == color) << k;
  return bits;
}

// Keep the bits of `found` whose place has this colour at some distances, one for each cell of the object.
template <class Group, class Distance>
HOST_DEVICE void match_color(Lane<Group>& lane, const Grid& grid, u64* found, u32 words, i64 color, u32 cells,
                             Distance distance) {
  each(lane.group, words, [&](u32 word) {
    for (u64 rest = found[word]; rest; rest &= rest - 1) {
      const u64 place = 64 * u64(word) + lowest_bit(rest);
      for (u32 k = 0; k < cells; ++k) {
        if (grid.at(place + distance(k)) == color) continue;
        found[word] &= ~(rest & -rest);
        break;
      }
    }
  });
}

// The same for all places at once: `mask` has a bit for each place of that colour.
template <class Group, class Distance>
HOST_DEVICE void match_mask(Lane<Group>& lane, const Grid& grid, u64* found, u32 words, u64* mask, i64 color,
                            u32 cells, Distance distance) {
  const u32 size = grid.size();
  const bool possible = grid.wide || fits_bits(color, 8);
  each(lane.group, size / 64 + 2, [&](u32 word) {
    const u32 start = 64 * word;
    const u32 count = start < size && possible ? u32(least(size - start, 64)) : 0;
    mask[word] = grid.wide ? bits_of_color(content<i32>(grid.head) + start, count, i32(color))
                           : bits_of_color(content<i8>(grid.head) + start, count, i8(color));
  });
  each(lane.group, words, [&](u32 word) {
    u64 bits = found[word];
    for (u32 k = 0; k < cells && bits; ++k) bits &= bits_from(mask, 64 * u64(word) + distance(k));
    found[word] = bits;
  });
}

HOST_DEVICE Value op_occurrences(auto& lane, const Grid& grid, const Patch& object) {
  if (object.empty()) {
    const Bounds everywhere{0, 0, grid.height, grid.width};
    return lane.admits(patch_weight(false, area_of(everywhere)), 2) ? make_rectangle(lane, everywhere)
                                                                    : NO_VALUE;
  }
  const Bounds box = bounds_of(lane.group, object);
  const i64 rows = grid.height - box.height() + 1, columns = grid.width - box.width() + 1;
  if (rows < 1 || columns < 1) return EMPTY_SET;
  const u32 width = u32(grid.width), size = grid.size();
  const u32 words = u32((rows - 1) * width + columns - 1) / 64 + 1;
  u64* found = lane.template array<u64>(words + 1);
  u64* mask = lane.template array<u64>(size / 64 + 2);
  if (!found || !mask) return NO_VALUE;
  each(lane.group, words + 1, [&](u32 word) { found[word] = 0; });
  once(lane.group, [&] {
    for (u32 i = 0; i < rows; ++i) set_bits(found, u64(i) * width, u64(columns));
  });
  u32 left = u32(rows * columns);
  // Cells ascend by colour; places of one colour are matched together.
  for (u32 first = 0, last = 0; first < object.count && left; first = last) {
    const i64 color = object.cell(first).color;
    for (last = first; last < object.count && object.cell(last).color == color;) ++last;
    const auto distance = [&](u32 k) {
      const Location at = object.location(first + k);
      return u64(at.i - box.top) * width + u64(at.j - box.left);
    };
    const u32 cells = last - first;
    if (u64(left) * cells <= size) match_color(lane, grid, found, words, color, cells, distance);
    else match_mask(lane, grid, found, words, mask, color, cells, distance);
    left = u32(sum_of(lane.group, words, [&](u32 word) { return number_of_bits(found[word]); }));
  }
  u32* places = lane.template array<u32>(left);
  if (!places) return NO_VALUE;
  once(lane.group, [&] {
    u32 next = 0;
    for (u32 word = 0; word < words; ++word) {
      for (u64 rest = found[word]; rest; rest &= rest - 1) places[next++] = 64 * word + lowest_bit(rest);
    }
  });
  return make_locations(lane, left, [&](u32 k) { return Location{places[k] / width, places[k] % width}; });
}

HOST_DEVICE constexpr bool precedes(const Cell& a, const Cell& b) {
  return a.color != b.color ? a.color < b.color : a.i != b.i ? a.i < b.i : a.j < b.j;
}

// Whether some cell of first..last - 1 that is moved back by `period` stays in the box and is no cell of the
// object. Where it is so is left in `failing`.
CALLED bool has_misfit(const auto& group, const Patch& object, const Bounds& box, Location period, u32 first,
                       u32 last, u32& failing) {
  u32 low = 0;  // moved cells ascend, too, so that what is found never lies before it
  i64 mine = 0;
  const bool found = any_of(group, last - first, [&](u32 k) {
    const Cell cell = object.cell(first + k), moved{cell.color, cell.i - period.i, cell.j - period.j};
    if (moved.i < box.top || moved.j < box.left) return false;
    if (low == 0) {
      for (u32 high = first + k; low < high;) {
        const u32 middle = (low + high) / 2;
        if (precedes(object.cell(middle), moved)) low = middle + 1;
        else high = middle;
      }
    }
    while (precedes(object.cell(low), moved)) ++low;  // it stops at the cell itself at the latest
    const bool misses = precedes(moved, object.cell(low));
    if (misses) mine = first + k;
    return misses;
  });
  if (found) failing = u32(group.max(mine));
  return found;
}

// Only distances from a cell in the last line to one of the same colour in its row or column can be periods.
// Each is tested first where the one before failed: what is wrong there is most often wrong again.
CALLED Value period_of(auto& lane, const Patch& cells, bool vertical) {
  if (cells.empty()) return integer_value(0);
  const Patch object(as_set(lane, cells.value));
  if (lane.failed()) return NO_VALUE;
  const Bounds box = bounds_of(lane.group, object);
  const auto along = [&](const Cell& c) { return vertical ? c.i : c.j; };
  const auto across = [&](const Cell& c) { return vertical ? c.j : c.i; };
  const i64 end = vertical ? box.bottom : box.right;
  const auto position_at_end = [&](u32 k) { return along(object.cell(k)) == end ? k : 0; };
  const u32 far = u32(max_of(lane.group, object.count, 0, position_at_end));
  const Cell last = object.cell(far);
  u32 start = 0;
  for (u32 k = object.count; k-- > 0;) {
    const Cell cell = object.cell(k);
    const i64 distance = end - along(cell);
    if (distance == 0 || cell.color != last.color || across(cell) != across(last)) continue;
    const Location period{vertical ? distance : 0, vertical ? 0 : distance};
    if (!has_misfit(lane.group, object, box, period, start, object.count, start) &&
        !has_misfit(lane.group, object, box, period, 0, start, start))
      return make_integer(lane, distance);
  }
  return make_integer(lane, vertical ? box.height() : box.width());
}

HOST_DEVICE Value op_hperiod(auto& lane, const Patch& object) { return period_of(lane, object, false); }
HOST_DEVICE Value op_vperiod(auto& lane, const Patch& object) { return period_of(lane, object, true); }

}  // namespace arcbatt
