// Stacks of layers that explain outputs, found by a beam search from the top down. A layer may be wrong only
// where a layer above it is right.
#pragma once

#include "search/explain/explanation.h"

namespace arcbatt::search {

// How hard to look.
struct Effort {
  u32 bottoms, beam, depth, bottoms_of_pairs;
};

class Stacking {
 public:
  Stacking(const Target& target, const Layers& bottoms, const Layers& tops, Explanations& found,
           const u32* stop)
      : target_(target), bottoms_(bottoms), tops_(tops), found_(found), stop_(stop) {
    for (u32 demo = 0; demo < target.demos.size(); ++demo) demo_cells_.push_back(target.cells_of(demo));
  }

  // Find explanations of the cells in `kept`, which are those of as many demos.
  void find(const Mask& kept, u32 demos, const Effort& effort) {
    for (u32 bottom : best_bottoms(kept, effort.bottoms)) {
      if (seen_now(stop_)) return;
      stack_on(bottom, kept, demos, effort);
    }
  }

  // The classes of bottoms with the fewest wrong cells and the least cost.
  std::vector<u32> best_bottoms(const Mask& kept, u32 count) const {
    std::vector<std::pair<u64, u32>> ranked;
    for (u32 k = 0; k < bottoms_.size(); ++k) {
      const u64 wrong = count_within(bottoms_.wrong(k), kept);
      const u64 penalty = wrong * COST_OF_ALL_WRONG * 100 / target_.cells() + 100 * bottoms_[k].cost + 1;
      ranked.emplace_back(wrong ? penalty : 0, k);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<u32> chosen;
    for (u64 k = 0; k < ranked.size() && k < count; ++k) chosen.push_back(ranked[k].second);
    return chosen;
  }

  // Single bottoms that are exact on some demos.
  void find_exact_in_part() {
    for (u32 k = 0; k < bottoms_.size(); ++k) {
      u32 exact = 0;
      for (const Mask& cells : demo_cells_) exact += count_within(bottoms_.wrong(k), cells) == 0;
      if (exact == 0 || exact == demo_cells_.size()) continue;
      for (const Layer& layer : bottoms_[k].members) found_.keep({{layer}, 0, exact}, 0);
    }
  }

 private:
  // Layers chosen so far, from the top down, and the cells that they decide.
  struct Stack {
    std::vector<u32> classes;
    Mask decided;
    u32 cost, left;
  };

  // A class that decides open cells, at most so many.
  struct Useful {
    u32 number, most_gain;
  };

  // A stack of the beam with one more layer.
  struct Choice {
    u32 stack, layer;
  };
  using Choices = std::multimap<u32, Choice>;  // by estimated cost

  u32 count_within(const u64* mask, const Mask& kept) const {
    u32 count = 0;
    for (u32 k = 0; k < target_.words; ++k) count += bit_count(mask[k] & kept[k]);
    return count;
  }

  void stack_on(u32 bottom, const Mask& kept, u32 demos, const Effort& effort) {
    Mask open(target_.words);  // cells that layers above must decide
    for (u32 k = 0; k < target_.words; ++k) open[k] = bottoms_.wrong(bottom)[k] & kept[k];
    const u32 all_open = bits_in(open.data(), target_.words);
    if (all_open == 0) return record(bottom, {}, demos, kept);
    std::vector<Useful> useful;
    for (u32 k = 0; k < tops_.size(); ++k) {
      const u32 gain = count_within(tops_.right(k), open);
      if (gain) useful.push_back({k, gain});
    }
    std::vector<Stack> beam{{{}, Mask(target_.words, 0), bottoms_[bottom].cost, all_open}};
    for (u32 depth = 0; depth < effort.depth && !beam.empty(); ++depth) {
      Choices best;
      for (u32 number = 0; number < beam.size(); ++number)
        choose(beam[number], number, useful, open, kept, all_open, effort.beam, best);
      std::vector<Stack> next;
      std::set<Mask> seen;
      for (const auto& [_, choice] : best) {
        Stack stack = extended(beam[choice.stack], choice.layer, open, kept);
        if (stack.left == 0) record(bottom, stack.classes, demos, kept);
        else if (seen.insert(stack.decided).second) next.push_back(std::move(stack));
      }
      beam = std::move(next);
    }
  }

  // Enter the layers that fit below a stack among the best choices: by what they cost, and by an estimate for
  // the cells that they leave open.
  void choose(const Stack& stack, u32 number, const std::vector<Useful>& useful, const Mask& open,
              const Mask& kept, u32 all_open, u32 width, Choices& best) const {
    const auto estimate = [&](u32 cost, u32 gain) {
      const u32 left = gain < stack.left ? stack.left - gain : 0;
      return 16 * cost + (left ? 16 * COST_OF_NEXT + 16 * COST_OF_ALL_OPEN * left / all_open : 0);
    };
    const auto is_too_dear = [&](u32 estimated) {
      return best.size() >= width && estimated >= best.rbegin()->first;
    };
    for (const auto& [layer, most_gain] : useful) {
      const u32 cost = stack.cost + tops_[layer].cost + COST_OF_LAYER;
      if (is_too_dear(estimate(cost, most_gain)) || !fits_below(stack, layer, kept)) continue;
      const u64* right = tops_.right(layer);
      u32 gain = 0;
      for (u32 k = 0; k < target_.words; ++k) gain += bit_count(right[k] & open[k] & ~stack.decided[k]);
      const u32 estimated = estimate(cost, gain);
      if (gain == 0 || is_too_dear(estimated)) continue;
      best.emplace(estimated, Choice{number, layer});
      if (best.size() > width) best.erase(std::prev(best.end()));
    }
  }

  bool fits_below(const Stack& stack, u32 layer, const Mask& kept) const {
    const u64* wrong = tops_.wrong(layer);
    for (u32 k = 0; k < target_.words; ++k) {
      if (wrong[k] & kept[k] & ~stack.decided[k]) return false;
    }
    return true;
  }

  Stack extended(Stack stack, u32 layer, const Mask& open, const Mask& kept) const {
    stack.left = 0;
    for (u32 k = 0; k < target_.words; ++k) {
      stack.decided[k] |= tops_.right(layer)[k] & kept[k];
      stack.left += bit_count(open[k] & ~stack.decided[k]);
    }
    stack.classes.push_back(layer);
    stack.cost += tops_[layer].cost + COST_OF_LAYER;
    return stack;
  }

  // Keep an explanation by the classes of its layers, and those with another member of a class in its place.
  void record(u32 bottom, const std::vector<u32>& from_top, u32 demos, const Mask& kept) {
    std::vector<const std::vector<Layer>*> members{&bottoms_[bottom].members};
    for (auto top = from_top.rbegin(); top != from_top.rend(); ++top) members.push_back(&tops_[*top].members);
    const u32 rare = COST_OF_RARE * rare_layers(bottom, from_top, kept, demos);
    Explanation explanation{{}, 0, demos};
    for (const auto* choices : members) explanation.layers.push_back(choices->front());
    found_.keep(explanation, rare);
    for (u32 k = 0; k < members.size(); ++k) {
      for (u32 other = 1; other < members[k]->size(); ++other) {
        Explanation varied = explanation;
        varied.layers[k] = (*members[k])[other];
        found_.keep(varied, rare);
      }
    }
  }

  // How many layers change something in one demo alone.
  u32 rare_layers(u32 bottom, const std::vector<u32>& from_top, const Mask& kept, u32 demos) const {
    if (demos < 2) return 0;
    Mask decided(target_.words, 0);
    u32 rare = 0;
    for (u32 top : from_top) {
      u32 seen_in = 0;
      for (const Mask& cells : demo_cells_) {
        bool is_seen = false;
        for (u32 k = 0; k < target_.words; ++k)
          is_seen |=
              (tops_.right(top)[k] & bottoms_.wrong(bottom)[k] & ~decided[k] & cells[k] & kept[k]) != 0;
        seen_in += is_seen;
      }
      rare += seen_in == 1;
      for (u32 k = 0; k < target_.words; ++k) decided[k] |= tops_.right(top)[k];
    }
    return rare;
  }

  static constexpr u32 COST_OF_ALL_WRONG = 10;  // of a bottom in which every cell is wrong
  // Estimates for layers that decide all open cells: what they cost at least, and in proportion.
  static constexpr u32 COST_OF_NEXT = 4, COST_OF_ALL_OPEN = 12;

  const Target& target_;
  const Layers &bottoms_, &tops_;
  Explanations& found_;
  const u32* const stop_;
  std::vector<Mask> demo_cells_;
};

}  // namespace arcbatt::search
