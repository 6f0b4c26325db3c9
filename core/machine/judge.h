// Judging what a root gave on a sample.
#pragma once

#include "machine/run_node.h"

namespace arcbatt {

struct Root {
  u32 node;
  u32 judged;  // 1: a solver's, compared with the expected output; 0: a differ's. A word: no gap behind it
};

template <class Group>
HOST_DEVICE u8 verdict_of(Lane<Group>& lane, Root root, Value outcome, Value expected) {
  if (is_failure(outcome)) return u8(FAILED + failure_status(outcome));
  if (!root.judged || !expected.exists()) return UNJUDGED;
  return equal(lane, outcome, expected) ? EXACT : WRONG;
}

// What a differ's result is worth: the Integer that a pair begins with.
HOST_DEVICE inline i32 score_of(Root root, Value outcome) {
  if (root.judged || is_failure(outcome) || !is_tuple(outcome) || count_of(outcome) != 2) return NO_SCORE;
  const Item first = element_of(item(outcome), 0);
  return !first.grid && first.value.is_integer() ? i32(first.value.integer()) : NO_SCORE;
}

// Judge what a root gave on a sample: one thread of the group writes the verdict and the score.
template <class Group>
HOST_DEVICE void judge(Lane<Group>& lane, Root root, Value outcome, Value expected, u8& verdict, i32& score) {
  const u8 judged = verdict_of(lane, root, outcome, expected);
  if (lane.group.rank() != 0) return;
  verdict = judged;
  score = score_of(root, outcome);
}

}  // namespace arcbatt
