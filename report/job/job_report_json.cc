// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"
#include "report/json/fields.h"
#include "report/json/json_write.h"
#include "report/json/time_json.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

ordered_json plainNumber(uint64_t number) {
  return number;
}
ordered_json plainNumber(double number) {
  return numberJson(number);
}

template <typename T>
ordered_json toJson(const Spread<T>& spread, uint64_t ranks) {
  const double mean = ranks == 0 ? 0.0 : static_cast<double>(spread.sum) / static_cast<double>(ranks);
  return {
      {field::kSum, plainNumber(spread.sum)},
      {field::kMin, plainNumber(spread.min)},
      {field::kMean, numberJson(mean)},
      {field::kMax, plainNumber(spread.max)},
      {field::kMinRank, orNull(spread.min_rank)},
      {field::kMaxRank, orNull(spread.max_rank)},
  };
}

void addAmount(ordered_json& row, const RankedAmount& amount) {
  row[field::kRankCount] = amount.ranks;
  row[field::kCount] = toJson(amount.count, amount.ranks);
  row[field::kBytes] = toJson(amount.bytes, amount.ranks);
  row[field::kBusBytes] = toJson(amount.bus_bytes, amount.ranks);
}

void addAmount(ordered_json& row, const Amount& amount) {
  row[field::kCount] = amount.count;
  row[field::kBytes] = amount.bytes;
  row[field::kBusBytes] = numberJson(amount.bus_bytes);
}

ordered_json keyJson(PhaseKind key) {
  return {{field::kPhase, phaseName(key.phase)}, {field::kKind, kindName(key.kind)}};
}

ordered_json toJson(const Amounts& amounts) {
  ordered_json list = ordered_json::array();
  for (const auto& [key, amount] : amounts) {
    ordered_json row = keyJson(key);
    addAmount(row, amount);
    list.push_back(std::move(row));
  }
  return list;
}

/// [[first, last], ...]; an empty list would else be written as null.
ordered_json toJson(const RankRanges& ranges) {
  ordered_json list = ordered_json::array();
  for (const auto& [first, last] : ranges) {
    list.push_back({first, last});
  }
  return list;
}

ordered_json jobJson(const JobReport& job) {
  return {
      {field::kRunId, job.run_id},
      {field::kAttempt, job.attempt},
      {field::kAttempts, job.attempts},
      {field::kWorldSize, orNull(job.world_size)},
      {field::kStartedAt, formatTimestamp(job.started_at_ns)},
      {field::kEndedAt, timeOrNull(job.ended_at_ns)},
      {field::kTorch, textOrNull(job.torch_version)},
      {field::kCommtap, job.commtap_version},
      {field::kOtherRuns, job.other_runs},
      {field::kSource, job.source},
  };
}

ordered_json sumJson(const Disagreement::Value& value) {
  return {{field::kCount, value.count}, {field::kBytes, value.bytes.value_or(0)}};
}

ordered_json valueJson(const Disagreement::Value& value) {
  return {
      {field::kRanks, toJson(value.ranks)},
      {field::kCount, value.count},
      {field::kBytes, orNull(value.bytes)},
  };
}

ordered_json callJson(const Disagreement::Value& value) {
  return {
      {field::kRanks, toJson(value.ranks)},
      {field::kModule, value.call->module},
      {field::kOp, value.call->op},
      {field::kKind, kindName(value.call->kind)},
      {field::kDtype, textOrNull(value.call->dtype)},
      {field::kBytes, orNull(value.bytes)},
  };
}

ordered_json toJson(const Disagreement& disagreement, const JobReport& job) {
  ordered_json row = {
      {field::kWhat, disagreementName(disagreement.what)},
      {field::kGroup, job.groups[disagreement.group].name},
      {field::kMembers, disagreement.members},
  };
  if (disagreement.what == Disagreement::What::kUnmatched) {
    row[field::kDtype] = textOrNull(disagreement.dtype);
    row[field::kSent] = sumJson(disagreement.values[0]);
    row[field::kReceived] = sumJson(disagreement.values[1]);
    return row;
  }
  if (disagreement.what == Disagreement::What::kOrder) {
    row[field::kSequence] = disagreement.sequence;
    for (const Disagreement::Value& value : disagreement.values) {
      row[field::kValues].push_back(callJson(value));
    }
    return row;
  }
  row[field::kModule] = disagreement.module;
  row[field::kPhase] = phaseName(*disagreement.phase);
  row[field::kOp] = disagreement.op;
  row[field::kKind] = kindName(disagreement.kind);
  row[field::kDtype] = textOrNull(disagreement.dtype);
  row[field::kReduceOp] = textOrNull(disagreement.reduce_op);
  for (const Disagreement::Value& value : disagreement.values) {
    row[field::kValues].push_back(valueJson(value));
  }
  return row;
}

