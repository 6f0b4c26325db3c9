// The Python module arcbatt._core: what the compiled core offers to Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "python/call_rows.h"
#include "python/device_bindings.h"
#include "python/carry_out.h"
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

// One op, or a call of a function value, on Python values: the value, or what `failure` makes of the name of
// the failure. Where there is not enough memory that is SIZE.
nb::object call(const std::string& op, nb::tuple args, const Limits& limits, ForeignOps& foreign,
                nb::callable failure) {
  const u32 number = foreign.number_of(op);
  nb::object answer;
  const auto attempt = [&](HostLane& lane) {
    std::vector<Value> packed;
    for (nb::handle arg : args) packed.push_back(pack(lane, arg, foreign));
    if (lane.failed()) return;
    const Value result = run_interruptibly(lane, number, packed);
    answer = lane.failed() ? failure(STATUS_NAMES[int(lane.status)]) : unpack(result, foreign);
  };
  try {
    packed_memory(limits, foreign, attempt);
  } catch (const std::bad_alloc&) {
    return failure(STATUS_NAMES[int(Status::SIZE)]);
  }
  return answer;
}

// A plan from rows (kind, stage, op, arguments, constant) and roots (node, judged); a constant with a status
// instead of an op is one that fails.
Plan* make_plan(nb::list rows, nb::list roots, nb::handle default_function, nb::list foreign_defaults,
                const Limits& limits, ForeignOps& foreign) {
  auto plan = std::make_unique<Plan>();
  for (nb::handle entry : rows) {
    const nb::tuple row = nb::cast<nb::tuple>(entry);
    const nb::tuple args = nb::cast<nb::tuple>(row[3]);
    plan->nodes.push_back(Node{NodeKind(nb::cast<u32>(row[0])), Stage(nb::cast<u32>(row[1])),
                               u16(nb::cast<u32>(row[2])), u32(args.size()), u32(plan->args.size())});
    for (nb::handle arg : args) plan->args.push_back(nb::cast<u32>(arg));
  }
  for (nb::handle entry : roots) {
    const nb::tuple root = nb::cast<nb::tuple>(entry);
    plan->roots.push_back(Root{nb::cast<u32>(root[0]), nb::cast<bool>(root[1])});
  }
  plan->host = foreign.host();
  plan->memory = packed_memory(limits, foreign, [&](HostLane& lane) {
    plan->constants.assign(plan->nodes.size(), NO_VALUE);
    for (u32 k = 0; k < plan->nodes.size(); ++k) {
      if (plan->nodes[k].kind != NodeKind::constant) continue;
      const u32 status = plan->nodes[k].op;
      plan->constants[k] = status ? failure_value(status, k)
                                  : pack(lane, nb::cast<nb::tuple>(rows[k])[4], foreign);
    }
    plan->default_function = pack(lane, default_function, foreign);
    plan->foreign_defaults.clear();
    for (nb::handle entry : foreign_defaults) {
      const nb::tuple pair = nb::cast<nb::tuple>(entry);
      const Value stand_in = nb::object(pair[1]).is_none() ? NO_VALUE : pack(lane, pair[1], foreign);
      plan->foreign_defaults.push_back({pack(lane, pair[0], foreign), stand_in});
    }
  });
  return plan.release();
}

// Tasks, each an object with `pairs`, S or None, and `samples`, [(I, C or None), ...].
PackedTasks* pack_tasks(nb::list given, const Limits& limits, ForeignOps& foreign) {
  auto tasks = std::make_unique<PackedTasks>();
  tasks->memory = packed_memory(limits, foreign, [&](HostLane& lane) {
    tasks->tasks.clear();
    for (nb::handle each : given) {
      const auto packed = [&](nb::handle input) {
        return input.is_none() ? NO_VALUE : pack_input(lane, input, foreign);
      };
      PackedTask task{packed(each.attr("pairs")), {}};
      for (nb::handle sample : each.attr("samples")) {
        const nb::tuple grids = nb::cast<nb::tuple>(sample);
        task.inputs.emplace_back(pack_input(lane, grids[0], foreign), packed(grids[1]));
      }
      tasks->tasks.push_back(std::move(task));
    }
  });
  return tasks.release();
}

