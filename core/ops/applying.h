// Functions applied over containers: to each element, or to choose elements.
#pragma once

#include "calls/loop.h"
#include "containers.h"
#include "values/membership.h"

namespace arcbatt {

struct op_apply {
  static constexpr Loop LOOP{
      Over::elements, Hold::results_in_kind, {.function = 0, .container = 1}, Makes::container};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return got.into_tuple ? make_tuple(lane, got.values, got.count) : make_set(lane, got.values, got.count);
  }
};

struct op_rapply : op_apply {
  static constexpr Loop LOOP{Over::functions, Hold::results_in_kind};
};

struct op_mapply {
  static constexpr Loop LOOP{op_apply::LOOP.over, op_apply::LOOP.hold, op_apply::LOOP.at, Makes::merger};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return merged(lane, got.into_tuple, got.values, got.count);
  }
};

struct op_papply {
  static constexpr Loop LOOP{
      Over::pairs, Hold::tuple_of_results, {.function = 0, .container = 1}, Makes::container};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return make_tuple(lane, got.values, got.count);
  }
};

struct op_mpapply {
  static constexpr Loop LOOP{op_papply::LOOP.over, op_papply::LOOP.hold, op_papply::LOOP.at, Makes::merger};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return merged(lane, true, got.values, got.count);
  }
};

struct op_prapply {
  static constexpr Loop LOOP{
      Over::product, Hold::set_of_results, {.function = 0, .container = 1}, Makes::container};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    return make_set(lane, got.values, got.count);
  }
};

// The elements whose positions were kept, as an array; null if memory is out.
HOST_DEVICE const Value* kept_elements(auto& lane, const Results& got) {
  return elements_at(lane, got.args[0], got.count, [&](u32 k) { return u32(got.values[k].integer()); });
}

// The same in a container of the same kind.
CALLED Value filtered(auto& lane, const Results& got) {
  const Value container = got.args[0];
  const Value* kept = got.values;
  const u32 count = got.count;
  if (count == count_of(container)) return container;
  if (count == 0) return is_tuple(container) ? EMPTY_TUPLE : EMPTY_SET;
  if (container.has_form(Form::locations) || container.has_form(Form::cells)) {
    Head* head = new_keys(lane, container.form() == Form::cells, count);
    if (!head) return NO_VALUE;
    const u32* keys = content<u32>(container.head());
    each(lane.group, count, [&](u32 k) { content<u32>(head)[k] = keys[kept[k].integer()]; });
    return heap_value(head);
  }
  const Value* elements = kept_elements(lane, got);
  if (!elements) return NO_VALUE;
  return is_tuple(container) ? make_tuple(lane, elements, count) : make_sorted_set(lane, elements, count);
}

struct op_sfilter {
  static constexpr Loop LOOP{Over::elements, Hold::kept_elements};
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const Value kept = filtered(lane, got);
    if (lane.failed()) return NO_VALUE;
    return got.into_tuple ? op_totuple(lane, kept) : as_set(lane, kept);
  }
};

struct op_mfilter {
  static constexpr Loop LOOP = op_sfilter::LOOP;
  HOST_DEVICE static Value finish(auto& lane, const Results& got) {
    const Value* elements = kept_elements(lane, got);
    return elements ? merged(lane, got.into_tuple, elements, got.count) : NO_VALUE;
  }
};

struct op_extract {
  static constexpr Loop LOOP{Over::elements, Hold::first_kept};
  HOST_DEVICE static Value finish(auto& lane, const Results&) { return lane.fail(Status::INDEX); }
};

}  // namespace arcbatt
