// Packed values: one representation for each value of the language, so that equality compares content.
#pragma once

#include "contract.h"

namespace arcbatt {

constexpr u32 HEAVIEST = 0xffffffffu;  // weights saturate here

HOST_DEVICE constexpr bool fits(i64 number) { return number >= LOWEST && number <= HIGHEST; }
HOST_DEVICE constexpr i64 least(i64 a, i64 b) { return a < b ? a : b; }
HOST_DEVICE constexpr i64 most(i64 a, i64 b) { return a > b ? a : b; }
HOST_DEVICE constexpr i64 magnitude(i64 a) { return a < 0 ? -a : a; }

HOST_DEVICE inline u32 lowest_bit(u64 bits) {
#if defined(__CUDA_ARCH__)
  return u32(__ffsll(static_cast<long long>(bits)) - 1);
#else
  return u32(__builtin_ctzll(bits));
#endif
}

HOST_DEVICE inline u32 bit_count(u64 bits) {
#if defined(__CUDA_ARCH__)
  return u32(__popcll(bits));
#else  // plain x86-64 has no instruction for it
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return u32(bits * 0x0101010101010101u >> 56);
#endif
}

// The kind of a value's word: small values are stored in the word itself, others are pointers to a Head.
enum class Tag : u8 { none, integer, pair, cell, empty_tuple, empty_set, primitive, heap };

// The data that follows a Head. The content of a value determines its form; see values/constructors.h.
enum class Form : u8 {
  bytes_grid,  // Tuple of equally long Tuples of Integers, all -128..127: i8[height * width]
  grid,        // the same with larger Integers: i32[height * width]
  integers,    // other Tuple of Integers: i32[count]
  cell_tuple,  // Tuple of cells that fit a key: u32[count]
  tuple,       // any other Tuple: Value[count]
  integer_set, // Set of Integers: i32[count], ascending
  locations,   // Set of locations that fit a key: u32[count], ascending
  cells,       // Set of cells that fit a key: u32[count], ascending
  set,         // any other Set: Value[count], ascending
  function,    // composite Function: Value[count], the parts
};

// Properties that all elements of a container may share, for the tests of parameter types.
enum Class : u32 {
  INTEGER_CLASS = 1,
  LOCATION_CLASS = 2,
  CELL_CLASS = 4,
  CONTAINER_CLASS = 8,
  OBJECT_CLASS = 16,    // an Object, a Tuple of cells, or an empty container
  FUNCTION1_CLASS = 32, // a Function of one argument
  SAMPLE_CLASS = 64,    // a pair of grids that have cells
  ROW_CLASS = 128,      // a Tuple of Integers
  EVERY_CLASS = 255,
};

struct Head {
  Form form;
  u8 arity;    // of a function
  u16 nest;
  u32 weight;
  u32 count;   // elements; rows of a grid
  u32 detail;  // columns of a grid; classes all elements share (tuple, set); name of a function
};

struct Value {
  u64 word;

