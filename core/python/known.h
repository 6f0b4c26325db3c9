// Python objects that are packed already: a recurring object is packed once and unpacks to itself. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "threads/lane_memory.h"

namespace arcbatt {

// A hash table of words by address, with open addressing.
class AddressTable {
 public:
  AddressTable() : places_(FIRST) {}

  // The word of an address; 0 if there is none.
  u64 find(const void* address) const { return places_[place_of(address)].word; }

  void set(const void* address, u64 word) {
    if (2 * (count_ + 1) > places_.size()) widen();
    Place& place = places_[place_of(address)];
    count_ += place.address == nullptr;
    place = {address, word};
  }

  template <class Use>
  void each_address(Use use) const {
    for (const Place& place : places_) {
      if (place.address) use(place.address);
    }
  }

 private:
  static constexpr u64 FIRST = 256;
  struct Place {
    const void* address;
    u64 word;
  };

  u64 place_of(const void* address) const {
    const u64 last = places_.size() - 1;
    u64 place = (reinterpret_cast<u64>(address) >> 4) * 0x9e3779b97f4a7c15u >> 32 & last;
    while (places_[place].address && places_[place].address != address) place = (place + 1) & last;
    return place;
  }

  void widen() {
    std::vector<Place> before(places_.size() * 2);
    before.swap(places_);
    for (const Place& place : before) {
      if (place.address) places_[place_of(place.address)] = place;
    }
  }

  std::vector<Place> places_;
  u64 count_ = 0;
};

// The values of Python objects that may occur again. Somebody holds the objects, so they keep their
// addresses.
class Recurring {
 public:
  Recurring() = default;
  virtual ~Recurring() = default;
  Recurring(const Recurring&) = delete;
  Recurring& operator=(const Recurring&) = delete;

  Value value_of(PyObject* object) const { return Value{values_.find(object)}; }
  virtual void learn(PyObject* object, Value v) { values_.set(object, v.word); }

 protected:
  AddressTable values_;  // by Python object
};

// The Python objects that arguments of calls on columns were packed from, for later calls. Objects are
// immutable, and held here, so they keep their addresses. The caller holds the interpreter lock.
class Known final : public Recurring {
 public:
  ~Known() override {
    values_.each_address([](const void* object) { Py_DECREF(object_at(object)); });
  }

  // Whether no more should be packed here. Objects take many times the memory of their packed values, so
  // weight has a bound; bytes have one too, since not all packed objects become known (those with True in
  // them do not).
  bool is_full() const { return weight_ > MOST_WEIGHT || memory_.bytes() > MOST_BYTES; }

  PyObject* object_of(Value v) const { return object_at(reinterpret_cast<void*>(objects_.find(v.head()))); }

  void learn(PyObject* object, Value v) override {
    if (values_.find(object)) return;
    Py_INCREF(object);
    values_.set(object, v.word);
    objects_.set(v.head(), reinterpret_cast<u64>(object));
    weight_ += weight_of(v);
  }

  // Pack something into this memory, which grows until it suffices.
  template <class Pack>
  Value bring(Pack pack) {
    while (true) {
      memory_.lane.status = Status::ok;
      const Value packed = pack(memory_.lane);
      if (memory_.lane.status != Status::overflow) return packed;
      memory_.grow();
    }
  }

 private:
  static constexpr u64 FIRST = u64(1) << 20, MOST_WEIGHT = u64(1) << 21, MOST_BYTES = u64(64) << 20;
  static constexpr u32 DEPTH = 1;  // nothing is applied here

  static PyObject* object_at(const void* address) {
    return static_cast<PyObject*>(const_cast<void*>(address));
  }

  AddressTable objects_;  // Python objects by the head of what they are packed to
  u64 weight_ = 0;
  GrowingLane memory_{FIRST, DEPTH, Limits{HEAVIEST, 1000, 0, 0, 0, 0}, Host{nullptr, nullptr}};
};

}  // namespace arcbatt
