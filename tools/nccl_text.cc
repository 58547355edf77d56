// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/nccl_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/nccl.h"
#include "tools/table.h"
#include "tools/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxLabel = 50;  ///< columns of a module's name
constexpr size_t kMaxGraphs = 20; ///< rows

/// CUDA graphs of the same calls, launched as often: those that ranks have in common.
struct GraphRow {
  const CudaGraph* graph = nullptr;
  size_t processes = 0;
};

std::vector<GraphRow> graphRowsOf(const ShowView& view) {
  std::vector<GraphRow> rows;
  for (const ReportFile* file : view.files) {
    for (const CudaGraph& graph : file->report.cuda_graphs) {
      const auto is_same = [&](const GraphRow& row) { return *row.graph == graph; };
      const auto known = std::find_if(rows.begin(), rows.end(), is_same);
      if (known == rows.end()) {
        rows.push_back({&graph, 1});
      } else {
        ++known->processes;
      }
    }
  }
  return rows;
}

struct LaunchAmount {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

template <typename Call>
LaunchAmount amountOf(const std::vector<Call>& calls) {
  LaunchAmount sum;
  for (const Call& call : calls) {
    sum.count += call.count;
    sum.bytes += call.bytes;
  }
  return sum;
}

std::vector<const Report*> reportsOf(const ShowView& view) {
  std::vector<const Report*> reports;
  for (const ReportFile* file : view.files) {
    if (file->report.nccl) {
      reports.push_back(&file->report);
    }
  }
  return reports;
}

std::string headText(const std::vector<const Report*>& reports) {
  std::set<std::string> versions;
  size_t communicators = 0;
  for (const Report* report : reports) {
    versions.insert(report->nccl->version.empty() ? "of unknown version" : report->nccl->version);
    communicators += report->nccl->communicators.size();
  }
  return fmt::format(
      "NCCL {}: {} communicators in {} processes\n", fmt::join(versions, ", "), communicators, reports.size());
}

std::vector<std::string> cellsOf(const NcclFunctionTotals& called) {
  return {
      called.function,
      std::to_string(called.count),
      called.failed == 0 ? "" : std::to_string(called.failed),
      humanBytes(static_cast<double>(called.bytes))};
}

const std::vector<Column>& calledColumns() {
  static const std::vector<Column> columns = {
      {"NCCL"}, {"CALLS", Align::kRight}, {"FAILED", Align::kRight}, {"NCCL BYTES", Align::kRight}};
  return columns;
}

Table tableWith(std::vector<Column> columns) {
  columns.insert(columns.end(), calledColumns().begin(), calledColumns().end());
  return Table(std::move(columns));
}

std::string comparedText(const std::vector<NcclComparison>& compared, const Color& color) {
  Table table = tableWith({{"OP"}, {"GROUP"}, {"COUNT", Align::kRight}, {"BYTES", Align::kRight}});
  for (const NcclComparison& op : compared) {
    std::vector<std::string> cells = {
        op.op, op.group, std::to_string(op.asked), humanBytes(static_cast<double>(op.asked_bytes))};
    if (op.called.empty()) {
      cells.emplace_back("not called");
      table.add(cells);
    }
    for (const NcclFunctionTotals& called : op.called) {
      const std::vector<std::string> of_nccl = cellsOf(called);
      cells.insert(cells.end(), of_nccl.begin(), of_nccl.end());
      table.add(cells);
      cells.assign(4, "");
    }
  }
  return color.bold("Asked of c10d, and what NCCL was called with for it") + "\n" + table.text(color);
}

std::string besideText(const std::vector<NcclFunctionTotals>& beside, const Color& color) {
  Table table = tableWith({{"MODULE"}});
  for (const NcclFunctionTotals& called : beside) {
    std::vector<std::string> cells = cellsOf(called);
    cells.insert(cells.begin(), shorten(inert(called.module), kMaxLabel));
    table.add(std::move(cells));
  }
  return color.bold("Calls to NCCL that no collective makes, by module") + "\n" + table.text(color);
}

std::string graphsText(std::vector<GraphRow> rows, const Color& color) {
  const auto bytes = [](const GraphRow& row) { return row.graph->launches * amountOf(row.graph->nccl_calls).bytes; };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return bytes(a) > bytes(b); });
  const size_t left_out = rows.size() > kMaxGraphs ? rows.size() - kMaxGraphs : 0;
  rows.resize(rows.size() - left_out);
  Table table(
      {{"LAUNCHES", Align::kRight},
       {"PROCESSES", Align::kRight},
       {"COLLECTIVES", Align::kRight},
       {"BYTES", Align::kRight},
       {"NCCL CALLS", Align::kRight},
       {"NCCL BYTES", Align::kRight},
       {"FIRST IN"}});
  for (const GraphRow& row : rows) {
    const LaunchAmount asked = amountOf(row.graph->collectives);
    const LaunchAmount called = amountOf(row.graph->nccl_calls);
    const std::string first = row.graph->collectives.empty() ? "" : row.graph->collectives.front().module;
    table.add(
        {std::to_string(row.graph->launches),
         std::to_string(row.processes),
         std::to_string(asked.count),
         humanBytes(static_cast<double>(asked.bytes)),
         std::to_string(called.count),
         humanBytes(static_cast<double>(called.bytes)),
         shorten(inert(first), kMaxLabel)});
  }
  const std::string more = left_out == 0 ? "" : fmt::format("... and {} graphs more\n", left_out);
  return color.bold("CUDA graphs, and what one launch of each makes") + "\n" + table.text(color) + more;
}

} // namespace

std::string ncclText(const ShowView& view, const Color& color) {
  const std::vector<const Report*> reports = reportsOf(view);
  if (reports.empty()) {
    return "NCCL was not called, or not where it can be seen: docs/nccl.md\n";
  }
  const NcclTotals totals = ncclTotalsOf(reports, view.filter.phase);
  std::string text = headText(reports);
  if (!totals.compared.empty()) {
    text += comparedText(totals.compared, color);
  }
  if (!totals.beside.empty()) {
    text += "\n" + besideText(totals.beside, color);
  }
  if (const std::vector<GraphRow> graphs = graphRowsOf(view); !graphs.empty()) {
    text += "\n" + graphsText(graphs, color);
  }
  return text;
}

} // namespace commtap
