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

namespace commtap {

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
