// Completion: cells of one colour, the mask, replaced by what symmetry or a period says.
#pragma once

#include "drawing.h"

namespace arcbatt {

// A symmetry that is its own inverse, on a part of a grid that it maps to itself: the image of row i, column
// j is at origin + i * down + j * right.
struct Symmetry {
  i64 top, left, bottom, right_end;
  CellWalk walk;

  HOST_DEVICE bool holds(i64 i, i64 j) const { return i >= top && i < bottom && j >= left && j < right_end; }
  HOST_DEVICE i64 image(i64 i, i64 j) const { return walk.origin + i * walk.down + j * walk.right; }
  HOST_DEVICE i64 size() const { return most(0, bottom - top) * most(0, right_end - left); }
};

// Numbers n of a length for which sum - n lies in it, too: from .first to below .second.
struct Overlap {
  i64 first, end;
  HOST_DEVICE Overlap(i64 sum, i64 length) : first(most(0, sum - length + 1)), end(least(length, sum + 1)) {}
};

HOST_DEVICE inline Symmetry left_right(i64 height, i64 width, i64 sum) {
  const Overlap columns(sum, width);
  return {0, columns.first, height, columns.end, {sum, width, -1}};
}
HOST_DEVICE inline Symmetry up_down(i64 height, i64 width, i64 sum) {
  const Overlap rows(sum, height);
  return {rows.first, 0, rows.end, width, {sum * width, -width, 1}};
}
// Rows become columns, `lead` fewer; columns become rows, so many more.
HOST_DEVICE inline Symmetry diagonal(i64 height, i64 width, i64 lead) {
  return {most(0, lead),
          most(0, -lead),
          least(height, width + lead),
          least(width, height - lead),
          {lead * width - lead, 1, width}};
}
HOST_DEVICE inline Symmetry counter_diagonal(i64 height, i64 width, i64 sum) {
  return {most(0, sum - width + 1),
          most(0, sum - height + 1),
          least(height, sum + 1),
          least(width, sum + 1),
          {sum * width + sum, -1, -width}};
}
HOST_DEVICE inline Symmetry half_turn(i64 height, i64 width, i64 down, i64 right) {
  const Overlap rows(down, height), columns(right, width);
  return {rows.first, columns.first, rows.end, columns.end, {down * width + right, -width, -1}};
}

// How many unmasked cells a symmetry relates to other ones; none if two that it relates differ.
template <class Group, class Number>
HOST_DEVICE i64 related_by(const Group& group, const Number* cells, i64 width, i64 mask,
                           const Symmetry& symmetry) {
  i64 related = 0;
  bool differs = false;
  for (i64 i = symmetry.top + group.rank(); i < symmetry.bottom && !differs; i += group.size()) {
    i64 here = i * width + symmetry.left, there = symmetry.image(i, symmetry.left);
    for (i64 j = symmetry.left; j < symmetry.right_end; ++j, ++here, there += symmetry.walk.right) {
      const Number color = cells[here], other = cells[there];
      if (color == mask || other == mask) continue;
      if (color != other) {
        differs = true;
        break;
      }
      related += here != there;
    }
  }
  return group.any(differs) ? 0 : group.sum(related);
}

// The best symmetry of a class so far; those nearest to the middle of the grid are tried first.
template <class Group, class Number>
struct BestSymmetry {
  const Group& group;
  const Number* cells;
  i64 width, mask, unmasked;
  Symmetry chosen = {};
  i64 most_related = 0;

  HOST_DEVICE void attempt(const Symmetry& symmetry) {
    if (symmetry.size() <= most_related || 2 * symmetry.size() < unmasked) return;
    const i64 related = related_by(group, cells, width, mask, symmetry);
    if (related <= most_related || 2 * related < unmasked) return;
    most_related = related;
    chosen = symmetry;
  }

  // Try the axes around a middle, which is given twice, or four times with axes at even numbers alone.
  template <class Make>
  HOST_DEVICE void attempt_axes(i64 middle, i64 step, Make make) {
    for (i64 distance = 0; distance <= MIRROR_REACH; ++distance) {
      if ((middle - distance) % step) continue;
      attempt(make((middle - distance) / step));
      if (distance) attempt(make((middle + distance) / step));
    }
  }

