// Foreign ops: ops that a user has written in Python, as the core sees them. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "threads/lane_memory.h"

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
  // (name, arguments, calls, depth, work, node or None) -> (calls, work, status, value)
  nb::object run;
  nb::object function;    // makes a Python function from name, parts and arity
  mutable u64 asked = 0;  // how often Python has run one; the interpreter lock guards it

  ForeignOps(nb::list rows, nb::object runner, nb::object maker)
      : run(std::move(runner)), function(std::move(maker)) {
    for (nb::handle entry : rows) {
      const nb::tuple row = nb::cast<nb::tuple>(entry);
      ops.push_back({nb::cast<std::string>(row[0]), nb::cast<u32>(row[1]), nb::cast<u32>(row[2])});
    }
  }

  // The value of an op as a function, by its name.
  Value primitive_of(const std::string& name) const;
  // The number of an op, or CALL, by its name.
  u32 number_of(const std::string& name) const {
    return name == OP_NAMES[number::CALL] ? u32(number::CALL) : function_name(primitive_of(name));
  }
  const char* name_of(u32 op) const {
    return is_foreign(op) ? ops[op - number::FIRST_FOREIGN].name.c_str() : OP_NAMES[op];
  }
  Host host() { return {this, &ask}; }

 private:
  static Value ask(void* state, HostLane& lane, u32 op, const Value* args, u32 count);
};

// The number of an op by its name.
inline u32 op_number(const std::string& name) {
  static const std::unordered_map<std::string, u32> numbers = [] {
    std::unordered_map<std::string, u32> made;
    for (u32 op = 0; op < number::CALL; ++op) made.emplace(OP_NAMES[op], op);
    return made;
  }();
  const auto found = numbers.find(name);
  if (found == numbers.end()) throw nb::value_error(("the core has no op " + name).c_str());
  return found->second;
}

inline Value ForeignOps::primitive_of(const std::string& name) const {
  for (u32 k = 0; k < ops.size(); ++k) {
    const Op& op = ops[k];
    if (op.name == name) return foreign_primitive(number::FIRST_FOREIGN + k, op.arity, op.name_place);
  }
  return primitive(op_number(name));
}

}  // namespace arcbatt
