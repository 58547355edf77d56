// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/base/json_text.h"
#include "report/base/redaction.h"
#include "report/job/job_detail_columns.h"
#include "report/job/job_report_json.h"
#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/json/row_columns.h"
#include "report/json/row_read.h"

namespace commtap {

/// Looks up what the rows of a job report refer to.
struct JobReadContext {
  const JobReport& job;
  std::unordered_map<std::string, size_t> groups; ///< by name

  explicit JobReadContext(const JobReport& job_report) : job(job_report) {
    for (size_t i = 0; i < job.groups.size(); ++i) {
      groups.emplace(job.groups[i].name, i);
    }
  }

  /// Returns the index of the group `name`.
  size_t groupOf(const JsonCursor& name) const {
    const auto found = groups.find(name.string());
    if (found == groups.end()) {
      name.wrong("a name in groups");
    }
    return found->second;
  }
};

template <typename T, typename Format, typename Context>
void readField(const JsonCursor& cursor, Spread<T>& spread, Format, const Context& context) {
  readField(cursor.at(field::kSum), spread.sum, AsItIs(), context);
  readField(cursor.at(field::kMin), spread.min, AsItIs(), context);
  readField(cursor.at(field::kMax), spread.max, AsItIs(), context);
  spread.min_rank = cursor.optionalNumber<int64_t>(field::kMinRank);
  spread.max_rank = cursor.optionalNumber<int64_t>(field::kMaxRank);
}
template <typename Context>
void readField(const JsonCursor& cursor, SpreadsByPhase& calls, OverRankSet, const Context& context) {
  for (size_t phase = 0; phase < calls.size(); ++phase) {
    const std::string name(phaseName(static_cast<Phase>(phase)));
    if (cursor.has(name.c_str())) {
      readField(cursor.at(name.c_str()), calls[phase], AsItIs(), context);
    }
  }
}
void readField(const JsonCursor& cursor, size_t& group, GroupRef, const JobReadContext& context) {
  group = context.groupOf(cursor);
}
void readField(const JsonCursor& cursor, size_t& rank_set, RankSetRef, const JobReadContext& context) {
  rank_set = cursor.integer<size_t>();
  if (rank_set >= context.job.rank_sets.size()) {
    cursor.wrong("a position in rank_sets");
  }
}
template <typename Context>
void readField(const JsonCursor& cursor, std::vector<std::vector<uint32_t>>& members, AsItIs, const Context&) {
  members = cursor.items<std::vector<uint32_t>>(ranksFrom<JsonCursor>);
}
template <typename Context>
void readField(const JsonCursor& cursor, Amounts& amounts, AsItIs, const Context&) {
  cursor.items<int>([&amounts](const JsonCursor& item) {
    amounts[rowFrom<PhaseKind>(item)] += rowFrom<Amount>(item);
    return 0;
  });
}
template <typename Context>
void readField(const JsonCursor& cursor, AmountsByKind& amounts, AsItIs, const Context&) {
  cursor.items<int>([&amounts](const JsonCursor& item) {
    amounts[static_cast<size_t>(item.name<Kind>(field::kKind, kindFromName))] += rowFrom<Amount>(item);
    return 0;
  });
}

namespace {

using nlohmann::json;
using Cursor = JsonCursor;

/// Reads disagreements, which have three shapes.
class DisagreementReader {
 public:
  explicit DisagreementReader(const JobReadContext& context) : context_(context) {}

  Disagreement operator()(const Cursor& cursor) const {
    Disagreement read;
    read.what = cursor.name<Disagreement::What>(field::kWhat, disagreementFromName);
    read.group = context_.groupOf(cursor.at(field::kGroup));
    read.members = ranksFrom(cursor.at(field::kMembers));
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
            cursor.textOrEmpty(field::kDtype),
            cursor.textOrEmpty(field::kReduceOp),
            cursor.optionalNumber<int64_t>(field::kRoot)}};
  }

  const JobReadContext& context_;
};

JobModule moduleFrom(const Cursor& cursor, const std::vector<JobModule>& before, const JobReadContext& context) {
  auto module = rowFrom<JobModule>(cursor, context);
  const size_t id = before.size();
  module.parent = cursor.optionalNumber<size_t>(field::kParent).value_or(0);
  if (id > 0 && module.parent >= id) {
    cursor.at(field::kParent).wrong("a module before it");
  }
  module.depth = id == 0 ? 0 : before[module.parent].depth + 1;
  return module;
}

