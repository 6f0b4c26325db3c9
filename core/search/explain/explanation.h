// Explanations of outputs, ranked by description length; of those with equal outputs on all test samples the
// best one is kept.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "search/explain/drawing.h"

namespace arcbatt::search {

struct Explanation {
  std::vector<Layer> layers;  // the bottom first
  u32 cost;                   // description length
  u32 demos;                  // how many demo samples it fits
};

constexpr u32 COST_OF_LAYER = 2;    // each layer above the bottom
constexpr u32 COST_OF_RECOLOR = 2;  // each colour that becomes another
constexpr u32 COST_OF_PAIR = 2;     // two regions made one
constexpr u32 COST_OF_RARE = 3;     // a layer that is seen in one demo alone, of several

class Explanations {
 public:
  Explanations(const Enumeration& search, const Templates& templates, u32 demos)
      : search_(search), templates_(templates), demos_(demos) {}

  bool empty() const { return found_.empty(); }

  // Keep an explanation, whose cost is computed here; `extra` comes on top.
  void keep(Explanation explanation, u32 extra) {
    explanation.cost = cost_of(explanation) + extra;
    const std::string outputs = test_outputs(explanation);
    if (outputs.empty()) return;
    const auto [known, is_new] = found_.try_emplace(outputs, explanation);
    if (!is_new && is_better(explanation, known->second)) known->second = explanation;
  }

  // The best explanations, more demo samples and then less cost first.
  std::vector<Explanation> best(u32 count) const {
    std::vector<Explanation> sorted;
    for (const auto& [_, explanation] : found_) sorted.push_back(explanation);
    std::stable_sort(sorted.begin(), sorted.end(), is_better);
    if (sorted.size() > count) sorted.resize(count);
    return sorted;
  }

 private:
  static bool is_better(const Explanation& a, const Explanation& b) {
    return a.demos != b.demos ? a.demos > b.demos : a.cost < b.cost;
  }

  // The cost of all states that an explanation needs, each counted once, and of its layers.
  u32 cost_of(const Explanation& explanation) const {
    std::set<u32> needed;
    std::vector<u32> open;
    u32 cost = 0;
    for (u32 k = 0; k < explanation.layers.size(); ++k) {
      const Layer& layer = explanation.layers[k];
      open.push_back(layer.state);
      if (layer.color_state != NO_STATE) open.push_back(layer.color_state);
      if (layer.other != NO_STATE) {
        open.push_back(layer.other);
        cost += COST_OF_PAIR;
      }
      if (layer.kind == LayerKind::recolored) cost += COST_OF_RECOLOR;
      else if (k > 0) cost += COST_OF_LAYER;
      if (layer.kind == LayerKind::canvas || layer.kind == LayerKind::indices) cost += 1;
    }
    while (!open.empty()) {
      const u32 state = open.back();
      open.pop_back();
      if (!needed.insert(state).second) continue;
      const State& made = search_.states()[state];
      const Template& made_by = templates_.all[made.made_by];
      cost += made_by.cost;
      for (u32 k = 0; k < made_by.hole_count; ++k) open.push_back(made.args[k]);
    }
    return cost;
  }

  // The outputs on all test samples as text; empty if one of them is no grid of the ten colours.
  std::string test_outputs(const Explanation& explanation) const {
    std::string text = "outputs";
    for (u32 sample = demos_; sample < search_.states().samples(); ++sample) {
      Drawing drawing(search_, explanation.layers[0], sample);
      for (u32 k = 1; k < explanation.layers.size(); ++k) drawing.add(explanation.layers[k]);
      const std::vector<i8>& cells = drawing.cells;
      const auto is_color = [](i8 cell) { return cell >= 0 && cell < i32(COLOR_COUNT); };
      if (cells.empty() || !std::all_of(cells.begin(), cells.end(), is_color)) return {};
      text += char(drawing.height);
      text += char(drawing.width);
      text.append(reinterpret_cast<const char*>(cells.data()), cells.size());
    }
    return text;
  }

  const Enumeration& search_;
  const Templates& templates_;
  const u32 demos_;
  std::map<std::string, Explanation> found_;  // by the outputs on test samples
};

}  // namespace arcbatt::search
