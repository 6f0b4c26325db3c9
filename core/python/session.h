// Sessions: values stay packed in the core between calls from Python. Host only.
#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

#include "python/outcome_store.h"

namespace arcbatt {

// The cost of each op of the core in some sessions, and which ops sessions may run (Python runs the others).
struct Kernels {
  std::vector<Cost> costs = std::vector<Cost>(number::FIRST_FOREIGN);
  std::vector<bool> in_use = std::vector<bool>(number::FIRST_FOREIGN, true);
};

// A lane that Python calls op by op. Its values stay where they are as long as the session lives.
class Session {
 public:
  // `named` is the Python class of ops by name; `presented` converts a function, and `failure` a kind of
  // failure, to its form in Python; `room` is in bytes.
  Session(const Limits& limits, ForeignOps& foreign, Kernels& kernels, nb::handle named,
          nb::callable presented, nb::callable failure, u64 room)
      : room(room), kernels(kernels), limits_(limits), foreign_(foreign), named_(named.ptr()),
        presented_(std::move(presented)), failure_(std::move(failure)),
        memory_(FIRST, limits.depth, limits, foreign.host()) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A Python value, packed; ValueError for an object that is no value or is over a limit.
  Value take_in(nb::handle object) {
    return attempt([&] { return pack_input(lane_, object, foreign_); });
  }

  // Run an op, or a call of the function args[0]; no value, with the status set, if it fails.
  Value run(u32 op, const Value* args, u32 count) {
    try {
      return attempt([&] { return run_top_level(lane_, op, args, count); });
    } catch (const std::bad_alloc&) {
      return lane_.status = Status::SIZE, NO_VALUE;
    }
  }

  Status status() const { return lane_.status; }
  bool busy() const { return busy_; }
  bool same(Value a, Value b) {
    return attempt([&] { return boolean(equal(lane_, a, b)); }).integer() != 0;
  }

  nb::object give_out(Value v) const {
    nb::object made = unpack(v, foreign_);
    return is_function(v) ? presented_(made) : made;
  }

  // The failure of the last line, as Python has it.
  nb::object failure() const { return failure_(STATUS_NAMES[int(lane_.status)]); }

  // Whether an object is a value as it stands: no list, no boolean, nothing nested too deep.
  bool is_value(nb::handle object) const { return is_value_within(object.ptr(), limits_.depth); }

  // The function value of a Python object that is an op by name; no value for any other object.
  Value primitive_of(PyObject* object) {
    const auto known = primitives_.find(object);
    if (known != primitives_.end()) return known->second.value;
    if (!is_python_function(object)) return NO_VALUE;
    const nb::handle function(object);
    if (nb::cast<nb::tuple>(function.attr("parts")).size() != 0) return NO_VALUE;
    const Value value = foreign_.primitive_of(nb::cast<std::string>(function.attr("name")));
    // The object is held, so its address stays its own.
    const bool keep = primitives_.size() < MOST_PRIMITIVES;
    if (keep) primitives_.emplace(object, Primitive{nb::borrow(function), value});
    return value;
  }

  bool is_python_function(PyObject* object) const {
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(foreign_.function.ptr()));
  }
  bool is_named(PyObject* object) const { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == named_; }
  u64 bytes() const { return memory_.bytes(); }
  bool is_full() const { return bytes() > room; }

  const u64 room;
  Kernels& kernels;
  u64 downloads = 0;  // times that Python has looked at values; looks with no line between count once
  bool looking = false;
  Cost cost;

 private:
  struct Primitive {
    nb::object object;
    Value value;
  };
  static constexpr u64 FIRST = u64(1) << 18, MOST_PRIMITIVES = 4096;

