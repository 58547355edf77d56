// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_json.h"

#include <nlohmann/json.hpp>

#include "report/advice/advice.h"
#include "report/job/job_report_json.h"
#include "report/json/fields.h"
#include "report/json/json_row.h"
#include "report/json/row_columns.h"
#include "report/json/row_write.h"
#include "report/model/rank_ranges.h"
#include "tools/show/screen_text.h"

namespace commtap {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json toJson(const Amount& amount) {
  return {{field::kCount, amount.count}, {field::kBytes, amount.bytes}, {field::kBusBytes, amount.bus_bytes}};
}

ordered_json partsOf(const ModuleRow& row) {
  ordered_json list = ordered_json::array();
  for (const OwnPart& part : row.own_parts) {
    ordered_json entry = {{field::kLabel, textOrNull(part.label)}, {field::kSetup, part.setup}};
    entry.update(toJson(part.amount));
    entry[field::kRanks] = rangesText(part.ranks);
    list.push_back(std::move(entry));
  }
  return list;
}

/// Returns the module at `row`. Moves `row` to the first row of the next module.
ordered_json moduleAt(const std::vector<ModuleRow>& rows, size_t& row, const JobReport& job) {
  const JobModule& module = *rows[row].module;
  ordered_json calls = ordered_json::object();
  for (int i = 0; i < kPhaseCount; ++i) {
    if (module.calls[i].sum > 0) {
      calls[std::string(phaseName(static_cast<Phase>(i)))] = module.calls[i].sum;
    }
  }
  ordered_json collectives = ordered_json::array();
  for (; row < rows.size() && rows[row].module == &module; ++row) {
    if (rows[row].kind) {
      collectives.push_back({
          {field::kPhase, phaseName(rows[row].phase)},
          {field::kKind, kindName(*rows[row].kind)},
          {"inclusive", toJson(rows[row].inclusive)},
          {"own", toJson(rows[row].own)},
          {"own_parts", partsOf(rows[row])},
      });
    }
  }
  return {
      {field::kName, module.name},
      {field::kParent, module.depth == 0 ? ordered_json(nullptr) : ordered_json(job.modules[module.parent].name)},
      {"depth", module.depth},
      {field::kClass, module.class_name.empty() ? ordered_json(nullptr) : ordered_json(module.class_name)},
      {field::kRanks, rangesText(job.rank_sets[module.rank_set])},
      {field::kCalls, std::move(calls)},
      {field::kCollectives, std::move(collectives)},
  };
}

ordered_json modulesOf(const ShowView& view) {
  const ModuleRows tree = moduleRows(view);
  ordered_json list = ordered_json::array();
  for (size_t row = 0; row < tree.rows.size();) {
    list.push_back(moduleAt(tree.rows, row, view.job));
  }
  return list;
}

/// Adds the mean of a row of the first screen.
void addMean(const Mean& mean, const Mean& all, const std::string& by_rank, ordered_json& row) {
  row[field::kCount] = numberJson(mean.calls);
  row[field::kBytes] = numberJson(mean.bytes);
  row["share"] = all.bytes > 0 ? mean.bytes / all.bytes : 0;
  row["count_by_rank"] = textOrNull(by_rank);
}

/// Returns the tables of the first screen, with all rows.
ordered_json meansOf(const JobReport& job) {
  const Means means(job);
  const std::vector<ScreenRow> by_kind = rowsByKind(job);
  const std::vector<ScreenRow> by_module = rowsByModule(job);
  ordered_json kinds = ordered_json::array();
  for (const ScreenRow& row : by_kind) {
    const JobGroup& group = job.groups[row.group];
    ordered_json& added = kinds.emplace_back(
        ordered_json{{field::kKind, kindName(row.kind)}, {field::kGroup, group.name}, {"group_size", group.size}});
    addMean(row.mean, sumOf(by_kind), row.by_rank, added);
  }
  ordered_json modules = ordered_json::array();
  for (const ScreenRow& row : by_module) {
    ordered_json& added = modules.emplace_back(ordered_json{
        {field::kModule, row.module}, {field::kLabel, textOrNull(row.label)}, {"module_count", row.modules}});
    addMean(row.mean, sumOf(by_module), row.by_rank, added);
  }
  const Mean setup = means.setupOf(job);
  return {
      {"rank_count", means.ranks()},
      {"training_steps", means.steps()},
      {"unfinished_step", unfinishedStep(job) != nullptr},
      {"by_kind", std::move(kinds)},
      {"by_module", std::move(modules)},
      {field::kSetup, {{field::kCount, numberJson(setup.calls)}, {field::kBytes, numberJson(setup.bytes)}}}};
}

ordered_json adviceOf(const JobReport& job) {
  ordered_json list = ordered_json::array();
  for (const Advice& advice : adviceFor(job)) {
    list.push_back({{"rule", advice.rule->name}, {"calls_per_step", advice.calls}, {"bytes_per_step", advice.bytes}});
  }
  return list;
}

/// Returns one entry per phase and kind.
ordered_json listOf(const Amounts& amounts, std::optional<Phase> phase) {
  ordered_json list = ordered_json::array();
  for (const auto& [key, amount] : amounts) {
    if (!phase || key.phase == *phase) {
      ordered_json entry = {{field::kPhase, phaseName(key.phase)}, {field::kKind, kindName(key.kind)}};
      entry.update(toJson(amount));
      list.push_back(std::move(entry));
    }
  }
  return list;
}

ordered_json groupsOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const JobGroup& group : view.job.groups) {
    ordered_json members = ordered_json::array();
    for (const std::vector<uint32_t>& ranks : group.members) {
      members.push_back(rangesText(ranks));
    }
    list.push_back({
        {field::kName, group.name},
        {field::kBackend, group.backend},
        {field::kSize, group.size},
        {field::kRanks, std::move(members)},
        {"totals", listOf(group.totals, view.filter.phase)},
    });
  }
  return list;
}

