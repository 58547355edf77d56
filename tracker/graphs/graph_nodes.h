// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/generated_text.h"
#include "tracker/torch/compiler_names.h"

namespace commtap {

// For all functions here the caller holds the GIL and has paused Dynamo.

/// Calls visit(node) for the nodes of a graph, in their order. Does nothing if it cannot be read.
template <typename Visit>
void forEachNode(const PyRef& graph, const Visit& visit) {
  const PyRef view = attribute(graph.get(), torch_names::kNodes);
  const PyRef nodes(view ? PySequence_List(view.get()) : nullptr);
  for (Py_ssize_t i = 0; nodes && i < PyList_GET_SIZE(nodes.get()); ++i) {
    PyErr_Clear();
    visit(PyList_GET_ITEM(nodes.get(), i));
  }
  PyErr_Clear();
}

/// Returns whether a node calls something. Others, such as inputs, can have stacks of what was traced before them.
bool isCall(PyObject* node);

/// Returns where a node of an FX graph comes from, as GraphLines reads it: "f" or "b" for forward or backward, and the
/// source of the innermost module, such as "L['self'].layers.0", after a tab. A node that a pass merged has the sources
/// of all, and their sizes if those can be read. A node of no module has no source; "B" says that a backward's graph
/// has no node of a module.
std::string placeOfNode(PyObject* node);

/// Returns the source of a node's innermost module; "" if it has none, or none that GraphLines can read.
std::string sourceOfNode(PyObject* node);

/// Returns whether a node calls a region.
bool isRegionCall(PyObject* node);

/// Returns the GraphModule of the region that a node calls; empty, with a Python error, if it cannot be read.
PyRef regionModule(PyObject* node);

/// Returns what the call of a region changes, as GraphLines reads it; "" for a node that calls none, and for a call
/// whose module is the one that the region was traced for.
///
/// A region of a graph (torch.compiler.nested_compile_region) is compiled once for several calls, and its nodes name
/// the modules of the first. The text is "r", the source of the module that was traced, and that of the module that
/// calls, after tabs: the second has the first one's place in the sources of the region's nodes. It is "r" alone if
/// this cannot be known: the traced module is none of the callers, or one module calls regions with modules below it
/// more than once.
std::string regionCall(PyObject* node);

// Inductor says of the lines of a region's function either which node of the region they are of, or which node calls
// the region. In the second case these look into the region, and into those that it calls.

/// Returns regionCall() of the call of the region `name` that is `node`'s or below it; "r" if that is not one.
std::string regionCallBelow(PyObject* node, std::string_view name);

/// Returns the place of the node that calls `called` and is one of `sources`, as placeOfNode(); "" if that is not one.
std::string placeInRegion(PyObject* node, std::string_view called, const SourceNodes& sources);

/// The nodes of a graph that Dynamo made, by their names. Inductor's comments name them, so that the places of a
/// forward's collectives can be found in a file that it generated in another process.
class DynamoGraph {
 public:
  /// Reads the graph of a GraphModule, and those of its parts. The caller holds the GIL and has paused Dynamo.
  explicit DynamoGraph(PyObject* module);

  /// Returns the lines of a file that call a collective of the graph's forward, with places that hold outside of a
  /// backward only. A line is left out unless its comment has the operator that it calls, and names nodes of one graph
  /// which are the only ones of their names: the last of them, in the graph's order, calls it.
  std::vector<PlacedLines> linesIn(std::string_view file) const;

 private:
  struct Node {
    int graph = 0;
    int order = 0;
    bool is_known =
        false;            ///< no other node has its name, and what it traces is a forward, which no other module shares
    std::string source{}; ///< "" for a node of no module
  };

  void add(const PyRef& module);
  std::string sourceOf(const SourceNodes& sources) const;

  std::map<std::string, Node, std::less<>> nodes_;
  int graphs_ = 0;
};

} // namespace commtap
