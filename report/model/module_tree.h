// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
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

/// The module of code outside of every module; the parent of every root module.
inline constexpr const char* kGlobalName = "Global";

/// Builds full names from parents and components: "MLPModule" + "net1" is "MLPModule.net1". The raw name has all
/// components. The clean name omits those of wrappers (`_orig_mod`, `_fsdp_wrapped_module`,
/// `_checkpoint_wrapped_module`, DDP's `module`) and begins with the class that the user wrote, so a model has the same
/// clean names with and without wrappers.
class ModuleNames {
 public:
  /// Adds the module with the next id. Module 0 is Global, which is not a component of other names. `clean` replaces
  /// the component in clean names, unless it is "".
  void add(uint32_t parent, std::string component, bool wrapper, std::string clean = {});

  std::string clean(uint32_t id) const {
    return name(id, Form::kClean);
  }
  std::string raw(uint32_t id) const {
    return name(id, Form::kRaw);
  }

 private:
  enum class Form : uint8_t { kClean, kRaw };
  struct Node {
    uint32_t parent;
    std::string component;
    bool wrapper;
    std::string clean;
  };

  std::string name(uint32_t id, Form form) const;

  std::vector<Node> nodes_;
};

/// Makes names unique: returns "0#2" for the second "0".
class UniqueNames {
 public:
  std::string make(const std::string& name);

 private:
  std::unordered_map<std::string, uint32_t> seen_;
};

/// Returns the module's name with `*` for each component that is a number: "Net.layers.*.attention". The modules of
/// equal layers have the same skeleton.
std::string skeletonOf(const std::string& module);

/// Returns the narrowest pattern that matches all names, which have one skeleton: `*` only where they differ.
std::string patternOf(std::span<const std::string> modules);

} // namespace commtap
