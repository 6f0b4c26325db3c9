// Between Python values and packed values; host only.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "vm.h"

namespace arcbatt {

namespace nb = nanobind;
using HostLane = Lane<Solo>;

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
inline Value pack(HostLane& lane, nb::handle object) {
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
    for (Py_ssize_t k = 0; k < count; ++k) elements[k] = pack(lane, PyTuple_GET_ITEM(raw, k));
    return lane.failed() ? NO_VALUE : make_tuple(lane, elements.data(), u32(count));
  }
  if (PyFrozenSet_CheckExact(raw)) {
    std::vector<Value> elements;
    for (nb::handle element : nb::borrow<nb::object>(object)) elements.push_back(pack(lane, element));
    return lane.failed() ? NO_VALUE : make_set(lane, elements.data(), u32(elements.size()));
  }
  if (!nb::hasattr(object, "parts")) throw nb::value_error("an object is no value of the language");
  const u32 name = op_number(nb::cast<std::string>(object.attr("name")));
  const nb::tuple parts = nb::cast<nb::tuple>(object.attr("parts"));
  if (parts.size() == 0) return primitive(name);
  std::vector<Value> packed;
  for (nb::handle part : parts) packed.push_back(pack(lane, part));
  if (lane.failed()) return NO_VALUE;
  const u32 arity = nb::cast<u32>(object.attr("arity"));
  return make_function(lane, name, arity, packed.data(), u32(packed.size()));
}

// A packed value as a Python value; `function` makes a Python function from name, parts and arity.
inline nb::object unpack(Value v, nb::handle function);

inline nb::object unpack(const Item& it, nb::handle function) {
  if (!it.grid) return unpack(it.value, function);
  PyObject* row = PyTuple_New(it.grid->detail);
  for (u32 k = 0; k < it.grid->detail; ++k) PyTuple_SET_ITEM(row, k, unpack(element_of(it, k).value, function).release().ptr());
  return nb::steal(row);
}

inline nb::object unpack(Value v, nb::handle function) {
  if (v.is_integer()) return nb::steal(PyLong_FromLongLong(v.integer()));
  const Item whole = item(v);
  const u32 count = v.tag() == Tag::primitive ? 0 : count_of(v);
  if (is_set(v)) {
    nb::object made = nb::steal(PyFrozenSet_New(nullptr));
    for (u32 k = 0; k < count; ++k) PySet_Add(made.ptr(), unpack(element_of(whole, k), function).ptr());
    return made;
  }
  PyObject* elements = PyTuple_New(count);
  for (u32 k = 0; k < count; ++k) PyTuple_SET_ITEM(elements, k, unpack(element_of(whole, k), function).release().ptr());
  nb::object made = nb::steal(elements);
  return is_tuple(v) ? made : function(OP_NAMES[function_name(v)], made, arity_of(v));
}

}  // namespace arcbatt
