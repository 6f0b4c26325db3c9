// Running a job on threads, and judging its outcomes. Host only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "threads/worker.h"

namespace arcbatt {

// Runs `work` on some threads while this one calls `watch` every 50 ms and whenever a thread ends. An
// exception of either sets `stop`, which `work` has to obey, and is thrown here once all threads have ended.
// Where the system gives fewer threads, those do the work.
template <class Work, class Watch>
void run_watched(u32 threads, Flag& stop, const Work& work, const Watch& watch) {
  std::exception_ptr raised;
  std::mutex mutex;
  std::condition_variable ended;
  u32 running = 0;
  const auto guarded = [&](const auto& act) {
    try {
      act();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!raised) raised = std::current_exception();
      stop.set();
    }
  };
  std::vector<std::thread> workers;
  workers.reserve(threads);
  std::unique_lock<std::mutex> lock(mutex);
  try {
    for (; running < threads; ++running) {
      workers.emplace_back([&] {
        guarded(work);
        const std::lock_guard<std::mutex> over(mutex);
        --running;
        ended.notify_all();
      });
    }
  } catch (const std::system_error&) {
    if (workers.empty()) throw;
  }
  while (running > 0) {
    ended.wait_for(lock, std::chrono::milliseconds(50));
    lock.unlock();
    if (!stop.is_set()) guarded(watch);
    lock.lock();
  }
  lock.unlock();
  for (std::thread& worker : workers) worker.join();
  if (raised) std::rethrow_exception(raised);
}

// One sample of one task.
struct Place {
  u32 task, sample;
};

// The results of a sample that a device ran, one for each wanted root; addresses in outcomes count from
// `base`.
struct Given {
  const u8* verdicts;
  const i32* scores;
  const Value* outcomes;
  const u8* base;
};

// Receives the outcomes of samples, from threads or from a device; several threads may call it at once.
class Sink {
 public:
  // The outcomes of the wanted roots at some places, in their registers. Called again if it fails the lane.
  virtual void take(Lane<Solo>& lane, Place at, const Value* registers, const std::vector<u32>& places) = 0;
  virtual void end(Place) {}  // all outcomes of a sample have been taken
  virtual void put(Place at, const Given& given) = 0;

 protected:
  ~Sink() = default;
};

// The samples of all tasks that have wanted roots.
inline std::vector<Place> places_of(const Job& job) {
  std::vector<Place> places;
  for (u32 task = 0; task < job.wanted.size(); ++task) {
    const u32 samples = job.wanted[task].empty() ? 0 : u32(job.tasks->tasks[task].inputs.size());
    for (u32 sample = 0; sample < samples; ++sample) places.push_back({task, sample});
  }
  return places;
}

// Runs the samples of a job on threads that take them from one queue.
class Run {
 public:
  Run(const Job& job, Sink& sink) : Run(job, sink, places_of(job)) {}

  // Runs some of the samples.
  Run(const Job& job, Sink& sink, std::vector<Place> places)
      : job_(job), sink_(sink), queue_(std::move(places)) {
    for (u32 task = 0; task < job_.wanted.size(); ++task) {
      if (task == 0 || job_.wanted[task] != job_.wanted[task - 1])
        schedules_.push_back(std::make_shared<Schedule>(*job_.plan, job_.wanted[task], job_.mode));
      else schedules_.push_back(schedules_.back());
    }
  }

  // Run on some threads; `watch` ends the run early by an exception. Without threads of its own, a run takes
  // the thread of the caller: only there does Ctrl-C reach an op of the user.
  template <class Watch>
  void go(u32 threads, const Watch& watch) {
    if (threads == 0) return work(watch);
    run_watched(threads < queue_.size() ? threads : u32(queue_.size()), stop_, [&] { work([] {}); }, watch);
    if (next_ < queue_.size() && !stop_.is_set()) out_of_memory_ = true;  // no thread had any
  }

  bool out_of_memory() const { return out_of_memory_; }

