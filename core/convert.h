// Between Python values and packed values; host only.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "host.h"

namespace arcbatt {

namespace nb = nanobind;
using HostLane = Lane<Solo>;

constexpr const char* STATUS_NAMES[] = {"ok",   "TYPE",  "EMPTY", "ZERO",     "INDEX",  "RANGE",
                                        "SIZE", "CALLS", "DEPTH", "overflow", "stopped"};

// Ops that the core does not have: Python runs them when a lane comes to one.
struct ForeignOps {
  struct Op {
    std::string name;
    u32 arity, name_place;
  };
  std::vector<Op> ops;
  nb::object run;       // (name, arguments, calls, depth) -> (calls, status, value)
  nb::object function;  // makes a Python function from name, parts and arity

  ForeignOps(nb::list rows, nb::object runner, nb::object maker)
      : run(std::move(runner)), function(std::move(maker)) {
    for (nb::handle entry : rows) {
      const nb::tuple row = nb::cast<nb::tuple>(entry);
      ops.push_back({nb::cast<std::string>(row[0]), nb::cast<u32>(row[1]), nb::cast<u32>(row[2])});
    }
  }

  // The value of an op as a function, by its name.
  Value primitive_of(const std::string& name) const;
  const char* name_of(u32 op) const {
    return is_foreign(op) ? ops[op - number::OP_COUNT].name.c_str() : OP_NAMES[op];
  }
  Host host() { return {this, &ask}; }

 private:
  static Value ask(void* state, HostLane& lane, u32 op, const Value* args, u32 count);
};

// The number of an op by its name.
inline u32 op_number(const std::string& name) {
  static const std::unordered_map<std::string, u32> numbers = [] {
    std::unordered_map<std::string, u32> made;
    for (u32 op = 0; op < number::OP_COUNT; ++op) made.emplace(OP_NAMES[op], op);
    return made;
  }();
  const auto found = numbers.find(name);
  if (found == numbers.end()) throw nb::value_error(("the core has no op " + name).c_str());
  return found->second;
}

// How much a Python object may hold and how deep it may be nested: one from outside could be without end.
struct Allowance {
  u64 items;
  u32 depth;
};
constexpr Allowance ANY_VALUE{~u64(0), 1000};  // the language admits no limit of depth that is higher

// Whether a Python object is an Integer of at most 32 bits, and which.
inline bool read_integer(PyObject* object, i64& number) {
  int overflow = 0;
  if (!PyLong_Check(object)) return false;
  number = PyLong_AsLongLongAndOverflow(object, &overflow);
  return !overflow && fits(number);
}

// Reads the colours of a grid. Python has one object for each small number, so most of them were read before.
class ColorReader {
 public:
  bool read(PyObject* object, i8& color) {
    Known& known = known_[reinterpret_cast<u64>(object) / 32 % PLACES];
    if (known.object != object) {
      i64 number = 0;
      if (!read_integer(object, number) || !fits_bits(number, 8)) return false;
      known = {object, i8(number)};
    }
    color = known.color;
    return true;
  }

