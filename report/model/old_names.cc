// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/old_names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <unordered_map>

#include "report/model/module_names.h"

namespace commtap {
namespace {

/// Returns the user's class: `fully_shard` makes FSDPNet of Net. A class that the user named FSDPNet looks alike.
std::string userClass(const std::string& name) {
  constexpr std::string_view kFsdp = "FSDP";
  const bool is_swapped = name.starts_with(kFsdp) && name.size() > kFsdp.size() &&
                          std::isupper(static_cast<unsigned char>(name[kFsdp.size()])) != 0;
  return is_swapped ? name.substr(kFsdp.size()) : name;
}

std::string_view withoutNumber(std::string_view root) {
  return root.substr(0, root.find('#'));
}

/// Returns the class of the innermost module that shares the clean name of each root, by that name.
std::vector<OldRoot> rootsOf(const std::vector<Module>& modules) {
  std::vector<OldRoot> roots;
  std::unordered_map<std::string_view, size_t> places;
  for (const Module& module : modules) {
    if (module.parent == 0U && places.emplace(module.name, roots.size()).second) {
      roots.push_back({module.name, module.class_name});
    } else if (const auto root = places.find(module.name); root != places.end()) {
      roots[root->second].class_name = module.class_name; // a wrapper comes before what it wraps
    }
  }
  return roots;
}

} // namespace

RenamedRoots renamedRoots(const std::vector<OldRoot>& roots) {
  RenamedRoots renamed;
  std::set<std::string> taken;
  for (const OldRoot& root : roots) {
    const std::string base = root.class_name.empty() ? root.name : userClass(root.class_name);
    if (base == withoutNumber(root.name)) {
      taken.insert(root.name);
    }
  }
  for (const OldRoot& root : roots) {
    const std::string base = root.class_name.empty() ? root.name : userClass(root.class_name);
    if (root.class_name.empty() || base == withoutNumber(root.name)) {
      continue;
    }
    std::string name = base;
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = base + "#" + std::to_string(number);
    }
    renamed.emplace(root.name, name);
  }
  return renamed;
}

void renameRoot(std::string& module, const RenamedRoots& roots) {
  const size_t end = std::min(module.find('.'), module.size());
  const auto found = roots.find(module.substr(0, end));
  if (found != roots.end()) {
    module.replace(0, end, found->second);
  }
}

void upgradeNames(Report& report) {
  report.is_old = true;
  report.renamed = renamedRoots(rootsOf(report.modules));
  if (report.renamed.empty()) {
    return;
  }
  const auto rename = [&report](std::string& module) { renameRoot(module, report.renamed); };
  const auto renameAll = [&rename](auto& rows) {
    for (auto& row : rows) {
      rename(row.module);
    }
  };
  for (Module& module : report.modules) {
    rename(module.name);
  }
  for (Collective& row : report.collectives) {
    rename(row.module);
    rename(row.issued_in);
  }
  for (LastCollective& call : report.last) {
    rename(call.module);
    rename(call.issued_in);
  }
  if (report.operations) {
    renameAll(*report.operations);
  }
  if (report.nccl) {
    renameAll(report.nccl->calls);
  }
  for (CudaGraph& graph : report.cuda_graphs) {
    renameAll(graph.collectives);
  }
}

} // namespace commtap
