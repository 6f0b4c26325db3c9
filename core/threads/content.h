// Equality and hashes of values by content, without a lane. Host only.
#pragma once

#include <cstring>

#include "values/compaction.h"

namespace arcbatt {

// A hash with one more word in it.
inline u64 mixed(u64 hash, u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// A hash of the content of a value, which has one representation.
inline u64 content_hash(Value v) {
  if (!v.is_heap()) return mixed(0, v.word);
  const Head* head = v.head();
  u64 hash = mixed(u64(head->form), u64(head->count) << 32 | head->detail);
  if (holds_values(head)) {
    for (u32 k = 0; k < head->count; ++k) hash = mixed(hash, content_hash(content<Value>(head)[k]));
    return hash;
  }
  const u64 bytes = used_bytes(head) - sizeof(Head);
  for (u64 from = 0; from < bytes; from += 8) {
    u64 word = 0;
    std::memcpy(&word, content<u8>(head) + from, bytes - from < 8 ? bytes - from : 8);
    hash = mixed(hash, word);
  }
  return hash;
}

// Equality without a lane.
inline bool same_content(Value a, Value b) {
  if (a.same_word(b)) return true;
  if (!a.is_heap() || !b.is_heap()) return false;
  const Head *x = a.head(), *y = b.head();
  if (x->form != y->form || x->count != y->count || x->detail != y->detail || x->weight != y->weight)
    return false;
  if (!holds_values(x)) return std::memcmp(x + 1, y + 1, used_bytes(x) - sizeof(Head)) == 0;
  for (u32 k = 0; k < x->count; ++k) {
    if (!same_content(content<Value>(x)[k], content<Value>(y)[k])) return false;
  }
  return true;
}

}  // namespace arcbatt
