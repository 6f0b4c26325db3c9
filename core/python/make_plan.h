// Plans from graphs of Python: ops by their numbers, constants packed. Host only.
#pragma once

#include <memory>

#include "python/graph.h"
#include "python/pack.h"
#include "threads/plan.h"

namespace arcbatt {

// What a plan takes from Python besides its graph: the numbers of ops and the kinds of inputs by name,
// `status_of`, which tells the status of a constant under the limits, and the defaults of failed ops.
struct Vocabulary {
  nb::dict ops, inputs;
  nb::callable status_of;
  nb::object default_function;
  nb::list foreign_defaults;  // (default, stand-in or None) of each op of the user
};

// A constant, or its failure. Packing obeys the limits, too; Python decides where it refuses.
inline Value constant_value(HostLane& lane, nb::handle constant, u32 place, const Vocabulary& vocabulary,
                            const ForeignOps& foreign) {
  u8* const mark = lane.top;
  try {
    return pack_input(lane, constant, foreign);
  } catch (const nb::builtin_exception&) {
    lane.release(mark);
  }
  const u32 status = nb::cast<u32>(vocabulary.status_of(constant));
  return status ? failure_value(status, place) : pack(lane, constant, foreign);
}

// Pack the values of a plan: those of its constants, which are (place, Python value), and the defaults.
inline void pack_values(Plan& plan, const std::vector<std::pair<u32, PyObject*>>& constants,
                        const Vocabulary& vocabulary, const Limits& limits, ForeignOps& foreign) {
  plan.host = foreign.host();
  plan.memory = packed_memory(limits, foreign, [&](HostLane& lane) {
    plan.constants.assign(plan.nodes.size(), NO_VALUE);
    for (const auto& [place, constant] : constants)
      plan.constants[place] = constant_value(lane, constant, place, vocabulary, foreign);
    plan.default_function = pack(lane, vocabulary.default_function, foreign);
    plan.foreign_defaults.clear();
    for (nb::handle entry : vocabulary.foreign_defaults) {
      const nb::tuple pair = nb::cast<nb::tuple>(entry);
      const Value stand_in = nb::object(pair[1]).is_none() ? NO_VALUE : pack(lane, pair[1], foreign);
      plan.foreign_defaults.push_back({pack(lane, pair[0], foreign), stand_in});
    }
  });
}

inline u32 number_in(const nb::dict& numbers, PyObject* name) {
  PyObject* const found = PyDict_GetItemWithError(numbers.ptr(), name);
  if (!found) throw nb::key_error("a name in a plan has no number");
  return nb::cast<u32>(nb::handle(found));
}

// The plan of a graph, with some of its nodes as roots; `judged` tells what becomes of each, as a Judging.
inline Plan* make_plan(const Graph& graph, nb::sequence roots, nb::sequence judged,
                       const Vocabulary& vocabulary, const Limits& limits, ForeignOps& foreign) {
  auto plan = std::make_unique<Plan>();
  std::vector<std::pair<u32, PyObject*>> constants;
  plan->args = graph.args;
  plan->nodes.reserve(graph.size());
  for (u32 place = 0; place < graph.size(); ++place) {
    PyObject* const head = graph.node_class().head(graph.node(place));
    const u32 first = graph.first_args[place];
    Node node{NodeKind::op, graph.stages[place], u16(number::CALL), graph.first_args[place + 1] - first,
              first};
    switch (graph.node_class().kind(graph.node(place))) {
      case NodeClass::Kind::op: node.op = u16(number_in(vocabulary.ops, head)); break;
      case NodeClass::Kind::call: break;
      case NodeClass::Kind::input: {
        const u32 number = number_in(vocabulary.inputs, head);
        node.kind = NodeKind(number % PARTS);
        node.op = u16(number / PARTS);
        break;
      }
      case NodeClass::Kind::constant:
        node.kind = NodeKind::constant;
        node.op = 0;
        constants.emplace_back(place, head);
        break;
    }
    plan->nodes.push_back(node);
  }
  for (u64 k = 0; k < nb::len(roots); ++k) {
    const u32 node = nb::cast<u32>(roots[k]);
    if (node >= graph.size()) throw nb::value_error("a root of a plan is none of its nodes");
    plan->roots.push_back(Root{node, nb::cast<u32>(judged[k])});
  }
  pack_values(*plan, constants, vocabulary, limits, foreign);
  return plan.release();
}

// The plan of one op or call whose arguments are the first parts of the input.
inline Plan* make_plan_on_parts(u32 op, u32 count, const Vocabulary& vocabulary, const Limits& limits,
                                ForeignOps& foreign) {
  auto plan = std::make_unique<Plan>();
  for (u32 place = 0; place < count; ++place) {
    plan->nodes.push_back(Node{NodeKind::part, Stage::sample, u16(place), 0, 0});
    plan->args.push_back(place);
  }
  plan->nodes.push_back(Node{NodeKind::op, Stage::sample, u16(op), count, 0});
  plan->roots.push_back(Root{count, false});
  pack_values(*plan, {}, vocabulary, limits, foreign);
  return plan.release();
}

inline void bind_plans(nb::module_& module) {
  nb::class_<Plan>(module, "Plan");
  nb::class_<Vocabulary>(module, "Vocabulary")
      .def(
          "__init__",
          [](Vocabulary* made, nb::dict ops, nb::dict inputs, nb::callable status_of,
             nb::object default_function, nb::list foreign_defaults) {
            new (made) Vocabulary{ops, inputs, status_of, default_function, foreign_defaults};
          },
          nb::sig("def __init__(self, ops: dict[str, int], inputs: dict[str, int], "
                  "status_of: collections.abc.Callable[[typing.Any], int], default_function: typing.Any, "
                  "foreign_defaults: list[tuple[typing.Any, typing.Any]], /) -> None"),
          "What the names of a graph mean to the core, and the defaults of failed ops.");
  module.def("make_plan", &make_plan, nb::keep_alive<0, 6>(),
             nb::sig("def make_plan(graph: Graph, roots: collections.abc.Sequence[int], "
                     "judged: collections.abc.Sequence[int], vocabulary: Vocabulary, limits: Limits, "
                     "foreign: ForeignOps, /) -> Plan"),
             "The plan of a graph with some roots; `judged` tells what becomes of each, as a Judging.");
  module.def("make_plan_on_parts", &make_plan_on_parts, nb::keep_alive<0, 5>(),
             nb::sig("def make_plan_on_parts(op: int, count: int, vocabulary: Vocabulary, limits: Limits, "
                     "foreign: ForeignOps, /) -> Plan"),
             "The plan of an op whose arguments are the first parts of the input.");
}

}  // namespace arcbatt
