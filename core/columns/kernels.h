// Kernels: ops over whole columns of numbers. Every other op runs by its body, element by element.
#pragma once

#include "columns/column.h"
#include "ops/grids.h"
#include "ops/numbers.h"
#include "values/membership.h"

namespace arcbatt {

// The arguments of a step: the places of their columns.
struct StepColumns {
  u8 args[MOST_PARAMETERS];
  u32 count;  // of elements
};

// A number, and whether it has left the range of Integers: `left` is then below 0. In 32 bits a loop over a
// column becomes vector instructions.
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

// An op whose number is known where its kernel is compiled.
template <u32 number>
struct KnownOp {
  HOST_DEVICE constexpr operator u32() const { return number; }
};

// What an op gives for Integers; y does not count for ops of one.
HOST_DEVICE constexpr Ranged number_of(u32 op, i32 x, i32 y) {
  switch (op) {
    case number::add_: return sum(x, y);
    case number::subtract_: return difference(x, y);
    case number::multiply_: return ranged(i64(x) * y);
    case number::invert_: return difference(0, x);
    case number::double_: return sum(x, x);
    case number::halve_: return {x >> 1, 0};
    case number::increment_: return sum(x, 1);
    case number::decrement_: return difference(x, 1);
    case number::crement_: return sum(x, (x > 0) - (x < 0));
    case number::sign_: return {(x > 0) - (x < 0), 0};
    case number::even_: return {~x & 1, 0};
    case number::positive_: return {x > 0, 0};
    case number::flip_: return {x == 0, 0};
    case number::greater_: return {x > y, 0};
    case number::both_: return {x ? y : x, 0};
    default: return {x ? x : y, 0};  // either
  }
}

// Whether an op goes through the components of locations, too.
HOST_DEVICE constexpr bool takes_locations(u32 op) {
  switch (op) {
    case number::even_:
    case number::positive_:
    case number::flip_:
    case number::greater_:
    case number::both_:
    case number::either_: return false;
    default: return true;
  }
}

// A column of what an op gives for the Integers of two, or NO_COLUMN with the lane failed if one leaves the
// range.
template <class Group, class Op>
CALLED u8 mapped(Columns<Group>& columns, Op op, const i32* a, const i32* b, u32 count) {
  i32* to = columns.new_numbers();
  if (!to) return NO_COLUMN;
  i32 left = 0;
  each(columns.lane.group, count, [&](u32 k) {
    const Ranged made = number_of(op, a[k], b[k]);
    to[k] = made.number;
    left |= made.left;
  });
  if (columns.lane.group.any(left < 0)) columns.lane.fail(Status::RANGE);
  return columns.lane.failed() ? NO_COLUMN : columns.add_integers(to);
}

// An op of one or two columns of Integers or, with their components, of locations.
template <class Group, class Op>
CALLED u8 computed(Columns<Group>& columns, Op op, const StepColumns& at) {
  const Column a = columns[at.args[0]], b = columns[at.args[OPS[op].arity - 1]];
  const bool one = a.shape == Shape::integers, other = b.shape == Shape::integers;
  if (one && other) return mapped(columns, op, a.numbers, b.numbers, at.count);
  if (!takes_locations(op)) return NO_COLUMN;
  if ((!one && !is_locations(columns, a)) || (!other && !is_locations(columns, b))) return NO_COLUMN;
  const u8 first = mapped(columns, op, one ? a.numbers : columns[a.first].numbers,
                          other ? b.numbers : columns[b.first].numbers, at.count);
  if (first == NO_COLUMN) return first;
  const u8 last = mapped(columns, op, one ? a.numbers : columns[a.last].numbers,
                         other ? b.numbers : columns[b.last].numbers, at.count);
  return columns.add_pairs(first, last);
}

// The same by a loop for this op alone or, where code must stay small, by one for all such ops.
template <u32 op, class Group>
HOST_DEVICE u8 computed(Columns<Group>& columns, const StepColumns& at) {
  if constexpr (Group::SMALL_CODE) return computed(columns, op, at);
  else return computed(columns, KnownOp<op>{}, at);
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
CALLED u8 equality_of(Columns<Group>& columns, const StepColumns& at) {
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
CALLED u8 indexed(Columns<Group>& columns, const StepColumns& at) {
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
CALLED u8 contained_in(Columns<Group>& columns, const StepColumns& at) {
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
CALLED u8 chosen(Columns<Group>& columns, const StepColumns& at) {
  const Column condition = columns[at.args[0]], a = columns[at.args[1]], b = columns[at.args[2]];
  if (condition.shape != Shape::integers || a.shape != Shape::integers || b.shape != Shape::integers)
    return NO_COLUMN;
  return columns.fill(at.count, [&](u32 k) { return condition.numbers[k] ? a.numbers[k] : b.numbers[k]; });
}

template <class Group>
CALLED u8 beside_zeros(Columns<Group>& columns, const StepColumns& at, bool zeros_first) {
  if (columns[at.args[0]].shape != Shape::integers) return NO_COLUMN;
  const u8 zeros = columns.fill(at.count, [](u32) { return 0; });
  return zeros_first ? columns.add_pairs(zeros, at.args[0]) : columns.add_pairs(at.args[0], zeros);
}

// Whether the kernel of an op serves one that restricts it: all elements of a column of numbers are alike.
// `places` has the columns of registers, `args` the registers of the arguments.
template <class Group>
HOST_DEVICE bool admits_columns(const Columns<Group>& columns, const u8* places, u32 op, const u8* args) {
  if (BODIES[op] == op) return true;
  for (u32 k = 0; k < OPS[op].arity; ++k) {
    const Value any = any_of_column(columns, columns[places[args[k]]]);
    const ParamRecord& param = OPS[op].params[k];
    if (!any.exists() || !admits(param.type, any) || param.need == Need::nonzero) return false;
    if (param.need == Need::filled && lacks(param.type, any)) return false;
  }
  return true;
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
    case number::add_: return computed<number::add_>(columns, at);
    case number::subtract_: return computed<number::subtract_>(columns, at);
    case number::multiply_: return computed<number::multiply_>(columns, at);
    case number::invert_: return computed<number::invert_>(columns, at);
    case number::double_: return computed<number::double_>(columns, at);
    case number::halve_: return computed<number::halve_>(columns, at);
    case number::increment_: return computed<number::increment_>(columns, at);
    case number::decrement_: return computed<number::decrement_>(columns, at);
    case number::crement_: return computed<number::crement_>(columns, at);
    case number::sign_: return computed<number::sign_>(columns, at);
    case number::even_: return computed<number::even_>(columns, at);
    case number::positive_: return computed<number::positive_>(columns, at);
    case number::flip_: return computed<number::flip_>(columns, at);
    case number::greater_: return computed<number::greater_>(columns, at);
    case number::both_: return computed<number::both_>(columns, at);
    case number::either_: return computed<number::either_>(columns, at);
    case number::toivec_: return beside_zeros(columns, at, false);
    case number::tojvec_: return beside_zeros(columns, at, true);
    case number::branch_: return chosen(columns, at);
    case number::index_: return indexed(columns, at);
    case number::contained_: return contained_in(columns, at);
    default: return NO_COLUMN;
  }
}

}  // namespace arcbatt
