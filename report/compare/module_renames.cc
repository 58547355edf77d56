// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/module_renames.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace commtap {
namespace {

using Components = std::vector<std::string>;

Components componentsOf(std::string_view name) {
  Components components;
  for (size_t start = 0; start < name.size();) {
    const size_t end = std::min(name.find('.', start), name.size());
    components.emplace_back(name.substr(start, end - start));
    start = end + 1;
  }
  return components;
}

Components replaced(const Components& name, const ModuleRename& rename) {
  Components result;
  for (auto here = name.begin(); here != name.end();) {
    const auto found = std::search(here, name.end(), rename.from.begin(), rename.from.end());
    result.insert(result.end(), here, found);
    here = found;
    if (found != name.end()) {
      result.insert(result.end(), rename.to.begin(), rename.to.end());
      here += static_cast<std::ptrdiff_t>(rename.from.size());
    }
  }
  return result.empty() ? name : result;
}

} // namespace

Result<ModuleRename> parseRename(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Result<ModuleRename>::failure(
        "\"" + text + "\" is not OLD=NEW: whole parts of module names, such as base_layer= or Peft.model=Llama");
  }
  ModuleRename rename{componentsOf(text.substr(0, equals)), componentsOf(text.substr(equals + 1))};
  return rename;
}

std::string renamed(const std::string& module, const std::vector<ModuleRename>& renames) {
  Components components = componentsOf(module);
  for (const ModuleRename& rename : renames) {
    components = replaced(components, rename);
  }
  std::string name;
  for (const std::string& component : components) {
    name += name.empty() ? "" : ".";
    name += component;
  }
  return name;
}

void renameModules(const std::vector<ModuleRename>& renames, JobReport& job) {
  if (renames.empty()) {
    return;
  }
  for (JobModule& module : job.modules) {
    module.name = renamed(module.name, renames);
  }
  for (JobCollective& row : job.collectives) {
    row.module = renamed(row.module, renames);
    row.issued_in = renamed(row.issued_in, renames);
    for (JobMember& member : row.members) {
      member.module = renamed(member.module, renames);
    }
  }
}

} // namespace commtap
