// An emulated warp: the part of CUDA that the kernel uses, for the C++ compiler. Host only.
//
// A block is one warp. Its 32 threads are threads of the system or, for speed, fibers of one thread. Between
// two collectives each runs independently; in a collective all wait for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contract.h"

// Fibers need assembler code for the architecture; sanitizers do not support them.
#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define EMULATOR_HAS_FIBERS 1
#else
#define EMULATOR_HAS_FIBERS 0
#endif

namespace emulator {

constexpr uint32_t THREADS = arcbatt::WARP;

enum class Collective : uint32_t { sync = 1, any, ballot, shuffle, shuffle_xor, end };

// How the threads of a warp run.
struct Schedule {
  bool fibers = EMULATOR_HAS_FIBERS;
  uint32_t seed = 0;        // of the random order of fibers; 0: forward and backward in turn
  uint32_t dropped = 0;     // every N-th sync is omitted (fault injection); 0: none
};

struct Divergence {};  // thrown in every thread of a warp whose threads do not meet in the same collective

class Warp;

// One thread of a warp.
struct Thread {
  struct Index {
    uint32_t x;
  } thread, block;
  Warp* warp;
  uint32_t turn = 0;      // which of two sets of slots the next collective uses
  uint32_t syncs = 0;
  void* stack_pointer = nullptr;
};

Thread& here();

using Slot = std::atomic<uint64_t>;

// The meeting place of 32 threads.
class Warp {
 public:
  using Kernel = void (*)(void* argument);

  explicit Warp(const Schedule& schedule);
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // Run a kernel in all threads; false if they did not stay together.
  bool run(Kernel kernel, void* argument, uint32_t block);

  // A collective: every thread brings a number and gets the numbers of all. Only a sync orders memory
  // accesses.
  const Slot* meet(Collective what, uint64_t number);
  // The same with a vote: a bit for each thread that says yes.
  uint32_t vote(Collective what, bool mine);
  bool skips_sync();
  uint8_t* shared_memory() { return shared_; }

 private:
  static constexpr uint64_t SHARED = 4096;

  void wait_for_all(uint32_t turn, bool orders_memory);
  bool together(uint32_t turn) const;
  uint32_t votes(uint32_t turn) const;
  void run_threads();
  void work(Thread& thread);

  Schedule schedule_;
  Kernel kernel_ = nullptr;
  void* argument_ = nullptr;
  Thread threads_[THREADS];
  Slot slots_[2][THREADS] = {};
  std::atomic<Collective> kinds_[2][THREADS] = {};
  bool apart_[THREADS] = {};
  std::atomic<uint64_t> arrivals_[2] = {};
  alignas(16) uint8_t shared_[SHARED];

#if EMULATOR_HAS_FIBERS
  struct Stacks;
  friend void fiber_main();

  void run_fibers();
  void switch_from(Thread& thread);
  void begin_round();

  std::unique_ptr<Stacks> stacks_;
  uint32_t order_[THREADS];  // in which the fibers run until the next collective
  uint32_t at_ = 0;
  uint32_t ended_ = 0;
  bool backward_ = false;
  uint64_t random_;
  bool round_together_ = true;
  void* scheduler_ = nullptr;
#endif
};

}  // namespace emulator

#define __global__
#define threadIdx (emulator::here().thread)
#define blockIdx (emulator::here().block)

inline void __syncwarp(uint32_t) {
  emulator::Warp& warp = *emulator::here().warp;
  if (!warp.skips_sync()) warp.meet(emulator::Collective::sync, 0);
}

inline uint32_t __ballot_sync(uint32_t, bool mine) {
  return emulator::here().warp->vote(emulator::Collective::ballot, mine);
}

inline int __any_sync(uint32_t, bool mine) {
  return emulator::here().warp->vote(emulator::Collective::any, mine) != 0;
}

template <class Number>
Number __shfl_sync(uint32_t, Number mine, int source) {
  const emulator::Slot* all = emulator::here().warp->meet(emulator::Collective::shuffle, uint64_t(mine));
  return Number(all[source].load(std::memory_order_relaxed));
}

template <class Number>
Number __shfl_xor_sync(uint32_t, Number mine, int distance) {
  const emulator::Slot* all = emulator::here().warp->meet(emulator::Collective::shuffle_xor, uint64_t(mine));
  return Number(all[emulator::here().thread.x ^ uint32_t(distance)].load(std::memory_order_relaxed));
}

inline int __popc(uint32_t bits) { return __builtin_popcount(bits); }

inline unsigned long long atomicAdd(unsigned long long* counter, unsigned long long amount) {
  return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

inline unsigned long long atomicOr(unsigned long long* word, unsigned long long bits) {
  return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

inline uint8_t* shared_memory() { return emulator::here().warp->shared_memory(); }
