// Runs: cells of a grid as stretches of equal colour within a row. They are found 64 places at a time, as
// bits; a place is row * width + column.
#pragma once

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#endif

#include "grids.h"

namespace arcbatt {

constexpr u64 EACH_BYTE = 0x0101010101010101u;  // times a byte: the byte in all eight

// For each byte of a word 1, or 0 if it is 0.
HOST_DEVICE constexpr u64 nonzero_bytes(u64 word) {
  return (((word & 127 * EACH_BYTE) + 127 * EACH_BYTE) | word) >> 7 & EACH_BYTE;
}

// Eight bytes that are 0 or 1 as bits, and back.
HOST_DEVICE constexpr u64 bits_of_bytes(u64 flags) { return flags * 0x0102040810204080u >> 56; }
HOST_DEVICE constexpr u64 bytes_of_bits(u64 bits) {
  return nonzero_bytes(bits * EACH_BYTE & 0x8040201008040201u);
}

HOST_DEVICE inline u64 eight_bytes(const u8* from) {
  return u64(from[0]) | u64(from[1]) << 8 | u64(from[2]) << 16 | u64(from[3]) << 24 | u64(from[4]) << 32 |
         u64(from[5]) << 40 | u64(from[6]) << 48 | u64(from[7]) << 56;
}

// Which of 64 bytes differ from those at another place, or from one colour.
HOST_DEVICE inline u64 differing_bytes(const u8* a, const u8* b) {
  u64 bits = 0;
#if defined(__SSE2__) && !defined(__CUDACC__)
  for (u32 k = 0; k < 64; k += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + k));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + k));
    bits |= u64(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y))) << k;
  }
  return ~bits;
#else
  for (u32 k = 0; k < 64; k += 8) {
    bits |= bits_of_bytes(nonzero_bytes(eight_bytes(a + k) ^ eight_bytes(b + k))) << k;
  }
  return bits;
#endif
}
HOST_DEVICE inline u64 differing_bytes(const u8* a, u8 color) {
  u64 bits = 0;
#if defined(__SSE2__) && !defined(__CUDACC__)
  const __m128i y = _mm_set1_epi8(char(color));
  for (u32 k = 0; k < 64; k += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + k));
    bits |= u64(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y))) << k;
  }
  return ~bits;
#else
  for (u32 k = 0; k < 64; k += 8) {
    bits |= bits_of_bytes(nonzero_bytes(eight_bytes(a + k) ^ EACH_BYTE * color)) << k;
  }
  return bits;
#endif
}

// Write eight numbers from `first` on.
HOST_DEVICE inline void write_eight(u32* to, u32 first) {
#if defined(__SSE2__) && !defined(__CUDACC__)
  const __m128i four = _mm_add_epi32(_mm_set1_epi32(i32(first)), _mm_setr_epi32(0, 1, 2, 3));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), four);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 4), _mm_add_epi32(four, _mm_set1_epi32(4)));
#else
  for (u32 k = 0; k < 8; ++k) to[k] = first + k;
#endif
}

// 64 bits of a bit array from `place` on; the array has a word to spare.
HOST_DEVICE inline u64 bits_from(const u64* words, u64 place) {
  const u64* word = words + place / 64;
  const u32 skipped = place % 64;
  return skipped ? word[0] >> skipped | word[1] << (64 - skipped) : word[0];
}

constexpr u64 TOP_BIT = u64(1) << 63;

// The bits of all multiples of a number above 0.
HOST_DEVICE inline u64 multiples_of(u32 number) {
  u64 bits = 1;
  for (u32 step = number; step < 64; step *= 2) bits |= bits << step;
  return bits;
}

// The colours of a grid by place. A row above it and 64 places behind it can be read, too; they are anything.
struct PaddedColors {
  const u8* bytes;
  const i32* numbers;  // of a wide grid

