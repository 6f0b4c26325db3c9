// The lane group: the threads that run one lane together. A group of one is the CPU, one of 32 a GPU warp.
//
// Every thread of a group executes the same op on the same values. Work over elements goes through the loops
// below, which return the same result in all threads.
#pragma once

#include "values/value.h"

namespace arcbatt {

// Read a flag that another thread may be setting.
HOST_DEVICE inline u32 seen_now(const u32* flag) {
#if defined(__CUDACC__)
  return *static_cast<const volatile u32*>(flag);
#else
  return __atomic_load_n(flag, __ATOMIC_RELAXED);
#endif
}

// Write a place to which another thread may be writing the same.
template <class Number>
HOST_DEVICE void set_alike(Number* place, i64 value) {
#if defined(__CUDACC__)
  *static_cast<volatile Number*>(place) = Number(value);
#else
  __atomic_store_n(place, Number(value), __ATOMIC_RELAXED);
#endif
}

struct Solo {
  static constexpr bool HAS_HOST = true;     // foreign ops can be asked for
  static constexpr bool SMALL_CODE = false;  // ops are called, and their arguments are checked in one place
  static constexpr u32 NEAR_FRAMES = 0;  // frames in memory that is faster than the rest
  static constexpr u32 SIZE = 1;

  HOST_DEVICE u32 rank() const { return 0; }
  HOST_DEVICE u32 size() const { return 1; }
  HOST_DEVICE void sync() const {}
  HOST_DEVICE i64 sum(i64 mine) const { return mine; }
  HOST_DEVICE i64 min(i64 mine) const { return mine; }
  HOST_DEVICE i64 max(i64 mine) const { return mine; }
  HOST_DEVICE bool any(bool mine) const { return mine; }
  HOST_DEVICE bool is_set(const u32* flag) const { return seen_now(flag) != 0; }
  HOST_DEVICE u32 count(bool mine) const { return mine; }  // how many threads say yes
  HOST_DEVICE u32 before(bool) const { return 0; }  // how many of lower rank
  HOST_DEVICE void set_bits(u64* word, u64 bits) const { *word |= bits; }
};

// Run task(k) for every k below n.
template <class Group, class Task>
HOST_DEVICE void each(const Group& group, u32 n, Task task) {
  for (u32 k = group.rank(); k < n; k += group.size()) task(k);
  group.sync();
}

// Run a task in one thread, between two syncs: for sequential work, and for writes to shared memory.
template <class Group, class Task>
HOST_DEVICE void once(const Group& group, Task task) {
  group.sync();
  if (group.rank() == 0) task();
  group.sync();
}

template <class Group, class Test>
HOST_DEVICE bool any_of(const Group& group, u32 n, Test test) {
  bool found = false;
  for (u32 k = group.rank(); k < n && !found; k += group.size()) found = test(k);
  return group.any(found);
}

template <class Group, class Test>
HOST_DEVICE bool all_of(const Group& group, u32 n, Test test) {
  return !any_of(group, n, [&](u32 k) { return !test(k); });
}

template <class Group, class Number>
HOST_DEVICE i64 sum_of(const Group& group, u32 n, Number number) {
  i64 total = 0;
  for (u32 k = group.rank(); k < n; k += group.size()) total += number(k);
  return group.sum(total);
}

template <class Group, class Number>
HOST_DEVICE i64 min_of(const Group& group, u32 n, i64 otherwise, Number number) {
  i64 best = otherwise;
  for (u32 k = group.rank(); k < n; k += group.size()) best = least(best, number(k));
  return group.min(best);
}

template <class Group, class Number>
HOST_DEVICE i64 max_of(const Group& group, u32 n, i64 otherwise, Number number) {
  i64 best = otherwise;
  for (u32 k = group.rank(); k < n; k += group.size()) best = most(best, number(k));
  return group.max(best);
}

// Stream compaction: emit(position, k) for the k that pass the test, in order. Returns how many do.
template <class Group, class Test, class Emit>
HOST_DEVICE u32 compact(const Group& group, u32 n, Test test, Emit emit) {
  u32 kept = 0;
  const u32 rounds = (n + group.size() - 1) / group.size();
  for (u32 round = 0; round < rounds; ++round) {
    const u32 k = round * group.size() + group.rank();
    const bool passes = k < n && test(k);
    const u32 earlier = group.before(passes);
    if (passes) emit(kept + earlier, k);
    kept += group.count(passes);
  }
  group.sync();
  return kept;
}

}  // namespace arcbatt
