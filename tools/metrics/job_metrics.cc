// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/job_metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "report/merge/job_merge.h"
#include "report/model/amounts.h"
#include "report/model/nccl.h"
#include "report/model/saturating.h"
#include "tools/metrics/module_depth.h"

namespace commtap {
namespace {

constexpr const char* kOther = "(other)";

/// Sums by label text, so that no two samples have equal labels.
template <typename Sum>
using Series = std::map<std::string, Sum>;

/// Maps the names of a report's groups to their titles.
class GroupTitles {
 public:
  explicit GroupTitles(const Report& report) {
    for (const Group& group : report.groups) {
      titles_.emplace(group.name, groupTitle(group));
    }
  }

  /// Returns the group's title, or `name` if there is no such group.
  const std::string& of(const std::string& name) const {
    const auto title = titles_.find(name);
    return title == titles_.end() ? name : title->second;
  }

 private:
  std::unordered_map<std::string, std::string> titles_;
};

/// The processes of one run, attempt and rank.
class RankMetrics {
 public:
  RankMetrics(MetricLabels rank, SeriesLimit& limit) : rank_(std::move(rank)), limit_(&limit) {}

  void add(const Report& report, std::optional<uint32_t> max_depth) {
    reports_.push_back(&report);
    const ModuleDepth depth(report, max_depth);
    const GroupTitles titles(report);
    addRows(report, titles, depth);
    addCalls(report, depth);
    addNccl(report, titles);
  }

  size_t addTo(Exposition& out) const {
    for (const auto& [labels, sum] : rows_) {
      out.add(MetricId::kCollectives, labels, sum.count);
      out.add(MetricId::kPayloadBytes, labels, sum.bytes);
      out.add(MetricId::kBusBytes, labels, sum.bus_bytes);
    }
    for (const auto& [labels, time] : times_) {
      const Durations& running = time.of(DurationKind::kRunning);
      out.add(MetricId::kTimedCollectives, labels, running.count);
      out.add(MetricId::kTimedBusBytes, labels, time.bus_bytes);
      out.addNs(MetricId::kRunningSeconds, labels, running.sum_ns);
      out.addNs(MetricId::kBlockedSeconds, labels, time.of(DurationKind::kBlocked).sum_ns);
    }
    for (const auto& [labels, calls] : calls_) {
      out.add(MetricId::kModuleCalls, labels, calls);
    }
    for (const auto& [labels, amount] : nccl_) {
      out.add(MetricId::kNcclCalls, labels, amount.count);
      out.add(MetricId::kNcclFailedCalls, labels, amount.failed);
      out.add(MetricId::kNcclBytes, labels, amount.bytes);
    }
    addProcesses(out);
    addTimes(out);
    addSteps(out);
    addNotSeen(out);
    if (!folded_.empty()) {
      out.add(MetricId::kFoldedLabelSets, rank_.text(), static_cast<uint64_t>(folded_.size()));
    }
    return folded_.size();
  }

 private:
  std::string rowLabels(const std::string& module, const std::string& group, const Collective& row) const {
    return rank_
        .with({{"module", module}, {"phase", phaseName(row.phase)}, {"kind", kindName(row.kind)}, {"group", group}})
        .text();
  }

  std::string timeLabels(const std::string& group, Kind kind) const {
    return rank_.with({{"kind", kindName(kind)}, {"group", group}}).text();
  }

  std::string callLabels(const std::string& module, size_t phase) const {
    return rank_.with({{"module", module}, {"phase", phaseName(static_cast<Phase>(phase))}}).text();
  }

  std::string ncclLabels(const std::string& function, const std::string& group) const {
    return rank_.with({{"function", function}, {"group", group}}).text();
  }

  /// Returns `labels` if the limit admits them, else the label set that they are folded into.
  std::string admitted(const char* what, std::string labels, std::string folded) {
    if (limit_->admit(what + rank_.text(), labels)) {
      return labels;
    }
    folded_.insert(std::move(labels));
    return folded;
  }

