// Deep copies of values, to other memory or for another address, and their comparison. Host only.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "values/compaction.h"

namespace arcbatt {

// Where a copy is written, and the address that values which point to it hold.
struct Copy {
  u8* place;
  const Head* address;
};

// Memory for copies, which grows by chunks; all of it is given back at once.
class CopyMemory {
 public:
  Copy room(u64 bytes) {
    if (bytes > left_) {
      left_ = bytes > CHUNK ? bytes : CHUNK;
      chunks_.emplace_back(new u64[left_ / 8]);  // aligned as any value needs it
      top_ = reinterpret_cast<u8*>(chunks_.back().get());
    }
    u8* place = top_;
    top_ += bytes;
    left_ -= bytes;
    return {place, reinterpret_cast<const Head*>(place)};
  }

 private:
  static constexpr u64 CHUNK = u64(1) << 16;

  std::vector<std::unique_ptr<u64[]>> chunks_;
  u8* top_ = nullptr;
  u64 left_ = 0;
};

// A deep copy of a value; `room` gives the place for some bytes. Addresses in the value count from `base`.
// Parts for which `is_shared` holds are not copied.
template <class Room, class Test>
Value deep_copy(Value v, const u8* base, const Room& room, const Test& is_shared) {
  if (!v.is_heap() || is_shared(v)) return v;
  const Head* source = reinterpret_cast<const Head*>(base + reinterpret_cast<u64>(v.head()));
  const Copy copy = room(own_bytes(source));
  std::memcpy(copy.place, source, used_bytes(source));  // what lies behind is anything
  if (holds_values(source)) {
    Value* parts = content<Value>(reinterpret_cast<Head*>(copy.place));
    for (u32 k = 0; k < source->count; ++k) parts[k] = deep_copy(parts[k], base, room, is_shared);
  }
  return heap_value(copy.address);
}

template <class Room>
Value deep_copy(Value v, const u8* base, const Room& room) {
  return deep_copy(v, base, room, [](Value) { return false; });
}

// Whether two values are alike in every bit but their addresses. Equal values are: each has one packed form.
inline bool is_copy(Value a, Value b) {
  if (!a.is_heap() || !b.is_heap()) return a.same_word(b);
  const Head *x = a.head(), *y = b.head();
  if (std::memcmp(x, y, sizeof(Head)) != 0) return false;
  if (!holds_values(x)) return std::memcmp(x, y, used_bytes(x)) == 0;
  for (u32 k = 0; k < x->count; ++k) {
    if (!is_copy(content<Value>(x)[k], content<Value>(y)[k])) return false;
  }
  return true;
}

// The bytes of a value with all it points to.
inline u64 bytes_of(Value v) {
  if (!v.is_heap()) return 0;
  const Head* head = v.head();
  u64 bytes = own_bytes(head);
  for (u32 k = 0; holds_values(head) && k < head->count; ++k) bytes += bytes_of(content<Value>(head)[k]);
  return bytes;
}

}  // namespace arcbatt
