// Many replacements of one node of a graph, each with the nodes that depend on it made anew. Host only.
#pragma once

#include <unordered_set>
#include <vector>

#include "python/known.h"
#include "python/nodes/remake.h"

namespace arcbatt {

// Numbers that stand for expressions: equal ones have equal numbers, others but for chance different ones.
// They hold for as long as this object lives, which keeps the nodes that it was asked for.
class Fingerprints {
 public:
  Fingerprints(nb::handle node_class, u64 passed_over) : nodes_of_(node_class), passed_over_(passed_over) {}

  // The fingerprint of a node that is there, by way of a stack: graphs may be deep.
  u64 of(PyObject* node) {
    const u64 found = known_.find(node);
    if (found) return found;
    std::vector<PyObject*> waiting = {node};
    while (!waiting.empty()) {
      PyObject* const next = waiting.back();
      nodes_of_.require(next);
      PyObject* const args = nodes_of_.args(next);
      const u64 before = waiting.size();
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k) {
        if (!known_.find(PyTuple_GET_ITEM(args, k))) waiting.push_back(PyTuple_GET_ITEM(args, k));
      }
      if (waiting.size() > before) continue;
      waiting.pop_back();
      if (!known_.find(next)) keep(next, args);
    }
    return known_.find(node);
  }

  // The fingerprint of an op or call with arguments that have theirs: begun with its head, then mixed with
  // one after the other.
  static u64 begun(PyObject* head) {
    const Py_hash_t hash = PyObject_Hash(head);
    if (hash == -1) nb::raise_python_error();
    return mixed(1, u64(hash));
  }
  static u64 mixed(u64 print, u64 more) {
    print = (print ^ more) * 0xff51afd7ed558ccdu;
    print = (print ^ print >> 32) * 0xc4ceb9fe1a85ec53u;
    return (print ^ print >> 29) | 1;  // 0 stands for none
  }

  // Note a fingerprint.
  void meet(u64 print) { met_.insert(print); }

  // Whether a fingerprint is met for the first time, and so many new ones were passed over before.
  bool is_wanted(u64 print) {
    if (!met_.insert(print).second) return false;
    if (passed_over_ == 0) return true;
    --passed_over_;
    return false;
  }

 private:
  void keep(PyObject* node, PyObject* args) {
    u64 print = mixed(2, reinterpret_cast<u64>(node));
    if (PyTuple_GET_SIZE(args)) {
      print = begun(nodes_of_.head(node));
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k)
        print = mixed(print, known_.find(PyTuple_GET_ITEM(args, k)));
    }
    kept_.push_back(nb::borrow(node));
    known_.set(node, print);
  }

  NodeClass nodes_of_;
  u64 passed_over_;
  AddressTable known_;
  std::vector<nb::object> kept_;
  std::unordered_set<u64> met_;
};

// Replaces a node of a graph, and makes the nodes that depend on it anew.
//
// `nodes` are these in order. For each argument of each, `sources` says what it is afterwards: the same (-1),
// the replacement (0), or an earlier node of them, counted from 1. With `changes_user` the line that changes
// is the first of them, else the replaced node itself.
class Rebuilder {
 public:
  Rebuilder(const Remaker& remaker, nb::sequence nodes, nb::sequence sources, bool changes_user)
      : make_(remaker.maker()), changed_(changes_user) {
    u64 number = 0;
    for (nb::handle node : nodes) {
      make_.nodes_of().require(node.ptr());
      Row row{nb::borrow(node), {}, 0};
      for (nb::handle source : nb::object(sources[number])) {
        row.sources.push_back(nb::cast<int>(source));
        if (row.sources.back() > int(number)) throw nb::value_error("a node is made of later ones");
      }
      PyObject* const args = make_.nodes_of().args(node.ptr());
      if (Py_ssize_t(row.sources.size()) != PyTuple_GET_SIZE(args))
        throw nb::value_error("a node has another number of arguments");
      row.begun = Fingerprints::begun(make_.nodes_of().head(node.ptr()));
      rows_.push_back(std::move(row));
      ++number;
    }
    if (changed_ > rows_.size()) throw nb::value_error("there is no user that changes");
  }

  // The candidates that replacements of one type give, without those that lead to a root that was met before.
  //
  // A replacement is a node, or the kind, the head and the arguments of one. A candidate is made of its root
  // and its one change, that of `before`.
  nb::list candidates(nb::iterable drafts, Fingerprints& prints, nb::handle before,
                      nb::handle candidate_class, nb::handle change_class) {
    nb::list found;
    for (nb::handle draft : drafts) {
      if (!prints.is_wanted(print_of_root(draft, prints))) continue;
      made_.clear();
      made_.push_back(node_of(draft));
      for (u64 k = 0; k < rows_.size(); ++k) made_.push_back(rebuilt(rows_[k]));
      const nb::object change = tuple_of(change_class, before, made_[changed_]);
      found.append(tuple_of(candidate_class, made_.back(), nb::make_tuple(change)));
    }
    made_.clear();
    return found;
  }