 private:
  static constexpr u64 PLACES = 16;
  struct Known {
    PyObject* object;
    i8 color;
  };
  Known known_[PLACES]{};
};

// A Tuple of equally long Tuples of small Integers, straight into the form of a grid; no value if it is none.
inline Value pack_grid(HostLane& lane, PyObject* rows, Allowance& allowed) {
  const Py_ssize_t height = PyTuple_GET_SIZE(rows);
  if (height == 0 || !PyTuple_CheckExact(PyTuple_GET_ITEM(rows, 0)) || allowed.depth < 2) return NO_VALUE;
  const Py_ssize_t width = PyTuple_GET_SIZE(PyTuple_GET_ITEM(rows, 0));
  const u64 size = u64(height) * u64(width), weight = 1 + u64(height) + size;
  if (weight > allowed.items || weight >= HEAVIEST) return NO_VALUE;
  u8* mark = lane.top;
  Head* head = lane.new_head(Form::bytes_grid, height, width, weight, 2, size);
  if (!head) return NO_VALUE;
  i8* cells = content<i8>(head);
  ColorReader reader;
  for (Py_ssize_t i = 0; i < height; ++i) {
    PyObject* row = PyTuple_GET_ITEM(rows, i);
    bool fits_in = PyTuple_CheckExact(row) && PyTuple_GET_SIZE(row) == width;
    for (Py_ssize_t j = 0; fits_in && j < width; ++j) {
      fits_in = reader.read(PyTuple_GET_ITEM(row, j), *cells++);
    }
    if (!fits_in) {
      lane.release(mark);
      return NO_VALUE;
    }
  }
  allowed.items -= weight;
  return heap_value(head);
}

// A location or cell that stands in its word; no value if it is none.
inline Value pack_inline(PyObject* tuple, Allowance& allowed) {
  Cell c{};
  if (PyTuple_GET_SIZE(tuple) != 2 || !read_integer(PyTuple_GET_ITEM(tuple, 0), c.color)) return NO_VALUE;
  PyObject* second = PyTuple_GET_ITEM(tuple, 1);
  Value made = NO_VALUE;
  if (read_integer(second, c.i)) {
    if (pair_is_inline(c.color, c.i)) made = inline_pair(c.color, c.i);
  } else if (PyTuple_CheckExact(second) && PyTuple_GET_SIZE(second) == 2 &&
             read_integer(PyTuple_GET_ITEM(second, 0), c.i) &&
             read_integer(PyTuple_GET_ITEM(second, 1), c.j)) {
    if (cell_is_inline(c)) made = inline_cell(c);
  }
  if (!made.exists() || allowed.items < weight_of(made) || allowed.depth < nest_of(made)) return NO_VALUE;
  allowed.items -= weight_of(made);
  return made;
}

// A Python value as a packed value in the lane's arena; ValueError for what is none, or is more than allowed.
inline Value pack(HostLane& lane, nb::handle object, const ForeignOps& foreign, Allowance& allowed) {
  PyObject* raw = object.ptr();
  const bool is_tuple = PyTuple_CheckExact(raw);
  if (is_tuple) {
    Value made = pack_inline(raw, allowed);
    if (!made.exists()) made = pack_grid(lane, raw, allowed);
    if (made.exists() || lane.failed()) return made;
  }
  if (allowed.items-- == 0) throw nb::value_error("the value is heavier than the item limit");
  if (PyLong_Check(raw)) {
    i64 number = 0;
    if (!read_integer(raw, number)) throw nb::value_error("an integer does not fit 32 bits");
    return integer_value(number);
  }
  const bool is_set = PyFrozenSet_CheckExact(raw);
  if (!is_tuple && !is_set && !nb::isinstance(object, foreign.function))
    throw nb::value_error("an object is no value of the language");
  if (allowed.depth == 0) throw nb::value_error("the value is nested deeper than the depth limit");
  const nb::object parts = is_tuple || is_set ? nb::borrow(object) : nb::object(object.attr("parts"));
  std::vector<Value> packed;
  packed.reserve(nb::len(parts));
  --allowed.depth;
  for (nb::handle part : parts) {
    packed.push_back(pack(lane, part, foreign, allowed));
    if (lane.failed()) return NO_VALUE;
  }
  ++allowed.depth;
  const u32 count = u32(packed.size());
  if (is_tuple) return make_tuple(lane, packed.data(), count);
  if (is_set) return make_set(lane, packed.data(), count);
  const std::string name = nb::cast<std::string>(object.attr("name"));
  if (count == 0) return foreign.primitive_of(name);
  return make_function(lane, op_number(name), nb::cast<u32>(object.attr("arity")), packed.data(), count);
}

inline Value pack(HostLane& lane, nb::handle value, const ForeignOps& foreign) {
  Allowance allowed = ANY_VALUE;
  return pack(lane, value, foreign, allowed);
}

// An object from outside, packed; ValueError also if it is over a limit of the lane.
inline Value pack_input(HostLane& lane, nb::handle object, const ForeignOps& foreign) {
  Allowance allowed{lane.limits.items, lane.limits.depth};
  return pack(lane, object, foreign, allowed);
}

inline Value ForeignOps::primitive_of(const std::string& name) const {
  for (u32 k = 0; k < ops.size(); ++k) {
    if (ops[k].name == name) return foreign_primitive(number::OP_COUNT + k, ops[k].arity, ops[k].name_place);
  }
  return primitive(op_number(name));
}

inline nb::object checked(PyObject* made) {
  if (!made) nb::raise_python_error();
  return nb::steal(made);
}

// A new container. No value is part of a cycle, so the garbage collector, which would look at all of them
// again and again while they are made, need not know of it.
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

inline nb::object new_integer(i64 number) { return checked(PyLong_FromLongLong(number)); }

// Locations, cells and dots as tasks have them are in nearly every value: they are made once and kept.
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

inline nb::object unpack(Value v, const ForeignOps& foreign);

// What is behind a head as a Tuple or, for a Set, a frozenset.
template <class Collect>
nb::object unpack_elements(const Head* head, const ForeignOps& foreign, Collect collect) {
  const u32 count = head->count;
  switch (head->form) {
    case Form::bytes_grid:
    case Form::grid:
      return collect(count, [&](u32 row) {
        const u64 start = u64(row) * head->detail;
        const auto color = [&](u32 column) { return new_integer(grid_at(head, start + column)); };
        return new_tuple(head->detail, color);
      });
    case Form::integers:
    case Form::integer_set: return collect(count, [&](u32 k) { return new_integer(content<i32>(head)[k]); });
    case Form::locations:
      return collect(count, [&](u32 k) {
        const Cell c = cell_of(content<u32>(head)[k]);
        return new_location(c.i, c.j);
      });
    case Form::cell_tuple:
    case Form::cells: return collect(count, [&](u32 k) { return new_cell(cell_of(content<u32>(head)[k])); });
    default: return collect(count, [&](u32 k) { return unpack(content<Value>(head)[k], foreign); });
  }
}

// A packed value as a Python value.
inline nb::object unpack(Value v, const ForeignOps& foreign) {
  switch (v.tag()) {
    case Tag::integer: return new_integer(v.integer());
    case Tag::pair: return new_location(location_of(v).i, location_of(v).j);
    case Tag::cell: return new_cell(cell_of(v));
    case Tag::empty_tuple: return checked(PyTuple_New(0));
    case Tag::empty_set: return checked(PyFrozenSet_New(nullptr));
    default: break;
  }
  const auto tuple = [](u32 count, auto make) { return new_tuple(count, make); };
  const auto set = [](u32 count, auto make) { return new_set(count, make); };
  if (v.has_form(Form::cells) && v.head()->count == 1) return new_dot(cell_of(content<u32>(v.head())[0]));
  if (is_set(v)) return unpack_elements(v.head(), foreign, set);
  nb::object elements = v.is_heap() ? unpack_elements(v.head(), foreign, tuple) : checked(PyTuple_New(0));
  return is_tuple(v) ? elements : foreign.function(foreign.name_of(function_name(v)), elements, arity_of(v));
}

// Run a foreign op in Python, with the account of the lane; what it gives is packed into the lane's arena.
inline Value ForeignOps::ask(void* state, HostLane& lane, u32 op, const Value* args, u32 count) {
  const ForeignOps& foreign = *static_cast<const ForeignOps*>(state);
  nb::gil_scoped_acquire gil;
  nb::list arguments;
  for (u32 k = 0; k < count; ++k) arguments.append(unpack(args[k], foreign));
  const nb::tuple answer = nb::cast<nb::tuple>(
      foreign.run(foreign.name_of(op), nb::tuple(arguments), lane.calls, lane.depth));
  lane.calls = nb::cast<u64>(answer[0]);
  const u32 status = nb::cast<u32>(answer[1]);
  return status ? lane.fail(Status(status)) : pack(lane, answer[2], foreign);
}

}  // namespace arcbatt
