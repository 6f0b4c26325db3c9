// Jobs on devices, and the emulated GPU, as Python sees them. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/emulated_gpu.h"
#include "gpu/device_upload.h"
#include "python/bindings/job_bindings.h"

namespace arcbatt {

// A job whose samples run in batches on devices; samples that a device cannot finish run on threads of the
// CPU. Several threads may run batches at once.
class DeviceRun : public DeviceJob {
 public:
  // Judge the wanted roots of each task.
  explicit DeviceRun(const Job& job) : DeviceJob(job), judge_(std::in_place, job), sink_(*judge_) {}
  // Keep the outcomes of all roots.
  DeviceRun(const Job& job, OutcomeStore& kept)
      : DeviceJob(job), keeper_(std::in_place, job, kept), sink_(*keeper_) {}
  // Keep the outputs that differs score.
  DeviceRun(const Job& job, Sink& outputs) : DeviceJob(job), sink_(outputs) {}
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  // The upload of a batch.
  nb::bytes upload(const BattImage& batt, u64 first, u64 count, const Room& room, bool with_batt) const {
    std::string bytes;
    {
      nb::gil_scoped_release released;
      bytes = DeviceJob::upload(batt, first, count, room, with_batt);
    }
    return nb::bytes(bytes.data(), bytes.size());
  }

  // Read the download of a batch; returns the lanes that the device could not finish.
  nb::list read(u64 first, u64 count, u64 block_bytes, nb::bytes download) {
    const u8* bytes = checked_download(first, count, block_bytes, download);
    std::vector<u64> unfinished;
    {
      nb::gil_scoped_release released;
      unfinished = DeviceJob::read(first, count, block_bytes, bytes, sink_);
    }
    nb::list lanes;
    for (u64 lane : unfinished) lanes.append(lane);
    return lanes;
  }

  // The outcome that a run of one lane and one root left on the device: (failure, word, top of its arena).
  // The failure is None for a value, and NotImplemented where the device could not finish.
  nb::tuple left_by(u64 block_bytes, nb::bytes download, nb::callable failure) const {
    const Left left = DeviceJob::left_by(block_bytes, checked_download(0, 1, block_bytes, download));
    nb::object failed = nb::none();
    if (left.status != Status::ok) {
      failed = nb::borrow(Py_NotImplemented);
    } else if (is_failure(left.outcome)) {
      failed = failure(STATUS_NAMES[failure_status(left.outcome)]);
    }
    return nb::make_tuple(failed, left.outcome.word, left.top);
  }

  // Run some lanes on the threads of this machine; false if Ctrl-C came.
  bool run_here(nb::list numbers, u32 threads, nb::callable hand_on) {
    std::vector<Place> places;
    for (nb::handle lane : numbers) places.push_back(lanes().at(nb::cast<u64>(lane)));
    Run run(job(), sink_, places);
    return carry_out(run, threads, [&] { hand_on(); });
  }

  // The tasks that were completed since the last call: [(task, verdicts, scores), ...].
  nb::list finished() { return judge_ ? finished_rows(*judge_) : nb::list(); }

 private:
  const u8* checked_download(u64 first, u64 count, u64 block_bytes, const nb::bytes& download) const {
    const bool is_whole = download.size() >= download_bytes(first, count, block_bytes);
    if (!is_whole) throw nb::value_error("a download is too short");
    return static_cast<const u8*>(download.data());
  }

