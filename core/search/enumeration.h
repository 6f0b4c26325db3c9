// Enumeration of expressions by total cost over all samples of a task at once. An application of a template
// that fails on a sample, or gives a vector that is known, is dropped.
#pragma once

#include <time.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "search/run_op.h"
#include "search/states.h"
#include "threads/lane_memory.h"
#include "values/types.h"

namespace arcbatt::search {

struct Problem {
  Value samples;                // S
  std::vector<Value> inputs;    // of demo samples, then of test samples
  std::vector<Value> outputs;   // of demo samples
};

struct Budget {
  u64 steps;       // applications of templates
  double seconds;  // of the thread's CPU
  u64 memory;      // bytes
};

inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// Bounds on what states hold: larger values are rarely part of an answer and slow all others down.
constexpr i64 LONGEST_SIDE = 40, LARGEST_NUMBER = 1000, LONGEST_VECTOR = 60;
constexpr u32 MOST_ELEMENTS = 200;  // of a container of grids or objects

inline bool lies_within(i64 number, i64 bound) { return number >= -bound && number <= bound; }

inline bool plays(Sort sort, Value v) {
  switch (sort) {
    case Sort::grid: {
      if (!v.has_form(Form::bytes_grid)) return false;
      const Head* head = v.head();
      return head->count <= LONGEST_SIDE && head->detail >= 1 && head->detail <= LONGEST_SIDE;
    }
    case Sort::grids: return v.has_form(Form::tuple) && v.head()->count <= MOST_ELEMENTS;
    case Sort::object: return is_object(v);
    case Sort::objects: return holds_only(v, OBJECT_CLASS) && count_of(v) <= MOST_ELEMENTS;
    case Sort::indices: return is_indices(v);
    case Sort::color: return v.is_integer() && v.integer() >= 0 && v.integer() < i64(COLOR_COUNT);
    case Sort::number: return v.is_integer() && lies_within(v.integer(), LARGEST_NUMBER);
    case Sort::vector:
      return is_location(v) && lies_within(location_of(v).i, LONGEST_VECTOR) &&
             lies_within(location_of(v).j, LONGEST_VECTOR);
    case Sort::predicate:
    case Sort::measure:
    case Sort::change: return takes(v, 1, 1);
  }
  return false;
}

// Which templates give nothing new on what another template has made, such as a mirror on a mirror: after
// some tries that failed or gave a known state they are not tried there any more.
class Idle {
 public:
  explicit Idle(u64 templates) : templates_(templates), in_vain_(templates * templates, 0) {}

  bool is_idle(u32 outer, u32 inner) const { return in_vain_[outer * templates_ + inner] == MOST_IN_VAIN; }

  void note(u32 outer, u32 inner, bool is_new) {
    u8& count = in_vain_[outer * templates_ + inner];
    if (is_new) count = NEVER_IDLE;
    else if (count < MOST_IN_VAIN) ++count;
  }

 private:
  static constexpr u8 MOST_IN_VAIN = 16, NEVER_IDLE = 255;

  const u64 templates_;
  std::vector<u8> in_vain_;  // tries, by the outer and the inner template
};

class Enumeration {
 public:
  // Called at milestones, which are numbers of steps; true ends the enumeration.
  using AtMilestone = std::function<bool()>;

  Enumeration(const Templates& templates, const Problem& problem, const Limits& limits, const Budget& budget,
              const u32* stop)
      : templates_(templates), samples_(u32(problem.inputs.size())), budget_(budget), stop_(stop),
        started_(thread_seconds()), memory_(SpareMemory::take(first_arena(limits.memory), limits.depth)),
        lane_(memory_.lane(limits, stop, Host{nullptr, nullptr})), states_(samples_),
        idle_(templates.all.size()), results_(samples_), vector_(samples_) {
    fix(problem);
  }
  ~Enumeration() { SpareMemory::leave(std::move(memory_)); }

  // Enumerate level after level until the budget is used up.
  SearchEnd run(const std::vector<u64>& milestones, const AtMilestone& at_milestone) {
    milestones_ = milestones;
    at_milestone_ = at_milestone;
    // A new state is the last one that matters up to the level of a template with that state in every hole.
    u32 last = MOST_TEMPLATE_COST;
    for (level_ = 1; level_ <= std::min(last, States::MOST_COST); ++level_) {
      const u32 before = states_.size();
      if (!run_level()) return end_;
      if (states_.size() > before) last = MOST_HOLES * level_ + MOST_TEMPLATE_COST;
    }
    return SearchEnd::exhausted;
  }

