// Columns: a value for each element of a block, as arrays of numbers where the values allow it.
//
// A column of Integers is one array. A column of pairs is two columns, so that `first`, `last` and `astuple`
// cost nothing: a column of locations has two arrays, one of cells three. Anything else is an array of
// values.
#pragma once

#include "values/elements.h"

namespace arcbatt {

constexpr u32 BLOCK = 256;  // elements that go through the code together: their columns fit the first cache
constexpr u32 MOST_COLUMNS = 192;
constexpr u8 NO_COLUMN = 255;

enum class Shape : u8 { values, integers, pairs };

struct Column {
  Shape shape;
  bool is_uniform;  // the same value for every element
  u8 first, last;  // the columns of a pair's elements
  u16 nest;  // of an element; 0 for a column of values
  u32 weight;  // the same
  const i32* numbers;  // of Integers
  const Value* values;  // of values; one for a uniform column, which has it besides its numbers
};

// The columns of a block, and the memory for their arrays.
template <class Group>
struct Columns {
  Lane<Group>& lane;
  Scratch<Group>& scratch;
  Column* columns;
  u32 length;  // of the arrays
  u32 used = 0;  // columns

  HOST_DEVICE const Column& operator[](u32 place) const { return columns[place]; }

  // A new column; NO_COLUMN, with the lane failed, if there is no room.
  CALLED u8 add(const Column& column) {
    if (used == MOST_COLUMNS) {
      lane.fail(Status::overflow);
      return NO_COLUMN;
    }
    once(lane.group, [&] { columns[used] = column; });
    return u8(used++);
  }
  CALLED u8 add_integers(const i32* numbers) {
    return numbers ? add({Shape::integers, false, 0, 0, 0, 1, numbers, nullptr}) : NO_COLUMN;
  }
  CALLED u8 add_values(const Value* values) {
    return values ? add({Shape::values, false, 0, 0, 0, 0, nullptr, values}) : NO_COLUMN;
  }
  CALLED u8 add_pairs(u8 first, u8 last) {
    if (first == NO_COLUMN || last == NO_COLUMN) return NO_COLUMN;
    const Column &a = columns[first], &b = columns[last];
    const u16 nest = u16(1 + (a.nest > b.nest ? a.nest : b.nest));
    return add({Shape::pairs, false, first, last, nest, 1 + a.weight + b.weight, nullptr, nullptr});
  }

  CALLED i32* new_numbers() { return scratch.template array<i32>(length); }
  CALLED Value* new_values() { return scratch.template array<Value>(length); }

  // The Integers number(0), ..., number(count - 1) as a column.
  template <class Number>
  HOST_DEVICE u8 fill(u32 count, Number number) {
    i32* numbers = new_numbers();
    if (!numbers) return NO_COLUMN;
    each(lane.group, count, [&](u32 k) { numbers[k] = i32(number(k)); });
    return add_integers(numbers);
  }

  // The locations location(0), ... as a column.
  template <class LocationAt>
  HOST_DEVICE u8 fill_locations(u32 count, LocationAt location) {
    i32 *rows = new_numbers(), *others = new_numbers();
    if (lane.failed()) return NO_COLUMN;
    each(lane.group, count, [&](u32 k) {
      const Location at = location(k);
      rows[k] = i32(at.i);
      others[k] = i32(at.j);
    });
    const u8 first = add_integers(rows);
    return add_pairs(first, add_integers(others));
  }

  // The cells cell(0), ... as a column.
  template <class CellAt>
  HOST_DEVICE u8 fill_cells(u32 count, CellAt cell) {
    const u8 colors = fill(count, [&](u32 k) { return cell(k).color; });
    const u8 locations = fill_locations(count, [&](u32 k) {
      const Cell c = cell(k);
      return Location{c.i, c.j};
    });
    return add_pairs(colors, locations);
  }