  template <class Make>
  HOST_DEVICE void attempt_centres(Location middle, Make make) {
    for (i64 distance = 0; distance <= 2 * TURN_REACH; ++distance) {
      for (i64 down = -least(distance, TURN_REACH); down <= least(distance, TURN_REACH); ++down) {
        const i64 right = distance - magnitude(down);
        if (right > TURN_REACH) continue;
        attempt(make(middle.i + down, middle.j - right));
        if (right) attempt(make(middle.i + down, middle.j + right));
      }
    }
  }
};

constexpr u32 SYMMETRY_CLASSES = 5;

// The best symmetry of each class that has one, in the order of the classes; returns how many there are.
template <class Group, class Number>
HOST_DEVICE u32 find_symmetries(const Group& group, const Grid& grid, const Number* cells, i64 mask,
                                i64 unmasked, Symmetry* found) {
  const i64 height = grid.height, width = grid.width;
  u32 count = 0;
  for (u32 kind = 0; kind < SYMMETRY_CLASSES; ++kind) {
    BestSymmetry<Group, Number> best{group, cells, width, mask, unmasked};
    const auto axes = [&](i64 middle, i64 step, auto make) {
      best.attempt_axes(middle, step, [=](i64 axis) { return make(height, width, axis); });
    };
    switch (kind) {
      case 0: axes(width - 1, 1, left_right); break;
      case 1: axes(height - 1, 1, up_down); break;
      case 2: axes(height - width, 2, diagonal); break;
      case 3: axes(height + width - 2, 2, counter_diagonal); break;
      default:
        best.attempt_centres({height - 1, width - 1},
                             [=](i64 down, i64 right) { return half_turn(height, width, down, right); });
    }
    if (best.most_related > 0) found[count++] = best.chosen;
  }
  return count;
}

// The places of the masked cells, and how many there are.
struct Masked {
  u32* places;
  u32 count;
};

template <class Group>
HOST_DEVICE Masked masked_cells(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid, i64 mask) {
  if (!grid.wide && !fits_bits(mask, 8)) return {nullptr, 0};
  const auto is_masked = [=](u32 place) { return grid.at(place) == mask; };
  if (!any_of(lane.group, grid.size(), is_masked)) return {nullptr, 0};
  u32* places = scratch.template array<u32>(grid.size());
  if (!places) return {nullptr, 0};
  return {places, compact(lane.group, grid.size(), is_masked, [=](u32 at, u32 k) { places[at] = k; })};
}

HOST_DEVICE Value op_symmetric(auto& lane, Grid grid, i64 mask) {
  Scratch scratch(lane);
  const Masked masked = masked_cells(lane, scratch, grid, mask);
  i32* found = scratch.template array<i32>(masked.count);
  if (lane.failed()) return NO_VALUE;
  if (masked.count == 0 || masked.count == grid.size()) return grid.value();
  return redrawn(lane, grid, !grid.wide, [&](auto* cells) {
    Symmetry symmetries[SYMMETRY_CLASSES];
    const i64 unmasked = i64(grid.size()) - masked.count;
    const u32 count = find_symmetries(lane.group, grid, cells, mask, unmasked, symmetries);
    bool changes = count > 0;
    for (u32 round = 0; round < FILL_ROUNDS && changes; ++round) {
      each(lane.group, masked.count, [&](u32 k) {
        const Location at = location_at(grid, masked.places[k]);
        i64 color = cells[masked.places[k]];
        for (u32 m = 0; m < count && color == mask; ++m) {
          if (symmetries[m].holds(at.i, at.j)) color = cells[symmetries[m].image(at.i, at.j)];
        }
        found[k] = i32(color);
      });
      bool mine = false;
      each(lane.group, masked.count, [&](u32 k) {
        auto& cell = cells[masked.places[k]];
        mine = mine || cell != found[k];
        cell = found[k];
      });
      changes = lane.group.any(mine);
    }
  });
}

// A grid in which periods are looked for, by one thread: its cells, and room for one of them at each place.
template <class Number>
struct Period {
  const Number* cells;
  Number* seen;
  i64 height, width, mask, unmasked;

  // Whether cells that are so many rows and columns apart are equal where both are unmasked.
  HOST_DEVICE bool next_ones_agree(i64 down, i64 right) const {
    const i64 back = down * width + right, from = most(0, right), to = least(width, width + right);
    for (i64 i = down; i < height; ++i) {
      for (i64 place = i * width + from; place < i * width + to; ++place) {
        const Number color = cells[place], earlier = cells[place - back];
        if (color != earlier && color != mask && earlier != mask) return false;
      }
    }
    return true;
  }