  const States& states() const { return states_; }
  Value value(u32 state, u32 sample) const { return values_[states_.vector(state)[sample]]; }
  u64 steps() const { return steps_; }
  u64 failures() const { return failures_; }
  u32 level() const { return level_; }
  u64 bytes() const { return values_.bytes() + states_.bytes(); }
  double seconds() const { return thread_seconds() - started_; }

 private:
  static constexpr u32 MOST_TEMPLATE_COST = 9;
  static constexpr u64 BETWEEN_LOOKS = 64;  // steps between looks at the clock

  // A template on states of given costs.
  struct Portion {
    u32 made_by;
    std::array<u32, MOST_HOLES> costs;
    u64 applications;
  };

  bool run_level() {
    std::vector<Portion> portions;
    for (u32 k = 0; k < templates_.all.size(); ++k) {
      const Template& made_by = templates_.all[k];
      if (made_by.cost > level_ || !is_usable(made_by)) continue;
      Portion portion{k, {}, 1};
      add_portions(made_by, 0, level_ - made_by.cost, portion, portions);
    }
    // Small portions first: a product of two large lists would use up the budget alone.
    std::stable_sort(portions.begin(), portions.end(),
                     [](const Portion& a, const Portion& b) { return a.applications < b.applications; });
    for (const Portion& portion : portions) {
      State state{portion.made_by, {}, level_, templates_.all[portion.made_by].result};
      if (!run_portion(portion, 0, state)) return false;
    }
    return true;
  }

  // The portions of a template whose holes from `hole` on cost `left` together.
  void add_portions(const Template& made_by, u32 hole, u32 left, Portion portion,
                    std::vector<Portion>& portions) const {
    if (hole == made_by.hole_count) {
      if (left == 0) portions.push_back(portion);
      return;
    }
    const bool is_last = hole + 1 == made_by.hole_count;
    for (u32 cost = is_last ? left : 1; cost <= left; ++cost) {
      const u64 states = states_.of(made_by.holes[hole], cost).size();
      if (states == 0) continue;
      Portion with = portion;
      with.costs[hole] = cost;
      with.applications *= states;
      add_portions(made_by, hole + 1, left - cost, with, portions);
    }
  }

  bool run_portion(const Portion& portion, u32 hole, State& state) {
    const Template& made_by = templates_.all[portion.made_by];
    if (hole == made_by.hole_count) return step(made_by, state);
    const Sort sort = made_by.holes[hole];
    const std::vector<u32>& list = states_.of(sort, portion.costs[hole]);
    const bool is_alone = made_by.hole_count == 1;
    for (u64 k = 0; k < list.size(); ++k) {
      state.args[hole] = list[k];
      if (is_alone && idle_.is_idle(state.made_by, states_[list[k]].made_by)) continue;
      if (!run_portion(portion, hole + 1, state)) return false;
    }
    return true;
  }

  // Apply a template; false if the enumeration ends.
  bool step(const Template& made_by, const State& state) {
    if (steps_ >= budget_.steps) return over(SearchEnd::steps);
    if (bytes() > budget_.memory) return over(SearchEnd::memory);
    if (steps_ % BETWEEN_LOOKS == 0) {
      if (seen_now(stop_)) return over(SearchEnd::stopped);
      if (seconds() > budget_.seconds) return over(SearchEnd::seconds);
    }
    ++steps_;
    const u32 before = states_.size();
    if (!evaluate(made_by, state)) ++failures_;
    else if (is_worth_keeping(made_by.result)) states_.add(state, vector_.data());
    if (made_by.hole_count == 1)
      idle_.note(state.made_by, states_[state.args[0]].made_by, states_.size() > before);
    lane_.release(lane_.base);
    if (next_milestone_ < milestones_.size() && steps_ >= milestones_[next_milestone_]) {
      ++next_milestone_;
      if (at_milestone_()) return over(SearchEnd::fitted);
    }
    return true;
  }

  bool over(SearchEnd why) {
    end_ = why;
    return false;
  }

