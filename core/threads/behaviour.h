// The behaviour of programs: digests of their outputs on all samples, which equal outputs share. Host only.
#pragma once

#include <string>
#include <vector>

#include "threads/candidates.h"

namespace arcbatt {

constexpr u64 mixed_digest(u64 digest, u64 word) {
  const u64 product = (digest ^ word) * DIGEST_FACTOR;
  return product ^ product >> 32;
}

inline u64 digest_of_name(const std::string& name) {
  u64 digest = mixed_digest(DIGEST_OF_NAME, name.size());
  for (const char letter : name) digest = mixed_digest(digest, u8(letter));
  return digest;
}

// Digests of values, by what they are in the language; engine/behaviour.py defines them. Addresses in values
// count from `base`.
class Digests {
 public:
  // `foreign` has the digests of the names of the ops that the core does not have.
  Digests(std::vector<u64> foreign, const u8* base = nullptr) : foreign_(std::move(foreign)), base_(base) {}

  u64 of_outcome(Value outcome) const {
    return is_failure(outcome) ? mixed_digest(DIGEST_OF_FAILURE, failure_status(outcome)) : of(outcome);
  }

  u64 of(Value v) const {
    switch (v.tag()) {
      case Tag::integer: return u64(v.integer());
      case Tag::pair: return of_location(location_of(v).i, location_of(v).j);
      case Tag::cell: return of_cell(cell_of(v));
      case Tag::empty_tuple: return mixed_digest(DIGEST_OF_TUPLE, 0);
      case Tag::empty_set: return mixed_digest(DIGEST_OF_SET, 0);
      case Tag::primitive: return mixed_digest(of_function(u32(v.word >> 32)), 0);
      default: return of_heap(reinterpret_cast<const Head*>(base_ + reinterpret_cast<u64>(v.head())));
    }
  }

  void set_base(const u8* base) { base_ = base; }

 private:
  template <class Element>
  static u64 of_all(u64 start, u32 count, Element element) {
    u64 digest = mixed_digest(start, count);
    for (u32 k = 0; k < count; ++k) digest = mixed_digest(digest, element(k));
    return digest;
  }

  static u64 of_location(i64 i, i64 j) {
    if (fits_bits(i, 8) && fits_bits(j, 8))
      return mixed_digest(mixed_digest(DIGEST_OF_ROW, 2), u64(u8(i)) | u64(u8(j)) << 8);
    return of_all(DIGEST_OF_TUPLE, 2, [&](u32 k) { return u64(k ? j : i); });
  }

  // A Tuple of Integers, each in a byte; there is one at least.
  static u64 of_row(const i8* cells, u32 count) {
    u64 digest = mixed_digest(DIGEST_OF_ROW, count), word = 0;
    for (u32 k = 0; k + 8 <= count; k += 8) {
      std::memcpy(&word, cells + k, 8);
      digest = mixed_digest(digest, word);
    }
    const u32 rest = count % 8;
    if (rest == 0) return digest;
    if (count > 8) {  // the rest is the end of the last eight
      std::memcpy(&word, cells + count - 8, 8);
      return mixed_digest(digest, word >> 8 * (8 - rest));
    }
    word = 0;
    for (u32 k = 0; k < rest; ++k) word |= u64(u8(cells[k])) << 8 * k;
    return mixed_digest(digest, word);
  }

  // A Tuple of Integers, which may all fit bytes.
  static u64 of_integers(const i32* numbers, u32 count) {
    bool fit = true;
    for (u32 k = 0; k < count; ++k) fit &= fits_bits(numbers[k], 8);
    if (!fit || count == 0)
      return of_all(DIGEST_OF_TUPLE, count, [&](u32 k) { return u64(i64(numbers[k])); });
    u64 digest = mixed_digest(DIGEST_OF_ROW, count);
    for (u32 from = 0; from < count; from += 8) {
      u64 word = 0;
      for (u32 k = from; k < count && k < from + 8; ++k) word |= u64(u8(numbers[k])) << 8 * (k - from);
      digest = mixed_digest(digest, word);
    }
    return digest;
  }

