// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/merge/job_nccl.h"
#include "report/model/nccl.h"
#include "tools/text/call_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string headText(const std::vector<std::string>& versions, uint64_t communicators, uint64_t processes) {
  return fmt::format(
      "NCCL {}: {} in {}\n",
      fmt::join(versions, ", "),
      counted(communicators, "communicator"),
      counted(processes, "process", "processes"));
}

std::string versionText(const std::string& version) {
  return version.empty() ? "of unknown version" : inert(version);
}

std::string headText(const JobNccl& nccl) {
  std::vector<std::string> versions;
  for (const JobNcclVersion& version : nccl.versions) {
    const std::string ranks = nccl.versions.size() > 1 ? " (" + ranksText(version.ranks) + ")" : "";
    versions.push_back(versionText(version.version) + ranks);
  }
  return headText(versions, nccl.communicators, nccl.processes);
}

std::vector<std::string> calledCells(const NcclFunctionTotals& called) {
  return {
      called.function,
      std::to_string(called.amount.count),
      called.amount.failed == 0 ? "" : std::to_string(called.amount.failed),
      humanBytes(called.amount.bytes)};
}

/// The columns of calledCells().
constexpr const char* kCalledColumns = "|NCCL|CALLS>|FAILED>|NCCL BYTES>";

std::string comparedText(const std::vector<NcclComparison>& compared, const Color& color) {
  Table table(std::string("OP|GROUP|COUNT>|BYTES>") + kCalledColumns);
  for (const NcclComparison& op : compared) {
    std::vector<std::string> cells = {op.op, op.group, std::to_string(op.asked), humanBytes(op.asked_bytes)};
    if (op.called.empty()) {
      cells.emplace_back("not called");
      table.add(cells);
    }
    for (const NcclFunctionTotals& called : op.called) {
      const std::vector<std::string> of_nccl = calledCells(called);
      cells.insert(cells.end(), of_nccl.begin(), of_nccl.end());
      table.add(cells);
      cells.assign(4, "");
    }
  }
  return color.bold("Collectives of c10d, and the NCCL calls that they made") + "\n" + table.text(color);
}

std::string besideText(const std::vector<NcclFunctionTotals>& beside, const Color& color) {
  Table table(std::string("MODULE") + kCalledColumns);
  for (const NcclFunctionTotals& called : beside) {
    std::vector<std::string> cells = calledCells(called);
    cells.insert(cells.begin(), shorten(inert(called.module), kMaxLabel));
    table.add(std::move(cells));
  }
  return color.bold("NCCL calls that no collective made, by module") + "\n" + table.text(color);
}

std::string tablesText(const NcclTotals& totals, const Color& color) {
  std::string text;
  if (!totals.compared.empty()) {
    text += comparedText(totals.compared, color);
  }
  if (!totals.beside.empty()) {
    text += "\n" + besideText(totals.beside, color);
  }
  return text;
}

} // namespace

std::string ncclText(const JobReport& job, const Color& color, std::optional<Phase> phase) {
  return job.nccl ? headText(*job.nccl) + tablesText(ncclTotalsOf(job, phase), color) : "";
}

} // namespace commtap
