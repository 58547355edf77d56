// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_check.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "report/base/glob.h"
#include "report/compare/exposed_limits.h"
#include "report/compare/split_limits.h"

namespace commtap {
namespace {

constexpr std::array<std::string_view, kFindingKinds> kFindingNames = {
    "disagreement",
    "missing_ranks",
    "killed",
    "not_seen",
    "unreadable",
    "more",
    "less",
    "new",
    "gone",
    "unmatched",
    "failed",
    "training",
    "uneven",
    "exposed"};

bool contains(const std::vector<Allowed>& allowed, Allowed what) {
  return std::find(allowed.begin(), allowed.end(), what) != allowed.end();
}

Finding plainFinding(Finding::What what) {
  Finding finding;
  finding.what = what;
  return finding;
}

Check readable(const JobReport& job) {
  Check check{Check::What::kReadable, "", 0, {}};
  for (const std::string& problem : job.problems) {
    check.findings.push_back(plainFinding(Finding::What::kUnreadable));
    check.findings.back().problem = problem;
  }
  return check;
}

Check complete(const JobReport& job) {
  Check check{Check::What::kComplete, "", 0, {}};
  if (!job.missing.empty()) {
    check.findings.push_back(plainFinding(Finding::What::kMissingRanks));
  }
  return check;
}

/// Finds the processes with an end for which `is_bad` holds.
Check ends(const JobReport& job, Check::What what, Finding::What finding, bool (ExitSummary::*is_bad)() const) {
  Check check{what, "", 0, {}};
  for (const ExitSummary& exit : exitsOf(job)) {
    if ((exit.*is_bad)()) {
      check.findings.push_back(plainFinding(finding));
      check.findings.back().exit = exit;
    }
  }
  return check;
}

Check seen(const JobReport& job) {
  Check check{Check::What::kSeen, "", 0, {}};
  for (const NotSeenSummary& entry : job.not_seen) {
    check.findings.push_back(plainFinding(Finding::What::kNotSeen));
    check.findings.back().not_seen = &entry;
  }
  return check;
}

Check agree(const JobReport& job) {
  const std::span<const Disagreement> serious = seriousDisagreements(job);
  const bool all = serious.size() == job.disagreements.size();
  Check check{Check::What::kAgree, "", all ? job.disagreements_found - serious.size() : 0, {}};
  for (const Disagreement& disagreement : serious) {
    check.findings.push_back(plainFinding(Finding::What::kDisagreement));
    check.findings.back().disagreement = &disagreement;
  }
  return check;
}

Finding::What whatOf(const Change& change) {
  if (change.before.ranks == 0) {
    return Finding::What::kNew;
  }
  if (change.after.ranks == 0) {
    return Finding::What::kGone;
  }
  return change.isLess() ? Finding::What::kLess : Finding::What::kMore;
}

std::vector<Finding> findingsOf(const std::vector<CellChange>& changes, uint64_t steps = 1, bool per_step = false) {
  std::vector<Finding> findings;
  for (ChangeBundle& each : bundle(changes, steps, per_step)) {
    findings.push_back(plainFinding(whatOf(each.change)));
    findings.back().bundle = std::move(each);
  }
  return findings;
}

std::string subjectOf(const CellKey& key) {
  return std::string(kindName(key.kind)) + " on " + key.group;
}

std::string subjectOf(const BudgetEntry& entry) {
  const CellPattern& pattern = entry.pattern;
  std::string text = pattern.kind ? std::string(kindName(*pattern.kind)) : "everything";
  text += " in " + pattern.module;
  text += pattern.phase ? " (" + std::string(phaseName(*pattern.phase)) + ")" : "";
  text += pattern.group == "**" ? "" : " on " + pattern.group;
  return text + (entry.setup ? " in set-up" : "");
}

/// Returns whether a pattern of module names matches any module, also one that does not communicate.
bool namesModule(const std::string& pattern, const JobReport& job) {
  return std::any_of(job.modules.begin(), job.modules.end(), [&pattern](const JobModule& module) {
    return globMatches(pattern, module.name);
  });
}

void addFindings(Check& check, Finding::What what, const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    check.findings.push_back(plainFinding(what));
    check.findings.back().problem = problem;
  }
}

} // namespace

std::string_view findingName(Finding::What what) {
  return kFindingNames[static_cast<size_t>(what)];
}

std::vector<Check> checkJob(const JobReport& job, const std::vector<Allowed>& allowed) {
  std::vector<Check> checks = {readable(job)};
  if (!contains(allowed, Allowed::kMissingRanks)) {
    checks.push_back(complete(job));
  }
  if (!contains(allowed, Allowed::kKilled)) {
    checks.push_back(ends(job, Check::What::kEnded, Finding::What::kKilled, &ExitSummary::wasKilled));
  }
  if (!contains(allowed, Allowed::kFailed)) {
    checks.push_back(ends(job, Check::What::kSucceeded, Finding::What::kFailed, &ExitSummary::hasFailed));
  }
  if (!contains(allowed, Allowed::kNotSeen)) {
    checks.push_back(seen(job));
  }
  if (!contains(allowed, Allowed::kDisagreements)) {
    checks.push_back(agree(job));
  }
  return checks;
}

std::vector<Check> checkBaseline(
    const JobReport& before,
    const JobReport& after,
    const JobComparison& comparison,
    const std::vector<Allowed>& allowed) {
  std::map<std::string, std::vector<CellChange>> changes;
  for (const Cells* cells : {&comparison.before, &comparison.after}) {
    for (const auto& [key, number] : *cells) {
      changes[subjectOf(key)];
    }
  }
  for (const CellChange& change : comparison.changes) {
    if (!change.change.isLess() || !contains(allowed, Allowed::kLess)) {
      changes[subjectOf(change.key)].push_back(change);
    }
  }
  std::vector<Check> checks;
  checks.reserve(changes.size());
  const Check::What what = before.planned ? Check::What::kPlan : Check::What::kBaseline;
  const uint64_t steps = stepsOfBoth(before, after);
  for (const auto& [subject, cells] : changes) {
    checks.push_back({what, subject, 0, findingsOf(cells, steps, comparison.steps.arePerStep())});
  }
  return checks;
}

std::vector<Check> checkBudget(const Budget& budget, const JobReport& job) {
  const std::vector<std::vector<CellChange>> excesses = excessesOf(budget, job);
  const std::vector<std::vector<std::string>> uneven = unevenCells(budget, job);
  const std::vector<std::vector<std::string>> exposed = exposedCells(budget, job);
  std::vector<Check> checks;
  checks.reserve(budget.entries.size() + 2);
  for (size_t i = 0; i < budget.entries.size(); ++i) {
    const CellPattern& pattern = budget.entries[i].pattern;
    checks.push_back(
        {Check::What::kBudget, subjectOf(budget.entries[i]), 0, findingsOf(excesses[i], 1, budget.per_step)});
    addFindings(checks.back(), Finding::What::kUneven, uneven[i]);
    addFindings(checks.back(), Finding::What::kExposed, exposed[i]);
    if (!namesModule(pattern.module, job)) {
      checks.back().findings.push_back(plainFinding(Finding::What::kUnmatched));
      checks.back().findings.back().problem = "no module is named " + pattern.module;
    }
  }
  if (budget.exposed) {
    checks.push_back({Check::What::kBudget, "exposed time", 0, {}});
    addFindings(checks.back(), Finding::What::kExposed, exposed.back());
  }
  checks.push_back({Check::What::kNoOther, "", 0, findingsOf(excesses.back(), 1, budget.per_step)});
  return checks;
}

bool passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.findings.empty(); });
}

} // namespace commtap
