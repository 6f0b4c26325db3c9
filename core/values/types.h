// The parameter types of the language as tests on packed values.
#pragma once

#include "table.h"
#include "values/constructors.h"

namespace arcbatt {

HOST_DEVICE inline bool shares(Value v, Form form, Class wanted) {
  return v.has_form(form) && (v.head()->detail & wanted);
}

HOST_DEVICE inline bool is_indices(Value v) {
  return v.tag() == Tag::empty_set || v.has_form(Form::locations) || shares(v, Form::set, LOCATION_CLASS);
}
HOST_DEVICE inline bool is_object(Value v) {
  return v.tag() == Tag::empty_set || v.has_form(Form::cells) || shares(v, Form::set, CELL_CLASS);
}
HOST_DEVICE inline bool is_location_tuple(Value v) {
  return v.tag() == Tag::empty_tuple || (v.is_heap() && is_grid_form(v.form()) && v.head()->detail == 2);
}
HOST_DEVICE inline bool is_cell_tuple(Value v) {
  return v.tag() == Tag::empty_tuple || v.has_form(Form::cell_tuple) || shares(v, Form::tuple, CELL_CLASS);
}
HOST_DEVICE inline bool holds_only(Value v, Class wanted) {
  return is_empty(v) || shares(v, Form::tuple, wanted) || shares(v, Form::set, wanted) ||
         (wanted == OBJECT_CLASS && v.has_form(Form::bytes_grid) && v.head()->detail == 0);  // ((), ..., ())
}
HOST_DEVICE inline bool holds_containers(Value v) {
  if (!v.is_heap()) return is_empty(v);
  switch (v.form()) {
    case Form::integers:
    case Form::integer_set:
    case Form::function: return false;
    case Form::tuple:
    case Form::set: return v.head()->detail & CONTAINER_CLASS;
    default: return true;
  }
}
HOST_DEVICE inline bool takes(Value v, u32 least_arity, u32 most_arity) {
  return is_function(v) && arity_of(v) >= least_arity && arity_of(v) <= most_arity;
}

// Whether a value is of a type. Where the type is a constant, one test remains.
INLINED bool is_of(Type type, Value v) {
  switch (type) {
    case Type::Any: return true;
    case Type::Integer:
    case Type::Boolean: return v.is_integer();
    case Type::IJ: return is_location(v);
    case Type::Numerical: return v.is_integer() || is_location(v);
    case Type::Cell: return is_cell(v);
    case Type::Tuple: return is_tuple(v);
    case Type::Set: return is_set(v);
    case Type::Container:
    case Type::SetOrTuple: return is_container(v);
    case Type::Containers: return holds_containers(v);
    case Type::Integers: return is_empty(v) || holds_integers(v);
    case Type::IntegersT: return v.tag() == Tag::empty_tuple || (is_tuple(v) && holds_integers(v));
    case Type::LocationsT: return is_location_tuple(v);
    case Type::Indices: return is_indices(v);
    case Type::Object: return is_object(v);
    case Type::Patch: return is_indices(v) || is_object(v);
    case Type::PatchT: return is_indices(v) || is_object(v) || is_location_tuple(v) || is_cell_tuple(v);
    case Type::PatchC: return is_indices(v) || is_object(v) || is_cell_tuple(v);
    case Type::ObjectT: return is_object(v) || is_cell_tuple(v);
    case Type::Objects: return holds_only(v, OBJECT_CLASS);
    case Type::Grid0: return is_grid(v);
    case Type::Element: return is_grid(v) || is_object(v);
    case Type::Piece: return is_grid(v) || is_indices(v) || is_object(v);
    case Type::IndicesT: return is_indices(v) || is_location_tuple(v);
    case Type::Samples: return v.tag() == Tag::empty_tuple || shares(v, Form::tuple, SAMPLE_CLASS);
    case Type::Fn1:
    case Type::Condition:
    case Type::Gatherer: return takes(v, 1, 1);
    case Type::Fn2: return takes(v, 2, 2);
    case Type::Fn: return takes(v, 2, MOST_PARAMETERS);
    case Type::FnAny: return takes(v, 1, MOST_PARAMETERS);
    case Type::Fns: return holds_only(v, FUNCTION1_CLASS);
  }
  return false;
}

CALLED inline bool admits(Type type, Value v) { return is_of(type, v); }

// Whether a value that must hold something holds nothing; grids and objects are asked for cells.
INLINED bool lacks(Type type, Value v) {
  if (is_empty(v)) return true;
  const bool asks_for_cells = type == Type::Grid0 || type == Type::Element;
  return asks_for_cells && is_grid(v) && v.head()->detail == 0;
}

INLINED bool has_zero(Value v) {
  if (v.is_integer()) return v.integer() == 0;
  const Location pair = location_of(v);
  return pair.i == 0 || pair.j == 0;
}

// Whether the arguments fit an op, by its record: TYPE over all of them, then EMPTY, then ZERO.
template <class Group>
CALLED bool check(Lane<Group>& lane, u32 op, const Value* args, u32 count) {
  const OpRecord& record = OPS[op];
  if (count != record.arity) return lane.fail(Status::TYPE).exists();
  bool demanding = false;
  for (u32 k = 0; k < count; ++k) {
    if (!admits(record.params[k].type, args[k])) return lane.fail(Status::TYPE).exists();
    demanding |= record.params[k].need != Need::nothing;
  }
  if (!demanding) return true;
  for (u32 k = 0; k < count; ++k) {
    if (record.params[k].need == Need::filled && lacks(record.params[k].type, args[k]))
      return lane.fail(Status::EMPTY).exists();
  }
  for (u32 k = 0; k < count; ++k) {
    if (record.params[k].need == Need::nonzero && has_zero(args[k])) return lane.fail(Status::ZERO).exists();
  }
  return true;
}

// What an op costs by the weights of its arguments, which have been checked.
INLINED u64 work_of_arguments(const OpRecord& record, const Value* args) {
  u64 cost = 0;
  for (u32 k = 0; k < record.arity; ++k) {
    if (record.argument_work[k]) cost += u64(record.argument_work[k]) * weight_of(args[k]);
  }
  if (record.sorts_lighter) cost += u64(SORT_WORK) * u64(least(weight_of(args[0]), weight_of(args[1])));
  for (u32 k = 0; record.listed && k < record.arity; ++k) {
    if (is_tuple(args[k])) cost += u64(record.listed) * weight_of(args[k]);
  }
  if (record.pairs)
    cost += u64(SORT_WORK) * count_of(args[record.factors[0]]) * count_of(args[record.factors[1]]);
  if (record.multiplies)
    cost += u64(weight_of(args[record.factors[0]])) * weight_of(args[record.factors[1]]) >> PRODUCT_BITS;
  return cost;
}

// A judged result whose cost has been added, or the failure.
template <class Group>
INLINED Value paid(Lane<Group>& lane, const OpRecord& record, Value result) {
  if (lane.failed()) return NO_VALUE;
  if (record.result_work && !lane.spend(u64(record.result_work) * weight_of(result))) return NO_VALUE;
  return result;
}

}  // namespace arcbatt