 private:
  struct Row {
    nb::object node;
    std::vector<int> sources;
    u64 begun;
  };

  u64 print_of_root(nb::handle draft, Fingerprints& prints) {
    prints_.clear();
    prints_.push_back(print_of(draft, prints));
    for (const Row& row : rows_) {
      PyObject* const args = make_.nodes_of().args(row.node.ptr());
      u64 print = row.begun;
      for (u64 k = 0; k < row.sources.size(); ++k) {
        const int source = row.sources[k];
        print =
            Fingerprints::mixed(print, source < 0 ? prints.of(PyTuple_GET_ITEM(args, k)) : prints_[source]);
      }
      prints_.push_back(print);
    }
    return prints_.back();
  }

  static u64 print_of(nb::handle draft, Fingerprints& prints) {
    if (!PyTuple_CheckExact(draft.ptr())) return prints.of(draft.ptr());
    require_parts(draft);
    u64 print = Fingerprints::begun(PyTuple_GET_ITEM(draft.ptr(), 1));
    PyObject* const args = PyTuple_GET_ITEM(draft.ptr(), 2);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k)
      print = Fingerprints::mixed(print, prints.of(PyTuple_GET_ITEM(args, k)));
    return print;
  }

  static void require_parts(nb::handle draft) {
    if (PyTuple_GET_SIZE(draft.ptr()) != 3 || !PyTuple_CheckExact(PyTuple_GET_ITEM(draft.ptr(), 2)))
      throw nb::type_error("a draft is a node, or a kind, a head and arguments");
  }

  nb::object node_of(nb::handle draft) const {
    if (!PyTuple_CheckExact(draft.ptr())) return nb::borrow(draft);
    return make_.made(PyTuple_GET_ITEM(draft.ptr(), 0), PyTuple_GET_ITEM(draft.ptr(), 1),
                      nb::borrow(PyTuple_GET_ITEM(draft.ptr(), 2)));
  }

  nb::object rebuilt(const Row& row) const {
    PyObject* const before = make_.nodes_of().args(row.node.ptr());
    const nb::object args = nb::steal(PyTuple_New(PyTuple_GET_SIZE(before)));
    if (!args.is_valid()) nb::raise_python_error();
    for (u64 k = 0; k < row.sources.size(); ++k) {
      PyObject* const arg =
          row.sources[k] < 0 ? PyTuple_GET_ITEM(before, k) : made_[u64(row.sources[k])].ptr();
      Py_INCREF(arg);
      PyTuple_SET_ITEM(args.ptr(), Py_ssize_t(k), arg);
    }
    return make_.made(make_.kind(row.node.ptr()), make_.nodes_of().head(row.node.ptr()), args);
  }

  // A named tuple of two, without a call of its class.
  static nb::object tuple_of(nb::handle type, nb::handle first, nb::handle second) {
    const nb::tuple arguments = nb::make_tuple(nb::make_tuple(first, second));
    const nb::object made =
        nb::steal(PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type.ptr()), arguments.ptr(), nullptr));
    if (!made.is_valid()) nb::raise_python_error();
    return made;
  }

  const NodeMaker& make_;
  u64 changed_;
  std::vector<Row> rows_;
  std::vector<nb::object> made_;  // of the candidate at hand: the replacement, and a node for each row
  std::vector<u64> prints_;
};

inline void bind_rebuilding(nb::module_& module) {
  nb::class_<Fingerprints>(module, "Fingerprints")
      .def(nb::init<nb::handle, u64>(),
           nb::sig("def __init__(self, node_class: type, passed_over: int, /) -> None"),
           "Numbers that stand for expressions, and those that were met already.")
      .def(
          "meet", [](Fingerprints& prints, nb::handle node) { prints.meet(prints.of(node.ptr())); },
          nb::sig("def meet(self, root: typing.Any, /) -> None"), "Note a root.");
  nb::class_<Rebuilder>(module, "Rebuilder")
      .def(nb::init<const Remaker&, nb::sequence, nb::sequence, bool>(), nb::keep_alive<1, 2>(),
           nb::sig("def __init__(self, remaker: Remaker, nodes: collections.abc.Sequence[typing.Any], "
                   "sources: collections.abc.Sequence[collections.abc.Sequence[int]], changes_user: bool, /) "
                   "-> None"),
           "Replaces a node, and makes those that depend on it anew.")
      .def("candidates", &Rebuilder::candidates,
           nb::sig("def candidates(self, drafts: collections.abc.Iterable[typing.Any], prints: Fingerprints, "
                   "before: typing.Any, candidate_class: type, change_class: type, /) -> list[typing.Any]"),
           "The candidates that replacements give, without those with a root that was met.");
}

}  // namespace arcbatt
