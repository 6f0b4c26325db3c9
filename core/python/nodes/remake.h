// Nodes made anew on top of one that was replaced, without the interpreter. Host only.
#pragma once

#include <utility>

#include "python/graph.h"

namespace arcbatt {

// Makes nodes as `Node` of arcbatt.program.graph does, and keeps them where it keeps them: `references` has
// weak references by key, made by `reference_class`, which call `forget` when their node ends.
class Remaker {
 public:
  Remaker(nb::handle node_class, nb::dict references, nb::handle reference_class, nb::handle forget)
      : type_(nb::borrow(node_class)), nodes_of_(node_class), references_(references),
        reference_class_(nb::borrow(reference_class)), forget_(nb::borrow(forget)),
        no_inputs_(nb::steal(PyFrozenSet_New(nullptr))), kind_(nodes_of_.place_of("kind")),
        head_(nodes_of_.place_of("head")), args_(nodes_of_.place_of("args")),
        needs_(nodes_of_.place_of("needs")), digest_(nodes_of_.place_of("_digest")),
        static_type_(nodes_of_.place_of("static_type")) {}

  // Make the nodes at some places, which come in order, anew where an argument has another node in its place
  // by now; `swapped` says which, and gets the new ones. A new one has the type that `changed` or `types`
  // says.
  void remake(nb::sequence nodes, nb::sequence places, nb::dict swapped, nb::dict changed,
              nb::sequence types) const {
    for (nb::handle each : places) {
      const u64 place = nb::cast<u64>(each);
      const nb::object before = nodes[place];
      nodes_of_.require(before.ptr());
      const nb::object args = exchanged(nodes_of_.args(before.ptr()), swapped);
      if (!args.is_valid()) continue;
      const nb::object node = made(before.ptr(), args);
      swapped[before] = node;
      PyObject* const retyped = PyDict_GetItemWithError(changed.ptr(), before.ptr());
      set(node.ptr(), static_type_, retyped ? nb::borrow(retyped) : nb::object(types[place]));
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

  // The node of the kind and with the head of another, with these arguments: the one there is, or a new one.
  nb::object made(PyObject* like, const nb::object& args) const {
    const nb::object kind = get(like, kind_), head = get(like, head_);
    const nb::object key = nb::make_tuple(kind, head, args);
    PyObject* const reference = PyDict_GetItemWithError(references_.ptr(), key.ptr());
    if (reference) {
      const nb::object known = nb::borrow(reference)();
      if (!known.is_none()) return known;
    } else if (PyErr_Occurred()) {
      nb::raise_python_error();
    }
    PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(type_.ptr());
    const nb::object node = nb::steal(type->tp_alloc(type, 0));
    if (!node.is_valid()) nb::raise_python_error();
    set(node.ptr(), kind_, kind);
    set(node.ptr(), head_, head);
    set(node.ptr(), args_, args);
    set(node.ptr(), digest_, nb::none());
    set(node.ptr(), static_type_, nb::none());
    set(node.ptr(), needs_, needs_of(args.ptr()));
    return kept(key, node);
  }

  nb::object needs_of(PyObject* args) const {
    nb::object needs = no_inputs_;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k) {
      nodes_of_.require(PyTuple_GET_ITEM(args, k));
      const nb::object more = get(PyTuple_GET_ITEM(args, k), needs_);
      if (more.is(needs) || more <= needs) continue;
      needs = needs <= more ? more : nb::object(needs | more);
    }
    return needs;
  }

  // As `Interned.keep`: another thread may have made the node meanwhile, or the one there was has just ended.
  nb::object kept(const nb::object& key, const nb::object& node) const {
    const nb::object fresh = reference_class_(node, forget_);
    fresh.attr("key") = key;
    while (true) {
      PyObject* const found = PyDict_SetDefault(references_.ptr(), key.ptr(), fresh.ptr());
      if (!found) nb::raise_python_error();
      const nb::object reference = nb::borrow(found);
      const nb::object known = reference();
      if (!known.is_none()) return known;
      forget_(reference);
    }
  }

  static nb::object get(PyObject* node, Py_ssize_t place) { return nb::borrow(NodeClass::slot(node, place)); }
  static void set(PyObject* node, Py_ssize_t place, nb::object value) {
    PyObject* const before = std::exchange(NodeClass::slot(node, place), value.release().ptr());
    Py_XDECREF(before);
  }

  nb::object type_;
  NodeClass nodes_of_;
  nb::dict references_;
  nb::object reference_class_, forget_, no_inputs_;
  Py_ssize_t kind_, head_, args_, needs_, digest_, static_type_;
};

inline void bind_remaking(nb::module_& module) {
  nb::class_<Remaker>(module, "Remaker")
      .def(nb::init<nb::handle, nb::dict, nb::handle, nb::handle>(),
           nb::sig("def __init__(self, node_class: type, references: dict[typing.Any, typing.Any], "
                   "reference_class: type, forget: collections.abc.Callable[[typing.Any], None], /) -> None"),
           "Makes nodes as their class does, and keeps them among the same references.")
      .def("remake", &Remaker::remake,
           nb::sig("def remake(self, nodes: collections.abc.Sequence[typing.Any], "
                   "places: collections.abc.Sequence[int], swapped: dict[typing.Any, typing.Any], "
                   "changed: dict[typing.Any, typing.Any], "
                   "types: collections.abc.Sequence[typing.Any], /) -> None"),
           "Make nodes anew on top of those that were swapped, with their types.");
}

}  // namespace arcbatt
