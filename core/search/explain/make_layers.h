// Layers made of the states of a search: grids of the output's shape, objects, indices in a colour, canvases.
#pragma once

#include "search/explain/layers.h"

namespace arcbatt::search {

// Makes layers of the states of a search.
class LayerMaker {
 public:
  // `regions` gets the cells of all indices, as if they were right.
  LayerMaker(const Enumeration& search, const Target& target, Layers& bottoms, Layers& tops, Layers& regions)
      : search_(search), target_(target), bottoms_(bottoms), tops_(tops), regions_(regions),
        right_(target.words), wrong_(target.words), covered_(target.words) {}

  // Make the layers of all states from one on, cheap ones first. Once they have too many bytes, only grids
  // that equal the outputs are added.
  void make(u32 from, u64 most_bytes) {
    for (u32 state = from; state < search_.states().size(); ++state) {
      const Sort sort = search_.states()[state].sort;
      if (bottoms_.bytes() + tops_.bytes() + regions_.bytes() > most_bytes) {
        if (sort == Sort::grid) add_grid(state, true);
        continue;
      }
      switch (sort) {
        case Sort::grid: add_grid(state, false); break;
        case Sort::object: add_object(state); break;
        case Sort::indices: add_indices(state); break;
        case Sort::vector: add_canvas(state); break;
        default: break;
      }
    }
  }

 private:
  u32 cost_of(u32 state) const { return search_.states()[state].cost; }
  u32 demos() const { return u32(target_.demos.size()); }

  void clear() {
    std::fill(right_.begin(), right_.end(), 0);
    std::fill(wrong_.begin(), wrong_.end(), 0);
  }

  bool has_shape_of_output(u32 state) const {
    for (u32 demo = 0; demo < demos(); ++demo) {
      const Head* head = search_.value(state, demo).head();
      if (head->count != target_.demos[demo].height || head->detail != target_.demos[demo].width)
        return false;
    }
    return true;
  }

  void add_grid(u32 state, bool only_if_exact) {
    if (!has_shape_of_output(state)) return;
    clear();
    Mask shown(target_.words, 0);  // cells that are not 0
    u32 place = 0;
    for (u32 demo = 0; demo < demos(); ++demo) {
      const Head* head = search_.value(state, demo).head();
      const i8* cells = content<i8>(head);
      const u32 count = head->count * head->detail;
      for (u32 k = 0; k < count; ++k, ++place) {
        const u64 bit = u64(1) << place % 64;
        if (cells[k] == target_.colors[place]) right_[place / 64] |= bit;
        if (cells[k]) shown[place / 64] |= bit;
      }
    }
    if (only_if_exact && right_ != target_.all) return;
    for (u32 k = 0; k < target_.words; ++k) wrong_[k] = target_.all[k] & ~right_[k];
    bottoms_.add({LayerKind::whole, state}, cost_of(state), right_, wrong_);
    if (shown == target_.all || only_if_exact) return;
    for (u32 k = 0; k < target_.words; ++k) {
      right_[k] &= shown[k];
      wrong_[k] &= shown[k];
    }
    add_top({LayerKind::overlay, state}, cost_of(state) + 1);
  }

  void add_object(u32 state) {
    clear();
    for (u32 demo = 0; demo < demos(); ++demo) {
      const Patch patch(search_.value(state, demo));
      for (u32 k = 0; k < patch.count; ++k) {
        const Cell cell = patch.cell(k);
        u32 place;
        if (!find(demo, cell.i, cell.j, place)) continue;
        const u64 bit = u64(1) << place % 64;
        const bool is_right = cell.color == target_.colors[place];  // the last of several colours is painted
        (is_right ? right_ : wrong_)[place / 64] |= bit;
        (is_right ? wrong_ : right_)[place / 64] &= ~bit;
      }
    }
    add_top({LayerKind::object, state}, cost_of(state));
  }