  // A value that is the same for all elements: its numbers are written `length` times.
  CALLED u8 add_uniform(const Value* at) {
    const Value v = *at;
    u8 made = NO_COLUMN;
    if (v.is_integer()) {
      made = fill(length, [&](u32) { return v.integer(); });
    } else if (v.tag() == Tag::pair) {
      const Location pair = location_of(v);
      made = fill_locations(length, [&](u32) { return pair; });
    } else if (v.tag() == Tag::cell) {
      const Cell c = cell_of(v);
      made = fill_cells(length, [&](u32) { return c; });
    } else {
      made = add_values(at);
    }
    if (made == NO_COLUMN) return made;
    once(lane.group, [&] {
      columns[made].is_uniform = true;
      columns[made].values = at;
    });
    return made;
  }
};

// Whether a value is a 2x2 grid of bytes: such is a pair of two small locations.
HOST_DEVICE inline bool is_quad(Value v) {
  return v.has_form(Form::bytes_grid) && v.head()->count == 2 && v.head()->detail == 2;
}

// A column of values as one of Integers, locations, cells or pairs of locations, if all of them are such;
// else the column as it is.
template <class Group>
CALLED u8 narrowed(Columns<Group>& columns, u8 place, u32 count) {
  if (place == NO_COLUMN) return place;
  const Column& column = columns[place];
  if (column.shape != Shape::values || column.is_uniform || count == 0) return place;
  auto& group = columns.lane.group;
  const Value* values = column.values;
  const Tag tag = values[0].tag();
  if (tag == Tag::heap) {
    if (!is_quad(values[0]) || !all_of(group, count, [&](u32 k) { return is_quad(values[k]); })) return place;
    const auto half = [&](u32 from) {
      return columns.fill_locations(count, [&](u32 k) {
        const i8* bytes = content<i8>(values[k].head()) + from;
        return Location{bytes[0], bytes[1]};
      });
    };
    const u8 first = half(0);
    return columns.add_pairs(first, half(2));
  }
  if (tag != Tag::integer && tag != Tag::pair && tag != Tag::cell) return place;
  if (!all_of(group, count, [&](u32 k) { return values[k].tag() == tag; })) return place;
  if (tag == Tag::integer) return columns.fill(count, [&](u32 k) { return values[k].integer(); });
  if (tag == Tag::pair) return columns.fill_locations(count, [&](u32 k) { return location_of(values[k]); });
  return columns.fill_cells(count, [&](u32 k) { return cell_of(values[k]); });
}

// Whether a column holds pairs of Integers.
template <class Group>
HOST_DEVICE bool is_locations(const Columns<Group>& columns, const Column& column) {
  return column.shape == Shape::pairs && columns[column.first].shape == Shape::integers &&
         columns[column.last].shape == Shape::integers;
}

// Element k of a column of Integers, locations or cells as a value.
template <class Group>
CALLED Value simple_value(Columns<Group>& columns, const Column& column, u32 k) {
  if (column.shape == Shape::integers) return integer_value(column.numbers[k]);
  const Column &first = columns[column.first], &last = columns[column.last];
  if (last.shape == Shape::integers) return make_pair(columns.lane, first.numbers[k], last.numbers[k]);
  return make_cell(columns.lane,
                   {first.numbers[k], columns[last.first].numbers[k], columns[last.last].numbers[k]});
}

template <class Group>
HOST_DEVICE bool is_cells(const Columns<Group>& columns, const Column& column) {
  return column.shape == Shape::pairs && columns[column.first].shape == Shape::integers &&
         is_locations(columns, columns[column.last]);
}

// Whether elements of a column can be elements of a pair that is a column, too: not pairs of pairs.
template <class Group>
HOST_DEVICE bool is_simple(const Columns<Group>& columns, const Column& column) {
  return column.shape == Shape::integers || is_locations(columns, column) || is_cells(columns, column);
}

// A value of the type that all elements of a column have; no value if their types may differ.
template <class Group>
HOST_DEVICE Value any_of_column(const Columns<Group>& columns, const Column& column) {
  if (column.is_uniform) return column.values[0];
  if (column.shape == Shape::integers) return integer_value(0);
  if (is_locations(columns, column)) return inline_pair(0, 0);
  return is_cells(columns, column) ? inline_cell({0, 0, 0}) : NO_VALUE;
}

// The weight of each element of a column of numbers, or of a uniform one.
HOST_DEVICE inline u32 weight_of_all(const Column& column) {
  return column.shape == Shape::values ? weight_of(column.values[0]) : column.weight;
}

// Write the elements of a column as values; the lane fails if memory is out.
template <class Group>
CALLED void write_values(Columns<Group>& columns, u8 place, u32 count, Value* values) {
  auto& lane = columns.lane;
  const Column column = columns[place];
  if (column.values) {
    const u32 stride = column.is_uniform ? 0 : 1;
    return each(lane.group, count, [&](u32 k) { values[k] = column.values[k * stride]; });
  }
  if (column.shape == Shape::integers) {
    return each(lane.group, count, [&](u32 k) { values[k] = integer_value(column.numbers[k]); });
  }
  const Column first = columns[column.first], last = columns[column.last];
  if (is_locations(columns, column)) {
    bool is_inline = true;
    each(lane.group, count, [&](u32 k) {
      is_inline &= pair_is_inline(first.numbers[k], last.numbers[k]);
      values[k] = inline_pair(first.numbers[k], last.numbers[k]);
    });
    if (!lane.group.any(!is_inline)) return;
  } else if (is_cells(columns, column)) {
    const i32 *rows = columns[last.first].numbers, *others = columns[last.last].numbers;
    bool is_inline = true;
    each(lane.group, count, [&](u32 k) {
      const Cell c{first.numbers[k], rows[k], others[k]};
      is_inline &= cell_is_inline(c);
      values[k] = inline_cell(c);
    });
    if (!lane.group.any(!is_inline)) return;
  }
  const bool is_single = is_simple(columns, column);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    Value made = NO_VALUE;
    if (is_single) {
      made = simple_value(columns, column, k);
    } else {
      const Value a = simple_value(columns, first, k), b = simple_value(columns, last, k);
      if (!lane.failed()) made = make_two(lane, a, b);
    }
    once(lane.group, [&] { values[k] = made; });
  }
}

// A column as an array of values, one for a uniform column; null, with the lane failed, if memory is out.
template <class Group>
CALLED const Value* values_of(Columns<Group>& columns, u8 place, u32 count) {
  if (columns[place].values) return columns[place].values;
  Value* values = columns.new_values();
  if (values) write_values(columns, place, count, values);
  return columns.lane.failed() ? nullptr : values;
}

}  // namespace arcbatt
