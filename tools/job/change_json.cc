// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/change_json.h"

#include "report/job/job_report.h"
#include "report/job/job_report_json.h"
#include "report/json/fields.h"
#include "report/json/json_row.h"
#include "tools/job/change_text.h"
#include "tools/job/diff_summary.h"
#include "tools/job/diff_text.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

/// Returns what the numbers of a change cover, for each rank.
const char* unitOf(const ChangeBundle& change) {
  return change.per_step ? "step" : "run";
}

/// Returns null for an amount that the run does not have.
ordered_json toJson(const PerRank& number) {
  if (number.ranks == 0) {
    return nullptr;
  }
  return {
      {field::kRankCount, number.ranks},
      {field::kCount, numberJson(number.count)},
      {field::kBytes, numberJson(number.bytes)},
  };
}

ordered_json listOf(const std::vector<ChangeBundle>& changes) {
  ordered_json list = ordered_json::array();
  for (const ChangeBundle& change : changes) {
    list.push_back(changeJson(change));
  }
  return list;
}

} // namespace

ordered_json jobIdentityJson(const JobReport& job) {
  return {
      {field::kSource, job.source},
      {field::kRunId, job.run_id},
      {field::kStartedAt, formatTimestamp(job.started_at_ns)},
      {field::kWorldSize, orNull(job.world_size)},
      {field::kRanks, rangesText(job.ranks)},
      {field::kMissingRanks, rangesText(job.missing)},
      {field::kPlanned, job.planned},
      {"training_steps", stepsOf(job)},
      {"unfinished_step", unfinishedStep(job) != nullptr},
  };
}

ordered_json changeJson(const ChangeBundle& change) {
  return {
      {"text", changeText(change)},
      {field::kModule, change.name},
      {field::kModules, change.modules},
      {field::kPhase, phaseName(change.first.phase)},
      {field::kKind, kindName(change.first.kind)},
      {field::kGroup, change.first.group},
      {field::kLabel, textOrNull(change.first.label)},
      {field::kSetup, change.first.setup},
      {"before", toJson(change.change.before)},
      {"after", toJson(change.change.after)},
      {"gained_ranks", rangesText(change.change.gained)},
      {"lost_ranks", rangesText(change.change.lost)},
      {"unit", unitOf(change)},
  };
}

std::string diffJson(const JobDiff& diff) {
  const ordered_json document = {
      {field::kSchema, kDiffSchema},
      {"before", jobIdentityJson(*diff.before)},
      {"after", jobIdentityJson(*diff.after)},
      {"summary", diffSummary(diff)},
      {"notes", diff.notes},
      {field::kDisagreementsFound, diff.after->disagreements_found},
      {"changes", listOf(diff.changes)},
  };
  return jsonDocument(document);
}

} // namespace commtap
