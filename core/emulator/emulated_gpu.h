// An emulated GPU: memory of its own with a limit, and launches of the kernel. Host only.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "emulator/emulated_warp.h"

namespace emulator {

class Gpu {
 public:
  // `processors` warps run at a time.
  Gpu(uint64_t memory, uint32_t processors, const Schedule& schedule);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // The address of new memory, whose content is void; std::bad_alloc where there is not enough left.
  uint64_t allocate(uint64_t bytes);
  void release(uint64_t address);
  uint64_t free_bytes();

  void upload(uint64_t address, const void* from, uint64_t bytes);
  void download(uint64_t address, void* to, uint64_t bytes);

  // Run the kernel in some groups on the Launch at an address; std::runtime_error if a warp does not stay
  // together.
  void launch(uint64_t address, uint32_t groups);
  // End the run of a Launch early.
  void stop(uint64_t address);

 private:
  uint8_t* inside(uint64_t address, uint64_t bytes);
  std::unique_ptr<Warp> borrow();
  void give_back(std::unique_ptr<Warp> warp);

  const uint64_t memory_;
  const uint32_t processors_;
  const Schedule schedule_;
  std::mutex mutex_;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> sizes_;  // of the memory in use, by address
  std::vector<std::unique_ptr<Warp>> idle_;
};

}  // namespace emulator
