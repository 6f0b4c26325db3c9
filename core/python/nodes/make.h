// Nodes made without the interpreter. Host only.
#pragma once

#include <utility>

#include "python/graph.h"

namespace arcbatt {

// Makes nodes as `Node` of arcbatt.program.graph does, and keeps them where it keeps them: `references` has
// weak references by key, made by `reference_class`, which call `forget` when their node ends.
class NodeMaker {
 public:
  NodeMaker(nb::handle node_class, nb::dict references, nb::handle reference_class, nb::handle forget)
      : type_(nb::borrow(node_class)), nodes_of_(node_class), references_(references),
        reference_class_(nb::borrow(reference_class)), forget_(nb::borrow(forget)),
        key_name_(nb::steal(PyUnicode_InternFromString("key"))),
        no_inputs_(nb::steal(PyFrozenSet_New(nullptr))), kind_(nodes_of_.place_of("kind")),
        head_(nodes_of_.place_of("head")), args_(nodes_of_.place_of("args")),
        needs_(nodes_of_.place_of("needs")), digest_(nodes_of_.place_of("_digest")),
        static_type_(nodes_of_.place_of("static_type")) {}

  const NodeClass& nodes_of() const { return nodes_of_; }

  PyObject* kind(PyObject* node) const { return NodeClass::slot(node, kind_); }

  // The node with these parts: the one there is, or a new one. It has arguments.
  nb::object made(nb::handle kind, nb::handle head, const nb::object& args) const {
    const nb::object key = nb::steal(PyTuple_Pack(3, kind.ptr(), head.ptr(), args.ptr()));
    if (!key.is_valid()) nb::raise_python_error();
    PyObject* const reference = PyDict_GetItemWithError(references_.ptr(), key.ptr());
    if (reference) {
      const nb::object known = target_of(reference);
      if (!known.is_none()) return known;
    } else if (PyErr_Occurred()) {
      nb::raise_python_error();
    }
    PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(type_.ptr());
    const nb::object node = nb::steal(type->tp_alloc(type, 0));
    if (!node.is_valid()) nb::raise_python_error();
    set(node.ptr(), kind_, nb::borrow(kind));
    set(node.ptr(), head_, nb::borrow(head));
    set(node.ptr(), args_, args);
    set(node.ptr(), digest_, nb::none());
    set(node.ptr(), static_type_, nb::none());
    set(node.ptr(), needs_, needs_of(args.ptr()));
    return kept(key, node);
  }

 private:
  nb::object needs_of(PyObject* args) const {
    nb::object needs = no_inputs_;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k) {
      nodes_of_.require(PyTuple_GET_ITEM(args, k));
      const nb::object more = nb::borrow(NodeClass::slot(PyTuple_GET_ITEM(args, k), needs_));
      if (more.is(needs) || more <= needs) continue;
      needs = needs <= more ? more : nb::object(needs | more);
    }
    return needs;
  }

  // As `InternTable.keep`: another thread may have made the node by now, or the one there was has ended.
  nb::object kept(const nb::object& key, const nb::object& node) const {
    const nb::object fresh = reference_class_(node, forget_);
    if (PyObject_SetAttr(fresh.ptr(), key_name_.ptr(), key.ptr()) < 0) nb::raise_python_error();
    while (true) {
      PyObject* const found = PyDict_SetDefault(references_.ptr(), key.ptr(), fresh.ptr());
      if (!found) nb::raise_python_error();
      const nb::object reference = nb::borrow(found);
      const nb::object known = target_of(found);
      if (!known.is_none()) return known;
      forget_(reference);
    }
  }

  // What a weak reference refers to; None if that has ended.
  static nb::object target_of(PyObject* reference) {
    nb::object target = nb::steal(PyObject_CallNoArgs(reference));
    if (!target.is_valid()) nb::raise_python_error();
    return target;
  }

  static void set(PyObject* node, Py_ssize_t place, nb::object value) {
    PyObject* const before = std::exchange(NodeClass::slot(node, place), value.release().ptr());
    Py_XDECREF(before);
  }

  nb::object type_;
  NodeClass nodes_of_;
  nb::dict references_;
  nb::object reference_class_, forget_, key_name_, no_inputs_;
  Py_ssize_t kind_, head_, args_, needs_, digest_, static_type_;
};

}  // namespace arcbatt
