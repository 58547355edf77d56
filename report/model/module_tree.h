// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/model/model.h"
#include "report/model/totals.h"

namespace commtap {

/// Calls of each module in one process, by clean name. A wrapper and the module that it wraps share a clean name, and
/// their nested calls count once.
using ModuleCalls = std::unordered_map<std::string, std::array<uint64_t, kPhaseCount>>;
ModuleCalls cleanCalls(const Report& report);

/// Joins the module trees of several processes into one, by clean name.
class ModuleTree {
 public:
  ModuleTree();

  void add(const Report& report);
  /// Adds a report whose `calls` are the result of cleanCalls(report).
  void add(const Report& report, const ModuleCalls& calls);

  /// Returns the exclusive amounts of a module. A module that no report lists becomes a child of Global.
  Amounts& own(const std::string& name) {
    return modules_[indexOf(name)].own;
  }

  /// Returns the modules with inclusive amounts: Global first, each parent before its children. Breaks the cycles that
  /// a damaged report may contain.
  std::vector<ModuleTotals> take();

 private:
  size_t indexOf(const std::string& name);
  std::vector<size_t> depthFirst();
  void orderFrom(size_t root, const std::vector<std::vector<size_t>>& children, std::vector<size_t>& order);

  std::vector<ModuleTotals> modules_;
  std::vector<bool> placed_; ///< by index: true once a report has named the module's parent
  std::vector<bool> ordered_;
  std::unordered_map<std::string, size_t> index_;
};

} // namespace commtap
