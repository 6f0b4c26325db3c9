// Notes: the numbers of all elements, from which an op's result is made without values for single elements.
#pragma once

#include "columns/gathering.h"
#include "columns/merging.h"
#include "columns/straight_line.h"

namespace arcbatt {

template <class Group>
class Notes {
 public:
  HOST_DEVICE Notes(Lane<Group>& lane, const Frame& frame, Scratch<Group>& scratch,
                    const Columns<Group>& columns)
      : lane_(lane), frame_(frame), loop_(LOOPS[frame.op]), scratch_(scratch), columns_(columns) {}

  // If numbers are enough to make the op's result from, make room to note those of all elements: the results,
  // or the arguments of the last step if what that draws is merged.
  CALLED void open(const StraightLine& code, const u8* places) {
    code_ = &code;
    places_ = places;
    if (loop_.makes == Makes::other) return;
    const u64 needed = u64(frame_.count) * sizeof(i32) * MOST_NOTED;
    if (needed > u64(lane_.end - lane_.top) / 4) return;
    drawn_ = loop_.makes == Makes::merger && !into_tuple() ? drawn_register() : NO_REGISTER;
    if (loop_.makes == Makes::merger && drawn_ == NO_REGISTER) return;
    for (u32 k = 0; k < MOST_NOTED; ++k) noted_[k] = scratch_.template array<i32>(frame_.count);
    may_gather_ = loop_.makes == Makes::container;
    is_drawing_ = !may_gather_;
    if (is_drawing_)
      drawing_ = {BODIES[code_->registers[drawn_].op], frame_.count, noted_, nullptr, NO_VALUE};
  }

  // Whether there are any: the op's result is then made of them.
  HOST_DEVICE bool exist() const { return is_drawing_ || gathered_ != Gathered::values; }

  // Whether the patches that a step draws are merged: no column is made for it, nor for the last one.
  HOST_DEVICE bool are_drawn() const { return is_drawing_; }

  // Whether a step is skipped since its arguments, or those of the step it recolours, are noted for a block.
  HOST_DEVICE bool take_over(u32 r, u32 from, u32 count) {
    if (is_drawing_ && r == drawn_) is_drawing_ = noted(from, count);
    return is_drawing_ && (r == drawn_ || r == code_->result);
  }

  // Whether the results of a block are noted as numbers. All blocks must agree on that.
  CALLED bool gather(u32 from, u32 count, u8 result) {
    if (!may_gather_) return false;
    const Column& column = columns_[result];
    const Gathered what = gathered_of(columns_, column);
    if (from == 0) gathered_ = what == Gathered::cells && into_tuple() ? Gathered::values : what;
    if (gathered_ == Gathered::values) return may_gather_ = false;
    if (what != gathered_) {
      lane_.fail(Status::overflow);
      return false;
    }
    const Leaves leaves = leaves_of(columns_, column);
    for (u32 k = 0; k < leaves.count; ++k) note(k, leaves.numbers[k], from, count);
    return true;
  }

  // The op's result.
  HOST_DEVICE Value result() { return is_drawing_ ? drawn() : container(); }

 private:
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

  // Note the arguments of the step that draws, for a block. False if it cannot draw them: the step then runs
  // as any other, or the lane fails if earlier blocks have been noted.
  CALLED bool noted(u32 from, u32 count) {
    const Register& it = code_->registers[drawn_];
    const OpRecord& record = OPS[it.op];
    const bool moves = drawing_.op == number::shift_;
    u64 cost = 0;
    u32 used = 0;
    bool fits = admits_columns(columns_, places_, it.op, it.args);
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
    // A block that passes the limit of work is noted all the same: the op then starts anew, since the machine
    // has no results to go on from.
    if (fits) lane_.spend(cost * count);
    else if (from > 0) lane_.fail(Status::overflow);
    return fits;
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

  Lane<Group>& lane_;
  const Frame& frame_;
  const Loop& loop_;
  Scratch<Group>& scratch_;
  const Columns<Group>& columns_;
  const StraightLine* code_ = nullptr;
  const u8* places_ = nullptr;  // the column of each register
  i32* noted_[MOST_NOTED];  // numbers of all elements
  bool may_gather_ = false;  // results are noted, as far as blocks have shown
  Gathered gathered_ = Gathered::values;  // the kind of results that are noted
  bool is_drawing_ = false;  // what a step draws is merged, and its arguments are noted
  u8 drawn_ = NO_REGISTER;  // the register of that step
  Drawing drawing_;
};

}  // namespace arcbatt
