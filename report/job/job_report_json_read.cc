// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/job/job_report_json.h"
#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/json/time_json.h"

namespace commtap {
namespace {

using nlohmann::json;
using Cursor = JsonCursor;

RankRanges rangesFrom(const Cursor& cursor) {
  return cursor.as<RankRanges>("a list of [first, last]");
}

template <typename T>
T plainNumber(const Cursor& cursor) {
  if constexpr (std::is_same_v<T, double>) {
    return cursor.as<double>("a number");
  } else {
    return cursor.integer<T>();
  }
}

template <typename T>
Spread<T> spreadFrom(const Cursor& cursor) {
  return {
      plainNumber<T>(cursor.at(field::kSum)),
      plainNumber<T>(cursor.at(field::kMin)),
      plainNumber<T>(cursor.at(field::kMax)),
      cursor.optionalNumber<int64_t>(field::kMinRank),
      cursor.optionalNumber<int64_t>(field::kMaxRank)};
}

Amount amountFrom(const Cursor& cursor) {
  return {
      cursor.number<uint64_t>(field::kCount),
      cursor.number<uint64_t>(field::kBytes),
      cursor.at(field::kBusBytes).as<double>("a number")};
}

RankedAmount rankedAmountFrom(const Cursor& cursor) {
  return {
      cursor.number<uint64_t>(field::kRankCount),
      spreadFrom<uint64_t>(cursor.at(field::kCount)),
      spreadFrom<uint64_t>(cursor.at(field::kBytes)),
      spreadFrom<double>(cursor.at(field::kBusBytes))};
}

PhaseKind keyFrom(const Cursor& cursor) {
  return {cursor.name<Phase>(field::kPhase, phaseFromName), cursor.name<Kind>(field::kKind, kindFromName)};
}

Amounts amountsFrom(const Cursor& cursor, const char* name) {
  Amounts amounts;
  cursor.list<int>(name, [&amounts](const Cursor& row) {
    amounts[keyFrom(row)] += amountFrom(row);
    return 0;
  });
  return amounts;
}

NotSeenSummary notSeenFrom(const Cursor& cursor) {
  return {
      {cursor.text(field::kReason),
       cursor.number<uint64_t>(field::kCount),
       cursor.text(field::kDetail),
       cursor.text(field::kMeaning)},
      rangesFrom(cursor.at(field::kRanks))};
}

JobGroup groupFrom(const Cursor& cursor) {
  return {
      cursor.text(field::kName),
      cursor.text(field::kDesc),
      cursor.text(field::kBackend),
      cursor.number<uint32_t>(field::kSize),
      cursor.at(field::kMembers).as<std::vector<std::vector<uint32_t>>>("a list of lists of ranks"),
      amountsFrom(cursor, field::kTotals)};
}

JobProcess processFrom(const Cursor& cursor) {
  JobProcess process;
  process.rank = cursor.optionalNumber<int64_t>(field::kRank);
  process.host = cursor.text(field::kHost);
  process.pid = cursor.number<uint64_t>(field::kPid);
  process.started_at_ns = cursor.time(field::kStartedAt);
  process.ended_at_ns = cursor.optionalTime(field::kEndedAt);
  process.exit = cursor.name<ExitKind>(field::kExit, exitKindFromName);
  process.exit_signal = cursor.optionalNumber<int64_t>(field::kExitSignal);
  process.file = cursor.text(field::kFile);
  cursor.list<int>(field::kTotals, [&process](const Cursor& row) {
    const Kind kind = row.name<Kind>(field::kKind, kindFromName);
    process.totals[static_cast<size_t>(kind)] += amountFrom(row);
    return 0;
  });
  return process;
}

void readJob(const Cursor& cursor, JobReport& job) {
  job.run_id = cursor.text(field::kRunId);
  job.attempt = cursor.number<int64_t>(field::kAttempt);
  job.attempts = cursor.integers<int64_t>(field::kAttempts);
  job.world_size = cursor.optionalNumber<int64_t>(field::kWorldSize);
  job.started_at_ns = cursor.time(field::kStartedAt);
  job.ended_at_ns = cursor.optionalTime(field::kEndedAt);
  job.torch_version = cursor.textOrEmpty(field::kTorch);
  job.commtap_version = cursor.text(field::kCommtap);
  job.other_runs = cursor.number<uint64_t>(field::kOtherRuns);
  job.source = cursor.text(field::kSource);
}

/// Reads the tables that refer to others.
class TableReader {
 public:
  explicit TableReader(const JobReport& job) : job_(job) {
    for (size_t i = 0; i < job.groups.size(); ++i) {
      groups_.emplace(job.groups[i].name, i);
    }
  }

