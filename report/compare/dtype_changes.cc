// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/dtype_changes.h"

#include <map>
#include <set>
#include <utility>

#include "report/compare/tolerance.h"
#include "report/model/module_tree.h"

namespace commtap {
namespace {

/// Returns the dtypes of each cell, as text: "bfloat16 and float32".
std::map<CellKey, std::string> dtypesOf(const JobReport& job) {
  std::map<CellKey, std::set<std::string>> sets;
  for (const JobCollective& row : job.collectives) {
    if (!row.dtype.empty()) {
      sets[{row.module, row.phase, row.kind, job.groups[row.group].name, row.label, row.setup}].insert(row.dtype);
    }
  }
  std::map<CellKey, std::string> texts;
  for (const auto& [key, dtypes] : sets) {
    for (const std::string& dtype : dtypes) {
      texts[key] += (texts[key].empty() ? "" : " and ") + dtype;
    }
  }
  return texts;
}

/// Returns the text of the first cell, with all modules of its equal layers.
std::string firstText(const std::vector<CellKey>& cells) {
  std::vector<std::string> modules;
  for (const CellKey& cell : cells) {
    if (skeletonOf(cell.module) == skeletonOf(cells.front().module)) {
      modules.push_back(cell.module);
    }
  }
  const CellKey& first = cells.front();
  return std::string(kindName(first.kind)) + " in " + patternOf(modules) + " (" + std::string(phaseName(first.phase)) +
         ", " + first.group + ")";
}

} // namespace

std::vector<std::string> dtypeNotes(const JobReport& before, const JobReport& after) {
  std::map<std::pair<std::string, std::string>, std::vector<CellKey>> changes;
  const std::map<CellKey, std::string> others = dtypesOf(after);
  size_t both = 0;
  for (const auto& [key, dtypes] : dtypesOf(before)) {
    if (const auto found = others.find(key); found != others.end()) {
      ++both;
      if (found->second != dtypes) {
        changes[{dtypes, found->second}].push_back(key);
      }
    }
  }
  std::vector<std::string> notes;
  for (const auto& [dtypes, cells] : changes) {
    notes.push_back(
        dtypes.first + " before, " + dtypes.second + " after: " + firstText(cells) + "; " +
        std::to_string(cells.size()) + " of " + std::to_string(both) + (both == 1 ? " row" : " rows"));
  }
  return notes;
}

} // namespace commtap
