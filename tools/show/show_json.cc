// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_json.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"
#include "report/job/job_report_json.h"
#include "report/json/fields.h"
#include "report/json/json_row.h"
#include "report/json/row_columns.h"
#include "report/json/row_write.h"

namespace commtap {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json toJson(const Amount& amount) {
  return {{field::kCount, amount.count}, {field::kBytes, amount.bytes}, {field::kBusBytes, amount.bus_bytes}};
}

/// Returns the path of the process's report. The job report names files relative to its folder.
std::string pathOf(const JobReport& job, const JobProcess& process) {
  const std::filesystem::path file(process.file);
  const bool is_below = file.is_relative() && process.file != job.source;
  return is_below ? (std::filesystem::path(job.source) / file).string() : process.file;
}

ordered_json processesOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const JobProcess& process : view.job.processes) {
    list.push_back({
        {field::kRank, orNull(process.rank)},
        {field::kHost, process.host},
        {field::kPid, process.pid},
        {field::kStartedAt, formatTimestamp(process.started_at_ns)},
        {field::kEndedAt, timeOrNull(process.ended_at_ns)},
        {field::kExit, exitKindName(process.exit)},
        {field::kExitSignal, orNull(process.exit_signal)},
        {field::kExitStatus, orNull(process.exit_status)},
        {"path", pathOf(view.job, process)},
    });
  }
  return list;
}

ordered_json partsOf(const ModuleRow& row) {
  ordered_json list = ordered_json::array();
  for (const OwnPart& part : row.own_parts) {
    ordered_json entry = {{field::kLabel, textOrNull(part.label)}, {field::kSetup, part.setup}};
    entry.update(toJson(part.amount));
    entry[field::kRanks] = rangesJson(part.ranks);
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
      {field::kRanks, rangesJson(job.rank_sets[module.rank_set])},
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
    list.push_back({
        {field::kName, group.name},
        {field::kBackend, group.backend},
        {field::kSize, group.size},
        {field::kRanks, group.members},
        {"totals", listOf(group.totals, view.filter.phase)},
    });
  }
  return list;
}

ordered_json notSeenOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const NotSeenSummary& item : view.job.not_seen) {
    list.push_back({
        {field::kReason, item.entry.reason},
        {field::kCount, item.entry.count},
        {field::kDetail, item.entry.detail},
        {field::kMeaning, item.entry.meaning},
        {field::kRanks, rangesJson(item.ranks)},
    });
  }
  return list;
}

/// Returns what the job report has on one subject, as `commtap merge --format json` writes it.
ordered_json partsOf(const ShowView& view) {
  JobReport part = view.job;
  part.collectives.clear();
  part.modules.clear();
  part.processes.clear();
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
      calls.back()[field::kRanks] = each.ranks;
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
void addDetails(const ShowView& view, ordered_json& document) {
  const ShowFilter& filter = view.filter;
  const ordered_json parts = filter.steps || filter.time || filter.nccl ? partsOf(view) : ordered_json();
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
  ordered_json document = {
      {field::kSchema, kShowSchema},
      {field::kRunId, job.run_id},
      {field::kAttempt, job.attempt},
      {field::kWorldSize, orNull(job.world_size)},
      {field::kRanks, rangesJson(job.ranks)},
      {field::kMissingRanks, rangesJson(job.missing)},
      {field::kPlanned, job.planned},
      {field::kRank, orNull(view.rank)},
      {field::kPhase, phase ? ordered_json(phaseName(*phase)) : ordered_json(nullptr)},
      {field::kProcesses, processesOf(view)},
      {field::kModules, modulesOf(view)},
      {field::kTotals, listOf(amountsOf(job), phase)},
      {field::kGroups, groupsOf(view)},
      {field::kNotSeen, notSeenOf(view)},
      {field::kProblems, job.problems},
  };
  addDetails(view, document);
  constexpr int kIndent = 1;
  return document.dump(kIndent, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) + "\n";
}

} // namespace commtap
