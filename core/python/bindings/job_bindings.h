// Jobs on behalf of Python: plans run on threads, and their results are handed back; Ctrl-C ends a run. Host
// only.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <vector>

#include "python/make_plan.h"
#include "python/outcome_store.h"
#include "python/pack_tasks.h"
#include "threads/behaviour.h"

namespace arcbatt {

inline std::vector<u32> numbers_in(nb::handle list) {
  std::vector<u32> made;
  for (nb::handle number : list) made.push_back(nb::cast<u32>(number));
  return made;
}

// Lists of numbers; one that stands there again and again, as the same object, is read once.
inline std::vector<std::vector<u32>> as_lists(nb::list lists) {
  std::vector<std::vector<u32>> made;
  nb::handle before;
  for (nb::handle entry : lists) {
    made.push_back(entry.is(before) ? std::vector(made.back()) : numbers_in(entry));
    before = entry;
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

// Run a job with the interpreter lock released, with 0 threads on this one; `hand_on` is called with it now
// and then, and at the end. False after Ctrl-C.
template <class HandOn>
bool carry_out(Run& run, u32 threads, HandOn hand_on) {
  bool interrupted = false;
  const auto watch = [&] {
    const nb::gil_scoped_acquire gil;
    check_signals();
    hand_on();
  };
  try {
    const nb::gil_scoped_release released;
    run.go(threads, watch);
  } catch (const nb::python_error& error) {
    interrupted = error.matches(PyExc_KeyboardInterrupt);
    if (!interrupted) throw;
  }
  hand_on();
  if (run.out_of_memory()) throw std::bad_alloc();
  return !interrupted;
}

template <class T>
nb::bytes as_bytes(const std::vector<T>& items) {
  return nb::bytes(items.data(), items.size() * sizeof(T));
}

// The tasks that were completed since the last call: [(task, verdicts, scores), ...].
inline nb::list finished_rows(Judge& judge) {
  nb::list rows;
  for (u32 task : judge.finished()) {
    rows.append(nb::make_tuple(task, as_bytes(judge.verdicts[task]), as_bytes(judge.scores[task])));
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

// Run a job for the outputs that differs score; false if interrupted.
inline bool fill(const Job& job, Sink& outputs, u32 threads) {
  Run run(job, outputs);
  return carry_out(run, threads, [] {});
}

// The wanted roots that failed on some sample, by task.
inline nb::list failed_roots(const Candidates& candidates, const Job& job) {
  nb::list tasks;
  const std::vector<std::vector<u32>> places = candidates.failed();
  for (u64 task = 0; task < places.size(); ++task) {
    nb::list roots;
    for (u32 place : places[task]) roots.append(job.wanted[task][place]);
    tasks.append(roots);
  }
  return tasks;
}

// For each task the verdicts on its solvers, and the numbers of their outputs: [(verdicts, numbers), ...].
inline nb::list candidate_rows(const Candidates& candidates) {
  nb::list rows;
  for (u64 task = 0; task < candidates.numbers.size(); ++task)
    rows.append(nb::make_tuple(as_bytes(candidates.verdicts[task]), as_bytes(candidates.numbers[task])));
  return rows;
}

// The digests of the names of foreign ops.
inline std::vector<u64> digests_of_names(const ForeignOps& foreign) {
  std::vector<u64> digests;
  for (const ForeignOps::Op& op : foreign.ops) digests.push_back(digest_of_name(op.name));
  return digests;
}

// What was found of candidates on their task: (verdicts, scores, behaviours, numbers of outputs).
inline nb::tuple behaviour_rows(const Behaviours& found) {
  return nb::make_tuple(as_bytes(found.verdicts[0]), as_bytes(found.scores[0]), as_bytes(found.behaviours()),
                        as_bytes(found.numbers[0]));
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
  bind_plans(module);
  bind_tasks(module);
  nb::class_<Job>(module, "Job")
      .def(
          "__init__",
          [](Job* made, const Plan& plan, const PackedTasks& tasks, nb::object wanted, const Limits& limits,
             u32 mode, bool columns) {
            auto roots = wanted.is_none() ? std::vector(tasks.tasks.size(), every_root(plan))
                                          : as_lists(nb::cast<nb::list>(wanted));
            new (made) Job{&plan, &tasks, std::move(roots), limits, FailureMode(mode), columns};
          },
          nb::arg("plan"), nb::arg("tasks"), nb::arg("wanted").none(), nb::arg("limits"), nb::arg("mode"),
          nb::arg("columns") = true, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::sig("def __init__(self, plan: Plan, tasks: PackedTasks, wanted: "
                  "list[collections.abc.Sequence[int]] | None, "
                  "limits: Limits, mode: int, columns: bool = True) -> None"),
          "What to run: the wanted roots of each task, or with None all of them.")
      .def_prop_ro(
          "elements",
          [](const Job& job) { return nb::make_tuple(job.elements.load(), job.column_elements.load()); },
          nb::sig("def elements(self) -> tuple[int, int]"));
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
  nb::class_<Sink>(module, "Sink");
  nb::class_<Candidates, Sink>(module, "Candidates")
      .def(
          "__init__",
          [](Candidates* made, const Job& job, nb::list scored, bool tries_again) {
            new (made) Candidates(job, numbers_in(scored), tries_again);
          },
          nb::arg("job"), nb::arg("scored"), nb::arg("tries_again"), nb::keep_alive<1, 2>(),
          nb::sig("def __init__(self, job: Job, scored: list[int], tries_again: bool) -> None"),
          "The distinct outputs of a job on the first samples of each task, as many as are scored.")
      .def("failed", &failed_roots, nb::sig("def failed(self, job: Job, /) -> list[list[int]]"),
           "The roots of its job that failed on some sample, by task.")
      .def_prop_ro(
          "tasks", [](const Candidates& candidates) { return new PackedTasks{candidates.as_tasks()}; },
          nb::keep_alive<0, 1>(), nb::rv_policy::take_ownership,
          "A task for each scored sample: its samples are the outputs.")
      .def("rows", &candidate_rows, nb::sig("def rows(self) -> list[tuple[bytes, bytes]]"),
           "For each task the verdicts, and the number of each root's output on each scored sample.");
  nb::class_<Behaviours, Candidates>(module, "Behaviours")
      .def(
          "__init__",
          [](Behaviours* made, const Job& job, u32 scored, const ForeignOps& foreign) {
            new (made) Behaviours(job, scored, digests_of_names(foreign));
          },
          nb::arg("job"), nb::arg("scored"), nb::arg("foreign"), nb::keep_alive<1, 2>(),
          "Judges a job of one task, and digests the outputs of its roots on all samples.")
      .def("found", &behaviour_rows, nb::sig("def found(self) -> tuple[bytes, bytes, bytes, bytes]"),
           "Verdicts and scores by root and sample, behaviours by root, and the numbers of outputs.");
  nb::class_<SecondTry, Sink>(module, "SecondTry")
      .def(nb::init<const Job&, Candidates&>(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
           nb::sig("def __init__(self, job: Job, first: Candidates, /) -> None"),
           "Gives candidates the outputs of the roots that failed, by a job in another mode.");
  module.def("fill", &fill, nb::sig("def fill(job: Job, outputs: Sink, threads: int, /) -> bool"),
             "Run a job on some threads for the outputs that are scored; False if interrupted.");
  module.def(
      "profile", &profile, nb::sig("def profile(job: Job, /) -> list[tuple[int, int, int, int, int]]"),
      "What each node of a plan costs on all samples: runs, nanoseconds, failures, elements to which it "
      "applied functions, and those of them that ran in columns.");
}

}  // namespace arcbatt
