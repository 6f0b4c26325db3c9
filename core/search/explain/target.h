// The demo outputs as one row of cells, and sets of these cells as bit masks.
#pragma once

#include <array>
#include <vector>

#include "values/views.h"

namespace arcbatt::search {

using Mask = std::vector<u64>;

inline u32 bits_in(const u64* mask, u32 words) {
  u32 count = 0;
  for (u32 k = 0; k < words; ++k) count += bit_count(mask[k]);
  return count;
}

struct Demo {
  i64 height, width;
  u32 offset;  // of its first cell in the row
};

class Target {
 public:
  static constexpr u32 COLORS = COLOR_COUNT;

  explicit Target(const std::vector<Value>& outputs) {
    for (Value output : outputs) {
      const Grid grid(output);
      demos.push_back({grid.height, grid.width, u32(colors.size())});
      is_plain = is_plain && output.has_form(Form::bytes_grid) && grid.size() > 0;
      for (u32 k = 0; k < grid.size(); ++k) {
        colors.push_back(i8(grid.at(k)));
        is_plain = is_plain && grid.at(k) >= 0 && grid.at(k) < i64(COLORS);
      }
    }
    words = u32(colors.size() + 63) / 64;
    for (Mask& mask : of_color) mask.assign(words, 0);
    all.assign(words, 0);
    for (u32 k = 0; is_plain && k < colors.size(); ++k) {
      of_color[u32(colors[k])][k / 64] |= u64(1) << k % 64;
      all[k / 64] |= u64(1) << k % 64;
    }
    for (u32 color = 0; color < COLORS; ++color) {
      if (bits_in(of_color[color].data(), words)) palette.push_back(color);
    }
  }

  u32 cells() const { return u32(colors.size()); }

  // The cells of one demo output.
  Mask cells_of(u32 demo) const {
    Mask mask(words, 0);
    const u32 end = demo + 1 < demos.size() ? demos[demo + 1].offset : cells();
    for (u32 k = demos[demo].offset; k < end; ++k) mask[k / 64] |= u64(1) << k % 64;
    return mask;
  }

  std::vector<Demo> demos;
  std::vector<i8> colors;
  std::array<Mask, COLORS> of_color;
  Mask all;
  std::vector<u32> palette;  // of all outputs
  u32 words = 0;
  bool is_plain = true;  // every output is a grid of the ten colours
};

}  // namespace arcbatt::search
