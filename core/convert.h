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

// Ops that the core does not have: Python runs them when a lane comes to one.
struct ForeignOps {
  struct Op {
    std::string name;
    u32 arity, name_place;
  };
  std::vector<Op> ops;
  nb::object run;       // (name, arguments, calls, depth) -> (calls, status, value)
  nb::object function;  // makes a Python function from name, parts and arity

  ForeignOps(nb::list rows, nb::object runner, nb::object maker) : run(std::move(runner)), function(std::move(maker)) {
    for (nb::handle entry : rows) {
      const nb::tuple row = nb::cast<nb::tuple>(entry);
      ops.push_back({nb::cast<std::string>(row[0]), nb::cast<u32>(row[1]), nb::cast<u32>(row[2])});
    }
  }

  // The value of an op as a function, by its name.
  Value primitive_of(const std::string& name) const;
  const char* name_of(u32 op) const { return is_foreign(op) ? ops[op - number::OP_COUNT].name.c_str() : OP_NAMES[op]; }
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

// A Python value as a packed value in the lane's arena; ValueError for what is none.
inline Value pack(HostLane& lane, nb::handle object, const ForeignOps& foreign) {
  PyObject* raw = object.ptr();
  if (PyLong_Check(raw)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(raw, &overflow);
    if (overflow || !fits(number)) throw nb::value_error("an integer does not fit 32 bits");
    return integer_value(number);
  }
  if (PyTuple_CheckExact(raw)) {
    const Py_ssize_t count = PyTuple_GET_SIZE(raw);
    std::vector<Value> elements(count);
    for (Py_ssize_t k = 0; k < count; ++k) elements[k] = pack(lane, PyTuple_GET_ITEM(raw, k), foreign);
    return lane.failed() ? NO_VALUE : make_tuple(lane, elements.data(), u32(count));
  }
  if (PyFrozenSet_CheckExact(raw)) {
    std::vector<Value> elements;
    for (nb::handle element : nb::borrow<nb::object>(object)) elements.push_back(pack(lane, element, foreign));
    return lane.failed() ? NO_VALUE : make_set(lane, elements.data(), u32(elements.size()));
  }
  if (!nb::hasattr(object, "parts")) throw nb::value_error("an object is no value of the language");
  const std::string name = nb::cast<std::string>(object.attr("name"));
  const nb::tuple parts = nb::cast<nb::tuple>(object.attr("parts"));
  if (parts.size() == 0) return foreign.primitive_of(name);
  std::vector<Value> packed;
  for (nb::handle part : parts) packed.push_back(pack(lane, part, foreign));
  if (lane.failed()) return NO_VALUE;
  const u32 arity = nb::cast<u32>(object.attr("arity"));
  return make_function(lane, op_number(name), arity, packed.data(), u32(packed.size()));
}

inline Value ForeignOps::primitive_of(const std::string& name) const {
  for (u32 k = 0; k < ops.size(); ++k) {
    if (ops[k].name == name) return foreign_primitive(number::OP_COUNT + k, ops[k].arity, ops[k].name_place);
  }
  return primitive(op_number(name));
}

// A packed value as a Python value.
inline nb::object unpack(Value v, const ForeignOps& foreign);

inline nb::object unpack(const Item& it, const ForeignOps& foreign) {
  if (!it.grid) return unpack(it.value, foreign);
  PyObject* row = PyTuple_New(it.grid->detail);
  for (u32 k = 0; k < it.grid->detail; ++k) PyTuple_SET_ITEM(row, k, unpack(element_of(it, k).value, foreign).release().ptr());
  return nb::steal(row);
}

inline nb::object unpack(Value v, const ForeignOps& foreign) {
  if (v.is_integer()) return nb::steal(PyLong_FromLongLong(v.integer()));
  const Item whole = item(v);
  const u32 count = v.tag() == Tag::primitive ? 0 : count_of(v);
  if (is_set(v)) {
    nb::object made = nb::steal(PyFrozenSet_New(nullptr));
    for (u32 k = 0; k < count; ++k) PySet_Add(made.ptr(), unpack(element_of(whole, k), foreign).ptr());
    return made;
  }
  PyObject* elements = PyTuple_New(count);
  for (u32 k = 0; k < count; ++k) PyTuple_SET_ITEM(elements, k, unpack(element_of(whole, k), foreign).release().ptr());
  nb::object made = nb::steal(elements);
  return is_tuple(v) ? made : foreign.function(foreign.name_of(function_name(v)), made, arity_of(v));
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
