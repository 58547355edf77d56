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

/// By clean name: how often a process called each of its modules. A call of a wrapper calls what it wraps, which is one
/// call of the clean module and not two.
using ModuleCalls = std::unordered_map<std::string, CallsByPhase>;
ModuleCalls cleanCalls(const Report& report);

/// Joins the module trees of several processes into one, by clean name.
class ModuleTree {
 public:
  ModuleTree();

  void add(const Report& report);
  /// The same for who has the report's cleanCalls already.
  void add(const Report& report, const ModuleCalls& calls);

  /// Where a module's exclusive amounts are counted. A module that no report lists is put below Global.
  Amounts& own(const std::string& name) {
    return modules_[indexOf(name)].own;
  }

  /// Global first, children after their parents, with inclusive amounts. A loop, as a damaged report may hold, is cut.
  std::vector<ModuleTotals> take();

 private:
  size_t indexOf(const std::string& name);
  std::vector<size_t> depthFirst();
  void orderFrom(size_t root, const std::vector<std::vector<size_t>>& children, std::vector<size_t>& order);

  std::vector<ModuleTotals> modules_;
  std::vector<bool> placed_; ///< has its parent from a report, not by default
  std::vector<bool> ordered_;
  std::unordered_map<std::string, size_t> index_;
};

} // namespace commtap