  // The values of an application on all samples, as a vector; false if it fails on one.
  bool evaluate(const Template& made_by, const State& state) {
    for (u32 sample = 0; sample < samples_; ++sample) {
      Value registers[REGISTERS];
      for (u32 hole = 0; hole < made_by.hole_count; ++hole)
        registers[hole] = values_[states_.vector(state.args[hole])[sample]];
      const Value* const fixed = fixed_.data() + u64(sample) * templates_.fixed.size();
      for (u32 k = 0; k < made_by.step_count; ++k) {
        const Value made = run_step(templates_.steps[made_by.first_step + k], registers, fixed);
        if (lane_.failed()) return false;
        registers[made_by.hole_count + k] = made;
      }
      results_[sample] = at(made_by.root, registers, fixed);
      if (!plays(made_by.result, results_[sample])) return false;
    }
    for (u32 sample = 0; sample < samples_; ++sample) vector_[sample] = values_.number_of(results_[sample]);
    return true;
  }

  // A vector of containers that are all empty helps nobody.
  bool is_worth_keeping(Sort sort) const {
    if (sort != Sort::object && sort != Sort::objects && sort != Sort::indices) return true;
    return std::any_of(results_.begin(), results_.end(), [](Value v) { return !is_empty(v); });
  }

  static Value at(Source source, const Value* registers, const Value* fixed) {
    return source < REGISTERS ? registers[source] : fixed[source - REGISTERS];
  }

  Value run_step(const Step& step, const Value* registers, const Value* fixed) {
    Value args[MOST_ARGUMENTS];
    for (u32 k = 0; k < step.count; ++k) args[k] = at(step.args[k], registers, fixed);
    return run_op(lane_, step.op, args, step.count);
  }

  // Compute the fixed values for each sample; those that fail are none.
  void fix(const Problem& problem) {
    const u64 count = templates_.fixed.size();
    fixed_.assign(count * samples_, NO_VALUE);
    for (u32 sample = 0; sample < samples_; ++sample) {
      Value* const fixed = fixed_.data() + sample * count;
      for (u64 k = 0; k < count; ++k) {
        const Fixed& one = templates_.fixed[k];
        switch (one.kind) {
          case NodeKind::constant: fixed[k] = one.constant; break;
          case NodeKind::samples: fixed[k] = problem.samples; break;
          case NodeKind::input: fixed[k] = problem.inputs[sample]; break;
          case NodeKind::op: fixed[k] = fixed_result(one.step, fixed); break;
          default: break;
        }
      }
    }
  }

  Value fixed_result(const Step& step, const Value* fixed) {
    for (u32 k = 0; k < step.count; ++k) {
      if (!fixed[step.args[k] - REGISTERS].exists()) return NO_VALUE;
    }
    const Value made = run_step(step, nullptr, fixed);
    const Value kept = lane_.failed() ? NO_VALUE : values_[values_.number_of(made)];
    lane_.release(lane_.base);
    return kept;
  }

  // Whether all fixed values that a template reads exist on every sample.
  bool is_usable(const Template& made_by) const {
    const auto exists = [&](Source source) {
      if (source < REGISTERS) return true;
      for (u32 sample = 0; sample < samples_; ++sample) {
        if (!fixed_[sample * templates_.fixed.size() + source - REGISTERS].exists()) return false;
      }
      return true;
    };
    if (!exists(made_by.root)) return false;
    for (u32 k = 0; k < made_by.step_count; ++k) {
      const Step& step = templates_.steps[made_by.first_step + k];
      for (u32 arg = 0; arg < step.count; ++arg) {
        if (!exists(step.args[arg])) return false;
      }
    }
    return true;
  }

  const Templates& templates_;
  const u32 samples_;
  const Budget budget_;
  const u32* const stop_;
  const double started_;
  Memory memory_;
  Lane<Solo> lane_;
  Values values_;
  States states_;
  Idle idle_;
  std::vector<Value> fixed_;  // by sample and number
  std::vector<Value> results_;  // of the current application, by sample
  std::vector<u32> vector_;  // their numbers
  std::vector<u64> milestones_;
  AtMilestone at_milestone_;
  u64 next_milestone_ = 0, steps_ = 0, failures_ = 0;
  u32 level_ = 0;
  SearchEnd end_ = SearchEnd::exhausted;
};

}  // namespace arcbatt::search