  void add_indices(u32 state) {
    std::fill(covered_.begin(), covered_.end(), 0);
    i32 only[MOST_DEMOS], first = NO_COLOR;  // the one colour of the covered cells of each demo
    bool is_uniform = demos() <= MOST_DEMOS, is_varied = false;
    for (u32 demo = 0; demo < demos(); ++demo) {
      const Patch patch(search_.value(state, demo));
      i32 color = NO_COLOR;
      for (u32 k = 0; k < patch.count; ++k) {
        const Location at = patch.location(k);
        u32 place;
        if (!find(demo, at.i, at.j, place)) continue;
        covered_[place / 64] |= u64(1) << place % 64;
        if (color == NO_COLOR) color = target_.colors[place];
        is_uniform = is_uniform && color == target_.colors[place];
      }
      if (demo < MOST_DEMOS) only[demo] = color;
      if (first == NO_COLOR) first = color;
      is_varied = is_varied || (color != NO_COLOR && color != first);
    }
    std::fill(wrong_.begin(), wrong_.end(), 0);
    regions_.add({LayerKind::indices, state}, cost_of(state), covered_, wrong_);
    for (u32 color : target_.palette) {
      for (u32 k = 0; k < target_.words; ++k) {
        right_[k] = covered_[k] & target_.of_color[color][k];
        wrong_[k] = covered_[k] & ~target_.of_color[color][k];
      }
      add_top({LayerKind::indices, state, color}, cost_of(state) + 1);
    }
    if (is_uniform && is_varied) add_in_varied_color(state, only);
  }

  // Indices in a colour that differs from sample to sample, as a state of colours has it.
  void add_in_varied_color(u32 state, const i32* only) {
    u32 found = 0;
    for (u32 cost = 1; cost <= States::MOST_COST && found < Layers::ALTERNATIVES; ++cost) {
      for (u32 color : search_.states().of(Sort::color, cost)) {
        bool fits = true;
        for (u32 demo = 0; demo < demos() && fits; ++demo)
          fits = only[demo] == NO_COLOR || search_.value(color, demo).integer() == only[demo];
        if (!fits) continue;
        right_ = covered_;
        std::fill(wrong_.begin(), wrong_.end(), 0);
        add_top({LayerKind::indices, state, 0, color}, cost_of(state) + cost);
        if (++found == Layers::ALTERNATIVES) break;
      }
    }
  }

  void add_canvas(u32 state) {
    for (u32 demo = 0; demo < demos(); ++demo) {
      const Location size = location_of(search_.value(state, demo));
      if (size.i != target_.demos[demo].height || size.j != target_.demos[demo].width) return;
    }
    for (u32 color : target_.palette) {
      for (u32 k = 0; k < target_.words; ++k) wrong_[k] = target_.all[k] & ~target_.of_color[color][k];
      bottoms_.add({LayerKind::canvas, state, color}, cost_of(state) + (color ? 2 : 1),
                   target_.of_color[color], wrong_);
    }
  }

  // Layers that are more wrong than right are left out.
  void add_top(const Layer& layer, u32 cost) {
    const u32 right = bits_in(right_.data(), target_.words), wrong = bits_in(wrong_.data(), target_.words);
    if (right > 0 && 2 * right >= wrong) tops_.add(layer, cost, right_, wrong_);
  }

  bool find(u32 demo, i64 i, i64 j, u32& place) const {
    const Demo& output = target_.demos[demo];
    if (i < 0 || j < 0 || i >= output.height || j >= output.width) return false;
    place = output.offset + u32(i * output.width + j);
    return true;
  }

  static constexpr u32 MOST_DEMOS = 16;
  static constexpr i32 NO_COLOR = -1;

  const Enumeration& search_;
  const Target& target_;
  Layers &bottoms_, &tops_, &regions_;
  Mask right_, wrong_, covered_;
};

}  // namespace arcbatt::search
