// Columns for the ops that apply functions: the code of a function runs step by step over a block of
// elements.
//
// A column never fails. Where an element would, where a limit could be passed, or where memory is out, what
// was done for the block, or for all blocks, is undone, and the machine goes on from there with one
// application after the other: it finds the same value, or the failure at its exact place.
#pragma once

#include "columns/gathering.h"
#include "columns/merging.h"
#include "columns/straight_line.h"

namespace arcbatt {

// Where the elements of a block are in a container: one after the other or, for a product of containers, the
// remainders or the quotients of their numbers by the length of a row.
struct BlockPosition {
  u32 from;
  HOST_DEVICE u32 operator()(u32 k) const { return from + k; }
};
constexpr u32 NO_ROWS = 0xffffffffu;  // longer than any container
struct ProductPosition {
  u32 from, row;
  bool divides;
  HOST_DEVICE u32 operator()(u32 k) const { return divides ? (from + k) / row : (from + k) % row; }
};

// The column of the elements of a container at position(0), ..., position(count - 1).
template <class Group, class Position>
CALLED u8 load(Columns<Group>& columns, Value container, u32 count, Position position) {
  auto& lane = columns.lane;
  if (container.is_heap()) {
    const Head* head = container.head();
    const u32* keys = content<u32>(head);
    switch (head->form) {
      case Form::locations:
        return columns.fill_locations(count, [&](u32 k) {
          const Cell c = cell_of(keys[position(k)]);
          return Location{c.i, c.j};
        });
      case Form::cells:
      case Form::cell_tuple:
        return columns.fill_cells(count, [&](u32 k) { return cell_of(keys[position(k)]); });
      case Form::integers:
      case Form::integer_set: {
        const i32* numbers = content<i32>(head);
        return columns.fill(count, [&](u32 k) { return numbers[position(k)]; });
      }
      case Form::bytes_grid:
      case Form::grid:
        if (head->detail != 2) break;
        return columns.fill_locations(count, [&](u32 k) {
          return Location{grid_at(head, 2 * u64(position(k))), grid_at(head, 2 * u64(position(k)) + 1)};
        });
      default: break;
    }
  }
  Value* values = columns.new_values();
  if (!values) return NO_COLUMN;
  const bool holds_values = container.has_form(Form::tuple) || container.has_form(Form::set);
  if (holds_values) {
    const Value* elements = content<Value>(container.head());
    each(lane.group, count, [&](u32 k) { values[k] = elements[position(k)]; });
  } else {
    for (u32 k = 0; k < count && !lane.failed(); ++k) {
      const Value element = value_at(lane, container, position(k));
      once(lane.group, [&] { values[k] = element; });
    }
  }
  return lane.failed() ? NO_COLUMN : narrowed(columns, columns.add_values(values), count);
}

// How many loops inside of loops run in columns: a function of an element may apply functions itself. Where
// code must stay small, the machine runs the outer loop, and columns the inner one.
template <class Group>
constexpr u32 INNER_LOOPS = Group::SMALL_CODE ? 0 : 2;

// Columns that hand over to the machine may leave an eighth of the arena with values in it.
constexpr u64 MOST_LEFT = 8;

// The function that a step applies, compiled; it is compiled again where it differs from element to element.
struct InnerLoop {
  Value function;
  StraightLine code;
};

// The state of a lane that columns change, to go back to.
struct Checkpoint {
  u8* top;
  u64 calls, work, elements, column_elements;
  u32 depth, frame_top, stack_top;

  template <class Group>
  HOST_DEVICE explicit Checkpoint(const Lane<Group>& lane)
      : top(lane.top), calls(lane.calls), work(lane.work), elements(lane.elements),
        column_elements(lane.column_elements), depth(lane.depth), frame_top(lane.frame_top),
        stack_top(lane.stack_top) {}

