// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget_names.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "report/base/glob.h"

namespace commtap {
namespace {

bool hasModule(const std::string& pattern, const JobReport& job) {
  return std::any_of(job.modules.begin(), job.modules.end(), [&pattern](const JobModule& module) {
    return globMatches(pattern, module.name);
  });
}

/// Returns whether commtap/1 named this root by `old_root`: by a wrapper, or by the class that `fully_shard` made.
bool wasNamed(const JobModule& root, const std::string& old_root) {
  const std::string plain = old_root.substr(0, old_root.find('#'));
  const auto& wrappers = root.wrappers;
  return std::find(wrappers.begin(), wrappers.end(), plain) != wrappers.end() || plain == "FSDP" + root.class_name;
}

/// Returns the pattern with another root that matches a module; "" if there is none, or none is likelier than another.
std::string likelyPattern(const std::string& pattern, const JobReport& job) {
  const size_t end = std::min(pattern.find('.'), pattern.size());
  std::vector<std::string> likely;
  std::vector<std::string> possible;
  for (const JobModule& module : job.modules) {
    const std::string renamed = globLiteral(module.name) + pattern.substr(end);
    if (module.depth == 1 && hasModule(renamed, job)) {
      (wasNamed(module, pattern.substr(0, end)) ? likely : possible).push_back(renamed);
    }
  }
  const std::vector<std::string>& best = likely.empty() ? possible : likely;
  return best.size() == 1 ? best.front() : "";
}

} // namespace

std::string whyUnmatched(const BudgetEntry& entry, const JobReport& job, const Cells& cells) {
  const CellPattern& pattern = entry.pattern;
  const auto matchesAny = [&cells](const CellPattern& wanted) {
    return std::any_of(cells.begin(), cells.end(), [&wanted](const auto& cell) { return wanted.matches(cell.first); });
  };
  if (matchesAny(pattern)) {
    return "";
  }
  if (!hasModule(pattern.module, job)) {
    const std::string likely = likelyPattern(pattern.module, job);
    return "no module is named " + pattern.module + (likely.empty() ? "" : "; most likely it is " + likely + " now");
  }
  CellPattern elsewhere = pattern;
  elsewhere.phase = std::nullopt;
  elsewhere.module = "**";
  const bool allows_any = entry.count > 0 || entry.bytes > 0;
  if (!allows_any || !pattern.kind || !isPointToPoint(*pattern.kind) || !matchesAny(elsewhere)) {
    return "";
  }
  std::set<std::string> places;
  for (const auto& [key, number] : cells) {
    if (elsewhere.matches(key)) {
      places.insert(key.module + " (" + std::string(phaseName(key.phase)) + ")");
    }
  }
  return "there is no " + std::string(kindName(*pattern.kind)) + " in " + pattern.module + " in this phase; it is in " +
         *places.begin() + (places.size() > 1 ? " and elsewhere" : "") + " now";
}

} // namespace commtap
