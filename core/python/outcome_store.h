// Outcomes that stay packed until Python looks at them. Host only.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "python/convert.h"
#include "threads/copy.h"
#include "threads/run.h"

namespace arcbatt {

// Pauses the garbage collector, which would visit all new objects again and again while they are made.
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

// Costs as Python gets them: [(runs, nanoseconds, failures), ...].
inline nb::list cost_rows(const std::vector<Cost>& costs) {
  nb::list rows;
  for (const Cost& cost : costs) rows.append(nb::make_tuple(cost.runs, cost.nanoseconds, cost.failures));
  return rows;
}

// A numbered store of outcomes, each a copy in memory of its own.
class OutcomeStore {
 public:
  OutcomeStore(u64 count, nb::object foreign, nb::callable failure)
      : outcomes_(count), foreign_(std::move(foreign)), failure_(std::move(failure)) {}
  OutcomeStore(const OutcomeStore&) = delete;
  OutcomeStore& operator=(const OutcomeStore&) = delete;

  // Store outcomes from place `first` on. Several threads may call this at once, without the interpreter
  // lock. Addresses in the outcomes count from `base`.
  template <class OutcomeAt>
  void keep(u64 first, u64 count, OutcomeAt outcome, const u8* base = nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (u64 k = 0; k < count; ++k) {
      outcomes_[first + k] = deep_copy(outcome(k), base, [&](u64 bytes) { return memory_.room(bytes); });
    }
  }

  // Store an outcome that a lane has just made. Parts outside its arena are shared, not copied: `hold` keeps
  // their owners alive.
  void keep_made(u64 place, Value outcome, const u8* arena, const u8* end) {
    const auto is_shared = [&](Value part) {
      return stands_alone_ ? known_->object_of(part) != nullptr : !lies_in(part, arena, end);
    };
    outcomes_[place] = deep_copy(outcome, nullptr, [&](u64 bytes) { return memory_.room(bytes); }, is_shared);
  }

  // Keep an owner of memory that outcomes point to alive; `known` also gives back the Python objects it
  // knows.
  void hold(nb::object owner) { owners_.push_back(std::move(owner)); }
  void hold_known(nb::object known) {
    known_ = nb::inst_ptr<Known>(known);
    hold(std::move(known));
  }

  // Hold the stores of the calls whose outcomes are arguments here. Where each call holds the one before, the
  // chain is bounded: beyond MOST_LINKS none is held, and outcomes are copied with all their parts.
  void hold_columns(const std::vector<nb::object>& columns) {
    for (const nb::object& column : columns) {
      const u32 links = nb::inst_ptr<OutcomeStore>(column)->links_ + 1;
      links_ = links > links_ ? links : links_;
    }
    stands_alone_ = links_ > MOST_LINKS;
    if (stands_alone_) links_ = 0;
    else owners_.insert(owners_.end(), columns.begin(), columns.end());
  }

  // The places of the failures among some outcomes, counted from the first.
  nb::list places_of_failures(u64 first, u64 count) const {
    nb::list places;
    for (u64 k = 0; k < count; ++k) {
      if (is_failure(outcomes_.at(first + k))) places.append(k);
    }
    return places;
  }

  // Store Python values in place of some outcomes. Only before the outcomes are arguments of other calls.
  void replace(const nb::list& places, const nb::list& values) {
    ForeignOps& foreign = nb::cast<ForeignOps&>(foreign_);
    const auto fill = [&](HostLane& lane) {
      for (u64 k = 0; k < nb::len(places) && !lane.failed(); ++k) {
        const Value packed = pack(lane, values[k], foreign);
        if (lane.failed()) return;
        const auto room = [&](u64 bytes) { return memory_.room(bytes); };
        outcomes_.at(nb::cast<u64>(places[k])) = deep_copy(packed, nullptr, room);
      }
    };
    packed_memory(Limits{}, foreign, fill);
  }

  Value outcome(u64 place) const { return outcomes_.at(place); }
  u64 count() const { return outcomes_.size(); }

  // Some outcomes as Python values; a failed one as failure(kind, node).
  nb::tuple values(u64 first, u64 count) const {
    const NoCollection none_of_this_is_garbage;
    nb::object made = checked(PyTuple_New(Py_ssize_t(count)));
    const Unpacker unpacker(nb::cast<const ForeignOps&>(foreign_), known_);
    for (u64 k = 0; k < count; ++k)
      PyTuple_SET_ITEM(made.ptr(), Py_ssize_t(k), value(outcomes_.at(first + k), unpacker).release().ptr());
    return nb::borrow<nb::tuple>(made);
  }

  // The first of some outcomes that is not the same as that of another store, down to its packed form; their
  // count if all are.
  u64 first_difference(u64 first, const OutcomeStore& other, u64 other_first, u64 count) const {
    u64 k = 0;
    while (k < count && is_copy(outcomes_.at(first + k), other.outcomes_.at(other_first + k))) ++k;
    return k;
  }

  // The kinds of failure among some outcomes.
  nb::list failures(u64 first, u64 count) const {
    nb::list kinds;
    for (u64 k = 0; k < count; ++k) {
      const Value outcome = outcomes_.at(first + k);
      if (is_failure(outcome)) kinds.append(STATUS_NAMES[failure_status(outcome)]);
    }
    return kinds;
  }

 private:
  static constexpr u32 MOST_LINKS = 32;

  nb::object value(Value outcome, const Unpacker& unpacker) const {
    if (is_failure(outcome)) return failure_(STATUS_NAMES[failure_status(outcome)], failure_node(outcome));
    return unpacker.unpack(outcome);
  }

  std::vector<Value> outcomes_;
  std::vector<nb::object> owners_;
  const Known* known_ = nullptr;
  u32 links_ = 0;  // length of the longest chain of stores held from here
  bool stands_alone_ = false;  // whether outcomes point to no memory of other calls
  nb::object foreign_;  // keeps the ops of a user alive
  nb::callable failure_;
  std::mutex mutex_;
  CopyMemory memory_;
};

// Stores the outcomes of all roots, sample by sample in the order of the tasks.
class Keeper final : public Sink {
 public:
  Keeper(const Job& job, OutcomeStore& kept) : job_(job), kept_(kept) {
    u64 before = 0;
    for (const PackedTask& task : job.tasks->tasks) {
      first_.push_back(before);
      before += task.inputs.size();
    }
  }

  void take(Lane<Solo>&, Place at, const Value* registers, const std::vector<u32>& places) override {
    const std::vector<Root>& roots = job_.plan->roots;
    const u64 first = (first_[at.task] + at.sample) * roots.size();
    for (u32 place : places) kept_.keep(first + place, 1, [&](u64) { return registers[roots[place].node]; });
  }

  void put(Place at, const Given& given) override {
    const u64 count = job_.plan->roots.size(), first = (first_[at.task] + at.sample) * count;
    kept_.keep(first, count, [&](u64 k) { return given.outcomes[k]; }, given.base);
  }

 private:
  const Job& job_;
  OutcomeStore& kept_;
  std::vector<u64> first_;  // samples before each task
};

}  // namespace arcbatt
