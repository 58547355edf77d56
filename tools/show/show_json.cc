// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_json.h"

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"
#include "report/json/fields.h"

namespace commtap {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <typename T>
ordered_json orNull(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// [[first, last], ...]: the missing ranks of a large job are few ranges and many numbers.
ordered_json toJson(const RankRanges& ranges) {
  ordered_json list = ordered_json::array();
  for (const auto& [first, last] : ranges) {
    list.push_back({first, last});
  }
  return list;
}

ordered_json toJson(const Amount& amount) {
  return {{field::kCount, amount.count}, {field::kBytes, amount.bytes}, {field::kBusBytes, amount.bus_bytes}};
}

ordered_json processesOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const ReportFile* file : view.files) {
    const Job& job = file->report.job;
    list.push_back({
        {field::kRank, orNull(job.rank)},
        {field::kHost, job.host},
        {field::kPid, job.pid},
        {field::kStartedAt, formatTimestamp(job.started_at_ns)},
        {field::kEndedAt, job.ended_at_ns ? ordered_json(formatTimestamp(*job.ended_at_ns)) : ordered_json(nullptr)},
        {field::kExit, exitKindName(job.exit)},
        {field::kExitSignal, orNull(job.exit_signal)},
        {"path", file->path},
    });
  }
  return list;
}

/// One module, from `row` on, which is moved to the next one's first.
ordered_json moduleAt(const std::vector<ModuleRow>& rows, size_t& row, const std::vector<ModuleTotals>& modules) {
  const ModuleTotals& module = *rows[row].module;
  ordered_json calls = ordered_json::object();
  for (int i = 0; i < kPhaseCount; ++i) {
    if (module.calls[i] > 0) {
      calls[std::string(phaseName(static_cast<Phase>(i)))] = module.calls[i];
    }
  }
  ordered_json collectives = ordered_json::array();
  for (; row < rows.size() && rows[row].module == &module; ++row) {
    if (rows[row].kind) {
      collectives.push_back({
          {field::kPhase, phaseName(rows[row].phase)},
          {field::kKind, kindName(*rows[row].kind)},
          {"inclusive", toJson(rows[row].inclusive)},
          {"own", toJson(rows[row].own)},
      });
    }
  }
  return {
      {field::kName, module.name},
      {field::kParent, module.depth == 0 ? ordered_json(nullptr) : ordered_json(modules[module.parent].name)},
      {"depth", module.depth},
      {field::kClass, module.class_name.empty() ? ordered_json(nullptr) : ordered_json(module.class_name)},
      {field::kCalls, std::move(calls)},
      {field::kCollectives, std::move(collectives)},
  };
}

ordered_json modulesOf(const ShowView& view) {
  const ModuleRows tree = moduleRows(view);
  ordered_json list = ordered_json::array();
  for (size_t row = 0; row < tree.rows.size();) {
    list.push_back(moduleAt(tree.rows, row, view.totals.modules));
  }
  return list;
}

/// One entry a phase and kind.
ordered_json amountsOf(const Amounts& amounts, std::optional<Phase> phase) {
  ordered_json list = ordered_json::array();
  for (const auto& [key, amount] : amounts) {
    if (!phase || key.phase == *phase) {
      ordered_json entry = {{field::kPhase, phaseName(key.phase)}, {field::kKind, kindName(key.kind)}};
      entry.update(toJson(amount));
      list.push_back(std::move(entry));
    }
  }
  return list;
}

ordered_json groupsOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const GroupTotals& group : view.totals.groups) {
    list.push_back({
        {field::kName, group.name},
        {field::kBackend, group.backend},
        {field::kSize, group.size},
        {field::kRanks, group.ranks},
        {"totals", amountsOf(group.amounts, view.filter.phase)},
    });
  }
  return list;
}

ordered_json notSeenOf(const ShowView& view) {
  ordered_json list = ordered_json::array();
  for (const NotSeenSummary& item : view.summary.not_seen) {
    list.push_back({
        {field::kReason, item.entry.reason},
        {field::kCount, item.entry.count},
        {field::kDetail, item.entry.detail},
        {field::kMeaning, item.entry.meaning},
        {field::kRanks, toJson(item.ranks)},
    });
  }
  return list;
}

} // namespace

std::string showJson(const ShowView& view, const ReportFolder& folder) {
  const std::optional<Phase>& phase = view.filter.phase;
  const ordered_json document = {
      {field::kSchema, kShowSchema},
      {field::kRunId, view.summary.run_id},
      {field::kAttempt, view.summary.attempt},
      {field::kWorldSize, orNull(view.summary.world_size)},
      {field::kRanks, toJson(view.summary.ranks)},
      {"missing_ranks", toJson(view.summary.missing)},
      {field::kRank, orNull(view.filter.rank)},
      {field::kPhase, phase ? ordered_json(phaseName(*phase)) : ordered_json(nullptr)},
      {"processes", processesOf(view)},
      {field::kModules, modulesOf(view)},
      {"totals", amountsOf(view.totals.job, phase)},
      {field::kGroups, groupsOf(view)},
      {field::kNotSeen, notSeenOf(view)},
      {"problems", folder.problems},
  };
  constexpr int kIndent = 1;
  return document.dump(kIndent, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) + "\n";
}

} // namespace commtap
