// Columns for the ops that apply functions: the code of a function runs step by step over a block of
// elements.
//
// A column never fails. Where an element would, where a limit could be passed, or where memory is out, what
// was done for the block, or for all blocks, is undone, and the machine goes on from there with one
// application after the other: it finds the same value, or the failure at its exact place.
#pragma once

#include "columns/collected.h"
#include "columns/load.h"
#include "columns/notes.h"

namespace arcbatt {

// How many loops inside of loops run in columns: a function of an element may apply functions itself. Where
// code must stay small, the machine runs the outer loop, and columns the inner one.
template <class Group>
constexpr u32 INNER_LOOPS = Group::SMALL_CODE ? 0 : 2;

// The function that a step applies, compiled; it is compiled again where it differs from element to element.
struct InnerLoop {
  Value function;
  StraightLine code;
};

// The run of one op that applies functions, in columns.
template <class Group, u32 inner_loops>
class ColumnRun {
 public:
  HOST_DEVICE ColumnRun(Lane<Group>& lane, const Frame& frame, Scratch<Group>& scratch)
      : lane_(lane), frame_(frame), loop_(LOOPS[frame.op]), scratch_(scratch),
        columns_{lane, scratch, nullptr, 0}, collected_(lane, frame, columns_),
        notes_(lane, frame, scratch, columns_) {}

  // Compile the function that the op applies; false if it cannot be straight-line code.
  CALLED bool compile(StraightLine& code) {
    Scratch<Group> stack(lane_);
    OpenFunction* open = stack.template array<OpenFunction>(MOST_NESTED);
    if (!open) return false;
    const u32 inputs = loop_.over == Over::pairs || loop_.over == Over::product ? 2 : 1;
    const Value function = frame_.args[loop_.at.function];
    once(lane_.group, [&] { Compiler{code, open, inner_loops > 0}.compile(function, inputs); });
    return code.is_whole;
  }

  // Make all applications. If the lane has not failed, `result` is that of the op, without its cost; or it
  // does not exist, and the results of the applications are on the lane's stack.
  HOST_DEVICE void run(const StraightLine& code, Value& result) {
    code_ = &code;
    if (is_empty(frame_.args[loop_.at.container]) || !within_limits()) {
      lane_.fail(Status::overflow);
      return;
    }
    columns_.length = u32(least(frame_.count, BLOCK));
    columns_.columns = scratch_.template array<Column>(MOST_COLUMNS);
    places_ = scratch_.template array<u8>(MOST_REGISTERS);
    if (lane_.failed()) return;
    prepare();
    notes_.open(code, places_);
    const u32 prepared = columns_.used;
    u32 length = first_length();
    for (u32 from = 0; from < frame_.count && !lane_.failed() && !result.exists();) {
      Scratch<Group> block(lane_);
      columns_.used = prepared;
      collected_.begin_block(from);
      if (lane_.group.is_set(lane_.stop)) lane_.fail(Status::stopped);
      const u32 count = u32(least(length, frame_.count - from));
      run_block(from, count, result);
      from += count;
      length = has_run_bodies_ ? u32(least(2 * length, BLOCK)) : BLOCK;
    }
    if (lane_.failed()) return;
    if (notes_.exist()) result = notes_.result();
    lane_.column_elements += frame_.count;
  }

  // After a failure: leave the results of the blocks before it to the machine. False if that cannot be.
  HOST_DEVICE bool hands_over(Frame& frame) { return !notes_.exist() && collected_.hands_over(frame); }

 private:
  // The length of the first block. What is computed for elements behind one that fails, or behind the first
  // one that is kept, is lost: so blocks begin small, the smaller the more an element costs.
  HOST_DEVICE u32 first_length() const { return inner_ ? 1 : loop_.hold == Hold::first_kept ? 2 : 16; }

  HOST_DEVICE bool within_limits() const {
    return lane_.depth + code_->depth < lane_.limits.depth &&
           lane_.calls + u64(frame_.count) * code_->calls <= lane_.limits.calls;
  }

  CALLED void put(u32 place, u8 column) {
    once(lane_.group, [&] { places_[place] = column; });
  }

