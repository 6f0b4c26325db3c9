// A lane: one run of a batt on one sample, with its own memory, limits and failure.
#pragma once

#include "values/group.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace arcbatt {

// Tell AddressSanitizer which memory of an arena is free and may not be touched. No effect in other builds.
// Only for a group of one: the threads of a warp share an arena and do not allocate at the same moment.
template <class Group>
HOST_DEVICE void forbid([[maybe_unused]] const u8* from, [[maybe_unused]] const u8* to) {
#if defined(__SANITIZE_ADDRESS__)
  if (Group::HAS_HOST && from < to) ASAN_POISON_MEMORY_REGION(from, u64(to - from));
#endif
}

template <class Group>
HOST_DEVICE void allow([[maybe_unused]] const u8* from, [[maybe_unused]] const u8* to) {
#if defined(__SANITIZE_ADDRESS__)
  if (Group::HAS_HOST && from < to) ASAN_UNPOISON_MEMORY_REGION(from, u64(to - from));
#endif
}

HOST_DEVICE constexpr u64 rounded(u64 bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

struct Limits {
  u32 items;
  u32 depth;
  u64 calls;
  u64 work;    // units of work of one program on one sample
  u64 held;    // total weight of the results of one program on one sample
  u64 memory;  // bytes of the host for one thread
};

// What the nodes of a lane have used: the weight of the results that are held, and the work they have cost.
struct Account {
  u64 held, spent;
};

// A function that is being applied and waits for the result of another application.
struct Frame {
  u16 op;      // which applies functions, or made the composite
  u8 phase;
  u16 depth;   // applications active when control is back here
  bool holds_empty_set;  // `{}` is among the results
  Value function;
  Value args[MOST_PARAMETERS];
  u32 next;    // the element whose application is under way, of `count`
  u32 count;
  u32 base;    // where the results begin on the lane's stack
  u32 sorted;  // how many of them are sorted and distinct
  u64 weight;  // of the results held so far
  u64 work;    // done before the call that a composition waits for
  u8* mark;    // the arena before the current application
  u8* start;   // the arena before the op
};

template <class Group>
struct Lane {
  Group group;
  Limits limits;
  u8* base;    // the arena: values are made at `top` and never moved while they are in use
  u8* top;
  u8* end;
  Value* stack;      // values of function frames and collected results
  u32 stack_top = 0;
  u32 stack_size;
  Frame* frames;
  u32 frame_top = 0;
  u32 frame_size;
  u64 calls = 0;         // applications made by the current top-level op
  u64 work = 0;          // its work so far, plus `carried`
  u32 depth = 0;         // applications active
  Status status = Status::ok;
  const u32* stop;   // set from outside to end the lane
  void* host = nullptr;        // runs foreign ops, through `ask_host`
  Value (*ask_host)(void* host, Lane& lane, u32 op, const Value* args, u32 count) = nullptr;
  const u32* node = nullptr;   // the node that runs, for the host
  u32 failures = 0;      // nodes that failed so far, counted in mode `pile`
  Frame* near_frames = nullptr;  // the first frames of a group that has memory for them close by
  Account account = {0, 0};   // of the nodes that have run
  u64 carried = 0;       // the work of earlier ops of the same program, where it runs alone
  bool columns = true;  // whether functions run over all elements at once, where they can
  u64 elements = 0;         // that ops applied functions to, since the lane was made
  u64 column_elements = 0;  // those of them that ran in columns

  HOST_DEVICE bool failed() const { return status != Status::ok; }

  HOST_DEVICE Frame& frame(u32 place) {
    if constexpr (Group::NEAR_FRAMES > 0) {
      if (place < Group::NEAR_FRAMES) return near_frames[place];
    }
    return frames[place];
  }

  HOST_DEVICE Value fail(Status kind) {
    if (!failed()) status = kind;
    return NO_VALUE;
  }

  // Memory for `bytes`, or null with status overflow; the lane is then run again in a larger arena.
  HOST_DEVICE u8* allocate(u64 bytes) {
    const u64 needed = rounded(bytes);
    if (needed > u64(end - top)) {
      fail(Status::overflow);
      return nullptr;
    }
    u8* place = top;
    top += needed;
    allow<Group>(place, top);
    return place;
  }

  template <class T>
  HOST_DEVICE T* array(u64 count) {
    return reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }

  // Give back the memory allocated after `mark`, once every thread has read what it needs of it.
  HOST_DEVICE void release(u8* mark) {
    group.sync();
    forbid<Group>(mark, top);
    top = mark;
  }

  CALLED Head* new_head(Form form, u64 count, u64 detail, u64 weight, u32 nest, u64 bytes) {
    u8* place = allocate(sizeof(Head) + bytes);
    if (!place) return nullptr;
    Head* head = reinterpret_cast<Head*>(place);
    const u32 capped = weight < HEAVIEST ? u32(weight) : HEAVIEST;
    const Head made{form, 0, u16(nest < 65535 ? nest : 65535), capped, u32(count), u32(detail)};
    once(group, [&] { *head = made; });
    return head;
  }

  // Add to the work of the program: false, with the failure set, past the limit.
  HOST_DEVICE bool spend(u64 cost) {
    work += cost;
    if (work > limits.work) fail(Status::CALLS);
    return !failed();
  }

  // Judge a result before it is built: false, with the failure set, if it is too deep or too heavy.
  HOST_DEVICE bool admits(u64 weight, u32 nest) {
    if (nest > limits.depth) fail(Status::DEPTH);
    else if (weight > limits.items) fail(Status::SIZE);
    return !failed();
  }
};

// Memory for the duration of an op. It comes from the far end of the arena, so that results lie close
// together.
template <class Group>
class Scratch {
 public:
  HOST_DEVICE explicit Scratch(Lane<Group>& lane) : lane_(lane), end_(lane.end) {}
  HOST_DEVICE ~Scratch() noexcept(false) {  // the emulator throws where the threads of a warp part
    lane_.group.sync();  // every thread has read what it needs
    forbid<Group>(lane_.end, end_);
    lane_.end = end_;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  HOST_DEVICE T* array(u64 count) {
    const u64 bytes = rounded(count * sizeof(T));
    if (bytes > u64(lane_.end - lane_.top)) {
      lane_.fail(Status::overflow);
      return nullptr;
    }
    lane_.end -= bytes;
    allow<Group>(lane_.end, lane_.end + bytes);
    return reinterpret_cast<T*>(lane_.end);
  }

 private:
  Lane<Group>& lane_;
  u8* end_;
};

}  // namespace arcbatt
