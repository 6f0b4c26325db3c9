// Packing: Python values to packed values. Host only.
#pragma once

#include "python/foreign.h"
#include "python/known.h"

namespace arcbatt {

// The weight and depth that a Python object may have: one from outside could contain itself.
struct Allowance {
  u64 items;
  u32 depth;
};
constexpr Allowance ANY_VALUE{~u64(0), 1000};  // the language admits no limit of depth that is higher

// Python has one object for each small number. They lie side by side, so an object's address gives its
// number.
class SmallIntegers {
 public:
  static const SmallIntegers& all() {
    static const SmallIntegers made;
    return made;
  }

  // The number that an object is; false if it is none of these.
  bool read(PyObject* object, i64& number) const {
    const u64 place = (reinterpret_cast<u64>(object) - first_) / STRIDE;
    if (place >= read_) return false;
    number = i64(place) + LOWEST_ONE;
    return true;
  }

  // The numbers that many objects are, if all are these and fit a byte.
  bool read_bytes(PyObject* const* objects, Py_ssize_t count, i8* numbers) const {
    bool are_read = true;
    for (Py_ssize_t k = 0; k < count; ++k) {
      const u64 distance = reinterpret_cast<u64>(objects[k]) - first_;
      are_read &= distance < in_byte_;
      numbers[k] = i8(i64(distance / STRIDE) + LOWEST_ONE);
    }
    return are_read;
  }

  // A new reference to the object of a number.
  PyObject* object(i64 number) const {
    const u64 place = u64(number - LOWEST_ONE);
    if (place >= COUNT) return PyLong_FromLongLong(number);
    Py_INCREF(objects_[place]);
    return objects_[place];
  }

 private:
  static constexpr i64 LOWEST_ONE = -5, HIGHEST_BYTE = 127;
  static constexpr u64 COUNT = 262, STRIDE = 32;

  SmallIntegers() {
    for (u64 k = 0; k < COUNT; ++k) objects_[k] = PyLong_FromLongLong(i64(k) + LOWEST_ONE);
    first_ = reinterpret_cast<u64>(objects_[0]);
    read_ = COUNT;
    for (u64 k = 0; k < COUNT; ++k) {
      if (reinterpret_cast<u64>(objects_[k]) != first_ + k * STRIDE) read_ = 0;  // they lie elsewhere
    }
    in_byte_ = read_ ? u64(HIGHEST_BYTE - LOWEST_ONE + 1) * STRIDE : 0;
  }

  PyObject* objects_[COUNT];
  u64 first_, read_, in_byte_;
};

// Packs one Python value into the arena of a lane; ValueError for an object that is no value or exceeds the
// allowance. Parts that are known are not packed again.
class Packer {
 public:
  Packer(HostLane& lane, const ForeignOps& foreign, Allowance allowed, Recurring* known = nullptr)
      : lane_(lane), foreign_(foreign), allowed_(allowed), known_(known) {}

  Value pack(PyObject* object) {
    if (PyTuple_CheckExact(object)) {
      const Value made = inline_value(object);
      return made.exists() ? made : container(object, [&] { return tuple(object); });
    }
    if (PyFrozenSet_CheckExact(object)) return container(object, [&] { return set(object); });
    i64 number = 0;
    if (read_integer(object, number)) {
      spend(1);
      return integer_value(number);
    }
    if (PyLong_Check(object)) throw nb::value_error("an integer does not fit 32 bits");
    return function(object);
  }

  bool met_function() const { return met_function_; }

 private:
  // Whether a Python object is an Integer of at most 32 bits, and which.
  bool read_integer(PyObject* object, i64& number) {
    if (small_.read(object, number)) return true;
    int overflow = 0;
    if (!PyLong_Check(object)) return false;
    number = PyLong_AsLongLongAndOverflow(object, &overflow);
    exact_ = exact_ && PyLong_CheckExact(object);
    return !overflow && fits(number);
  }

  void spend(u64 items) {
    if (allowed_.items < items) throw nb::value_error("the value is heavier than the item limit");
    allowed_.items -= items;
  }
  bool is_allowed(u64 weight, u32 nest) const {
    return weight <= allowed_.items && weight < HEAVIEST && nest <= allowed_.depth;
  }
  bool is_allowed(Value v) const { return is_allowed(weight_of(v), nest_of(v)); }

