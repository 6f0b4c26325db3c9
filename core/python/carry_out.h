// Jobs on behalf of Python: what it asks for, and its Ctrl-C. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <vector>

#include "python/outcome_store.h"
#include "threads/run.h"

namespace arcbatt {

// Pack something in memory that grows until it fits; `fill` makes the values in the lane it is given.
template <class Fill>
std::unique_ptr<Memory> packed_memory(Limits limits, ForeignOps& foreign, Fill fill) {
  auto memory = std::make_unique<Memory>(u64(1) << 20, limits.depth);
  while (true) {
    HostLane lane = memory->lane(limits, &NEVER_STOPPED, foreign.host());
    fill(lane);
    if (lane.status != Status::overflow) return memory;
    memory->grow();
  }
}

// Run something that needs no Python on a thread of its own, while this one listens for Ctrl-C with the
// interpreter lock released; `stop` then ends it.
template <class Task>
void listening(Flag& stop, const Task& task) {
  std::exception_ptr raised, interrupted;
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  {
    nb::gil_scoped_release released;
    std::thread worker([&] {
      try {
        task();
      } catch (...) {
        raised = std::current_exception();
      }
      const std::lock_guard<std::mutex> lock(mutex);
      over = true;
      ended.notify_all();
    });
    std::unique_lock<std::mutex> lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return over; })) {
      if (stop.is_set()) continue;
      lock.unlock();
      try {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      } catch (...) {
        interrupted = std::current_exception();
        stop.set();
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (interrupted) std::rethrow_exception(interrupted);
  if (raised) std::rethrow_exception(raised);
}

// Limits under which an op is over before somebody could want to interrupt it.
constexpr u64 SHORT_WORK = 20'000'000, SHORT_CALLS = 100'000;
inline Limits short_limits(Limits limits) {
  limits.work = limits.work < SHORT_WORK ? limits.work : SHORT_WORK;
  limits.calls = limits.calls < SHORT_CALLS ? limits.calls : SHORT_CALLS;
  return limits;
}

// A top-level op that Ctrl-C ends. It runs here first, as most are short, and
// starts again on a thread of its own if it turns out not to be.
inline Value run_interruptibly(HostLane& lane, u32 op, const std::vector<Value>& args) {
  const Limits limits = lane.limits;
  u8* const mark = lane.top;
  lane.limits = short_limits(limits);
  Value result = run_top_level(lane, op, args.data(), u32(args.size()));
  lane.limits = limits;
  if (lane.status != Status::CALLS) return result;
  lane.release(mark);
  Flag stop;
  lane.stop = &stop.state;
  listening(stop, [&] { result = run_top_level(lane, op, args.data(), u32(args.size())); });
  lane.stop = &NEVER_STOPPED;
  return result;
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

// Run a job with the interpreter lock released; now and then `hand_on` is called with it. False after Ctrl-C.
template <class HandOn>
bool carry_out(Run& run, u32 threads, HandOn hand_on) {
  bool interrupted = false;
  std::exception_ptr raised;
  const auto watch = [&] {
    nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      hand_on();
      return true;
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) interrupted = true;
      else raised = std::current_exception();
    } catch (...) {
      raised = std::current_exception();
    }
    return false;
  };
  {
    nb::gil_scoped_release released;
    run.go(threads, watch);
  }
  if (raised) std::rethrow_exception(raised);
  hand_on();
  if (run.out_of_memory()) throw std::bad_alloc();
  return !interrupted;
}

// The tasks that have ended since somebody asked: [(task, verdicts, scores), ...].
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

// Keeps the outcomes of all roots, sample by sample in the order of the tasks.
class Keeper final : public Sink {
 public:
  Keeper(const Job& job, OutcomeStore& kept) : job_(job), kept_(kept) {
    u64 before = 0;
    for (const PackedTask& task : job.tasks->tasks) {
      first_.push_back(before);
      before += task.inputs.size();
    }
  }

  void take(Lane<Solo>&, Place at, const Value* registers, const std::vector<u32>& places) override {
    const std::vector<Root>& roots = job_.plan->roots;
    const u64 first = (first_[at.task] + at.sample) * roots.size();
    for (u32 place : places) kept_.keep(first + place, 1, [&](u64) { return registers[roots[place].node]; });
  }

  void put(Place at, const Given& given) override {
    const u64 count = job_.plan->roots.size(), first = (first_[at.task] + at.sample) * count;
    kept_.keep(first, count, [&](u64 k) { return given.outcomes[k]; }, given.base);
  }

 private:
  const Job& job_;
  OutcomeStore& kept_;
  std::vector<u64> first_;  // samples before each task
};

}  // namespace arcbatt
