// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report_json.h"

#include <concepts>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/job/job_detail_columns.h"
#include "report/json/json_row.h"
#include "report/json/row_columns.h"
#include "report/json/row_write.h"

namespace commtap {

/// The context for writing rows of the job report. The overloads for its formats are outside the anonymous namespace,
/// where appendRow() finds them.
struct JobContext {
  const JobReport& job;
  bool timed = true;
};

namespace {

template <typename T>
void addSpread(JsonRow& row, std::string_view name, const Spread<T>& spread, uint64_t ranks) {
  JsonRow object = row.addObject(name);
  const auto add_number = [&object](const char* field, T number) {
    if constexpr (std::floating_point<T>) {
      object.addReal(field, number);
    } else {
      object.addNumber(field, number);
    }
  };
  const auto add_rank = [&object](const char* field, const std::optional<int64_t>& rank) {
    rank ? object.addNumber(field, *rank) : object.addNull(field);
  };
  add_number(field::kSum, spread.sum);
  add_number(field::kMin, spread.min);
  object.addReal(field::kMean, ranks == 0 ? 0.0 : static_cast<double>(spread.sum) / static_cast<double>(ranks));
  add_number(field::kMax, spread.max);
  add_rank(field::kMinRank, spread.min_rank);
  add_rank(field::kMaxRank, spread.max_rank);
}

} // namespace

template <typename Row, typename T, auto kRanks>
void addFieldOf(
    JsonRow& object,
    const Row& row,
    const Column<Row, Spread<T>, OverRanks<kRanks>>& column,
    const JobContext&) {
  addSpread(object, column.name, row.*column.member, row.*kRanks);
}
template <typename Row, typename T, auto kRanks>
void addFieldOf(
    JsonRow& object,
    const Row& row,
    const Column<Row, Spread<T>, OverAnyRanks<kRanks>>& column,
    const JobContext&) {
  if (row.*kRanks > 0) {
    addSpread(object, column.name, row.*column.member, row.*kRanks);
  } else {
    object.addNull(column.name);
  }
}
template <typename Row>
void addFieldOf(
    JsonRow& object,
    const Row& row,
    const Column<Row, SpreadsByPhase, OverRankSet>& column,
    const JobContext& context) {
  JsonRow calls = object.addObject(column.name);
  const SpreadsByPhase& spreads = row.*column.member;
  for (size_t phase = 0; phase < spreads.size(); ++phase) {
    if (spreads[phase].sum > 0) {
      addSpread(
          calls, phaseName(static_cast<Phase>(phase)), spreads[phase], countOf(context.job.rank_sets[row.rank_set]));
    }
  }
}
void addField(JsonRow& row, std::string_view name, size_t group, GroupRef, const JobContext& context) {
  row.addText(name, context.job.groups[group].name);
}
void addField(JsonRow& row, std::string_view name, size_t rank_set, RankSetRef, const JobContext&) {
  row.addNumber(name, rank_set);
}
void addField(
    JsonRow& row,
    std::string_view name,
    const std::vector<std::vector<uint32_t>>& members,
    AsItIs,
    const JobContext&) {
  std::vector<std::string> texts;
  texts.reserve(members.size());
  for (const std::vector<uint32_t>& ranks : members) {
    texts.push_back(rangesText(ranks));
  }
  row.addTexts(name, texts);
}
void addField(JsonRow& row, std::string_view name, const Amounts& amounts, AsItIs, const JobContext& context) {
  row.addList(name, amounts, [&context](std::string& document, const Amounts::value_type& item) {
    JsonRow object(document);
    addFields(object, item.first, context);
    addFields(object, item.second, context);
  });
}
void addField(JsonRow& row, std::string_view name, const AmountsByKind& amounts, AsItIs, const JobContext& context) {
  std::vector<std::pair<Kind, Amount>> items;
  for (size_t kind = 0; kind < amounts.size(); ++kind) {
    if (amounts[kind].count > 0) {
      items.emplace_back(static_cast<Kind>(kind), amounts[kind]);
    }
  }
  row.addList(name, items, [&context](std::string& document, const std::pair<Kind, Amount>& item) {
    JsonRow object(document);
    object.addText(field::kKind, kindName(item.first));
    addFields(object, item.second, context);
  });
}

namespace {

using nlohmann::ordered_json;

ordered_json sumJson(const Disagreement::Value& value) {
  return {{field::kCount, value.count}, {field::kBytes, value.bytes.value_or(0)}};
}

ordered_json valueJson(const Disagreement::Value& value) {
  return {
      {field::kRanks, rangesText(value.ranks)},
      {field::kCount, value.count},
      {field::kBytes, orNull(value.bytes)},
  };
}

ordered_json callJson(const Disagreement::Value& value) {
  return {
      {field::kRanks, rangesText(value.ranks)},
      {field::kModule, value.call->module},
      {field::kOp, value.call->op},
      {field::kKind, kindName(value.call->kind)},
      {field::kDtype, textOrNull(value.call->dtype)},
      {field::kBytes, orNull(value.bytes)},
      {field::kReduceOp, textOrNull(value.call->reduce_op)},
      {field::kRoot, orNull(value.call->root)},
  };
}

ordered_json toJson(const Disagreement& disagreement, const JobReport& job) {
  ordered_json row = {
      {field::kWhat, disagreementName(disagreement.what)},
      {field::kGroup, job.groups[disagreement.group].name},
      {field::kMembers, rangesText(disagreement.members)},
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

/// Appends a module. Its `id` and `parent` follow from its position.
void appendModule(std::string& text, const JobModule& module, const JobContext& context) {
  JsonRow object(text);
  const auto id = static_cast<size_t>(&module - context.job.modules.data());
  object.addNumber(field::kId, id);
  id == 0 ? object.addNull(field::kParent) : object.addNumber(field::kParent, module.parent);
  addFields(object, module, context);
}

/// Returns the members of all rows as one table.
std::vector<Member> memberRows(const JobReport& job) {
  std::vector<Member> members;
  for (size_t row = 0; row < job.collectives.size(); ++row) {
    for (const JobMember& member : job.collectives[row].members) {
      members.push_back({row, member.module, member.bytes, member.count, member.changes});
    }
  }
  return members;
}

void appendField(std::string& text, const char* name, const ordered_json& value) {
  text += ",\n  \"" + std::string(name) + "\": " + jsonLine(value);
}

template <typename AppendRow>
void appendNccl(std::string& text, const JobNccl& nccl, const AppendRow& append_row) {
  text += ",\n  \"" + std::string(field::kNccl) + "\": {\"" + field::kProcesses + "\": " + jsonLine(nccl.processes);
  appendField(text, field::kCommunicators, nccl.communicators);
  appendRows(text, field::kVersions, nccl.versions, append_row);
  appendRows(text, field::kCalls, nccl.calls, append_row);
  text += '}';
}

} // namespace

std::string jobReportToJson(const JobReport& job) {
  const JobContext context{.job = job};
  const auto append_row = [&context](std::string& document, const auto& row) { appendRow(document, row, context); };
  std::string text = "{\n  \"" + std::string(field::kSchema) + "\": \"" + std::string(kJobSchema) + "\"";
  text += ",\n  \"" + std::string(field::kJob) + "\": ";
  appendRow(text, job, context);
  appendField(text, field::kRanks, rangesText(job.ranks));
  appendField(text, field::kMissingRanks, rangesText(job.missing));
  appendField(text, field::kDisagreementsFound, job.disagreements_found);
  appendTable(text, field::kDisagreements, job.disagreements, [&job](const auto& row) { return toJson(row, job); });
  appendRows(text, field::kNotSeen, job.not_seen, append_row);
  appendTable(text, field::kProblems, job.problems, [](const std::string& line) { return ordered_json(line); });
  appendRows(text, field::kTotals, job.totals, append_row);
  appendRows(text, field::kGroups, job.groups, append_row);
  appendTable(
      text, field::kRankSets, job.rank_sets, [](const RankRanges& ranges) { return ordered_json(rangesText(ranges)); });
  appendRows(text, field::kModules, job.modules, [&context](std::string& document, const JobModule& module) {
    appendModule(document, module, context);
  });
  appendRows(text, field::kCollectives, job.collectives, append_row);
  if (const std::vector<Member> members = memberRows(job); !members.empty()) {
    appendRows(text, field::kMembers, members, append_row);
  }
  appendRows(text, field::kSteps, job.steps, append_row);
  if (!job.outside_steps.empty()) {
    appendRows(text, field::kOutsideSteps, job.outside_steps, append_row);
  }
  appendRows(text, field::kGroupTimes, job.group_times, append_row);
  appendRows(text, field::kModuleTimes, job.module_times, append_row);
  if (job.nccl) {
    appendNccl(text, *job.nccl, append_row);
  }
  appendRows(text, field::kProcesses, job.processes, append_row);
  return text + "\n}\n";
}

} // namespace commtap
