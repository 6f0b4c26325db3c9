// The accounts of programs that ran together: which of them are over a limit, and how these end. Host only.
#pragma once

#include <vector>

#include "threads/plan.h"

namespace arcbatt {

class ProgramAccounts {
 public:
  // After nodes ran on a sample, in topological order; asked for programs whose nodes have all run.
  ProgramAccounts(const Plan& plan, const ThreadSteps& steps, const Limits& limits,
                  const std::vector<u32>& nodes)
      : plan_(plan), steps_(steps), limits_(limits), bounds_(plan.nodes.size()) {
    for (u32 node : nodes) {
      Account sum = steps.account(node);
      for (u32 k = 0; k < plan.nodes[node].arg_count; ++k)
        sum = total(sum, bounds_[plan.args[plan.nodes[node].first_arg + k]]);
      bounds_[node] = sum;
    }
  }

  bool is_within(u32 root) const {
    if (is_within(bounds_[plan_.roots[root].node])) return true;
    return is_within(account_of(root));
  }

  // Whether a program holds more at its end than it may at any time: values may have to be released before.
  bool is_overdrawn(u32 root) const { return account_of(root).held > limits_.held; }

  // The registers after a program over the limit of work has run by itself; none if the lane cannot go on.
  // Up to the node that passes the limit they are those of the run together; that node fails, and those after
  // it go on without any work left.
  std::vector<Value> ended(Lane<Solo>& lane, u32 root, const Sample& inputs,
                           const std::vector<Value>& together) const {
    std::vector<Value> registers = together;
    u64 spent = 0;
    bool goes_on = true;
    for (u32 node : sequence(root)) {
      const bool is_over = spent > limits_.work;
      spent += steps_.account(node).spent;
      if (spent <= limits_.work) continue;
      lane.work = lane.carried = limits_.work + 1;
      if (is_over) goes_on = run_node(lane, steps_.batt(), node, inputs, registers.data());
      else settle(lane, steps_.batt(), node, registers.data(), failure_value(u32(Status::CALLS), node));
      if (!goes_on) break;
    }
    lane.carried = 0;
    if (!goes_on) return {};
    lane.status = Status::ok;
    return registers;
  }

 private:
  // The nodes of a program in the order in which it runs by itself.
  std::vector<u32> sequence(u32 root) const { return plan_.needed({root}, FailureMode::fail); }

  Account account_of(u32 root) const {
    Account sum{0, 0};
    for (u32 node : sequence(root)) sum = total(sum, steps_.account(node));
    return sum;
  }

  bool is_within(const Account& account) const {
    return account.held <= limits_.held && account.spent <= limits_.work;
  }

  static constexpr u64 MOST = u64(1) << 62;
  static Account total(const Account& a, const Account& b) {
    const u64 held = a.held + b.held, spent = a.spent + b.spent;
    return {held < MOST ? held : MOST, spent < MOST ? spent : MOST};
  }

  const Plan& plan_;
  const ThreadSteps& steps_;
  const Limits limits_;
  std::vector<Account> bounds_;  // by node: no program that ends there has more on its account
};

}  // namespace arcbatt
