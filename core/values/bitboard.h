// A bitboard: takes packed keys of locations or cells in any order and gives each back once, ascending.
#pragma once

#include "values/lane.h"

namespace arcbatt {

// The keys that a board has room for: ranges of colours, rows and columns, as keys count them (from 0).
struct KeyBox {
  u32 color, colors, top, rows, left, columns;

  HOST_DEVICE constexpr u32 words_a_line() const { return (columns + 63) / 64; }
  HOST_DEVICE constexpr u64 words() const { return u64(colors) * rows * words_a_line(); }
};

// The key of a location has this number as its colour.
constexpr u32 NO_COLOR = key_of(Location{0, 0}) >> 24;

// Rows and columns -64..191: as far as lines and moves on grids go.
HOST_DEVICE constexpr KeyBox around_grids(u32 color = NO_COLOR, u32 colors = 1) {
  constexpr u32 first = 2048 - 64, many = 256;
  return {color, colors, first, many, first, many};
}

// The box of all keys whose fields differ from those of one key in some bits only.
HOST_DEVICE inline KeyBox aligned_box(u32 key, u32 differing) {
  const auto size = [&](int field, u32 bits) {
    u32 most = differing >> field & bits, numbers = 1;
    for (; most; most >>= 1) numbers *= 2;
    return numbers;
  };
  const u32 colors = size(24, 255), rows = size(12, 4095), columns = size(0, 4095);
  return {key >> 24 & ~(colors - 1),   colors, key >> 12 & 4095 & ~(rows - 1), rows,
          key & 4095 & ~(columns - 1), columns};
}

// A box of some keys: the smallest or, where it is small for so many, one that is found faster.
template <class Group>
HOST_DEVICE KeyBox box_of(const Group& group, const u32* keys, u32 count) {
  if constexpr (Group::SIZE == 1) {
    u32 differing = 0;
    for (u32 k = 1; k < count; ++k) differing |= keys[k] ^ keys[0];
    const KeyBox box = aligned_box(keys[0], differing);
    if (box.words() <= count / 2) return box;
  }
  i32 low = 255, high = 0, top = LOCATION_BITS, bottom = 0, left = 4095, right = 0;
  for (u32 k = group.rank(); k < count; k += group.size()) {
    const i32 color = keys[k] >> 24, row = keys[k] & LOCATION_BITS, column = keys[k] & 4095;
    low = color < low ? color : low;
    high = color > high ? color : high;
    top = row < top ? row : top;
    bottom = row > bottom ? row : bottom;
    left = column < left ? column : left;
    right = column > right ? column : right;
  }
  const u32 color = u32(group.min(low)), first = u32(group.min(top)) >> 12, column = u32(group.min(left));
  const u32 colors = u32(group.max(high)) - color + 1, columns = u32(group.max(right)) - column + 1;
  return {color, colors, first, (u32(group.max(bottom)) >> 12) - first + 1, column, columns};
}

// Write first + place for every set bit of a word, ascending; returns the end of what was written. The rows
// of most patches are one run.
HOST_DEVICE inline u32* write_bits(u64 word, u32 first, u32* to) {
  if (word == 0) return to;
  const u32 start = lowest_bit(word);
  const u64 run = word >> start;
  if ((run & (run + 1)) == 0) {
    const u32 length = bit_count(run);
    for (u32 k = 0; k < length; ++k) to[k] = first + start + k;
    return to + length;
  }
  for (; word; word &= word - 1) *to++ = first + lowest_bit(word);
  return to;
}

// A line of the board is a row in one colour: words with a bit for each column.
template <class Group>
class Bitboard {
 public:
  // An empty board. It does not exist, and the lane failed, if there is no memory for it.
  HOST_DEVICE Bitboard(Lane<Group>& lane, Scratch<Group>& scratch, const KeyBox& box)
      : group_(lane.group), box_(box), words_a_line_(box.words_a_line()),
        first_(box.color << 24 | box.top << 12 | box.left), words_(scratch.template array<u64>(box.words())),
        counts_(Group::SIZE > 1 ? scratch.template array<u32>(Group::SIZE) : nullptr),
        exists_(!lane.failed()) {
    if (exists_) each(group_, u32(box.words()), [&](u32 k) { words_[k] = 0; });
  }
  HOST_DEVICE bool exists() const { return exists_; }