  // A location or cell as an inline value; no value if it is neither.
  Value inline_value(PyObject* tuple) {
    Cell c{};
    if (PyTuple_GET_SIZE(tuple) != 2 || !read_integer(PyTuple_GET_ITEM(tuple, 0), c.color)) return NO_VALUE;
    PyObject* second = PyTuple_GET_ITEM(tuple, 1);
    Value made = NO_VALUE;
    if (read_integer(second, c.i)) {
      if (pair_is_inline(c.color, c.i)) made = inline_pair(c.color, c.i);
    } else if (read_location(second, c)) {
      if (cell_is_inline(c)) made = inline_cell(c);
    }
    if (!made.exists() || !is_allowed(made)) return NO_VALUE;
    spend(weight_of(made));
    return made;
  }

  bool read_location(PyObject* object, Cell& c) {
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == 2 &&
           read_integer(PyTuple_GET_ITEM(object, 0), c.i) && read_integer(PyTuple_GET_ITEM(object, 1), c.j);
  }
  bool read_cell(PyObject* object, Cell& c) {
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == 2 &&
           read_integer(PyTuple_GET_ITEM(object, 0), c.color) &&
           read_location(PyTuple_GET_ITEM(object, 1), c);
  }

  // A container, as it is known or as `make` packs it. It becomes known if the value unpacks to an equal
  // object: one that holds True would unpack with 1.
  template <class Make>
  Value container(PyObject* object, Make make) {
    const Value before = known_ ? known_->value_of(object) : NO_VALUE;
    if (before.exists() && is_allowed(before)) {
      spend(weight_of(before));
      return before;
    }
    const bool was_exact = exact_;
    exact_ = true;
    const Value made = make();
    if (known_ && exact_ && made.is_heap()) known_->learn(object, made);
    exact_ = exact_ && was_exact;
    return made;
  }

  Value tuple(PyObject* object) {
    const Value made = grid(object);
    if (made.exists() || lane_.failed()) return made;
    const u32 count = u32(PyTuple_GET_SIZE(object));
    return parts(
        count, [&](u32 k) { return pack(PyTuple_GET_ITEM(object, k)); },
        [&](const Value* packed) { return make_tuple(lane_, packed, count); });
  }

  // A Tuple of equally long Tuples of small Integers, straight into the form of a grid; no value if it is
  // none.
  Value grid(PyObject* rows) {
    const Py_ssize_t height = PyTuple_GET_SIZE(rows);
    if (height == 0 || !PyTuple_CheckExact(PyTuple_GET_ITEM(rows, 0))) return NO_VALUE;
    const Py_ssize_t width = PyTuple_GET_SIZE(PyTuple_GET_ITEM(rows, 0));
    const u64 size = u64(height) * u64(width), weight = 1 + u64(height) + size;
    if (!is_allowed(weight, 2)) return NO_VALUE;
    u8* mark = lane_.top;
    Head* head = lane_.new_head(Form::bytes_grid, height, width, weight, 2, size);
    if (!head) return NO_VALUE;
    i8* cells = content<i8>(head);
    for (Py_ssize_t i = 0; i < height; ++i, cells += width) {
      if (row(PyTuple_GET_ITEM(rows, i), width, cells)) continue;
      lane_.release(mark);
      return NO_VALUE;
    }
    spend(weight);
    return heap_value(head);
  }

