// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/module_depth.h"

#include "report/model/module_tree.h"

namespace commtap {

ModuleDepth::ModuleDepth(const Report& report, std::optional<uint32_t> depth) {
  if (!depth) {
    return;
  }
  ModuleTree tree;
  tree.add(report);
  const std::vector<ModuleNode> modules = tree.take();
  for (const ModuleNode& module : modules) {
    const ModuleNode* above = &module;
    while (above->depth > *depth) {
      above = &modules[above->parent];
    }
    if (above != &module) {
      cut_.emplace(module.name, above->name);
    }
  }
}

const std::string& ModuleDepth::cut(const std::string& module) const {
  const auto found = cut_.find(module);
  return found == cut_.end() ? module : found->second;
}

} // namespace commtap
