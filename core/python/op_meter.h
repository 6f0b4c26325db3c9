// What single ops cost: seconds of the CPU and units of work, on arguments that stay packed. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <ctime>
#include <string>
#include <vector>

#include "python/pack.h"

namespace arcbatt {

// What one op did on some arguments.
struct Metered {
  double seconds;  // of one run
  u64 units;       // of work that one run added to the account
  Status status;
};

// Keeps values and runs ops on them in one lane. Each op starts with an empty account.
class OpMeter {
 public:
  OpMeter(const Limits& limits, ForeignOps& foreign)
      : limits_(limits), foreign_(foreign), memory_(FIRST, limits.depth, limits, foreign.host()) {}

  OpMeter(const OpMeter&) = delete;
  OpMeter& operator=(const OpMeter&) = delete;

  // Pack a value; returns its place.
  u32 keep(nb::handle object) {
    values_.push_back(with_room([&](HostLane& lane) { return pack_input(lane, object, foreign_); }));
    return u32(values_.size() - 1);
  }

  // Run an op, or a call of a function value, on values by their places: three times, and short ones as often
  // as makes a round that the clock can tell; the lesser of two rounds counts. `columns` says whether
  // functions run over all elements at once.
  Metered run(u32 op, const std::vector<u32>& places, bool columns) {
    std::vector<Value> args;
    for (const u32 place : places) args.push_back(values_.at(place));
    Metered found{};
    u8* mark = nullptr;
    with_room([&](HostLane& lane) {
      lane.columns = columns;
      lane.carried = 0;
      mark = lane.top;
      const double started = now();
      const Value result = run_top_level(lane, op, args.data(), u32(args.size()));
      found = {now() - started, lane.work, lane.status};
      lane.release(mark);
      return result;
    });
    if (found.seconds > LONG) return found;
    const auto repeated = [&](u32 times) {
      const double started = now();
      for (u32 k = 0; k < times; ++k) {
        run_top_level(memory_.lane, op, args.data(), u32(args.size()));
        memory_.lane.release(mark);
      }
      return now() - started;
    };
    u32 times = 1;
    double spent = repeated(times);
    while (spent < ROUND) spent = repeated(times *= 4);
    const double again = repeated(times);
    found.seconds = (again < spent ? again : spent) / times;
    return found;
  }

 private:
  static constexpr u64 FIRST = u64(1) << 26;
  static constexpr double LONG = 0.1, ROUND = 5e-5;  // seconds

  static double now() {
    timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return double(spent.tv_sec) + 1e-9 * double(spent.tv_nsec);
  }

  // Do some work in the lane, and again in larger memory where it needs more.
  template <class Work>
  Value with_room(Work work) {
    while (true) {
      HostLane& lane = memory_.lane;
      lane.status = Status::ok;
      u8* const mark = lane.top;
      const Value made = work(lane);
      if (lane.status != Status::overflow) return made;
      lane.release(mark);
      memory_.grow();
    }
  }

  Limits limits_;
  ForeignOps& foreign_;
  GrowingLane memory_;
  std::vector<Value> values_;
};

}  // namespace arcbatt