// Judge the wanted roots of each task, handing on [(task, verdicts, scores), ...] as tasks end:
// (interrupted, seconds).
nb::tuple run(const Job& job, u32 threads, nb::callable on_finished) {
  Judge judge(job);
  Run run(job, judge);
  const auto hand_on = [&] {
    const nb::list fresh = finished_rows(judge);
    if (fresh.size()) on_finished(fresh);
  };
  const auto started = std::chrono::steady_clock::now();
  const bool complete = carry_out(run, threads, hand_on);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  return nb::make_tuple(!complete, spent.count());
}

// The outcomes of all roots on all samples, sample by sample; none if interrupted.
nb::object outcomes(const Job& job, u32 threads, nb::object foreign, nb::callable failure) {
  u64 samples = 0;
  for (const PackedTask& task : job.tasks->tasks) samples += task.inputs.size();
  auto kept = std::make_unique<OutcomeStore>(samples * job.plan->roots.size(), foreign, failure);
  Keeper keeper(job, *kept);
  Run run(job, keeper);
  const bool complete = carry_out(run, threads, [] {});
  return complete ? nb::cast(kept.release(), nb::rv_policy::take_ownership) : nb::none();
}

// What each node of a plan costs on all samples, one after the other: [(runs, nanoseconds, failures), ...].
nb::list profile(const Job& job) {
  const Plan& plan = *job.plan;
  const Schedule schedule(plan, every_root(plan), job.mode);
  const Flag never;
  Profile costs(plan.nodes.size());
  Worker worker(job, &never, &costs);
  for (u32 task = 0; task < job.tasks->tasks.size(); ++task) {
    for (u32 sample = 0; sample < job.tasks->tasks[task].inputs.size(); ++sample) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      worker.run(task, sample, schedule, [](auto&, const Value*, const std::vector<u32>&) {});
    }
  }
  nb::list rows;
  for (u64 node = 0; node < plan.nodes.size(); ++node)
    rows.append(nb::make_tuple(costs.runs[node], costs.nanoseconds[node], costs.failures[node]));
  return rows;
}

// Seconds that an op takes on some arguments, packed before; for benchmarks.
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
// Touch memory of an arena that is free, behind what is allocated last or where something was given back: a
// proof that AddressSanitizer notices.
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

