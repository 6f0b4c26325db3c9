// Graphs of programs as Python holds them, walked without the interpreter: nodes in topological order, the
// places of their arguments, their stages; and the digests of nodes. Host only.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "machine/run_node.h"
#include "python/known.h"
#include "python/nodes/blake2b.h"

namespace arcbatt {

namespace nb = nanobind;

// The class of nodes, `Node` of arcbatt.program.graph. Its attributes are slots, which lie at fixed places of
// an object; references to them are borrowed from the node.
class NodeClass {
 public:
  enum class Kind { input, constant, op, call };

  static constexpr const char* KIND_NAMES[] = {"input", "constant", "op", "call"};

  explicit NodeClass(nb::handle type)
      : type_(nb::borrow(type)), kind_(place_of("kind")), head_(place_of("head")), args_(place_of("args")),
        digest_(place_of("_digest")) {
    for (const char* name : KIND_NAMES) kinds_.push_back(nb::steal(PyUnicode_InternFromString(name)));
  }

  // Refuse an object that is no node, or lacks a slot.
  void require(PyObject* object) const {
    if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != type_.ptr() || !kind_of_slot(object) ||
        !head(object) || !args(object) || !PyTuple_CheckExact(args(object)))
      throw nb::type_error("an object is no node of a graph");
  }

  PyObject* head(PyObject* node) const { return slot(node, head_); }
  PyObject* args(PyObject* node) const { return slot(node, args_); }

  // The digest of a node, or null.
  PyObject* digest(PyObject* node) const {
    PyObject* const found = slot(node, digest_);
    return found && PyBytes_CheckExact(found) ? found : nullptr;
  }
  void set_digest(PyObject* node, nb::bytes digest) const {
    PyObject* const before = std::exchange(slot(node, digest_), digest.release().ptr());
    Py_XDECREF(before);
  }

  Kind kind(PyObject* node) const {
    PyObject* const name = kind_of_slot(node);
    for (u32 k = 0; k < kinds_.size(); ++k) {
      if (name == kinds_[k].ptr()) return Kind(k);
    }
    for (u32 k = 0; k < kinds_.size(); ++k) {  // a text that is not interned, such as one that was pickled
      if (nb::handle(name).equal(kinds_[k])) return Kind(k);
    }
    throw nb::value_error("a node is of no known kind");
  }

  // Where a slot lies in a node, and what it holds.
  Py_ssize_t place_of(const char* name) const {
    const nb::object found = type_.attr(name);
    if (Py_TYPE(found.ptr()) != &PyMemberDescr_Type) throw nb::type_error("a class of nodes has no slots");
    return reinterpret_cast<PyMemberDescrObject*>(found.ptr())->d_member->offset;
  }
  static PyObject*& slot(PyObject* node, Py_ssize_t place) {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(node) + place);
  }

 private:
  PyObject* kind_of_slot(PyObject* node) const { return slot(node, kind_); }

  nb::object type_;
  Py_ssize_t kind_, head_, args_, digest_;
  std::vector<nb::object> kinds_;
};

// Computes the digests of nodes, which the nodes keep; `text` gives a constant as text.
class Digester {
 public:
  Digester(nb::handle node_class, nb::callable text) : nodes_of_(node_class), text_(std::move(text)) {}

  // The digest of a node. Those of its arguments, which it is made of, are computed first.
  nb::bytes digest(nb::handle node) const {
    std::vector<PyObject*> open{node.ptr()};
    nodes_of_.require(node.ptr());
    while (!open.empty()) {
      PyObject* const last = open.back();
      const u64 before = open.size();
      const bool is_done = nodes_of_.digest(last);
      for (nb::handle arg : nb::borrow<nb::tuple>(nodes_of_.args(last))) {
        nodes_of_.require(arg.ptr());
        if (!is_done && !nodes_of_.digest(arg.ptr())) open.push_back(arg.ptr());
      }
      if (open.size() > before) continue;
      if (!is_done) nodes_of_.set_digest(last, made(last));
      open.pop_back();
    }
    return nb::borrow<nb::bytes>(nodes_of_.digest(node.ptr()));
  }

