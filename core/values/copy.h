// Copies of values with all they point to, to other memory or for another address. Host only.
#pragma once

#include <cstring>

#include "values/compaction.h"

namespace arcbatt {

// Where a copy is written, and the address that values which point to it hold.
struct Copy {
  u8* place;
  const Head* address;
};

// Copy a value; `room` gives the place for some bytes. Addresses in the value count from `base`.
template <class Room>
Value deep_copy(Value v, const u8* base, const Room& room) {
  if (!v.is_heap()) return v;
  const Head* source = reinterpret_cast<const Head*>(base + reinterpret_cast<u64>(v.head()));
  const Copy copy = room(own_bytes(source));
  std::memcpy(copy.place, source, used_bytes(source));  // what lies behind is anything
  if (holds_values(source)) {
    Value* parts = content<Value>(reinterpret_cast<Head*>(copy.place));
    for (u32 k = 0; k < source->count; ++k) parts[k] = deep_copy(parts[k], base, room);
  }
  return heap_value(copy.address);
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
