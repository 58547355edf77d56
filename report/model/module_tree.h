// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/model/amounts.h"
#include "report/model/model.h"

namespace commtap {

/// The calls of each module of a process by clean name. A call of a wrapper calls what it wraps: that is one call of
/// the clean module, not two.
using ModuleCalls = std::unordered_map<std::string, CallsByPhase>;
ModuleCalls cleanCalls(const Report& report);

/// A module of a joined tree. A wrapper and what it wraps have one clean name and are one module.
struct ModuleNode {
  std::string name;
  std::string class_name = {};            ///< the innermost module's, which the user wrote; "" if not known
  std::vector<std::string> wrappers = {}; ///< of all modules of the name, outermost first; each class once
  size_t parent = 0;                      ///< index; Global's is its own
  uint32_t depth = 0;                     ///< Global 0
  Amounts own = {};                       ///< exclusive
  Amounts inclusive = {};                 ///< with all modules below

  /// Returns the name below the parent: "net1" for "MLPModule.net1".
  std::string label(const std::string& parent_name) const;
};

/// Joins the module trees of several processes into one, by clean name.
class ModuleTree {
 public:
  ModuleTree();

  void add(const Report& report);

  /// Returns the exclusive amounts of a module, to be added to. Puts a module that no report lists below Global.
  Amounts& own(const std::string& name) {
    return modules_[indexOf(name)].own;
  }

  /// Returns Global first, then children after their parents, with inclusive amounts. Cuts a loop, which a damaged
  /// report may hold.
  std::vector<ModuleNode> take();

 private:
  size_t indexOf(const std::string& name);
  std::vector<size_t> depthFirst();
  void orderFrom(size_t root, const std::vector<std::vector<size_t>>& children, std::vector<size_t>& order);

  std::vector<ModuleNode> modules_;
  std::vector<bool> placed_; ///< has its parent from a report, not by default
  std::vector<bool> ordered_;
  std::unordered_map<std::string, size_t> index_;
};

} // namespace commtap