NB_MODULE(_core, module) {
#ifdef NDEBUG
  // What is global may outlive the interpreter, and a user can do nothing about it.
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
      .def("__init__", [](Limits* made, u32 items, u64 calls, u32 depth, u64 work, u64 held, u64 memory) {
        new (made) Limits{items, depth, calls, work, held, memory};
      }, nb::sig("def __init__(self, items: int, calls: int, depth: int, work: int, held: int, "
                 "memory: int, /) -> None"));
  nb::class_<ForeignOps>(module, "ForeignOps")
      .def(nb::init<nb::list, nb::object, nb::object>(),
           nb::sig("def __init__(self, rows: list[tuple[str, int, int]], "
                   "run: collections.abc.Callable[[str, tuple[typing.Any, ...], int, int, int], "
                   "tuple[int, int, int, typing.Any]], function: type, /) -> None"));
  nb::class_<Kernels>(module, "Kernels")
      .def(nb::init<>())
      .def("use", [](Kernels& kernels, u32 op, bool in_use) { kernels.in_use.at(op) = in_use; })
      .def("costs", [](const Kernels& kernels) {
        nb::list rows;
        for (const Kernels::Cost& cost : kernels.costs)
          rows.append(nb::make_tuple(cost.runs, cost.nanoseconds, cost.failures));
        return rows;
      }, nb::sig("def costs(self) -> list[tuple[int, int, int]]"));
  nb::class_<Session>(module, "Session")
      .def(nb::init<const Limits&, ForeignOps&, Kernels&, nb::handle, nb::callable, nb::callable, u64>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
           nb::sig("def __init__(self, limits: Limits, foreign: ForeignOps, kernels: Kernels, named: type, "
                   "presented: collections.abc.Callable[[typing.Any], typing.Any], "
                   "failure: collections.abc.Callable[[typing.Any], typing.Any], room: int, /) -> None"))
      .def("upload", [](nb::handle self, nb::handle object) {
        return Resident(nb::borrow(self), nb::inst_ptr<Session>(self)->take_in(object));
      })
      .def("is_value", &Session::is_value, nb::arg().none())
      .def("run", [](nb::handle self, nb::handle pile, nb::handle upload, bool any_kernel) {
        return run_line(self, pile, upload, any_kernel);
      }, nb::arg("pile"), nb::arg("upload"), nb::arg("any_kernel") = false,
         nb::sig("def run(self, pile: collections.abc.Sequence[typing.Any], "
                 "upload: collections.abc.Callable[[typing.Any], Resident], any_kernel: bool = False) "
                 "-> typing.Any"))
      .def_prop_ro("runs", [](const Session& session) { return session.cost.runs; })
      .def_prop_ro("nanoseconds", [](const Session& session) { return session.cost.nanoseconds; })
      .def_prop_ro("downloads", [](const Session& session) { return session.downloads; })
      .def_prop_ro("bytes", &Session::bytes)
      .def_prop_ro("is_full", [](const Session& session) { return session.bytes() > session.room; });
  nb::class_<Resident>(module, "Resident")
      .def("value", &Resident::looked_at, nb::sig("def value(self) -> typing.Any"))
      .def("__arcbatt_value__", &Resident::looked_at,
           nb::sig("def __arcbatt_value__(self) -> typing.Any"))
      .def("__eq__", &Resident::equals, nb::arg().none(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](Resident& self) { return nb::hash(self.looked_at()); })
      .def("__repr__", [](Resident& self) { return nb::repr(self.looked_at()); })
      .def("__bool__", [](Resident& self) { return nb::cast<bool>(nb::bool_(self.looked_at())); })
      .def("__len__", [](Resident& self) { return nb::len(self.looked_at()); })
      .def("__iter__", [](Resident& self) { return nb::iter(self.looked_at()); },
           nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Any]"))
      .def("__getitem__", [](Resident& self, nb::handle key) { return nb::object(self.looked_at()[key]); },
           nb::sig("def __getitem__(self, key: typing.Any, /) -> typing.Any"))
      .def("__call__", &Resident::called, nb::sig("def __call__(self, *arguments: typing.Any) -> typing.Any"))
      .def("__reduce__", &Resident::reduced, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  nb::class_<Plan>(module, "Plan");
  nb::class_<PackedTasks>(module, "PackedTasks");
  nb::class_<Job>(module, "Job")
      .def("__init__", [](Job* made, const Plan& plan, const PackedTasks& tasks, nb::object wanted,
                          const Limits& limits, u32 mode) {
        auto roots = wanted.is_none() ? std::vector(tasks.tasks.size(), every_root(plan))
                                      : as_lists(nb::cast<nb::list>(wanted));
        new (made) Job{&plan, &tasks, std::move(roots), limits, FailureMode(mode)};
      }, nb::arg("plan"), nb::arg("tasks"), nb::arg("wanted").none(), nb::arg("limits"), nb::arg("mode"),
         nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
         nb::sig("def __init__(self, plan: Plan, tasks: PackedTasks, wanted: list[list[int]] | None, "
                 "limits: Limits, mode: int) -> None"),
         "What to run: the wanted roots of each task, or with None all of them.");
  nb::class_<OutcomeStore>(module, "OutcomeStore")
      .def("values", &OutcomeStore::values,
           nb::sig("def values(self, first: int, count: int, /) -> tuple[typing.Any, ...]"))
      .def("failures", &OutcomeStore::failures,
           nb::sig("def failures(self, first: int, count: int, /) -> list[typing.Any]"));
  module.def("call", &call, nb::arg("op"), nb::arg("args"), nb::arg("limits"), nb::arg("foreign"),
             nb::arg("failure"),
             nb::sig("def call(op: str, args: tuple[typing.Any, ...], limits: Limits, "
                     "foreign: ForeignOps, failure: collections.abc.Callable[[typing.Any], typing.Any]) "
                     "-> typing.Any"),
             "One op, or a call of a function value: the value, or a failure of a kind.");
  nb::class_<Known>(module, "Known").def(nb::init<>()).def_prop_ro("is_full", &Known::is_full);
  module.def("call_many", &call_many, nb::arg("op"), nb::arg("columns"), nb::arg("rows"),
             nb::arg("limits"), nb::arg("foreign"), nb::arg("known"), nb::arg("take_in"), nb::arg("failure"),
             nb::sig("def call_many(op: str, columns: list[list[typing.Any] | tuple[OutcomeStore, int]], "
                     "rows: int, limits: Limits, foreign: ForeignOps, known: Known, "
                     "take_in: collections.abc.Callable[[typing.Any], typing.Any], "
                     "failure: collections.abc.Callable[[typing.Any], typing.Any]) -> OutcomeStore"),
             "The same on each row of columns of one length.");
  module.def("make_plan", &make_plan, nb::keep_alive<0, 6>(),
             nb::sig("def make_plan(rows: list[tuple[int, int, int, tuple[int, ...], typing.Any]], "
                     "roots: list[tuple[int, bool]], default_function: typing.Any, "
                     "foreign_defaults: list[tuple[typing.Any, typing.Any]], limits: Limits, "
                     "foreign: ForeignOps, /) -> Plan"),
             "A plan from rows (kind, stage, op, arguments, constant) and roots (node, judged).");
  module.def("pack_tasks", &pack_tasks,
             nb::sig("def pack_tasks(tasks: list[typing.Any], limits: Limits, foreign: ForeignOps, /) "
                     "-> PackedTasks"),
             "Tasks from their `pairs` and `samples`, [(I, C or None), ...].");
  module.def("run", &run,
             nb::sig("def run(job: Job, threads: int, "
                     "on_finished: collections.abc.Callable[[list[tuple[int, bytes, bytes]]], None], /) "
                     "-> tuple[bool, float]"),
             "Run the wanted roots of each task on some threads.");
  module.def("time_op", &time_op,
             nb::sig("def time_op(op: str, args: tuple[typing.Any, ...], limits: Limits, rounds: int, "
                     "foreign: ForeignOps, /) -> float"),
             "Seconds that an op takes on some arguments.");
  module.def("outcomes", &outcomes,
             nb::sig("def outcomes(job: Job, threads: int, foreign: ForeignOps, "
                     "failure: collections.abc.Callable[[typing.Any, int], typing.Any], /) "
                     "-> OutcomeStore | None"),
             "The outcomes of all roots on each sample of each task; None if interrupted.");
  module.def("make_outcome_store", [](u64 count, nb::object foreign, nb::callable failure) {
    return new OutcomeStore(count, std::move(foreign), std::move(failure));
  }, nb::sig("def make_outcome_store(count: int, foreign: ForeignOps, "
             "failure: collections.abc.Callable[..., typing.Any], /) -> OutcomeStore"),
  "Room for some outcomes.");
  bind_devices(module);
  module.def("profile", &profile,
             nb::sig("def profile(job: Job, /) -> list[tuple[int, int, int]]"),
             "What each node of a plan costs on all samples: runs, nanoseconds, failures.");
}
