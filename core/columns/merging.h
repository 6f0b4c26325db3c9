// Merging without building: locations that ops give for columns of locations go to a bitboard, and no result
// is made for a single element.
#pragma once

#include "columns/kernels.h"
#include "ops/lines.h"
#include "values/bitboard.h"

namespace arcbatt {

// What an op gives for one element: a line of locations, some of the eight around one, or a patch that moves.
enum class Drawn : u8 { nothing, line, surroundings, patch };

HOST_DEVICE constexpr Drawn drawn_by(u32 op) {
  switch (op) {
    case number::connect_:
    case number::shoot_:
    case number::hfrontier_:
    case number::vfrontier_: return Drawn::line;
    case number::neighbors_:
    case number::dneighbors_:
    case number::ineighbors_: return Drawn::surroundings;
    case number::shift_: return Drawn::patch;
    default: return Drawn::nothing;
  }
}

// The arguments of an op for all elements: the coordinates of one or two locations, and a patch that is the
// same for all. With `colors` what it gives is recoloured.
struct Drawing {
  u32 op, count;
  i32* const* coordinates;
  const i32* colors;
  Value patch;

  HOST_DEVICE bool is_colored() const { return colors || patch.has_form(Form::cells); }

  HOST_DEVICE Location location(u32 k) const { return {coordinates[0][k], coordinates[1][k]}; }
  HOST_DEVICE Location second(u32 k) const { return {coordinates[2][k], coordinates[3][k]}; }
};

// A line: from a location to another by steps of one row, one column, or both. It has no locations if the two
// are not in line.
struct Segment {
  Location from, to;
  u64 count;  // of its locations
  HOST_DEVICE i32 down() const { return i32(sign_of(to.i - from.i)); }
  HOST_DEVICE i32 right() const { return i32(sign_of(to.j - from.j)); }
};

HOST_DEVICE inline Segment segment_of(const Drawing& drawing, u32 k) {
  Location a = drawing.location(k), b = a;
  switch (drawing.op) {
    case number::connect_: b = drawing.second(k); break;
    case number::shoot_: {
      const Location direction = drawing.second(k);
      b = {a.i + REACH * direction.i, a.j + REACH * direction.j};
      break;
    }
    case number::hfrontier_:
      a.j = 0;
      b.j = FRONTIER - 1;
      break;
    default: a.i = 0; b.i = FRONTIER - 1;
  }
  const i64 down = magnitude(b.i - a.i), right = magnitude(b.j - a.j);
  // An end beyond the range of Integers stays, in line or not: it fits no key, so that the op itself fails.
  if (down && right && down != right && fits(b.i) && fits(b.j)) return {a, a, 0};
  return {a, b, u64(most(down, right)) + 1};
}

// The box of what is drawn for one element, and how many locations it has.
struct DrawnExtent {
  Bounds box;
  u64 count;
};

HOST_DEVICE inline DrawnExtent extent_of(const Drawing& drawing, const Bounds& patch, u32 k) {
  const Location at = drawing.location(k);
  switch (drawn_by(drawing.op)) {
    case Drawn::line: {
      const Segment line = segment_of(drawing, k);
      return {{least(line.from.i, line.to.i), least(line.from.j, line.to.j), most(line.from.i, line.to.i),
               most(line.from.j, line.to.j)},
              line.count};
    }
    case Drawn::surroundings:
      return {{at.i - 1, at.j - 1, at.i + 1, at.j + 1}, drawing.op == number::neighbors_ ? 8u : 4u};
    default:
      return {{patch.top + at.i, patch.left + at.j, patch.bottom + at.i, patch.right + at.j},
              count_of(drawing.patch)};
  }
}

// Which of the nine locations at and around one an op gives, as bits in reading order.
HOST_DEVICE constexpr u32 surroundings_of(u32 op) {
  return op == number::neighbors_ ? 0b111101111 : op == number::dneighbors_ ? 0b010101010 : 0b101000101;
}

template <class Group>
HOST_DEVICE void draw(const Bitboard<Group>& board, const Drawing& drawing, u32 k) {
  const Location at = drawing.location(k);
  const i64 color = drawing.colors ? drawing.colors[k] : 0;
  switch (drawn_by(drawing.op)) {
    case Drawn::line: {
      const Segment line = segment_of(drawing, k);
      const u32 first = key_of(Cell{color, line.from.i, line.from.j});
      if (line.count > 0) board.put_line(first, line.down(), line.right(), u32(line.count));
      return;
    }
    case Drawn::surroundings: {
      for (u32 rest = surroundings_of(drawing.op); rest; rest &= rest - 1) {
        const u32 place = lowest_bit(rest);
        board.put(key_of(Cell{color, at.i + place / 3 - 1, at.j + place % 3 - 1}));
      }
      return;
    }
    default: {
      const u32* keys = content<u32>(drawing.patch.head());
      const u32 by = u32(color * (1 << 24) + at.i * 4096 + at.j), count = count_of(drawing.patch);
      for (u32 m = 0; m < count; ++m) board.put(keys[m] + by);
    }
  }
}

// How many locations are drawn for all elements together, and for one at most.
struct DrawnCount {
  u64 total, most;
};

constexpr u64 LARGEST_BOARD = 1 << 14;  // words

// A box with the range of all colours that are drawn; the lane fails if they do not fit keys.
template <class Group>
HOST_DEVICE KeyBox colors_of(Lane<Group>& lane, const Drawing& drawing) {
  KeyBox box{NO_COLOR, 1, 0, 0, 0, 0};
  if (drawing.colors) {
    const auto color = [&](u32 k) { return i64(drawing.colors[k]); };
    const i64 low = min_of(lane.group, drawing.count, HIGHEST, color);
    const i64 high = max_of(lane.group, drawing.count, LOWEST, color);
    if (!fits_bits(low, 8) || !fits_bits(high, 8)) lane.fail(Status::overflow);
    box.color = u32(low + 128);
    box.colors = u32(high - low + 1);
  } else if (drawing.patch.has_form(Form::cells)) {  // keys ascend by colour
    const u32* keys = content<u32>(drawing.patch.head());
    box.color = keys[0] >> 24;
    box.colors = (keys[count_of(drawing.patch) - 1] >> 24) - box.color + 1;
  }
  return box;
}

// The Set of all locations, or cells, that are drawn. The lane fails if they do not all fit keys, or
// one board: the results then have to be made one by one.
template <class Group>
CALLED Value drawn_set(Lane<Group>& lane, const Drawing& drawing, DrawnCount& drawn) {
  Bounds patch{0, 0, 0, 0};
  if (drawing.patch.is_heap()) patch = bounds_of(lane.group, Patch(drawing.patch));
  Bounds box{HIGHEST, HIGHEST, LOWEST, LOWEST};
  i64 total = 0, largest = 0;
  for (u32 k = lane.group.rank(); k < drawing.count; k += lane.group.size()) {
    const DrawnExtent here = extent_of(drawing, patch, k);
    total += i64(here.count);
    largest = most(largest, i64(here.count));
    box = {least(box.top, here.box.top), least(box.left, here.box.left), most(box.bottom, here.box.bottom),
           most(box.right, here.box.right)};
  }
  box = {lane.group.min(box.top), lane.group.min(box.left), lane.group.max(box.bottom),
         lane.group.max(box.right)};
  drawn = {u64(lane.group.sum(total)), u64(lane.group.max(largest))};
  if (drawn.total == 0) return EMPTY_SET;
  KeyBox room = colors_of(lane, drawing);
  if (lane.failed() || !fits_keys(box)) return lane.fail(Status::overflow);
  room = {room.color,        room.colors,          u32(box.top + 2048),
          u32(box.height()), u32(box.left + 2048), u32(box.width())};
  if (room.words() > LARGEST_BOARD) return lane.fail(Status::overflow);
  Scratch<Group> scratch(lane);
  const Bitboard<Group> board(lane, scratch, room);
  if (!board.exists()) return NO_VALUE;
  each(lane.group, drawing.count, [&](u32 k) { draw(board, drawing, k); });
  Head* head = new_keys(lane, drawing.is_colored(), board.count());
  if (!head) return NO_VALUE;
  board.write(content<u32>(head));
  return heap_value(head);
}

}  // namespace arcbatt