  // Which of 64 places from `a` on differ in colour from those from `b` on, or from one colour.
  HOST_DEVICE u64 differing(i64 a, i64 b) const {
    if (!numbers) return differing_bytes(bytes + a, bytes + b);
    u64 bits = 0;
    for (u32 k = 0; k < 64; ++k) bits |= u64(numbers[a + k] != numbers[b + k]) << k;
    return bits;
  }
  HOST_DEVICE u64 differing_from(i64 a, i64 color) const {
    if (!numbers) return differing_bytes(bytes + a, u8(color));
    u64 bits = 0;
    for (u32 k = 0; k < 64; ++k) bits |= u64(numbers[a + k] != color) << k;
    return bits;
  }
};

// A copy with that room. With bytes all bits that occur in them are left in `seen`.
template <class Color, class Group>
HOST_DEVICE const Color* padded(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid, u8& seen) {
  const u32 above = u32(grid.width) + 1;
  Color* room = scratch.template array<Color>(above + u64(grid.size()) + 128);
  if (!room) return nullptr;
  const Color* from = content<Color>(grid.head);
  Color* to = room + above;
  u8 bits = 0;
  each(lane.group, grid.size(), [=, &bits](u32 k) {
    to[k] = from[k];
    bits |= u8(from[k]);
  });
  seen = bits;
  return to;
}

// The runs of all cells of a grid, or of those that are not background.
struct Runs {
  PaddedColors colors;
  u32 size, width;
  u32 words;  // of a bit array that has a bit for each place and one for the end of the grid
  u32 count;
  u64* inside;  // bits: the cells that have a run; before them there are zeros for a row and more
  u64* rows;  // bits: where rows begin, and the end of the grid
  u64* breaks;  // bits: what begins a row, or differs in colour from its left neighbour
  u64* firsts;  // bits: where runs begin
  u32* before;  // the runs that begin before each 64 places, less one; at the end how many there are
  u32 *starts, *ends;
  u32* by_color;  // of a grid of bytes: a number for each of `color_span` colours; zeros
  u32 color_span;
  u8 sign;  // 128 if colours may be negative

  // The place of a run's colour in ascending order, for a grid of bytes.
  HOST_DEVICE u32 color_at(u32 run) const { return colors.bytes[starts[run]] ^ sign; }

  HOST_DEVICE u32 length(u32 run) const { return ends[run] - starts[run]; }
  // The bits of `inside` so many places before.
  HOST_DEVICE u64 inside_back(u32 word, u32 by) const {
    const u32 lead = width / 64 + 2;
    return bits_from(inside - lead, 64 * u64(lead + word) - by);
  }
};

constexpr i64 EVERY_COLOR_STAYS = i64(1) << 32;  // as no cell has this one

