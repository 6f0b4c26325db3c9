// Outputs explained by a grid in which each colour becomes one other colour, learnt from the demo samples.
#pragma once

#include <array>

#include "search/explain/explanation.h"

namespace arcbatt::search {

class Recoloring {
 public:
  Recoloring(const Enumeration& search, const Target& target) : search_(search), target_(target) {}

  // Keep the grids, from a state on, that explain the outputs so.
  void find(u32 from, Explanations& found) const {
    for (u32 state = from; state < search_.states().size(); ++state) {
      if (search_.states()[state].sort != Sort::grid) continue;
      Colors becomes;
      becomes.fill(-1);
      if (!learn_colors(state, becomes)) continue;
      Explanation explanation{{{LayerKind::whole, state}}, 0, u32(target_.demos.size())};
      for (u32 color = 0; color < Target::COLORS; ++color) {
        if (becomes[color] < 0 || becomes[color] == i32(color)) continue;
        explanation.layers.push_back({LayerKind::recolored, state, u32(becomes[color]), NO_STATE, color});
      }
      if (explanation.layers.size() > 1)
        found.keep(explanation, COST_OF_RARE * rare_recolored(state, becomes));
    }
  }

 private:
  // What each colour becomes; -1 if it is not seen.
  using Colors = std::array<i32, Target::COLORS>;

  // How many of the colours that change are seen in one demo alone.
  u32 rare_recolored(u32 state, const Colors& becomes) const {
    if (target_.demos.size() < 2) return 0;
    std::array<u32, Target::COLORS> seen_in{};
    for (u32 demo = 0; demo < target_.demos.size(); ++demo) {
      const Grid grid(search_.value(state, demo));
      std::array<bool, Target::COLORS> is_seen{};
      for (u32 k = 0; k < grid.size(); ++k) is_seen[u32(grid.at(k))] = true;
      for (u32 color = 0; color < Target::COLORS; ++color) seen_in[color] += is_seen[color];
    }
    u32 rare = 0;
    for (u32 color = 0; color < Target::COLORS; ++color)
      rare += becomes[color] >= 0 && becomes[color] != i32(color) && seen_in[color] == 1;
    return rare;
  }

  // What each colour of a grid becomes; false if one becomes several.
  bool learn_colors(u32 state, Colors& becomes) const {
    for (u32 demo = 0; demo < target_.demos.size(); ++demo) {
      const Head* head = search_.value(state, demo).head();
      const Demo& output = target_.demos[demo];
      if (head->count != output.height || head->detail != output.width) return false;
    }
    for (u32 demo = 0; demo < target_.demos.size(); ++demo) {
      const Head* head = search_.value(state, demo).head();
      const i8* cells = content<i8>(head);
      const i8* wanted = target_.colors.data() + target_.demos[demo].offset;
      for (u32 k = 0; k < head->count * head->detail; ++k) {
        if (cells[k] < 0 || cells[k] >= i32(Target::COLORS)) return false;
        i32& known = becomes[u32(cells[k])];
        if (known >= 0 && known != wanted[k]) return false;
        known = wanted[k];
      }
    }
    return true;
  }

  const Enumeration& search_;
  const Target& target_;
};

}  // namespace arcbatt::search
