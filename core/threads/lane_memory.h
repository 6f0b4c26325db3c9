// Memory for lanes of the host, which grows on demand. Where the system has less, a lane makes do with less.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "machine/vm.h"

namespace arcbatt {

constexpr u64 FIRST_ARENA = u64(64) << 20, LARGEST_ARENA = u64(4) << 30, SMALLEST_ARENA = u64(1) << 20;
constexpr u64 KEPT_BYTES = u64(1) << 20;  // of each end of an arena that a later run uses again
constexpr u64 ARENA_A_VALUE = 64;  // bytes of an arena for each value of the stack that belongs to it
inline const u32 NEVER_STOPPED = 0;  // the stop flag of lanes that nobody stops

constexpr u32 stack_size(u64 arena_bytes) { return u32(arena_bytes / ARENA_A_VALUE); }
// A thread's memory is parted into an arena for programs that run together, one more than twice as large for
// a program that runs alone, and their stacks.
constexpr u64 arena_together(u64 memory) { return memory / 32 / ALIGNMENT * 9 * ALIGNMENT; }
constexpr u64 arena_alone(u64 memory) { return memory / 32 / ALIGNMENT * 19 * ALIGNMENT; }
constexpr u64 first_arena(u64 memory) { return u64(least(i64(FIRST_ARENA), i64(arena_together(memory)))); }

constexpr u32 frame_size(u32 depth) { return 4 * depth + 16; }  // room for all that a limit of depth admits

// Runs ops that the core does not have, on behalf of a lane.
struct Host {
  void* state;
  Value (*ask)(void* state, Lane<Solo>& lane, u32 op, const Value* args, u32 count);
};

// The memory of a lane: reserved at once, and touched only as far as it is used.
class Memory {
 public:
  Memory(u64 arena_bytes, u32 depth) : depth_(depth) {
    if (!reserve(arena_bytes)) throw std::bad_alloc();
  }
  ~Memory() { give_back(); }
  Memory(Memory&&) = default;
  Memory& operator=(Memory&&) = default;

  // As much as the system has: this many bytes, else half as many, and so on.
  static Memory up_to(u64 arena_bytes, u32 depth) {
    while (true) {
      try {
        return Memory(arena_bytes, depth);
      } catch (const std::bad_alloc&) {
        arena_bytes = arena_bytes / 2 / ALIGNMENT * ALIGNMENT;
        if (arena_bytes < SMALLEST_ARENA) throw;
      }
    }
  }

  u64 bytes() const { return bytes_; }
  u32 depth() const { return depth_; }

  // Give most pages back to the system: all but those that every run touches.
  void shrink() const {
    leave_pages(arena_.get(), bytes_);
    leave_pages(reinterpret_cast<u8*>(stack_.get()), u64(stack_size(bytes_)) * sizeof(Value));
  }

  // Four times as many bytes; bad_alloc where that is more than a lane can have.
  u64 more_bytes() const {
    if (bytes_ * 4 > LARGEST_ARENA) throw std::bad_alloc();
    return bytes_ * 4;
  }

  // Exchange the memory for one of `more_bytes`. Its content is lost: lanes start anew.
  void grow() {
    if (!reserve(more_bytes())) throw std::bad_alloc();
  }

  // The same up to a bound; false, with nothing changed, at the bound or where the system has no more.
  bool grow(u64 most) {
    const u64 wanted = bytes_ * 4 < most ? bytes_ * 4 : most;
    return wanted > bytes_ && reserve(wanted);
  }

  Lane<Solo> lane(Limits limits, const u32* stop, Host host) const {
    u8* const arena = arena_.get();
    forbid<Solo>(arena, arena + bytes_);
    return {.group = {},
            .limits = limits,
            .base = arena,
            .top = arena,
            .end = arena + bytes_,
            .stack = stack_.get(),
            .stack_size = stack_size(bytes_),
            .frames = frames_.get(),
            .frame_size = frame_size(depth_),
            .stop = stop,
            .host = host.state,
            .ask_host = host.ask};
  }

