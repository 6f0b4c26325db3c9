// Compaction within a lane: gives back the memory that an application used, except for its result.
#pragma once

#include "values/lane.h"

namespace arcbatt {

HOST_DEVICE inline bool holds_values(const Head* head) {
  return head->form == Form::tuple || head->form == Form::set || head->form == Form::function;
}

// The bytes of a value without its parts.
HOST_DEVICE inline u64 used_bytes(const Head* head) {
  u64 bytes = u64(head->count) * sizeof(u32);
  if (head->form == Form::bytes_grid) bytes = u64(head->count) * head->detail;
  if (head->form == Form::grid) bytes = u64(head->count) * head->detail * sizeof(i32);
  if (holds_values(head)) bytes = u64(head->count) * sizeof(Value);
  return sizeof(Head) + bytes;
}

// The same rounded up as the arena does.
HOST_DEVICE inline u64 own_bytes(const Head* head) { return rounded(used_bytes(head)); }

HOST_DEVICE inline bool lies_in(Value v, const u8* from, const u8* to) {
  const u8* place = reinterpret_cast<const u8*>(v.head());
  return v.is_heap() && place >= from && place < to;
}

HOST_DEVICE inline void move_words(u8* to, const u8* from, u64 bytes) {
  u64* target = reinterpret_cast<u64*>(to);
  const u64* source = reinterpret_cast<const u64*>(from);
  for (u64 k = 0; k < bytes / 8; ++k) target[k] = source[k];
}

template <class Group>
HOST_DEVICE void copy_words(const Group& group, void* to, const void* from, u64 bytes) {
  each(group, u32(bytes / 8), [&](u32 k) { static_cast<u64*>(to)[k] = static_cast<const u64*>(from)[k]; });
}

// Breadth-first deep copy (Cheney) to the top of the arena. Parts that are not `is_wanted` are shared. Copies
// are addressed `down` bytes below their places, where they are moved later. No value, with the lane failed,
// if memory is out.
template <class Group, class Test>
HOST_DEVICE Value copied_to_top(Lane<Group>& lane, Value v, u64 down, Test is_wanted) {
  const auto copied_alone = [&](Value part) {
    const u64 bytes = own_bytes(part.head());
    u8* copy = lane.allocate(bytes);
    if (!copy) return NO_VALUE;
    copy_words(lane.group, copy, part.head(), bytes);
    return heap_value(reinterpret_cast<const Head*>(u64(copy) - down));
  };
  u8* place = lane.top;
  const Value first = copied_alone(v);
  while (place < lane.top) {
    Head* head = reinterpret_cast<Head*>(place);
    const u32 count = holds_values(head) ? head->count : 0;
    for (u32 k = 0; k < count; ++k) {
      const Value part = content<Value>(head)[k];
      if (!part.is_heap() || !is_wanted(part)) continue;
      const Value copy = copied_alone(part);
      if (lane.failed()) return NO_VALUE;
      once(lane.group, [&] { content<Value>(head)[k] = copy; });
    }
    place += own_bytes(head);
  }
  return first;
}

// Copy a value, with its parts behind `mark`, to the top of the arena, then move the copy down to `mark`.
template <class Group>
HOST_DEVICE Value compacted(Lane<Group>& lane, u8* mark, Value result) {
  u8* const start = lane.top;
  const Value copy =
      copied_to_top(lane, result, u64(start - mark), [&](Value part) { return lies_in(part, mark, start); });
  if (lane.failed()) return NO_VALUE;
  const u64 bytes = u64(lane.top - start);
  once(lane.group, [&] { move_words(mark, start, bytes); });
  lane.release(mark + bytes);
  return copy;
}

constexpr u64 WORTH_COMPACTING = 1 << 16;  // bytes

// Give back the memory allocated since `mark`, except for a result, which moves down to `mark`. A container
// of values moves only if that frees enough memory to be worth it.
template <class Group>
CALLED Value reclaimed(Lane<Group>& lane, u8* mark, Value result) {
  if (!lies_in(result, mark, lane.top)) {
    lane.release(mark);
    return result;
  }
  const Head* head = result.head();
  const bool is_worth_it = lane.top - mark > i64(WORTH_COMPACTING);
  if (holds_values(head)) return is_worth_it ? compacted(lane, mark, result) : result;
  const u64 bytes = own_bytes(head);
  const u8* place = reinterpret_cast<const u8*>(head);
  if (place != mark) once(lane.group, [&] { move_words(mark, place, bytes); });
  lane.release(mark + bytes);
  return heap_value(reinterpret_cast<const Head*>(mark));
}

}  // namespace arcbatt
