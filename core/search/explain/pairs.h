// Layers made of two regions: the cells that both have, or those of one that another lacks.
#pragma once

#include "search/explain/explanation.h"

namespace arcbatt::search {

class PairFinder {
 public:
  // `regions` has the cells of indices; pairs go to `tops`.
  PairFinder(const Target& target, const Layers& regions, Layers& tops)
      : target_(target), regions_(regions), tops_(tops) {}

  // Find pairs that hold all lacking cells, which have one colour, and no cell of another.
  void find(const Mask& lacking, u32 color) {
    part(lacking);
    const auto is_cheaper = [&](u32 a, u32 b) { return regions_[a].cost < regions_[b].cost; };
    std::stable_sort(covers_.begin(), covers_.end(), is_cheaper);
    std::stable_sort(apart_.begin(), apart_.end(), is_cheaper);
    if (covers_.size() > MOST_COVERS) covers_.resize(MOST_COVERS);
    find_common(color);
    find_without(color);
  }

 private:
  // Regions that hold all lacking cells, and regions that hold none.
  void part(const Mask& lacking) {
    covers_.clear();
    apart_.clear();
    for (u32 k = 0; k < regions_.size(); ++k) {
      const u64* cells = regions_.right(k);
      bool holds_all = true, holds_one = false;
      for (u32 word = 0; word < target_.words && (holds_all || !holds_one); ++word) {
        holds_all = holds_all && (lacking[word] & ~cells[word]) == 0;
        holds_one = holds_one || (lacking[word] & cells[word]) != 0;
      }
      if (holds_all) covers_.push_back(k);
      else if (!holds_one) apart_.push_back(k);
    }
  }

  void find_common(u32 color) {
    const Mask& wanted = target_.of_color[color];
    u32 found = 0;
    for (u32 second = 1; second < covers_.size(); ++second) {
      for (u32 first = 0; first < second; ++first) {
        const u64 *a = regions_.right(covers_[first]), *b = regions_.right(covers_[second]);
        if (!all_words([&](u32 k) { return (a[k] & b[k] & ~wanted[k]) == 0; })) continue;
        add(LayerKind::common, covers_[first], covers_[second], color);
        if (++found == MOST_PAIRS) return;
      }
    }
  }

  void find_without(u32 color) {
    const Mask& wanted = target_.of_color[color];
    u32 found = 0;
    for (u32 first = 0; first < covers_.size() && first < MOST_MINUENDS; ++first) {
      const u64* a = regions_.right(covers_[first]);
      for (u32 second : apart_) {
        const u64* b = regions_.right(second);
        if (!all_words([&](u32 k) { return (a[k] & ~wanted[k] & ~b[k]) == 0; })) continue;
        add(LayerKind::without, covers_[first], second, color);
        if (++found == MOST_PAIRS) return;
        break;
      }
    }
  }

  template <class Test>
  bool all_words(Test test) const {
    for (u32 k = 0; k < target_.words; ++k) {
      if (!test(k)) return false;
    }
    return true;
  }

  void add(LayerKind kind, u32 first, u32 second, u32 color) {
    Mask right(target_.words);
    const Mask wrong(target_.words, 0);
    for (u32 k = 0; k < target_.words; ++k) {
      const u64 other = regions_.right(second)[k];
      right[k] = regions_.right(first)[k] & (kind == LayerKind::common ? other : ~other);
    }
    Layer layer{kind, regions_[first].members[0].state, color};
    layer.other = regions_[second].members[0].state;
    tops_.add(layer, regions_[first].cost + regions_[second].cost + COST_OF_PAIR, right, wrong);
  }

  static constexpr u32 MOST_COVERS = 400, MOST_MINUENDS = 60, MOST_PAIRS = 8;

  const Target& target_;
  const Layers& regions_;
  Layers& tops_;
  std::vector<u32> covers_, apart_;
};

}  // namespace arcbatt::search
