// Mark-and-slide compaction of a whole arena: live values move down over dead ones. Host only.
#pragma once

#include <cstring>
#include <vector>

#include "values/compaction.h"

namespace arcbatt {

// Marks the live values of an arena, then slides them together. Shared parts stay shared.
class Compaction {
 public:
  Compaction(u8* base, u8* top) : base_(base), top_(top), marks_(u64(top - base) / GRAIN + 1) {}

  // Mark a value with all its parts.
  void mark(Value v) {
    push(v);
    while (!open_.empty()) {
      const Head* head = open_.back();
      open_.pop_back();
      if (!holds_values(head)) continue;
      for (u32 k = 0; k < head->count; ++k) push(content<Value>(head)[k]);
    }
  }

  // Move the marked values; returns the new top. `moved` then translates pointers to them.
  u8* slide() {
    u8* place = base_;
    for (u64 word : marks_) {
      before_.push_back(u32(places_.size()));
      for (; word; word &= word - 1) {
        const u64 grain = (before_.size() - 1) * 64 + lowest_bit(word);
        places_.push_back(place);
        place += own_bytes(head_at(grain));
      }
    }
    for (u64 k = 0; k < marks_.size(); ++k) {
      for (u64 word = marks_[k]; word; word &= word - 1) move(head_at(k * 64 + lowest_bit(word)));
    }
    return place;
  }

  Value moved(Value v) const {
    if (!lies_in(v, base_, top_)) return v;
    const u64 grain = grain_of(v.head()), below = (u64(1) << grain % 64) - 1;
    const u32 rank = before_[grain / 64] + u32(__builtin_popcountll(marks_[grain / 64] & below));
    return heap_value(reinterpret_cast<const Head*>(places_[rank]));
  }

 private:
  static constexpr u64 GRAIN = 64 * ALIGNMENT;  // bytes of the arena for a word of marks

  u64 grain_of(const Head* head) const { return u64(reinterpret_cast<const u8*>(head) - base_) / ALIGNMENT; }
  Head* head_at(u64 grain) const { return reinterpret_cast<Head*>(base_ + grain * ALIGNMENT); }

  void push(Value v) {
    if (!lies_in(v, base_, top_)) return;
    const u64 grain = grain_of(v.head()), bit = u64(1) << grain % 64;
    if (marks_[grain / 64] & bit) return;
    marks_[grain / 64] |= bit;
    open_.push_back(v.head());
  }

  // Values lie in ascending order, so none is overwritten before it has moved.
  void move(Head* head) {
    const Value there = moved(heap_value(head));
    if (holds_values(head)) {
      Value* parts = content<Value>(head);
      for (u32 k = 0; k < head->count; ++k) parts[k] = moved(parts[k]);
    }
    std::memmove(const_cast<Head*>(there.head()), head, own_bytes(head));
  }

  u8 *base_, *top_;
  std::vector<u64> marks_;   // a bit for each place where a value may begin
  std::vector<u32> before_;  // values marked before each word of marks
  std::vector<u8*> places_;  // where they go, in order
  std::vector<const Head*> open_;
};

}  // namespace arcbatt
