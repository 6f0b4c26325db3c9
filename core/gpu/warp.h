// The lane group of 32: a warp of a GPU, or of the emulator, which has the same intrinsics
// (emulator/emulated_warp.h).
#pragma once

#include "values/lane.h"

namespace arcbatt {

struct Warp {
  static constexpr bool HAS_HOST = false;
  static constexpr bool SMALL_CODE = true;
  static constexpr u32 NEAR_FRAMES = 8;
  static constexpr u32 SIZE = WARP, ALL = 0xffffffffu;

  HOST_DEVICE u32 rank() const { return threadIdx.x; }
  HOST_DEVICE u32 size() const { return SIZE; }
  HOST_DEVICE void sync() const { __syncwarp(ALL); }
  CALLED i64 sum(i64 mine) const {
    return folded(mine, [](i64 a, i64 b) { return a + b; });
  }
  CALLED i64 min(i64 mine) const {
    return folded(mine, [](i64 a, i64 b) { return least(a, b); });
  }
  CALLED i64 max(i64 mine) const {
    return folded(mine, [](i64 a, i64 b) { return most(a, b); });
  }
  HOST_DEVICE bool any(bool mine) const { return __any_sync(ALL, mine) != 0; }
  HOST_DEVICE u32 count(bool mine) const { return u32(__popc(__ballot_sync(ALL, mine))); }
  HOST_DEVICE u32 before(bool mine) const {
    return u32(__popc(__ballot_sync(ALL, mine) & ((u32(1) << rank()) - 1)));
  }
  // Set bits of a word in which other threads may be setting some.
  HOST_DEVICE void set_bits(u64* word, u64 bits) const {
    atomicOr(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(bits));
  }
  // One thread reads the flag for all, so that they decide alike though it may change meanwhile.
  HOST_DEVICE bool is_set(const u32* flag) const {
    u32 seen = 0;
    if (rank() == 0) seen = seen_now(flag);
    return __shfl_sync(ALL, seen, 0) != 0;
  }
  // Add to a counter that all groups share; returns its value before.
  HOST_DEVICE u64 take(unsigned long long* counter, u64 amount) const {
    unsigned long long before = 0;
    if (rank() == 0) before = atomicAdd(counter, static_cast<unsigned long long>(amount));
    return u64(__shfl_sync(ALL, before, 0));
  }

 private:
  template <class Fold>
  HOST_DEVICE static i64 folded(i64 mine, Fold fold) {
    for (int distance = SIZE / 2; distance > 0; distance /= 2)
      mine = fold(mine, i64(__shfl_xor_sync(ALL, static_cast<long long>(mine), distance)));
    return mine;
  }
};

#if defined(__CUDACC__)
// The block's memory that is faster than the rest: room for the first frames.
__device__ inline u8* shared_memory() {
  __shared__ alignas(16) u8 frames[Warp::NEAR_FRAMES * sizeof(Frame)];
  return frames;
}
#endif

}  // namespace arcbatt