  // Do some work in the arena, and again in a larger one where it overflows. Refused while an op of the user
  // runs in Python: its memory, and all that is built meanwhile, is given back when it ends.
  template <class Work>
  Value attempt(Work work) {
    if (busy_) throw std::runtime_error("this session is in the middle of an op");
    const Turn turn(*this);
    while (true) {
      lane_.status = Status::ok;
      u8* mark = lane_.top;
      Value made = NO_VALUE;
      try {
        made = work();
      } catch (...) {
        lane_.frame_top = lane_.stack_top = 0;
        lane_.release(mark);
        throw;
      }
      if (!lane_.failed()) return made;
      lane_.release(mark);
      if (lane_.status != Status::overflow) return NO_VALUE;
      memory_.grow();
    }
  }

  struct Turn {
    explicit Turn(Session& session) : session(session) { session.busy_ = true; }
    ~Turn() { session.busy_ = false; }
    Session& session;
  };

  bool is_value_within(PyObject* object, u32 depth) const {
    if (PyLong_CheckExact(object)) return true;
    if (PyTuple_CheckExact(object)) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(object); ++k) {
        if (depth == 0 || !is_value_within(PyTuple_GET_ITEM(object, k), depth - 1)) return false;
      }
      return true;
    }
    if (!PyFrozenSet_CheckExact(object)) return is_python_function(object);
    for (nb::handle element : nb::borrow<nb::object>(object)) {
      if (depth == 0 || !is_value_within(element.ptr(), depth - 1)) return false;
    }
    return true;
  }

  Limits limits_;
  ForeignOps& foreign_;
  PyObject* named_;
  nb::callable presented_, failure_;
  std::unordered_map<PyObject*, Primitive> primitives_;
  GrowingLane memory_;
  HostLane& lane_ = memory_.lane;
  bool busy_ = false;
};

// A value of a session as Python holds it; it is unpacked when Python looks at it.
class Resident {
 public:
  Resident(nb::object session, Value value) : session_(std::move(session)), value_(value) {}

  Value value() const { return value_; }
  Session& session() const { return *nb::inst_ptr<Session>(session_); }

  nb::object looked_at() {
    if (!seen_.is_valid()) {
      seen_ = session().give_out(value_);
      session().downloads += !session().looking;
      session().looking = true;
    }
    return seen_;
  }

  // Equality with another value of the session, compared without unpacking either, or with a Python value.
  bool equals(nb::handle other) {
    if (!nb::isinstance<Resident>(other)) return looked_at().equal(other);
    Resident& resident = nb::cast<Resident&>(other);
    const bool at_hand = &resident.session() == &session() && !session().busy();
    if (at_hand) return session().same(value_, resident.value_);
    return looked_at().equal(resident.looked_at());
  }

  // A call in Python, on the Python values of the arguments.
  nb::object called(nb::args args) {
    nb::list plain;
    for (nb::handle arg : args) {
      plain.append(nb::isinstance<Resident>(arg) ? nb::cast<Resident&>(arg).looked_at() : nb::borrow(arg));
    }
    return looked_at()(*plain);
  }

  // Pickles as the Python value.
  nb::object reduced() {
    const nb::object plain = looked_at();
    if (is_function(value_)) return plain.attr("__reduce__")();
    return nb::make_tuple(plain.type(), nb::make_tuple(plain));
  }

 private:
  nb::object session_;  // keeps the memory of the value alive
  Value value_;
  nb::object seen_;
};

// One line of a batt in a session: a function and its arguments.
class Line {
 public:
  Line(nb::handle session, nb::handle pile, nb::handle upload)
      : owner_(session), session_(*nb::inst_ptr<Session>(session)), upload_(upload),
        parts_(nb::steal(PySequence_Fast(pile.ptr(), "a line is a list"))),
        resident_type_(nb::type<Resident>()) {
    if (!parts_.is_valid()) throw nb::python_error();
  }

