// Gathering: results that are numbers become a container without being values in between.
#pragma once

#include "columns/column.h"

namespace arcbatt {

constexpr u32 MOST_NOTED = 5;  // arrays of numbers: for two locations and a colour

// The kind of results whose numbers are noted: a location has two numbers, a cell three. Other values have
// none.
enum class Gathered : u8 { values, integers, locations, cells };

template <class Group>
HOST_DEVICE Gathered gathered_of(const Columns<Group>& columns, const Column& column) {
  if (column.is_uniform) return Gathered::values;
  if (column.shape == Shape::integers) return Gathered::integers;
  return is_locations(columns, column) ? Gathered::locations
         : is_cells(columns, column)   ? Gathered::cells
                                       : Gathered::values;
}

// The container of results whose numbers have been noted.
template <class Group>
CALLED Value container_of(Lane<Group>& lane, Gathered what, i32* const* noted, u32 count, bool into_tuple) {
  const auto integer = [&](u32 k) { return i64(noted[0][k]); };
  const auto location = [&](u32 k) { return Location{noted[0][k], noted[1][k]}; };
  const auto cell = [&](u32 k) { return Cell{noted[0][k], noted[1][k], noted[2][k]}; };
  if (what == Gathered::integers) {
    return into_tuple ? make_integers(lane, count, integer) : make_integer_set(lane, count, integer);
  }
  if (what == Gathered::cells) return make_patch(lane, true, count, cell);
  if (!into_tuple) return make_locations(lane, count, location);
  return make_pairs(lane, count, location);
}

}  // namespace arcbatt
