// Dialect: cells, colours and predicates.
#pragma once

#include "colors.h"
#include "containers.h"
#include "values/types.h"

namespace arcbatt {

HOST_DEVICE Value op_ascell(auto& lane, Location ij, i64 c) { return make_cell(lane, Cell{c, ij.i, ij.j}); }
HOST_DEVICE Value op_astriple(auto& lane, i64 i, i64 j, i64 c) { return make_cell(lane, Cell{c, i, j}); }
HOST_DEVICE Value op_toij(auto& lane, Cell c) { return make_pair(lane, c.i, c.j); }

HOST_DEVICE Value op_celltuple(auto& lane, Value a, Value b) {
  const Patch locations(a);
  const u32 count = u32(least(locations.count, count_of(b)));
  Scratch scratch(lane);
  Value* cells = scratch.template array<Value>(count);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value cell = op_ascell(lane, locations.location(k), integer_at(b, k));
    once(lane.group, [&] { cells[k] = cell; });
  }
  return lane.failed() ? NO_VALUE : make_tuple(lane, cells, count);
}

HOST_DEVICE Value op_p_g(auto& lane, Grid grid) {
  const Value palette = op_palette(lane, grid.value());
  return lane.failed() ? NO_VALUE : op_totuple(lane, palette);
}
HOST_DEVICE Value op_p_o(auto& lane, Patch obj) {
  const Value palette = op_palette(lane, obj.value);
  return lane.failed() ? NO_VALUE : op_totuple(lane, palette);
}

HOST_DEVICE Value op_is_no_grid(auto&, Value x) {
  return boolean(!is_grid(x) && !shares(x, Form::tuple, ROW_CLASS));
}

}  // namespace arcbatt
