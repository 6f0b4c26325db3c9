// The record of an op that applies functions: what it iterates over, what it holds meanwhile, how it
// finishes.
//
// Such an op is a struct `op_<name>` with a constant `LOOP` and a function `finish`, which makes the result:
//
//   struct op_papply {
//     static constexpr Loop LOOP{Over::pairs, Hold::tuple_of_results, {.function = 0, .container = 1}};
//     HOST_DEVICE static Value finish(auto& lane, const Results& got) {
//       return make_tuple(lane, got.values, got.count);
//     }
//   };
#pragma once

#include "values/value.h"

namespace arcbatt {

// What an op iterates over: the applications it makes, one after the other.
enum class Over : u8 {
  elements,          // the function of each element of the container
  elements_or_zero,  // the same; for an empty container the function of 0
  functions,         // each function of the container, of one value
  pairs,             // the function of the elements of two Tuples at the same place
  product,           // the function of each element of a container with each one of another
  samples,           // the function of the inputs of all samples, then of their outputs
};

// What an op holds between applications, which counts against the limit of items. The Python record of the op
// names the same.
enum class Hold : u8 {
  tuple_of_results,  // each result counts
  set_of_results,  // equal results count once
  results_in_kind,  // one or the other, as the container is a Tuple or a Set
  kept_elements,  // the elements for which the function, a condition, holds
  first_kept,  // the first such element: the op ends there
  elements_of_results,  // elements of results that are containers; counted afresh for the outputs of samples
};

// The position that a rank means among `count`: 0, 1, ... from the front, -1, -2, ... from the back. -1 if
// there is none.
HOST_DEVICE constexpr i64 position_of_rank(i64 rank, i64 count) {
  return rank < -count || rank >= count ? -1 : rank < 0 ? rank + count : rank;
}

constexpr u8 NO_PLACE = 255;

// The places of the arguments by their role.
struct Places {
  u8 function = 1;  // for Over::functions the value that they are applied to
  u8 container = 0;  // the second one of pairs and products follows it
  u8 rank = NO_PLACE;  // must be a rank in the container
  u8 picker = NO_PLACE;  // a function that is applied to the result of `finish`
};

// What an op makes of its results: the container of them, the container of their elements, or something else.
enum class Makes : u8 { other, container, merger };

struct Loop {
  Over over;
  Hold hold;
  Places at{};
  Makes makes = Makes::other;
};

// The results of all applications of an op; for kept elements the values are their positions.
struct Results {
  const Value* args;
  const Value* values;
  u32 count;
  bool into_tuple;  // whether the result is a Tuple, not a Set: by the op's container, or by its record
};

}  // namespace arcbatt