  void addRows(const Report& report, const GroupTitles& titles, const ModuleDepth& depth) {
    for (const Collective* row : inModuleOrder(report)) {
      const std::string& group = titles.of(row->group);
      std::string labels = rowLabels(depth.cut(row->module), group, *row);
      rows_[admitted("rows ", std::move(labels), rowLabels(kOther, kOther, *row))] +=
          {row->count, row->bytes, row->bus_bytes};
      if (row->time.isKnown()) {
        times_[admitted("times ", timeLabels(group, row->kind), timeLabels(kOther, row->kind))] += row->time;
      }
    }
  }

  /// Returns the rows in module order, which is stable while a job runs; row order is not.
  static std::vector<const Collective*> inModuleOrder(const Report& report) {
    std::unordered_map<std::string, size_t> order;
    for (const Module& module : report.modules) {
      order.emplace(module.name, order.size());
    }
    const auto place = [&order](const Collective* row) {
      const auto found = order.find(row->module);
      return found == order.end() ? order.size() : found->second;
    };
    std::vector<const Collective*> rows;
    for (const Collective& row : report.collectives) {
      rows.push_back(&row);
    }
    std::stable_sort(
        rows.begin(), rows.end(), [&](const Collective* a, const Collective* b) { return place(a) < place(b); });
    return rows;
  }

  /// Adds calls of modules. A wrapper calls the wrapped module, which has an equal name: that counts as one call.
  void addCalls(const Report& report, const ModuleDepth& depth) {
    std::unordered_map<std::string, CallsByPhase> calls;
    for (const Module& module : report.modules) {
      auto& most = calls[module.name];
      for (size_t phase = 0; phase < kPhaseCount; ++phase) {
        most[phase] = std::max(most[phase], module.calls[phase]);
      }
    }
    for (const Module& module : report.modules) {
      const auto entry = calls.extract(module.name);
      if (!entry.empty() && depth.cut(module.name) == module.name) {
        addCallsOf(module.name, entry.mapped());
      }
    }
  }

  void addCallsOf(const std::string& module, const CallsByPhase& calls) {
    for (size_t phase = 0; phase < kPhaseCount; ++phase) {
      if (calls[phase] > 0) {
        addSaturating(calls_[admitted("calls ", callLabels(module, phase), callLabels(kOther, phase))], calls[phase]);
      }
    }
  }

  void addNccl(const Report& report, const GroupTitles& titles) {
    if (!report.nccl) {
      return;
    }
    for (const NcclCall& call : report.nccl->calls) {
      std::string labels = ncclLabels(call.function, titles.of(call.group));
      nccl_[admitted("nccl ", std::move(labels), ncclLabels(kOther, kOther))] += amountOf(call);
    }
  }

  void addProcesses(Exposition& out) const {
    uint64_t running = 0;
    std::map<std::string_view, uint64_t> exits;
    std::set<std::string> seen;
    for (const Report* report : reports_) {
      const Job& job = report->job;
      const MetricLabels labels = rank_.with(
          {{"host", job.host},
           {"pid", std::to_string(job.pid)},
           {"torch", job.torch_version},
           {"python", job.python_version},
           {"commtap", job.commtap_version}});
      if (seen.insert(labels.text()).second) { // a pid may be reused
        out.add(MetricId::kProcess, labels.text(), uint64_t{1});
      }
      running += job.exit == ExitKind::kRunning ? 1 : 0;
      if (job.exit != ExitKind::kRunning) {
        exits[job.exit_status.value_or(0) == 0 ? exitKindName(job.exit) : "failed"] += 1;
      }
    }
    out.add(MetricId::kProcessRunning, rank_.text(), running);
    for (const auto& [exit, count] : exits) {
      out.add(MetricId::kProcessExit, rank_.with({{"exit", exit}}).text(), count);
    }
  }

  void addTimes(Exposition& out) const {
    uint64_t start = reports_.front()->job.started_at_ns;
    std::optional<uint64_t> end = 0;
    for (const Report* report : reports_) {
      const std::optional<uint64_t>& ended = report->job.ended_at_ns;
      start = std::min(start, report->job.started_at_ns);
      end = end && ended ? std::max(end, ended) : std::nullopt;
    }
    out.addNs(MetricId::kProcessStart, rank_.text(), start);
    if (end) {
      out.addNs(MetricId::kProcessEnd, rank_.text(), *end);
    }
  }

