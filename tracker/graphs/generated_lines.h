// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "tracker/graphs/generated_text.h"

namespace commtap {

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
