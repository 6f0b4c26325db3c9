// Unpacking: packed values to Python values. Host only.
#pragma once

#include "python/pack.h"
#include "python/recent_tuples.h"

namespace arcbatt {

inline nb::object checked(PyObject* made) {
  if (!made) nb::raise_python_error();
  return nb::steal(made);
}

// A new container, untracked: no value is part of a cycle, so the garbage collector need not visit it.
inline nb::object new_container(PyObject* made) {
  nb::object container = checked(made);
  PyObject_GC_UnTrack(made);
  return container;
}

// The Python Tuple of make(0), ..., make(count - 1).
template <class Make>
nb::object new_tuple(u32 count, Make make) {
  nb::object made = new_container(PyTuple_New(count));
  for (u32 k = 0; k < count; ++k) PyTuple_SET_ITEM(made.ptr(), k, nb::object(make(k)).release().ptr());
  return made;
}

template <class Make>
nb::object new_set(u32 count, Make make) {
  nb::object made = new_container(PyFrozenSet_New(nullptr));
  for (u32 k = 0; k < count; ++k) {
    if (PySet_Add(made.ptr(), nb::object(make(k)).ptr()) != 0) nb::raise_python_error();
  }
  return made;
}

inline nb::object new_integer(i64 number) { return checked(SmallIntegers::all().object(number)); }

// Locations, cells and dots within the size of ARC grids are in nearly every value: each is made once and
// kept.
constexpr u64 COMMON_SIDE = 32, COMMON_COLORS = 10;

template <class Make>
nb::object made_once(PyObject*& place, Make make) {
  if (!place) place = nb::object(make()).release().ptr();
  return nb::borrow(place);
}

inline nb::object new_location(i64 i, i64 j) {
  static PyObject* common[COMMON_SIDE][COMMON_SIDE];
  const auto make = [&] { return new_tuple(2, [&](u32 k) { return new_integer(k ? j : i); }); };
  return u64(i) < COMMON_SIDE && u64(j) < COMMON_SIDE ? made_once(common[i][j], make) : make();
}

inline bool is_common(Cell c) {
  return u64(c.color) < COMMON_COLORS && u64(c.i) < COMMON_SIDE && u64(c.j) < COMMON_SIDE;
}

inline nb::object new_cell(Cell c) {
  static PyObject* common[COMMON_COLORS][COMMON_SIDE][COMMON_SIDE];
  const auto part = [&](u32 k) { return k ? new_location(c.i, c.j) : new_integer(c.color); };
  const auto make = [&] { return new_tuple(2, part); };
  return is_common(c) ? made_once(common[c.color][c.i][c.j], make) : make();
}

// The Set of one cell: most objects are no larger.
inline nb::object new_dot(Cell c) {
  static PyObject* common[COMMON_COLORS][COMMON_SIDE][COMMON_SIDE];
  const auto make = [&] { return new_set(1, [&](u32) { return new_cell(c); }); };
  return is_common(c) ? made_once(common[c.color][c.i][c.j], make) : make();
}

// A row of a grid of bytes.
inline nb::object new_row(const i8* cells, u32 width) {
  const SmallIntegers& small = SmallIntegers::all();
  const auto make = [&] {
    return new_tuple(width, [&](u32 j) { return nb::steal(small.object(cells[j])); }).release().ptr();
  };
  const bool may_recur = width >= RecentRows::NARROWEST && width <= RecentRows::WIDEST;
  return nb::steal(may_recur ? RecentRows::all().row(cells, width, make) : make());
}

// A grid of bytes.
inline nb::object new_grid(const i8* cells, u32 height, u32 width) {
  const auto make = [&] {
    return new_tuple(height, [&](u32 i) { return new_row(cells + u64(i) * width, width); }).release().ptr();
  };
  const u64 size = u64(height) * width;
  const bool may_recur = size >= RecentGrids::SMALLEST && size <= RecentGrids::LARGEST;
  return nb::steal(may_recur ? RecentGrids::all().grid(cells, u32(size), width, make) : make());
}

// Unpacks values; a known value becomes the Python object that it was packed from.
class Unpacker {
 public:
  explicit Unpacker(const ForeignOps& foreign, const Known* known = nullptr)
      : foreign_(foreign), known_(known) {}

