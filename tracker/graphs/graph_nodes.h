// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>

#include "tracker/cpython/py_ref.h"
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
/// of all, and their sizes if those can be read. A node of no module has no source.
std::string placeOfNode(PyObject* node);

/// Returns the source of a node's innermost module; "" if it has none, or none that GraphLines can read.
std::string sourceOfNode(PyObject* node);

} // namespace commtap