  template <class Group>
  HOST_DEVICE void restore(Lane<Group>& lane) const {
    lane.status = Status::ok;
    lane.calls = calls;
    lane.work = work;
    lane.elements = elements;
    lane.column_elements = column_elements;
    lane.depth = depth;
    lane.frame_top = frame_top;
    lane.stack_top = stack_top;
    lane.release(top);
  }
};

// The run of one op that applies functions, in columns.
template <class Group, u32 inner_loops>
class ColumnRun {
 public:
  HOST_DEVICE ColumnRun(Lane<Group>& lane, const Frame& frame, Scratch<Group>& scratch)
      : lane_(lane), frame_(frame), loop_(LOOPS[frame.op]), scratch_(scratch),
        columns_{lane, scratch, nullptr, 0}, block_{Checkpoint(lane), 0, 1, 0, false} {}

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
    make_notes();
    const u32 prepared = columns_.used;
    u32 length = first_length();
    for (u32 from = 0; from < frame_.count && !lane_.failed() && !result.exists();) {
      Scratch<Group> block(lane_);
      columns_.used = prepared;
      block_ = Done{Checkpoint(lane_), from, held_, sorted_, holds_empty_set_};
      if (lane_.group.is_set(lane_.stop)) lane_.fail(Status::stopped);
      const u32 count = u32(least(length, frame_.count - from));
      run_block(from, count, result);
      from += count;
      length = has_run_bodies_ ? u32(least(2 * length, BLOCK)) : BLOCK;
    }
    if (lane_.failed()) return;
    if (is_drawing_ || gathered_ != Gathered::values) result = is_drawing_ ? drawn() : container();
    lane_.column_elements += frame_.count;
  }

  // After a failure: leave the results of the blocks before it to the machine, which goes on from there.
  // False if that cannot be.
  HOST_DEVICE bool hands_over(Frame& frame) {
    const bool holds_results = !is_drawing_ && gathered_ == Gathered::values && block_.elements > 0;
    if (!holds_results || lane_.status == Status::overflow) return false;
    // What the blocks have left in the arena besides results must not be what the machine lacks.
    if (u64(block_.state.top - frame.start) > u64(lane_.end - lane_.base) / MOST_LEFT) return false;
    block_.state.restore(lane_);
    lane_.column_elements += block_.elements;
    once(lane_.group, [&] {
      frame.next = block_.elements;
      frame.mark = lane_.top;
      frame.weight = block_.held;
      frame.sorted = block_.sorted;
      frame.holds_empty_set = block_.holds_empty_set;
    });
    return true;
  }

