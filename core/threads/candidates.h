// The distinct outputs of solvers on each sample, which are the inputs of differs. Host only.
#pragma once

#include <unordered_map>
#include <vector>

#include "threads/content.h"
#include "threads/copy.h"
#include "threads/run.h"

namespace arcbatt {

// Distinct values, numbered in the order in which they came; failures are one value, NO_VALUE.
class DistinctValues {
 public:
  u32 number_of(Value outcome) {
    const Value v = is_failure(outcome) ? NO_VALUE : outcome;
    const u64 hash = content_hash(v);
    const auto [first, last] = numbers_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      if (same_content(values_[known->second], v)) return known->second;
    }
    const u32 number = u32(values_.size());
    values_.push_back(deep_copy(v, nullptr, [&](u64 bytes) { return memory_.room(bytes); }));
    numbers_.emplace(hash, number);
    return number;
  }

  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
  std::unordered_multimap<u64, u32> numbers_;  // by hash
  CopyMemory memory_;
};

// Judges solvers, and keeps the outputs that differs have to score: those that are not exact, of the first
// samples of each task, each distinct one of a sample once.
class Candidates : public Judge {
 public:
  static constexpr u32 EXACT_OR_UNSCORED = 0xffffffffu;

  // `scored` has the number of samples that are scored, by task. With `tries_again`, solvers that fail get
  // their outputs by a SecondTry.
  Candidates(const Job& job, const std::vector<u32>& scored, bool tries_again)
      : Judge(job), tries_again_(tries_again), outputs_(scored.size()) {
    for (u32 task = 0; task < scored.size(); ++task) {
      outputs_[task] = std::vector<DistinctValues>(scored[task]);
      numbers.emplace_back(job.wanted[task].size() * scored[task], EXACT_OR_UNSCORED);
    }
  }

  void take(Lane<Solo>& lane, Place at, const Value* registers, const std::vector<u32>& places) override {
    Judge::take(lane, at, registers, places);
    if (lane.failed()) return;
    const std::vector<u32>& wanted = job().wanted[at.task];
    for (u32 k : places) keep_first(at, k, registers[job().plan->roots[wanted[k]].node]);
  }

  void put(Place at, const Given& given) override {
    Judge::put(at, given);
    CopyMemory memory;
    for (u32 k = 0; k < job().wanted[at.task].size(); ++k) keep_first(at, k, copied(given, k, memory));
  }

  // An outcome that a device gives.
  static Value copied(const Given& given, u32 root, CopyMemory& memory) {
    return deep_copy(given.outcomes[root], given.base, [&](u64 bytes) { return memory.room(bytes); });
  }

  // The places of the wanted roots that failed on some sample, by task.
  std::vector<std::vector<u32>> failed() const {
    std::vector<std::vector<u32>> places(numbers.size());
    for (u32 task = 0; task < places.size(); ++task) {
      const u32 samples = u32(job().tasks->tasks[task].inputs.size());
      const auto has_failed = [&](u32 root, u32 sample) { return verdict({task, sample}, root) >= FAILED; };
      for (u32 root = 0; root < job().wanted[task].size(); ++root) {
        u32 sample = 0;
        while (sample < samples && !has_failed(root, sample)) ++sample;
        if (sample < samples) places[task].push_back(root);
      }
    }
    return places;
  }

  // The outcome of a second try: it counts where the first failed, and leaves the verdict unless it is exact.
  void try_again(Place at, u32 root, u8 verdict_now, Value outcome) {
    if (verdict(at, root) < FAILED) return;
    if (verdict_now == EXACT) verdict(at, root) = EXACT;
    else keep(at, root, outcome);
  }

  // For each scored sample of each task a task of its own: the outputs are the inputs there.
  std::vector<PackedTask> as_tasks() const {
    std::vector<PackedTask> made;
    for (u32 task = 0; task < outputs_.size(); ++task) {
      const PackedTask& given = job().tasks->tasks[task];
      for (u32 sample = 0; sample < outputs_[task].size(); ++sample) {
        made.push_back({given.samples, {}, given.memory});
        for (Value v : outputs_[task][sample].values())
          made.back().inputs.emplace_back(v, given.inputs[sample].second);
      }
    }
    return made;
  }

  std::vector<std::vector<u32>> numbers;  // by task, wanted root and scored sample: of outputs

 private:
  void keep_first(Place at, u32 root, Value outcome) {
    if (!tries_again_ || !is_failure(outcome)) keep(at, root, outcome);
  }

  void keep(Place at, u32 root, Value outcome) {
    const u64 scored = outputs_[at.task].size();
    if (at.sample >= scored || verdict(at, root) == EXACT) return;
    numbers[at.task][root * scored + at.sample] = outputs_[at.task][at.sample].number_of(outcome);
  }

  const bool tries_again_;
  std::vector<std::vector<DistinctValues>> outputs_;  // by task and sample
};

// Runs solvers that failed in mode `fail` once more, in mode `default`: a program without a failed node gives
// the same in both.
class SecondTry final : public Sink {
 public:
  // `job` wants the roots that `first.failed()` has.
  SecondTry(const Job& job, Candidates& first) : job_(job), first_(first), places_(first.failed()) {}

  void take(Lane<Solo>& lane, Place at, const Value* registers, const std::vector<u32>& places) override {
    const Value expected = job_.tasks->tasks[at.task].inputs[at.sample].second;
    for (u32 k : places) {
      const Root root = job_.plan->roots[job_.wanted[at.task][k]];
      const u8 verdict = verdict_of(lane, root, registers[root.node], expected);
      if (lane.failed()) return;
      first_.try_again(at, places_[at.task][k], verdict, registers[root.node]);
    }
  }

  void put(Place at, const Given& given) override {
    CopyMemory memory;
    for (u32 k = 0; k < places_[at.task].size(); ++k) {
      first_.try_again(at, places_[at.task][k], given.verdicts[k], Candidates::copied(given, k, memory));
    }
  }

 private:
  const Job& job_;
  Candidates& first_;
  const std::vector<std::vector<u32>> places_;  // by task: of the roots among those of the first job
};

}  // namespace arcbatt
