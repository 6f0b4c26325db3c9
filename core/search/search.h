// The search for programs that explain a task: enumeration, with a look at the outputs at milestones.
#pragma once

#include <vector>

#include "search/explain/explainer.h"

namespace arcbatt::search {

// What a search has found. States are those that the explanations need, arguments before their users.
struct Found {
  std::vector<Explanation> explanations;  // best first; the layers name places in `states`
  std::vector<State> states;
  SearchEnd end;
  u64 steps, vectors, failures, bytes, layers;
  u32 level;
  double seconds, enumerating;  // of CPU: in total, and without explaining
};

Found search(const Templates& templates, const Problem& problem, const Limits& limits, const Budget& budget,
             u32 most_explanations, const u32* stop);

}  // namespace arcbatt::search
