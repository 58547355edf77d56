// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/graph_regions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/graph_nodes.h"
#include "tracker/torch/compiler_names.h"
#include "tracker/torch/source_names.h"

namespace commtap {
namespace {

/// Returns what a node calls; "" if it calls nothing.
std::string calledBy(PyObject* node) {
  const PyRef target = isCall(node) ? attribute(node, torch_names::kNodeTarget) : PyRef();
  return target ? textOf(target.get()) : std::string();
}

/// Returns the name of the region that a node calls: that of a GraphModule in the graph's own.
PyRef regionName(PyObject* node) {
  const PyRef arguments = attribute(node, torch_names::kNodeArguments);
  const bool has_any = arguments && PyTuple_Check(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) > 0;
  PyRef name = attribute(has_any ? PyTuple_GET_ITEM(arguments.get(), 0) : nullptr, torch_names::kNodeTarget);
  return name && PyUnicode_Check(name.get()) ? std::move(name) : PyRef();
}

/// Returns the graph of the region that a node calls; empty if it cannot be read.
PyRef regionOf(PyObject* node) {
  return attribute(regionModule(node).get(), torch_names::kGraph);
}

/// Calls visit(node) for the nodes of the region that `node` calls, and of those that it calls.
template <typename Visit>
void forEachBelow(PyObject* node, const Visit& visit) {
  forEachNode(regionOf(node), [&visit](PyObject* below) {
    visit(below);
    if (isRegionCall(below)) {
      forEachBelow(below, visit);
    }
  });
}

/// Returns the name by which Inductor's comments know a node: that of the node from which it was made, if it was.
std::string nameOf(PyObject* node) {
  const PyRef facts = attribute(node, torch_names::kNodeFacts);
  PyObject* const sources =
      facts && PyDict_Check(facts.get()) ? PyDict_GetItemString(facts.get(), torch_names::kSourcesOfNode) : nullptr;
  const bool has_any = sources != nullptr && PyList_Check(sources) && PyList_GET_SIZE(sources) > 0;
  const PyRef name = attribute(has_any ? PyList_GET_ITEM(sources, 0) : node, torch_names::kNodeName);
  return name ? textOf(name.get()) : std::string();
}

/// Returns the sources of the calls in a graph that have one.
std::vector<std::string> sourcesIn(const PyRef& graph) {
  std::vector<std::string> sources;
  forEachNode(graph, [&sources](PyObject* node) {
    if (std::string source = isCall(node) ? sourceOfNode(node) : std::string(); !source.empty()) {
      sources.push_back(std::move(source));
    }
  });
  return sources;
}

/// Returns the sources of the nodes in a graph that call a region.
std::vector<std::string> callersIn(const PyRef& graph) {
  std::vector<std::string> callers;
  forEachNode(graph, [&callers](PyObject* node) {
    if (isRegionCall(node)) {
      callers.push_back(sourceOfNode(node));
    }
  });
  return callers;
}

/// Returns the innermost caller that holds all modules of a region: the one for which it was traced.
std::optional<std::string> tracedFor(const std::vector<std::string>& callers, const std::vector<std::string>& region) {
  std::optional<std::string> innermost;
  for (const std::string& caller : callers) {
    const bool holds_all = std::all_of(region.begin(), region.end(), [&caller](const std::string& source) {
      return torch_names::isBelow(source, caller);
    });
    if (holds_all && (!innermost || caller.size() > innermost->size())) {
      innermost = caller;
    }
  }
  return innermost;
}

} // namespace

bool isRegionCall(PyObject* node) {
  const bool is_one = calledBy(node) == torch_names::kRegion;
  PyErr_Clear();
  return is_one;
}

PyRef regionModule(PyObject* node) {
  const PyRef name = regionName(node);
  const PyRef graph = attribute(node, torch_names::kNodeGraph);
  const PyRef owner = attribute(graph.get(), torch_names::kGraphOwner);
  return PyRef(owner && name ? PyObject_GetAttr(owner.get(), name.get()) : nullptr);
}

std::string regionCall(PyObject* node) {
  const std::vector<std::string> region = isRegionCall(node) ? sourcesIn(regionOf(node)) : std::vector<std::string>();
  if (region.empty()) {
    PyErr_Clear();
    return {};
  }
  const std::vector<std::string> callers = callersIn(attribute(node, torch_names::kNodeGraph));
  const std::string here = sourceOfNode(node);
  const std::optional<std::string> traced = tracedFor(callers, region);
  PyErr_Clear();
  const bool has_modules = traced && !traced->empty() && !here.empty();
  const bool is_flat = traced && std::count(region.begin(), region.end(), *traced) == std::ssize(region);
  const bool is_distinct = is_flat || std::count(callers.begin(), callers.end(), here) == 1;
  if (!traced || (callers.size() > 1 && !(has_modules && is_distinct))) {
    return "r";
  }
  return here == *traced ? std::string() : "r\t" + *traced + "\t" + here;
}

std::string regionCallBelow(PyObject* node, std::string_view name) {
  std::set<std::string> found;
  const auto visit = [&found, name](PyObject* each) {
    const PyRef region = isRegionCall(each) ? regionName(each) : PyRef();
    if (region && asciiOf(region.get()) == name) {
      found.insert(regionCall(each));
    }
  };
  visit(node);
  forEachBelow(node, visit);
  PyErr_Clear();
  return found.size() == 1 ? *found.begin() : "r";
}

std::string placeInRegion(PyObject* node, std::string_view called, const SourceNodes& sources) {
  std::set<std::string> found;
  forEachBelow(node, [&](PyObject* each) {
    const bool is_source = std::find(sources.names.begin(), sources.names.end(), nameOf(each)) != sources.names.end();
    if (is_source && plainOperator(calledBy(each)) == called) {
      found.insert(placeOfNode(each));
    }
  });
  PyErr_Clear();
  return found.size() == 1 ? *found.begin() : std::string();
}

} // namespace commtap