 private:
  nb::bytes made(PyObject* node) const {
    const nb::tuple args = nb::borrow<nb::tuple>(nodes_of_.args(node));
    const NodeClass::Kind kind = nodes_of_.kind(node);
    const nb::handle head = nodes_of_.head(node);
    const nb::object label = kind == NodeClass::Kind::constant ? nb::object(text_(head)) : nb::str(head);
    std::string content = NodeClass::KIND_NAMES[int(kind)];
    content.append(" ").append(nb::cast<std::string>(label)).append(" ");
    content.append(std::to_string(args.size())).append(" ");
    for (nb::handle arg : args)
      content.append(PyBytes_AS_STRING(nodes_of_.digest(arg.ptr())), Blake2b::DIGEST_SIZE);
    u8 digest[Blake2b::DIGEST_SIZE];
    Blake2b::digest(content, digest);
    return nb::bytes(digest, sizeof digest);
  }

  NodeClass nodes_of_;
  nb::callable text_;
};

// Nodes in topological order, arguments before their users; the places of the arguments of each; its stage.
class Graph {
 public:
  // The nodes that some roots need: root by root, depth first, arguments from left to right. `stages` has the
  // stages of the inputs that are not known from the start; an op runs in the latest stage of its arguments.
  Graph(nb::handle node_class, nb::list given_roots, nb::dict stages) : nodes_of_(node_class) {
    AddressTable places;  // from 1 on
    for (nb::handle root : given_roots) {
      walk(root.ptr(), places, stages);
      roots.push_back(found_.back());
      found_.pop_back();
    }
  }

  // The nodes of given steps (node, places of arguments, stage), in their order.
  Graph(nb::handle node_class, nb::sequence steps) : nodes_of_(node_class) {
    for (nb::handle each : steps) {
      const nb::tuple step = nb::cast<nb::tuple>(each);
      const nb::handle node = step[0];
      nodes_of_.require(node.ptr());
      for (nb::handle arg : nb::cast<nb::tuple>(step[1])) args.push_back(earlier(nb::cast<u32>(arg)));
      add(node.ptr(), Stage(nb::cast<u32>(step[2])));
    }
  }

  const NodeClass& node_class() const { return nodes_of_; }
  u32 size() const { return u32(stages.size()); }
  PyObject* node(u32 place) const { return PyList_GET_ITEM(nodes.ptr(), place); }

  // The steps as Python has them: (places of arguments, stage) of each node.
  nb::list rows() const {
    nb::list made;
    for (u32 k = 0; k < size(); ++k) {
      nb::list places;
      for (u32 place = first_args[k]; place < first_args[k + 1]; ++place) places.append(args[place]);
      made.append(nb::make_tuple(nb::tuple(places), u32(stages[k])));
    }
    return made;
  }

  // The names of the ops that the nodes run.
  nb::set op_names() const {
    nb::set names;
    each_of(NodeClass::Kind::op, [&](PyObject* head) { names.add(nb::handle(head)); });
    return names;
  }

  // The constants that are more than an Integer.
  nb::list compound_constants() const {
    nb::list found;
    each_of(NodeClass::Kind::constant, [&](PyObject* head) {
      if (!PyLong_Check(head)) found.append(nb::handle(head));
    });
    return found;
  }

  nb::list nodes;
  std::vector<u32> first_args{0}, args;  // where the arguments of each node begin, and where the last end
  std::vector<Stage> stages;
  std::vector<u32> roots;

 private:
  struct Open {
    PyObject* node;
    PyObject* args;
    Py_ssize_t looked_at;
  };