  // Set up what is the same for all blocks: the columns of captured values, and the functions of inner loops.
  CALLED void prepare() {
    for (u32 r = code_->inputs; r < code_->count && !lane_.failed(); ++r) {
      const Register& it = code_->registers[r];
      if (it.source == Source::captured) {
        put(r, columns_.add_uniform(&it.captured));
      } else if constexpr (inner_loops > 0) {
        if (it.op == MATCH || !OPS[it.op].higher_order) continue;
        if (!inner_) inner_ = scratch_.template array<InnerLoop*>(MOST_REGISTERS);
        InnerLoop* inner = scratch_.template array<InnerLoop>(1);
        if (lane_.failed()) return;
        inner->function = NO_VALUE;
        inner_[r] = inner;
      }
    }
  }

  // One routine loads all elements where code must stay small.
  HOST_DEVICE static auto positions_from(u32 from) {
    if constexpr (Group::SMALL_CODE) return ProductPosition{from, NO_ROWS, false};
    else return BlockPosition{from};
  }

  CALLED void load_elements(u32 from, u32 count) {
    const Value container = frame_.args[loop_.at.container];
    if (loop_.over == Over::product) {
      const Value other = frame_.args[loop_.at.container + 1];
      const u32 row = count_of(container);
      put(0, load(columns_, container, count, ProductPosition{from, row, false}));
      if (!lane_.failed()) put(1, load(columns_, other, count, ProductPosition{from, row, true}));
      return;
    }
    const auto position = positions_from(from);
    put(0, load(columns_, container, count, position));
    if (loop_.over != Over::pairs || lane_.failed()) return;
    put(1, load(columns_, frame_.args[loop_.at.container + 1], count, position));
  }

  HOST_DEVICE void run_block(u32 from, u32 count, Value& found) {
    u8* const mark = lane_.top;
    const u32 used = columns_.used;
    const u8 result = results(from, count);
    if (lane_.failed()) return;
    if (notes_.are_drawn()) return lane_.release(mark);
    switch (loop_.hold) {
      case Hold::first_kept: {
        const u32 first = collected_.first_kept(count, result);
        if (lane_.failed()) return;
        if (first + 1 < count) {  // the elements behind it do not count: the block runs again without them
          collected_.undo_block();
          columns_.used = used;
          collected_.conditions(results(from, first + 1), first + 1);
          if (lane_.failed()) return;
        }
        lane_.release(mark);
        if (first < count) found = value_at(lane_, frame_.args[loop_.at.container], from + first);
        return;
      }
      case Hold::kept_elements:
        collected_.keep(from, count, result);
        if (!lane_.failed()) lane_.release(mark);
        return;
      default: break;
    }
    if (!notes_.gather(from, count, result)) return collected_.collect(count, result);
    collected_.pay(u64(count) * columns_[result].weight);
    lane_.release(mark);
  }

  // The column of the function's results for a block.
  CALLED u8 results(u32 from, u32 count) {
    load_elements(from, count);
    for (u32 r = code_->inputs; r < code_->count && !lane_.failed(); ++r) {
      if (code_->registers[r].source != Source::step) continue;
      if (notes_.take_over(r, from, count)) continue;
      put(r, step(r, count));
    }
    lane_.calls += u64(count) * code_->calls;
    lane_.spend(u64(CALL_WORK) * count * code_->calls);
    if (lane_.calls > lane_.limits.calls) lane_.fail(Status::CALLS);
    return lane_.failed() || notes_.are_drawn() ? NO_COLUMN : places_[code_->result];
  }

  INLINED u8 step(u32 r, u32 count) {
    const Register& it = code_->registers[r];
    StepColumns at{{}, count};
    const u32 op = it.op, arity = op == MATCH ? 2 : OPS[op].arity;
    for (u32 k = 0; k < arity; ++k) at.args[k] = places_[it.args[k]];
    const u32 used = columns_.used;
    const u8 made =
        admits_columns(columns_, places_, op, it.args) ? run_kernel(columns_, BODIES[op], at) : NO_COLUMN;
    if (lane_.failed()) return NO_COLUMN;
    if (made != NO_COLUMN) {
      pay(it, at, columns_[made]);
      return made;
    }
    columns_.used = used;
    if (op == MATCH) return matched(it, at);
    if constexpr (!Group::SMALL_CODE) {
      if (op == number::connect_ && are_locations(at)) return connected(it, at);
    }
    if constexpr (inner_loops > 0) {
      if (OPS[op].higher_order) {
        return by_element(it, at, arity, [&](const Value* args) { return looped(it, *inner_[r], args); });
      }
    }
    return by_element(it, at, arity,
                      [&](const Value* args) { return run_first_order(lane_, op, args, arity); });
  }