  // Whether this is so for any number of such steps, and enough cells repeat an earlier one.
  HOST_DEVICE bool holds(i64 down, i64 right) const {
    if (!next_ones_agree(down, right)) return false;
    const i64 back = down * width + right;
    i64 repeats = 0, place = 0;
    for (i64 i = 0; i < height; ++i) {
      for (i64 j = 0; j < width; ++j, ++place) {
        const Number color = cells[place];
        seen[place] = color;
        if (i < down || j < right || j - right >= width) continue;
        const Number earlier = seen[place - back];
        if (earlier == mask) continue;
        seen[place] = earlier;
        if (color == mask) continue;
        if (color != earlier) return false;
        ++repeats;
      }
    }
    return 4 * repeats >= unmasked;
  }

  // The least shift that holds along rows or columns, or their length.
  HOST_DEVICE i64 least_shift(i64 length, bool is_down) const {
    for (i64 by = 1; by < length && by <= PERIOD_REACH; ++by) {
      if (is_down ? holds(by, 0) : holds(0, by)) return by;
    }
    return length;
  }

  // The least slanting shift that holds; (0, 0) if there is none.
  HOST_DEVICE Location least_slant() const {
    for (i64 length = 2; length <= SHIFT_ROWS + SHIFT_COLUMNS; ++length) {
      for (i64 down = 1; down <= SHIFT_ROWS && down < length; ++down) {
        const i64 right = length - down;
        if (right > SHIFT_COLUMNS) continue;
        if (holds(down, -right)) return {down, -right};
        if (holds(down, right)) return {down, right};
      }
    }
    return {0, 0};
  }
};

// Give each masked cell the colour of the first unmasked one of its class by row and column. For one thread,
// with room for a number of each class.
template <class Number>
HOST_DEVICE void fill_by_class(const Period<Number>& period, i64 rows, i64 columns, Number* cells) {
  Number* first = period.seen;
  for (i64 k = 0; k < rows * columns; ++k) first[k] = Number(period.mask);
  for (u32 pass = 0; pass < 2; ++pass) {
    const bool fills = pass > 0;
    i64 place = 0;
    for (i64 i = 0, row = 0; i < period.height; ++i, row = row + 1 < rows ? row + 1 : 0) {
      for (i64 j = 0, column = 0; j < period.width; ++j, ++place) {
        Number& known = first[row * columns + column];
        if (fills && cells[place] == period.mask) cells[place] = known;
        else if (!fills && known == period.mask) known = cells[place];
        column = column + 1 < columns ? column + 1 : 0;
      }
    }
  }
}

// Give each masked cell the colour of an unmasked one that is a number of shifts away. For one thread.
template <class Number>
HOST_DEVICE void fill_by_shift(const Period<Number>& period, Location shift, Number* cells) {
  const i64 height = period.height, width = period.width, back = shift.i * width + shift.j;
  for (i64 i = shift.i; i < height; ++i) {
    for (i64 j = most(0, shift.j); j < least(width, width + shift.j); ++j) {
      Number& cell = cells[i * width + j];
      if (cell == period.mask) cell = cells[i * width + j - back];
    }
  }
  for (i64 i = height - 1 - shift.i; i >= 0; --i) {
    for (i64 j = most(0, -shift.j); j < least(width, width - shift.j); ++j) {
      Number& cell = cells[i * width + j];
      if (cell == period.mask) cell = cells[i * width + j + back];
    }
  }
}

// Fill the masked cells by periods. For one thread.
template <class Number>
HOST_DEVICE void complete(const Period<Number>& period, Number* cells) {
  const i64 rows = period.least_shift(period.height, true), columns = period.least_shift(period.width, false);
  if (rows < period.height || columns < period.width) return fill_by_class(period, rows, columns, cells);
  const Location slant = period.least_slant();
  if (slant.i) fill_by_shift(period, slant, cells);
}

HOST_DEVICE Value op_periodic(auto& lane, Grid grid, i64 mask) {
  Scratch scratch(lane);
  const Masked masked = masked_cells(lane, scratch, grid, mask);
  i32* room = scratch.template array<i32>(grid.size());
  if (lane.failed()) return NO_VALUE;
  if (masked.count == 0 || masked.count == grid.size()) return grid.value();
  const auto fill = [&]<class Number>(Number* cells) {
    Number* seen = reinterpret_cast<Number*>(room);
    const i64 unmasked = i64(grid.size()) - masked.count;
    once(lane.group,
         [&] { complete(Period<Number>{cells, seen, grid.height, grid.width, mask, unmasked}, cells); });
  };
  return redrawn(lane, grid, !grid.wide, fill);
}

}  // namespace arcbatt