  // Walk from a root on; its place is the last of `found_` then.
  void walk(PyObject* root, AddressTable& places, const nb::dict& stages_of_inputs) {
    const auto enter = [&](PyObject* node) {
      if (const u64 known = places.find(node)) {
        found_.push_back(u32(known) - 1);
      } else {
        nodes_of_.require(node);
        open_.push_back({node, nodes_of_.args(node), 0});
      }
    };
    enter(root);
    while (!open_.empty()) {
      Open& last = open_.back();
      if (last.looked_at < PyTuple_GET_SIZE(last.args)) {
        enter(PyTuple_GET_ITEM(last.args, last.looked_at++));
        continue;
      }
      const Open done = last;
      open_.pop_back();
      Stage stage = stage_of_input(done.node, stages_of_inputs);
      const u64 first = found_.size() - u64(PyTuple_GET_SIZE(done.args));
      for (u64 k = first; k < found_.size(); ++k) {
        args.push_back(found_[k]);
        stage = std::max(stage, stages[found_[k]]);
      }
      found_.resize(first);
      found_.push_back(size());
      add(done.node, stage);
      places.set(done.node, size());
    }
  }

  Stage stage_of_input(PyObject* node, const nb::dict& stages_of_inputs) const {
    if (nodes_of_.kind(node) != NodeClass::Kind::input) return Stage::constant;
    PyObject* const found = PyDict_GetItemWithError(stages_of_inputs.ptr(), nodes_of_.head(node));
    return found ? Stage(nb::cast<u32>(nb::handle(found))) : Stage::constant;
  }

  void add(PyObject* node, Stage stage) {
    nodes.append(nb::handle(node));
    first_args.push_back(u32(args.size()));
    stages.push_back(stage);
  }

  u32 earlier(u32 place) const {
    if (place >= size()) throw nb::value_error("a step takes an argument from a later one");
    return place;
  }

  template <class Use>
  void each_of(NodeClass::Kind kind, Use use) const {
    for (u32 k = 0; k < size(); ++k) {
      if (nodes_of_.kind(node(k)) == kind) use(nodes_of_.head(node(k)));
    }
  }

  NodeClass nodes_of_;
  std::vector<Open> open_;
  std::vector<u32> found_;  // the places of the arguments of open nodes, as far as these were looked at
};

inline void bind_graphs(nb::module_& module) {
  nb::class_<Digester>(module, "Digester")
      .def(nb::init<nb::handle, nb::callable>(),
           nb::sig("def __init__(self, node_class: type, "
                   "text: collections.abc.Callable[[typing.Any], str], /) -> None"),
           "Computes the digests of nodes, which the nodes keep.")
      .def("__call__", &Digester::digest, nb::sig("def __call__(self, node: typing.Any, /) -> bytes"));
  nb::class_<Graph>(module, "Graph")
      .def(nb::init<nb::handle, nb::list, nb::dict>(),
           nb::sig("def __init__(self, node_class: type, roots: list[typing.Any], "
                   "stages: collections.abc.Mapping[str, int], /) "
                   "-> None"),
           "The nodes that some roots need, in topological order.")
      .def_static(
          "of_steps", [](nb::handle node_class, nb::sequence steps) { return new Graph(node_class, steps); },
          nb::sig("def of_steps(node_class: type, "
                  "steps: collections.abc.Sequence[tuple[typing.Any, tuple[int, ...], int]], /) -> Graph"),
          "The nodes of steps (node, places of arguments, stage), in their order.")
      .def("__len__", &Graph::size)
      .def_prop_ro(
          "nodes", [](const Graph& graph) { return graph.nodes; },
          nb::sig("def nodes(self) -> list[typing.Any]"))
      .def_prop_ro(
          "roots",
          [](const Graph& graph) {
            nb::list places;
            for (u32 place : graph.roots) places.append(place);
            return nb::tuple(places);
          },
          nb::sig("def roots(self) -> tuple[int, ...]"))
      .def("rows", &Graph::rows, nb::sig("def rows(self) -> list[tuple[tuple[int, ...], int]]"))
      .def("op_names", &Graph::op_names, nb::sig("def op_names(self) -> set[str]"))
      .def("compound_constants", &Graph::compound_constants,
           nb::sig("def compound_constants(self) -> list[typing.Any]"));
}

}  // namespace arcbatt
