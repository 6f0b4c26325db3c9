// Templates compiled for enumeration: an expression with typed holes is a list of steps over registers.
#pragma once

#include <array>
#include <vector>

#include "calls/call.h"

namespace arcbatt::search {

constexpr u32 MOST_HOLES = MOST_PARAMETERS;
constexpr u32 REGISTERS = 64;  // of a template: its holes, then the results of its steps, 60 at most
constexpr u32 SORTS = u32(Sort::change) + 1;

// A place that a step reads: a register of the template or, from REGISTERS on, a fixed value.
using Source = u32;

struct Step {
  u32 op, count;
  std::array<Source, MOST_ARGUMENTS> args;
};

// A value without holes, which is the same in every application on a sample: a constant, an input, or an
// expression of them. Constants have a value here; the others are computed for each sample of a task.
struct Fixed {
  NodeKind kind;
  Value constant;
  Step step;  // of an op; it reads fixed values alone
};

struct Template {
  u32 cost;
  Sort result;
  u32 hole_count;
  std::array<Sort, MOST_HOLES> holes;
  u32 first_step, step_count;  // step k writes register hole_count + k
  Source root;
};

struct Templates {
  std::vector<Template> all;
  std::vector<Step> steps;
  std::vector<Fixed> fixed;
};

}  // namespace arcbatt::search
