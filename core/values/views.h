// Views: how ops look at packed values without caring for their form.
#pragma once

#include "values/lane.h"

namespace arcbatt {

// A grid, `()` included. Row i, column j is (i, j).
struct Grid {
  const Head* head;
  i64 height, width;
  bool wide;

  HOST_DEVICE Grid(Value v) : head(v.head()), height(0), width(0), wide(false) {
    if (!v.is_heap()) return;
    height = head->count;
    width = head->detail;
    wide = head->form == Form::grid;
  }
  HOST_DEVICE i64 at(u64 place) const { return wide ? content<i32>(head)[place] : content<i8>(head)[place]; }
  HOST_DEVICE i64 operator()(i64 i, i64 j) const { return at(i * width + j); }
  HOST_DEVICE bool holds(i64 i, i64 j) const { return i >= 0 && j >= 0 && i < height && j < width; }
  HOST_DEVICE u32 size() const { return u32(height * width); }
  HOST_DEVICE Value value() const { return head && height ? heap_value(head) : EMPTY_TUPLE; }
};

// A patch in any of its forms: Set or Tuple, of locations or of cells.
struct Patch {
  Value value;
  u32 count;
  bool colored;  // it holds cells
  bool packed;   // its elements are keys

  CALLED Patch(Value v) : value(v), count(count_of(v)), colored(false), packed(false) {
    if (v.tag() == Tag::cell || v.tag() == Tag::pair || !v.is_heap()) return;
    switch (v.form()) {
      case Form::cells:
      case Form::cell_tuple: colored = packed = true; break;
      case Form::locations: packed = true; break;
      case Form::tuple:
      case Form::set: colored = (v.head()->detail & CELL_CLASS) != 0; break;
      default: break;  // a Tuple of locations is a grid of two columns
    }
  }
  HOST_DEVICE bool empty() const { return count == 0; }
  HOST_DEVICE bool is_set() const { return arcbatt::is_set(value); }
  HOST_DEVICE const u32* keys() const { return content<u32>(value.head()); }
  CALLED Cell cell(u32 k) const {
    if (packed) return cell_of(keys()[k]);
    const Head* head = value.head();
    if (head->form == Form::bytes_grid) return {0, content<i8>(head)[2 * k], content<i8>(head)[2 * k + 1]};
    if (head->form == Form::grid) return {0, content<i32>(head)[2 * k], content<i32>(head)[2 * k + 1]};
    const Value element = content<Value>(head)[k];
    if (colored) return cell_of(element);
    const Location at = location_of(element);
    return {0, at.i, at.j};
  }
  HOST_DEVICE Location location(u32 k) const {
    const Cell c = cell(k);
    return {c.i, c.j};
  }
};

// A Tuple or Set of Integers, but for those without elements.
HOST_DEVICE inline bool holds_integers(Value v) {
  return v.tag() == Tag::pair || v.has_form(Form::integers) || v.has_form(Form::integer_set);
}

HOST_DEVICE inline i64 integer_at(Value v, u32 k) {
  if (v.tag() == Tag::pair) return k ? location_of(v).j : location_of(v).i;
  return content<i32>(v.head())[k];
}

struct Bounds {
  i64 top, left, bottom, right;
  HOST_DEVICE i64 height() const { return bottom - top + 1; }
  HOST_DEVICE i64 width() const { return right - left + 1; }
  HOST_DEVICE Location middle() const { return {top + height() / 2, left + width() / 2}; }
};

// Whether the keys of a packed patch ascend by location: a Set of locations, or of cells of one colour.
HOST_DEVICE inline bool ascends_by_location(const Patch& patch) {
  if (!patch.packed || patch.value.form() == Form::cell_tuple) return false;
  const u32* keys = patch.keys();
  return (keys[0] ^ keys[patch.count - 1]) <= LOCATION_BITS;
}

template <class Group>
HOST_DEVICE Bounds bounds_of_keys(const Group& group, const Patch& patch) {
  const u32* keys = patch.keys();
  i32 top = LOCATION_BITS, left = 4095, bottom = 0, right = 0;
  for (u32 k = group.rank(); k < patch.count; k += group.size()) {
    const i32 column = keys[k] & 4095;
    left = column < left ? column : left;
    right = column > right ? column : right;
  }
  if (ascends_by_location(patch)) {
    top = keys[0] & LOCATION_BITS;
    bottom = keys[patch.count - 1] & LOCATION_BITS;
  } else {
    for (u32 k = group.rank(); k < patch.count; k += group.size()) {
      const i32 row = keys[k] & LOCATION_BITS;
      top = row < top ? row : top;
      bottom = row > bottom ? row : bottom;
    }
  }
  const i64 first = group.min(top) >> 12, last = group.max(bottom) >> 12;
  return {first - 2048, group.min(left) - 2048, last - 2048, group.max(right) - 2048};
}

// The bounding box of a patch that is not empty.
template <class Group>
CALLED Bounds bounds_of(const Group& group, const Patch& patch) {
  if (patch.packed) return bounds_of_keys(group, patch);
  Bounds box{HIGHEST, HIGHEST, LOWEST, LOWEST};
  for (u32 k = group.rank(); k < patch.count; k += group.size()) {
    const Location at = patch.location(k);
    box.top = least(box.top, at.i);
    box.left = least(box.left, at.j);
    box.bottom = most(box.bottom, at.i);
    box.right = most(box.right, at.j);
  }
  return {group.min(box.top), group.min(box.left), group.max(box.bottom), group.max(box.right)};
}

}  // namespace arcbatt
