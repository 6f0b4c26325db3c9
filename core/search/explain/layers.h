// Layers: states that may be part of an output, with the output cells where they are right and where they are
// wrong. Layers that agree on all demo samples are one class.
#pragma once

#include <unordered_map>
#include <vector>

#include "search/enumeration.h"
#include "search/explain/target.h"

namespace arcbatt::search {

constexpr u32 NO_STATE = 0xffffffffu;

struct Layer {
  LayerKind kind;
  u32 state;  // of indices that are `common` to two states, or of one `without` the other, the first
  u32 color = 0;  // of indices, of a canvas, or that a colour becomes
  u32 color_state = NO_STATE;  // that gives the colour instead
  u32 from = 0;  // the colour that is recoloured
  u32 other = NO_STATE;  // the second state
};

class Layers {
 public:
  static constexpr u32 ALTERNATIVES = 3;  // layers of a class that differ on test samples

  struct Class {
    u32 cost;  // of its first layer, the cheapest
    std::vector<Layer> members;
  };

  Layers(const Enumeration& search, const Target& target) : search_(search), target_(target) {}

  u32 size() const { return u32(classes_.size()); }
  const Class& operator[](u32 number) const { return classes_[number]; }
  const u64* right(u32 number) const { return masks_.data() + u64(number) * 2 * target_.words; }
  const u64* wrong(u32 number) const { return right(number) + target_.words; }
  u64 bytes() const { return masks_.size() * 8 + classes_.size() * (sizeof(Class) + sizeof(Layer) + 48); }

  // Add a layer by the cells where it is right and where it is wrong.
  void add(const Layer& layer, u32 cost, const Mask& right, const Mask& wrong) {
    u64 hash = 0;
    for (const u64 word : right) hash = mixed(hash, word);
    for (const u64 word : wrong) hash = mixed(hash, word);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      const u32 number = known->second;
      if (std::equal(right.begin(), right.end(), this->right(number)) &&
          std::equal(wrong.begin(), wrong.end(), this->wrong(number))) {
        join(classes_[number], layer, cost);
        return;
      }
    }
    by_hash_.emplace(hash, size());
    classes_.push_back({cost, {layer}});
    masks_.insert(masks_.end(), right.begin(), right.end());
    masks_.insert(masks_.end(), wrong.begin(), wrong.end());
  }

 private:
  void join(Class& known, const Layer& layer, u32 cost) {
    for (const Layer& other : known.members) {
      if (gives_the_same(layer, other)) return;
    }
    if (cost < known.cost) {
      known.cost = cost;
      known.members.insert(known.members.begin(), layer);
      if (known.members.size() > ALTERNATIVES) known.members.pop_back();
    } else if (known.members.size() < ALTERNATIVES) {
      known.members.push_back(layer);
    }
  }

  // Whether two layers of a class are alike on the test samples.
  bool gives_the_same(const Layer& a, const Layer& b) const {
    if (a.kind != b.kind || a.color != b.color || a.color_state != b.color_state) return false;
    return alike_on_tests(a.state, b.state) && (a.other == b.other || alike_on_tests(a.other, b.other));
  }

  bool alike_on_tests(u32 a, u32 b) const {
    const u32 *x = search_.states().vector(a), *y = search_.states().vector(b);
    return std::equal(x + target_.demos.size(), x + search_.states().samples(), y + target_.demos.size());
  }

  const Enumeration& search_;
  const Target& target_;
  std::vector<Class> classes_;
  std::vector<u64> masks_;  // for each class its right cells, then its wrong ones
  std::unordered_multimap<u64, u32> by_hash_;
};

}  // namespace arcbatt::search
