// Columns for the ops that apply functions: the code of a function runs step by step over a block of
// elements.
//
// A column never fails. Where an element would, where a limit could be passed, or where memory is out, what
// the columns did is undone, and the machine makes the applications one after the other: it finds the same
// value, or the failure at its exact place.
#pragma once

#include "columns/kernels.h"
#include "columns/straight_line.h"
#include "dispatch.h"

namespace arcbatt {

// Column k of the elements of a container: those at position(0), ..., position(count - 1).
template <class Group, class Position>
HOST_DEVICE u8 load(Columns<Group>& columns, Value container, u32 count, Position position) {
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

// The run of one op that applies functions, in columns.
template <class Group>
class ColumnRun {
 public:
  HOST_DEVICE ColumnRun(Lane<Group>& lane, Frame& frame, Scratch<Group>& scratch)
      : lane_(lane), frame_(frame), loop_(LOOPS[frame.op]), scratch_(scratch),
        columns_{lane, scratch, nullptr, 0} {}

  // Whether all applications were made: their results are on the lane's stack, or `found` is the element.
  HOST_DEVICE bool run(Value& found) {
    if (!compiled() || !within_limits()) return false;
    columns_.length = least(frame_.count, BLOCK);
    columns_.columns = scratch_.template array<Column>(MOST_COLUMNS);
    places_ = scratch_.template array<u8>(MOST_REGISTERS);
    if (lane_.failed()) return false;
    load_captured();
    const u32 captured = columns_.used;
    const u64 calls = lane_.calls;
    for (u32 from = 0; from < frame_.count && !lane_.failed() && !found.exists(); from += columns_.length) {
      Scratch<Group> block(lane_);
      columns_.used = captured;
      const u32 count = u32(least(columns_.length, frame_.count - from));
      if (lane_.group.is_set(lane_.stop)) lane_.fail(Status::stopped);
      run_block(from, count, found);
    }
    if (lane_.failed()) return false;
    if (!found.exists()) lane_.calls = calls + u64(frame_.count) * code_->calls;
    return lane_.work <= lane_.limits.work;
  }

 private:
  HOST_DEVICE bool compiled() {
    code_ = reinterpret_cast<StraightLine*>(scratch_.template array<u8>(sizeof(StraightLine)));
    Compiled* open = scratch_.template array<Compiled>(MOST_NESTED);
    if (lane_.failed()) return false;
    const u32 inputs = loop_.over == Over::pairs || loop_.over == Over::product ? 2 : 1;
    once(lane_.group, [&] { Compiler{*code_, open}.compile(frame_.args[loop_.at.function], inputs); });
    return code_->is_whole;
  }

  HOST_DEVICE bool within_limits() const {
    return lane_.depth + code_->depth < lane_.limits.depth &&
           lane_.calls + u64(frame_.count) * code_->calls <= lane_.limits.calls;
  }

  HOST_DEVICE void put(u32 place, u8 column) {
    once(lane_.group, [&] { places_[place] = column; });
  }

  HOST_DEVICE void load_captured() {
    for (u32 r = 0; r < code_->count && !lane_.failed(); ++r) {
      if (code_->registers[r].source != Source::captured) continue;
      put(r, columns_.add_uniform(&code_->registers[r].captured));
    }
  }

  HOST_DEVICE void load_elements(u32 from, u32 count) {
    const Value container = frame_.args[loop_.at.container];
    if (loop_.over == Over::product) {
      const Value other = frame_.args[loop_.at.container + 1];
      const u32 row = count_of(container);
      put(0, load(columns_, container, count, [&](u32 k) { return (from + k) % row; }));
      if (!lane_.failed()) put(1, load(columns_, other, count, [&](u32 k) { return (from + k) / row; }));
      return;
    }
    const auto position = [&](u32 k) { return from + k; };
    put(0, load(columns_, container, count, position));
    if (loop_.over != Over::pairs || lane_.failed()) return;
    put(1, load(columns_, frame_.args[loop_.at.container + 1], count, position));
  }

  HOST_DEVICE void run_block(u32 from, u32 count, Value& found) {
    u8* mark = lane_.top;
    const u64 work = lane_.work;
    u8 result = results(from, count);
    if (lane_.failed()) return;
    if (loop_.hold == Hold::first_kept) return find(from, count, result, mark, work, found);
    if (loop_.hold == Hold::kept_elements) {
      keep(from, count, result);
      if (!lane_.failed()) lane_.release(mark);
      return;
    }
    collect(count, result);
  }

  // The column of the function's results for a block.
  HOST_DEVICE u8 results(u32 from, u32 count) {
    load_elements(from, count);
    for (u32 r = code_->inputs; r < code_->count && !lane_.failed(); ++r) {
      if (code_->registers[r].source == Source::step) put(r, step(code_->registers[r], count));
    }
    return lane_.failed() ? NO_COLUMN : places_[code_->result];
  }

  HOST_DEVICE u8 step(const Register& it, u32 count) {
    StepColumns at{{}, count};
    const u32 op = it.op, arity = op == MATCH ? 2 : OPS[op].arity;
    for (u32 k = 0; k < arity; ++k) at.args[k] = places_[it.args[k]];
    const u32 columns = columns_.used;
    const u8 made = run_kernel(columns_, op, at);
    if (lane_.failed()) return NO_COLUMN;
    if (made != NO_COLUMN) {
      pay(it, at, columns_[made]);
      return made;
    }
    columns_.used = columns;
    return op == MATCH ? matched(it, at) : by_body(it, at, arity);
  }

  HOST_DEVICE u32 weight_of_all(const Column& column) const {
    return column.shape == Shape::values ? weight_of(column.values[0]) : column.weight;
  }

  // What a kernel costs: all elements of a column of numbers weigh the same.
  HOST_DEVICE void pay(const Register& it, const StepColumns& at, const Column& made) {
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

  // The op's body for one element after the other.
  HOST_DEVICE u8 by_body(const Register& it, const StepColumns& at, u32 arity) {
    const Value* values[MOST_PARAMETERS];
    u32 strides[MOST_PARAMETERS];
    for (u32 k = 0; k < arity; ++k) {
      values[k] = values_of(columns_, at.args[k], at.count);
      strides[k] = columns_[at.args[k]].is_uniform ? 0 : 1;
      if (lane_.failed()) return NO_COLUMN;
    }
    Value* results = columns_.new_values();
    if (!results) return NO_COLUMN;
    const u64 before = lane_.work;
    for (u32 n = 0; n < at.count; ++n) {
      Value args[MOST_PARAMETERS];
      for (u32 k = 0; k < arity; ++k) args[k] = values[k][n * strides[k]];
      u8* mark = lane_.top;
      Value made = run_first_order(lane_, it.op, args, arity);
      if (!lane_.failed()) made = reclaimed(lane_, mark, made);
      if (lane_.failed()) return NO_COLUMN;
      once(lane_.group, [&] { results[n] = made; });
    }
    lane_.spend((lane_.work - before) * (it.uses - 1));
    return narrowed(columns_, columns_.add_values(results), at.count);
  }

  // Whether each value is equal to a captured one.
  HOST_DEVICE u8 matched(const Register& it, const StepColumns& at) {
    const Value* values = values_of(columns_, at.args[0], at.count);
    if (!values) return NO_COLUMN;
    const Value wanted = columns_[at.args[1]].values[0];
    i32* same = columns_.new_numbers();
    if (!same) return NO_COLUMN;
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
  HOST_DEVICE const i32* conditions(u8 result, u32 count) {
    if (columns_[result].shape != Shape::integers) lane_.fail(Status::TYPE);
    lane_.spend(u64(COLLECT_WORK) * count);
    return lane_.failed() ? nullptr : columns_[result].numbers;
  }

  // Push the positions of the elements for which the condition holds.
  HOST_DEVICE void keep(u32 from, u32 count, u8 result) {
    const i32* holds = conditions(result, count);
    if (!holds) return;
    if (lane_.stack_size - lane_.stack_top < count) {
      lane_.fail(Status::overflow);
      return;
    }
    Value* kept = lane_.stack + lane_.stack_top;
    lane_.stack_top += compact(
        lane_.group, count, [&](u32 k) { return holds[k] != 0; },
        [&](u32 place, u32 k) { kept[place] = integer_value(from + k); });
    if (weight_of(frame_.args[loop_.at.container]) > lane_.limits.items) lane_.fail(Status::SIZE);
  }

  // Find the first element for which the condition holds. The elements behind it do not count, so the block
  // runs again without them.
  HOST_DEVICE void find(u32 from, u32 count, u8 result, u8* mark, u64 work, Value& found) {
    const i32* holds = conditions(result, count);
    if (!holds) return;
    const u32 first =
        u32(min_of(lane_.group, count, count, [&](u32 k) { return holds[k] ? i64(k) : count; }));
    if (first + 1 < count) {
      lane_.work = work;
      lane_.release(mark);
      results(from, first + 1);
      if (!lane_.failed()) lane_.spend(u64(COLLECT_WORK) * (first + 1));
    }
    if (lane_.failed()) return;
    lane_.release(mark);
    if (first == count) return;
    lane_.calls += u64(from + first + 1) * code_->calls;
    found = value_at(lane_, frame_.args[loop_.at.container], from + first);
  }

  // Push the results of a block.
  HOST_DEVICE void collect(u32 count, u8 result) {
    const Value* values = values_of(columns_, result, count);
    if (!values) return;
    if (lane_.stack_size - lane_.stack_top < count) {
      lane_.fail(Status::overflow);
      return;
    }
    Value* results = lane_.stack + lane_.stack_top;
    each(lane_.group, count, [&](u32 k) { results[k] = values[k]; });
    lane_.stack_top += count;
    const u64 weight = u64(sum_of(lane_.group, count, [&](u32 k) { return i64(weight_of(values[k])); }));
    if (!lane_.spend(COLLECT_WORK * weight)) return;
    const u64 held = frame_.weight + weight;
    once(lane_.group, [&] { frame_.weight = held; });
    if (held > lane_.limits.items) lane_.fail(Status::SIZE);
  }

  Lane<Group>& lane_;
  Frame& frame_;
  const Loop& loop_;
  Scratch<Group>& scratch_;
  Columns<Group> columns_;
  StraightLine* code_ = nullptr;
  u8* places_ = nullptr;  // the column of each register
};

// Whether the applications of an op may be made in columns.
HOST_DEVICE inline bool has_columns(const Loop& loop, const Value* args) {
  return loop.over != Over::functions && loop.over != Over::samples &&
         loop.hold != Hold::elements_of_results && !is_empty(args[loop.at.container]);
}

// Make all applications of the uppermost frame's op in columns. False if that cannot be: then nothing has
// changed.
template <class Group>
CALLED bool run_columns(Lane<Group>& lane, Frame& frame, Value& found) {
  if (!has_columns(LOOPS[frame.op], frame.args)) return false;
  u8* const top = lane.top;
  const u64 calls = lane.calls, work = lane.work;
  bool done = false;
  {
    Scratch<Group> scratch(lane);
    done = ColumnRun<Group>(lane, frame, scratch).run(found);
  }
  if (done) return true;
  lane.status = Status::ok;
  lane.calls = calls;
  lane.work = work;
  lane.stack_top = frame.base;
  found = NO_VALUE;
  once(lane.group, [&] { frame.weight = 1; });
  lane.release(top);
  return false;
}

}  // namespace arcbatt