  // What a kernel costs: all elements of a column of numbers weigh the same.
  CALLED void pay(const Register& it, const StepColumns& at, const Column& made) {
    u64 cost = 0;
    if (it.op == MATCH) {
      cost = u64(MATCH_WORK) * weight_of_all(columns_[at.args[0]]);
    } else {
      const OpRecord& record = OPS[it.op];
      for (u32 k = 0; k < record.arity; ++k) {
        cost += u64(record.argument_work[k]) * weight_of_all(columns_[at.args[k]]);
      }
      cost += u64(record.result_work) * weight_of_all(made);
      if (!record.selects && !lane_.admits(made.weight, made.nest)) return;
    }
    lane_.spend(cost * it.uses * at.count);
  }

  // An op for one element after the other.
  template <class Run>
  HOST_DEVICE u8 by_element(const Register& it, const StepColumns& at, u32 arity, Run run_op) {
    const Value* values[MOST_PARAMETERS];
    u32 strides[MOST_PARAMETERS];
    for (u32 k = 0; k < arity; ++k) {
      values[k] = values_of(columns_, at.args[k], at.count);
      strides[k] = columns_[at.args[k]].is_uniform ? 0 : 1;
      if (lane_.failed()) return NO_COLUMN;
    }
    Value* results = columns_.new_values();
    if (!results) return NO_COLUMN;
    has_run_bodies_ = true;
    const u64 work = lane_.work, calls = lane_.calls;
    for (u32 n = 0; n < at.count; ++n) {
      Value args[MOST_PARAMETERS];
      for (u32 k = 0; k < arity; ++k) args[k] = values[k][n * strides[k]];
      u8* mark = lane_.top;
      Value made = run_op(args);
      if (!lane_.failed()) made = reclaimed(lane_, mark, made);
      if (lane_.failed()) return NO_COLUMN;
      once(lane_.group, [&] { results[n] = made; });
    }
    lane_.calls += (lane_.calls - calls) * (it.uses - 1);
    lane_.spend((lane_.work - work) * (it.uses - 1));
    if (lane_.failed()) return NO_COLUMN;
    return narrowed(columns_, columns_.add_values(results), at.count);
  }

  // An op that applies functions, for one element: in columns again.
  HOST_DEVICE Value looped(const Register& it, InnerLoop& inner, const Value* args) {
    Call call{NO_VALUE, {}, OPS[it.op].arity};
    for (u32 k = 0; k < call.count; ++k) call.args[k] = args[k];
    const u32 depth = lane_.depth;
    lane_.depth += it.depth + 1;
    Value result = NO_VALUE;
    Frame* frame = open_loop(lane_, it.op, call);
    if (!frame) return NO_VALUE;
    if (frame->count > 0) {
      Scratch<Group> scratch(lane_);
      ColumnRun<Group, inner_loops - 1> run(lane_, *frame, scratch);
      const u32 place = LOOPS[it.op].at.function;
      // A function that an element made may lie where that of an earlier one was: its word says nothing.
      const bool lasts =
          !args[place].is_heap() || code_->registers[it.args[place]].source == Source::captured;
      if (!lasts || !args[place].same_word(inner.function)) {
        inner.function = args[place];
        if (!run.compile(inner.code)) return lane_.fail(Status::overflow);
      }
      run.run(inner.code, result);
      if (lane_.failed()) return NO_VALUE;
    }
    if (result.exists()) ended(lane_, *frame, result);
    else finish(lane_, *frame, call, result);
    lane_.depth = depth;
    return result;
  }

  HOST_DEVICE bool are_locations(const StepColumns& at) const {
    return is_locations(columns_, columns_[at.args[0]]) && is_locations(columns_, columns_[at.args[1]]);
  }