ordered_json toJson(const NotSeenSummary& summary) {
  return {
      {field::kReason, summary.entry.reason},
      {field::kCount, summary.entry.count},
      {field::kDetail, summary.entry.detail},
      {field::kMeaning, summary.entry.meaning},
      {field::kRanks, toJson(summary.ranks)},
  };
}

ordered_json toJson(const JobTotal& total) {
  ordered_json row = keyJson(total.key);
  addAmount(row, total.amount);
  return row;
}

ordered_json toJson(const JobGroup& group) {
  return {
      {field::kName, group.name},
      {field::kDesc, group.desc},
      {field::kBackend, group.backend},
      {field::kSize, group.size},
      {field::kMembers, group.members},
      {field::kTotals, toJson(group.totals)},
  };
}

ordered_json toJson(const JobModule& module, const JobReport& job) {
  ordered_json calls = ordered_json::object();
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    if (module.calls[phase].sum > 0) {
      calls[std::string(phaseName(static_cast<Phase>(phase)))] =
          toJson(module.calls[phase], countOf(job.rank_sets[module.rank_set]));
    }
  }
  const size_t id = static_cast<size_t>(&module - job.modules.data());
  return {
      {field::kId, id},
      {field::kParent, id == 0 ? ordered_json(nullptr) : ordered_json(module.parent)},
      {field::kName, module.name},
      {field::kClass, textOrNull(module.class_name)},
      {field::kRankSet, module.rank_set},
      {field::kCalls, std::move(calls)},
      {field::kOwn, toJson(module.own)},
      {field::kInclusive, toJson(module.inclusive)},
  };
}

ordered_json toJson(const JobCollective& row, const JobReport& job) {
  ordered_json object = {
      {field::kModule, row.module},
      {field::kPhase, phaseName(row.phase)},
      {field::kOp, row.op},
      {field::kKind, kindName(row.kind)},
      {field::kGroup, job.groups[row.group].name},
      {field::kDtype, textOrNull(row.dtype)},
      {field::kReduceOp, textOrNull(row.reduce_op)},
      {field::kAsync, asyncJson(row.async_op)},
      {field::kIssuedIn, row.issued_in},
      {field::kLowered, row.lowered},
      {field::kRankSet, row.rank_set},
  };
  addAmount(object, row.amount);
  return object;
}

ordered_json toJson(const JobStepAmount& amount, const JobReport& job) {
  const uint64_t ranks = amount.amount.ranks;
  return {
      {field::kKind, kindName(amount.kind)},
      {field::kGroup, job.groups[amount.group].name},
      {field::kRankCount, ranks},
      {field::kCount, toJson(amount.amount.count, ranks)},
      {field::kBytes, toJson(amount.amount.bytes, ranks)},
      {field::kRunningNs, toJson(amount.running_ns, ranks)},
      {field::kBlockedNs, toJson(amount.blocked_ns, ranks)},
  };
}

ordered_json toJson(const TimeTotals& totals) {
  ordered_json straggler = nullptr;
  if (totals.straggler) {
    straggler = {{field::kRank, totals.straggler->rank}, {field::kLateByNs, numberJson(totals.straggler->late_by_ns)}};
  }
  return {
      {field::kModule, textOrNull(totals.module)},
      {field::kKind, kindName(totals.kind)},
      {field::kGroup, totals.group},
      {field::kBackend, totals.backend},
      {field::kGroupSize, totals.group_size},
      {field::kCount, totals.count},
      {field::kTime, timeJson(totals.time)},
      {field::kStraggler, std::move(straggler)},
  };
}

ordered_json toJson(const JobStep& step, const JobReport& job) {
  ordered_json amounts = ordered_json::array();
  for (const JobStepAmount& amount : step.collectives) {
    amounts.push_back(toJson(amount, job));
  }
  return {
      {field::kFirstStep, step.first_step},
      {field::kSteps, step.steps},
      {field::kRankCount, step.ranks},
      {field::kTimedRankCount, step.timed_ranks},
      {field::kDurationNs, step.timed_ranks == 0 ? ordered_json(nullptr) : toJson(step.duration_ns, step.timed_ranks)},
      {field::kCollectives, std::move(amounts)},
  };
}

