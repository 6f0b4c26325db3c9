// The emulated warp: 32 threads of the system, or 32 fibers of one.
#include "emulator/emulated_warp.h"

#if EMULATOR_HAS_FIBERS
#include <sys/mman.h>
#endif

#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace emulator {
namespace {

thread_local Thread* current = nullptr;

}  // namespace

// Not inlined: a fiber may resume in the middle of a function, and must then read `current` again.
__attribute__((noinline)) Thread& here() { return *current; }

bool Warp::run(Kernel kernel, void* argument, uint32_t block) {
  kernel_ = kernel;
  argument_ = argument;
  for (uint32_t k = 0; k < THREADS; ++k) {
    threads_[k] = Thread{{k}, {block}, this};
    apart_[k] = false;
  }
#if EMULATOR_HAS_FIBERS
  if (schedule_.fibers) run_fibers();
  else
#endif
    run_threads();
  return !apart_[0];
}

// Whether all threads have come to the same collective.
bool Warp::together(uint32_t turn) const {
  const Collective first = kinds_[turn][0].load(std::memory_order_relaxed);
  bool all = true;
  for (const auto& kind : kinds_[turn]) all &= kind.load(std::memory_order_relaxed) == first;
  return all;
}

uint32_t Warp::votes(uint32_t turn) const {
  uint32_t found = 0;
  for (uint32_t k = 0; k < THREADS; ++k)
    found |= uint32_t(slots_[turn][k].load(std::memory_order_relaxed) != 0) << k;
  return found;
}

// A barrier for threads of the system. Two counters take turns, so that a late thread never reads the count
// of the next barrier. Without `orders_memory` only fences order the slots. ThreadSanitizer ignores fences,
// so it sees no publication of other memory, as with votes and shuffles of CUDA.
void Warp::wait_for_all(uint32_t turn, bool orders_memory) {
  const auto arriving = orders_memory ? std::memory_order_acq_rel : std::memory_order_relaxed;
  const auto looking = orders_memory ? std::memory_order_acquire : std::memory_order_relaxed;
  std::atomic_thread_fence(std::memory_order_release);
  const uint64_t all = (arrivals_[turn].fetch_add(1, arriving) / THREADS + 1) * THREADS;
  while (arrivals_[turn].load(looking) < all) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
}

const Slot* Warp::meet(Collective what, uint64_t number) {
  Thread& thread = here();
  const uint32_t rank = thread.thread.x, turn = thread.turn;
  if (apart_[rank]) return slots_[turn];  // the warp is being given up
  slots_[turn][rank].store(number, std::memory_order_relaxed);
  kinds_[turn][rank].store(what, std::memory_order_relaxed);
  thread.turn = 1 - turn;
  bool all_here = false;
#if EMULATOR_HAS_FIBERS
  if (schedule_.fibers) {
    switch_from(thread);
    all_here = round_together_;
  } else
#endif
  {
    wait_for_all(turn, what == Collective::sync);
    all_here = together(turn);
  }
  if (!all_here) {
    apart_[rank] = true;
    throw Divergence{};
  }
  return slots_[turn];
}

uint32_t Warp::vote(Collective what, bool mine) {
  const uint32_t turn = here().turn;
  meet(what, mine);
  return votes(turn);
}

bool Warp::skips_sync() { return schedule_.dropped && ++here().syncs % schedule_.dropped == 0; }

// The kernel in one thread, and the end, where all meet again.
void Warp::work(Thread& thread) {
  try {
    kernel_(argument_);
    meet(Collective::end, 0);
  } catch (const Divergence&) {
    apart_[thread.thread.x] = true;
  }
}

void Warp::run_threads() {
  std::vector<std::thread> running;
  for (Thread& thread : threads_) {
    running.emplace_back([this, &thread] {
      current = &thread;
      work(thread);
    });
  }
  for (std::thread& thread : running) thread.join();
}

#if EMULATOR_HAS_FIBERS

// Put the callee-saved registers on the stack, keep its pointer, and go on where another stack was left.
extern "C" void emulator_switch(void** from, void* to);
#if defined(__x86_64__)
asm(R"(
.text
.type emulator_switch, @function
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulator_switch, .-emulator_switch
)");
constexpr uint64_t SAVED_WORDS = 6, RETURN_WORD = 6, PADDING_WORDS = 1;
#else
asm(R"(
.text
.type emulator_switch, %function
emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size emulator_switch, .-emulator_switch
)");
constexpr uint64_t SAVED_WORDS = 20, RETURN_WORD = 11, PADDING_WORDS = 0;
#endif

// The stacks of 32 fibers, each behind pages that cannot be touched.
struct Warp::Stacks {
  static constexpr uint64_t GUARD = 1 << 16, STACK = 1 << 18, EACH = GUARD + STACK, SIZE = THREADS * EACH;
  uint8_t* memory;

  Stacks() {
    void* mapped = mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    memory = static_cast<uint8_t*>(mapped);
    for (uint32_t k = 0; k < THREADS; ++k) mprotect(memory + k * EACH, GUARD, PROT_NONE);
  }
  ~Stacks() { munmap(memory, SIZE); }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // A stack as `emulator_switch` leaves one, to go on in a function.
  void* prepared(uint32_t k, void (*function)()) const {
    uint64_t* top = reinterpret_cast<uint64_t*>(memory + (k + 1) * EACH);
    uint64_t* pointer = top - SAVED_WORDS - 2 * PADDING_WORDS;
    pointer[RETURN_WORD] = reinterpret_cast<uint64_t>(function);
    return pointer;
  }
};

// What a fiber runs. It does not return: the last of its warp goes back to where the warp was started.
void fiber_main() {
  Warp& warp = *current->warp;
  warp.work(*current);
  Thread& thread = *current;
  if (++warp.ended_ < THREADS) warp.switch_from(thread);
  else emulator_switch(&thread.stack_pointer, warp.scheduler_);
}

void Warp::begin_round() {
  at_ = 0;
  backward_ = !backward_;
  for (uint32_t k = 0; k < THREADS; ++k) order_[k] = backward_ ? THREADS - 1 - k : k;
  for (uint32_t k = THREADS - 1; schedule_.seed && k > 0; --k) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    std::swap(order_[k], order_[(random_ >> 33) % (k + 1)]);
  }
}

// Leave a fiber that has come to a collective or to its end: for the next one or, if it was the last of the
// round, for the first of a new round.
void Warp::switch_from(Thread& thread) {
  if (++at_ == THREADS) {
    round_together_ = together(1 - thread.turn);
    begin_round();
  }
  Thread& next = threads_[order_[at_]];
  if (&next == &thread) return;
  current = &next;
  emulator_switch(&thread.stack_pointer, next.stack_pointer);
}

void Warp::run_fibers() {
  if (!stacks_) stacks_ = std::make_unique<Stacks>();
  for (uint32_t k = 0; k < THREADS; ++k) threads_[k].stack_pointer = stacks_->prepared(k, fiber_main);
  ended_ = 0;
  begin_round();
  Thread* const before = current;
  current = &threads_[order_[0]];
  emulator_switch(&scheduler_, current->stack_pointer);
  current = before;
}

#endif

Warp::Warp(const Schedule& schedule) : schedule_(schedule) {
#if EMULATOR_HAS_FIBERS
  random_ = schedule.seed * 0x9e3779b97f4a7c15u + 1;
#else
  schedule_.fibers = false;
#endif
}

Warp::~Warp() = default;

}  // namespace emulator
