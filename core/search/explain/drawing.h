// What a stack of layers gives on a sample.
#pragma once

#include <set>
#include <vector>

#include "search/explain/layers.h"

namespace arcbatt::search {

// Cells of a grid, drawn on layer by layer.
class Drawing {
 public:
  // The lowest layer; without cells if that is no grid of a size that outputs have.
  Drawing(const Enumeration& search, const Layer& bottom, u32 sample) : search_(search), sample_(sample) {
    const Value lowest = search.value(bottom.state, sample);
    if (bottom.kind == LayerKind::canvas) {
      const Location size = location_of(lowest);
      if (size.i < 1 || size.j < 1 || size.i > LONGEST_SIDE || size.j > LONGEST_SIDE) return;
      height = size.i;
      width = size.j;
      cells.assign(u64(height * width), i8(bottom.color));
    } else {
      const Head* head = lowest.head();
      height = head->count;
      width = head->detail;
      cells.assign(content<i8>(head), content<i8>(head) + height * width);
    }
    lowest_ = cells;
  }

  void add(const Layer& layer) {
    const Value v = search_.value(layer.state, sample_);
    switch (layer.kind) {
      case LayerKind::overlay: return add_overlay(Grid(v));
      case LayerKind::object: return add_object(Patch(v));
      case LayerKind::indices: return add_indices(Patch(v), color_of(layer));
      case LayerKind::common:
      case LayerKind::without:
        return add_pair(Patch(v), Patch(search_.value(layer.other, sample_)), layer.kind == LayerKind::common,
                        layer.color);
      case LayerKind::recolored: return recolor(i8(layer.from), i8(layer.color));
      case LayerKind::whole:
      case LayerKind::canvas: return;
    }
  }

  i64 height = 0, width = 0;
  std::vector<i8> cells;

 private:
  void put(Location at, i64 color) {
    if (at.i >= 0 && at.j >= 0 && at.i < height && at.j < width) cells[u64(at.i * width + at.j)] = i8(color);
  }

  i64 color_of(const Layer& layer) const {
    return layer.color_state == NO_STATE ? layer.color : search_.value(layer.color_state, sample_).integer();
  }

  void add_overlay(const Grid& grid) {
    for (i64 i = 0; i < grid.height; ++i) {
      for (i64 j = 0; j < grid.width; ++j) {
        if (grid(i, j)) put({i, j}, grid(i, j));
      }
    }
  }

  void add_object(const Patch& patch) {
    for (u32 k = 0; k < patch.count; ++k) put(patch.location(k), patch.cell(k).color);
  }

  void add_indices(const Patch& patch, i64 color) {
    for (u32 k = 0; k < patch.count; ++k) put(patch.location(k), color);
  }

  // The locations of one patch that are in another, or that are not.
  void add_pair(const Patch& patch, const Patch& other, bool if_there, i64 color) {
    std::set<std::pair<i64, i64>> there;
    for (u32 k = 0; k < other.count; ++k) there.emplace(other.location(k).i, other.location(k).j);
    for (u32 k = 0; k < patch.count; ++k) {
      const Location at = patch.location(k);
      if ((there.count({at.i, at.j}) > 0) == if_there) put(at, color);
    }
  }

  void recolor(i8 from, i8 to) {
    for (u64 k = 0; k < cells.size(); ++k) {
      if (lowest_[k] == from) cells[k] = to;
    }
  }

  const Enumeration& search_;
  const u32 sample_;
  std::vector<i8> lowest_;
};

}  // namespace arcbatt::search
