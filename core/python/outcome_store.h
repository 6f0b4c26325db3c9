// Outcomes that stay packed until Python looks at them. Host only.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "machine/bytecode.h"
#include "python/convert.h"
#include "values/copy.h"

namespace arcbatt {

// While one lives the garbage collector, which looks at all objects again and again as they get more, is off.
class NoCollection {
 public:
  NoCollection() : was_on_(PyGC_Disable()) {}
  ~NoCollection() {
    if (was_on_) PyGC_Enable();
  }
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;

 private:
  bool was_on_;
};

// A numbered store of outcomes, each a copy in memory of its own.
class OutcomeStore {
 public:
  OutcomeStore(u64 count, nb::object foreign, nb::callable failure)
      : outcomes_(count), foreign_(std::move(foreign)), failure_(std::move(failure)) {}
  OutcomeStore(const OutcomeStore&) = delete;
  OutcomeStore& operator=(const OutcomeStore&) = delete;

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

  // Keep an outcome that a lane has just made; parts that do not lie in its arena stay where they are, and
  // `hold` sees to it that they stay.
  void keep_made(u64 place, Value outcome, const u8* arena, const u8* end) {
    outcomes_[place] = copy_of_made(outcome, [&](Value part) {
      return stands_alone_ ? known_->object_of(part) != nullptr : !lies_in(part, arena, end);
    });
  }

  // What owns memory that outcomes point to lives as long as they do; `known` also gives its objects back.
  void hold(nb::object owner) { owners_.push_back(std::move(owner)); }
  void hold_known(nb::object known) {
    known_ = nb::inst_ptr<Known>(known);
    hold(std::move(known));
  }

  // Hold the outcomes of other calls that these are made from. Where that would make a long row of calls, of
  // which each holds the one before, none is held, and what is kept is copied with all its parts.
  void hold_columns(const std::vector<nb::object>& columns) {
    for (const nb::object& column : columns) {
      const u32 links = nb::inst_ptr<OutcomeStore>(column)->links_ + 1;
      links_ = links > links_ ? links : links_;
    }
    stands_alone_ = links_ > MOST_LINKS;
    if (stands_alone_) links_ = 0;
    else owners_.insert(owners_.end(), columns.begin(), columns.end());
  }

  Value outcome(u64 place) const { return outcomes_.at(place); }
  u64 count() const { return outcomes_.size(); }

  // A part of the outcomes as Python values, those that failed as `failure` makes them from kind and node.
  nb::tuple values(u64 first, u64 count) const {
    const NoCollection none_of_this_is_garbage;
    nb::object made = checked(PyTuple_New(Py_ssize_t(count)));
    const Unpacker unpacker(nb::cast<const ForeignOps&>(foreign_), known_);
    for (u64 k = 0; k < count; ++k)
      PyTuple_SET_ITEM(made.ptr(), Py_ssize_t(k), value(outcomes_.at(first + k), unpacker).release().ptr());
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
  static constexpr u32 MOST_LINKS = 32;

  nb::object value(Value outcome, const Unpacker& unpacker) const {
    if (is_failure(outcome)) return failure_(STATUS_NAMES[failure_status(outcome)], failure_node(outcome));
    return unpacker.unpack(outcome);
  }

  template <class Stays>
  Value copy_of_made(Value v, const Stays& stays) {
    if (!v.is_heap() || stays(v)) return v;
    u8* place = memory(own_bytes(v.head()));
    std::memcpy(place, v.head(), used_bytes(v.head()));
    Head* head = reinterpret_cast<Head*>(place);
    for (u32 k = 0; holds_values(head) && k < head->count; ++k)
      content<Value>(head)[k] = copy_of_made(content<Value>(head)[k], stays);
    return heap_value(head);
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
  std::vector<nb::object> owners_;
  const Known* known_ = nullptr;
  u32 links_ = 0;              // calls in a row, each made from the one before, that are held from here
  bool stands_alone_ = false;  // whether outcomes point to no memory of other calls
  nb::object foreign_;  // keeps the ops of a user alive
  nb::callable failure_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<u64[]>> chunks_;
  u8* top_ = nullptr;
  u64 left_ = 0;
};

}  // namespace arcbatt
