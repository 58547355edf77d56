// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_comparison.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "report/compare/dtype_changes.h"
#include "report/compare/exposed_limits.h"
#include "report/compare/matched_groups.h"
#include "report/compare/split_limits.h"
#include "report/compare/uneven_rows.h"
#include "report/job/job_report.h"

namespace commtap {
namespace {

/// Sets a row to what each further step adds to it.
void setStep(const UnevenRows::Step& step, uint64_t steps, PerRank& cell) {
  const auto ranks = static_cast<double>(std::max<uint64_t>(cell.ranks, 1));
  cell.count_sum = step.count * steps;
  cell.bytes_sum = step.bytes * steps;
  cell.count = static_cast<double>(step.count) / ranks;
  cell.bytes = static_cast<double>(step.bytes) / ranks;
}

/// Removes the changes of rows that are alike except for the number of steps, and sets the rows to what each further
/// step adds. Returns how many.
size_t removeAlike(const JobReport& before, const JobReport& after, JobComparison& comparison) {
  const UnevenRows uneven(before, after, comparison.steps);
  return std::erase_if(comparison.changes, [&](const CellChange& cell) {
    const std::optional<UnevenRows::Alike> alike = uneven.alike(cell);
    if (alike) {
      setStep(alike->before, comparison.steps.before, comparison.before.at(cell.key));
      setStep(alike->after, comparison.steps.after, comparison.after.at(cell.key));
    }
    return alike.has_value();
  });
}

/// Leaves out of the cells of a run what an unfinished step of it can have of them. Adds a note if there is one.
void leaveOutUnfinished(const JobReport& job, const char* run, const Cells& others, Cells& cells, JobComparison& to) {
  if (const JobStep* const unfinished = to.steps.arePerStep() ? unfinishedStep(job) : nullptr) {
    for (auto& [key, cell] : cells) {
      const auto other = others.find(key);
      leaveOut(*unfinished, key, other == others.end() ? cell : other->second, cell);
    }
    to.notes.push_back(std::string(run) + " has an unfinished step: what that can have of a row is no difference");
  }
}

std::string unevenNote(size_t alike) {
  return (alike == 1 ? "1 row has" : std::to_string(alike) + " rows have") +
         " another mean per step only because one run made more steps: compared, and shown, by what each further step "
         "adds; what some steps alone have is equal in both runs";
}

} // namespace

JobComparison
compareJobs(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules, ComparedSteps steps) {
  auto [cells_before, cells_after] = comparableCells(before, after, steps);
  std::vector<std::string> group_notes = matchGroups(before, after, cells_before, cells_after);
  JobComparison comparison{steps, std::move(cells_before), std::move(cells_after), {}, dtypeNotes(before, after), {}};
  comparison.notes = comparisonNotes(before, after, steps);
  leaveOutUnfinished(before, "the run before", comparison.after, comparison.before, comparison);
  leaveOutUnfinished(after, "the run after", comparison.before, comparison.after, comparison);
  comparison.changes = changesBetween(comparison.before, comparison.after, comparedRanks(before, after), rules, steps);
  comparison.notes.insert(comparison.notes.end(), comparison.dtypes.begin(), comparison.dtypes.end());
  if (steps.before != steps.after) {
    comparison.notes.push_back(
        "rows are compared per step, of " + std::to_string(steps.before) + (steps.before == 1 ? " step" : " steps") +
        " before and " + std::to_string(steps.after) + " after, and set-up per run");
  } else if (const std::string_view runs = runsWithout(stepsOf(before) > 0, stepsOf(after) > 0); !runs.empty()) {
    comparison.notes.push_back("no steps are known of " + std::string(runs) + ": numbers are per run");
  }
  std::move(group_notes.begin(), group_notes.end(), std::back_inserter(comparison.notes));
  for (const auto notesOf : {splitNotes, exposedNotes}) {
    for (std::string& note : notesOf(before, after)) {
      comparison.notes.push_back(std::move(note));
    }
  }
  if (const size_t alike = removeAlike(before, after, comparison); alike > 0) {
    comparison.notes.push_back(unevenNote(alike));
  }
  return comparison;
}

} // namespace commtap