JobNccl ncclFrom(const Cursor& cursor, const JobReadContext& context) {
  return {
      .processes = cursor.number<uint64_t>(field::kProcesses),
      .communicators = cursor.number<uint64_t>(field::kCommunicators),
      .versions = rowsFrom<JobNcclVersion>(cursor, field::kVersions, context),
      .calls = rowsFrom<JobNcclCall>(cursor, field::kCalls, context)};
}

void readMembers(const Cursor& table, std::vector<JobCollective>& rows) {
  table.items<int>([&rows](const Cursor& cursor) {
    Member member = rowFrom<Member>(cursor);
    if (member.row >= rows.size()) {
      cursor.at(field::kRow).wrong("a position in collectives");
    }
    rows[member.row].members.push_back({std::move(member.module), member.bytes, member.count, member.changes});
    return 0;
  });
}

void checkRanks(const Cursor& root) {
  size_t ranks = 0;
  root.list<int>(field::kGroups, [&ranks](const Cursor& group) {
    return group
        .list<int>(
            field::kMembers,
            [&ranks](const Cursor& members) {
              addRanks(members, ranks);
              return 0;
            })
        .size();
  });
  root.list<int>(field::kDisagreements, [&ranks](const Cursor& disagreement) {
    addRanks(disagreement.at(field::kMembers), ranks);
    return 0;
  });
}

/// Makes every text of a document inert, as those of the reports that a job is merged from are.
void makeInert(json& value) {
  if (value.is_string()) {
    value = inert(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (json& each : value) {
      makeInert(each);
    }
  }
}

JobReport jobFrom(const Cursor& root) {
  JobReport job;
  readRow(root.at(field::kJob), job, NoContext());
  job.ranks = rangesFrom(root.at(field::kRanks));
  job.missing = rangesFrom(root.at(field::kMissingRanks));
  job.disagreements_found = root.number<uint64_t>(field::kDisagreementsFound);
  job.not_seen = rowsFrom<NotSeenSummary>(root, field::kNotSeen);
  job.problems = root.at(field::kProblems).as<std::vector<std::string>>("a list of strings");
  job.totals = rowsFrom<JobTotal>(root, field::kTotals);
  checkRanks(root);
  job.groups = rowsFrom<JobGroup>(root, field::kGroups);
  job.rank_sets = root.list<RankRanges>(field::kRankSets, rangesFrom<Cursor>);
  job.processes = rowsFrom<JobProcess>(root, field::kProcesses);
  const JobReadContext context(job);
  job.disagreements = root.list<Disagreement>(field::kDisagreements, DisagreementReader(context));
  root.list<int>(field::kModules, [&](const Cursor& row) {
    job.modules.push_back(moduleFrom(row, job.modules, context));
    return 0;
  });
  job.collectives = rowsFrom<JobCollective>(root, field::kCollectives, context);
  if (root.has(field::kMembers)) {
    readMembers(root.at(field::kMembers), job.collectives);
  }
  if (root.has(field::kGroupTimes)) {
    job.group_times = rowsFrom<TimeTotals>(root, field::kGroupTimes);
    job.module_times = rowsFrom<TimeTotals>(root, field::kModuleTimes);
  }
  if (root.has(field::kSteps)) {
    job.steps = rowsFrom<JobStep>(root, field::kSteps, context);
  }
  if (root.has(field::kOutsideSteps)) {
    job.outside_steps = rowsFrom<JobStep>(root, field::kOutsideSteps, context);
  }
  if (root.has(field::kNccl)) {
    job.nccl = ncclFrom(root.at(field::kNccl), context);
  }
  return job;
}

std::string jobSchemaError(const std::string& schema) {
  if (schema == kJobSchema) {
    return {};
  }
  return schema.starts_with("commtap.job/") ? "a job report of schema " + schema + ", this commtap reads " +
                                                  std::string(kJobSchema) + ": use the commtap that merged it"
                                            : "not a job report: its schema is \"" + schema.substr(0, 40) + "\"";
}

} // namespace

Result<JobReport> jobReportFromJson(std::string_view text) {
  if (nestsTooDeeply(text)) {
    return Result<JobReport>::failure("no report: its values are nested too deeply");
  }
  try {
    json document = json::parse(text);
    makeInert(document);
    const Cursor root(document, "report");
    if (std::string error = jobSchemaError(root.textIfAny(field::kSchema).value_or("")); !error.empty()) {
      return Result<JobReport>::failure(std::move(error));
    }
    return jobFrom(root);
  } catch (const json::parse_error& error) {
    return Result<JobReport>::failure("no JSON document (at byte " + std::to_string(error.byte) + ")");
  } catch (const std::exception& error) {
    return Result<JobReport>::failure(error.what());
  }
}

} // namespace commtap