  /// Adds the steps of the process that has most: each process of a rank counts its own, and the training's has most.
  void addSteps(Exposition& out) const {
    uint64_t steps = 0;
    uint64_t last_ns = 0;
    for (const Report* report : reports_) {
      steps = std::max(steps, report->steps.empty() ? 0 : report->steps.back().first_step);
      last_ns = std::max(last_ns, report->last.empty() ? 0 : report->last.back().issued_at_ns);
    }
    out.add(MetricId::kSteps, rank_.text(), steps);
    if (last_ns > 0) {
      out.addNs(MetricId::kLastCollective, rank_.text(), last_ns);
    }
  }

  void addNotSeen(Exposition& out) const {
    std::map<std::string, uint64_t> counts;
    for (const Report* report : reports_) {
      for (const NotSeenEntry& entry : report->not_seen) {
        addSaturating(counts[entry.reason], entry.count);
      }
    }
    for (const auto& [reason, count] : counts) {
      out.add(MetricId::kNotSeen, rank_.with({{"reason", reason}}).text(), count);
    }
  }

  MetricLabels rank_;
  SeriesLimit* limit_;
  std::vector<const Report*> reports_;
  Series<Amount> rows_;
  Series<CollectiveTime> times_;
  Series<uint64_t> calls_;
  Series<NcclAmount> nccl_;
  std::set<std::string> folded_;
};

/// One attempt of a run.
struct AttemptMetrics {
  MetricLabels labels;
  std::vector<const Report*> reports;
  std::map<std::optional<int64_t>, RankMetrics> ranks;
  std::optional<int64_t> world_size;
};

void addRanks(const AttemptMetrics& attempt, Exposition& exposition) {
  const uint64_t ranks = attempt.ranks.size() - attempt.ranks.count(std::nullopt);
  exposition.add(MetricId::kRanks, attempt.labels.text(), ranks);
  if (attempt.world_size) {
    exposition.add(MetricId::kWorldSize, attempt.labels.text(), static_cast<uint64_t>(*attempt.world_size));
  }
}

/// Returns whether the attempt has ended. Reads of running ranks are not simultaneous, so their counts always differ.
bool isOver(const AttemptMetrics& attempt) {
  return std::none_of(attempt.reports.begin(), attempt.reports.end(), [](const Report* report) {
    return report->job.exit == ExitKind::kRunning;
  });
}

void addDisagreements(const AttemptMetrics& attempt, Exposition& exposition) {
  if (!isOver(attempt)) {
    return;
  }
  std::map<Disagreement::What, uint64_t> counts;
  for (const Disagreement& disagreement : mergedJob(attempt.reports).disagreements) {
    ++counts[disagreement.what];
  }
  for (const auto& [what, count] : counts) {
    exposition.add(MetricId::kDisagreements, attempt.labels.with({{"what", disagreementName(what)}}).text(), count);
  }
}

} // namespace

MetricLabels labelsOfRank(const std::string& run_id, int64_t attempt, std::optional<int64_t> rank) {
  return MetricLabels().with(
      {{"run_id", run_id}, {"attempt", std::to_string(attempt)}, {"rank", rank ? std::to_string(*rank) : ""}});
}

size_t addJobMetrics(
    std::span<const Report* const> reports,
    std::optional<uint32_t> depth,
    SeriesLimit& limit,
    Exposition& exposition) {
  std::map<std::pair<std::string, int64_t>, AttemptMetrics> attempts;
  for (const Report* report : reports) {
    const Job& job = report->job;
    AttemptMetrics& attempt = attempts[{job.run_id, job.attempt}];
    attempt.labels = MetricLabels().with({{"run_id", job.run_id}, {"attempt", std::to_string(job.attempt)}});
    attempt.reports.push_back(report);
    const MetricLabels rank = labelsOfRank(job.run_id, job.attempt, job.rank);
    attempt.ranks.try_emplace(job.rank, rank, limit).first->second.add(*report, depth);
    if (job.world_size) {
      attempt.world_size = std::max(attempt.world_size.value_or(0), *job.world_size);
    }
  }
  size_t folded = 0;
  for (const auto& [key, attempt] : attempts) {
    addRanks(attempt, exposition);
    addDisagreements(attempt, exposition);
    for (const auto& [rank, metrics] : attempt.ranks) {
      folded += metrics.addTo(exposition);
    }
  }
  return folded;
}

} // namespace commtap
