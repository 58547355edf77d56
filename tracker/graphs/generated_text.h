// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Python.h>

namespace commtap {

// Readers of the text of a file that Inductor generated. Views are of that text.

/// The lines of a text without their indentation.
using TextLines = std::vector<std::string_view>;

/// Returns the lines of a text, which must outlive them.
TextLines linesOf(std::string_view text);

/// Returns the name of an operator without its overload, and without the "_" of one that works in place:
/// "_c10d_functional.all_reduce" of "_c10d_functional.all_reduce_.default".
std::string_view plainOperator(std::string_view name);

/// Returns plainOperator() of the operator that a line calls; "" if it calls none, or one of tensor math. Most lines of
/// a file call none.
std::string_view operatorIn(std::string_view line);

/// Returns the name of the region that a line calls, as in "buf = NAME(NAME_args)"; "" if it calls none.
std::string_view regionIn(std::string_view line);

/// A comment of Inductor's, above the lines of a kernel: the names of the nodes that it came from, in the graph that
/// Dynamo made if they were there, and the operators that these called.
struct SourceNodes {
  std::vector<std::string_view> names;
  std::vector<std::string_view> operators;
  bool is_sorted = false; ///< the nodes are of one graph
};

/// Returns nullopt if the line is no such comment.
std::optional<SourceNodes> sourceNodesIn(std::string_view line);

/// Lines of a generated file that may call a collective or a region, and the place of their node.
struct PlacedLines {
  long first = 0; ///< from 1
  long last = 0;
  std::string place{}; ///< as in GraphLines
};

/// Returns those of the lines that call an operator which is not one of tensor math, or a region. `line_map`: a list of
/// (first line, node), in order; with any other list none are found. The caller holds the GIL.
std::vector<PlacedLines> placedLines(PyObject* line_map, const TextLines& lines);

/// A function of a generated file that Inductor writes before the file: a part of the graph that becomes a CUDA graph,
/// or a branch. It copies the text, and drops which node each line is of.
class GeneratedFunction {
 public:
  /// `code`: the function and its kernels. `line_map`: as in placedLines().
  GeneratedFunction(PyObject* line_map, std::string code);

  bool hasPlaces() const {
    return !lines_.empty();
  }
  /// Returns where its lines are in a file, with any indentation; nothing unless the file has the function exactly
  /// once.
  std::vector<PlacedLines> in(const TextLines& file) const;

 private:
  std::string code_;
  std::vector<PlacedLines> lines_;
};

/// Returns lines as GraphLines reads them.
std::string graphLines(const std::vector<PlacedLines>& lines);

} // namespace commtap