  Disagreement disagreement(const Cursor& cursor) const {
    Disagreement read;
    read.what = cursor.name<Disagreement::What>(field::kWhat, disagreementFromName);
    read.group = groupOf(cursor);
    read.members = cursor.integers<uint32_t>(field::kMembers);
    if (read.what == Disagreement::What::kOrder) {
      read.sequence = cursor.number<uint64_t>(field::kSequence);
      read.values = cursor.list<Disagreement::Value>(field::kValues, call);
      read.kind = read.values.empty() ? Kind::kOther : read.values[0].call->kind;
      return read;
    }
    read.dtype = cursor.textOrEmpty(field::kDtype);
    if (read.what == Disagreement::What::kUnmatched) {
      read.kind = Kind::kSend;
      read.values = {sum(cursor.at(field::kSent)), sum(cursor.at(field::kReceived))};
      return read;
    }
    read.module = cursor.text(field::kModule);
    read.phase = cursor.name<Phase>(field::kPhase, phaseFromName);
    read.op = cursor.text(field::kOp);
    read.kind = cursor.name<Kind>(field::kKind, kindFromName);
    read.reduce_op = cursor.textOrEmpty(field::kReduceOp);
    read.values = cursor.list<Disagreement::Value>(field::kValues, value);
    return read;
  }

  JobModule module(const Cursor& cursor, size_t id) const {
    JobModule read;
    read.name = cursor.text(field::kName);
    read.class_name = cursor.textOrEmpty(field::kClass);
    read.parent = cursor.optionalNumber<size_t>(field::kParent).value_or(0);
    if (id > 0 && read.parent >= id) {
      cursor.at(field::kParent).wrong("a module before it");
    }
    read.depth = id == 0 ? 0 : job_.modules[read.parent].depth + 1;
    read.rank_set = setOf(cursor);
    const Cursor calls = cursor.at(field::kCalls);
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      const std::string name(phaseName(static_cast<Phase>(phase)));
      if (calls.has(name.c_str())) {
        read.calls[phase] = spreadFrom<uint64_t>(calls.at(name.c_str()));
      }
    }
    read.own = amountsFrom(cursor, field::kOwn);
    read.inclusive = amountsFrom(cursor, field::kInclusive);
    return read;
  }

  JobCollective collective(const Cursor& cursor) const {
    JobCollective read;
    read.module = cursor.text(field::kModule);
    read.issued_in = cursor.text(field::kIssuedIn);
    read.phase = cursor.name<Phase>(field::kPhase, phaseFromName);
    read.op = cursor.text(field::kOp);
    read.kind = cursor.name<Kind>(field::kKind, kindFromName);
    read.group = groupOf(cursor);
    read.dtype = cursor.textOrEmpty(field::kDtype);
    read.reduce_op = cursor.textOrEmpty(field::kReduceOp);
    if (cursor.has(field::kAsync)) {
      read.async_op = cursor.at(field::kAsync).as<bool>("true or false") ? AsyncOp::kYes : AsyncOp::kNo;
    }
    read.lowered = cursor.at(field::kLowered).as<std::vector<std::string>>("a list of strings");
    read.rank_set = setOf(cursor);
    read.amount = rankedAmountFrom(cursor);
    return read;
  }

