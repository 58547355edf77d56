// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Lines of a generated file that may call a collective, and the place of their node.
struct PlacedLines {
  long first = 0; ///< from 1
  long last = 0;
  std::string place{}; ///< as in GraphLines
};

/// Returns the lines of `code` that call an operator which is not one of tensor math. `line_map`: a list of (first
/// line, node), in order. Returns none if it is another list. The caller holds the GIL.
std::vector<PlacedLines> placedLines(PyObject* line_map, std::string_view code);

/// A function of a generated file that Inductor writes before the file: a part of the graph that becomes a CUDA graph,
/// or a branch. It copies the text, and drops which node each line is of.
class GeneratedFunction {
 public:
  /// `code`: the function and its kernels, of which `lines` are.
  GeneratedFunction(std::string code, std::vector<PlacedLines> lines);

  /// Returns the lines in the file that has the function, indented in any way; none if the text is not there once.
  std::vector<PlacedLines> in(std::string_view file) const;

 private:
  std::string code_;
  std::vector<PlacedLines> lines_;
};

/// Returns lines as GraphLines reads them.
std::string graphLines(const std::vector<PlacedLines>& lines);

} // namespace commtap
