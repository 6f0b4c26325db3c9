// Explanations of the demo outputs: a bottom layer and layers above it, found by a beam search from the top
// down. A layer may be wrong only where a layer above it is right.
#pragma once

#include <map>
#include <set>
#include <string>

#include "search/layers.h"

namespace arcbatt::search {

struct Explanation {
  std::vector<Layer> layers;  // the bottom first
  u32 cost;                   // description length
  u32 demos;                  // how many demo samples it fits
};

// How hard to look.
struct Effort {
  u32 bottoms, beam, depth, bottoms_of_pairs;
};

constexpr u32 COST_OF_LAYER = 2;    // each layer above the bottom
constexpr u32 COST_OF_RECOLOR = 2;  // each colour that becomes another
constexpr u32 COST_OF_PAIR = 2;     // two regions made one
constexpr u32 COST_OF_RARE = 3;     // a layer that is seen in one demo alone, of several

class Explainer {
 public:
  Explainer(const Enumeration& search, const Templates& templates, const Target& target,
            const Problem& problem)
      : search_(search), templates_(templates), target_(target), problem_(problem), bottoms_(search, target),
        tops_(search, target), regions_(search, target), maker_(search, target, bottoms_, tops_, regions_) {
    for (u32 demo = 0; demo < target.demos.size(); ++demo) demo_cells_.push_back(target.cells_of(demo));
  }

  // Explain all demo outputs with the states that are there now; whether an explanation was found.
  bool explain(const Effort& effort, u64 most_bytes) {
    maker_.make(seen_, most_bytes);
    find_recolored(seen_);
    seen_ = search_.states().size();
    find_pairs(effort);
    find(target_.all, u32(target_.demos.size()), effort);
    return !found_.empty();
  }

  // Explanations of some demo outputs alone.
  void explain_in_part(const Effort& effort) {
    find_exact_in_part();
    if (target_.demos.size() < 3) return;
    for (u32 demo = 0; demo < target_.demos.size(); ++demo) {
      Mask kept = target_.all;
      for (u32 k = 0; k < target_.words; ++k) kept[k] &= ~demo_cells_[demo][k];
      find(kept, u32(target_.demos.size()) - 1, effort);
    }
  }