  HOST_DEVICE constexpr Tag tag() const { return Tag(word & 15); }
  HOST_DEVICE constexpr bool exists() const { return word != 0; }
  HOST_DEVICE constexpr bool same_word(Value other) const { return word == other.word; }
  HOST_DEVICE const Head* head() const { return reinterpret_cast<const Head*>(word & ~u64(15)); }
  HOST_DEVICE Form form() const { return head()->form; }
  HOST_DEVICE constexpr bool is_integer() const { return tag() == Tag::integer; }
  HOST_DEVICE constexpr bool is_heap() const { return tag() == Tag::heap; }
  HOST_DEVICE bool has_form(Form form) const { return is_heap() && head()->form == form; }
  HOST_DEVICE constexpr i64 integer() const { return i64(word) >> 32; }
};

constexpr Value NO_VALUE{0};
constexpr Value EMPTY_TUPLE{u64(Tag::empty_tuple)};
constexpr Value EMPTY_SET{u64(Tag::empty_set)};

HOST_DEVICE constexpr Value integer_value(i64 number) { return Value{u64(number) << 32 | u64(Tag::integer)}; }
HOST_DEVICE constexpr Value boolean(bool truth) { return integer_value(truth); }
HOST_DEVICE constexpr Value primitive(u32 op) { return Value{u64(op) << 32 | u64(Tag::primitive)}; }
// An op that only the host knows carries its arity and the place of its name among all names.
HOST_DEVICE constexpr Value foreign_primitive(u32 op, u32 arity, u32 name_place) {
  return Value{u64(op) << 32 | u64(name_place) << 16 | u64(arity) << 8 | u64(Tag::primitive)};
}
HOST_DEVICE inline Value heap_value(const Head* head) { return Value{u64(head) | u64(Tag::heap)}; }

// The inline pair: two Integers of 30 bits. The inline cell: a colour of 12 bits, row and column of 24.
HOST_DEVICE constexpr bool fits_bits(i64 number, int bits) {
  return number >= -(i64(1) << (bits - 1)) && number < i64(1) << (bits - 1);
}
HOST_DEVICE constexpr i64 signed_bits(u64 word, int from, int bits) {
  return i64(word << (64 - from - bits)) >> (64 - bits);
}
HOST_DEVICE constexpr u64 placed(i64 number, int from, int bits) {
  return (u64(number) & ((u64(1) << bits) - 1)) << from;
}

struct Location {
  i64 i, j;
  HOST_DEVICE constexpr bool operator==(const Location& other) const { return i == other.i && j == other.j; }
};

struct Cell {
  i64 color, i, j;
};

HOST_DEVICE constexpr bool pair_is_inline(i64 a, i64 b) { return fits_bits(a, 30) && fits_bits(b, 30); }
HOST_DEVICE constexpr Value inline_pair(i64 a, i64 b) {
  return Value{placed(a, 34, 30) | placed(b, 4, 30) | u64(Tag::pair)};
}
HOST_DEVICE constexpr bool cell_is_inline(Cell c) {
  return fits_bits(c.color, 12) && fits_bits(c.i, 24) && fits_bits(c.j, 24);
}
HOST_DEVICE constexpr Value inline_cell(Cell c) {
  return Value{placed(c.color, 52, 12) | placed(c.i, 28, 24) | placed(c.j, 4, 24) | u64(Tag::cell)};
}

// The key of a location or cell in a packed set: numeric order of keys is canonical order.
HOST_DEVICE constexpr bool fits_key(Cell c) {
  return fits_bits(c.color, 8) && fits_bits(c.i, 12) && fits_bits(c.j, 12);
}
HOST_DEVICE constexpr u32 key_of(Cell c) {
  return u32(c.color + 128) << 24 | u32(c.i + 2048) << 12 | u32(c.j + 2048);
}
HOST_DEVICE constexpr u32 key_of(Location at) { return key_of(Cell{0, at.i, at.j}); }
HOST_DEVICE constexpr Cell cell_of(u32 key) {
  return Cell{i64(key >> 24) - 128, i64(key >> 12 & 4095) - 2048, i64(key & 4095) - 2048};
}
constexpr u32 LOCATION_BITS = 0xffffffu;
HOST_DEVICE constexpr u32 with_color(u32 key, i64 color) {
  return (key & LOCATION_BITS) | u32(color + 128) << 24;
}

template <class T>
HOST_DEVICE const T* content(const Head* head) {
  return reinterpret_cast<const T*>(head + 1);
}
template <class T>
HOST_DEVICE T* content(Head* head) {
  return reinterpret_cast<T*>(head + 1);
}

HOST_DEVICE inline bool is_grid_form(Form form) { return form == Form::bytes_grid || form == Form::grid; }

HOST_DEVICE inline bool is_tuple(Value v) {
  switch (v.tag()) {
    case Tag::pair:
    case Tag::cell:
    case Tag::empty_tuple: return true;
    case Tag::heap: return v.form() <= Form::tuple;
    default: return false;
  }
}
HOST_DEVICE inline bool is_set(Value v) {
  return v.tag() == Tag::empty_set || (v.is_heap() && v.form() >= Form::integer_set && v.form() <= Form::set);
}
HOST_DEVICE inline bool is_container(Value v) { return is_tuple(v) || is_set(v); }
HOST_DEVICE inline bool is_function(Value v) {
  return v.tag() == Tag::primitive || v.has_form(Form::function);
}
HOST_DEVICE inline bool is_empty(Value v) { return v.tag() == Tag::empty_tuple || v.tag() == Tag::empty_set; }

// The number of elements of a container.
HOST_DEVICE inline u32 count_of(Value v) {
  switch (v.tag()) {
    case Tag::pair:
    case Tag::cell: return 2;
    case Tag::heap: return v.head()->count;
    default: return 0;
  }
}

// Four bits for each tag of an inline value.
HOST_DEVICE constexpr u64 at_tag(Tag tag, u64 number) { return number << 4 * u32(tag); }
constexpr u64 EVERY_TAG = 0x1111111111111111;
constexpr u64 INLINE_WEIGHTS =
    EVERY_TAG + at_tag(Tag::pair, LOCATION_WEIGHT - 1) + at_tag(Tag::cell, CELL_WEIGHT - 1);
constexpr u64 INLINE_NESTS = EVERY_TAG - at_tag(Tag::integer, 1) + at_tag(Tag::cell, 1);

INLINED u32 weight_of(Value v) {
  return v.is_heap() ? v.head()->weight : u32(INLINE_WEIGHTS >> 4 * u32(v.tag()) & 15);
}

INLINED u32 nest_of(Value v) {
  return v.is_heap() ? v.head()->nest : u32(INLINE_NESTS >> 4 * u32(v.tag()) & 15);
}

HOST_DEVICE inline bool is_location(Value v) {
  return v.tag() == Tag::pair || (v.has_form(Form::integers) && v.head()->count == 2);
}
HOST_DEVICE inline Location location_of(Value v) {
  if (v.tag() == Tag::pair) return {signed_bits(v.word, 34, 30), signed_bits(v.word, 4, 30)};
  const i32* numbers = content<i32>(v.head());
  return {numbers[0], numbers[1]};
}

HOST_DEVICE inline bool is_cell(Value v) {
  if (v.tag() == Tag::cell) return true;
  if (!v.has_form(Form::tuple) || v.head()->count != 2) return false;
  const Value* parts = content<Value>(v.head());
  return parts[0].is_integer() && is_location(parts[1]);
}
HOST_DEVICE inline Cell cell_of(Value v) {
  if (v.tag() == Tag::cell) {
    return {signed_bits(v.word, 52, 12), signed_bits(v.word, 28, 24), signed_bits(v.word, 4, 24)};
  }
  const Value* parts = content<Value>(v.head());
  const Location at = location_of(parts[1]);
  return {parts[0].integer(), at.i, at.j};
}

}  // namespace arcbatt
