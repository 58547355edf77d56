// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_columns.h"

#include <algorithm>
#include <vector>

#include "report/advice/advice.h"
#include "report/base/timestamp.h"
#include "report/json/fields.h"
#include "report/merge/job_nccl.h"
#include "report/replicas/verify_vocabulary.h"
#include "tools/job/advice_text.h"
#include "tools/text/job_text.h"

namespace commtap::page {
namespace {

using nlohmann::json;

/// Returns the names of an enumeration's values, by number.
template <typename Enum, typename Name>
json namesOf(int count, Name name) {
  json names = json::array();
  for (int i = 0; i < count; ++i) {
    names.push_back(name(static_cast<Enum>(i)));
  }
  return names;
}

/// Escapes characters that could end the <script> element or begin a comment in it. JSON has them only in strings,
/// where escapes are valid.
std::string inScript(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

} // namespace

json factsOf(const JobReport& job) {
  return {
      {field::kRunId, job.run_id},
      {field::kRunName, job.name},
      {field::kAttempt, job.attempt},
      {field::kAttempts, job.attempts},
      {field::kWorldSize, cellOrNull(job.world_size)},
      {field::kStartedAt, formatTimestamp(job.started_at_ns)},
      {field::kEndedAt, job.ended_at_ns ? json(formatTimestamp(*job.ended_at_ns)) : json(nullptr)},
      {field::kTorch, job.torch_version},
      {field::kCommtap, job.commtap_version},
      {field::kArgv, job.argv},
      {field::kPlanned, job.planned},
      {field::kOtherRuns, job.other_runs},
      {field::kSource, job.source},
      {"late", lateLines(job)},
  };
}

json processesOf(const JobReport& job, Strings& strings) {
  json processes = columnsOf(
      job.processes,
      {field::kRank,
       field::kHost,
       field::kPid,
       field::kEndedAt,
       field::kLastActivityAt,
       field::kExit,
       field::kExitStatus},
      strings);
  processes["end"] = columnOf(job.processes, [&](const JobProcess& process) {
    return strings(endText(ExitSummary{process.exit, process.exit_signal, process.exit_status, {}, 0}));
  });
  return processes;
}

json phaseNames() {
  return namesOf<Phase>(kPhaseCount, phaseName);
}

json kindNames() {
  return namesOf<Kind>(kKindCount, kindName);
}

std::string documentText(const json& document) {
  return inScript(document.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace));
}

nlohmann::json adviceOf(const JobReport& job) {
  constexpr size_t kMostRows = 20;
  nlohmann::json list = nlohmann::json::array();
  for (const Advice& advice : adviceFor(job)) {
    nlohmann::json rows = nlohmann::json::array();
    for (size_t i = 0; i < std::min(advice.rows.size(), kMostRows); ++i) {
      rows.push_back(advice.rows[i] - job.collectives.data());
    }
    list.push_back({
        {"rule", advice.rule->name},
        {"text", advice.rule->text},
        {"link", advice.rule->link},
        {field::kGroup, advice.group},
        {"stake", stakeText(advice, job)},
        {"rows", std::move(rows)},
        {"row_count", advice.rows.size()},
    });
  }
  return list;
}

nlohmann::json verifyOf(const Verification* verification) {
  if (verification == nullptr) {
    return nullptr;
  }
  nlohmann::json found = nlohmann::json::array();
  for (const VerifyFinding& finding : verification->findings) {
    if (finding.severity != VerifySeverity::kNote) {
      found.push_back(finding.lines);
    }
  }
  return {
      {"status", verifyStatusName(verification->status)},
      {"line", verification->line},
      {"found", std::move(found)},
  };
}

namespace {

using nlohmann::json;

struct Compared {
  const NcclComparison* op;
  const NcclFunctionTotals* called; ///< nullptr if the op made no NCCL calls
};

std::vector<Compared> rowsOf(const std::vector<NcclComparison>& compared) {
  std::vector<Compared> rows;
  for (const NcclComparison& op : compared) {
    if (op.called.empty()) {
      rows.push_back({&op, nullptr});
    }
    for (const NcclFunctionTotals& called : op.called) {
      rows.push_back({&op, &called});
    }
  }
  return rows;
}

/// Returns the columns that both tables have. `called(row)` returns a row's NCCL calls.
template <typename Rows, typename Called>
json calledColumns(const Rows& rows, const Called& called, Strings& strings) {
  const auto number = [&](uint64_t NcclAmount::*member) {
    return columnOf(rows, [&](const auto& row) {
      const NcclFunctionTotals* totals = called(row);
      return totals == nullptr ? json(nullptr) : json(totals->amount.*member);
    });
  };
  const auto function = [&](const auto& row) {
    const NcclFunctionTotals* totals = called(row);
    return totals == nullptr ? json(nullptr) : json(strings(totals->function));
  };
  return {
      {field::kFunction, columnOf(rows, function)},
      {field::kCount, number(&NcclAmount::count)},
      {field::kFailed, number(&NcclAmount::failed)},
      {field::kBytes, number(&NcclAmount::bytes)},
  };
}

json comparedOf(const std::vector<NcclComparison>& compared, Strings& strings) {
  const std::vector<Compared> rows = rowsOf(compared);
  json columns = calledColumns(
      rows, [](const Compared& row) { return row.called; }, strings);
  columns[field::kOp] = columnOf(rows, [&](const Compared& row) { return strings(row.op->op); });
  columns[field::kGroup] = columnOf(rows, [&](const Compared& row) { return strings(row.op->group); });
  columns["asked"] = columnOf(rows, [](const Compared& row) { return row.op->asked; });
  columns["asked_bytes"] = columnOf(rows, [](const Compared& row) { return row.op->asked_bytes; });
  return columns;
}

json besideOf(const std::vector<NcclFunctionTotals>& beside, Strings& strings) {
  json columns = calledColumns(
      beside, [](const NcclFunctionTotals& row) { return &row; }, strings);
  columns[field::kModule] = columnOf(beside, [&](const NcclFunctionTotals& row) { return strings(row.module); });
  return columns;
}

} // namespace

json ncclOf(const JobReport& job, Strings& strings) {
  if (!job.nccl) {
    return nullptr;
  }
  const NcclTotals totals = ncclTotalsOf(job);
  return {
      {field::kProcesses, job.nccl->processes},
      {field::kCommunicators, job.nccl->communicators},
      {field::kVersions,
       columnOf(
           job.nccl->versions,
           [](const JobNcclVersion& version) {
             return json{{field::kVersion, version.version}, {field::kRanks, toJson(version.ranks)}};
           })},
      {"compared", comparedOf(totals.compared, strings)},
      {"beside", besideOf(totals.beside, strings)},
  };
}

} // namespace commtap::page
