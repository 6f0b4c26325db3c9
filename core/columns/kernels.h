// Kernels: ops over whole columns of numbers. Every other op runs by its body, element by element.
#pragma once

#include "columns/column.h"
#include "ops/grids.h"
#include "ops/numbers.h"
#include "values/membership.h"

namespace arcbatt {

// The arguments and the result of a step: places of columns.
struct StepColumns {
  u8 args[MOST_PARAMETERS];
  u32 count;  // of elements
};

// A number and whether it has left the range of Integers: all 32 bits of `left`, or its sign alone. In 32
// bits a loop over a column becomes vector instructions.
struct Ranged {
  i32 number, left;
};

HOST_DEVICE constexpr Ranged ranged(i64 number) { return {i32(number), number == i32(number) ? 0 : -1}; }
HOST_DEVICE constexpr Ranged sum(i32 x, i32 y) {
  const i32 made = i32(u32(x) + u32(y));
  return {made, (x ^ made) & (y ^ made)};
}
HOST_DEVICE constexpr Ranged difference(i32 x, i32 y) {
  const i32 made = i32(u32(x) - u32(y));
  return {made, (x ^ y) & (x ^ made)};
}

// A column of number(x) for the Integers x of one, or NO_COLUMN with the lane failed if one leaves the range.
template <class Group, class Number>
HOST_DEVICE u8 mapped(Columns<Group>& columns, const i32* from, u32 count, Number number) {
  i32* to = columns.new_numbers();
  if (!to) return NO_COLUMN;
  i32 left = 0;
  each(columns.lane.group, count, [&](u32 k) {
    const Ranged made = number(from[k]);
    to[k] = made.number;
    left |= made.left;
  });
  if (columns.lane.group.any(left < 0)) columns.lane.fail(Status::RANGE);
  return columns.lane.failed() ? NO_COLUMN : columns.add_integers(to);
}

// The same for Integers of two columns.
template <class Group, class Number>
HOST_DEVICE u8 mapped(Columns<Group>& columns, const i32* a, const i32* b, u32 count, Number number) {
  i32* to = columns.new_numbers();
  if (!to) return NO_COLUMN;
  i32 left = 0;
  each(columns.lane.group, count, [&](u32 k) {
    const Ranged made = number(a[k], b[k]);
    to[k] = made.number;
    left |= made.left;
  });
  if (columns.lane.group.any(left < 0)) columns.lane.fail(Status::RANGE);
  return columns.lane.failed() ? NO_COLUMN : columns.add_integers(to);
}

// Integers alone, or the components of locations.
template <class Group, class Number>
HOST_DEVICE u8 per_component(Columns<Group>& columns, const StepColumns& at, Number number) {
  const Column a = columns[at.args[0]];
  if (a.shape == Shape::integers) return mapped(columns, a.numbers, at.count, number);
  if (!is_locations(columns, a)) return NO_COLUMN;
  const u8 first = mapped(columns, columns[a.first].numbers, at.count, number);
  if (first == NO_COLUMN) return first;
  return columns.add_pairs(first, mapped(columns, columns[a.last].numbers, at.count, number));
}

template <class Group, class Number>
HOST_DEVICE u8 per_two_components(Columns<Group>& columns, const StepColumns& at, Number number) {
  const Column a = columns[at.args[0]], b = columns[at.args[1]];
  const bool one = a.shape == Shape::integers, other = b.shape == Shape::integers;
  if (one && other) return mapped(columns, a.numbers, b.numbers, at.count, number);
  if ((!one && !is_locations(columns, a)) || (!other && !is_locations(columns, b))) return NO_COLUMN;
  const u8 first = mapped(columns, one ? a.numbers : columns[a.first].numbers,
                          other ? b.numbers : columns[b.first].numbers, at.count, number);
  if (first == NO_COLUMN) return first;
  const u8 last = mapped(columns, one ? a.numbers : columns[a.last].numbers,
                         other ? b.numbers : columns[b.last].numbers, at.count, number);
  return columns.add_pairs(first, last);
}

// The Integers of one argument, or of two, through a function whose results are in range.
template <class Group, class Number>
HOST_DEVICE u8 per_integer(Columns<Group>& columns, const StepColumns& at, Number number) {
  const Column a = columns[at.args[0]];
  if (a.shape != Shape::integers) return NO_COLUMN;
  return columns.fill(at.count, [&](u32 k) { return number(a.numbers[k]); });
}

template <class Group, class Number>
HOST_DEVICE u8 per_two_integers(Columns<Group>& columns, const StepColumns& at, Number number) {
  const Column a = columns[at.args[0]], b = columns[at.args[1]];
  if (a.shape != Shape::integers || b.shape != Shape::integers) return NO_COLUMN;
  return columns.fill(at.count, [&](u32 k) { return number(a.numbers[k], b.numbers[k]); });
}

// The arrays of a column of Integers, or of pairs of simple ones.
struct Leaves {
  const i32* numbers[6];
  u32 count = 0;

