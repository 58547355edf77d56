// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/splits_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "report/base/redaction.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string timesText(double imbalance) {
  return fmt::format("{:.2f}x", imbalance);
}

std::string peerText(const Splits& splits, const std::optional<int64_t>& rank) {
  return rank ? std::to_string(*rank) : splits.peers.empty() ? "?" : "";
}

/// Returns the shown rows, the one with the largest mean imbalance first.
std::vector<const JobCollective*> rowsOf(const ShowView& view) {
  std::vector<const JobCollective*> rows;
  for (const JobCollective& row : view.job.collectives) {
    const bool is_shown = !view.filter.phase || row.phase == *view.filter.phase;
    if (row.splits.calls > 0 && is_shown && view.filter.shows(row.module)) {
      rows.push_back(&row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const JobCollective* one, const JobCollective* other) {
    return one->splits.imbalance.mean > other->splits.imbalance.mean;
  });
  return rows;
}

} // namespace

std::string splitsText(const ShowView& view, const Color& color) {
  constexpr size_t kMost = 20; // rows
  const std::vector<const JobCollective*> rows = rowsOf(view);
  if (rows.empty()) {
    return "";
  }
  Table table("MODULE|PHASE|KIND|GROUP|CALLS>|IMBALANCE>|MAX>|HOTTEST>|COLDEST>|ZERO PARTS>");
  for (size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
    const JobCollective& row = *rows[i];
    table.add(
        {labelledModule(row.module, row.label, row.setup),
         std::string(phaseName(row.phase)),
         std::string(kindName(row.kind)),
         inert(view.job.groups[row.group].name),
         std::to_string(row.splits.calls),
         timesText(row.splits.imbalance.mean),
         timesText(row.splits.imbalance.max),
         peerText(row.splits, row.splits.hottest_peer),
         peerText(row.splits, row.splits.coldest_peer),
         std::to_string(row.splits.zero_peers)});
  }
  const std::string more = rows.size() > kMost ? color.dim("more: commtap export --format job") + "\n" : "";
  return color.bold("Split sizes") +
         " (IMBALANCE: the largest part over the mean, mean of all calls; HOTTEST and COLDEST are ranks)\n" +
         table.text(color) + more;
}

} // namespace commtap
