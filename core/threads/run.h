// Running a job on threads, and judging what it gives. Host only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "threads/worker.h"

namespace arcbatt {

// One sample of one task.
struct Place {
  u32 task, sample;
};

// What a device gave on a sample, one for each wanted root; addresses in the outcomes count from `base`.
struct Given {
  const u8* verdicts;
  const i32* scores;
  const Value* outcomes;
  const u8* base;
};

// What becomes of the registers of a sample when it has run, or of what a device gave; several threads may
// bring samples at once.
class Sink {
 public:
  // The outcomes of the wanted roots at some places; they come again if the lane's status says so.
  virtual void take(Lane<Solo>& lane, Place at, const Value* registers, const std::vector<u32>& places) = 0;
  virtual void end(Place) {}  // all outcomes of a sample have come
  virtual void put(Place at, const Given& given) = 0;

 protected:
  ~Sink() = default;
};

// The samples of the tasks from which something is wanted.
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

  // The same with some of the samples.
  Run(const Job& job, Sink& sink, std::vector<Place> places)
      : job_(job), sink_(sink), queue_(std::move(places)) {
    for (u32 task = 0; task < job_.wanted.size(); ++task) {
      if (task == 0 || job_.wanted[task] != job_.wanted[task - 1])
        schedules_.push_back(std::make_shared<Schedule>(*job_.plan, job_.wanted[task], job_.mode));
      else
        schedules_.push_back(schedules_.back());
    }
  }

  // Run on some threads; `watch` is called now and then in this thread and asks to stop by returning false.
  void go(u32 threads, const std::function<bool()>& watch) {
    std::vector<std::thread> workers;
    start(workers, threads < queue_.size() ? threads : u32(queue_.size()));
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (running_ > 0) {
        changed_.wait_for(lock, std::chrono::milliseconds(50));
        lock.unlock();
        if (!stop_.is_set() && !watch()) stop_.set();
        lock.lock();
      }
    }
    for (std::thread& worker : workers) worker.join();
    if (raised_) std::rethrow_exception(raised_);
    if (next_ < queue_.size() && !stop_.is_set()) out_of_memory_ = true;  // no thread had any
  }

  bool out_of_memory() const { return out_of_memory_; }

 private:
  // Start threads; where the system gives fewer, those do the work.
  void start(std::vector<std::thread>& workers, u32 threads) {
    workers.reserve(threads);
    for (u32 k = 0; k < threads; ++k) {
      std::lock_guard<std::mutex> lock(mutex_);
      try {
        workers.emplace_back([this] { work(); });
        ++running_;
      } catch (const std::system_error&) {
        if (workers.empty()) throw;
        return;
      }
    }
  }

  // A thread for which there is no memory at all leaves the work to others.
  std::unique_ptr<Worker> new_worker() {
    try {
      return std::make_unique<Worker>(job_, &stop_);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  void work() {
    try {
      if (const std::unique_ptr<Worker> worker = new_worker()) run_queue(*worker);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      stop_.set();
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex_);
      raised_ = std::current_exception();
      stop_.set();
    }
    std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  void run_queue(Worker& worker) {
    for (u64 place = next_++; place < queue_.size() && !stop_.is_set(); place = next_++) {
      const Place at = queue_[place];
      const auto take = [&](Lane<Solo>& lane, const Value* registers, const std::vector<u32>& places) {
        sink_.take(lane, at, registers, places);
      };
      if (worker.run(at.task, at.sample, *schedules_[at.task], take)) sink_.end(at);
    }
  }

  const Job& job_;
  Sink& sink_;
  const std::vector<Place> queue_;
  std::vector<std::shared_ptr<Schedule>> schedules_;
  std::atomic<u64> next_{0};
  Flag stop_;
  std::atomic<bool> out_of_memory_{false};
  std::exception_ptr raised_;
  std::mutex mutex_;
  std::condition_variable changed_;
  u32 running_ = 0;
};

// Verdicts and scores: for each task, for each wanted root, for each sample one. It knows which tasks are
// complete.
class Judge final : public Sink {
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
    count_done(at.task);
  }

  // The tasks whose samples have all come since somebody asked, in the order in which they ended.
  std::vector<u32> finished() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(finished_, {});
  }

  std::vector<std::vector<u8>> verdicts;
  std::vector<std::vector<i32>> scores;

 private:
  void count_done(u32 task) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--left_[task] == 0) finished_.push_back(task);
  }

  const Job& job_;
  std::mutex mutex_;
  std::vector<u32> left_, finished_;  // samples by task; tasks
};

}  // namespace arcbatt
