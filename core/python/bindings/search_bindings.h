// The search for programs as Python sees it. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "python/bindings/job_bindings.h"
#include "search/search.h"

namespace arcbatt {

// Templates ready for a search, made from a plan: each root is the expression of one, in which a `part` is a
// hole. The constants stay in the memory of the plan.
class TemplateSet {
 public:
  // `rows` has the cost, the sort of the result and the sorts of the holes of each root.
  TemplateSet(const Plan& plan, nb::list rows, const Limits& limits) : limits_(limits) {
    const std::vector<bool> has_hole = nodes_with_holes(plan);
    std::vector<search::Source> fixed(plan.nodes.size());
    for (u32 node = 0; node < plan.nodes.size(); ++node) {
      if (!has_hole[node]) fixed[node] = add_fixed(plan, node, fixed);
    }
    u32 root = 0;
    for (nb::handle entry : rows) {
      const nb::tuple row = nb::cast<nb::tuple>(entry);
      search::Template made{nb::cast<u32>(row[0]), Sort(nb::cast<u32>(row[1])), 0, {}, 0, 0, 0};
      for (nb::handle sort : nb::cast<nb::tuple>(row[2]))
        made.holes.at(made.hole_count++) = Sort(nb::cast<u32>(sort));
      add_steps(plan, root++, made, has_hole, fixed);
      templates_.all.push_back(made);
    }
  }

  nb::tuple search(const PackedTask& task, u32 demos, u64 steps, double seconds, u64 memory,
                   u32 most_explanations) const {
    search::Problem problem{task.samples, {}, {}};
    for (u32 k = 0; k < task.inputs.size(); ++k) {
      problem.inputs.push_back(task.inputs[k].first);
      if (k < demos) problem.outputs.push_back(task.inputs[k].second);
    }
    search::Found found;
    {
      const nb::gil_scoped_release released;
      found = search::search(templates_, problem, limits_, {steps, seconds, memory}, most_explanations,
                             &stop_.state);
    }
    return as_python(found);
  }

  void stop() { stop_.set(); }

 private:
  static std::vector<bool> nodes_with_holes(const Plan& plan) {
    std::vector<bool> has_hole(plan.nodes.size());
    for (u32 node = 0; node < plan.nodes.size(); ++node) {
      has_hole[node] = plan.nodes[node].kind == NodeKind::part;
      for (u32 k = 0; k < plan.nodes[node].arg_count; ++k)
        has_hole[node] = has_hole[node] || has_hole[plan.args[plan.nodes[node].first_arg + k]];
    }
    return has_hole;
  }

  static search::Step step_of(const Plan& plan, u32 node, const std::vector<search::Source>& sources) {
    const Node& made = plan.nodes[node];
    if (made.arg_count > MOST_ARGUMENTS) throw nb::value_error("a template has too many arguments");
    if (is_foreign(made.op)) throw nb::value_error("a template uses an op that the core does not have");
    search::Step step{made.op, made.arg_count, {}};
    for (u32 k = 0; k < made.arg_count; ++k) step.args[k] = sources[plan.args[made.first_arg + k]];
    return step;
  }

  search::Source add_fixed(const Plan& plan, u32 node, const std::vector<search::Source>& fixed) {
    const NodeKind kind = plan.nodes[node].kind;
    search::Fixed made{kind, plan.constants[node], {}};
    if (kind == NodeKind::op) made.step = step_of(plan, node, fixed);
    if (kind == NodeKind::constant && is_failure(made.constant)) made.constant = NO_VALUE;
    templates_.fixed.push_back(made);
    return search::REGISTERS + u32(templates_.fixed.size()) - 1;
  }

  void add_steps(const Plan& plan, u32 root, search::Template& made, const std::vector<bool>& has_hole,
                 const std::vector<search::Source>& fixed) {
    std::vector<search::Source> sources = fixed;
    made.first_step = u32(templates_.steps.size());
    for (u32 node : plan.needed({root}, FailureMode::fail)) {
      if (!has_hole[node]) continue;
      if (plan.nodes[node].kind == NodeKind::part) {
        sources[node] = plan.nodes[node].op;
        continue;
      }
      sources[node] = made.hole_count + made.step_count++;
      if (sources[node] >= search::REGISTERS) throw nb::value_error("a template has too many ops");
      templates_.steps.push_back(step_of(plan, node, sources));
    }
    made.root = sources[plan.roots[root].node];
  }

  // (explanations, states, end, counts): an explanation is (cost, demos, layers), a layer (kind, state,
  // color, color state or None, color before, other state or None), a state (template, arguments).
  nb::tuple as_python(const search::Found& found) const {
    nb::list explanations, states;
    for (const search::Explanation& explanation : found.explanations) {
      nb::list layers;
      for (const search::Layer& layer : explanation.layers) {
        const auto place = [](u32 state) {
          return state == search::NO_STATE ? nb::none() : nb::object(nb::int_(state));
        };
        layers.append(nb::make_tuple(u32(layer.kind), layer.state, layer.color, place(layer.color_state),
                                     layer.from, place(layer.other)));
      }
      explanations.append(nb::make_tuple(explanation.cost, explanation.demos, layers));
    }
    for (const search::State& state : found.states) {
      nb::list args;
      for (u32 k = 0; k < templates_.all[state.made_by].hole_count; ++k) args.append(state.args[k]);
      states.append(nb::make_tuple(state.made_by, args));
    }
    const nb::object counts = nb::make_tuple(found.steps, found.vectors, found.failures, found.bytes,
                                             found.layers, found.level, found.seconds, found.enumerating);
    return nb::make_tuple(explanations, states, u32(found.end), counts);
  }

  search::Templates templates_;
  Limits limits_;
  Flag stop_;
};

inline void bind_search(nb::module_& module) {
  nb::class_<TemplateSet>(module, "TemplateSet")
      .def(nb::init<const Plan&, nb::list, const Limits&>(), nb::keep_alive<1, 2>(),
           nb::sig("def __init__(self, plan: Plan, rows: list[tuple[int, int, tuple[int, ...]]], "
                   "limits: Limits, /) -> None"),
           "Templates ready for a search: the roots of a plan, with their costs and sorts.")
      .def(
          "search",
          [](const TemplateSet& set, const PackedTasks& tasks, u32 demos, u64 steps, double seconds,
             u64 memory, u32 most_explanations) {
            return set.search(tasks.tasks.at(0), demos, steps, seconds, memory, most_explanations);
          },
          nb::sig(
              "def search(self, tasks: PackedTasks, demos: int, steps: int, seconds: float, memory: int, "
              "most_explanations: int, /) -> tuple[list[tuple[int, int, list[tuple[int, int, int, "
              "int | None, int, int | None]]]], list[tuple[int, list[int]]], int, tuple[int, int, int, int, "
              "int, int, float, float]]"),
          "Explanations of the demo outputs of a task, the states that they need, why the search ended, and "
          "counts.")
      .def("stop", &TemplateSet::stop, "End the searches that run now, and those that come.");
}

}  // namespace arcbatt
