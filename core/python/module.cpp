// The Python module arcbatt._core: what the compiled core offers to Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "python/bindings/device_bindings.h"
#include "python/bindings/job_bindings.h"
#include "python/bindings/search_bindings.h"
#include "python/call_rows.h"
#include "python/nodes/rebuild.h"
#include "python/op_meter.h"
#include "python/session.h"

namespace nb = nanobind;

namespace {

std::string version(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return "gcc " + version(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

const char* build() {
#if defined(NDEBUG)
  return "release";
#else
  return "debug";
#endif
}

const char* arch() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__i386__)
  return "x86";
#elif defined(__riscv)
  return "riscv";
#elif defined(__powerpc64__)
  return "ppc64";
#else
  return "unknown";
#endif
}

nb::dict build_info() {
  nb::dict info;
  info["compiler"] = nb::str(compiler().c_str());
  info["standard"] = long(__cplusplus);
  info["build"] = build();
  info["arch"] = arch();
  return info;
}

}  // namespace

namespace arcbatt {
namespace {

// Limits under which an op ends before anybody would interrupt it.
constexpr u64 SHORT_WORK = 20'000'000, SHORT_CALLS = 100'000;

// Run a top-level op so that Ctrl-C can end it. It runs in this thread under low limits, since most ops are
// short, and beyond them again on a thread of its own while this one looks for signals. An op of the user
// stays in this thread, where Ctrl-C reaches it.
Value run_interruptibly(HostLane& lane, u32 op, const std::vector<Value>& args, const ForeignOps& foreign) {
  const Limits limits = lane.limits;
  const u64 asked = foreign.asked;
  u8* const mark = lane.top;
  lane.limits.work = std::min(limits.work, SHORT_WORK);
  lane.limits.calls = std::min(limits.calls, SHORT_CALLS);
  Value result = run_top_level(lane, op, args.data(), u32(args.size()));
  lane.limits = limits;
  if (lane.status != Status::CALLS) return result;
  lane.release(mark);
  if (foreign.asked != asked) return run_top_level(lane, op, args.data(), u32(args.size()));
  Flag stop;
  lane.stop = &stop.state;
  const nb::gil_scoped_release released;
  const auto work = [&] { result = run_top_level(lane, op, args.data(), u32(args.size())); };
  run_watched(1, stop, work, check_signals);
  lane.stop = &NEVER_STOPPED;
  return result;
}

// One op, or a call of a function value, on Python values: the value, or `failure` of the kind's name, which
// is SIZE where memory is short.
nb::object call(const std::string& op, nb::tuple args, const Limits& limits, ForeignOps& foreign,
                nb::callable failure) {
  const u32 number = foreign.number_of(op);
  nb::object answer;
  const auto attempt = [&](HostLane& lane) {
    std::vector<Value> packed;
    for (nb::handle arg : args) packed.push_back(pack(lane, arg, foreign));
    if (lane.failed()) return;
    const Value result = run_interruptibly(lane, number, packed, foreign);
    if (lane.status == Status::overflow) return;  // it runs again in a larger arena
    answer = lane.failed() ? failure(STATUS_NAMES[int(lane.status)]) : unpack(result, foreign);
  };
  try {
    packed_memory(limits, foreign, attempt);
  } catch (const std::bad_alloc&) {
    return failure(STATUS_NAMES[int(Status::SIZE)]);
  }
  return answer;
}

// Seconds that an op takes on arguments packed before, the best of five rounds; for benchmarks.
double time_op(const std::string& op, nb::tuple args, const Limits& limits, u32 rounds, ForeignOps& foreign) {
  const u32 number = op_number(op);
  Memory memory(FIRST_ARENA, limits.depth);
  HostLane lane = memory.lane(limits, &NEVER_STOPPED, foreign.host());
  std::vector<Value> packed;
  for (nb::handle arg : args) packed.push_back(pack(lane, arg, foreign));
  u8* mark = lane.top;
  double best = 1e9;
  for (u32 round = 0; round < 5; ++round) {
    const auto started = std::chrono::steady_clock::now();
    for (u32 k = 0; k < rounds; ++k) {
      run_top_level(lane, number, packed.data(), u32(packed.size()));
      lane.release(mark);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    best = spent.count() / rounds < best ? spent.count() / rounds : best;
  }
  return best;
}

#if defined(__SANITIZE_ADDRESS__)
// Read free memory of an arena, behind the last allocation or where one was given back, to prove that
// AddressSanitizer notices.
int touch_free_memory(bool given_back) {
  Memory memory(u64(1) << 20, 1);
  HostLane lane = memory.lane(Limits{}, &NEVER_STOPPED, Host{nullptr, nullptr});
  u8* const mark = lane.top;
  const volatile u8* const bytes = lane.array<u8>(ALIGNMENT);
  if (given_back) lane.release(mark);
  return bytes[given_back ? 0 : ALIGNMENT];
}
#endif

nb::list op_names() {
  nb::list names;
  for (u32 op = 0; op < number::CALL; ++op) names.append(OP_NAMES[op]);
  return names;
}

}  // namespace
}  // namespace arcbatt

arcbatt::Value arcbatt::search::run_op(Lane<Solo>& lane, u32 op, const Value* args, u32 count) {
  return run_top_level(lane, op, args, count);
}

NB_MODULE(_core, module) {
  // nanobind keeps one set of types for all interpreters: a second import would replace those of the first.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw std::runtime_error(
        "arcbatt works in the main interpreter only; use processes, not subinterpreters");
  }
