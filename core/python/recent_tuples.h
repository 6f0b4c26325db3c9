// Rows and grids as Python Tuples, kept for later ones of the same content. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <memory>
#include <vector>

#include "values/value.h"

namespace arcbatt {

// Both caches are bounded: each content has one slot, which the latest of those that share it takes. A Tuple
// is immutable, so one object can stand for all that are equal, and only numbers are in it, so no code of the
// user runs when it goes. The caller holds the interpreter lock.

// Rows of small numbers. Most rows of ARC grids occur again, in the same grid or in the results of the next
// ops.
class RecentRows {
 public:
  static constexpr u32 NARROWEST = 2, WIDEST = 32;

  static RecentRows& all() {
    static RecentRows made;
    return made;
  }

  // A new reference to the Tuple of NARROWEST to WIDEST cells; `make` makes it if it is not here.
  template <class Make>
  PyObject* row(const i8* cells, u32 width, Make make) {
    const Words words = read(cells, width);
    u64 mixed = (words.first + width) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32 ^ words.second) * 0xff51afd7ed558ccdu;
    if (width > 16) mixed = (mixed ^ mixed >> 32 ^ words.third) * 0xc4ceb9fe1a85ec53u ^ words.fourth * 31;
    Slot& slot = slots_[(mixed ^ mixed >> 29) >> 20 & (COUNT - 1)];
    if (slot.width == width && slot.words == words) return Py_NewRef(slot.tuple);
    PyObject* made = make();
    PyObject* before = slot.tuple;
    slot = {words, width, Py_NewRef(made)};
    Py_XDECREF(before);
    return made;
  }

 private:
  // Cells as words, which tell them apart from all others of the same width: where they do not fill the
  // words, these overlap.
  struct Words {
    u64 first, second, third, fourth;
    bool operator==(const Words& other) const {
      return ((first ^ other.first) | (second ^ other.second) | (third ^ other.third) |
              (fourth ^ other.fourth)) == 0;
    }
  };
  struct Slot {
    Words words;
    u32 width;  // 0: it is empty
    PyObject* tuple;
  };
  static constexpr u32 COUNT = 1024;

  template <class Word>
  static u64 word_at(const i8* cells) {
    Word word;
    std::memcpy(&word, cells, sizeof(Word));
    return word;
  }

  static Words read(const i8* cells, u32 width) {
    const i8* end = cells + width;
    if (width > 16) {
      return {word_at<u64>(cells), word_at<u64>(cells + 8), word_at<u64>(end - 16), word_at<u64>(end - 8)};
    }
    if (width >= 8) return {word_at<u64>(cells), word_at<u64>(end - 8), 0, 0};
    if (width >= 4) return {word_at<u32>(cells), word_at<u32>(end - 4), 0, 0};
    return {word_at<u16>(cells), word_at<u16>(end - 2), 0, 0};
  }

  const std::unique_ptr<Slot[]> slots_{new Slot[COUNT]()};
};

// Grids of small numbers: many programs give the same outputs, and one program gives them again and again.
class RecentGrids {
 public:
  static constexpr u64 SMALLEST = 8, LARGEST = 900;  // cells

  static RecentGrids& all() {
    static RecentGrids made;
    return made;
  }

  // A new reference to the Tuple of a grid of SMALLEST to LARGEST cells; `make` makes it if it is not here.
  template <class Make>
  PyObject* grid(const i8* cells, u32 size, u32 width, Make make) {
    Slot& slot = slots_[mixed(cells, size, width) & (COUNT - 1)];
    if (slot.width == width && slot.cells.size() == size && !std::memcmp(slot.cells.data(), cells, size))
      return Py_NewRef(slot.tuple);
    PyObject* made = make();
    PyObject* before = slot.tuple;
    slot.cells.assign(cells, cells + size);
    slot.width = width;
    slot.tuple = Py_NewRef(made);
    Py_XDECREF(before);
    return made;
  }

 private:
  struct Slot {
    std::vector<i8> cells;
    u32 width = 0;
    PyObject* tuple = nullptr;
  };
  static constexpr u64 COUNT = 1024;

  // Two sums at a time, since each waits for the product before.
  static u64 mixed(const i8* cells, u32 size, u32 width) {
    u64 even = size, odd = width;
    u32 k = 0;
    for (; k + 16 <= size; k += 16) {
      even = (even ^ word_at(cells + k)) * 0x9e3779b97f4a7c15u;
      odd = (odd ^ word_at(cells + k + 8)) * 0xff51afd7ed558ccdu;
      even ^= even >> 29;
      odd ^= odd >> 31;
    }
    if (k + 8 <= size) even = (even ^ word_at(cells + k)) * 0x9e3779b97f4a7c15u;
    odd = (odd ^ word_at(cells + size - 8)) * 0xc4ceb9fe1a85ec53u;
    const u64 both = (even ^ even >> 32) + odd;
    return both ^ both >> 32;
  }

  static u64 word_at(const i8* cells) {
    u64 word;
    std::memcpy(&word, cells, sizeof(word));
    return word;
  }

  const std::unique_ptr<Slot[]> slots_{new Slot[COUNT]};
};

}  // namespace arcbatt
