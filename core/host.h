// Lanes of the host: memory for a group of one, larger when a run asks for more.
#pragma once

#include <cstdlib>
#include <memory>
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
  Memory(u64 arena_bytes, u32 depth) : depth_(depth) { reserve(arena_bytes); }

  u64 bytes() const { return bytes_; }

  // Four times as many bytes; bad_alloc where that is more than a lane can have.
  u64 more_bytes() const {
    if (bytes_ * 4 > LARGEST_ARENA) throw std::bad_alloc();
    return bytes_ * 4;
  }

  // Exchange all of it for that much; lanes start anew.
  void grow() { reserve(more_bytes()); }

  Lane<Solo> lane(Limits limits, const u32* stop, Host host) const {
    u8* const arena = arena_.get();
    return {Solo{}, limits, arena, arena, arena + bytes_, stack_.get(), 0, stack_size(bytes_), frames_.get(),
            0, frame_size(depth_), 0, 0, Status::ok, stop, host.state, host.ask, 0, nullptr};
  }

 private:
  struct Free {
    void operator()(void* place) const { std::free(place); }
  };
  template <class T>
  using Array = std::unique_ptr<T[], Free>;

  void reserve(u64 arena_bytes) {
    arena_.reset();
    arena_.reset(static_cast<u8*>(std::aligned_alloc(ALIGNMENT, arena_bytes)));
    stack_.reset(static_cast<Value*>(std::malloc(u64(stack_size(arena_bytes)) * sizeof(Value))));
    frames_.reset(static_cast<Frame*>(std::malloc(u64(frame_size(depth_)) * sizeof(Frame))));
    if (!arena_ || !stack_ || !frames_) throw std::bad_alloc();
    bytes_ = arena_bytes;
  }

  u64 bytes_ = 0;
  u32 depth_;
  Array<u8> arena_;
  Array<Value> stack_;
  Array<Frame> frames_;
};

}  // namespace arcbatt
