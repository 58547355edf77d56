// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/advice_text.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/job/job_report.h"
#include "report/json/fields.h"
#include "report/json/json_row.h"
#include "tools/job/change_json.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxRows = 5;

/// Returns ", " and a name, or "" if there is none.
std::string furtherText(const char* what, const std::string& name) {
  return name.empty() ? "" : fmt::format(", {}{}", what, inert(name));
}

/// Returns a row's name up to its closing parenthesis.
std::string nameOf(const JobCollective& row, const JobReport& job) {
  return fmt::format(
      "  {} in {} ({}, {}{}{}",
      kindName(row.kind),
      labelledModule(row.module, row.label, row.setup),
      phaseName(row.phase),
      inert(job.groups[row.group].name),
      furtherText("", row.dtype),
      furtherText("issued in ", row.issued_in == row.module ? "" : row.issued_in));
}

std::string amountText(const JobCollective& row) {
  return fmt::format(
      "): {}, {} over {}\n",
      counted(row.amount.count.sum, "call"),
      humanBytes(static_cast<double>(row.amount.bytes.sum)),
      counted(row.amount.ranks, "rank"));
}

/// Returns the lines of the first rows.
std::string rowsText(const std::vector<const JobCollective*>& all, const JobReport& job) {
  const std::span<const JobCollective* const> rows = std::span(all).first(std::min(all.size(), kMaxRows));
  std::vector<std::string> names;
  for (const JobCollective* row : rows) {
    names.push_back(nameOf(*row, job));
  }
  const std::vector<std::string> further = distinctionsOf(rows, names);
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    text += names[i] + further[i] + amountText(*rows[i]);
  }
  return text;
}

ordered_json rowJson(const JobCollective& row, const JobReport& job) {
  return {
      {field::kModule, row.module},
      {field::kPhase, phaseName(row.phase)},
      {field::kOp, row.op},
      {field::kKind, kindName(row.kind)},
      {field::kGroup, job.groups[row.group].name},
      {field::kDtype, row.dtype},
      {field::kIssuedIn, row.issued_in},
      {field::kLabel, textOrNull(row.label)},
      {field::kSetup, row.setup},
      {field::kRankCount, row.amount.ranks},
      {field::kCount, row.amount.count.sum},
      {field::kBytes, row.amount.bytes.sum},
  };
}

} // namespace

std::string stakeText(const Advice& advice, const JobReport& job) {
  if (advice.rows.empty()) {
    return "";
  }
  constexpr double kHundredths = 100;
  const double rounded = std::round(advice.calls * kHundredths) / kHundredths;
  const std::string calls = advice.calls > 0 ? countText(rounded) + (rounded == 1 ? " call and " : " calls and ") : "";
  const std::string bytes = advice.bytes > 0 ? humanBytes(advice.bytes) : "no bytes";
  return fmt::format(
      "{} per rank and {}, group {}{}{}",
      advice.exposed_ns > 0 ? "exposed for " + humanDuration(advice.exposed_ns) : calls + bytes,
      stepsOf(job) > 0 ? "step" : "run",
      inert(advice.group),
      adviceShareText(advice, job),
      adviceMemoryText(advice));
}

std::string adviceText(const std::vector<Advice>& advice, const JobReport& job, const Color& color) {
  if (advice.empty()) {
    return fmt::format("no advice: none of the {} rules applies\n", adviceRules().size());
  }
  std::string text;
  for (const Advice& each : advice) {
    text += text.empty() ? "" : "\n";
    text += color.bold(each.rule->name) + (each.rows.empty() ? "" : ": " + stakeText(each, job)) + "\n";
    text.append(each.rule->text).append(" (").append(each.rule->link).append(")\n");
    text += rowsText(each.rows, job);
    if (each.rows.size() > kMaxRows) {
      text += color.dim("  and " + counted(each.rows.size() - kMaxRows, "more row") + ": --json") + "\n";
    }
  }
  text += unfinishedStep(job) == nullptr ? "" : "\nnote: the numbers have calls of one unfinished step too\n";
  return text;
}

std::string adviceJson(const std::vector<Advice>& advice, const JobReport& job) {
  ordered_json list = ordered_json::array();
  for (const Advice& each : advice) {
    ordered_json rows = ordered_json::array();
    for (const JobCollective* row : each.rows) {
      rows.push_back(rowJson(*row, job));
    }
    list.push_back({
        {"rule", each.rule->name},
        {"text", each.rule->text},
        {"link", each.rule->link},
        {field::kGroup, each.group},
        {"calls_per_step", each.calls},
        {"bytes_per_step", each.bytes},
        {"exposed_ns_per_step", each.exposed_ns},
        {"memory_bytes", each.memory_bytes},
        {"rows", rows},
    });
  }
  const ordered_json document = {{field::kSchema, "commtap.advise/1"}, {"run", jobIdentityJson(job)}, {"advice", list}};
  return jsonDocument(document);
}

} // namespace commtap
