#include "search/search.h"

#include <unordered_map>

namespace arcbatt::search {
namespace {

constexpr u64 FIRST_MILESTONE = 4096;
constexpr u32 MILESTONES = 12, BETWEEN_MILESTONES = 4;  // each a multiple of the one before
constexpr Effort WHOLE{24, 12, 5, 6}, IN_PART{6, 6, 3, 0};

std::vector<u64> milestones() {
  std::vector<u64> made{FIRST_MILESTONE};
  while (made.size() < MILESTONES) made.push_back(made.back() * BETWEEN_MILESTONES);
  return made;
}

// An explanation this cheap is not going to be beaten by much of what is left.
bool is_cheap(const std::vector<Explanation>& best, u32 demos, u32 level) {
  return !best.empty() && best[0].demos == demos && best[0].cost <= 2 * level + 4;
}

// Copies the states that explanations need, and makes the explanations name the copies.
class Excerpt {
 public:
  Excerpt(const States& states, const Templates& templates, std::vector<State>& copies)
      : states_(states), templates_(templates), copies_(copies) {}

  u32 place_of(u32 state) {
    const auto known = places_.find(state);
    if (known != places_.end()) return known->second;
    State copy = states_[state];
    for (u32 k = 0; k < templates_.all[copy.made_by].hole_count; ++k) copy.args[k] = place_of(copy.args[k]);
    copies_.push_back(copy);
    return places_[state] = u32(copies_.size()) - 1;
  }

 private:
  const States& states_;
  const Templates& templates_;
  std::vector<State>& copies_;
  std::unordered_map<u32, u32> places_;
};

}  // namespace

Found search(const Templates& templates, const Problem& problem, const Limits& limits, const Budget& budget,
             u32 most_explanations, const u32* stop) {
  const double started = thread_seconds();
  const Target target(problem.outputs);
  const u32 demos = u32(problem.outputs.size());
  // A quarter of the memory is for the explanation of outputs.
  const u64 for_layers = budget.memory / 4;
  Enumeration enumeration(templates, problem, limits,
                          {budget.steps, budget.seconds, budget.memory - for_layers}, stop);
  Explainer explainer(enumeration, templates, target, stop);
  const bool can_explain = demos > 0 && target.is_plain;
  double explaining = 0;
  const auto explain = [&] {
    if (!can_explain) return false;
    const double before = thread_seconds();
    const bool found = explainer.explain(WHOLE, for_layers);
    explaining += thread_seconds() - before;
    return found && is_cheap(explainer.best(1), demos, enumeration.level());
  };
  const SearchEnd end = enumeration.run(milestones(), explain);
  Found found{};
  found.enumerating = enumeration.seconds() - explaining;
  if (end != SearchEnd::fitted && end != SearchEnd::stopped) explain();
  if (can_explain && end != SearchEnd::stopped) explainer.explain_in_part(IN_PART);
  found.explanations = explainer.best(most_explanations);
  Excerpt excerpt(enumeration.states(), templates, found.states);
  for (Explanation& explanation : found.explanations) {
    for (Layer& layer : explanation.layers) {
      layer.state = excerpt.place_of(layer.state);
      if (layer.color_state != NO_STATE) layer.color_state = excerpt.place_of(layer.color_state);
      if (layer.other != NO_STATE) layer.other = excerpt.place_of(layer.other);
    }
  }
  found.end = end;
  found.steps = enumeration.steps();
  found.vectors = enumeration.states().size();
  found.failures = enumeration.failures();
  found.bytes = enumeration.bytes() + explainer.bytes();
  found.layers = explainer.layer_count();
  found.level = enumeration.level();
  found.seconds = thread_seconds() - started;
  return found;
}

}  // namespace arcbatt::search
