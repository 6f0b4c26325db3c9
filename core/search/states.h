// The states of a search: value vectors, each with the cheapest expression that gives it. A vector has the
// number of a value for each sample of the task, demo samples first.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "search/templates.h"
#include "search/values.h"

namespace arcbatt::search {

// An application of a template to earlier states.
struct State {
  u32 made_by;  // the template
  std::array<u32, MOST_HOLES> args;
  u32 cost;
  Sort sort;
};

class States {
 public:
  static constexpr u32 KNOWN = 0xffffffffu;
  static constexpr u32 MOST_COST = 60;

  explicit States(u32 samples) : samples_(samples), slots_(FIRST_SLOTS, KNOWN) {
    for (auto& by_cost : lists_) by_cost.resize(MOST_COST + 1);  // a list that is walked stays where it is
  }

  // Add a state, unless one of its sort has the same vector: its number, or KNOWN. States come in ascending
  // order of cost, so that the first of equal ones is the cheapest.
  u32 add(const State& state, const u32* vector) {
    const u64 hash = hash_of(state.sort, vector);
    u64 slot = hash & (slots_.size() - 1);
    while (slots_[slot] != KNOWN) {
      const u32 other = slots_[slot];
      if (all_[other].sort == state.sort && std::memcmp(this->vector(other), vector, samples_ * 4) == 0)
        return KNOWN;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    const u32 number = u32(all_.size());
    all_.push_back(state);
    vectors_.insert(vectors_.end(), vector, vector + samples_);
    slots_[slot] = number;
    lists_[u32(state.sort)][state.cost].push_back(number);
    if (all_.size() * 2 > slots_.size()) rehash();
    return number;
  }

  const State& operator[](u32 number) const { return all_[number]; }
  u32 size() const { return u32(all_.size()); }
  u32 samples() const { return samples_; }
  const u32* vector(u32 number) const { return vectors_.data() + u64(number) * samples_; }
  u64 bytes() const { return all_.size() * (sizeof(State) + samples_ * 4 + 4) + slots_.size() * sizeof(u32); }

  // The states of a sort that have a cost.
  const std::vector<u32>& of(Sort sort, u32 cost) const { return lists_[u32(sort)][cost]; }

 private:
  static constexpr u64 FIRST_SLOTS = u64(1) << 12;

  u64 hash_of(Sort sort, const u32* vector) const {
    u64 hash = u64(sort) + 1;
    for (u32 k = 0; k < samples_; ++k) hash = mixed(hash, vector[k]);
    return hash;
  }

  void rehash() {
    slots_.assign(slots_.size() * 2, KNOWN);
    for (u32 number = 0; number < all_.size(); ++number) {
      u64 slot = hash_of(all_[number].sort, vector(number)) & (slots_.size() - 1);
      while (slots_[slot] != KNOWN) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  const u32 samples_;
  std::vector<State> all_;
  std::vector<u32> vectors_;
  std::vector<u32> slots_;  // open addressing
  std::array<std::vector<std::vector<u32>>, SORTS> lists_;
};

}  // namespace arcbatt::search
