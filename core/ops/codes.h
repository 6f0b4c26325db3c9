// Dialect: ops that are chosen by a number: kind of objects, mirror or turn, corner, edge.
#pragma once

#include "containers.h"
#include "mirrors.h"
#include "objects.h"
#include "patches.h"

namespace arcbatt {

// A Set of Objects as a Tuple of Tuples of cells.
CALLED Value in_tuples(auto& lane, Value found) {
  if (lane.failed()) return NO_VALUE;
  const u32 count = count_of(found);
  Scratch scratch(lane);
  const Value* objects = elements_of(lane, scratch, found);
  Value* tuples = scratch.template array<Value>(count);
  for (u32 k = 0; k < count && !lane.failed(); ++k) {
    const Value cells = op_totuple(lane, objects[k]);
    once(lane.group, [&] { tuples[k] = cells; });
  }
  return lane.failed() ? NO_VALUE : make_tuple(lane, tuples, count);
}

HOST_DEVICE Value op_o_g(auto& lane, Grid grid, i64 type) {
  if (type < 0 || type > 7) return lane.fail(Status::INDEX);
  return op_objects(lane, grid, type >> 2, type >> 1 & 1, type & 1);
}

HOST_DEVICE Value op_o_g_t(auto& lane, Grid grid, i64 type) {
  return in_tuples(lane, op_o_g(lane, grid, type));
}

HOST_DEVICE Value op_objects_t(auto& lane, Grid grid, i64 univalued, i64 diagonal, i64 without_bg) {
  return in_tuples(lane, op_objects(lane, grid, univalued, diagonal, without_bg));
}

HOST_DEVICE Value op_mir_rot_t(auto& lane, Grid grid, i64 type) {
  switch (type) {
    case 0: return op_hmirror(lane, grid.value());
    case 1: return op_dmirror(lane, grid.value());
    case 2: return op_vmirror(lane, grid.value());
    case 3: return op_cmirror(lane, grid.value());
    case 4: return op_rot90(lane, grid);
    case 5: return op_rot180(lane, grid);
    case 6: return op_rot270(lane, grid);
    default: return grid.value();
  }
}

HOST_DEVICE Value op_mir_rot_f(auto& lane, Patch patch, i64 type) {
  switch (type) {
    case 0: return op_hmirror(lane, patch.value);
    case 1: return op_dmirror(lane, patch.value);
    case 2: return op_vmirror(lane, patch.value);
    case 3: return op_cmirror(lane, patch.value);
    default: return patch.value;
  }
}

HOST_DEVICE Value op_corner(auto& lane, Patch patch, i64 type) {
  switch (type) {
    case 1: return op_urcorner(lane, patch);
    case 2: return op_llcorner(lane, patch);
    case 3: return op_lrcorner(lane, patch);
    default: return op_ulcorner(lane, patch);
  }
}

HOST_DEVICE Value op_col_row(auto& lane, Patch patch, i64 type) {
  switch (type) {
    case 0: return op_lowermost(lane, patch);
    case 1: return op_uppermost(lane, patch);
    case 2: return op_leftmost(lane, patch);
    case 3: return op_rightmost(lane, patch);
    default: return lane.fail(Status::INDEX);
  }
}

}  // namespace arcbatt
