// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/merge_text.h"

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

constexpr size_t kMaxDisagreementLines = 20;
constexpr size_t kMaxMergedRows = 12;

std::string bytesText(uint64_t bytes) {
  return humanBytes(static_cast<double>(bytes));
}

std::string rankSuffix(const std::optional<int64_t>& rank) {
  return rank ? fmt::format(" ({})", *rank) : "";
}

std::vector<TextColumn> spreadColumns(std::vector<TextColumn> columns) {
  for (const char* title : {"RANKS", "COUNT", "PER RANK", "BYTES", "PER RANK", "LEAST (RANK)", "MOST (RANK)"}) {
    columns.push_back({title, Align::kRight});
  }
  return columns;
}

/// Adds the cells of an amount. The cells of the least and the most stay empty if all ranks have equal bytes.
void addSpread(std::vector<std::string>& cells, const RankedAmount& amount) {
  const auto ranks = static_cast<double>(amount.ranks);
  const Spread<uint64_t>& bytes = amount.bytes;
  cells.push_back(std::to_string(amount.ranks));
  cells.push_back(std::to_string(amount.count.sum));
  cells.push_back(fmt::format("{:.6g}", static_cast<double>(amount.count.sum) / ranks));
  cells.push_back(bytesText(bytes.sum));
  cells.push_back(humanBytes(static_cast<double>(bytes.sum) / ranks));
  cells.push_back(bytes.min == bytes.max ? "" : bytesText(bytes.min) + rankSuffix(bytes.min_rank));
  cells.push_back(bytes.min == bytes.max ? "" : bytesText(bytes.max) + rankSuffix(bytes.max_rank));
}

std::string kindText(const JobReport& job, const Color& color) {
  Table table(spreadColumns({{"PHASE"}, {"KIND"}}));
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
  Table table({{"PHASE"}, {"KIND"}, {"LABEL"}, {"COUNT", Align::kRight}, {"BYTES", Align::kRight}});
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
    text += color.dim(counted(parts.size() - kMaxMergedRows, "more row") + ": --format json") + "\n";
  }
  return text;
}

std::string groupText(const JobReport& job, const Color& color) {
  Table table(
      {{"GROUP"},
       {"BACKEND"},
       {"SIZE", Align::kRight},
       {"GROUPS", Align::kRight},
       {"COUNT", Align::kRight},
       {"BYTES", Align::kRight},
       {"BUS BYTES", Align::kRight}});
  for (const JobGroup& group : job.groups) {
    const Amount sum = sumOf(group.totals, std::nullopt, std::nullopt);
    table.add(
        {groupLabel(group),
         group.backend,
         sizeText(group.size),
         group.members.empty() ? "?" : std::to_string(group.members.size()),
         std::to_string(sum.count),
         bytesText(sum.bytes),
         humanBytes(sum.bus_bytes)});
  }
  return color.bold("By group") + "\n" + table.text(color);
}

/// Returns a table of the rows whose ranks differ most in bytes; "" if no row differs.
std::string spreadText(const JobReport& job, const Color& color) {
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
  Table table(spreadColumns({{"MODULE"}, {"PHASE"}, {"KIND"}, {"GROUP"}}));
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
    text += color.dim(counted(rows.size() - kMaxMergedRows, "more row") + " with a difference: --format json") + "\n";
  }
  return text;
}

void addStep(const JobStep& step, Table& table) {
  Amount all;
  for (const JobStepAmount& amount : step.collectives) {
    all += {amount.count.sum, amount.bytes.sum, 0};
  }
  std::vector<std::string> cells = {
      stepRange(step.first_step, step.steps),
      std::to_string(step.ranks),
      std::to_string(all.count),
      bytesText(all.bytes)};
  const std::vector<std::string> times = stepTimeCells(step);
  cells.insert(cells.end(), times.begin(), times.end());
  table.add(std::move(cells));
}

/// Returns a table of the last kMaxMergedRows rows of steps; "" if the job has no steps.
std::string stepText(const JobReport& job, const Color& color) {
  if (job.steps.empty()) {
    return {};
  }
  Table table(
      {{"STEP", Align::kRight},
       {"RANKS", Align::kRight},
       {"COUNT", Align::kRight},
       {"BYTES", Align::kRight},
       {"MS PER STEP", Align::kRight},
       {"LEAST (RANK)", Align::kRight},
       {"MOST (RANK)", Align::kRight}});
  const size_t left_out = job.steps.size() - std::min(job.steps.size(), kMaxMergedRows);
  for (size_t i = left_out; i < job.steps.size(); ++i) {
    addStep(job.steps[i], table);
  }
  std::string text = "\n" + color.bold("By step") + " (" + kStepTimesAre + ")\n" + table.text(color);
  if (left_out > 0) {
    text += color.dim(counted(left_out, "earlier row") + ": --format json") + "\n";
  }
  return text + stepSpreadText(job.steps);
}

/// Ranks that run, or that ended badly, may differ for no other reason.
std::string_view titleOf(const Disagreement& disagreement, bool runs, bool ended_badly) {
  switch (disagreement.what) {
    case Disagreement::What::kModule:
      return "Ranks agree on the number of calls, not on the module";
    case Disagreement::What::kStopped:
      return "Ranks were killed, and stopped at different points of one sequence (as after a hang: commtap show "
             "--last)";
    default:
      return mayYetAgree(disagreement, runs)
                 ? "RANKS DIFFER SO FAR: some still run, or their end is not known (commtap why)"
             : ended_badly ? "RANKS DISAGREE, and ranks failed or were killed: see commtap why"
                           : "RANKS DISAGREE: likely a hang or a bug";
  }
}

/// Returns a line that says that the compared ranks agree; "" if they do not, or if there is nothing to compare.
std::string agreementLine(const JobReport& job) {
  if (!job.disagreements.empty() || countOf(job.ranks) < 2) {
    return {};
  }
  return job.missing.empty() ? "ranks agree\n" : "the ranks that have a report agree\n";
}

} // namespace

std::string disagreementLines(const JobReport& job, const Color& color) {
  const std::vector<DisagreementBundle> bundles = bundled(job.disagreements);
  const bool runs = isRunning(job);
  const bool ended_badly = hasEndedBadly(job);
  std::string text;
  std::string_view title;
  uint64_t shown = 0;
  for (size_t i = 0; i < std::min(bundles.size(), kMaxDisagreementLines); ++i) {
    const std::string_view above = std::exchange(title, titleOf(bundles[i].disagreement, runs, ended_badly));
    text += title == above ? "" : color.warning(title) + "\n";
    text += "  " + disagreementText(bundles[i], job) + "\n";
    shown += bundles[i].groups;
  }
  if (job.disagreements_found > shown) {
    text += fmt::format("  and {} more: --format json\n", job.disagreements_found - shown);
  }
  return text;
}

std::string mergeText(const JobReport& job, const Color& color) {
  const std::string times =
      job.group_times.empty() ? "" : "\n" + timeTables({job.group_times, job.module_times, job}, color);
  const std::string nccl = job.nccl ? "\n" + ncclText(job, color) : "";
  return headerText(job, color) + agreementLine(job) + disagreementLines(job, color) + "\n" + kindText(job, color) +
         labelledText(job, color) + "\n" + groupText(job, color) + times + nccl + stepText(job, color) +
         spreadText(job, color);
}

} // namespace commtap
