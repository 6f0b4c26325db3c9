// Running the nodes of a batt in a lane.
#pragma once

#include "bytecode.h"
#include "vm.h"

namespace arcbatt {

enum class FailureMode : u8 { fail, fall_back };

// The inputs of one sample; `comparison` does not exist where no output is known.
struct Sample {
  Value samples, input, comparison;
};

struct BattView {
  const Node* nodes;
  const u32* args;
  const Value* constants;  // by node
  FailureMode mode;
  Value default_function;
  const Value* foreign_defaults;
};

template <class Group>
HOST_DEVICE Value default_value(const BattView& batt, const Node& node) {
  if (node.kind == NodeKind::call) return EMPTY_TUPLE;
  if (is_foreign(node.op)) return batt.foreign_defaults[node.op - number::OP_COUNT];
  switch (OPS[node.op].fallback) {
    case Default::zero: return integer_value(0);
    case Default::empty_set: return EMPTY_SET;
    case Default::function: return batt.default_function;
    default: return EMPTY_TUPLE;
  }
}

constexpr u32 MOST_ARGUMENTS = 16;

// The outcome of an op or call: a value, or the failure of an argument or of its own.
template <class Group>
HOST_DEVICE Value attempt(Lane<Group>& lane, const BattView& batt, u32 place, const Value* registers) {
  const Node& node = batt.nodes[place];
  Value args[MOST_ARGUMENTS];
  for (u32 k = 0; k < node.arg_count; ++k) {
    const Value arg = registers[batt.args[node.first_arg + k]];
    if (is_failure(arg)) return arg;
    if (k < MOST_ARGUMENTS) args[k] = arg;
  }
  const bool is_call = node.kind == NodeKind::call;
  const Value result = node.arg_count > MOST_ARGUMENTS ? lane.fail(Status::TYPE)
                                                       : run_top_level(lane, is_call, node.op, args, node.arg_count);
  return lane.failed() ? failure_value(u32(lane.status), place) : result;
}

// Run one node into its register; false if the lane cannot go on (out of memory, or stopped).
template <class Group>
HOST_DEVICE bool run_node(Lane<Group>& lane, const BattView& batt, u32 place, const Sample& sample, Value* registers) {
  const Node& node = batt.nodes[place];
  lane.status = lane.group.is_set(lane.stop) ? Status::stopped : Status::ok;
  if (lane.failed()) return false;
  Value outcome = NO_VALUE;
  switch (node.kind) {
    case NodeKind::constant: outcome = batt.constants[place]; break;
    case NodeKind::samples: outcome = sample.samples; break;
    case NodeKind::input: outcome = sample.input; break;
    case NodeKind::comparison:
      outcome = sample.comparison.exists() ? sample.comparison : failure_value(u32(Status::TYPE), place);
      break;
    case NodeKind::withheld: outcome = failure_value(u32(Status::TYPE), place); break;
    default:
      outcome = attempt(lane, batt, place, registers);
      if (lane.status == Status::overflow || lane.status == Status::stopped) return false;
      if (is_failure(outcome) && batt.mode == FailureMode::fall_back) outcome = default_value<Group>(batt, node);
  }
  once(lane.group, [&] { registers[place] = outcome; });
  return true;
}

}  // namespace arcbatt
