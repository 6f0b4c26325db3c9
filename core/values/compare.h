// Canonical order and equality of packed values, without recursion.
#pragma once

#include "table.h"
#include "values/views.h"

namespace arcbatt {

// A value or, in `grid` and `row`, a row of a grid that has no value of its own.
struct Item {
  Value value;
  const Head* grid;
  u32 row;
};

HOST_DEVICE inline Item item(Value v) { return {v, nullptr, 0}; }

HOST_DEVICE inline i64 grid_at(const Head* grid, u64 place) {
  return grid->form == Form::grid ? content<i32>(grid)[place] : content<i8>(grid)[place];
}

HOST_DEVICE inline u32 count_of(const Item& it) { return it.grid ? it.grid->detail : count_of(it.value); }

// Element k of a container, or part k of a function.
CALLED inline Item element_of(const Item& it, u32 k) {
  if (it.grid) return item(integer_value(grid_at(it.grid, u64(it.row) * it.grid->detail + k)));
  const Value v = it.value;
  if (v.tag() == Tag::pair) return item(integer_value(integer_at(v, k)));
  if (v.tag() == Tag::cell) {
    const Cell c = cell_of(v);
    return item(k ? inline_pair(c.i, c.j) : integer_value(c.color));
  }
  const Head* head = v.head();
  switch (head->form) {
    case Form::bytes_grid:
    case Form::grid: return {NO_VALUE, head, k};
    case Form::integers:
    case Form::integer_set: return item(integer_value(content<i32>(head)[k]));
    case Form::locations: {
      const Cell c = cell_of(content<u32>(head)[k]);
      return item(inline_pair(c.i, c.j));
    }
    case Form::cell_tuple:
    case Form::cells: return item(inline_cell(cell_of(content<u32>(head)[k])));
    default: return item(content<Value>(head)[k]);
  }
}

HOST_DEVICE inline int kind_rank(const Item& it) {
  if (it.grid) return 1;
  if (it.value.is_integer()) return 0;
  return is_tuple(it.value) ? 1 : is_set(it.value) ? 2 : 3;
}

HOST_DEVICE inline int order_of(i64 a, i64 b) { return a < b ? -1 : a > b; }

template <class T>
HOST_DEVICE int order_of_arrays(const T* a, u32 count_a, const T* b, u32 count_b) {
  const u32 shared = count_a < count_b ? count_a : count_b;
  for (u32 k = 0; k < shared; ++k) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return order_of(count_a, count_b);
}

enum class OrderRule : u8 { canonical, rank };  // ranking compares Sets by their number of elements

constexpr int UNDECIDED = 2;

HOST_DEVICE inline u32 function_name(Value v) { return v.is_heap() ? v.head()->detail : u32(v.word >> 32); }

// The place of a function's name in ASCII order, with room between the op table's names for foreign ones.
HOST_DEVICE inline u32 name_place(Value v) {
  const u32 op = function_name(v);
  return is_foreign(op) ? u32(v.word >> 16 & 65535) : (NAME_RANKS[op] + 1) * NAMES_BETWEEN;
}

// A number in the order of inline pairs, or of inline cells: their numbers, most significant first.
HOST_DEVICE inline u64 inline_key(Value v) {
  const u64 lower = v.tag() == Tag::pair ? u64(1) << 33 : u64(1) << 51 | u64(1) << 27;
  return v.word ^ (u64(1) << 63 | lower);
}

// The order of two inline pairs, or of two inline cells.
HOST_DEVICE inline int order_of_inline(Value a, Value b) {
  const u64 x = inline_key(a), y = inline_key(b);
  return x < y ? -1 : x > y;
}

// The order of two items if it can be decided without their elements, else UNDECIDED.
CALLED inline int shallow_order(const Item& a, const Item& b, OrderRule rule) {
  const int kind_a = kind_rank(a), kind_b = kind_rank(b);
  if (kind_a != kind_b) return order_of(kind_a, kind_b);
  if (kind_a == 0) return order_of(a.value.integer(), b.value.integer());
  if (kind_a == 3) {
    if (a.value.same_word(b.value)) return 0;
    const int names = order_of(name_place(a.value), name_place(b.value));
    return names ? names : UNDECIDED;
  }
  const u32 count_a = count_of(a), count_b = count_of(b);
  if (kind_a == 2 && rule == OrderRule::rank) return order_of(count_a, count_b);
  if (count_a == 0 || count_b == 0) return order_of(count_a, count_b);
  if (a.grid || b.grid) return UNDECIDED;
  if (!a.value.is_heap() && a.value.tag() == b.value.tag()) return order_of_inline(a.value, b.value);
  if (!a.value.is_heap() || !b.value.is_heap()) return UNDECIDED;
  const Head *x = a.value.head(), *y = b.value.head();
  if (x == y) return 0;
  if (x->form != y->form) return UNDECIDED;
  switch (x->form) {
    case Form::locations:
    case Form::cells: return order_of_arrays(content<u32>(x), count_a, content<u32>(y), count_b);
    case Form::integers:
    case Form::integer_set: return order_of_arrays(content<i32>(x), count_a, content<i32>(y), count_b);
    case Form::bytes_grid:
      if (x->detail != y->detail) return UNDECIDED;
      if (x->detail == 0) return order_of(count_a, count_b);
      return order_of_arrays(content<i8>(x), count_a * x->detail, content<i8>(y), count_b * y->detail);
    default: return UNDECIDED;
  }
}

struct Comparison {
  Item a, b;
  u32 next;
  OrderRule rule;  // of their elements: the parts of functions are compared canonically, also in a ranking
};

HOST_DEVICE inline OrderRule rule_inside(const Item& it, OrderRule rule) {
  return kind_rank(it) == 3 ? OrderRule::canonical : rule;
}

// Three-way comparison: -1, 0 or 1. Its stack is in the arena; if that overflows, the lane fails and the
// result means nothing.
template <class Group>
CALLED int compare(Lane<Group>& lane, Value left, Value right, OrderRule rule = OrderRule::canonical) {
  if (left.same_word(right)) return 0;
  if (left.is_integer() && right.is_integer()) return order_of(left.integer(), right.integer());
  if (left.is_heap() && right.is_heap() && rule == OrderRule::canonical) {
    const Head *x = left.head(), *y = right.head();
    const bool keyed = x->form == Form::locations || x->form == Form::cells;
    if (keyed && x->form == y->form)
      return order_of_arrays(content<u32>(x), x->count, content<u32>(y), y->count);
  }
  int order = shallow_order(item(left), item(right), rule);
  if (order != UNDECIDED) return order;
  u8* mark = lane.top;
  const u32 deepest = (nest_of(left) < nest_of(right) ? nest_of(left) : nest_of(right)) + 1;
  Comparison* open = lane.template array<Comparison>(deepest);
  if (!open) return 0;
  // Every thread of the group keeps the same stack: they share it, so one writes and all read.
  u32 used = 0;
  Comparison current{item(left), item(right), 0, rule_inside(item(left), rule)};
  order = 0;
  while (true) {
    const u32 count_a = count_of(current.a), count_b = count_of(current.b);
    if (current.next == count_a || current.next == count_b) {
      order = order_of(count_a, count_b);
      if (order || used == 0) break;
      current = open[--used];
      continue;
    }
    const Item a = element_of(current.a, current.next), b = element_of(current.b, current.next);
    ++current.next;
    const int shallow = shallow_order(a, b, current.rule);
    if (shallow == 0) continue;
    if (shallow != UNDECIDED) {
      order = shallow;
      break;
    }
    once(lane.group, [&] { open[used] = current; });
    ++used;
    current = Comparison{a, b, 0, rule_inside(a, current.rule)};
  }
  lane.release(mark);
  return order;
}

// Equality: by representation, and element by element only where elements are values of their own.
template <class Group>
CALLED bool equal(Lane<Group>& lane, Value a, Value b) {
  if (a.same_word(b)) return true;
  if (!a.is_heap() || !b.is_heap()) return false;
  const Head *x = a.head(), *y = b.head();
  if (x->form != y->form || x->count != y->count) return false;
  if (x->detail != y->detail || x->weight != y->weight) return false;
  switch (x->form) {
    case Form::tuple:
    case Form::set:
    case Form::function: return compare(lane, a, b) == 0;
    case Form::bytes_grid: {  // eight cells at a time, then the rest
      const u32 cells = x->count * x->detail, whole = cells / 8;
      const u64 *words = content<u64>(x), *others = content<u64>(y);
      if (any_of(lane.group, whole, [&](u32 k) { return words[k] != others[k]; })) return false;
      const i8 *p = content<i8>(x) + 8 * whole, *q = content<i8>(y) + 8 * whole;
      return all_of(lane.group, cells - 8 * whole, [&](u32 k) { return p[k] == q[k]; });
    }
    default: {
      const u32 count = x->form == Form::grid ? x->count * x->detail : x->count;
      const u32 *p = content<u32>(x), *q = content<u32>(y);
      return all_of(lane.group, count, [&](u32 k) { return p[k] == q[k]; });
    }
  }
}

}  // namespace arcbatt
