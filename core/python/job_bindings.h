// Jobs on behalf of Python: plans and tasks are packed, run on threads, and their results handed back; Ctrl-C
// ends a run. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <vector>

#include "python/outcome_store.h"

namespace arcbatt {

// A plan from rows (kind, stage, op, arguments, constant) and roots (node, judged). The op of a constant is
// 0, or the status of its failure.
inline Plan* make_plan(nb::list rows, nb::list roots, nb::handle default_function, nb::list foreign_defaults,
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
      plan->constants[k] =
          status ? failure_value(status, k) : pack(lane, nb::cast<nb::tuple>(rows[k])[4], foreign);
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

// Packed tasks, from objects with `pairs` (S or None) and `samples` ([(I, C or None), ...]).
inline PackedTasks* pack_tasks(nb::list given, const Limits& limits, ForeignOps& foreign) {
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

inline std::vector<std::vector<u32>> as_lists(nb::list lists) {
  std::vector<std::vector<u32>> made;
  for (nb::handle entry : lists) {
    made.emplace_back();
    for (nb::handle number : entry) made.back().push_back(nb::cast<u32>(number));
  }
  return made;
}

inline std::vector<u32> every_root(const Plan& plan) {
  std::vector<u32> all(plan.roots.size());
  for (u32 k = 0; k < all.size(); ++k) all[k] = k;
  return all;
}

// Raise what a signal handler of Python raises, such as KeyboardInterrupt. Takes the interpreter lock.
inline void check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Run a job with the interpreter lock released; `hand_on` is called with it now and then, and at the end.
// False after Ctrl-C.
template <class HandOn>
bool carry_out(Run& run, u32 threads, HandOn hand_on) {
  bool interrupted = false;
  const auto watch = [&] {
    const nb::gil_scoped_acquire gil;
    try {
      check_signals();
      hand_on();
    } catch (const nb::python_error& error) {
      interrupted = error.matches(PyExc_KeyboardInterrupt);
      throw;
    }
  };
  try {
    const nb::gil_scoped_release released;
    run.go(threads, watch);
  } catch (const nb::python_error&) {
    if (!interrupted) throw;
  }
  hand_on();
  if (run.out_of_memory()) throw std::bad_alloc();
  return !interrupted;
}

// The tasks that were completed since the last call: [(task, verdicts, scores), ...].
inline nb::list finished_rows(Judge& judge) {
  nb::list rows;
  for (u32 task : judge.finished()) {
    const std::vector<u8>& verdicts = judge.verdicts[task];
    const std::vector<i32>& scores = judge.scores[task];
    rows.append(nb::make_tuple(task, nb::bytes(verdicts.data(), verdicts.size()),
                               nb::bytes(scores.data(), scores.size() * sizeof(i32))));
  }
  return rows;
}

// Judge the wanted roots of each task; completed tasks are handed on as rows (task, verdicts, scores).
// Returns (interrupted, seconds).
inline nb::tuple run(const Job& job, u32 threads, nb::callable on_finished) {
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
inline nb::object outcomes(const Job& job, u32 threads, nb::object foreign, nb::callable failure) {
  u64 samples = 0;
  for (const PackedTask& task : job.tasks->tasks) samples += task.inputs.size();
  auto kept = std::make_unique<OutcomeStore>(samples * job.plan->roots.size(), foreign, failure);
  Keeper keeper(job, *kept);
  Run run(job, keeper);
  const bool complete = carry_out(run, threads, [] {});
  return complete ? nb::cast(kept.release(), nb::rv_policy::take_ownership) : nb::none();
}

// The cost of each node of a plan over all samples, which run one after the other in this thread.
inline nb::list profile(const Job& job) {
  const Plan& plan = *job.plan;
  const Schedule schedule(plan, every_root(plan), job.mode);
  const Flag never;
  Profile costs(plan.nodes.size());
  Worker worker(job, &never, &costs);
  for (u32 task = 0; task < job.tasks->tasks.size(); ++task) {
    for (u32 sample = 0; sample < job.tasks->tasks[task].inputs.size(); ++sample) {
      check_signals();
      worker.run(task, sample, schedule, [](auto&, const Value*, const std::vector<u32>&) {});
    }
  }
  nb::list rows;
  for (const NodeCost& cost : costs) {
    rows.append(
        nb::make_tuple(cost.runs, cost.nanoseconds, cost.failures, cost.elements, cost.column_elements));
  }
  return rows;
}

inline void bind_jobs(nb::module_& module) {
  nb::class_<Plan>(module, "Plan");
  nb::class_<PackedTasks>(module, "PackedTasks");
  nb::class_<Job>(module, "Job")
      .def(
          "__init__",
          [](Job* made, const Plan& plan, const PackedTasks& tasks, nb::object wanted, const Limits& limits,
             u32 mode, u32 columns) {
            auto roots = wanted.is_none() ? std::vector(tasks.tasks.size(), every_root(plan))
                                          : as_lists(nb::cast<nb::list>(wanted));
            new (made) Job{&plan, &tasks, std::move(roots), limits, FailureMode(mode), ColumnMode(columns)};
          },
          nb::arg("plan"), nb::arg("tasks"), nb::arg("wanted").none(), nb::arg("limits"), nb::arg("mode"),
          nb::arg("columns") = 0, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::sig("def __init__(self, plan: Plan, tasks: PackedTasks, wanted: list[list[int]] | None, "
                  "limits: Limits, mode: int, columns: int = 0) -> None"),
          "What to run: the wanted roots of each task, or with None all of them.")
      .def_prop_ro(
          "elements",
          [](const Job& job) { return nb::make_tuple(job.elements.load(), job.column_elements.load()); },
          nb::sig("def elements(self) -> tuple[int, int]"));
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
  module.def("outcomes", &outcomes,
             nb::sig("def outcomes(job: Job, threads: int, foreign: ForeignOps, "
                     "failure: collections.abc.Callable[[typing.Any, int], typing.Any], /) "
                     "-> OutcomeStore | None"),
             "The outcomes of all roots on each sample of each task; None if interrupted.");
  module.def(
      "profile", &profile, nb::sig("def profile(job: Job, /) -> list[tuple[int, int, int, int, int]]"),
      "What each node of a plan costs on all samples: runs, nanoseconds, failures, elements to which it "
      "applied functions, and those of them that ran in columns.");
}

}  // namespace arcbatt
