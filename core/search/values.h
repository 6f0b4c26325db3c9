// The distinct values of a search: each is kept once and has a number, so equal values have equal numbers.
#pragma once

#include <vector>

#include "threads/content.h"
#include "threads/copy.h"

namespace arcbatt::search {

class Values {
 public:
  Values() : slots_(FIRST_SLOTS, NONE) {}

  // The number of a value. A new value is copied: its place in the arena of a lane may be used again.
  u32 number_of(Value v) {
    const u64 hash = content_hash(v);
    u64 slot = hash & (slots_.size() - 1);
    while (slots_[slot] != NONE) {
      const u32 number = slots_[slot];
      if (hashes_[number] == hash && same_content(values_[number], v)) return number;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    const u32 number = u32(values_.size());
    values_.push_back(deep_copy(v, nullptr, [&](u64 bytes) {
      bytes_ += bytes;
      return memory_.room(bytes);
    }));
    hashes_.push_back(hash);
    slots_[slot] = number;
    if (values_.size() * 2 > slots_.size()) rehash();
    return number;
  }

  Value operator[](u32 number) const { return values_[number]; }
  u64 bytes() const { return bytes_ + values_.size() * (sizeof(Value) + sizeof(u64)) + slots_.size() * 4; }

 private:
  static constexpr u64 FIRST_SLOTS = u64(1) << 12;
  static constexpr u32 NONE = 0xffffffffu;

  void rehash() {
    slots_.assign(slots_.size() * 2, NONE);
    for (u32 number = 0; number < values_.size(); ++number) {
      u64 slot = hashes_[number] & (slots_.size() - 1);
      while (slots_[slot] != NONE) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::vector<Value> values_;
  std::vector<u64> hashes_;  // by number
  std::vector<u32> slots_;   // open addressing
  CopyMemory memory_;
  u64 bytes_ = 0;
};

}  // namespace arcbatt::search