 private:
  // A thread for which there is no memory at all leaves the work to others.
  std::unique_ptr<Worker> new_worker() {
    try {
      return std::make_unique<Worker>(job_, &stop_);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  template <class Watch>
  void work(const Watch& watch) {
    try {
      if (const std::unique_ptr<Worker> worker = new_worker()) run_queue(*worker, watch);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      stop_.set();
    }
  }

  // Run samples until none is left; `watch` is called before each.
  template <class Watch>
  void run_queue(Worker& worker, const Watch& watch) {
    for (u64 place = next_++; place < queue_.size() && !stop_.is_set(); place = next_++) {
      watch();
      const Place at = queue_[place];
      if (place + 1 < queue_.size()) fetch(queue_[place + 1]);
      const auto take = [&](Lane<Solo>& lane, const Value* registers, const std::vector<u32>& places) {
        sink_.take(lane, at, registers, places);
      };
      if (worker.run(at.task, at.sample, *schedules_[at.task], take)) sink_.end(at);
    }
  }

  // Have the grids of a sample that comes soon brought into the cache: nobody has read them yet.
  void fetch(Place at) const {
    const auto& [input, expected] = job_.tasks->tasks[at.task].inputs[at.sample];
    for (const Value v : {input, expected}) {
      const u8* const place = reinterpret_cast<const u8*>(v.head());
      for (u32 line = 0; v.is_heap() && line < FETCHED_LINES; ++line) __builtin_prefetch(place + 64 * line);
    }
  }

  static constexpr u32 FETCHED_LINES = 4;  // the head and most of the cells of a usual grid

  const Job& job_;
  Sink& sink_;
  const std::vector<Place> queue_;
  std::vector<std::shared_ptr<Schedule>> schedules_;
  std::atomic<u64> next_{0};
  Flag stop_;
  std::atomic<bool> out_of_memory_{false};
};

// Collects verdicts and scores, by task, wanted root and sample, and tells which tasks are complete.
class Judge : public Sink {
 public:
  explicit Judge(const Job& job) : job_(job) {
    for (u32 task = 0; task < job.wanted.size(); ++task) {
      const u64 count = job.wanted[task].size() * job.tasks->tasks[task].inputs.size();
      verdicts.emplace_back(count);
      scores.emplace_back(count);
      left_.push_back(u32(job.tasks->tasks[task].inputs.size()));
    }
  }

  void take(Lane<Solo>& lane, Place at, const Value* registers, const std::vector<u32>& places) override {
    const PackedTask& task = job_.tasks->tasks[at.task];
    const Value expected = task.inputs[at.sample].second;
    const std::vector<u32>& wanted = job_.wanted[at.task];
    for (u32 k : places) {
      const Root root = job_.plan->roots[wanted[k]];
      const u64 place = k * task.inputs.size() + at.sample;
      judge(lane, root, registers[root.node], expected, verdicts[at.task][place], scores[at.task][place]);
    }
  }

  void end(Place at) override { count_done(at.task); }

  void put(Place at, const Given& given) override {
    const u64 samples = job_.tasks->tasks[at.task].inputs.size();
    for (u64 k = 0; k < job_.wanted[at.task].size(); ++k) {
      verdicts[at.task][k * samples + at.sample] = given.verdicts[k];
      scores[at.task][k * samples + at.sample] = given.scores[k];
    }
    end(at);
  }

  // The tasks that were completed since the last call, in the order in which they were.
  std::vector<u32> finished() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(finished_, {});
  }

  std::vector<std::vector<u8>> verdicts;
  std::vector<std::vector<i32>> scores;

 protected:
  const Job& job() const { return job_; }
  const u8& verdict(Place at, u32 root) const {
    return verdicts[at.task][root * job_.tasks->tasks[at.task].inputs.size() + at.sample];
  }
  u8& verdict(Place at, u32 root) { return const_cast<u8&>(std::as_const(*this).verdict(at, root)); }

 private:
  // Each thread sees what the others have written on a task if it is the one that completes it.
  void count_done(u32 task) {
    if (__atomic_sub_fetch(&left_[task], 1, __ATOMIC_ACQ_REL) != 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_.push_back(task);
  }

  const Job& job_;
  std::mutex mutex_;
  std::vector<u32> left_, finished_;  // samples by task; tasks
};

}  // namespace arcbatt
