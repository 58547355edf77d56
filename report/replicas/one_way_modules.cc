// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/one_way_modules.h"

#include <map>
#include <set>
#include <utility>

#include "report/model/module_names.h"
#include "report/replicas/row_facts.h"

namespace commtap {
namespace {

bool isFloat(const std::string& dtype) {
  return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

bool goesOut(const JobReport& job, const JobCollective& row) {
  return row.phase == Phase::kForward && !row.setup && row.module != kGlobalName &&
         (row.kind == Kind::kAllGather || row.kind == Kind::kSend) && isFloat(row.dtype) && !isMetric(row) &&
         job.groups[row.group].size > 1;
}

/// The modules for which a group communicates after the forward.
struct WaysBack {
  std::set<std::string> modules; ///< of rows of backward passes
  bool is_everywhere = false;    ///< what is not of a module may be of each

  void add(const JobCollective& row) {
    if (row.phase == Phase::kBackward && row.module != kGlobalName) {
      modules.insert(row.module);
    } else if (
        row.phase == Phase::kBackward ||
        (row.phase == Phase::kOther && isReductionForAll(row.kind) && !isMetric(row))) {
      is_everywhere = true;
    }
  }

  /// Returns whether there is a row at the module, below it or above it.
  bool has(std::string module) const {
    const auto below = modules.lower_bound(module + '.');
    if (is_everywhere || (below != modules.end() && isBelow(*below, module))) {
      return true;
    }
    while (!module.empty() && !modules.contains(module)) {
      const size_t end = module.rfind('.');
      module.resize(end == std::string::npos ? 0 : end);
    }
    return !module.empty();
  }
};

} // namespace

std::vector<OneWayModules> oneWayModules(const JobReport& job) {
  std::map<size_t, WaysBack> back;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      back[row.group].add(row);
    }
  }
  std::map<size_t, std::set<std::string>> by_group;
  for (const JobCollective& row : job.collectives) {
    if (goesOut(job, row) && !back[row.group].has(row.module)) {
      by_group[row.group].insert(row.module);
    }
  }
  std::vector<OneWayModules> found;
  for (const auto& [group, modules] : by_group) {
    found.push_back({job.groups[group].name, job.groups[group].members, {modules.begin(), modules.end()}});
  }
  return found;
}

} // namespace commtap
