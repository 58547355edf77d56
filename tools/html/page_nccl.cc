// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_nccl.h"

#include <vector>

#include "report/json/fields.h"
#include "report/merge/job_nccl.h"

namespace commtap::page {
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
