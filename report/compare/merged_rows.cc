// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/merged_rows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>

#include "report/job/job_report.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// A merged row, and of how many calls it was made.
using MergedRow = std::tuple<std::string, Phase, Kind, std::string, uint64_t, uint64_t>;

std::set<MergedRow> mergedRowsOf(const JobReport& job) {
  std::set<MergedRow> rows;
  for (const JobCollective& row : job.collectives) {
    if (!isMerged(row)) {
      continue;
    }
    uint64_t calls = 0;
    for (const JobMember& member : row.members) {
      addSaturating(calls, member.count.value_or(0));
    }
    const std::string& group = job.groups[row.group].name;
    rows.emplace(row.module, row.phase, row.kind, group, row.amount.count.sum, calls);
  }
  return rows;
}

/// Adds a note of the rows that only this job has. Returns their number.
size_t addNote(
    const JobReport& job,
    const std::set<MergedRow>& rows,
    const std::set<MergedRow>& others,
    std::vector<std::string>& notes) {
  std::vector<MergedRow> only;
  std::set_difference(rows.begin(), rows.end(), others.begin(), others.end(), std::back_inserter(only));
  uint64_t calls = 0;
  uint64_t merged = 0;
  for (const MergedRow& row : only) {
    addSaturating(calls, std::get<4>(row));
    addSaturating(merged, std::get<5>(row));
  }
  if (!only.empty()) {
    notes.push_back(
        job.source + ": " + std::to_string(only.size()) + (only.size() == 1 ? " row is" : " rows are") +
        " bucketed and compared by members: " + std::to_string(calls) + " calls of all ranks instead of " +
        std::to_string(merged));
  }
  return only.size();
}

} // namespace

MergedDifference mergedDifference(const JobReport& before, const JobReport& after) {
  const std::set<MergedRow> rows_before = mergedRowsOf(before);
  const std::set<MergedRow> rows_after = mergedRowsOf(after);
  MergedDifference difference;
  difference.rows = addNote(before, rows_before, rows_after, difference.notes);
  difference.rows = std::max(difference.rows, addNote(after, rows_after, rows_before, difference.notes));
  return difference;
}

} // namespace commtap