#ifdef NDEBUG
  // Global objects may outlive the interpreter, and a user can do nothing about it.
  nb::set_leak_warnings(false);
#endif
  using namespace arcbatt;
  module.doc() = "The compiled core of arcbatt.";
  module.def("build_info", &build_info, nb::sig("def build_info() -> dict[str, str | int]"),
             "How this module was compiled: compiler, standard, build, arch.");
  module.def("op_names", &op_names, nb::sig("def op_names() -> list[str]"),
             "The ops this module was compiled with, in order of their numbers.");
#if defined(__SANITIZE_ADDRESS__)
  module.def("touch_free_memory", &touch_free_memory);
#endif
  module.attr("CONTRACT") = CONTRACT;
  nb::class_<Limits>(module, "Limits")
      .def(
          "__init__",
          [](Limits* made, u32 items, u64 calls, u32 depth, u64 work, u64 held, u64 memory) {
            new (made) Limits{items, depth, calls, work, held, memory};
          },
          nb::sig("def __init__(self, items: int, calls: int, depth: int, work: int, held: int, "
                  "memory: int, /) -> None"));
  nb::class_<ForeignOps>(module, "ForeignOps")
      .def(nb::init<nb::list, nb::object, nb::object>(),
           nb::sig("def __init__(self, rows: list[tuple[str, int, int]], "
                   "run: collections.abc.Callable[[str, tuple[typing.Any, ...], int, int, int], "
                   "tuple[int, int, int, typing.Any]], function: type, /) -> None"));
  nb::class_<Kernels>(module, "Kernels")
      .def(nb::init<>())
      .def("use", [](Kernels& kernels, u32 op, bool in_use) { kernels.in_use.at(op) = in_use; })
      .def(
          "costs", [](const Kernels& kernels) { return cost_rows(kernels.costs); },
          nb::sig("def costs(self) -> list[tuple[int, int, int]]"));
  nb::class_<Session>(module, "Session")
      .def(nb::init<const Limits&, ForeignOps&, Kernels&, nb::handle, nb::callable, nb::callable, u64>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
           nb::sig("def __init__(self, limits: Limits, foreign: ForeignOps, kernels: Kernels, named: type, "
                   "presented: collections.abc.Callable[[typing.Any], typing.Any], "
                   "failure: collections.abc.Callable[[typing.Any], typing.Any], room: int, /) -> None"))
      .def("upload",
           [](nb::handle self, nb::handle object) {
             return Resident(nb::borrow(self), nb::inst_ptr<Session>(self)->take_in(object));
           })
      .def("is_value", &Session::is_value, nb::arg().none())
      .def(
          "run",
          [](nb::handle self, nb::handle pile, nb::handle upload, bool any_kernel) {
            return run_line(self, pile, upload, any_kernel);
          },
          nb::arg("pile"), nb::arg("upload"), nb::arg("any_kernel") = false,
          nb::sig("def run(self, pile: collections.abc.Sequence[typing.Any], "
                  "upload: collections.abc.Callable[[typing.Any], Resident], any_kernel: bool = False) "
                  "-> typing.Any"))
      .def_prop_ro("runs", [](const Session& session) { return session.cost.runs; })
      .def_prop_ro("nanoseconds", [](const Session& session) { return session.cost.nanoseconds; })
      .def_prop_ro("downloads", [](const Session& session) { return session.downloads; })
      .def_prop_ro("bytes", &Session::bytes)
      .def_prop_ro("is_full", &Session::is_full);
  nb::class_<Resident>(module, "Resident")
      .def("value", &Resident::looked_at, nb::sig("def value(self) -> typing.Any"))
      .def("__arcbatt_value__", &Resident::looked_at, nb::sig("def __arcbatt_value__(self) -> typing.Any"))
      .def("__eq__", &Resident::equals, nb::arg().none(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](Resident& self) { return nb::hash(self.looked_at()); })
      .def("__repr__", [](Resident& self) { return nb::repr(self.looked_at()); })
      .def("__bool__", [](Resident& self) { return nb::cast<bool>(nb::bool_(self.looked_at())); })
      .def("__len__", [](Resident& self) { return nb::len(self.looked_at()); })
      .def(
          "__iter__", [](Resident& self) { return nb::iter(self.looked_at()); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Any]"))
      .def(
          "__getitem__", [](Resident& self, nb::handle key) { return nb::object(self.looked_at()[key]); },
          nb::sig("def __getitem__(self, key: typing.Any, /) -> typing.Any"))
      .def("__call__", &Resident::called, nb::sig("def __call__(self, *arguments: typing.Any) -> typing.Any"))
      .def("__reduce__", &Resident::reduced, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  nb::class_<OutcomeStore>(module, "OutcomeStore")
      .def("values", &OutcomeStore::values,
           nb::sig("def values(self, first: int, count: int, /) -> tuple[typing.Any, ...]"))
      .def("first_difference", &OutcomeStore::first_difference,
           nb::sig("def first_difference(self, first: int, other: OutcomeStore, other_first: int, "
                   "count: int, /) -> int"))
      .def("failures", &OutcomeStore::failures,
           nb::sig("def failures(self, first: int, count: int, /) -> list[typing.Any]"))
      .def("places_of_failures", &OutcomeStore::places_of_failures,
           nb::sig("def places_of_failures(self, first: int, count: int, /) -> list[int]"))
      .def("replace", &OutcomeStore::replace,
           nb::sig("def replace(self, places: list[int], values: list[typing.Any], /) -> None"));
  module.def("call", &call, nb::arg("op"), nb::arg("args"), nb::arg("limits"), nb::arg("foreign"),
             nb::arg("failure"),
             nb::sig("def call(op: str, args: tuple[typing.Any, ...], limits: Limits, "
                     "foreign: ForeignOps, failure: collections.abc.Callable[[typing.Any], typing.Any]) "
                     "-> typing.Any"),
             "One op, or a call of a function value: the value, or a failure of a kind.");
  nb::class_<Known>(module, "Known").def(nb::init<>()).def_prop_ro("is_full", &Known::is_full);
  module.def("call_many", &call_many, nb::arg("op"), nb::arg("columns"), nb::arg("rows"), nb::arg("limits"),
             nb::arg("foreign"), nb::arg("known"), nb::arg("take_in"), nb::arg("failure"),
             nb::sig("def call_many(op: str, columns: list[list[typing.Any] | tuple[OutcomeStore, int]], "
                     "rows: int, limits: Limits, foreign: ForeignOps, known: Known, "
                     "take_in: collections.abc.Callable[[typing.Any], typing.Any], "
                     "failure: collections.abc.Callable[[typing.Any], typing.Any]) -> OutcomeStore"),
             "The same on each row of columns of one length.");
  module.def("time_op", &time_op,
             nb::sig("def time_op(op: str, args: tuple[typing.Any, ...], limits: Limits, rounds: int, "
                     "foreign: ForeignOps, /) -> float"),
             "Seconds that an op takes on some arguments.");
  nb::class_<OpMeter>(module, "OpMeter")
      .def(nb::init<const Limits&, ForeignOps&>(), nb::keep_alive<1, 3>(),
           nb::sig("def __init__(self, limits: Limits, foreign: ForeignOps, /) -> None"))
      .def("keep", &OpMeter::keep, nb::sig("def keep(self, value: typing.Any, /) -> int"))
      .def(
          "run",
          [](OpMeter& meter, const std::string& op, nb::tuple places, bool columns) {
            std::vector<u32> wanted;
            for (nb::handle place : places) wanted.push_back(nb::cast<u32>(place));
            const Metered found = meter.run(op_number(op), wanted, columns);
            return nb::make_tuple(found.seconds, found.units, STATUS_NAMES[int(found.status)]);
          },
          nb::sig("def run(self, op: str, places: tuple[int, ...], columns: bool, /) -> "
                  "tuple[float, int, str]"));
  module.def(
      "make_outcome_store",
      [](u64 count, nb::object foreign, nb::callable failure) {
        return new OutcomeStore(count, std::move(foreign), std::move(failure));
      },
      nb::sig("def make_outcome_store(count: int, foreign: ForeignOps, "
              "failure: collections.abc.Callable[..., typing.Any], /) -> OutcomeStore"),
      "Room for some outcomes.");
  bind_graphs(module);
  bind_remaking(module);
  bind_rebuilding(module);
  bind_jobs(module);
  bind_devices(module);
  bind_search(module);
}