  JobNcclCall ncclCall(const Cursor& cursor) const {
    return {
        cursor.text(field::kFunction),
        cursor.textOrEmpty(field::kOp),
        cursor.has(field::kGroup) ? std::optional(groupOf(cursor)) : std::nullopt,
        cursor.text(field::kModule),
        cursor.name<Phase>(field::kPhase, phaseFromName),
        cursor.textOrEmpty(field::kDtype),
        setOf(cursor),
        {cursor.number<uint64_t>(field::kRankCount),
         spreadFrom<uint64_t>(cursor.at(field::kCount)),
         spreadFrom<uint64_t>(cursor.at(field::kFailed)),
         spreadFrom<uint64_t>(cursor.at(field::kBytes))}};
  }

  JobStep step(const Cursor& cursor) const {
    JobStep read;
    read.first_step = cursor.number<uint64_t>(field::kFirstStep);
    read.steps = cursor.number<uint64_t>(field::kSteps);
    read.ranks = cursor.number<uint64_t>(field::kRankCount);
    read.timed_ranks = cursor.number<uint64_t>(field::kTimedRankCount);
    if (read.timed_ranks > 0) {
      read.duration_ns = spreadFrom<uint64_t>(cursor.at(field::kDurationNs));
    }
    read.collectives = cursor.list<JobStepAmount>(field::kCollectives, [this](const Cursor& row) {
      JobStepAmount amount;
      amount.kind = row.name<Kind>(field::kKind, kindFromName);
      amount.group = groupOf(row);
      amount.amount.ranks = row.number<uint64_t>(field::kRankCount);
      amount.amount.count = spreadFrom<uint64_t>(row.at(field::kCount));
      amount.amount.bytes = spreadFrom<uint64_t>(row.at(field::kBytes));
      if (row.has(field::kRunningNs)) { // an older document has neither
        amount.running_ns = spreadFrom<uint64_t>(row.at(field::kRunningNs));
        amount.blocked_ns = spreadFrom<uint64_t>(row.at(field::kBlockedNs));
      }
      return amount;
    });
    return read;
  }

 private:
  static Disagreement::Value sum(const Cursor& cursor) {
    return {{}, cursor.number<uint64_t>(field::kCount), cursor.number<uint64_t>(field::kBytes), {}};
  }
  static Disagreement::Value value(const Cursor& cursor) {
    return {
        rangesFrom(cursor.at(field::kRanks)),
        cursor.number<uint64_t>(field::kCount),
        cursor.optionalNumber<uint64_t>(field::kBytes),
        {}};
  }
  static Disagreement::Value call(const Cursor& cursor) {
    return {
        rangesFrom(cursor.at(field::kRanks)),
        0,
        cursor.optionalNumber<uint64_t>(field::kBytes),
        Disagreement::Call{
            cursor.text(field::kModule),
            cursor.text(field::kOp),
            cursor.name<Kind>(field::kKind, kindFromName),
            cursor.textOrEmpty(field::kDtype)}};
  }

  size_t groupOf(const Cursor& cursor) const {
    const auto found = groups_.find(cursor.text(field::kGroup));
    if (found == groups_.end()) {
      cursor.at(field::kGroup).wrong("a name in groups");
    }
    return found->second;
  }

  size_t setOf(const Cursor& cursor) const {
    const auto set = cursor.number<size_t>(field::kRankSet);
    if (set >= job_.rank_sets.size()) {
      cursor.at(field::kRankSet).wrong("a position in rank_sets");
    }
    return set;
  }

