// Ops that apply functions: what they apply to what, what they hold meanwhile, and what they make of it.
#pragma once

#include "members.h"
#include "reclaim.h"
#include "types.h"

namespace arcbatt {

template <class Group>
CALLED Frame* push_frame(Lane<Group>& lane, u8 kind, const Call& call);

HOST_DEVICE inline bool is_filter(HigherOrder body) {
  return body == HigherOrder::sfilter || body == HigherOrder::mfilter || body == HigherOrder::extract;
}
HOST_DEVICE inline bool is_about_samples(HigherOrder body) {
  return body == HigherOrder::c_iz || body == HigherOrder::c_zo || body == HigherOrder::c_iz_n ||
         body == HigherOrder::c_zo_n;
}
HOST_DEVICE inline bool has_rank(HigherOrder body) {
  return body == HigherOrder::get_nth_by_key || body == HigherOrder::get_arg_rank ||
         body == HigherOrder::get_val_rank;
}

// The places of an op's arguments: the container it goes through, the function, and the rank.
HOST_DEVICE inline u32 container_place(HigherOrder body) {
  return body == HigherOrder::apply || body == HigherOrder::mapply ? 1 : 0;
}
HOST_DEVICE inline u32 function_place(HigherOrder body) {
  switch (body) {
    case HigherOrder::apply:
    case HigherOrder::mapply:
    case HigherOrder::papply:
    case HigherOrder::mpapply:
    case HigherOrder::prapply: return 0;
    case HigherOrder::get_nth_by_key: return 2;
    default: return 1;
  }
}
HOST_DEVICE inline i64 rank_of(HigherOrder body, const Value* args) {
  return args[body == HigherOrder::get_nth_by_key ? 1 : 2].integer();
}

// How many applications an op makes.
HOST_DEVICE inline u64 applications(HigherOrder body, const Value* args) {
  switch (body) {
    case HigherOrder::papply:
    case HigherOrder::mpapply: return least(count_of(args[1]), count_of(args[2]));
    case HigherOrder::prapply: return u64(count_of(args[1])) * count_of(args[2]);
    case HigherOrder::valmax:
    case HigherOrder::valmin: return most(1, count_of(args[0]));
    default: break;
  }
  const u64 count = count_of(args[container_place(body)]);
  return is_about_samples(body) ? 2 * count : count;
}

// Whether results are collected in a Set, where equal ones weigh once.
HOST_DEVICE inline bool collects_set(u32 op, const Value* args) {
  if (OPS[op].gives == Gives::tuple) return false;
  switch (HIGHER_ORDER[op]) {
    case HigherOrder::prapply: return true;
    case HigherOrder::apply:
    case HigherOrder::mapply: return is_set(args[1]);
    case HigherOrder::rapply: return is_set(args[0]);
    default: return false;
  }
}

// Set the call of the application that is next.
template <class Group>
CALLED void set_call(Lane<Group>& lane, const Frame& frame, Call& call) {
  const HigherOrder body = HIGHER_ORDER[frame.op];
  const Value* args = frame.args;
  const u32 k = frame.next;
  call.count = 1;
  switch (body) {
    case HigherOrder::rapply:
      call.function = value_at(lane, args[0], k);
      call.args[0] = args[1];
      return;
    case HigherOrder::papply:
    case HigherOrder::mpapply:
      call.function = args[0];
      call.args[0] = value_at(lane, args[1], k);
      call.args[1] = value_at(lane, args[2], k);
      call.count = 2;
      return;
    case HigherOrder::prapply: {
      const u32 inner = count_of(args[1]);
      call.function = args[0];
      call.args[0] = value_at(lane, args[1], k % inner);
      call.args[1] = value_at(lane, args[2], k / inner);
      call.count = 2;
      return;
    }
    default: break;
  }
  call.function = args[function_place(body)];
  const Value container = args[container_place(body)];
  if (is_about_samples(body)) {
    const u32 samples = count_of(container);
    const Value pair = value_at(lane, container, k % samples);
    call.args[0] = value_at(lane, pair, k / samples);
  } else {
    call.args[0] = is_empty(container) ? integer_value(0) : value_at(lane, container, k);
  }
}

template <class Group>
HOST_DEVICE bool push_value(Lane<Group>& lane, Value v) {
  if (lane.stack_top == lane.stack_size) {
    lane.fail(Status::overflow);
    return false;
  }
  once(lane.group, [&] { lane.stack[lane.stack_top] = v; });
  ++lane.stack_top;
  return true;
}

// The results so far sorted and distinct, with their exact weight: for Sets that seem too heavy.
template <class Group>
CALLED void collapse_results(Lane<Group>& lane, Frame& frame) {
  u8* mark = lane.top;
  Value* results = lane.stack + frame.base;
  const u32 count = lane.stack_top - frame.base;
  Value* sorted = lane.template array<Value>(count);
  if (!sorted) return;
  const u32 distinct = sort_values(lane, results, count, sorted);
  if (lane.failed()) return;
  u64 weight = 1;
  for (u32 k = 0; k < distinct; ++k) weight += weight_of(sorted[k]);
  each(lane.group, distinct, [&](u32 k) { results[k] = sorted[k]; });
  lane.stack_top = frame.base + distinct;
  once(lane.group, [&] {
    frame.weight = weight;
    frame.sorted = distinct;
  });
  lane.release(mark);
}

// Take in the result of an application; false, with the failure set, if it may not be.
template <class Group>
HOST_DEVICE bool collect(Lane<Group>& lane, Frame& frame, Value result) {
  const HigherOrder body = HIGHER_ORDER[frame.op];
  if (is_about_samples(body)) {
    if (!is_container(result)) return lane.fail(Status::TYPE).exists();
    const bool outputs_begin = frame.next == frame.count / 2;
    const u64 before = outputs_begin ? 1 : frame.weight;
    once(lane.group, [&] { frame.weight = before + weight_of(result) - 1; });
  } else {
    if (frame.sorted && found_in(lane, lane.stack + frame.base, frame.sorted, result)) {
      lane.release(frame.mark);
      return !lane.failed();
    }
    if (result.same_word(EMPTY_SET) && collects_set(frame.op, frame.args)) {
      if (frame.holds_empty_set) return true;  // common, and once is enough
      once(lane.group, [&] { frame.holds_empty_set = true; });
    }
    once(lane.group, [&] { frame.weight += weight_of(result); });
  }
  if (!push_value(lane, result)) return false;
  if (frame.weight > lane.limits.items && collects_set(frame.op, frame.args)) collapse_results(lane, frame);
  if (frame.weight > lane.limits.items) lane.fail(Status::SIZE);
  return !lane.failed();
}

// Whether an op gives a Tuple for a container.
HOST_DEVICE inline bool gives_tuple(u32 op, Value container) {
  return OPS[op].gives == Gives::as_given ? is_tuple(container) : OPS[op].gives == Gives::tuple;
}

// Kept elements, whose positions are on the stack, in a container of the same kind.
template <class Group>
CALLED Value filtered(Lane<Group>& lane, Value container, const Value* kept, u32 count) {
  if (count == count_of(container)) return container;
  if (count == 0) return is_tuple(container) ? EMPTY_TUPLE : EMPTY_SET;
  if (container.has_form(Form::locations) || container.has_form(Form::cells)) {
    Head* head = new_keys(lane, container.form() == Form::cells, count);
    if (!head) return NO_VALUE;
    const u32* keys = content<u32>(container.head());
    each(lane.group, count, [&](u32 k) { content<u32>(head)[k] = keys[kept[k].integer()]; });
    return heap_value(head);
  }
  Value* elements = lane.template array<Value>(count);
  if (!elements) return NO_VALUE;
  for (u32 k = 0; k < count; ++k) {
    const Value element = value_at(lane, container, u32(kept[k].integer()));
    if (lane.failed()) return NO_VALUE;
    once(lane.group, [&] { elements[k] = element; });
  }
  return make_like(lane, container, elements, count);
}

// Whether all ranking keys are of one kind that can be ranked.
template <class Group>
HOST_DEVICE bool can_be_ranked(Lane<Group>& lane, const Value* keys, u32 count) {
  const int kind = kind_rank(item(keys[0]));
  const auto is_like = [&](u32 k) { return kind_rank(item(keys[k])) == kind; };
  const bool alike = kind != 3 && all_of(lane.group, count, is_like);
  if (!alike) lane.fail(Status::TYPE);
  return alike;
}

template <class Group>
CALLED u32 extreme(Lane<Group>& lane, const Value* keys, u32 count, int direction) {
  u32 best = 0;
  for (u32 k = 1; k < count; ++k) {
    if (compare(lane, keys[k], keys[best], OrderRule::rank) == direction) best = k;
  }
  return best;
}

// The positions of the keys in ranking order, stable: ascending for direction -1, descending for 1.
template <class Group>
CALLED u32* ranking(Lane<Group>& lane, const Value* keys, u32 count, int direction) {
  u32* positions = lane.template array<u32>(count);
  if (!positions) return nullptr;
  each(lane.group, count, [&](u32 k) { positions[k] = k; });
  const auto before = [&](u32 a, u32 b) {
    return compare(lane, keys[a], keys[b], OrderRule::rank) == direction;
  };
  return sort_positions(lane, positions, count, before) ? positions : nullptr;
}

template <class Group>
CALLED Value ranked(Lane<Group>& lane, HigherOrder body, const Value* args, const Value* keys, u32 count) {
  const Value container = args[0];
  if (is_empty(container)) return body == HigherOrder::order ? EMPTY_TUPLE : keys[0];
  if (!can_be_ranked(lane, keys, count)) return NO_VALUE;
  switch (body) {
    case HigherOrder::argmax: return value_at(lane, container, extreme(lane, keys, count, 1));
    case HigherOrder::argmin: return value_at(lane, container, extreme(lane, keys, count, -1));
    case HigherOrder::valmax: return keys[extreme(lane, keys, count, 1)];
    case HigherOrder::valmin: return keys[extreme(lane, keys, count, -1)];
    default: break;
  }
  const bool ascending = body == HigherOrder::order || body == HigherOrder::get_nth_by_key;
  const u32* positions = ranking(lane, keys, count, ascending ? -1 : 1);
  if (!positions) return NO_VALUE;
  if (body == HigherOrder::order) {
    Value* elements = lane.template array<Value>(count);
    if (!elements) return NO_VALUE;
    for (u32 k = 0; k < count; ++k) {
      const Value element = value_at(lane, container, positions[k]);
      if (lane.failed()) return NO_VALUE;
      once(lane.group, [&] { elements[k] = element; });
    }
    return make_tuple(lane, elements, count);
  }
  const i64 rank = rank_of(body, args);
  const u32 chosen = positions[rank < 0 ? rank + count : rank];
  return body == HigherOrder::get_val_rank ? keys[chosen] : value_at(lane, container, chosen);
}

// What the results of one half of the samples have that the others lack: each once, in order.
template <class Group>
CALLED Value found_only_in(Lane<Group>& lane, const Value* here, const Value* there, u32 count) {
  const Value mine = merged(lane, true, here, count);
  const Value others = lane.failed() ? NO_VALUE : merged(lane, false, there, count);
  if (lane.failed()) return NO_VALUE;
  const u32 total = count_of(mine);
  Scratch<Group> scratch(lane);
  const Value* elements = elements_of(lane, scratch, mine);
  u32* kept = scratch.template array<u32>(total);
  Value* wanted = scratch.template array<Value>(total);
  if (lane.failed()) return NO_VALUE;
  const u32 distinct = keep_first(lane, elements, total, kept);
  u32 place = 0;
  for (u32 k = 0; k < distinct; ++k) {
    const Value element = elements[kept[k]];
    if (set_holds(lane, others, element)) continue;
    once(lane.group, [&] { wanted[place] = element; });
    ++place;
  }
  return lane.failed() ? NO_VALUE : make_tuple(lane, wanted, place);
}

// What an op makes of its results.
template <class Group>
HOST_DEVICE Value outcome(Lane<Group>& lane, const Frame& frame) {
  const HigherOrder body = HIGHER_ORDER[frame.op];
  const Value* results = lane.stack + frame.base;
  const u32 count = lane.stack_top - frame.base;
  const Value* args = frame.args;
  const bool into_tuple = gives_tuple(frame.op, args[container_place(body)]);
  switch (body) {
    case HigherOrder::apply:
    case HigherOrder::rapply:
      return into_tuple ? make_tuple(lane, results, count) : make_set(lane, results, count);
    case HigherOrder::papply: return make_tuple(lane, results, count);
    case HigherOrder::prapply: return make_set(lane, results, count);
    case HigherOrder::mapply: return merged(lane, into_tuple, results, count);
    case HigherOrder::mpapply: return merged(lane, true, results, count);
    case HigherOrder::sfilter: {
      const Value kept = filtered(lane, args[0], results, count);
      if (lane.failed()) return NO_VALUE;
      return into_tuple ? op_totuple(lane, kept) : as_set(lane, kept);
    }
    case HigherOrder::mfilter: {
      const Value kept = filtered(lane, args[0], results, count);
      if (lane.failed()) return NO_VALUE;
      Scratch<Group> scratch(lane);
      const Value* elements = elements_of(lane, scratch, kept);
      return elements ? merged(lane, into_tuple, elements, count_of(kept)) : NO_VALUE;
    }
    case HigherOrder::extract: return lane.fail(Status::INDEX);
    case HigherOrder::c_iz:
    case HigherOrder::c_iz_n: return found_only_in(lane, results, results + count / 2, count / 2);
    case HigherOrder::c_zo:
    case HigherOrder::c_zo_n: return found_only_in(lane, results + count / 2, results, count / 2);
    default: return ranked(lane, body, args, results, count);
  }
}

constexpr u8 PICKING = 1;  // the phase in which c_iz_n and c_zo_n wait for their second function

// The op of the uppermost frame is over, with this result: no call is asked for.
template <class Group>
HOST_DEVICE bool ended(Lane<Group>& lane, const Frame& frame, Value& result) {
  result = paid(lane, OPS[frame.op], result);
  --lane.frame_top;
  return false;
}

// End an op whose applications are all made: false with its result, or true if it asks for one more call.
template <class Group>
CALLED bool finish(Lane<Group>& lane, Frame& frame, Call& call, Value& result) {
  const HigherOrder body = HIGHER_ORDER[frame.op];
  result = outcome(lane, frame);
  if (lane.failed()) return false;
  lane.stack_top = frame.base;
  if (body == HigherOrder::c_iz_n || body == HigherOrder::c_zo_n) {
    once(lane.group, [&] { frame.phase = PICKING; });
    call.function = frame.args[2];
    call.args[0] = result;
    call.count = 1;
    return true;
  }
  result = reclaimed(lane, frame.start, result);
  if (lane.failed()) return false;
  if (!OPS[frame.op].selects) result = judged(lane, result);
  return ended(lane, frame, result);
}

// Start an op on the arguments of `call`: true if it asks for a call, false if `result` is its own already.
template <class Group>
CALLED bool begin_higher_order(Lane<Group>& lane, u32 op, Call& call, Value& result) {
  if (!check(lane, op, call.args, call.count)) return false;
  if (!lane.spend(work_of_arguments(OPS[op], call.args))) return false;
  const HigherOrder body = HIGHER_ORDER[op];
  if (has_rank(body)) {
    const i64 rank = rank_of(body, call.args), count = count_of(call.args[0]);
    if (rank < -count || rank >= count) return lane.fail(Status::INDEX).exists();
  }
  Frame* frame = push_frame(lane, HIGHER_ORDER_OP, call);
  if (!frame) return false;
  const u64 count = applications(body, call.args);
  once(lane.group, [&] {
    frame->op = u16(op);
    frame->next = 0;
    frame->count = count < 0xffffffffu ? u32(count) : 0xffffffffu;  // no limit allows as many calls
    frame->base = lane.stack_top;
    frame->sorted = 0;
    frame->holds_empty_set = false;
    frame->weight = 1;
    frame->start = lane.top;
    frame->mark = lane.top;
  });
  if (count == 0) return finish(lane, *frame, call, result);
  set_call(lane, *frame, call);
  return true;
}

// Go on after an application: true if it asks for another call, false if `result` is the op's own.
template <class Group>
HOST_DEVICE bool resume_higher_order(Lane<Group>& lane, Frame& frame, Call& call, Value& result) {
  const HigherOrder body = HIGHER_ORDER[frame.op];
  if (!lane.spend(u64(COLLECT_WORK) * weight_of(result))) return false;
  if (frame.phase == PICKING) return ended(lane, frame, result);
  if (is_filter(body)) {
    if (!result.is_integer()) return lane.fail(Status::TYPE).exists();
    lane.release(frame.mark);
    if (result.integer()) {
      const Value element = value_at(lane, frame.args[0], frame.next);
      if (body == HigherOrder::extract) {
        result = element;
        return ended(lane, frame, result);
      }
      once(lane.group, [&] { frame.weight += weight_of(element); });
      if (frame.weight > lane.limits.items) return lane.fail(Status::SIZE).exists();
      if (!push_value(lane, integer_value(frame.next))) return false;
      lane.release(frame.mark);
    }
  } else {
    result = reclaimed(lane, frame.mark, result);
    if (lane.failed() || !collect(lane, frame, result)) return false;
  }
  once(lane.group, [&] {
    ++frame.next;
    frame.mark = lane.top;
  });
  if (frame.next == frame.count) return finish(lane, frame, call, result);
  set_call(lane, frame, call);
  return true;
}

}  // namespace arcbatt