  bool row(PyObject* object, Py_ssize_t width, i8* cells) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != width) return false;
    if (small_.read_bytes(&PyTuple_GET_ITEM(object, 0), width, cells)) return true;
    for (Py_ssize_t j = 0; j < width; ++j) {
      i64 color = 0;
      if (!read_integer(PyTuple_GET_ITEM(object, j), color) || !fits_bits(color, 8)) return false;
      cells[j] = i8(color);
    }
    return true;
  }

  Value set(PyObject* object) {
    const Value made = patch(object);
    if (made.exists() || lane_.failed()) return made;
    const u32 count = u32(PySet_GET_SIZE(object));
    const nb::object elements = nb::steal(PyObject_GetIter(object));
    return parts(
        count, [&](u32) { return pack(next(elements).ptr()); },
        [&](const Value* packed) { return make_set(lane_, packed, count); });
  }

  static nb::object next(const nb::object& elements) { return nb::steal(PyIter_Next(elements.ptr())); }

  // A Set of locations or cells, straight into the form of keys; no value if it is none.
  Value patch(PyObject* object) {
    const u64 count = u64(PySet_GET_SIZE(object));
    if (count == 0) return NO_VALUE;
    const nb::object elements = nb::steal(PyObject_GetIter(object));
    nb::object element = next(elements);
    Cell c{};
    const bool colored = read_cell(element.ptr(), c);
    if (!is_allowed(patch_weight(colored, count), colored ? 3 : 2)) return NO_VALUE;
    u8* mark = lane_.top;
    Head* head = new_keys(lane_, colored, count);
    if (!head) return NO_VALUE;
    for (u64 k = 0; k < count; ++k) {
      c.color = 0;
      if (!(colored ? read_cell(element.ptr(), c) : read_location(element.ptr(), c)) || !fits_key(c)) {
        lane_.release(mark);
        return NO_VALUE;
      }
      content<u32>(head)[k] = key_of(c);
      if (k + 1 < count) element = next(elements);
    }
    const Value made = finish_keys(lane_, head);
    if (made.exists()) spend(weight_of(made));
    return made;
  }

  // Pack `count` parts and call `make` with them.
  template <class Part, class Make>
  Value parts(u32 count, Part part, Make make) {
    spend(1);
    if (allowed_.depth == 0) throw nb::value_error("the value is nested deeper than the depth limit");
    if (allowed_.items < count) throw nb::value_error("the value is heavier than the item limit");
    Value few[FEW_PARTS];
    std::vector<Value> many(count > FEW_PARTS ? count : 0);
    Value* packed = count > FEW_PARTS ? many.data() : few;
    --allowed_.depth;
    for (u32 k = 0; k < count; ++k) {
      packed[k] = part(k);
      if (lane_.failed()) return NO_VALUE;
    }
    ++allowed_.depth;
    return make(packed);
  }

  Value function(PyObject* raw) {
    const nb::handle object(raw);
    if (!nb::isinstance(object, foreign_.function))
      throw nb::value_error("an object is no value of the language");
    met_function_ = true;
    exact_ = false;  // Python has several classes of functions, and numbers of foreign ops change
    const nb::object held = object.attr("parts");
    const u32 count = u32(nb::len(held));
    return parts(
        count, [&](u32 k) { return pack(nb::object(held[k]).ptr()); },
        [&](const Value* packed) {
          const std::string name = nb::cast<std::string>(object.attr("name"));
          if (count == 0) return foreign_.primitive_of(name);
          return make_function(lane_, op_number(name), nb::cast<u32>(object.attr("arity")), packed, count);
        });
  }

  static constexpr u32 FEW_PARTS = 16;

  const SmallIntegers& small_ = SmallIntegers::all();
  HostLane& lane_;
  const ForeignOps& foreign_;
  Allowance allowed_;
  Recurring* known_;
  bool exact_ = true;  // whether all numbers so far are plain ones of Python
  bool met_function_ = false;
};

// Pack a Python value into the lane's arena; ValueError for an object that is no value.
inline Value pack(HostLane& lane, nb::handle value, const ForeignOps& foreign) {
  return Packer(lane, foreign, ANY_VALUE).pack(value.ptr());
}

inline Allowance allowance(const Limits& limits) { return {limits.items, limits.depth}; }

// Pack an object from outside; ValueError also if it is over a limit of the lane.
inline Value pack_input(HostLane& lane, nb::handle object, const ForeignOps& foreign) {
  return Packer(lane, foreign, allowance(lane.limits)).pack(object.ptr());
}

// New memory with packed values: `fill` packs them into a lane, again in a larger arena until they fit.
template <class Fill>
std::unique_ptr<Memory> packed_memory(Limits limits, ForeignOps& foreign, Fill fill) {
  auto memory = std::make_unique<Memory>(u64(1) << 20, limits.depth);
  while (true) {
    HostLane lane = memory->lane(limits, &NEVER_STOPPED, foreign.host());
    fill(lane);
    if (lane.status != Status::overflow) return memory;
    memory->grow();
  }
}

}  // namespace arcbatt