  // Lines between locations. Of all pairs of a product most are on no line: nothing is called for them.
  HOST_DEVICE u8 connected(const Register& it, const StepColumns& at) {
    const Column a = columns_[at.args[0]], b = columns_[at.args[1]];
    const i32 *top = columns_[a.first].numbers, *left = columns_[a.last].numbers;
    const i32 *bottom = columns_[b.first].numbers, *right = columns_[b.last].numbers;
    Value* results = columns_.new_values();
    if (!results || !lane_.admits(weight_of(EMPTY_SET), nest_of(EMPTY_SET))) return NO_COLUMN;
    has_run_bodies_ = true;
    const u64 work = lane_.work;
    u32 empty = 0;
    for (u32 n = 0; n < at.count; ++n) {
      const i64 down = magnitude(i64(bottom[n]) - top[n]), across = magnitude(i64(right[n]) - left[n]);
      Value made = EMPTY_SET;
      if (down && across && down != across) {
        ++empty;
      } else {
        const Value ends[] = {make_pair(lane_, top[n], left[n]), make_pair(lane_, bottom[n], right[n])};
        if (!lane_.failed()) made = run_first_order(lane_, it.op, ends, 2);
        if (lane_.failed()) return NO_COLUMN;
      }
      once(lane_.group, [&] { results[n] = made; });
    }
    const OpRecord& record = OPS[it.op];
    const u64 cost = u64(record.argument_work[0] + record.argument_work[1]) * LOCATION_WEIGHT +
                     record.result_work * weight_of(EMPTY_SET);
    lane_.spend(empty * cost);
    if (lane_.failed()) return NO_COLUMN;
    lane_.spend((lane_.work - work) * (it.uses - 1));
    return lane_.failed() ? NO_COLUMN : columns_.add_values(results);
  }

  // Whether each value is equal to a captured one.
  CALLED u8 matched(const Register& it, const StepColumns& at) {
    const Value* values = values_of(columns_, at.args[0], at.count);
    i32* same = columns_.new_numbers();
    if (lane_.failed()) return NO_COLUMN;
    const Value wanted = columns_[at.args[1]].values[0];
    u64 cost = 0;
    for (u32 k = 0; k < at.count && !lane_.failed(); ++k) {
      const bool is_equal = equal(lane_, values[k], wanted);
      cost += u64(MATCH_WORK) * weight_of(values[k]);
      once(lane_.group, [&] { same[k] = is_equal; });
    }
    lane_.spend(cost * it.uses);
    return lane_.failed() ? NO_COLUMN : columns_.add_integers(same);
  }

  Lane<Group>& lane_;
  const Frame& frame_;
  const Loop& loop_;
  Scratch<Group>& scratch_;
  Columns<Group> columns_;
  const StraightLine* code_ = nullptr;
  u8* places_ = nullptr;  // the column of each register
  InnerLoop** inner_ = nullptr;  // by register
  Collected<Group> collected_;
  Notes<Group> notes_;
  bool has_run_bodies_ = false;  // not only kernels
};

// Run the op of the uppermost frame in columns, to its end. False if that cannot be: the machine then goes on
// at the frame's next element.
template <class Group>
HOST_DEVICE bool run_columns(Lane<Group>& lane, Frame& frame, Value& result) {
  if (!lane.columns || !has_columns(LOOPS[frame.op])) return false;
  const Checkpoint before(lane);
  result = NO_VALUE;
  bool is_whole = false;
  {
    Scratch<Group> scratch(lane);
    StraightLine* code = scratch.template array<StraightLine>(1);
    ColumnRun<Group, INNER_LOOPS<Group>> columns(lane, frame, scratch);
    is_whole = code && columns.compile(*code);
    if (is_whole) columns.run(*code, result);
    if (is_whole && lane.failed() && columns.hands_over(frame)) return false;
  }
  if (is_whole && !lane.failed()) {
    Call none{};
    if (result.exists()) ended(lane, frame, result);
    else finish(lane, frame, none, result);
    if (lane.status != Status::overflow)
      return true;  // with the result, or the failure that the op has itself
  }
  before.restore(lane);
  return false;
}

}  // namespace arcbatt
