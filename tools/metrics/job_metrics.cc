// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/job_metrics.h"

#include <algorithm>
#include <tuple>

#include "report/merge/job_merge.h"
#include "tools/metrics/rank_metrics.h"

namespace commtap {

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
