// Packing tasks. A task keeps its packed form, so that the next run does not pack it again. Host only.
#pragma once

#include <algorithm>
#include <memory>

#include "python/pack.h"
#include "threads/plan.h"

namespace arcbatt {

// The packed form of a task, as its Python object keeps it, and the limits that it was packed under.
struct KeptTask {
  PackedTask task;
  Allowance allowed;
};

// Packs tasks: objects with `pairs` (S or None) and `samples` ([(I, C or None), ...]). Those of the class
// `keeping` keep their packed form in an attribute `packed`.
class TaskPacker {
 public:
  TaskPacker(nb::handle keeping, const Limits& limits, ForeignOps& foreign)
      : keeping_(keeping), limits_(limits), foreign_(foreign) {}

  PackedTasks* pack(nb::list given) {
    auto packed = std::make_unique<PackedTasks>();
    std::vector<u32> fresh;
    for (nb::handle task : given) {
      const KeptTask* const kept = kept_by(task);
      if (!kept) fresh.push_back(u32(packed->tasks.size()));
      packed->tasks.push_back(kept ? kept->task : PackedTask{});
    }
    if (!fresh.empty()) pack_fresh(given, fresh, packed->tasks);
    return packed.release();
  }

 private:
  static constexpr u64 LEAST_BYTES = u64(1) << 16, BYTES_A_TASK = u64(1) << 14;  // most need less
  static constexpr u32 DEPTH = 1;  // nothing is applied here

  bool is_keeping(nb::handle task) const { return task.type().is(keeping_); }

  const KeptTask* kept_by(nb::handle task) const {
    if (!is_keeping(task)) return nullptr;
    const nb::object packed = task.attr("packed");
    if (packed.is_none()) return nullptr;
    const KeptTask& kept = nb::cast<const KeptTask&>(packed);
    const Allowance allowed = allowance(limits_);
    return kept.allowed.items == allowed.items && kept.allowed.depth == allowed.depth ? &kept : nullptr;
  }

  // Pack some of the given tasks into new memory, which they share.
  void pack_fresh(nb::list given, const std::vector<u32>& fresh, std::vector<PackedTask>& tasks) {
    const u64 bytes = std::clamp(BYTES_A_TASK * fresh.size(), LEAST_BYTES, LARGEST_ARENA);
    const auto memory = std::make_shared<Memory>(bytes, DEPTH);
    std::vector<u32> lasting;
    while (true) {
      HostLane lane = memory->lane(limits_, &NEVER_STOPPED, foreign_.host());
      lasting.clear();
      for (u32 place : fresh) {
        has_functions_ = false;
        tasks[place] = packed(lane, given[place]);
        tasks[place].memory = memory;
        if (!has_functions_ && cannot_change(given[place])) lasting.push_back(place);
      }
      if (lane.status != Status::overflow) break;
      memory->grow();
    }
    for (u32 place : lasting) keep(given[place], tasks[place]);
  }

  PackedTask packed(HostLane& lane, nb::handle task) {
    const nb::object pairs = task.attr("pairs"), samples = task.attr("samples");
    Recurring parts;  // the grids of S are those of the demo samples
    const auto pack = [&](nb::handle input) {
      Packer packer(lane, foreign_, allowance(limits_), &parts);
      const Value made = packer.pack(input.ptr());
      has_functions_ = has_functions_ || packer.met_function();
      return made;
    };
    PackedTask made{pairs.is_none() ? NO_VALUE : pack(pairs), {}, nullptr};
    for (nb::handle sample : samples) {
      const nb::tuple grids = nb::cast<nb::tuple>(sample);
      const Value input = pack(grids[0]);
      made.inputs.emplace_back(input, nb::object(grids[1]).is_none() ? NO_VALUE : pack(grids[1]));
    }
    return made;
  }

  // Whether no part of a task can change. Packing has refused lists and the like as grids.
  bool cannot_change(nb::handle task) const {
    return is_keeping(task) && nb::object(task.attr("demo")).type().is(&PyTuple_Type) &&
           nb::object(task.attr("test")).type().is(&PyTuple_Type);
  }

  // Past `__setattr__`: tasks are frozen.
  void keep(nb::handle task, const PackedTask& packed) const {
    const nb::object kept = nb::cast(KeptTask{packed, allowance(limits_)});
    if (PyObject_GenericSetAttr(task.ptr(), nb::str("packed").ptr(), kept.ptr()) != 0)
      throw nb::python_error();
  }

  nb::handle keeping_;
  const Limits& limits_;
  ForeignOps& foreign_;
  bool has_functions_ = false;  // the numbers of a user's ops in functions may change
};

inline void bind_tasks(nb::module_& module) {
  nb::class_<KeptTask>(module, "KeptTask");
  nb::class_<PackedTasks>(module, "PackedTasks");
  module.def(
      "pack_tasks",
      [](nb::list tasks, nb::handle keeping, const Limits& limits, ForeignOps& foreign) {
        return TaskPacker(keeping, limits, foreign).pack(tasks);
      },
      nb::sig(
          "def pack_tasks(tasks: list[typing.Any], keeping: type, limits: Limits, foreign: ForeignOps, /) "
          "-> PackedTasks"),
      "Tasks from their `pairs` and `samples`, [(I, C or None), ...]; those of the class `keeping` keep "
      "their "
      "packed form.");
}

}  // namespace arcbatt