ordered_json toJson(const JobProcess& process) {
  ordered_json totals = ordered_json::array();
  for (int kind = 0; kind < kKindCount; ++kind) {
    if (process.totals[kind].count > 0) {
      ordered_json row = {{field::kKind, kindName(static_cast<Kind>(kind))}};
      addAmount(row, process.totals[kind]);
      totals.push_back(std::move(row));
    }
  }
  return {
      {field::kRank, orNull(process.rank)},
      {field::kHost, process.host},
      {field::kPid, process.pid},
      {field::kStartedAt, formatTimestamp(process.started_at_ns)},
      {field::kEndedAt, timeOrNull(process.ended_at_ns)},
      {field::kExit, exitKindName(process.exit)},
      {field::kExitSignal, orNull(process.exit_signal)},
      {field::kFile, process.file},
      {field::kTotals, std::move(totals)},
  };
}

ordered_json toJson(const JobNcclVersion& version) {
  return {{field::kVersion, textOrNull(version.version)}, {field::kRanks, toJson(version.ranks)}};
}

ordered_json toJson(const JobNcclCall& row, const JobReport& job) {
  const RankedNcclCalls& calls = row.calls;
  return {
      {field::kFunction, row.function},
      {field::kOp, textOrNull(row.op)},
      {field::kGroup, row.group ? ordered_json(job.groups[*row.group].name) : ordered_json(nullptr)},
      {field::kModule, row.module},
      {field::kPhase, phaseName(row.phase)},
      {field::kDtype, textOrNull(row.dtype)},
      {field::kRankSet, row.rank_set},
      {field::kRankCount, calls.ranks},
      {field::kCount, toJson(calls.count, calls.ranks)},
      {field::kFailed, toJson(calls.failed, calls.ranks)},
      {field::kBytes, toJson(calls.bytes, calls.ranks)},
  };
}

void appendField(std::string& text, const char* name, const ordered_json& value) {
  text += ",\n  \"" + std::string(name) + "\": " + jsonLine(value);
}

void appendNccl(std::string& text, const JobNccl& nccl, const JobReport& job) {
  text += ",\n  \"" + std::string(field::kNccl) + "\": {\"" + field::kProcesses + "\": " + jsonLine(nccl.processes);
  appendField(text, field::kCommunicators, nccl.communicators);
  appendTable(text, field::kVersions, nccl.versions, [](const auto& row) { return toJson(row); });
  appendTable(text, field::kCalls, nccl.calls, [&job](const auto& row) { return toJson(row, job); });
  text += '}';
}

} // namespace

std::string jobReportToJson(const JobReport& job) {
  const auto plain = [](const auto& row) { return toJson(row); };
  const auto within = [&job](const auto& row) { return toJson(row, job); };
  std::string text = "{\n  \"" + std::string(field::kSchema) + "\": \"" + std::string(kJobSchema) + "\"";
  appendField(text, field::kJob, jobJson(job));
  appendField(text, field::kRanks, toJson(job.ranks));
  appendField(text, field::kMissingRanks, toJson(job.missing));
  appendField(text, field::kDisagreementsFound, job.disagreements_found);
  appendTable(text, field::kDisagreements, job.disagreements, within);
  appendTable(text, field::kNotSeen, job.not_seen, plain);
  appendTable(text, field::kProblems, job.problems, [](const std::string& line) { return ordered_json(line); });
  appendTable(text, field::kTotals, job.totals, plain);
  appendTable(text, field::kGroups, job.groups, plain);
  appendTable(text, field::kRankSets, job.rank_sets, plain);
  appendTable(text, field::kModules, job.modules, within);
  appendTable(text, field::kCollectives, job.collectives, within);
  appendTable(text, field::kSteps, job.steps, within);
  appendTable(text, field::kGroupTimes, job.group_times, plain);
  appendTable(text, field::kModuleTimes, job.module_times, plain);
  if (job.nccl) {
    appendNccl(text, *job.nccl, job);
  }
  appendTable(text, field::kProcesses, job.processes, plain);
  return text + "\n}\n";
}

} // namespace commtap
