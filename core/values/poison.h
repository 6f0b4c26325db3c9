// Tells AddressSanitizer which memory of an arena is free and may not be touched. No effect in other builds.
#pragma once

#include "values/group.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace arcbatt {

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

}  // namespace arcbatt
