// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/rank_metrics.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "report/merge/job_merge.h"
#include "report/model/amounts.h"
#include "report/model/module_tree.h"
#include "report/model/saturating.h"

namespace commtap {

ModuleDepth::ModuleDepth(const Report& report, std::optional<uint32_t> depth) {
  if (!depth) {
    return;
  }
  ModuleTree tree;
  tree.add(report);
  const std::vector<ModuleNode> modules = tree.take();
  for (const ModuleNode& module : modules) {
    const ModuleNode* above = &module;
    while (above->depth > *depth) {
      above = &modules[above->parent];
    }
    if (above != &module) {
      cut_.emplace(module.name, above->name);
    }
  }
}

const std::string& ModuleDepth::cut(const std::string& module) const {
  const auto found = cut_.find(module);
  return found == cut_.end() ? module : found->second;
}

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

namespace {

constexpr const char* kOther = "(other)";

/// Returns the rows in module order, which is stable while a job runs; row order is not.
std::vector<const Collective*> inModuleOrder(const Report& report) {
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

} // namespace

void RankMetrics::add(const Report& report, std::optional<uint32_t> max_depth) {
  addProcess(report);
  const ModuleDepth depth(report, max_depth);
  const GroupTitles titles(report);
  addRows(report, titles, depth);
  addCalls(report, depth);
  addNccl(report, titles);
}

size_t RankMetrics::addTo(Exposition& out) const {
  for (const auto& [labels, sum] : rows_) {
    out.add(MetricId::kCollectives, labels, sum.count);
    out.add(MetricId::kPayloadBytes, labels, sum.bytes);
    out.add(MetricId::kBusBytes, labels, sum.bus_bytes);
  }
  for (const auto& [labels, splits] : splits_) {
    out.add(MetricId::kSplitCollectives, labels, splits.calls);
    out.add(MetricId::kSplitImbalance, labels, splits.imbalance.mean * static_cast<double>(splits.calls));
    out.add(MetricId::kSplitImbalanceMax, labels, splits.imbalance.max);
  }
  for (const auto& [labels, time] : times_) {
    const Durations& running = time.of(DurationKind::kRunning);
    out.add(MetricId::kTimedCollectives, labels, running.count);
    out.add(MetricId::kTimedBusBytes, labels, time.bus_bytes);
    out.addNs(MetricId::kRunningSeconds, labels, running.sum_ns);
    out.addNs(MetricId::kExposedSeconds, labels, time.of(DurationKind::kExposed).sum_ns);
  }
  for (const auto& [labels, calls] : calls_) {
    out.add(MetricId::kModuleCalls, labels, calls);
  }
  for (const auto& [labels, amount] : nccl_) {
    out.add(MetricId::kNcclCalls, labels, amount.count);
    out.add(MetricId::kNcclFailedCalls, labels, amount.failed);
    out.add(MetricId::kNcclBytes, labels, amount.bytes);
  }
  addProcessesTo(out);
  if (!folded_.empty()) {
    out.add(MetricId::kFoldedLabelSets, rank_.text(), static_cast<uint64_t>(folded_.size()));
  }
  return folded_.size();
}

std::string RankMetrics::rowLabels(const std::string& module, const std::string& group, const Collective& row) const {
  return rank_
      .with({{"module", module}, {"phase", phaseName(row.phase)}, {"kind", kindName(row.kind)}, {"group", group}})
      .text();
}

std::string RankMetrics::timeLabels(const std::string& group, Kind kind) const {
  return rank_.with({{"kind", kindName(kind)}, {"group", group}}).text();
}

std::string RankMetrics::callLabels(const std::string& module, size_t phase) const {
  return rank_.with({{"module", module}, {"phase", phaseName(static_cast<Phase>(phase))}}).text();
}

std::string RankMetrics::ncclLabels(const std::string& function, const std::string& group) const {
  return rank_.with({{"function", function}, {"group", group}}).text();
}

std::string RankMetrics::admitted(const char* what, std::string labels, std::string folded) {
  if (limit_->admit(what + rank_.text(), labels)) {
    return labels;
  }
  folded_.insert(std::move(labels));
  return folded;
}

void RankMetrics::addRows(const Report& report, const GroupTitles& titles, const ModuleDepth& depth) {
  for (const Collective* row : inModuleOrder(report)) {
    const std::string& group = titles.of(row->group);
    std::string labels = rowLabels(depth.cut(row->module), group, *row);
    labels = admitted("rows ", std::move(labels), rowLabels(kOther, kOther, *row));
    rows_[labels] += {row->count, row->bytes, row->bus_bytes};
    if (row->splits.calls > 0) {
      splits_[labels] += row->splits;
    }
    if (row->time.isKnown()) {
      times_[admitted("times ", timeLabels(group, row->kind), timeLabels(kOther, row->kind))] += row->time;
    }
  }
}

void RankMetrics::addCalls(const Report& report, const ModuleDepth& depth) {
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

void RankMetrics::addCallsOf(const std::string& module, const CallsByPhase& calls) {
  for (size_t phase = 0; phase < kPhaseCount; ++phase) {
    if (calls[phase] > 0) {
      addSaturating(calls_[admitted("calls ", callLabels(module, phase), callLabels(kOther, phase))], calls[phase]);
    }
  }
}

void RankMetrics::addNccl(const Report& report, const GroupTitles& titles) {
  if (!report.nccl) {
    return;
  }
  for (const NcclCall& call : report.nccl->calls) {
    std::string labels = ncclLabels(call.function, titles.of(call.group));
    nccl_[admitted("nccl ", std::move(labels), ncclLabels(kOther, kOther))] += amountOf(call);
  }
}

void RankMetrics::addProcess(const Report& report) {
  const Job& job = report.job;
  std::string labels = rank_
                           .with(
                               {{"host", job.host},
                                {"pid", std::to_string(job.pid)},
                                {"torch", job.torch_version},
                                {"python", job.python_version},
                                {"commtap", job.commtap_version}})
                           .text();
  if (std::find(processes_.begin(), processes_.end(), labels) == processes_.end()) { // a pid may be reused
    processes_.push_back(std::move(labels));
  }
  if (job.exit == ExitKind::kRunning) {
    ++running_;
  } else {
    const std::string status = job.exit_status ? std::to_string(*job.exit_status) : "";
    const std::string signal = job.exit_signal ? std::to_string(*job.exit_signal) : "";
    exits_[rank_.with({{"exit", exitKindName(job.exit)}, {"exit_status", status}, {"exit_signal", signal}}).text()] +=
        1;
  }
  start_ns_ = std::min(start_ns_, job.started_at_ns);
  end_ns_ = end_ns_ && job.ended_at_ns ? std::max(end_ns_, job.ended_at_ns) : std::nullopt;
  // Each process of a rank counts its own steps, and the training's has most.
  steps_ = std::max(steps_, endedSteps(report).value_or(0));
  last_ns_ = std::max(last_ns_, report.last.empty() ? 0 : report.last.back().issued_at_ns);
  for (const NotSeenEntry& entry : report.not_seen) {
    addSaturating(not_seen_[entry.reason], entry.count);
  }
}

void RankMetrics::addProcessesTo(Exposition& out) const {
  for (const std::string& labels : processes_) {
    out.add(MetricId::kProcess, labels, uint64_t{1});
  }
  out.add(MetricId::kProcessRunning, rank_.text(), running_);
  for (const auto& [labels, count] : exits_) {
    out.add(MetricId::kProcessExit, labels, count);
  }
  out.addNs(MetricId::kProcessStart, rank_.text(), start_ns_);
  if (end_ns_) {
    out.addNs(MetricId::kProcessEnd, rank_.text(), *end_ns_);
  }
  out.add(MetricId::kSteps, rank_.text(), steps_);
  if (last_ns_ > 0) {
    out.addNs(MetricId::kLastCollective, rank_.text(), last_ns_);
  }
  for (const auto& [reason, count] : not_seen_) {
    out.add(MetricId::kNotSeen, rank_.with({{"reason", reason}}).text(), count);
  }
}

/// One attempt of a run.
struct JobMetrics::Attempt {
  MetricLabels labels;
  std::map<std::optional<int64_t>, RankMetrics> ranks;
  std::optional<int64_t> world_size;
  /// The sums of all ranks while no process runs: reads of running ranks are not simultaneous, so their counts always
  /// differ.
  std::optional<JobMerge> merged{std::in_place};

  void add(const Report& report, std::optional<uint32_t> depth, SeriesLimit& limit) {
    const Job& job = report.job;
    ranks.try_emplace(job.rank, labelsOfRank(job.run_id, job.attempt, job.rank), limit)
        .first->second.add(report, depth);
    if (job.world_size) {
      world_size = std::max(world_size.value_or(0), *job.world_size);
    }
    if (job.exit == ExitKind::kRunning) {
      merged.reset();
    } else if (merged) {
      merged->add(report, "");
    }
  }

  size_t addTo(Exposition& exposition) {
    exposition.add(MetricId::kRanks, labels.text(), static_cast<uint64_t>(ranks.size() - ranks.count(std::nullopt)));
    if (world_size) {
      exposition.add(MetricId::kWorldSize, labels.text(), static_cast<uint64_t>(*world_size));
    }
    addDisagreements(exposition);
    size_t folded = 0;
    for (const auto& [rank, metrics] : ranks) {
      folded += metrics.addTo(exposition);
    }
    return folded;
  }

 private:
  void addDisagreements(Exposition& exposition) {
    std::map<Disagreement::What, uint64_t> counts;
    if (merged) {
      for (const Disagreement& disagreement : merged->finish().disagreements) {
        ++counts[disagreement.what];
      }
    }
    for (const auto& [what, count] : counts) {
      exposition.add(MetricId::kDisagreements, labels.with({{"what", disagreementName(what)}}).text(), count);
    }
  }
};

MetricLabels labelsOfRank(const std::string& run_id, int64_t attempt, std::optional<int64_t> rank) {
  return MetricLabels().with(
      {{"run_id", run_id}, {"attempt", std::to_string(attempt)}, {"rank", rank ? std::to_string(*rank) : ""}});
}

JobMetrics::JobMetrics(std::optional<uint32_t> depth, SeriesLimit& limit) : depth_(depth), limit_(limit) {}
JobMetrics::~JobMetrics() = default;

void JobMetrics::add(const Report& report) {
  const Job& job = report.job;
  Attempt& attempt = attempts_[{job.run_id, job.attempt}];
  attempt.labels = MetricLabels().with({{"run_id", job.run_id}, {"attempt", std::to_string(job.attempt)}});
  attempt.add(report, depth_, limit_);
}

size_t JobMetrics::addTo(Exposition& exposition) {
  size_t folded = 0;
  for (auto& [key, attempt] : attempts_) {
    folded += attempt.addTo(exposition);
  }
  return folded;
}

size_t addJobMetrics(
    std::vector<const Report*> reports,
    std::optional<uint32_t> depth,
    SeriesLimit& limit,
    Exposition& exposition) {
  std::stable_sort(reports.begin(), reports.end(), [](const Report* a, const Report* b) {
    return std::tuple(!a->job.rank, a->job.rank) < std::tuple(!b->job.rank, b->job.rank);
  });
  JobMetrics metrics(depth, limit);
  for (const Report* report : reports) {
    metrics.add(*report);
  }
  return metrics.addTo(exposition);
}

} // namespace commtap