  // Add a key that lies in the box, from any thread of the group.
  HOST_DEVICE void put(u32 key) const {
    const u32 place = key - first_, line = (place >> 24) * box_.rows + (place >> 12 & 4095);
    group_.set_bits(words_ + line * words_a_line_ + (place >> 6 & 63), u64(1) << place % 64);
  }

  // The same for many: each thread takes its share.
  HOST_DEVICE void put_all(const u32* keys, u32 count) const {
    u64* const words = words_;
    const u32 first = first_;
    if (words_a_line_ > 1) return each(group_, count, [&](u32 k) { put(keys[k]); });
    const u32 between = box_.colors > 1 ? 4096 - box_.rows : 0;  // rows that keys count and the board has not
    each(group_, count, [&](u32 k) {
      const u32 place = keys[k] - first;
      group_.set_bits(words + ((place >> 12) - (place >> 24) * between), u64(1) << place % 64);
    });
  }

  // Add `count` keys in a line that lies in the box: the first one, the next one `down` rows and `right`
  // columns on, and so forth. Either is -1, 0 or 1.
  HOST_DEVICE void put_line(u32 key, i32 down, i32 right, u32 count) const {
    if (down < 0) {  // from its other end
      key -= (count - 1) * u32(4096 - right);
      right = -right;
    }
    const u32 place = key - first_;
    u64* word = words_ + ((place >> 24) * box_.rows + (place >> 12 & 4095)) * words_a_line_;
    u32 column = place & 4095;
    if (down != 0 && right == 0 && words_a_line_ == 1) {
      for (u32 k = 0; k < count; ++k) group_.set_bits(word + k, u64(1) << column);
      return;
    }
    for (u32 k = 0; k < count; ++k) {
      group_.set_bits(word + column / 64, u64(1) << column % 64);
      word += down != 0 ? words_a_line_ : 0;
      column += u32(right);
    }
  }

  // Add any key; false if it lies outside the box.
  HOST_DEVICE bool add(u32 key) const {
    // A column or a row that lies before the box wraps around to one that lies far behind it.
    const u32 place = key - first_;
    if ((place & 4095) >= box_.columns || (place >> 12 & 4095) >= box_.rows || place >> 24 >= box_.colors)
      return false;
    put(key);
    return true;
  }

  // The same for a location, which need not fit a key.
  HOST_DEVICE bool add(Location at) const { return fits_key(Cell{0, at.i, at.j}) && add(key_of(at)); }

  // Write the keys, ascending, where there must be room for them; returns how many there are.
  HOST_DEVICE u32 write(u32* keys) const {
    if constexpr (Group::SIZE == 1) return u32(write_words(0, box_.words(), keys) - keys);
    const u64 share = (box_.words() + Group::SIZE - 1) / Group::SIZE;
    const u64 start = u64(least(share * group_.rank(), box_.words()));
    const u64 end = u64(least(start + share, box_.words()));
    u32 mine = 0, before = 0, total = 0;
    group_.sync();  // all keys have been added
    for (u64 word = start; word < end; ++word) mine += bit_count(words_[word]);
    counts_[group_.rank()] = mine;
    group_.sync();
    for (u32 rank = 0; rank < Group::SIZE; ++rank) {
      if (rank == group_.rank()) before = total;
      total += counts_[rank];
    }
    write_words(start, end, keys + before);
    group_.sync();
    return total;
  }

  // How many keys there are.
  HOST_DEVICE u32 count() const {
    group_.sync();  // all keys have been added
    return u32(sum_of(group_, u32(box_.words()), [&](u32 k) { return bit_count(words_[k]); }));
  }

 private:
  // Write the keys of some words; returns the place behind the last one.
  HOST_DEVICE u32* write_words(u64 start, u64 end, u32* keys) const {
    u32 line = u32(start / words_a_line_), word = u32(start % words_a_line_);
    u32 color = line / box_.rows, row = line % box_.rows;
    for (u64 k = start; k < end; ++k) {
      const u32 key = first_ + (color << 24 | row << 12 | word << 6);
      keys = write_bits(words_[k], key, keys);
      if (++word < words_a_line_) continue;
      word = 0;
      if (++row < box_.rows) continue;
      row = 0;
      ++color;
    }
    return keys;
  }

  const Group group_;
  const KeyBox box_;
  const u32 words_a_line_, first_;  // the key of the first bit
  u64* const words_;
  u32* const counts_;  // how many keys each thread writes
  const bool exists_;
};

}  // namespace arcbatt
