// Explains the demo outputs of a task with the states of a search.
#pragma once

#include "search/explain/make_layers.h"
#include "search/explain/pairs.h"
#include "search/explain/recoloring.h"
#include "search/explain/stacking.h"

namespace arcbatt::search {

class Explainer {
 public:
  // It ends early once `stop` is set.
  Explainer(const Enumeration& search, const Templates& templates, const Target& target, const u32* stop)
      : search_(search), target_(target), bottoms_(search, target), tops_(search, target),
        regions_(search, target), maker_(search, target, bottoms_, tops_, regions_),
        found_(search, templates, u32(target.demos.size())),
        stacking_(target, bottoms_, tops_, found_, stop) {}

  // Explain all demo outputs with the states that are there now; whether an explanation was found.
  bool explain(const Effort& effort, u64 most_bytes) {
    maker_.make(seen_, most_bytes);
    Recoloring(search_, target_).find(seen_, found_);
    seen_ = search_.states().size();
    find_pairs(effort);
    stacking_.find(target_.all, u32(target_.demos.size()), effort);
    return !found_.empty();
  }

  // Explanations of some demo outputs alone: of single states, and of stacks that leave one demo out.
  void explain_in_part(const Effort& effort) {
    stacking_.find_exact_in_part();
    const u32 demos = u32(target_.demos.size());
    for (u32 demo = 0; demos >= 3 && demo < demos; ++demo) {
      const Mask left_out = target_.cells_of(demo);
      Mask kept = target_.all;
      for (u32 k = 0; k < target_.words; ++k) kept[k] &= ~left_out[k];
      stacking_.find(kept, demos - 1, effort);
    }
  }

  std::vector<Explanation> best(u32 count) const { return found_.best(count); }
  u64 bytes() const { return bottoms_.bytes() + tops_.bytes() + regions_.bytes(); }
  u32 layer_count() const { return tops_.size(); }

 private:
  // Pairs of regions for each colour that the best bottoms lack.
  void find_pairs(const Effort& effort) {
    PairFinder pairs(target_, regions_, tops_);
    std::set<Mask> done;
    for (u32 bottom : stacking_.best_bottoms(target_.all, effort.bottoms_of_pairs)) {
      for (u32 color : target_.palette) {
        Mask lacking = target_.of_color[color];
        for (u32 k = 0; k < target_.words; ++k) lacking[k] &= bottoms_.wrong(bottom)[k];
        if (bits_in(lacking.data(), target_.words) && done.insert(lacking).second) pairs.find(lacking, color);
      }
    }
  }

  const Enumeration& search_;
  const Target& target_;
  Layers bottoms_, tops_, regions_;
  LayerMaker maker_;
  Explanations found_;
  Stacking stacking_;
  u32 seen_ = 0;  // states that have been looked at
};

}  // namespace arcbatt::search
