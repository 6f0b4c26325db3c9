// The kernel: a warp to a block, and a block to a part of the workspace. NVRTC compiles it for GPUs, the C++
// compiler for the emulator.
#include "gpu/device_lane.h"

extern "C" __global__ void arcbatt_run(arcbatt::Launch* launch) {
  using namespace arcbatt;
  Frame* near_frames = reinterpret_cast<Frame*>(shared_memory());
  DeviceLane<Warp> lane(*launch, blockIdx.x, near_frames);
  lane.run();
}