  const JobReport& job_;
  std::unordered_map<std::string, size_t> groups_;
};

TimeTotals timeTotalsFrom(const Cursor& cursor) {
  TimeTotals totals;
  totals.module = cursor.textOrEmpty(field::kModule);
  totals.kind = cursor.name<Kind>(field::kKind, kindFromName);
  totals.group = cursor.text(field::kGroup);
  totals.backend = cursor.text(field::kBackend);
  totals.group_size = cursor.number<uint32_t>(field::kGroupSize);
  totals.count = cursor.number<uint64_t>(field::kCount);
  totals.time = timeFrom(cursor.at(field::kTime));
  if (cursor.has(field::kStraggler)) {
    const Cursor straggler = cursor.at(field::kStraggler);
    totals.straggler = {straggler.number<int64_t>(field::kRank), straggler.at(field::kLateByNs).as<double>("a number")};
  }
  return totals;
}

JobNccl ncclFrom(const Cursor& cursor, const TableReader& tables) {
  return {
      cursor.number<uint64_t>(field::kProcesses),
      cursor.number<uint64_t>(field::kCommunicators),
      cursor.list<JobNcclVersion>(
          field::kVersions,
          [](const Cursor& row) {
            return JobNcclVersion{row.textOrEmpty(field::kVersion), rangesFrom(row.at(field::kRanks))};
          }),
      cursor.list<JobNcclCall>(field::kCalls, [&tables](const Cursor& row) { return tables.ncclCall(row); })};
}

JobReport jobFrom(const Cursor& root) {
  JobReport job;
  readJob(root.at(field::kJob), job);
  job.ranks = rangesFrom(root.at(field::kRanks));
  job.missing = rangesFrom(root.at(field::kMissingRanks));
  job.disagreements_found = root.number<uint64_t>(field::kDisagreementsFound);
  job.not_seen = root.list<NotSeenSummary>(field::kNotSeen, notSeenFrom);
  job.problems = root.at(field::kProblems).as<std::vector<std::string>>("a list of strings");
  job.totals = root.list<JobTotal>(field::kTotals, [](const Cursor& row) {
    return JobTotal{keyFrom(row), rankedAmountFrom(row)};
  });
  job.groups = root.list<JobGroup>(field::kGroups, groupFrom);
  job.rank_sets = root.list<RankRanges>(field::kRankSets, rangesFrom);
  job.processes = root.list<JobProcess>(field::kProcesses, processFrom);
  const TableReader tables(job);
  job.disagreements =
      root.list<Disagreement>(field::kDisagreements, [&tables](const Cursor& row) { return tables.disagreement(row); });
  root.list<int>(field::kModules, [&](const Cursor& row) {
    job.modules.push_back(tables.module(row, job.modules.size()));
    return 0;
  });
  job.collectives =
      root.list<JobCollective>(field::kCollectives, [&tables](const Cursor& row) { return tables.collective(row); });
  if (root.has(field::kGroupTimes)) {
    job.group_times = root.list<TimeTotals>(field::kGroupTimes, timeTotalsFrom);
    job.module_times = root.list<TimeTotals>(field::kModuleTimes, timeTotalsFrom);
  }
  if (root.has(field::kSteps)) {
    job.steps = root.list<JobStep>(field::kSteps, [&tables](const Cursor& row) { return tables.step(row); });
  }
  if (root.has(field::kNccl)) {
    job.nccl = ncclFrom(root.at(field::kNccl), tables);
  }
  return job;
}

std::string schemaError(const json& document) {
  const bool named = document.is_object() && document.contains(field::kSchema) && document[field::kSchema].is_string();
  const std::string schema = named ? document[field::kSchema].get<std::string>() : "";
  if (schema == kJobSchema) {
    return {};
  }
  return schema.starts_with("commtap.job/") ? "a job report of schema " + schema + ", this commtap reads " +
                                                  std::string(kJobSchema) + ": use a newer commtap"
                                            : "not a job report: its schema is \"" + schema.substr(0, 40) + "\"";
}

} // namespace

Result<JobReport> jobReportFromJson(std::string_view text) {
  try {
    const json document = json::parse(text);
    if (std::string error = schemaError(document); !error.empty()) {
      return Result<JobReport>::failure(std::move(error));
    }
    JobReport job = jobFrom(Cursor(document, "report"));
    return job;
  } catch (const json::parse_error& error) {
    return Result<JobReport>::failure("no JSON document (at byte " + std::to_string(error.byte) + ")");
  } catch (const std::exception& error) {
    return Result<JobReport>::failure(error.what());
  }
}

} // namespace commtap