  // The best explanations that differ in their outputs on test samples, best first.
  std::vector<Explanation> best(u32 count) const {
    std::vector<Explanation> sorted;
    for (const auto& [_, explanation] : found_) sorted.push_back(explanation);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Explanation& a, const Explanation& b) {
      return a.demos != b.demos ? a.demos > b.demos : a.cost < b.cost;
    });
    if (sorted.size() > count) sorted.resize(count);
    return sorted;
  }

  u64 bytes() const { return bottoms_.bytes() + tops_.bytes() + regions_.bytes(); }
  u32 layer_count() const { return tops_.size(); }

 private:
  // Layers chosen so far, from the top down, and the cells that they decide.
  struct Stack {
    std::vector<u32> classes;
    Mask decided;
    u32 cost, left;
  };

  // Find explanations of the cells in `kept`, which are those of as many demos.
  void find(const Mask& kept, u32 demos, const Effort& effort) {
    for (u32 bottom : best_bottoms(kept, effort.bottoms)) stack_on(bottom, kept, demos, effort);
  }

  // Layers made of two regions, for each colour that the best bottoms lack: the cells that two regions share,
  // or one region without another.
  void find_pairs(const Effort& effort) {
    std::set<Mask> done;
    for (u32 bottom : best_bottoms(target_.all, effort.bottoms_of_pairs)) {
      for (u32 color : target_.palette) {
        Mask lacking(target_.words);
        for (u32 k = 0; k < target_.words; ++k)
          lacking[k] = bottoms_.wrong(bottom)[k] & target_.of_color[color][k];
        if (bits_in(lacking.data(), target_.words) && done.insert(lacking).second) find_pairs(lacking, color);
      }
    }
  }

  // A region that holds all lacking cells, and how many cells of other colours.
  struct Cover {
    u32 region, cost;
  };

  void find_pairs(const Mask& lacking, u32 color) {
    const u32 words = target_.words;
    const Mask& wanted = target_.of_color[color];
    std::vector<Cover> covers;
    std::vector<u32> apart;  // regions without a lacking cell
    for (u32 k = 0; k < regions_.size(); ++k) {
      const u64* cells = regions_.right(k);
      bool holds_all = true, holds_one = false;
      for (u32 word = 0; word < words && (holds_all || !holds_one); ++word) {
        holds_all = holds_all && (lacking[word] & ~cells[word]) == 0;
        holds_one = holds_one || (lacking[word] & cells[word]) != 0;
      }
      if (holds_all) covers.push_back({k, regions_[k].cost});
      else if (!holds_one) apart.push_back(k);
    }
    const auto by_cost = [](const Cover& a, const Cover& b) { return a.cost < b.cost; };
    std::stable_sort(covers.begin(), covers.end(), by_cost);
    std::stable_sort(apart.begin(), apart.end(),
                     [&](u32 a, u32 b) { return regions_[a].cost < regions_[b].cost; });
    if (covers.size() > MOST_COVERS) covers.resize(MOST_COVERS);
    u32 found = 0;
    for (u32 second = 1; second < covers.size() && found < MOST_PAIRS; ++second) {
      for (u32 first = 0; first < second && found < MOST_PAIRS; ++first) {
        const u64 *a = regions_.right(covers[first].region), *b = regions_.right(covers[second].region);
        bool fits = true;
        for (u32 word = 0; word < words && fits; ++word) fits = (a[word] & b[word] & ~wanted[word]) == 0;
        if (!fits) continue;
        add_pair(LayerKind::common, covers[first].region, covers[second].region, color);
        ++found;
      }
    }
    found = 0;
    for (u32 first = 0; first < covers.size() && first < MOST_MINUENDS && found < MOST_PAIRS; ++first) {
      const u64* a = regions_.right(covers[first].region);
      for (u32 second = 0; second < apart.size() && found < MOST_PAIRS; ++second) {
        const u64* b = regions_.right(apart[second]);
        bool fits = true;
        for (u32 word = 0; word < words && fits; ++word) fits = (a[word] & ~wanted[word] & ~b[word]) == 0;
        if (!fits) continue;
        add_pair(LayerKind::without, covers[first].region, apart[second], color);
        ++found;
        break;
      }
    }
  }

  void add_pair(LayerKind kind, u32 first, u32 second, u32 color) {
    const bool is_common = kind == LayerKind::common;
    Mask right(target_.words), wrong(target_.words, 0);
    for (u32 k = 0; k < target_.words; ++k) {
      const u64 b = regions_.right(second)[k];
      right[k] = regions_.right(first)[k] & (is_common ? b : ~b);
    }
    Layer layer{kind, regions_[first].members[0].state, color};
    layer.other = regions_[second].members[0].state;
    tops_.add(layer, regions_[first].cost + regions_[second].cost + COST_OF_PAIR, right, wrong);
  }

  u32 count_within(const u64* mask, const Mask& kept) const {
    u32 count = 0;
    for (u32 k = 0; k < target_.words; ++k) count += bit_count(mask[k] & kept[k]);
    return count;
  }

  // The classes of bottoms with the fewest wrong cells, cheap ones first among equals.
  std::vector<u32> best_bottoms(const Mask& kept, u32 count) const {
    std::vector<std::pair<u64, u32>> ranked;
    for (u32 k = 0; k < bottoms_.size(); ++k) {
      const u64 wrong = count_within(bottoms_.wrong(k), kept);
      // Ten more units of cost are as bad as all cells being wrong.
      ranked.emplace_back(wrong ? wrong * 1000 / target_.cells() + 100 * bottoms_[k].cost + 1 : 0, k);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<u32> chosen;
    for (u64 k = 0; k < ranked.size() && k < count; ++k) chosen.push_back(ranked[k].second);
    return chosen;
  }

  void stack_on(u32 bottom, const Mask& kept, u32 demos, const Effort& effort) {
    const u32 words = target_.words;
    Mask open(words);  // cells that layers above must decide
    for (u32 k = 0; k < words; ++k) open[k] = bottoms_.wrong(bottom)[k] & kept[k];
    const u32 all_open = bits_in(open.data(), words);
    if (all_open == 0) {
      record(bottom, {}, demos, kept);
      return;
    }
    std::vector<std::pair<u32, u32>> useful;  // classes, and how many open cells they decide at most
    for (u32 k = 0; k < tops_.size(); ++k) {
      const u32 gain = count_within(tops_.right(k), open);
      if (gain) useful.emplace_back(k, gain);
    }
    std::vector<Stack> beam{{{}, Mask(words, 0), bottoms_[bottom].cost, all_open}};
    for (u32 depth = 0; depth < effort.depth && !beam.empty(); ++depth) {
      // By estimated cost: what has been spent, and a share for what is left.
      std::multimap<u32, std::pair<u32, u32>> best;  // estimate -> (stack, class)
      for (u32 number = 0; number < beam.size(); ++number) {
        const Stack& stack = beam[number];
        const auto estimated = [&](u32 cost, u32 gain) {
          const u32 left = gain < stack.left ? stack.left - gain : 0;
          return 16 * cost + (left ? 16 * 4 + 16 * COST_OF_ALL_OPEN * left / all_open : 0);
        };
        for (const auto& [k, most_gain] : useful) {
          const u32 cost = stack.cost + tops_[k].cost + COST_OF_LAYER;
          const bool is_full = best.size() >= effort.beam;
          if (is_full && estimated(cost, most_gain) >= best.rbegin()->first) continue;
          const u64 *right = tops_.right(k), *wrong = tops_.wrong(k);
          bool fits = true;
          for (u32 word = 0; word < words && fits; ++word)
            fits = (wrong[word] & kept[word] & ~stack.decided[word]) == 0;
          if (!fits) continue;
          u32 gain = 0;
          for (u32 word = 0; word < words; ++word)
            gain += bit_count(right[word] & open[word] & ~stack.decided[word]);
          if (gain == 0) continue;
          const u32 estimate = estimated(cost, gain);
          if (is_full && estimate >= best.rbegin()->first) continue;
          best.emplace(estimate, std::make_pair(number, k));
          if (best.size() > effort.beam) best.erase(std::prev(best.end()));
        }
      }
      std::vector<Stack> next;
      std::set<Mask> seen;
      for (const auto& [_, choice] : best) {
        Stack stack = beam[choice.first];
        u32 left = 0;
        for (u32 word = 0; word < words; ++word) {
          stack.decided[word] |= tops_.right(choice.second)[word] & kept[word];
          left += bit_count(open[word] & ~stack.decided[word]);
        }
        stack.classes.push_back(choice.second);
        stack.cost += tops_[choice.second].cost + COST_OF_LAYER;
        stack.left = left;
        if (left == 0) record(bottom, stack.classes, demos, kept);
        else if (seen.insert(stack.decided).second) next.push_back(std::move(stack));
      }
      beam = std::move(next);
    }
  }

  // Keep an explanation by the classes of its layers, and those with another member of a class in its place.
  void record(u32 bottom, const std::vector<u32>& from_top, u32 demos, const Mask& kept) {
    std::vector<const std::vector<Layer>*> members{&bottoms_[bottom].members};
    for (auto top = from_top.rbegin(); top != from_top.rend(); ++top) members.push_back(&tops_[*top].members);
    const u32 rare = COST_OF_RARE * rare_layers(bottom, from_top, kept, demos);
    Explanation explanation{{}, 0, demos};
    for (const auto* choices : members) explanation.layers.push_back(choices->front());
    keep(explanation, rare);
    for (u32 k = 0; k < members.size(); ++k) {
      for (u32 other = 1; other < members[k]->size(); ++other) {
        Explanation varied = explanation;
        varied.layers[k] = (*members[k])[other];
        keep(varied, rare);
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

  // Grids of the output's shape whose colours each become one other colour.
  void find_recolored(u32 from) {
    for (u32 state = from; state < search_.states().size(); ++state) {
      if (search_.states()[state].sort != Sort::grid) continue;
      std::array<i32, Target::COLORS> becomes;
      becomes.fill(-1);
      if (!learn_colors(state, becomes)) continue;
      Explanation explanation{{{LayerKind::whole, state}}, 0, u32(target_.demos.size())};
      for (u32 color = 0; color < Target::COLORS; ++color) {
        if (becomes[color] < 0 || becomes[color] == i32(color)) continue;
        explanation.layers.push_back({LayerKind::recolored, state, u32(becomes[color]), NO_STATE, color});
      }
      if (explanation.layers.size() > 1) keep(explanation, COST_OF_RARE * rare_recolored(state, becomes));
    }
  }

  // How many of the colours that change are seen in one demo alone.
  u32 rare_recolored(u32 state, const std::array<i32, Target::COLORS>& becomes) const {
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
  bool learn_colors(u32 state, std::array<i32, Target::COLORS>& becomes) const {
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

  // Single states that are exact on some demos.
  void find_exact_in_part() {
    const u32 demos = u32(target_.demos.size());
    for (u32 k = 0; k < bottoms_.size(); ++k) {
      u32 exact = 0;
      for (const Mask& cells : demo_cells_) exact += count_within(bottoms_.wrong(k), cells) == 0;
      if (exact == 0 || exact == demos) continue;
      for (const Layer& layer : bottoms_[k].members) keep({{layer}, 0, exact}, 0);
    }
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

  void keep(Explanation explanation, u32 extra) {
    explanation.cost = cost_of(explanation) + extra;
    const std::string outputs = test_outputs(explanation);
    if (outputs.empty()) return;
    const auto [known, is_new] = found_.try_emplace(outputs, explanation);
    if (is_new) return;
    const Explanation& other = known->second;
    if (explanation.demos > other.demos ||
        (explanation.demos == other.demos && explanation.cost < other.cost))
      known->second = explanation;
  }

  // The outputs on all test samples as text; empty if one of them is no grid of the ten colours.
  std::string test_outputs(const Explanation& explanation) const {
    std::string text = "outputs";
    for (u32 sample = u32(target_.demos.size()); sample < problem_.inputs.size(); ++sample) {
      const std::vector<i8> cells = drawn(explanation, sample, text);
      const auto is_color = [](i8 cell) { return cell >= 0 && cell < i32(Target::COLORS); };
      if (cells.empty() || !std::all_of(cells.begin(), cells.end(), is_color)) return {};
      text.append(reinterpret_cast<const char*>(cells.data()), cells.size());
    }
    return text;
  }

  // The cells of the output on a sample; its size goes to the text.
  std::vector<i8> drawn(const Explanation& explanation, u32 sample, std::string& text) const {
    const Layer& bottom = explanation.layers[0];
    const Value lowest = search_.value(bottom.state, sample);
    i64 height, width;
    std::vector<i8> cells;
    if (bottom.kind == LayerKind::canvas) {
      const Location size = location_of(lowest);
      height = size.i;
      width = size.j;
      if (height < 1 || width < 1 || height > LONGEST_SIDE || width > LONGEST_SIDE) return {};
      cells.assign(u64(height * width), i8(bottom.color));
    } else {
      const Head* head = lowest.head();
      height = head->count;
      width = head->detail;
      cells.assign(content<i8>(head), content<i8>(head) + height * width);
    }
    text += char(height);
    text += char(width);
    const std::vector<i8> before = cells;
    const auto put = [&](i64 i, i64 j, i64 color) {
      if (i >= 0 && j >= 0 && i < height && j < width) cells[u64(i * width + j)] = i8(color);
    };
    for (u32 k = 1; k < explanation.layers.size(); ++k) {
      const Layer& layer = explanation.layers[k];
      const Value v = search_.value(layer.state, sample);
      switch (layer.kind) {
        case LayerKind::overlay: {
          const Grid grid(v);
          for (i64 i = 0; i < grid.height; ++i) {
            for (i64 j = 0; j < grid.width; ++j) {
              if (grid(i, j)) put(i, j, grid(i, j));
            }
          }
          break;
        }
        case LayerKind::object: {
          const Patch patch(v);
          for (u32 cell = 0; cell < patch.count; ++cell) {
            const Cell c = patch.cell(cell);
            put(c.i, c.j, c.color);
          }
          break;
        }
        case LayerKind::indices: {
          const i64 color = layer.color_state == NO_STATE
                                ? layer.color
                                : search_.value(layer.color_state, sample).integer();
          const Patch patch(v);
          for (u32 cell = 0; cell < patch.count; ++cell) {
            const Location at = patch.location(cell);
            put(at.i, at.j, color);
          }
          break;
        }
        case LayerKind::common:
        case LayerKind::without: {
          const Patch patch(v), other(search_.value(layer.other, sample));
          std::set<std::pair<i64, i64>> there;
          for (u32 cell = 0; cell < other.count; ++cell) {
            const Location at = other.location(cell);
            there.emplace(at.i, at.j);
          }
          for (u32 cell = 0; cell < patch.count; ++cell) {
            const Location at = patch.location(cell);
            if (there.count({at.i, at.j}) == (layer.kind == LayerKind::common)) put(at.i, at.j, layer.color);
          }
          break;
        }
        case LayerKind::recolored:
          for (u64 cell = 0; cell < cells.size(); ++cell) {
            if (before[cell] == i8(layer.from)) cells[cell] = i8(layer.color);
          }
          break;
        case LayerKind::whole:
        case LayerKind::canvas: break;
      }
    }
    return cells;
  }

  static constexpr u32 MOST_COVERS = 400, MOST_MINUENDS = 60, MOST_PAIRS = 8;
  static constexpr u32 COST_OF_ALL_OPEN = 12;  // an estimate for layers that decide all open cells

  const Enumeration& search_;
  const Templates& templates_;
  const Target& target_;
  const Problem& problem_;
  Layers bottoms_, tops_, regions_;
  LayerMaker maker_;
  std::vector<Mask> demo_cells_;
  u32 seen_ = 0;  // states that have been looked at
  std::map<std::string, Explanation> found_;  // by the outputs on test samples
};

}  // namespace arcbatt::search
