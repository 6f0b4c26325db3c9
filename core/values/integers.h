// Integer types, and the macros that compile a function for host and device.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif

// A function with many callers is CALLED on a GPU, not inlined: kernels are compiled at run time, and compile
// time grows with the size of the code. An INLINED function is small, and is inlined on a CPU wherever it is
// called: the compiler by itself would call it from functions as large as those of the ops.
#if defined(__CUDACC__)
#define HOST_DEVICE __host__ __device__
#define CALLED __host__ __device__ __noinline__
#define INLINED __host__ __device__ inline
#else
#define HOST_DEVICE
#define CALLED
#define INLINED __attribute__((always_inline)) inline
#endif

namespace arcbatt {

#if defined(__CUDACC_RTC__)  // the run-time compiler has no headers
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
#else
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
#endif

}  // namespace arcbatt
