// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/cuda_graphs_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/model/amounts.h"
#include "report/model/saturating.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxGraphs = 20; ///< rows

/// CUDA graphs with equal calls and launches, which ranks have in common.
using GraphRow = GraphCounts::Row;

template <typename Call>
Amount amountOf(const std::vector<Call>& calls) {
  Amount sum;
  for (const Call& call : calls) {
    sum += {call.count, call.bytes};
  }
  return sum;
}

std::string tableText(std::vector<GraphRow> rows, const Color& color) {
  const auto bytes = [](const GraphRow& row) {
    return productSaturating(row.graph.launches, amountOf(row.graph.nccl_calls).bytes);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return bytes(a) > bytes(b); });
  const size_t left_out = rows.size() > kMaxGraphs ? rows.size() - kMaxGraphs : 0;
  rows.resize(rows.size() - left_out);
  Table table("LAUNCHES>|PROCESSES>|COLLECTIVES>|BYTES>|NCCL CALLS>|NCCL BYTES>|FIRST IN");
  for (const GraphRow& row : rows) {
    const Amount asked = amountOf(row.graph.collectives);
    const Amount called = amountOf(row.graph.nccl_calls);
    const std::string first = row.graph.collectives.empty() ? "" : row.graph.collectives.front().module;
    table.add(
        {std::to_string(row.graph.launches),
         std::to_string(row.processes),
         std::to_string(asked.count),
         humanBytes(asked.bytes),
         std::to_string(called.count),
         humanBytes(called.bytes),
         shorten(inert(first), kMaxLabel)});
  }
  const std::string more = left_out == 0 ? "" : fmt::format("... and {} graphs more\n", left_out);
  return color.bold("CUDA graphs, and what one launch of each makes") + "\n" + table.text(color) + more;
}

} // namespace

void GraphCounts::add(const Report& report) {
  for (const CudaGraph& graph : report.cuda_graphs) {
    const auto known = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.graph == graph; });
    if (known == rows_.end()) {
      rows_.push_back({graph, 1});
    } else {
      ++known->processes;
    }
  }
}

std::string cudaGraphsText(const GraphCounts& graphs, const Color& color) {
  return graphs.rows().empty() ? "" : tableText(graphs.rows(), color);
}

} // namespace commtap
