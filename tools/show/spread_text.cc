// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_text.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/text/call_text.h"
#include "tools/text/job_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxMergedRows = 12;

std::string bytesText(uint64_t bytes) {
  return humanBytes(bytes);
}

std::string rankSuffix(const std::optional<int64_t>& rank) {
  return rank ? fmt::format(" ({})", *rank) : "";
}

/// The columns of addSpread().
constexpr const char* kSpreadColumns = "|RANKS>|COUNT>|PER RANK>|BYTES>|PER RANK>|LEAST (RANK)>|MOST (RANK)>";

/// Adds the cells of an amount. The cells of the least and the most stay empty if all ranks have equal bytes.
void addSpread(std::vector<std::string>& cells, const RankedAmount& amount) {
  const auto ranks = static_cast<double>(amount.ranks);
  const Spread<uint64_t>& bytes = amount.bytes;
  cells.push_back(std::to_string(amount.ranks));
  cells.push_back(std::to_string(amount.count.sum));
  cells.push_back(countText(static_cast<double>(amount.count.sum) / ranks));
  cells.push_back(bytesText(bytes.sum));
  cells.push_back(humanBytes(static_cast<double>(bytes.sum) / ranks));
  cells.push_back(bytes.min == bytes.max ? "" : bytesText(bytes.min) + rankSuffix(bytes.min_rank));
  cells.push_back(bytes.min == bytes.max ? "" : bytesText(bytes.max) + rankSuffix(bytes.max_rank));
}

std::string phaseKindText(const JobReport& job, const Color& color) {
  Table table(std::string("PHASE|KIND") + kSpreadColumns);
  for (const JobTotal& total : job.totals) {
    std::vector<std::string> cells = {std::string(phaseName(total.key.phase)), std::string(kindName(total.key.kind))};
    addSpread(cells, total.amount);
    table.add(std::move(cells));
  }
  return color.bold("By phase and kind") + "\n" + table.text(color);
}

/// Returns a table of what labels and set-up communicate in all ranks together; "" if no row has either.
std::string labelledText(const JobReport& job, const Color& color) {
  std::map<std::tuple<Phase, Kind, std::string, bool>, Amount> sums;
  for (const JobCollective& row : job.collectives) {
    if (!row.label.empty() || row.setup) {
      sums[{row.phase, row.kind, row.label, row.setup}] += sumOf(row.amount);
    }
  }
  if (sums.empty()) {
    return {};
  }
  std::vector<std::pair<decltype(sums)::key_type, Amount>> parts(sums.begin(), sums.end());
  std::stable_sort(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  Table table("PHASE|KIND|LABEL|COUNT>|BYTES>");
  for (size_t i = 0; i < std::min(parts.size(), kMaxMergedRows); ++i) {
    const auto& [phase, kind, label, setup] = parts[i].first;
    const Amount& sum = parts[i].second;
    table.add(
        {std::string(phaseName(phase)),
         std::string(kindName(kind)),
         shorten(labelText(label, setup), kMaxLabel),
         std::to_string(sum.count),
         bytesText(sum.bytes)});
  }
  std::string text = "\n" + color.bold("By label, and set-up") + "\n" + table.text(color);
  if (parts.size() > kMaxMergedRows) {
    text += color.dim(counted(parts.size() - kMaxMergedRows, "more row") + ": commtap export --format job") + "\n";
  }
  return text;
}

/// Returns a table of the rows whose ranks differ most in bytes; "" if no row differs.
std::string unevenText(const JobReport& job, const Color& color) {
  std::vector<const JobCollective*> rows;
  for (const JobCollective& row : job.collectives) {
    if (row.amount.bytes.min != row.amount.bytes.max) {
      rows.push_back(&row);
    }
  }
  if (rows.empty()) {
    return {};
  }
  const auto gap = [](const JobCollective* row) { return row->amount.bytes.max - row->amount.bytes.min; };
  std::stable_sort(rows.begin(), rows.end(), [&gap](const auto* a, const auto* b) { return gap(a) > gap(b); });
  Table table(std::string("MODULE|PHASE|KIND|GROUP") + kSpreadColumns);
  const std::span<const JobCollective* const> shown = std::span(rows).first(std::min(rows.size(), kMaxMergedRows));
  std::vector<std::string> names;
  for (const JobCollective* row : shown) {
    names.push_back(fmt::format(
        "{} {} {} {}",
        labelledModule(row->module, row->label, row->setup),
        phaseName(row->phase),
        kindName(row->kind),
        row->group));
  }
  const std::vector<std::string> further = distinctionsOf(shown, names);
  for (size_t i = 0; i < shown.size(); ++i) {
    const JobCollective& row = *shown[i];
    std::vector<std::string> cells = {
        labelledModule(row.module, row.label, row.setup) + further[i],
        std::string(phaseName(row.phase)),
        std::string(kindName(row.kind)),
        groupLabel(job.groups[row.group])};
    addSpread(cells, row.amount);
    table.add(std::move(cells));
  }
  std::string text = "\n" + color.bold("Rows whose ranks differ most") + "\n" + table.text(color);
  if (rows.size() > kMaxMergedRows) {
    text += color.dim(
                counted(rows.size() - kMaxMergedRows, "more row") + " with a difference: commtap export --format job") +
            "\n";
  }
  return text;
}

/// Returns a line that says that the compared ranks agree; "" if they do not, or if there is nothing to compare.
std::string agreementLine(const JobReport& job) {
  if (!job.disagreements.empty() || countOf(job.ranks) < 2) {
    return {};
  }
  return job.missing.empty() ? "ranks agree\n" : "the ranks that have a report agree\n";
}

} // namespace

std::string agreementText(const JobReport& job, const Color& color) {
  return agreementLine(job) + disagreementLines(job, color);
}

std::string spreadText(const JobReport& job, const Color& color) {
  return phaseKindText(job, color) + labelledText(job, color) + unevenText(job, color);
}

} // namespace commtap
