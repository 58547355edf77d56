// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show_csv.h"

#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/fields.h"
#include "tools/table.h"

namespace commtap {
namespace {

std::string asyncText(AsyncOp async_op) {
  return async_op == AsyncOp::kUnknown ? "" : async_op == AsyncOp::kYes ? "true" : "false";
}

std::vector<std::string> titles() {
  return {
      field::kRunId, field::kAttempt, field::kRank,     field::kHost,  field::kPid,      field::kModule,
      field::kPhase, field::kOp,      field::kKind,     field::kGroup, "group_desc",     "group_size",
      "backend",     field::kDtype,   field::kReduceOp, field::kAsync, field::kIssuedIn, field::kLowered,
      field::kCount, field::kBytes,   field::kBusBytes,
  };
}

std::vector<std::string> cellsOf(const Job& job, const Collective& row, const Group* group) {
  return {
      job.run_id,
      std::to_string(job.attempt),
      job.rank ? std::to_string(*job.rank) : "",
      job.host,
      std::to_string(job.pid),
      row.module,
      std::string(phaseName(row.phase)),
      row.op,
      std::string(kindName(row.kind)),
      row.group,
      group != nullptr ? group->desc : "",
      group != nullptr ? std::to_string(group->size) : "",
      group != nullptr ? group->backend : "",
      row.dtype,
      row.reduce_op,
      asyncText(row.async_op),
      row.issued_in,
      fmt::format("{}", fmt::join(row.lowered, " ")),
      std::to_string(row.count),
      std::to_string(row.bytes),
      fmt::format("{}", row.bus_bytes),
  };
}

} // namespace

std::string showCsv(const ShowView& view) {
  std::string text = csvLine(titles());
  for (const ReportFile* file : view.files) {
    std::unordered_map<std::string, const Group*> groups;
    for (const Group& group : file->report.groups) {
      groups.emplace(group.name, &group);
    }
    for (const Collective& row : file->report.collectives) {
      if (!view.filter.phase || *view.filter.phase == row.phase) {
        const auto group = groups.find(row.group);
        text += csvLine(cellsOf(file->report.job, row, group == groups.end() ? nullptr : group->second));
      }
    }
  }
  return text;
}

} // namespace commtap