  static u64 of_cell(Cell c) {
    return of_all(DIGEST_OF_TUPLE, 2, [&](u32 k) { return k ? of_location(c.i, c.j) : u64(c.color); });
  }

  u64 of_heap(const Head* head) const {
    const bool is_of_set = head->form >= Form::integer_set && head->form <= Form::set;
    const u64 start = is_of_set ? DIGEST_OF_SET : DIGEST_OF_TUPLE;
    switch (head->form) {
      case Form::bytes_grid:
        if (head->detail == 0)
          return of_all(start, head->count, [&](u32) { return mixed_digest(DIGEST_OF_TUPLE, 0); });
        return of_all(start, head->count, [&](u32 row) {
          return of_row(content<i8>(head) + u64(row) * head->detail, head->detail);
        });
      case Form::grid:
        return of_all(start, head->count, [&](u32 row) {
          return of_integers(content<i32>(head) + u64(row) * head->detail, head->detail);
        });
      case Form::integers: return of_integers(content<i32>(head), head->count);
      case Form::integer_set:
        return of_all(start, head->count, [&](u32 k) { return u64(i64(content<i32>(head)[k])); });
      case Form::locations:
        return of_all(start, head->count, [&](u32 k) {
          const Cell c = cell_of(content<u32>(head)[k]);
          return of_location(c.i, c.j);
        });
      case Form::cell_tuple:
      case Form::cells:
        return of_all(start, head->count, [&](u32 k) { return of_cell(cell_of(content<u32>(head)[k])); });
      case Form::tuple:
      case Form::set: return of_parts(start, head);
      case Form::function: return of_parts(of_function(head->detail), head);
    }
    return 0;
  }

  u64 of_parts(u64 start, const Head* head) const {
    return of_all(start, head->count, [&](u32 k) { return of(content<Value>(head)[k]); });
  }

  u64 of_function(u32 op) const {
    const u64 name = is_foreign(op) ? foreign_[op - number::FIRST_FOREIGN] : digest_of_name(OP_NAMES[op]);
    return mixed_digest(DIGEST_OF_FUNCTION, name);
  }

  std::vector<u64> foreign_;
  const u8* base_;
};

// Judges candidates on the samples of one task, keeps their outputs for differs, and digests them.
class Behaviours final : public Candidates {
 public:
  // Of the samples, as many as `scored` says are for differs.
  Behaviours(const Job& job, u32 scored, std::vector<u64> foreign)
      : Candidates(job, {scored}, false), digests_(std::move(foreign)),
        samples_(job.tasks->tasks[0].inputs.size()), outputs_(job.wanted[0].size() * samples_) {}

  void take(Lane<Solo>& lane, Place at, const Value* registers, const std::vector<u32>& places) override {
    Candidates::take(lane, at, registers, places);
    if (lane.failed()) return;
    for (u32 k : places) {
      const Value outcome = registers[job().plan->roots[job().wanted[0][k]].node];
      outputs_[k * samples_ + at.sample] = digests_.of_outcome(outcome);
    }
  }

  void put(Place at, const Given& given) override {
    Candidates::put(at, given);
    Digests digests = digests_;
    digests.set_base(given.base);
    for (u64 k = 0; k < job().wanted[0].size(); ++k)
      outputs_[k * samples_ + at.sample] = digests.of_outcome(given.outcomes[k]);
  }

  // For each wanted root the digest of its outputs on all samples.
  std::vector<u64> behaviours() const {
    std::vector<u64> made(job().wanted[0].size(), mixed_digest(DIGEST_OF_TUPLE, samples_));
    for (u64 k = 0; k < outputs_.size(); ++k)
      made[k / samples_] = mixed_digest(made[k / samples_], outputs_[k]);
    return made;
  }

 private:
  Digests digests_;
  const u64 samples_;
  std::vector<u64> outputs_;  // digests by wanted root and sample
};

}  // namespace arcbatt
