// Lanes of the host: memory for a group of one, larger when a run asks for more.
#pragma once

#include <cstdlib>
#include <new>

#include "vm.h"

namespace arcbatt {

constexpr u64 LARGEST_ARENA = u64(4) << 30;
constexpr u64 ARENA_A_VALUE = 64;  // bytes of an arena for each value of the stack that belongs to it
inline const u32 NEVER_STOPPED = 0;  // the stop flag of lanes that nobody stops

constexpr u32 stack_size(u64 arena_bytes) { return u32(arena_bytes / ARENA_A_VALUE); }
constexpr u32 frame_size(u32 depth) { return 4 * depth + 16; }  // room for all that a limit of depth admits

// What a lane asks to run ops that the core does not have.
struct Host {
  void* state;
  Value (*ask)(void* state, Lane<Solo>& lane, u32 op, const Value* args, u32 count);
};

// The memory of a lane. It is reserved at once and touched only as far as it is used.
class Memory {
 public:
  Memory(u64 arena_bytes, u32 depth)
      : bytes_(arena_bytes),
        arena_(static_cast<u8*>(std::aligned_alloc(ALIGNMENT, arena_bytes))),
        stack_size_(stack_size(arena_bytes)),
        stack_(static_cast<Value*>(std::malloc(u64(stack_size_) * sizeof(Value)))),
        frame_size_(frame_size(depth)),
        frames_(static_cast<Frame*>(std::malloc(u64(frame_size_) * sizeof(Frame)))) {
    if (!arena_ || !stack_ || !frames_) throw std::bad_alloc();
  }
  ~Memory() {
    std::free(arena_);
    std::free(stack_);
    std::free(frames_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  u64 bytes() const { return bytes_; }

  Lane<Solo> lane(Limits limits, const u32* stop, Host host) const {
    return {Solo{}, limits, arena_, arena_, arena_ + bytes_, stack_, 0, stack_size_, frames_, 0, frame_size_, 0, 0,
            Status::ok, stop, host.state, host.ask, 0, nullptr};
  }

 private:
  u64 bytes_;
  u8* arena_;
  u32 stack_size_;
  Value* stack_;
  u32 frame_size_;
  Frame* frames_;
};

}  // namespace arcbatt
