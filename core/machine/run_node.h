// A batt as bytecode, and the step that runs one of its nodes in a lane.
#pragma once

#include "machine/vm.h"

namespace arcbatt {

// A node of a batt. Nodes are in topological order: arguments come before their users.
struct Node {
  NodeKind kind;
  Stage stage;
  u16 op;         // or the place of a part
  u32 arg_count;
  u32 first_arg;  // into the plan's list of arguments
};

// A register holds a value, or a failure: its status and the node where it arose, tagged as no value.
HOST_DEVICE inline Value failure_value(u32 status, u32 node) {
  return Value{u64(node) << 32 | u64(status) << 8};
}
HOST_DEVICE inline bool is_failure(Value v) { return v.tag() == Tag::none; }
HOST_DEVICE inline u32 failure_status(Value v) { return u32(v.word >> 8 & 255); }
HOST_DEVICE inline u32 failure_node(Value v) { return u32(v.word >> 32); }

// The inputs of one sample; `comparison` does not exist where no output is known, nor does `input` where a
// differ scores a solver that failed.
struct Sample {
  Value samples, input, comparison;
};

// The defaults of an op of the user when it fails: in mode `fall_back`, and in mode `pile` if there is one.
struct ForeignDefault {
  Value fallback, stand_in;
};

struct BattView {
  const Node* nodes;
  const u32* args;
  const Value* constants;  // by node
  u32 node_count;
  FailureMode mode;
  Value default_function;
  const ForeignDefault* foreign_defaults;
};

// The op whose result a node holds: for a call the op that the function is, or CALL for a composite function.
HOST_DEVICE inline u32 op_of(const BattView& batt, const Node& node, const Value* registers) {
  if (node.op != number::CALL) return node.op;
  const Value function = registers[batt.args[node.first_arg]];
  return function.tag() == Tag::primitive ? function_name(function) : u32(number::CALL);
}

HOST_DEVICE inline Value value_of(const BattView& batt, Default what) {
  switch (what) {
    case Default::zero: return integer_value(0);
    case Default::empty_set: return EMPTY_SET;
    case Default::function: return batt.default_function;
    case Default::nothing: return NO_VALUE;
    case Default::empty_tuple: return EMPTY_TUPLE;
  }
  return EMPTY_TUPLE;
}

HOST_DEVICE inline Value default_value(const BattView& batt, u32 op) {
  if (is_foreign(op)) return batt.foreign_defaults[op - number::FIRST_FOREIGN].fallback;
  return value_of(batt, OPS[op].fallback);
}

HOST_DEVICE inline Value stand_in(const BattView& batt, u32 op) {
  if (is_foreign(op)) return batt.foreign_defaults[op - number::FIRST_FOREIGN].stand_in;
  return value_of(batt, OPS[op].stand_in);
}

// The outcome of an op: a value, the failure of an argument, or a failure of its own.
template <class Group>
INLINED Value attempt(Lane<Group>& lane, const BattView& batt, u32 place, const Value* registers) {
  const Node& node = batt.nodes[place];
  const u32* const places = batt.args + node.first_arg;
  const u32 count = node.arg_count;
  Value args[MOST_ARGUMENTS];
  for (u32 k = 0; k < count; ++k) {
    const Value arg = registers[places[k]];
    if (is_failure(arg)) return arg;
    if (k < MOST_ARGUMENTS) args[k] = arg;
  }
  const Value result =
      count > MOST_ARGUMENTS ? lane.fail(Status::TYPE) : run_top_level(lane, node.op, args, count);
  return lane.failed() ? failure_value(u32(lane.status), place) : result;
}

// A `withheld` node, an argument of a line in mode `pile` with a condition of its own: the first argument
// here, if the others, the condition, are ok. A failed argument is replaced by None, which fails at this node
// as an input does, so that the line fails by itself. Without arguments the node is None, or withheld.
HOST_DEVICE inline Value conditional(const BattView& batt, u32 place, const Value* registers) {
  const Node& node = batt.nodes[place];
  const u32* args = batt.args + node.first_arg;
  for (u32 k = 1; k < node.arg_count; ++k) {
    if (is_failure(registers[args[k]])) return registers[args[k]];
  }
  const bool is_there = node.arg_count > 0 && !is_failure(registers[args[0]]);
  return is_there ? registers[args[0]] : failure_value(u32(Status::TYPE), place);
}

// The outcome of a failed line in mode `pile`. A line with an argument that gave nothing did not run, so it
// does not count as failed.
template <class Group>
HOST_DEVICE Value piled(Lane<Group>& lane, const BattView& batt, u32 place, const Value* registers,
                        Value failure) {
  const Node& node = batt.nodes[place];
  for (u32 k = 0; k < node.arg_count; ++k) {
    const Value arg = registers[batt.args[node.first_arg + k]];
    if (is_failure(arg) && batt.nodes[failure_node(arg)].kind >= NodeKind::op) return arg;
  }
  const Value instead = ++lane.failures <= FORGIVEN ? stand_in(batt, op_of(batt, node, registers)) : NO_VALUE;
  return instead.exists() ? instead : failure_value(failure_status(failure), place);
}

// The outcome of a failed node, by the mode.
template <class Group>
HOST_DEVICE Value instead_of(Lane<Group>& lane, const BattView& batt, u32 place, const Value* registers,
                             Value failure) {
  switch (batt.mode) {
    case FailureMode::pile: return piled(lane, batt, place, registers, failure);
    case FailureMode::fall_back: return default_value(batt, op_of(batt, batt.nodes[place], registers));
    case FailureMode::fail: return failure;
  }
  return failure;
}

// The weight that an outcome adds to the held weight of a lane.
INLINED u64 held_by(Value outcome) { return is_failure(outcome) ? 0 : weight_of(outcome); }

// An input that may be unknown.
HOST_DEVICE inline Value known_or_failure(Value input, u32 place) {
  return input.exists() ? input : failure_value(u32(Status::TYPE), place);
}

// Put the outcome of an op, or its replacement if it failed, into its register, and book it on the account.
template <class Group>
INLINED void settle(Lane<Group>& lane, const BattView& batt, u32 place, Value* registers, Value outcome) {
  if (is_failure(outcome)) outcome = instead_of(lane, batt, place, registers, outcome);
  lane.account.held += held_by(outcome);
  lane.account.spent += lane.work - lane.carried;
  once(lane.group, [&] { registers[place] = outcome; });
}

// Run a node that is an op. A lane over the limit of held weight counts as out of memory, and its held weight
// is set beyond the limit.
template <class Group>
INLINED bool run_op(Lane<Group>& lane, const BattView& batt, u32 place, Value* registers) {
  lane.work = lane.carried;
  const Value outcome = attempt(lane, batt, place, registers);
  if (lane.status == Status::overflow || lane.status == Status::stopped) return false;
  if (lane.account.held + held_by(outcome) > lane.limits.held) {
    lane.account.held = lane.limits.held + 1;
    lane.status = Status::overflow;
    return false;
  }
  settle(lane, batt, place, registers, outcome);
  return true;
}

// The outcome of a node that is no op.
template <class Group>
HOST_DEVICE Value given(Lane<Group>& lane, const BattView& batt, u32 place, const Sample& sample,
                        const Value* registers) {
  const Node& node = batt.nodes[place];
  switch (node.kind) {
    case NodeKind::constant: return batt.constants[place];
    case NodeKind::samples: return known_or_failure(sample.samples, place);
    case NodeKind::input: return known_or_failure(sample.input, place);
    case NodeKind::part: return value_at(lane, sample.input, node.op);
    case NodeKind::comparison: return known_or_failure(sample.comparison, place);
    case NodeKind::withheld: return conditional(batt, place, registers);
    case NodeKind::op: break;
  }
  return NO_VALUE;
}

// Run one node into its register; false if the lane cannot go on (out of memory, or stopped).
template <class Group>
CALLED bool run_node(Lane<Group>& lane, const BattView& batt, u32 place, const Sample& sample,
                     Value* registers) {
  lane.status = lane.group.is_set(lane.stop) ? Status::stopped : Status::ok;
  if (lane.failed()) return false;
  if (batt.nodes[place].kind == NodeKind::op) return run_op(lane, batt, place, registers);
  const Value outcome = given(lane, batt, place, sample, registers);
  if (lane.failed()) return false;
  once(lane.group, [&] { registers[place] = outcome; });
  return true;
}

// Whether programs that run together have cost more than one program may: one of them may be over its limit.
// In mode `pile` each line has an account of its own.
template <class Group>
HOST_DEVICE bool is_overspent(const Lane<Group>& lane, const BattView& batt) {
  return batt.mode != FailureMode::pile && lane.account.spent > lane.limits.work;
}

}  // namespace arcbatt