 private:
  // What has been done before a block.
  struct Done {
    Checkpoint state;
    u32 elements;
    u64 held;
    u32 sorted;
    bool holds_empty_set;
  };

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
    if (is_drawing_) return lane_.release(mark);
    switch (loop_.hold) {
      case Hold::first_kept: {
        const u32 first = first_kept(count, result);
        if (lane_.failed()) return;
        if (first + 1 < count) {  // the elements behind it do not count: the block runs again without them
          block_.state.restore(lane_);
          columns_.used = used;
          conditions(results(from, first + 1), first + 1);
          if (lane_.failed()) return;
        }
        lane_.release(mark);
        if (first < count) found = value_at(lane_, frame_.args[loop_.at.container], from + first);
        return;
      }
      case Hold::kept_elements:
        keep(from, count, result);
        if (!lane_.failed()) lane_.release(mark);
        return;
      default: break;
    }
    if (gathers_ && is_gathered(from, count, result)) return lane_.release(mark);
    collect(count, result);
  }

  // Whether the results of a block are noted as numbers. All blocks must agree on that.
  CALLED bool is_gathered(u32 from, u32 count, u8 result) {
    const Column& column = columns_[result];
    const Gathered what = gathered_of(columns_, column);
    if (from == 0) gathered_ = what == Gathered::cells && into_tuple() ? Gathered::values : what;
    if (gathered_ == Gathered::values) return gathers_ = false;
    if (what != gathered_) {
      lane_.fail(Status::overflow);
      return false;
    }
    const Leaves leaves = leaves_of(columns_, column);
    for (u32 k = 0; k < leaves.count; ++k) note(k, leaves.numbers[k], from, count);
    pay_for_results(u64(count) * column.weight);
    return true;
  }

  // The column of the function's results for a block.
  CALLED u8 results(u32 from, u32 count) {
    load_elements(from, count);
    for (u32 r = code_->inputs; r < code_->count && !lane_.failed(); ++r) {
      if (code_->registers[r].source != Source::step) continue;
      if (is_drawing_ && r == drawn_) is_drawing_ = noted(from, count);
      if (is_drawing_ && (r == drawn_ || r == code_->result)) continue;
      put(r, step(r, count));
    }
    lane_.calls += u64(count) * code_->calls;
    if (lane_.calls > lane_.limits.calls) lane_.fail(Status::CALLS);
    return lane_.failed() || is_drawing_ ? NO_COLUMN : places_[code_->result];
  }

  HOST_DEVICE u8 step(u32 r, u32 count) {
    const Register& it = code_->registers[r];
    StepColumns at{{}, count};
    const u32 op = it.op, arity = op == MATCH ? 2 : OPS[op].arity;
    for (u32 k = 0; k < arity; ++k) at.args[k] = places_[it.args[k]];
    const u32 used = columns_.used;
    const u8 made = admits_columns(op, it.args) ? run_kernel(columns_, BODIES[op], at) : NO_COLUMN;
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

  // Whether the kernel of an op serves one that restricts it: all elements of a column of numbers are alike.
  HOST_DEVICE bool admits_columns(u32 op, const u8* args) const {
    if (BODIES[op] == op) return true;
    for (u32 k = 0; k < OPS[op].arity; ++k) {
      const Value any = any_of_column(columns_, columns_[places_[args[k]]]);
      const ParamRecord& param = OPS[op].params[k];
      if (!any.exists() || !admits(param.type, any) || param.need == Need::nonzero) return false;
      if (param.need == Need::filled && lacks(param.type, any)) return false;
    }
    return true;
  }

  HOST_DEVICE u32 weight_of_all(const Column& column) const {
    return column.shape == Shape::values ? weight_of(column.values[0]) : column.weight;
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

  // The conditions of a block; null, with the lane failed, if one is no Integer.
  CALLED const i32* conditions(u8 result, u32 count) {
    if (lane_.failed()) return nullptr;
    if (columns_[result].shape != Shape::integers) lane_.fail(Status::TYPE);
    lane_.spend(u64(COLLECT_WORK) * count);
    return lane_.failed() ? nullptr : columns_[result].numbers;
  }

  // The place of the first element for which the condition holds, or `count`.
  HOST_DEVICE u32 first_kept(u32 count, u8 result) {
    const i32* holds = conditions(result, count);
    if (!holds) return 0;
    return u32(min_of(lane_.group, count, count, [&](u32 k) { return holds[k] ? i64(k) : i64(count); }));
  }

  // Room on the lane's stack for the results of a block; null, with the lane failed, if there is none.
  HOST_DEVICE Value* room_for(u32 count) {
    if (lane_.stack_size - lane_.stack_top < count) {
      lane_.fail(Status::overflow);
      return nullptr;
    }
    return lane_.stack + lane_.stack_top;
  }

  // If numbers are enough to make the op's result from, make room to note those of all elements: the results,
  // or the arguments of the last step if what that draws is merged.
  CALLED void make_notes() {
    if (loop_.makes == Makes::other) return;
    const u64 needed = u64(frame_.count) * sizeof(i32) * MOST_NOTED;
    if (needed > u64(lane_.end - lane_.top) / 4) return;
    drawn_ = loop_.makes == Makes::merger && !into_tuple() ? drawn_register() : NO_REGISTER;
    if (loop_.makes == Makes::merger && drawn_ == NO_REGISTER) return;
    for (u32 k = 0; k < MOST_NOTED; ++k) noted_[k] = scratch_.template array<i32>(frame_.count);
    gathers_ = loop_.makes == Makes::container;
    is_drawing_ = !gathers_;
    if (is_drawing_)
      drawing_ = {BODIES[code_->registers[drawn_].op], frame_.count, noted_, nullptr, NO_VALUE};
  }

  // The step whose patches are merged: the last one, or the one before if that is only recoloured.
  HOST_DEVICE u8 drawn_register() const {
    const u8 last = code_->result;
    if (draws(last)) return last;
    const Register& it = code_->registers[last];
    if (it.source != Source::step || it.op != number::recolor_) return NO_REGISTER;
    if (!draws(it.args[1]) || code_->registers[it.args[1]].uses > 1) return NO_REGISTER;
    const bool is_later = it.args[0] > it.args[1];  // the colour is wanted where the step is noted
    if (is_later && code_->registers[it.args[0]].source != Source::captured) return NO_REGISTER;
    for (u32 r = it.args[1] + 1; r < last; ++r) {  // no other step may want it
      if (code_->registers[r].source == Source::step) return NO_REGISTER;
    }
    return it.args[1];
  }

  HOST_DEVICE bool draws(u8 r) const {
    const Register& it = code_->registers[r];
    return it.source == Source::step && drawn_by(BODIES[it.op]) != Drawn::nothing;
  }

  HOST_DEVICE bool into_tuple() const {
    if (loop_.hold == Hold::set_of_results) return false;
    const Gives gives = OPS[frame_.op].gives;
    return gives == Gives::tuple || (gives == Gives::as_given && is_tuple(frame_.args[loop_.at.container]));
  }

  // Note the arguments of the step that draws, for a block. False if it does not draw what they are: it is
  // then taken as any other, or the lane fails if other blocks have been noted already.
  CALLED bool noted(u32 from, u32 count) {
    const Register& it = code_->registers[drawn_];
    const OpRecord& record = OPS[it.op];
    const bool moves = drawing_.op == number::shift_;
    u64 cost = 0;
    u32 used = 0;
    bool fits = admits_columns(it.op, it.args);
    for (u32 k = 0; k < record.arity && fits; ++k) {
      const Column& column = columns_[places_[it.args[k]]];
      cost += u64(record.argument_work[k]) * weight_of_all(column);
      if (is_locations(columns_, column)) {
        note(used++, columns_[column.first].numbers, from, count);
        note(used++, columns_[column.last].numbers, from, count);
        continue;
      }
      fits = k == 0 && moves && column.is_uniform && is_drawable(column.values[0]);
      if (fits) drawing_.patch = column.values[0];
    }
    fits = fits && used == (record.arity == 2 && !moves ? 4u : 2u) && moves == drawing_.patch.exists();
    if (fits && drawn_ != code_->result) fits = noted_colors(from, count);
    if (fits) return lane_.spend(cost * count);
    if (from > 0) lane_.fail(Status::overflow);
    return false;
  }

  // Note the colours of what is drawn.
  HOST_DEVICE bool noted_colors(u32 from, u32 count) {
    const Column& column = columns_[places_[code_->registers[code_->result].args[0]]];
    if (column.shape != Shape::integers || drawing_.patch.has_form(Form::cells)) return false;
    note(MOST_NOTED - 1, column.numbers, from, count);
    drawing_.colors = noted_[MOST_NOTED - 1];
    return true;
  }

  HOST_DEVICE static bool is_drawable(Value patch) {
    return patch.has_form(Form::locations) || patch.has_form(Form::cells);
  }

  CALLED void note(u32 place, const i32* numbers, u32 from, u32 count) {
    i32* to = noted_[place] + from;
    each(lane_.group, count, [&](u32 k) { to[k] = numbers[k]; });
  }

  // The result of an op that merges what was drawn.
  CALLED Value drawn() {
    DrawnCount drawn{0, 0};
    const Value result = drawn_set(lane_, drawing_, drawn);
    if (lane_.failed()) return NO_VALUE;
    const OpRecord& record = OPS[code_->registers[drawn_].op];
    const bool recolored = drawn_ != code_->result, colored = drawing_.is_colored();
    const auto weight = [&](bool cells) {  // of the results of all elements, each of which weighs 1 itself
      return frame_.count + patch_weight(cells, drawn.total) - 1;
    };
    u64 cost = record.result_work * weight(colored && !recolored) + COLLECT_WORK * weight(colored);
    if (recolored) {
      const OpRecord& recolor = OPS[number::recolor_];
      cost += u64(recolor.argument_work[0]) * frame_.count + recolor.argument_work[1] * weight(false) +
              recolor.result_work * weight(true);
    }
    if (!lane_.admits(patch_weight(colored, drawn.most), 3)) return NO_VALUE;
    if (1 + weight(colored) > lane_.limits.items) return lane_.fail(Status::overflow);
    lane_.spend(cost);
    return ended_with(result);
  }

  // The container of the results that were noted.
  CALLED Value container() {
    return ended_with(container_of(lane_, gathered_, noted_, frame_.count, into_tuple()));
  }

  HOST_DEVICE Value ended_with(Value result) {
    return OPS[frame_.op].selects || lane_.failed() ? result : judged(lane_, result);
  }

  // Push the positions of the elements for which the condition holds.
  CALLED void keep(u32 from, u32 count, u8 result) {
    const i32* holds = conditions(result, count);
    Value* kept = holds ? room_for(count) : nullptr;
    if (!kept) return;
    lane_.stack_top += compact(
        lane_.group, count, [&](u32 k) { return holds[k] != 0; },
        [&](u32 place, u32 k) { kept[place] = integer_value(from + k); });
    // Elements that are kept never weigh more than all of them do.
    if (weight_of(frame_.args[loop_.at.container]) > lane_.limits.items) lane_.fail(Status::SIZE);
  }

  // Push the results of a block.
  CALLED void collect(u32 count, u8 result) {
    const bool into_set = collects_set(frame_.op, frame_.args);
    const Column& column = columns_[result];
    const Value* values = column.values;
    const u64 weight = column.shape == Shape::values
                           ? u64(sum_of(lane_.group, count, [&](u32 k) { return i64(weight_of(values[k])); }))
                           : u64(count) * column.weight;
    if (!lane_.spend(COLLECT_WORK * weight)) return;
    const auto is_too_heavy = [&](u64 more) { return held_ + more > lane_.limits.items; };
    if (into_set && is_too_heavy(weight)) make_distinct();
    const u32 base = lane_.stack_top;
    Value* results = lane_.failed() ? nullptr : room_for(count);
    if (!results) return;
    u32 pushed = count;
    if (column.shape == Shape::values) {
      pushed = compact(
          lane_.group, count, [&](u32 k) { return !into_set || !values[k].same_word(EMPTY_SET); },
          [&](u32 place, u32 k) { results[place] = values[k]; });
      if (pushed < count && !holds_empty_set_) {  // `{}` is common, and once is enough
        once(lane_.group, [&] { results[pushed] = EMPTY_SET; });
        holds_empty_set_ = true;
        ++pushed;
      }
    } else {
      write_values(columns_, result, count, results);
    }
    if (lane_.failed()) return;
    lane_.stack_top += pushed;
    u64 more = sorted_ > 0 ? weight_of_new(results, pushed) : weight - (count - pushed);
    if (into_set && is_too_heavy(more)) more = collapsed(lane_, base) - 1;
    if (is_too_heavy(more)) lane_.fail(Status::SIZE);
    held_ += more;
  }

  // Sort the results of earlier blocks and drop repeated ones, for their exact weight.
  HOST_DEVICE void make_distinct() {
    if (sorted_ == lane_.stack_top - frame_.base) return;
    held_ = collapsed(lane_, frame_.base);
    sorted_ = lane_.stack_top - frame_.base;
    block_.held = held_;
    block_.sorted = sorted_;
    block_.state.stack_top = lane_.stack_top;
  }

  // Drop those of the results pushed last that are among the sorted ones; the weight of the others.
  HOST_DEVICE u64 weight_of_new(Value* results, u32 count) {
    u64 weight = 0;
    u32 kept = 0;
    for (u32 k = 0; k < count && !lane_.failed(); ++k) {
      const Value v = results[k];
      if (found_in(lane_, lane_.stack + frame_.base, sorted_, v)) continue;
      once(lane_.group, [&] { results[kept] = v; });
      ++kept;
      weight += weight_of(v);
    }
    lane_.stack_top -= count - kept;
    return weight;
  }

  // What it costs to collect results of this weight, which must not pass the limit of what an op may hold.
  HOST_DEVICE void pay_for_results(u64 weight) {
    held_ += weight;
    lane_.spend(COLLECT_WORK * weight);
    if (held_ > lane_.limits.items) lane_.fail(Status::SIZE);
  }

  Lane<Group>& lane_;
  const Frame& frame_;
  const Loop& loop_;
  Scratch<Group>& scratch_;
  Columns<Group> columns_;
  const StraightLine* code_ = nullptr;
  u8* places_ = nullptr;  // the column of each register
  InnerLoop** inner_ = nullptr;  // by register
  u64 held_ = 1;  // the weight of the results
  u32 sorted_ = 0;  // how many of them are sorted and distinct
  bool holds_empty_set_ = false;  // among them
  Done block_;
  bool has_run_bodies_ = false;  // not only kernels
  i32* noted_[MOST_NOTED];  // numbers of all elements
  bool gathers_ = false;  // results are noted, as far as blocks have shown
  Gathered gathered_ = Gathered::values;  // the kind of results that are noted
  bool is_drawing_ = false;  // what a step draws is merged, and its arguments are noted
  u8 drawn_ = NO_REGISTER;  // the register of that step
  Drawing drawing_;
};

// Run the op of the uppermost frame in columns, to its end. False if that cannot be: the machine then goes on
// at the frame's next element.
template <class Group>
HOST_DEVICE bool run_columns(Lane<Group>& lane, Frame& frame, Value& result) {
  if (lane.columns == ColumnMode::never || !has_columns(LOOPS[frame.op])) return false;
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
