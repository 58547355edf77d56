// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_data.h"

#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "report/json/fields.h"
#include "tools/html/page_columns.h"
#include "tools/text/call_text.h"
#include "tools/text/job_text.h"

namespace commtap {
namespace {

using nlohmann::json;
using page::cellOrNull;
using page::columnOf;
using page::Strings;
using page::toJson;

json disagreementOf(const Disagreement& item) {
  json values = json::array();
  for (const Disagreement::Value& value : item.values) {
    values.push_back(
        {{field::kRanks, toJson(value.ranks)},
         {field::kCount, value.count},
         {field::kBytes, cellOrNull(value.bytes)},
         {field::kKind, value.call ? json(kindName(value.call->kind)) : json(nullptr)},
         {field::kModule, value.call ? json(value.call->module) : json(nullptr)},
         {"facts", value.call ? factsText(*value.call) : ""}});
  }
  return {
      {field::kWhat, disagreementName(item.what)},
      {field::kGroup, item.group},
      {field::kSequence, item.sequence},
      {field::kMembers, toJson(rankRanges({item.members.begin(), item.members.end()}))},
      {field::kModule, item.module},
      {field::kPhase, item.phase ? json(phaseName(*item.phase)) : json(nullptr)},
      {field::kOp, item.op},
      {field::kKind, kindName(item.kind)},
      {field::kDtype, item.dtype},
      {field::kReduceOp, item.reduce_op},
      {field::kValues, std::move(values)},
  };
}

json notSeenRow(const NotSeenSummary& item) {
  return {
      {field::kReason, item.entry.reason},
      {field::kCount, item.entry.count},
      {field::kDetail, item.entry.detail},
      {field::kMeaning, item.entry.meaning},
      {field::kRanks, toJson(item.ranks)},
  };
}

json groupOf(const JobGroup& group) {
  return {
      {field::kName, group.name},
      {field::kBackend, group.backend},
      {field::kSize, group.size},
      {field::kMembers, group.members.size()},
  };
}

json callsOf(const JobModule& module) {
  return columnOf(module.calls, [](const Spread<uint64_t>& calls) { return calls.sum; });
}

json modulesOf(const JobReport& job, Strings& strings) {
  json parents = columnOf(job.modules, [](const JobModule& module) { return static_cast<int64_t>(module.parent); });
  if (!parents.empty()) {
    parents[0] = -1;
  }
  return {
      {field::kName, columnOf(job.modules, [&](const JobModule& module) { return strings(module.name); })},
      {field::kClass, columnOf(job.modules, [&](const JobModule& module) { return strings(module.class_name); })},
      {field::kParent, std::move(parents)},
      {field::kCalls, columnOf(job.modules, callsOf)},
      {field::kRankSet, columnOf(job.modules, [](const JobModule& module) { return module.rank_set; })},
  };
}

/// Adds how the calls of rows are split; null for a row without split sizes.
void addSplits(const JobReport& job, json& rows) {
  const auto add = [&](const char* name, auto get) {
    rows[name] = columnOf(job.collectives, [&get](const JobCollective& row) {
      return row.splits.calls == 0 ? json(nullptr) : get(row.splits);
    });
  };
  add("imbalance_mean", [](const Splits& splits) { return json(splits.imbalance.mean); });
  add("imbalance_max", [](const Splits& splits) { return json(splits.imbalance.max); });
  add(field::kHottestPeer, [](const Splits& splits) { return cellOrNull(splits.hottest_peer); });
  add(field::kColdestPeer, [](const Splits& splits) { return cellOrNull(splits.coldest_peer); });
}

json rowsOf(const JobReport& job, Strings& strings) {
  json rows = page::columnsOf(
      job.collectives,
      {field::kPhase, field::kOp,       field::kKind,    field::kGroup,    field::kDtype,    field::kReduceOp,
       field::kAsync, field::kIssuedIn, field::kLabel,   field::kCompiled, field::kSetup,    field::kRankSet,
       field::kCount, "count_min",      "count_max",     "count_min_rank", "count_max_rank", field::kBytes,
       "bytes_min",   "bytes_max",      field::kBusBytes},
      strings);
  std::unordered_map<std::string_view, size_t> modules;
  for (size_t i = 0; i < job.modules.size(); ++i) {
    modules.emplace(job.modules[i].name, i);
  }
  rows[field::kModule] = columnOf(job.collectives, [&](const JobCollective& row) { return modules[row.module]; });
  addSplits(job, rows);
  return rows;
}

json membersOf(const JobReport& job, Strings& strings) {
  json members = {
      {field::kRow, json::array()},
      {field::kModule, json::array()},
      {field::kBytes, json::array()},
      {field::kCount, json::array()}};
  for (size_t row = 0; row < job.collectives.size(); ++row) {
    for (const JobMember& member : job.collectives[row].members) {
      members[field::kRow].push_back(row);
      members[field::kModule].push_back(strings(member.module));
      members[field::kBytes].push_back(member.bytes);
      members[field::kCount].push_back(page::cellOrNull(member.count));
    }
  }
  return members;
}

struct Cell {
  size_t process;
  int kind;
  Amount amount;
};

json pageCells(const JobReport& job) {
  std::vector<Cell> cells;
  for (size_t i = 0; i < job.processes.size(); ++i) {
    for (int kind = 0; kind < kKindCount; ++kind) {
      if (job.processes[i].totals[kind].count > 0) {
        cells.push_back({i, kind, job.processes[i].totals[kind]});
      }
    }
  }
  return {
      {"process", columnOf(cells, [](const Cell& cell) { return cell.process; })},
      {field::kKind, columnOf(cells, [](const Cell& cell) { return cell.kind; })},
      {field::kCount, columnOf(cells, [](const Cell& cell) { return cell.amount.count; })},
      {field::kBytes, columnOf(cells, [](const Cell& cell) { return cell.amount.bytes; })},
      {field::kBusBytes, columnOf(cells, [](const Cell& cell) { return cell.amount.bus_bytes; })},
  };
}

json stepsOf(const JobReport& job, Strings& strings) {
  return page::columnsOf(
      job.steps,
      {field::kFirstStep,
       field::kSteps,
       field::kRankCount,
       field::kTimedRankCount,
       field::kDurationNs,
       "duration_ns_min",
       "duration_ns_max",
       "duration_ns_max_rank"},
      strings);
}

json stepCellsOf(const JobReport& job, Strings& strings) {
  std::vector<JobStepAmount> amounts;
  json steps = json::array();
  for (size_t i = 0; i < job.steps.size(); ++i) {
    for (const JobStepAmount& amount : job.steps[i].collectives) {
      amounts.push_back(amount);
      steps.push_back(i);
    }
  }
  json cells =
      page::columnsOf(amounts, {field::kKind, field::kGroup, field::kCount, field::kBytes, field::kExposedNs}, strings);
  cells[field::kStep] = std::move(steps);
  return cells;
}

/// Returns the mean of the timed collectives; null if none were timed.
json meanOf(const TimeTotals& totals, DurationKind kind) {
  const Durations& durations = totals.time.of(kind);
  return durations.count == 0 ? json(nullptr)
                              : json(static_cast<double>(durations.sum_ns) / static_cast<double>(durations.count));
}

/// Returns the bandwidth; null for 0, which means unknown.
json bandwidthOf(double bytes_per_second) {
  return bytes_per_second > 0 ? json(bytes_per_second) : json(nullptr);
}

using TimeNumber = json (*)(const TimeTotals& totals);

constexpr std::pair<const char*, TimeNumber> kTimeNumbers[] = {
    {field::kKind, [](const TimeTotals& totals) { return json(totals.kind); }},
    {field::kCount, [](const TimeTotals& totals) { return json(totals.count); }},
    {"timed", [](const TimeTotals& totals) { return json(totals.time.timedCount()); }},
    {"queued_ns", [](const TimeTotals& totals) { return meanOf(totals, DurationKind::kQueued); }},
    {"running_ns", [](const TimeTotals& totals) { return meanOf(totals, DurationKind::kRunning); }},
    {"longest_ns",
     [](const TimeTotals& totals) {
       const Durations& running = totals.time.of(DurationKind::kRunning);
       return running.count == 0 ? json(nullptr) : json(running.max_ns);
     }},
    {"exposed_ns",
     [](const TimeTotals& totals) {
       const Durations& exposed = totals.time.of(DurationKind::kExposed);
       return exposed.count == 0 ? json(nullptr) : json(exposed.sum_ns);
     }},
    {"algbw", [](const TimeTotals& totals) { return bandwidthOf(totals.time.algorithmBandwidth()); }},
    {"busbw", [](const TimeTotals& totals) { return bandwidthOf(totals.time.busBandwidth()); }},
    {field::kLateByNs,
     [](const TimeTotals& totals) { return totals.straggler ? json(totals.straggler->late_by_ns) : json(nullptr); }},
    {"late_rank",
     [](const TimeTotals& totals) { return totals.straggler ? json(totals.straggler->rank) : json(nullptr); }},
};

json timesOf(const std::vector<TimeTotals>& all, TimesBy by, Strings& strings) {
  json times = {{field::kGroup, columnOf(all, [&](const TimeTotals& totals) { return strings(totals.group); })}};
  if (by == TimesBy::kModule) {
    times[field::kModule] = columnOf(all, [&](const TimeTotals& totals) { return strings(totals.module); });
    times[field::kLabel] = columnOf(all, [&](const TimeTotals& totals) { return strings(totals.label); });
    times[field::kSetup] = columnOf(all, [](const TimeTotals& totals) { return totals.setup; });
  }
  for (const auto& [name, number] : kTimeNumbers) {
    times[name] = columnOf(all, number);
  }
  return times;
}

/// Returns the divisors of means, and the texts of `commtap show` on their unit and on set-up.
json unitOf(const JobReport& job) {
  const Means means(job);
  return {
      {field::kRanks, means.ranks()},
      {field::kSteps, means.steps()},
      {"text", unitText(means)},
      {field::kSetup, setupText(job, means)},
  };
}

} // namespace

std::string pageData(const JobReport& job, const Verification* verification, const PageChoice& choice) {
  Strings strings;
  json document = {
      {field::kJob, page::factsOf(job)},
      {"phases", page::phaseNames()},
      {"kinds", page::kindNames()},
      {field::kGroups, columnOf(job.groups, groupOf)},
      {field::kRanks, toJson(job.ranks)},
      {field::kMissingRanks, toJson(job.missing)},
      {field::kRankSets, columnOf(job.rank_sets, [](const RankRanges& ranges) { return toJson(ranges); })},
      {field::kDisagreementsFound, job.disagreements_found},
      {field::kDisagreements, columnOf(job.disagreements, disagreementOf)},
      {field::kNotSeen, columnOf(job.not_seen, notSeenRow)},
      {field::kProblems, job.problems},
      {"unit", unitOf(job)},
      {"total", choice.total},
      {"why", choice.why},
      {"advice", page::adviceOf(job)},
      {"verify", page::verifyOf(verification)},
      {field::kModules, modulesOf(job, strings)},
      {"rows", rowsOf(job, strings)},
      {field::kMembers, membersOf(job, strings)},
      {field::kProcesses, page::processesOf(job, strings)},
      {"cells", pageCells(job)},
      {field::kSteps, stepsOf(job, strings)},
      {"step_cells", stepCellsOf(job, strings)},
      {field::kGroupTimes, timesOf(job.group_times, TimesBy::kGroup, strings)},
      {field::kModuleTimes, timesOf(job.module_times, TimesBy::kModule, strings)},
      {field::kNccl, page::ncclOf(job, strings)},
  };
  document["strings"] = strings.take();
  return page::documentText(document);
}

} // namespace commtap