  template <class Group>
  HOST_DEVICE void add(const Columns<Group>& columns, const Column& column) {
    const Column* open = &column;  // the last part of a pair is the only one that may be a pair again
    while (open->shape == Shape::pairs) {
      const Column& first = columns[open->first];
      if (first.shape != Shape::integers) return;
      numbers[count++] = first.numbers;
      open = &columns[open->last];
    }
    numbers[count++] = open->numbers;
  }
};

template <class Group>
HOST_DEVICE Leaves leaves_of(const Columns<Group>& columns, const Column& column) {
  Leaves leaves;
  if (is_simple(columns, column)) {
    leaves.add(columns, column);
  } else {
    leaves.add(columns, columns[column.first]);
    leaves.add(columns, columns[column.last]);
  }
  return leaves;
}

// Whether the elements of two columns have the same structure: both are made of pairs in the same way.
template <class Group>
HOST_DEVICE bool is_alike(const Columns<Group>& columns, const Column& a, const Column& b) {
  if (a.shape != b.shape || a.weight != b.weight || a.nest != b.nest) return false;
  if (a.shape == Shape::integers || is_simple(columns, a) != is_simple(columns, b)) {
    return a.shape == Shape::integers;
  }
  if (is_simple(columns, a)) return true;
  return columns[a.first].weight == columns[b.first].weight;
}

template <class Group>
HOST_DEVICE u8 equality_of(Columns<Group>& columns, const StepColumns& at) {
  const Column a = columns[at.args[0]], b = columns[at.args[1]];
  if (a.shape == Shape::values || b.shape == Shape::values) return NO_COLUMN;
  if (!is_alike(columns, a, b)) return columns.fill(at.count, [](u32) { return 0; });
  const Leaves left = leaves_of(columns, a), right = leaves_of(columns, b);
  i32* same = columns.new_numbers();
  if (!same) return NO_COLUMN;
  each(columns.lane.group, at.count, [&](u32 k) { same[k] = left.numbers[0][k] == right.numbers[0][k]; });
  for (u32 leaf = 1; leaf < left.count; ++leaf) {
    const i32 *x = left.numbers[leaf], *y = right.numbers[leaf];
    each(columns.lane.group, at.count, [&](u32 k) { same[k] &= x[k] == y[k]; });
  }
  return columns.add_integers(same);
}

template <class Group>
HOST_DEVICE u8 part_of_pair(const Columns<Group>& columns, const StepColumns& at, bool last) {
  const Column a = columns[at.args[0]];
  if (a.shape != Shape::pairs) return NO_COLUMN;
  return last ? a.last : a.first;
}

template <class Group>
HOST_DEVICE u8 tuple_of_two(Columns<Group>& columns, const StepColumns& at) {
  const Column a = columns[at.args[0]], b = columns[at.args[1]];
  if (!is_simple(columns, a) || !is_simple(columns, b)) return NO_COLUMN;
  return columns.add_pairs(at.args[0], at.args[1]);
}

// Colours of a grid at locations; the lane fails if one is outside.
template <class Group>
HOST_DEVICE u8 indexed(Columns<Group>& columns, const StepColumns& at) {
  const Column a = columns[at.args[0]], b = columns[at.args[1]];
  if (!a.is_uniform || !is_grid(a.values[0]) || !is_locations(columns, b)) return NO_COLUMN;
  const Grid grid(a.values[0]);
  const i32 *rows = columns[b.first].numbers, *others = columns[b.last].numbers;
  const auto is_outside = [&](u32 k) { return !grid.holds(rows[k], others[k]); };
  if (any_of(columns.lane.group, at.count, is_outside)) {
    columns.lane.fail(Status::INDEX);
    return NO_COLUMN;
  }
  return columns.fill(at.count, [&](u32 k) { return grid(rows[k], others[k]); });
}

// Whether a container that is the same for every element holds Integers, locations or cells. A long Tuple
// becomes a Set first.
template <class Group>
HOST_DEVICE u8 contained_in(Columns<Group>& columns, const StepColumns& at) {
  const Column a = columns[at.args[0]], b = columns[at.args[1]];
  if (!b.is_uniform || !b.values[0].is_heap() || a.shape == Shape::values) return NO_COLUMN;
  const bool is_searched = is_tuple(b.values[0]) && count_of(b.values[0]) > FEW && at.count > FEW;
  const Value container = is_searched ? as_set(columns.lane, b.values[0]) : b.values[0];
  if (columns.lane.failed()) return NO_COLUMN;
  const Head* head = container.head();
  if (head->form == Form::integer_set && a.shape == Shape::integers) {
    return columns.fill(at.count,
                        [&](u32 k) { return found_in(content<i32>(head), head->count, a.numbers[k]); });
  }
  const bool colored = head->form == Form::cells && is_cells(columns, a);
  if (!colored && !(head->form == Form::locations && is_locations(columns, a))) return NO_COLUMN;
  const Column& locations = colored ? columns[a.last] : a;
  const i32* colors = colored ? columns[a.first].numbers : nullptr;
  const i32 *rows = columns[locations.first].numbers, *others = columns[locations.last].numbers;
  return columns.fill(at.count, [&](u32 k) {
    const Cell c{colors ? colors[k] : 0, rows[k], others[k]};
    return fits_key(c) && found_in(content<u32>(head), head->count, key_of(c));
  });
}

template <class Group>
HOST_DEVICE u8 chosen(Columns<Group>& columns, const StepColumns& at) {
  const Column condition = columns[at.args[0]], a = columns[at.args[1]], b = columns[at.args[2]];
  if (condition.shape != Shape::integers || a.shape != Shape::integers || b.shape != Shape::integers)
    return NO_COLUMN;
  return columns.fill(at.count, [&](u32 k) { return condition.numbers[k] ? a.numbers[k] : b.numbers[k]; });
}

template <class Group>
HOST_DEVICE u8 beside_zeros(Columns<Group>& columns, const StepColumns& at, bool zeros_first) {
  if (columns[at.args[0]].shape != Shape::integers) return NO_COLUMN;
  const u8 zeros = columns.fill(at.count, [](u32) { return 0; });
  return zeros_first ? columns.add_pairs(zeros, at.args[0]) : columns.add_pairs(at.args[0], zeros);
}

// The result of an op on columns; NO_COLUMN if there is no kernel for them, or the lane failed.
template <class Group>
CALLED u8 run_kernel(Columns<Group>& columns, u32 op, const StepColumns& at) {
  switch (op) {
    case number::identity_: return at.args[0];
    case number::first_: return part_of_pair(columns, at, false);
    case number::last_: return part_of_pair(columns, at, true);
    case number::astuple_: return tuple_of_two(columns, at);
    case number::equality_:
    case number::CALL: return equality_of(columns, at);
    case number::add_: return per_two_components(columns, at, [](i32 x, i32 y) { return sum(x, y); });
    case number::subtract_:
      return per_two_components(columns, at, [](i32 x, i32 y) { return difference(x, y); });
    case number::multiply_:
      return per_two_components(columns, at, [](i32 x, i32 y) { return ranged(i64(x) * y); });
    case number::invert_: return per_component(columns, at, [](i32 x) { return difference(0, x); });
    case number::double_: return per_component(columns, at, [](i32 x) { return sum(x, x); });
    case number::halve_: return per_component(columns, at, [](i32 x) { return Ranged{x >> 1, 0}; });
    case number::increment_: return per_component(columns, at, [](i32 x) { return sum(x, 1); });
    case number::decrement_: return per_component(columns, at, [](i32 x) { return difference(x, 1); });
    case number::crement_: return per_component(columns, at, [](i32 x) { return sum(x, (x > 0) - (x < 0)); });
    case number::sign_: return per_component(columns, at, [](i32 x) { return Ranged{(x > 0) - (x < 0), 0}; });
    case number::even_: return per_integer(columns, at, [](i32 x) { return ~x & 1; });
    case number::positive_: return per_integer(columns, at, [](i32 x) { return x > 0; });
    case number::flip_: return per_integer(columns, at, [](i32 x) { return x == 0; });
    case number::greater_: return per_two_integers(columns, at, [](i32 x, i32 y) { return x > y; });
    case number::both_: return per_two_integers(columns, at, [](i32 x, i32 y) { return x ? y : x; });
    case number::either_: return per_two_integers(columns, at, [](i32 x, i32 y) { return x ? x : y; });
    case number::toivec_: return beside_zeros(columns, at, false);
    case number::tojvec_: return beside_zeros(columns, at, true);
    case number::branch_: return chosen(columns, at);
    case number::index_: return indexed(columns, at);
    case number::contained_: return contained_in(columns, at);
    default: return NO_COLUMN;
  }
}

}  // namespace arcbatt
