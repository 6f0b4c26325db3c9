// Values that stay in the engine between calls from Python. Host only.
#pragma once

#include <memory>
#include <vector>

#include "convert.h"

namespace arcbatt {

// A lane that is never reset: what it has computed stays where it is as long as the session lives.
class Session {
 public:
  Session(const Limits& limits, ForeignOps& foreign) : limits_(limits), foreign_(foreign) { grow(FIRST); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A Python value, packed; ValueError for what is none, or is over a limit.
  Value take_in(nb::handle object) {
    const Value packed = attempt([&] { return pack(lane_, object, foreign_); });
    if (weight_of(packed) > limits_.items) throw nb::value_error("the value is heavier than the item limit");
    if (nest_of(packed) > limits_.depth) throw nb::value_error("the value is nested deeper than the depth limit");
    return packed;
  }

  // An op, or a call of the function args[0]; void, with the status, if it fails.
  Value run(bool is_call, u32 op, const Value* args, u32 count) {
    u8* before = lane_.top;
    const Value result = attempt([&] { return run_top_level(lane_, is_call, op, args, count); });
    if (lane_.failed()) {
      lane_.release(before);
      return NO_VALUE;
    }
    return result;
  }

  Status status() const { return lane_.status; }
  bool same(Value a, Value b) {
    lane_.status = Status::ok;
    return equal(lane_, a, b);
  }
  nb::object give_out(Value v) const { return unpack(v, foreign_); }
  const ForeignOps& foreign() const { return foreign_; }
  u64 bytes() const { return earlier_ + u64(lane_.top - lane_.base); }

  u64 downloads = 0;  // values that Python has looked at

 private:
  static constexpr u64 FIRST = u64(1) << 18, LARGEST = u64(4) << 30;

  // Do something in the arena; where it is too small, again in a larger one. Values may point from one to the other.
  template <class Work>
  Value attempt(Work work) {
    while (true) {
      lane_.status = Status::ok;
      u8* mark = lane_.top;
      const Value made = work();
      if (lane_.status != Status::overflow) return made;
      lane_.release(mark);
      if (memories_.back()->bytes() >= LARGEST) throw std::bad_alloc();
      grow(memories_.back()->bytes() * 4);
    }
  }

  void grow(u64 bytes) {
    if (!memories_.empty()) earlier_ += u64(lane_.top - lane_.base);
    memories_.push_back(std::make_unique<Memory>(bytes, limits_.depth));
    lane_ = memories_.back()->lane(limits_, &NEVER_STOPPED, foreign_.host());
  }

  inline static const u32 NEVER_STOPPED = 0;
  Limits limits_;
  ForeignOps& foreign_;
  std::vector<std::unique_ptr<Memory>> memories_;
  u64 earlier_ = 0;
  HostLane lane_{};
};

// A value of a session as Python holds it: a Python value is made of it when somebody looks.
class Resident {
 public:
  Resident(nb::object session, Value value) : session_(std::move(session)), value_(value) {}

  Value value() const { return value_; }
  Session& session() const { return *nb::inst_ptr<Session>(session_); }

  nb::object looked_at() {
    if (!seen_.is_valid()) {
      seen_ = session().give_out(value_);
      ++session().downloads;
    }
    return seen_;
  }

  // Equality with another value of the session, which needs no look at either, or with a Python value.
  bool equals(nb::handle other) {
    if (!nb::isinstance<Resident>(other)) return looked_at().equal(other);
    Resident& resident = nb::cast<Resident&>(other);
    if (&resident.session() == &session()) return session().same(value_, resident.value_);
    return looked_at().equal(resident.looked_at());
  }

 private:
  nb::object session_;  // keeps the memory of the value alive
  Value value_;
  nb::object seen_;
};

// A value for Python: a number as it is, all else as a resident.
inline nb::object resident(nb::handle session, Value v) {
  return v.is_integer() ? nb::object(nb::int_(v.integer())) : nb::cast(Resident(nb::borrow(session), v));
}

// An op by its number, or with no number a call of the first argument, in a session: the result, or how it failed.
// Arguments are residents, numbers and functions; `upload` makes a resident of any other Python value.
inline nb::object run_in_session(nb::handle self, nb::handle number, nb::list args, nb::callable upload,
                                 const char* const* status_names) {
  Session& session = *nb::inst_ptr<Session>(self);
  std::vector<Value> values;
  values.reserve(args.size());
  std::vector<nb::object> kept;  // what was uploaded lives until the op is done
  for (nb::handle arg : args) {
    if (nb::isinstance<Resident>(arg) && &nb::cast<Resident&>(arg).session() == &session) {
      values.push_back(nb::cast<Resident&>(arg).value());
    } else if (PyLong_Check(arg.ptr()) || nb::hasattr(arg, "parts")) {
      values.push_back(session.take_in(arg));
    } else {
      kept.push_back(upload(arg));
      values.push_back(nb::cast<Resident&>(kept.back()).value());
    }
  }
  const bool is_call = number.is_none();
  const Value result = session.run(is_call, is_call ? 0 : nb::cast<u32>(number), values.data(), u32(values.size()));
  return session.status() == Status::ok ? resident(self, result) : nb::object(nb::str(status_names[int(session.status())]));
}

}  // namespace arcbatt
