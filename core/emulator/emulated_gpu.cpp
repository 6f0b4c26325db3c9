// An emulated GPU, and the kernel as the C++ compiler builds it for one.
#include "emulator/emulated_gpu.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "gpu/kernel.cu"

namespace emulator {
namespace {

constexpr uint64_t GRAIN = 256;  // CUDA aligns memory so
constexpr uint64_t SPOILED = 1 << 24;

arcbatt::Launch* launch_at(uint8_t* place) { return reinterpret_cast<arcbatt::Launch*>(place); }

void kernel(void* launch) { arcbatt_run(static_cast<arcbatt::Launch*>(launch)); }

}  // namespace

Gpu::Gpu(uint64_t memory, uint32_t processors, const Schedule& schedule)
    : memory_(memory), processors_(processors), schedule_(schedule) {}

Gpu::~Gpu() {
  for (const auto& [address, size] : sizes_) std::free(reinterpret_cast<void*>(address));
}

uint64_t Gpu::allocate(uint64_t bytes) {
  const uint64_t size = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (size < bytes || size > memory_ - used_) throw std::bad_alloc();
  void* place = std::aligned_alloc(GRAIN, size ? size : GRAIN);
  if (!place) throw std::bad_alloc();
  std::memset(place, 0xcd, size < SPOILED ? size : SPOILED);  // nobody may rely on zeros
  used_ += size;
  sizes_.emplace(reinterpret_cast<uint64_t>(place), size);
  return reinterpret_cast<uint64_t>(place);
}

void Gpu::release(uint64_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = sizes_.find(address);
  if (found == sizes_.end()) throw std::invalid_argument("there is no device memory at this address");
  used_ -= found->second;
  std::free(reinterpret_cast<void*>(address));
  sizes_.erase(found);
}

uint64_t Gpu::free_bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return memory_ - used_;
}

// A place in memory of this device; no other address is one.
uint8_t* Gpu::inside(uint64_t address, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto after = sizes_.upper_bound(address);
  if (after != sizes_.begin()) {
    const auto& [start, size] = *--after;
    const bool is_inside = address - start <= size && bytes <= size - (address - start);
    if (is_inside) return reinterpret_cast<uint8_t*>(address);
  }
  throw std::invalid_argument("an address is not in the memory of the device");
}

void Gpu::upload(uint64_t address, const void* from, uint64_t bytes) {
  std::memcpy(inside(address, bytes), from, bytes);
}

void Gpu::download(uint64_t address, void* to, uint64_t bytes) {
  std::memcpy(to, inside(address, bytes), bytes);
}

std::unique_ptr<Warp> Gpu::borrow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) return std::make_unique<Warp>(schedule_);
  std::unique_ptr<Warp> warp = std::move(idle_.back());
  idle_.pop_back();
  return warp;
}

void Gpu::give_back(std::unique_ptr<Warp> warp) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(warp));
}

void Gpu::launch(uint64_t address, uint32_t groups) {
  arcbatt::Launch* launch = launch_at(inside(address, sizeof(arcbatt::Launch)));
  std::atomic<uint32_t> next{0};
  std::atomic<bool> together{true};
  const auto work = [&] {
    std::unique_ptr<Warp> warp = borrow();
    for (uint32_t block = next++; block < groups && together; block = next++) {
      if (!warp->run(kernel, launch, block)) together = false;
    }
    give_back(std::move(warp));
  };
  std::vector<std::thread> others;
  try {
    for (uint32_t k = 1; k < processors_ && k < groups; ++k) others.emplace_back(work);
  } catch (const std::system_error&) {  // where the system gives fewer threads, those do the work
  }
  work();
  for (std::thread& other : others) other.join();
  if (!together) throw std::runtime_error("the threads of a warp came to different collectives");
}

void Gpu::stop(uint64_t address) {
  arcbatt::Launch* launch = launch_at(inside(address, sizeof(arcbatt::Launch)));
  __atomic_store_n(&launch->stop, 1, __ATOMIC_RELAXED);
}

}  // namespace emulator
