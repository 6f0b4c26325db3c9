// One op, or a call of function values, on whole columns of Python values. Host only.
#pragma once

#include <vector>

#include "convert.h"

namespace arcbatt {

// A lane that runs row after row. An argument that is the same object as in the row before is packed already.
class Columns {
 public:
  Columns(std::vector<nb::tuple> columns, const Limits& limits, ForeignOps& foreign, nb::callable take_in)
      : columns_(std::move(columns)), limits_(limits), foreign_(foreign), take_in_(std::move(take_in)),
        objects_(columns_.size()), values_(columns_.size()), memory_(FIRST, limits.depth) {
    start_anew();
  }

  u32 rows() const { return u32(columns_[0].size()); }
  Status status() const { return lane_.status; }

  // An op, or a call of the function in the first column, on a row; void, with the status, if it fails.
  Value run(u32 row, bool is_call, u32 op) {
    while (true) {
      lane_.release(packed_);
      lane_.status = Status::ok;
      const bool was_empty = lane_.top == lane_.base;
      Value result = NO_VALUE;
      if (pack_row(row)) result = run_top_level(lane_, is_call, op, values_.data(), u32(values_.size()));
      if (lane_.status != Status::overflow) return result;
      // What is left of earlier rows goes first; a row that has the arena to itself needs a larger one.
      if (!was_empty) {
        forget();
        continue;
      }
      memory_.grow();
      start_anew();
    }
  }

 private:
  static constexpr u64 FIRST = u64(1) << 20;

  bool pack_row(u32 row) {
    for (u64 k = 0; k < columns_.size(); ++k) {
      PyObject* object = PyTuple_GET_ITEM(columns_[k].ptr(), row);
      if (object == objects_[k]) continue;
      objects_[k] = nullptr;
      values_[k] = argument(object);
      if (lane_.failed()) return false;
      objects_[k] = object;
      packed_ = lane_.top;  // also of a row that fails, since the next may have the same object
    }
    return true;
  }

  // An argument, packed; where it is no value the lane fails TYPE.
  Value argument(nb::handle object) {
    Value packed = attempt(object);
    if (!packed.exists() && !lane_.failed()) {
      const nb::object taken = take_in_(object);  // a list, say, becomes a Tuple; what is no value None
      packed = attempt(taken);
    }
    return packed.exists() ? packed : lane_.fail(Status::TYPE);
  }

  Value attempt(nb::handle object) {
    try {
      return pack_input(lane_, object, foreign_);
    } catch (const nb::builtin_exception&) {
      return NO_VALUE;
    }
  }

  void forget() {
    objects_.assign(columns_.size(), nullptr);
    packed_ = lane_.base;
  }

  void start_anew() {
    lane_ = memory_.lane(limits_, &NEVER_STOPPED, foreign_.host());
    forget();
  }

  std::vector<nb::tuple> columns_;
  Limits limits_;
  ForeignOps& foreign_;
  nb::callable take_in_;
  std::vector<PyObject*> objects_;  // what values_ was packed from; the columns keep them alive
  std::vector<Value> values_;
  Memory memory_;
  HostLane lane_{};
  u8* packed_ = nullptr;  // the end of the arguments in the arena
};

}  // namespace arcbatt
