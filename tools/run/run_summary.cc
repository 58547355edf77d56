// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/advice/advice.h"
#include "report/model/amounts.h"
#include "tools/text/advice_line.h"
#include "tools/text/header_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxSummaryRows = 12;

struct Row {
  Kind kind;
  const JobGroup* group;
  Amount amount;
};

std::vector<Row> rowsOf(const JobReport& job) {
  std::vector<Row> rows;
  for (const JobGroup& group : job.groups) {
    for (int kind = 0; kind < kKindCount; ++kind) {
      const Amount amount = sumOf(group.totals, std::nullopt, static_cast<Kind>(kind));
      if (amount.count > 0) {
        rows.push_back({static_cast<Kind>(kind), &group, amount});
      }
    }
  }
  std::stable_sort(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.amount.bytes > b.amount.bytes; });
  return rows;
}

std::string tableOf(const std::vector<Row>& rows, const Color& color) {
  Table table(
      {{"KIND"},
       {"GROUP"},
       {"SIZE", Align::kRight},
       {"COUNT", Align::kRight},
       {"BYTES", Align::kRight},
       {"BUS BYTES", Align::kRight}});
  for (size_t i = 0; i < std::min(rows.size(), kMaxSummaryRows); ++i) {
    const auto& [kind, group, amount] = rows[i];
    table.add(
        {std::string(kindName(kind)),
         group->name,
         sizeText(group->size),
         std::to_string(amount.count),
         humanBytes(static_cast<double>(amount.bytes)),
         humanBytes(amount.bus_bytes)});
  }
  const std::string rest = rows.size() > kMaxSummaryRows
                               ? "... and " + counted(rows.size() - kMaxSummaryRows, "more row") + ": commtap show\n"
                               : "";
  return table.text(color) + rest;
}

std::string whyNoReport(const std::string& folder) {
  return fmt::format(
      "commtap: no report was written to {}: no process of the command made a torch.distributed collective (its ranks "
      "may not have passed the rendezvous), its counts were lost (a warning says so), or the library could not be "
      "loaded (a static or setuid program, LD_PRELOAD removed on the way, another machine or container): run commtap "
      "doctor -- COMMAND\n",
      inert(folder));
}

std::string nextCommands(const std::string& folder, const Color& color) {
  const std::string word = pathWord(folder);
  const std::string page = pathWord(folder + "/report.html");
  return fmt::format(
      "  commtap show {}  {}\n  commtap html {} -o {}  {}\n  commtap merge {}  {}\n",
      word,
      color.dim("# the numbers by module, kind and group"),
      word,
      page,
      color.dim("# as a page for a browser"),
      word,
      color.dim("# how the ranks differ"));
}

} // namespace

std::string
runSummary(const Result<JobReport>& job, const std::string& folder, const Color& color, const std::string& more) {
  if (!job) {
    return whyNoReport(folder);
  }
  return headerText(*job, color) + tableOf(rowsOf(*job), color) + adviceLine(adviceFor(*job), "", folder) + more +
         fmt::format("reports: {}; next:\n", inert(folder)) + nextCommands(folder, color);
}

} // namespace commtap