 private:
  struct Free {
    void operator()(void* place) const { std::free(place); }
  };
  template <class T>
  using Array = std::unique_ptr<T[], Free>;

  // The lowest and the uppermost pages are kept: values are made there, and memory for the duration of an op.
  static void leave_pages([[maybe_unused]] u8* from, [[maybe_unused]] u64 bytes) {
#if defined(__linux__)
    const u64 begin = (u64(from) + KEPT_BYTES) / KEPT_BYTES * KEPT_BYTES,
              end = u64(from) + bytes - KEPT_BYTES;
    if (begin < end)
      madvise(reinterpret_cast<void*>(begin), (end - begin) / KEPT_BYTES * KEPT_BYTES, MADV_DONTNEED);
#endif
  }

  // Memory goes back to the system as it came.
  void give_back() const { allow<Solo>(arena_.get(), arena_.get() + (arena_ ? bytes_ : 0)); }

  bool reserve(u64 arena_bytes) {
    Array<u8> arena(static_cast<u8*>(std::aligned_alloc(ALIGNMENT, arena_bytes)));
    Array<Value> stack(static_cast<Value*>(std::malloc(u64(stack_size(arena_bytes)) * sizeof(Value))));
    Array<Frame> frames(static_cast<Frame*>(std::malloc(u64(frame_size(depth_)) * sizeof(Frame))));
    if (!arena || !stack || !frames) return false;
    give_back();
    arena_ = std::move(arena);
    stack_ = std::move(stack);
    frames_ = std::move(frames);
    bytes_ = arena_bytes;
    return true;
  }

  u64 bytes_ = 0;
  u32 depth_;
  Array<u8> arena_;
  Array<Value> stack_;
  Array<Frame> frames_;
};

// The memory of lanes that have ended, for those of later runs: new memory costs a page fault for each page.
class SpareMemory {
 public:
  static Memory take(u64 arena_bytes, u32 depth) {
    const std::unique_lock<std::mutex> lock(mutex(),
                                            std::try_to_lock);  // a forked process may find it locked
    for (u64 k = 0; lock && k < spare().size(); ++k) {
      if (spare()[k].bytes() != arena_bytes || spare()[k].depth() != depth) continue;
      std::swap(spare()[k], spare().back());
      Memory taken = std::move(spare().back());
      spare().pop_back();
      return taken;
    }
    return Memory::up_to(arena_bytes, depth);
  }

  static void leave(Memory memory) {
    if (memory.bytes() > FIRST_ARENA) return;
    memory.shrink();
    const std::unique_lock<std::mutex> lock(mutex(), std::try_to_lock);
    if (lock && spare().size() < MOST) spare().push_back(std::move(memory));
  }

 private:
  static constexpr u64 MOST = 16;

  static std::mutex& mutex() {
    static std::mutex only;
    return only;
  }
  static std::vector<Memory>& spare() {
    static std::vector<Memory> all;
    return all;
  }
};

// A lane that is never reset: when its arena is full it goes on in a new, larger one, and values in the
// earlier ones stay valid.
class GrowingLane {
 public:
  GrowingLane(u64 first_arena, u32 depth, const Limits& limits, Host host)
      : depth_(depth), limits_(limits), host_(host) {
    add_memory(first_arena);
  }

  void grow() { add_memory(memories_.back()->more_bytes()); }
  u64 bytes() const { return earlier_ + u64(lane.top - lane.base); }  // in use

  Lane<Solo> lane{};

 private:
  void add_memory(u64 arena_bytes) {
    auto memory = std::make_unique<Memory>(arena_bytes, depth_);
    earlier_ = bytes();
    memories_.push_back(std::move(memory));
    lane = memories_.back()->lane(limits_, &NEVER_STOPPED, host_);
  }

  u32 depth_;
  Limits limits_;
  Host host_;
  std::vector<std::unique_ptr<Memory>> memories_;
  u64 earlier_ = 0;  // bytes in use in all arenas but the last
};

}  // namespace arcbatt