  nb::object unpack(Value v) const {
    switch (v.tag()) {
      case Tag::integer: return new_integer(v.integer());
      case Tag::pair: return new_location(location_of(v).i, location_of(v).j);
      case Tag::cell: return new_cell(cell_of(v));
      case Tag::empty_tuple: return checked(PyTuple_New(0));
      case Tag::empty_set: return checked(PyFrozenSet_New(nullptr));
      case Tag::heap: break;
      default: return function(v, checked(PyTuple_New(0)));
    }
    PyObject* const before = known_ ? known_->object_of(v) : nullptr;
    if (before) return nb::borrow(before);
    const auto tuple = [](u32 count, auto make) { return new_tuple(count, make); };
    const auto set = [](u32 count, auto make) { return new_set(count, make); };
    if (v.form() == Form::cells && v.head()->count == 1) return new_dot(cell_of(content<u32>(v.head())[0]));
    if (is_set(v)) return elements(v.head(), set);
    return is_tuple(v) ? elements(v.head(), tuple) : function(v, elements(v.head(), tuple));
  }

 private:
  nb::object function(Value v, const nb::object& parts) const {
    return foreign_.function(foreign_.name_of(function_name(v)), parts, arity_of(v));
  }

  // What is behind a head as a Tuple or, for a Set, a frozenset.
  template <class Collect>
  nb::object elements(const Head* head, Collect collect) const {
    const u32 count = head->count;
    switch (head->form) {
      case Form::bytes_grid: return new_grid(content<i8>(head), count, head->detail);
      case Form::grid:
        return collect(count, [&](u32 row) {
          const u64 start = u64(row) * head->detail;
          const auto color = [&](u32 column) { return new_integer(grid_at(head, start + column)); };
          return new_tuple(head->detail, color);
        });
      case Form::integers:
      case Form::integer_set:
        return collect(count, [&](u32 k) { return new_integer(content<i32>(head)[k]); });
      case Form::locations:
        return collect(count, [&](u32 k) {
          const Cell c = cell_of(content<u32>(head)[k]);
          return new_location(c.i, c.j);
        });
      case Form::cell_tuple:
      case Form::cells:
        return collect(count, [&](u32 k) { return new_cell(cell_of(content<u32>(head)[k])); });
      default: return collect(count, [&](u32 k) { return unpack(content<Value>(head)[k]); });
    }
  }

  const ForeignOps& foreign_;
  const Known* known_;
};

// A packed value as a Python value.
inline nb::object unpack(Value v, const ForeignOps& foreign) { return Unpacker(foreign).unpack(v); }

// Run a foreign op in Python, with the lane's counts of calls, depth and work; its result is packed into the
// lane's arena.
inline Value ForeignOps::ask(void* state, HostLane& lane, u32 op, const Value* args, u32 count) {
  const ForeignOps& foreign = *static_cast<const ForeignOps*>(state);
  nb::gil_scoped_acquire gil;
  ++foreign.asked;
  nb::list arguments;
  for (u32 k = 0; k < count; ++k) arguments.append(unpack(args[k], foreign));
  const nb::object node = lane.node ? nb::object(nb::int_(*lane.node)) : nb::none();
  const nb::tuple answer = nb::cast<nb::tuple>(
      foreign.run(foreign.name_of(op), nb::tuple(arguments), lane.calls, lane.depth, lane.work, node));
  lane.calls = nb::cast<u64>(answer[0]);
  lane.work = nb::cast<u64>(answer[1]);
  const u32 status = nb::cast<u32>(answer[2]);
  return status ? lane.fail(Status(status)) : pack(lane, answer[3], foreign);
}

}  // namespace arcbatt