/// Returns the JSON of the job report, without modules and rows.
ordered_json partsOf(const ShowView& view) {
  JobReport part = view.job;
  part.collectives.clear();
  part.modules.clear();
  part.group_times = view.group_times;
  part.module_times = view.module_times;
  std::erase_if(part.module_times, [&view](const TimeTotals& row) { return !view.filter.shows(row.module); });
  if (part.nccl && view.filter.phase) {
    std::erase_if(part.nccl->calls, [&view](const JobNcclCall& call) { return call.phase != *view.filter.phase; });
  }
  return ordered_json::parse(jobReportToJson(part));
}

ordered_json operationsOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const auto& [key, count] : view.operations.counts()) {
    const auto& [module, phase, op, dtensor] = key;
    if (view.filter.shows(module)) {
      list.push_back({
          {field::kModule, module},
          {field::kPhase, phaseName(phase)},
          {field::kOp, op},
          {field::kDtensor, dtensor},
          {field::kCount, count},
      });
    }
  }
  return list;
}

ordered_json callOf(const std::optional<int64_t>& rank, const LastCollective& call) {
  std::string text;
  appendRow(text, call, ReportContext());
  ordered_json row = {{field::kRank, orNull(rank)}};
  row.update(ordered_json::parse(text));
  return row;
}

ordered_json lastOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const LastRow& row : view.last) {
    list.push_back(callOf(row.rank, row.call));
    list.back()[field::kGroup] = row.group_title;
  }
  return list;
}

ordered_json mismatchesOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const SequenceMismatch& mismatch : view.mismatches) {
    ordered_json calls = ordered_json::array();
    for (const RankCall& each : mismatch.calls) {
      calls.push_back(callOf(each.ranks.front().first, each.call));
      calls.back()[field::kRanks] = rangesText(each.ranks);
    }
    list.push_back({
        {field::kGroup, mismatch.group_title},
        {field::kSequence, mismatch.sequence},
        {field::kCalls, std::move(calls)},
    });
  }
  return list;
}

/// Adds what the options of the filter ask for.
void addDetails(const ShowView& view, const ordered_json& parts, ordered_json& document) {
  const ShowFilter& filter = view.filter;
  if (filter.ranks) {
    document[field::kDisagreementsFound] = parts[field::kDisagreementsFound];
    document[field::kDisagreements] = parts[field::kDisagreements];
  }
  if (filter.operations) {
    document[field::kOperations] = view.operations.isKnown() ? operationsOf(view) : ordered_json(nullptr);
  }
  if (filter.time) {
    document[field::kGroupTimes] = parts[field::kGroupTimes];
    document[field::kModuleTimes] = parts[field::kModuleTimes];
  }
  if (filter.steps) {
    document[field::kSteps] = parts[field::kSteps];
  }
  if (filter.last > 0) {
    document["mismatches"] = mismatchesOf(view);
    document[field::kLast] = lastOf(view);
  }
  if (filter.nccl) {
    document[field::kNccl] = parts.contains(field::kNccl) ? parts[field::kNccl] : ordered_json(nullptr);
  }
}

} // namespace

std::string showJson(const ShowView& view) {
  const JobReport& job = view.job;
  const std::optional<Phase>& phase = view.filter.phase;
  const ordered_json parts = partsOf(view);
  ordered_json document = {
      {field::kSchema, kShowSchema},
      {field::kRunId, job.run_id},
      {field::kAttempt, job.attempt},
      {field::kWorldSize, orNull(job.world_size)},
      {field::kRanks, rangesText(job.ranks)},
      {field::kMissingRanks, rangesText(job.missing)},
      {field::kPlanned, job.planned},
      {field::kRank, orNull(view.rank)},
      {field::kPhase, phase ? ordered_json(phaseName(*phase)) : ordered_json(nullptr)},
      {field::kNotSeen, parts[field::kNotSeen]},
      {field::kProblems, job.problems},
      {"advice", adviceOf(job)},
      {field::kProcesses, parts[field::kProcesses]},
      {"means", meansOf(job)},
  };
  if (view.showsTables()) {
    document[field::kModules] = modulesOf(view);
    document[field::kTotals] = listOf(amountsOf(job), phase);
    document[field::kGroups] = groupsOf(view);
  }
  addDetails(view, parts, document);
  return jsonDocument(document);
}

} // namespace commtap
