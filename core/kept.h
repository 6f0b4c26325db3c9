// Outcomes that stay packed until Python looks at them. Host only.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "bytecode.h"
#include "convert.h"
#include "copy.h"

namespace arcbatt {

// A numbered store of outcomes, each a copy in memory of its own.
class Kept {
 public:
  Kept(u64 count, nb::object foreign, nb::callable failure)
      : outcomes_(count), foreign_(std::move(foreign)), failure_(std::move(failure)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  // Keep what some roots gave, from `first` on; threads may come at once, and need not hold the interpreter
  // lock. Addresses in the outcomes count from `base`.
  template <class OutcomeAt>
  void keep(u64 first, u64 count, OutcomeAt outcome, const u8* base = nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (u64 k = 0; k < count; ++k) {
      outcomes_[first + k] = deep_copy(outcome(k), base, [&](u64 bytes) {
        u8* place = memory(bytes);
        return Copy{place, reinterpret_cast<const Head*>(place)};
      });
    }
  }

  // A part of the outcomes as Python values, those that failed as `failure` makes them from kind and node.
  nb::tuple values(u64 first, u64 count) const {
    nb::object made = nb::steal(PyTuple_New(Py_ssize_t(count)));
    for (u64 k = 0; k < count; ++k)
      PyTuple_SET_ITEM(made.ptr(), Py_ssize_t(k), value(outcomes_.at(first + k)).release().ptr());
    return nb::borrow<nb::tuple>(made);
  }

  // The kinds of those of a part that failed.
  nb::list failures(u64 first, u64 count) const {
    nb::list kinds;
    for (u64 k = 0; k < count; ++k) {
      const Value outcome = outcomes_.at(first + k);
      if (is_failure(outcome)) kinds.append(STATUS_NAMES[failure_status(outcome)]);
    }
    return kinds;
  }

 private:
  static constexpr u64 CHUNK = u64(1) << 20;

  nb::object value(Value outcome) const {
    if (is_failure(outcome)) return failure_(STATUS_NAMES[failure_status(outcome)], failure_node(outcome));
    return unpack(outcome, nb::cast<const ForeignOps&>(foreign_));
  }

  u8* memory(u64 bytes) {
    if (bytes > left_) {
      left_ = bytes > CHUNK ? bytes : CHUNK;
      chunks_.emplace_back(new u64[left_ / 8]);  // aligned as any value needs it
      top_ = reinterpret_cast<u8*>(chunks_.back().get());
    }
    u8* place = top_;
    top_ += bytes;
    left_ -= bytes;
    return place;
  }

  std::vector<Value> outcomes_;
  nb::object foreign_;  // keeps the ops of a user alive
  nb::callable failure_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<u64[]>> chunks_;
  u8* top_ = nullptr;
  u64 left_ = 0;
};

}  // namespace arcbatt
