// One op, or a call of function values, on each row of columns of Python or packed values. Host only.
#pragma once

#include <vector>

#include "python/outcome_store.h"

namespace arcbatt {

// A column: Python objects, or packed outcomes of another call from place `start` on.
struct GivenColumn {
  nb::tuple objects;
  const OutcomeStore* kept;
  u64 start;
};

// Runs row after row in one lane. Python objects are packed once into `known` while it has room. After that
// they are packed into the lane, where an argument is packed again only if it differs from that of the row
// before.
class CallRows {
 public:
  CallRows(std::vector<GivenColumn> columns, u32 rows, const Limits& limits, ForeignOps& foreign,
           Known& known, nb::callable take_in)
      : columns_(std::move(columns)), rows_(rows), limits_(limits), foreign_(foreign), known_(known),
        take_in_(std::move(take_in)), objects_(columns_.size()), values_(columns_.size()),
        memory_(SpareMemory::take(FIRST, limits.depth)) {
    start_anew();
  }

  ~CallRows() {
    if (memory_.bytes() == FIRST) SpareMemory::leave(std::move(memory_));
  }
  CallRows(const CallRows&) = delete;
  CallRows& operator=(const CallRows&) = delete;

  // Run all rows and keep what each gives.
  void run(u32 op, OutcomeStore& kept) {
    for (u32 row = 0; row < rows_; ++row) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      const Value result = run_row(row, op);
      const bool is_ok = lane_.status == Status::ok;
      kept.keep_made(row, is_ok ? result : failure_value(u32(lane_.status), row), lane_.base, lane_.end);
    }
  }

 private:
  static constexpr u64 FIRST = u64(1) << 20;

  // Run an op, or a call of the function in the first column, on a row; no value, with the status, if it
  // fails.
  Value run_row(u32 row, u32 op) {
    while (true) {
      lane_.release(packed_);
      lane_.status = Status::ok;
      const bool was_empty = lane_.top == lane_.base;
      Value result = NO_VALUE;
      if (pack_row(row)) result = run_top_level(lane_, op, values_.data(), u32(values_.size()));
      if (lane_.status != Status::overflow) return result;
      // First the arguments of earlier rows are dropped; a row that overflows an empty arena gets a larger
      // one.
      if (!was_empty) {
        forget();
        continue;
      }
      try {
        memory_.grow();
      } catch (const std::bad_alloc&) {
        return lane_.status = Status::SIZE, NO_VALUE;
      }
      start_anew();
    }
  }

  bool pack_row(u32 row) {
    for (u64 k = 0; k < columns_.size(); ++k) {
      if (columns_[k].kept) {
        values_[k] = admitted(columns_[k].kept->outcome(columns_[k].start + row));
        if (lane_.failed()) return false;
        continue;
      }
      PyObject* object = PyTuple_GET_ITEM(columns_[k].objects.ptr(), row);
      if (object == objects_[k]) continue;
      objects_[k] = nullptr;
      values_[k] = argument(object);
      if (lane_.failed()) return false;
      objects_[k] = object;
      packed_ = lane_.top;  // kept even if the row fails, since the next may have the same object
    }
    return true;
  }

  // An outcome of another call as an argument: it must be a value within the limits of this call.
  Value admitted(Value outcome) {
    const bool is_value = !is_failure(outcome) && weight_of(outcome) <= limits_.items;
    return is_value && nest_of(outcome) <= limits_.depth ? outcome : lane_.fail(Status::TYPE);
  }

  // Pack an argument; the lane fails TYPE for an object that is no value.
  Value argument(nb::handle object) {
    Value packed = known_.is_full() ? in_lane(object) : as_known(object);
    if (!packed.exists() && !lane_.failed()) {
      const nb::object taken = take_in_(object);  // converts a list to a Tuple, say; None if it is no value
      packed = in_lane(taken);
    }
    return packed.exists() ? packed : lane_.fail(Status::TYPE);
  }

  Value as_known(nb::handle object) {
    return attempt([&] {
      return known_.bring([&](HostLane& lane) {
        return Packer(lane, foreign_, allowance(limits_), &known_).pack(object.ptr());
      });
    });
  }

  Value in_lane(nb::handle object) {
    return attempt([&] { return pack_input(lane_, object, foreign_); });
  }

  template <class Pack>
  static Value attempt(Pack pack) {
    try {
      return pack();
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

  std::vector<GivenColumn> columns_;
  u32 rows_;
  Limits limits_;
  ForeignOps& foreign_;
  Known& known_;
  nb::callable take_in_;
  std::vector<PyObject*> objects_;  // what values_ was packed from; the columns keep them alive
  std::vector<Value> values_;
  Memory memory_;
  HostLane lane_{};
  u8* packed_ = nullptr;  // the end of the arguments in the arena
};

// A list of Python objects, or a pair of kept outcomes and the number of the first, as a column.
inline GivenColumn as_column(nb::handle given) {
  if (!nb::isinstance<nb::tuple>(given)) return {nb::tuple(nb::borrow(given)), nullptr, 0};
  const nb::tuple part = nb::borrow<nb::tuple>(given);
  return {nb::tuple(), nb::inst_ptr<OutcomeStore>(part[0]), nb::cast<u64>(part[1])};
}

// An op, or calls of the functions in the first column, on each row of columns of one length.
inline OutcomeStore* call_many(const std::string& op, nb::list columns, u32 rows, const Limits& limits,
                               nb::object foreign, nb::object known, nb::callable take_in,
                               nb::callable failure) {
  ForeignOps& ops = nb::cast<ForeignOps&>(foreign);
  const u32 number = ops.number_of(op);
  auto kept = std::make_unique<OutcomeStore>(rows, foreign, failure);
  kept->hold_known(known);
  std::vector<GivenColumn> taken;
  std::vector<nb::object> made_from;
  for (nb::handle column : columns) {
    taken.push_back(as_column(column));
    if (taken.back().kept) made_from.push_back(nb::cast<nb::tuple>(column)[0]);
  }
  kept->hold_columns(made_from);
  CallRows(std::move(taken), rows, limits, ops, nb::cast<Known&>(known), take_in).run(number, *kept);
  return kept.release();
}

}  // namespace arcbatt
