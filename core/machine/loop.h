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

// The applications that an op makes, one after the other.
enum class Over : u8 {
  elements,          // the function of each element of the container
  elements_or_zero,  // the same; where there is none, the function of 0
  functions,         // each function of the container, of one value
  pairs,             // the function of the elements of two Tuples at the same place
  product,           // the function of each element of a container with each one of another
  samples,           // the function of the inputs of all samples, then of their outputs
};

// What an op holds between applications, and so what is weighed; the record in Python names the same.
enum class Hold : u8 {
  tuple_of_results,     // each result counts
  set_of_results,       // equal results count once
  results_in_kind,      // one or the other, by the kind of the container
  kept_elements,        // the elements for which the function, a condition, holds
  first_kept,           // the first such element: the op ends there
  elements_of_results,  // of results that are containers; afresh for the outputs of samples
};

// The position that a rank means among `count`: 0, 1, ... from the front, -1, -2, ... from the back. -1 if
// there is none.
HOST_DEVICE constexpr i64 position_of_rank(i64 rank, i64 count) {
  return rank < -count || rank >= count ? -1 : rank < 0 ? rank + count : rank;
}

constexpr u8 NO_PLACE = 255;

// Places of the arguments by what they are for.
struct Places {
  u8 function = 1;       // of Over::functions the one value that they get
  u8 container = 0;      // the other one of pairs and products stands behind it
  u8 rank = NO_PLACE;    // must be a rank in the container
  u8 picker = NO_PLACE;  // a function that is applied to what `finish` gives
};

struct Loop {
  Over over;
  Hold hold;
  Places at{};
};

// What an op has got when its applications are made. Of kept elements the values are their positions.
struct Results {
  const Value* args;
  const Value* values;
  u32 count;
  bool into_tuple;  // whether a container in kind is a Tuple: as the op's container is, or as its record says
};

}  // namespace arcbatt
