// Nodes made anew on top of one that was replaced, without the interpreter. Host only.
#pragma once

#include "python/nodes/make.h"

namespace arcbatt {

class Remaker {
 public:
  Remaker(nb::handle node_class, nb::dict references, nb::handle reference_class, nb::handle forget)
      : make_(node_class, references, reference_class, forget) {}

  const NodeMaker& maker() const { return make_; }

  // Make the nodes at some places, which come in order, anew where an argument has another node in its place
  // by now; `swapped` says which, and gets the new ones.
  void remake(nb::sequence nodes, nb::sequence places, nb::dict swapped) const {
    const NodeClass& nodes_of = make_.nodes_of();
    for (nb::handle each : places) {
      const u64 place = nb::cast<u64>(each);
      const nb::object before = nodes[place];
      nodes_of.require(before.ptr());
      const nb::object args = exchanged(nodes_of.args(before.ptr()), swapped);
      if (!args.is_valid()) continue;
      const nb::object node = make_.made(make_.kind(before.ptr()), nodes_of.head(before.ptr()), args);
      swapped[before] = node;
    }
  }

 private:
  // The arguments, some of them exchanged; nothing if none is.
  static nb::object exchanged(PyObject* args, const nb::dict& swapped) {
    nb::object found;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k) {
      PyObject* const other = PyDict_GetItemWithError(swapped.ptr(), PyTuple_GET_ITEM(args, k));
      if (!other) continue;
      if (!found.is_valid()) found = copy(args);
      Py_INCREF(other);
      PyTuple_SetItem(found.ptr(), k, other);
    }
    return found;
  }

  static nb::object copy(PyObject* tuple) {
    const nb::object made = nb::steal(PyTuple_New(PyTuple_GET_SIZE(tuple)));
    if (!made.is_valid()) nb::raise_python_error();
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); ++k) {
      PyObject* const item = PyTuple_GET_ITEM(tuple, k);
      Py_INCREF(item);
      PyTuple_SET_ITEM(made.ptr(), k, item);
    }
    return made;
  }

  NodeMaker make_;
};

inline void bind_remaking(nb::module_& module) {
  nb::class_<Remaker>(module, "Remaker")
      .def(nb::init<nb::handle, nb::dict, nb::handle, nb::handle>(),
           nb::sig("def __init__(self, node_class: type, references: dict[typing.Any, typing.Any], "
                   "reference_class: type, forget: collections.abc.Callable[[typing.Any], None], /) -> None"),
           "Makes nodes as their class does, and keeps them among the same references.")
      .def(
          "remake", &Remaker::remake,
          nb::sig("def remake(self, nodes: collections.abc.Sequence[typing.Any], "
                  "places: collections.abc.Sequence[int], swapped: dict[typing.Any, typing.Any], /) -> None"),
          "Make nodes anew on top of those that were swapped.");
}

}  // namespace arcbatt
