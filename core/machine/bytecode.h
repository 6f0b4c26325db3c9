// Programs as bytecode: the nodes of a batt in an order in which arguments come before their users.
#pragma once

#include "table.h"

namespace arcbatt {

struct Node {
  NodeKind kind;
  Stage stage;
  u16 op;         // or the place of a part, or the status of a constant that fails
  u32 arg_count;
  u32 first_arg;  // into the plan's list of arguments
};

// A register holds a value or, without a value, how and where the node failed.
HOST_DEVICE inline Value failure_value(u32 status, u32 node) {
  return Value{u64(node) << 32 | u64(status) << 8};
}
HOST_DEVICE inline bool is_failure(Value v) { return v.tag() == Tag::none; }
HOST_DEVICE inline u32 failure_status(Value v) { return u32(v.word >> 8 & 255); }
HOST_DEVICE inline u32 failure_node(Value v) { return u32(v.word >> 32); }

}  // namespace arcbatt