  // The number of an op whose kernel is in use, CALL for a call of a function value, or NOT_HERE.
  u32 head(bool any_kernel) {
    const u64 count = size();
    if (count == 0 || count > MOST_ARGUMENTS || session_.is_full() || session_.busy()) return NOT_HERE;
    PyObject* function = part(0);
    if (session_.is_named(function)) {
      const Value primitive = session_.primitive_of(function);
      if (!primitive.exists()) return NOT_HERE;
      const u32 op = function_name(primitive);
      return is_foreign(op) || !(any_kernel || session_.kernels.in_use[op]) ? NOT_HERE : op;
    }
    return is_resident(function) || session_.is_python_function(function) ? u32(number::CALL) : NOT_HERE;
  }

  Value run(u32 op) {
    const u32 first = op == number::CALL ? 0 : 1, count = u32(size()) - first;
    Value values[MOST_ARGUMENTS];
    for (u32 k = 0; k < count; ++k) values[k] = value_of(part(first + k));
    return session_.run(op, values, count);
  }

  // A value for Python: a number as it is, all else as a resident.
  nb::object resident(Value v) const {
    if (v.is_integer()) return nb::steal(PyLong_FromLongLong(v.integer()));
    nb::object made = nb::inst_alloc(resident_type_);
    new (nb::inst_ptr<Resident>(made)) Resident(nb::borrow(owner_), v);
    nb::inst_mark_ready(made);
    return made;
  }

  static constexpr u32 NOT_HERE = ~0u;

 private:
  u64 size() const { return u64(PySequence_Fast_GET_SIZE(parts_.ptr())); }
  PyObject* part(u64 k) const { return PySequence_Fast_GET_ITEM(parts_.ptr(), Py_ssize_t(k)); }
  bool is_resident(PyObject* object) const {
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == resident_type_.ptr();
  }

  // Residents, and values that fit in a word, are used as they are; others are uploaded.
  Value value_of(PyObject* object) {
    if (is_resident(object)) {
      const Resident& resident = *nb::inst_ptr<Resident>(object);
      if (&resident.session() == &session_) return resident.value();
    } else if (PyLong_Check(object) || is_small_tuple(object)) {
      return session_.take_in(object);
    } else if (const Value primitive = session_.primitive_of(object); primitive.exists()) {
      return primitive;
    }
    const nb::object uploaded = upload_(nb::borrow(object));
    return nb::cast<Resident&>(uploaded).value();
  }

  static bool is_pair(PyObject* object) {
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == 2 &&
           PyLong_Check(PyTuple_GET_ITEM(object, 0)) && PyLong_Check(PyTuple_GET_ITEM(object, 1));
  }

  // The empty Tuple, a pair of Integers, a cell.
  static bool is_small_tuple(PyObject* object) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) > 2) return false;
    if (PyTuple_GET_SIZE(object) < 2) return PyTuple_GET_SIZE(object) == 0;
    PyObject* second = PyTuple_GET_ITEM(object, 1);
    return PyLong_Check(PyTuple_GET_ITEM(object, 0)) && (PyLong_Check(second) || is_pair(second));
  }

  nb::handle owner_;
  Session& session_;
  nb::handle upload_;
  nb::object parts_;
  nb::handle resident_type_;
};

// Run a line [function, arguments...] in a session: its value (a number or a resident), or its failure.
// NotImplemented where Python must run the line: the op has no kernel here or none in use, the function is
// not of the language, or the session is full. `upload` makes a resident of a value.
inline nb::object run_line(nb::handle session, nb::handle pile, nb::handle upload, bool any_kernel) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point started = Clock::now();
  Line line(session, pile, upload);
  const u32 op = line.head(any_kernel);
  if (op == Line::NOT_HERE) return nb::borrow(Py_NotImplemented);
  Session& engine = *nb::inst_ptr<Session>(session);
  engine.looking = false;
  const Value result = line.run(op);
  const bool is_ok = engine.status() == Status::ok;
  const std::chrono::nanoseconds spent = Clock::now() - started;
  for (Cost* cost : {&engine.cost, &engine.kernels.costs[op]}) cost->add(u64(spent.count()), !is_ok);
  return is_ok ? line.resident(result) : engine.failure();
}

}  // namespace arcbatt
