// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/dynamo_graph.h"

#include <algorithm>
#include <utility>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/graph_nodes.h"
#include "tracker/torch/compiler_names.h"

namespace commtap {
namespace {

/// Returns whether a node calls one of autograd's functions: what it traces is no forward.
bool callsAutograd(PyObject* node) {
  const PyRef target = attribute(node, torch_names::kNodeTarget);
  const PyRef file = attribute(target.get(), torch_names::kFunctionFile);
  return file && asciiOf(file.get()).starts_with(torch_names::kAutogradFile);
}

/// Returns the GraphModule that a node names, which another node calls; empty for any other node.
PyRef partOf(const PyRef& module, PyObject* node) {
  const PyRef target = attribute(node, torch_names::kNodeTarget);
  PyRef part(
      !isCall(node) && target && PyUnicode_Check(target.get()) ? PyObject_GetAttr(module.get(), target.get())
                                                               : nullptr);
  const PyRef graph = attribute(part.get(), torch_names::kGraph);
  PyErr_Clear();
  return graph ? std::move(part) : PyRef();
}

} // namespace

DynamoGraph::DynamoGraph(PyObject* module) {
  add(PyRef::borrow(module));
  PyErr_Clear();
}

void DynamoGraph::add(const PyRef& module) {
  const PyRef graph = attribute(module.get(), torch_names::kGraph);
  const int number = graphs_++;
  int order = 0;
  std::vector<PyRef> parts;
  forEachNode(graph, [&](PyObject* node) {
    const PyRef name = attribute(node, torch_names::kNodeName);
    const bool is_known = isCall(node) && !callsAutograd(node);
    const auto [found, is_new] =
        nodes_.try_emplace(textOf(name.get()), Node{number, order++, is_known, sourceOfNode(node)});
    found->second.is_known = is_known && is_new;
    // A region is a part, and again one at each of its calls: none of its names is the only one.
    if (PyRef part = isRegionCall(node) ? regionModule(node) : partOf(module, node)) {
      parts.push_back(std::move(part));
    }
  });
  for (const PyRef& part : parts) {
    add(part);
  }
}

std::string DynamoGraph::sourceOf(const SourceNodes& sources) const {
  const Node* last = nullptr;
  for (const std::string_view name : sources.names) {
    const auto found = nodes_.find(name);
    const Node* const node = found == nodes_.end() || !found->second.is_known ? nullptr : &found->second;
    if (node == nullptr || (last != nullptr && last->graph != node->graph)) {
      return {};
    }
    last = last == nullptr || node->order > last->order ? node : last;
  }
  return last == nullptr ? std::string() : last->source;
}

std::vector<PlacedLines> DynamoGraph::linesIn(std::string_view file) const {
  std::vector<PlacedLines> found;
  const TextLines lines = linesOf(file);
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string_view called = operatorIn(lines[i]);
    const std::optional<SourceNodes> sources = called.empty() ? std::nullopt : sourceNodesIn(lines[i - 1]);
    if (!sources || !sources->is_sorted ||
        std::find(sources->operators.begin(), sources->operators.end(), called) == sources->operators.end()) {
      continue;
    }
    if (const std::string source = sourceOf(*sources); !source.empty()) {
      const long line = static_cast<long>(i) + 1;
      found.push_back({line, line, "o\t" + source});
    }
  }
  return found;
}

} // namespace commtap