  std::optional<Judge> judge_;
  std::optional<Keeper> keeper_;
  Sink& sink_;  // one of the two, or another
};

// A plan whose constants are words of values on a device: one op, or one call, on them; with None their
// values.
inline Plan* make_line(nb::handle op, nb::list words) {
  auto plan = std::make_unique<Plan>();
  plan->resident = true;
  plan->host = {nullptr, nullptr};
  plan->default_function = EMPTY_TUPLE;
  for (nb::handle word : words) {
    plan->args.push_back(u32(plan->nodes.size()));
    plan->nodes.push_back(Node{NodeKind::constant, Stage::constant, 0, 0, 0});
    plan->constants.push_back(Value{nb::cast<u64>(word)});
  }
  if (op.is_none()) {
    for (u32 node : plan->args) plan->roots.push_back(Root{node, false});
  } else {
    plan->nodes.push_back(Node{NodeKind::op, Stage::sample, nb::cast<u16>(op), u32(plan->args.size()), 0});
    plan->constants.push_back(NO_VALUE);
    plan->roots.push_back(Root{u32(plan->nodes.size()) - 1, false});
  }
  return plan.release();
}

// A value as a device holds it: its word, and the bytes that belong at an address.
inline nb::tuple flattened(nb::handle object, u64 address, const Limits& limits, ForeignOps& foreign) {
  Value packed = NO_VALUE;
  const std::unique_ptr<Memory> memory =
      packed_memory(limits, foreign, [&](HostLane& lane) { packed = pack_input(lane, object, foreign); });
  Block block(address, bytes_of(packed));
  const Value there = block.put(packed);
  return nb::make_tuple(there.word, nb::bytes(block.bytes().data(), block.bytes().size()));
}

inline void bind_devices(nb::module_& module) {
  using emulator::Gpu;
  nb::class_<BattImage>(module, "BattImage");
  nb::class_<Room>(module, "Room")
      .def("__init__", [](Room* made, u32 groups, u64 arena_bytes,
                          u64 block_bytes) { new (made) Room{groups, arena_bytes, block_bytes}; })
      .def("in_arena", [](const Room& room, u64 arena, u64 arena_end) {
        return Room{room.groups, room.arena_bytes, room.block_bytes, arena, arena_end};
      });
  module.def("make_line", &make_line, nb::arg("op").none(), nb::arg("words"),
             nb::sig("def make_line(op: int | None, words: list[int]) -> Plan"),
             "A plan of one op, of one call, or of nothing but the values, on values of a device.");
  module.def(
      "inline_value",
      [](u64 word, ForeignOps& foreign) {
        return Value{word}.is_heap() ? nb::none() : unpack(Value{word}, foreign);
      },
      nb::sig("def inline_value(word: int, foreign: ForeignOps, /) -> typing.Any"),
      "The value that a word holds; None for a pointer to one.");
  module.def("flattened", &flattened,
             nb::sig("def flattened(value: typing.Any, address: int, limits: Limits, foreign: ForeignOps, /) "
                     "-> tuple[int, bytes]"),
             "A value's word and bytes for an address of a device.");
  nb::class_<DeviceRun>(module, "DeviceRun")
      .def(nb::init<const Job&>(), nb::keep_alive<1, 2>())
      .def(nb::init<const Job&, OutcomeStore&>(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(nb::init<const Job&, Sink&>(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("lanes", [](const DeviceRun& run) { return run.lanes().size(); })
      .def_prop_ro("plan_bytes", &DeviceRun::plan_bytes)
      .def("batch_bytes", &DeviceRun::batch_bytes)
      .def("results", &DeviceRun::results)
      .def("download_bytes", &DeviceRun::download_bytes)
      .def("group_bytes", &DeviceRun::group_bytes)
      .def("arena_within", &DeviceRun::arena_within)
      .def("batt_at", &DeviceRun::batt_at)
      .def("upload", &DeviceRun::upload)
      .def("read", &DeviceRun::read,
           nb::sig("def read(self, first: int, count: int, block_bytes: int, download: bytes, /) "
                   "-> list[int]"))
      .def("left_by", &DeviceRun::left_by,
           nb::sig("def left_by(self, block_bytes: int, download: bytes, "
                   "failure: collections.abc.Callable[[typing.Any], typing.Any], /) "
                   "-> tuple[typing.Any, int, int]"))
      .def("run_here", &DeviceRun::run_here,
           nb::sig("def run_here(self, lanes: list[int], threads: int, "
                   "hand_on: collections.abc.Callable[[], typing.Any], /) -> bool"))
      .def("finished", &DeviceRun::finished, nb::sig("def finished(self) -> list[tuple[int, bytes, bytes]]"));
  nb::class_<Gpu>(module, "EmulatedGpu")
      .def("__init__", [](Gpu* made, u64 memory, u32 processors, bool fibers, u32 seed,
                          u32 dropped) { new (made) Gpu(memory, processors, {fibers, seed, dropped}); })
      .def("allocate", &Gpu::allocate)
      .def("release", &Gpu::release)
      .def_prop_ro("free_bytes", &Gpu::free_bytes)
      .def("upload",
           [](Gpu& gpu, u64 address, nb::bytes bytes) { gpu.upload(address, bytes.data(), bytes.size()); })
      .def("download",
           [](Gpu& gpu, u64 address, u64 count) {
             std::string bytes(count, '\0');
             gpu.download(address, bytes.data(), count);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("launch", &Gpu::launch, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Gpu::stop);
  module.attr("STOP_OFFSET") = offsetof(Launch, stop);
  module.attr("EMULATOR_HAS_FIBERS") = bool(EMULATOR_HAS_FIBERS);
}

}  // namespace arcbatt