// The runs of a grid that has cells, without those of one colour; it is empty, and the lane failed, if there
// is no memory for it.
template <class Group>
CALLED Runs runs_of(Lane<Group>& lane, Scratch<Group>& scratch, const Grid& grid, i64 without) {
  const u32 size = grid.size(), width = u32(grid.width), words = size / 64 + 1, lead = width / 64 + 2;
  Runs runs{};
  u8 seen = 0;
  const PaddedColors colors{grid.wide ? nullptr : padded<u8>(lane, scratch, grid, seen),
                            grid.wide ? padded<i32>(lane, scratch, grid, seen) : nullptr};
  u64* bits = scratch.template array<u64>(lead + 4 * u64(words) + 2);
  u32* numbers = scratch.template array<u32>(words + 259 + 2 * u64(size));
  if (lane.failed()) return runs;
  runs.colors = colors;
  runs.size = size;
  runs.width = width;
  runs.words = words;
  runs.inside = bits + lead;
  runs.rows = runs.inside + words;
  runs.breaks = runs.rows + words + 1;
  runs.firsts = runs.breaks + words + 1;
  runs.before = numbers;
  runs.by_color = numbers + words + 1;
  runs.starts = runs.by_color + 256;
  runs.ends = runs.starts + size + 1;
  const u32 bound = u32(lane.group.max(seen));  // no colour read as u8 exceeds it
  runs.color_span = bound < 16 ? 16 : bound < 128 ? 128 : 256;
  runs.sign = bound < 128 ? 0 : 128;
  each(lane.group, runs.color_span, [&](u32 k) { runs.by_color[k] = 0; });
  each(lane.group, lead, [=](u32 k) { bits[k] = 0; });
  const u64 every_row = multiples_of(width);
  each(lane.group, words, [&](u32 word) {
    const i64 place = 64 * i64(word);
    const u32 column = u32(place % width), ahead = column ? width - column : 0;
    const u64 rows = ahead < 64 ? every_row << ahead : 0;
    const u64 differing = colors.differing(place, place - 1) | rows;
    u64 inside = without == EVERY_COLOR_STAYS ? ~u64(0) : colors.differing_from(place, without);
    if (word + 1 == words) inside &= (u64(1) << size % 64) - 1;
    runs.inside[word] = inside;
    runs.rows[word] = rows;
    runs.breaks[word] = differing;
    runs.firsts[word] = differing & inside;
  });
  once(lane.group, [&] {
    runs.rows[words] = runs.breaks[words] = 0;
    u32 count = 0, ended = 0;
    for (u32 word = 0; word < words; ++word) {
      runs.before[word] = count - 1;
      u64 begins = runs.firsts[word], last = runs.inside[word] & bits_from(runs.breaks, 64 * u64(word) + 1);
      for (; begins | last; begins &= begins - 1, last &= last - 1) {
        runs.starts[count] = 64 * word + lowest_bit(begins | TOP_BIT);
        runs.ends[ended] = 64 * word + lowest_bit(last | TOP_BIT) + 1;
        count += begins != 0;  // often both go on: a branch would cost more
        ended += last != 0;
      }
    }
    runs.before[words] = count;
  });
  runs.count = runs.before[words];
  return runs;
}

// Have the numbers by colour, which are counts, say how many come before each colour. For one thread.
HOST_DEVICE inline void add_up_colors(const Runs& runs) {
  u32 total = 0;
  for (u32 color = 0; color < runs.color_span; ++color) {
    const u32 here = runs.by_color[color];
    runs.by_color[color] = total;
    total += here;
  }
}

// The runs of each colour, as lists by place.
struct ColorLists {
  u32* first;  // by colour
  u32* next;  // by run
};
constexpr u32 NO_RUN = HEAVIEST;

template <class Group>
CALLED ColorLists color_lists(Lane<Group>& lane, Scratch<Group>& scratch, const Runs& runs) {
  const ColorLists lists{scratch.template array<u32>(runs.color_span),
                         scratch.template array<u32>(runs.count)};
  if (lane.failed()) return lists;
  each(lane.group, runs.color_span, [=](u32 color) { lists.first[color] = NO_RUN; });
  once(lane.group, [=, &runs] {
    for (u32 run = runs.count; run-- > 0;) {
      u32& first = lists.first[runs.color_at(run)];
      lists.next[run] = first;
      first = run;
    }
  });
  return lists;
}

// Writes the keys of runs, for a grid whose cells have keys.
struct KeyWriter {
  const Runs& runs;
  u64 inverse;  // of the width, so that a row is found without a division

  static constexpr u32 SHIFT = 40, TOGETHER = 8;

  HOST_DEVICE explicit KeyWriter(const Runs& runs)
      : runs(runs), inverse(((u64(1) << SHIFT) + runs.width - 1) / runs.width) {}

  // Write the keys of a run, and answer where they end. One thread alone writes some keys together, and so
  // may write some too many.
  template <class Group>
  HOST_DEVICE u32* write(const Group& group, u32 run, u32* to) const {
    const u32 place = runs.starts[run], length = runs.length(run), row = u32(place * inverse >> SHIFT);
    const u32 key = key_of(Cell{i8(runs.colors.bytes[place]), row, place - row * runs.width});
    if (group.size() > 1) {
      for (u32 k = 0; k < length; ++k) to[k] = key + k;
    } else {
      for (u32 k = 0; k < length; k += TOGETHER) write_eight(to + k, key + k);
    }
    return to + length;
  }
};

}  // namespace arcbatt
