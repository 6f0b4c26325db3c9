// Giving memory back: what an application used, but for its result.
#pragma once

#include "lane.h"

namespace arcbatt {

HOST_DEVICE inline bool holds_values(const Head* head) {
  return head->form == Form::tuple || head->form == Form::set || head->form == Form::function;
}

// The bytes of a value without what it points to.
HOST_DEVICE inline u64 used_bytes(const Head* head) {
  u64 bytes = u64(head->count) * sizeof(u32);
  if (head->form == Form::bytes_grid) bytes = u64(head->count) * head->detail;
  if (head->form == Form::grid) bytes = u64(head->count) * head->detail * sizeof(i32);
  if (holds_values(head)) bytes = u64(head->count) * sizeof(Value);
  return sizeof(Head) + bytes;
}

// The same rounded up as the arena does.
HOST_DEVICE inline u64 own_bytes(const Head* head) { return (used_bytes(head) + 15) & ~u64(15); }

HOST_DEVICE inline bool lies_in(Value v, const u8* from, const u8* to) {
  const u8* place = reinterpret_cast<const u8*>(v.head());
  return v.is_heap() && place >= from && place < to;
}

HOST_DEVICE inline void move_words(u8* to, const u8* from, u64 bytes) {
  u64* target = reinterpret_cast<u64*>(to);
  const u64* source = reinterpret_cast<const u64*>(from);
  for (u64 k = 0; k < bytes / 8; ++k) target[k] = source[k];
}

// Copy a value with all it points to between `mark` and the top to the top, then move the copy down to `mark`.
template <class Group>
HOST_DEVICE Value compacted(Lane<Group>& lane, u8* mark, Value result) {
  u8* const start = lane.top;
  const u64 down = u64(start - mark);
  u8* first = lane.allocate(own_bytes(result.head()));
  if (!first) return NO_VALUE;
  once(lane.group, [&] { move_words(first, reinterpret_cast<const u8*>(result.head()), own_bytes(result.head())); });
  for (u8* place = start; place < lane.top;) {
    Head* head = reinterpret_cast<Head*>(place);
    const u32 count = holds_values(head) ? head->count : 0;
    for (u32 k = 0; k < count; ++k) {
      const Value part = content<Value>(head)[k];
      if (!lies_in(part, mark, start)) continue;
      const u64 bytes = own_bytes(part.head());
      u8* copy = lane.allocate(bytes);
      if (!copy) return NO_VALUE;
      once(lane.group, [&] {
        move_words(copy, reinterpret_cast<const u8*>(part.head()), bytes);
        content<Value>(head)[k] = heap_value(reinterpret_cast<const Head*>(copy - down));
      });
    }
    place += own_bytes(head);
  }
  const u64 bytes = u64(lane.top - start);
  once(lane.group, [&] { move_words(mark, start, bytes); });
  lane.release(mark + bytes);
  return heap_value(reinterpret_cast<const Head*>(mark));
}

constexpr u64 WORTH_COMPACTING = 1 << 16;  // bytes

// Give back what was allocated since `mark`, but for a result, which moves down to `mark`.
template <class Group>
CALLED Value reclaimed(Lane<Group>& lane, u8* mark, Value result) {
  if (!lies_in(result, mark, lane.top)) {
    lane.release(mark);
    return result;
  }
  const Head* head = result.head();
  if (holds_values(head)) return lane.top - mark > i64(WORTH_COMPACTING) ? compacted(lane, mark, result) : result;
  const u64 bytes = own_bytes(head);
  const u8* place = reinterpret_cast<const u8*>(head);
  if (place != mark) once(lane.group, [&] { move_words(mark, place, bytes); });
  lane.release(mark + bytes);
  return heap_value(reinterpret_cast<const Head*>(mark));
}

}  // namespace arcbatt
