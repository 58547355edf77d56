// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/live_metrics.h"

#include <string>
#include <utility>
#include <vector>

#include "report/base/process.h"
#include "report/base/redaction.h"
#include "tools/cli/subcommands.h"
#include "tools/hosts/report_archive.h"
#include "tools/metrics/exposition.h"
#include "tools/metrics/rank_metrics.h"
#include "tools/serve/serve_paths.h"

namespace commtap {
namespace {

/// Minimum time between two reads of a job's ledgers, however many requests arrive.
constexpr std::chrono::milliseconds kMinAge(200);
/// Minimum time between two readings of all reports of the folder, which may take seconds.
constexpr std::chrono::seconds kListAge(20);

void addStepChanges(const StepWatch& steps, Exposition& exposition) {
  for (const StepChanges& changes : steps.changes()) {
    const StepChange& last = changes.last;
    const std::string labels = labelsOfRank(last.run_id, last.attempt, last.rank)
                                   .with({{"what", kStepValueNames.at(static_cast<size_t>(last.what))}})
                                   .text();
    exposition.add(MetricId::kStepChanges, labels, changes.count);
    if (changes.count > 0 && last.before != 0) {
      exposition.add(MetricId::kStepChangeRatio, labels, last.after / last.before);
    }
  }
}

void addLateRanks(const std::vector<LateRank>& late, Exposition& exposition) {
  for (const LateRank& rank : late) {
    const std::string labels = labelsOfRank(rank.run_id, rank.attempt, rank.rank).with({{"group", rank.group}}).text();
    exposition.add(MetricId::kLateRankWaitRatio, labels, rank.wait_ns / rank.step_ns);
  }
}

std::vector<std::string> lateRankLines(const std::vector<LateRank>& late) {
  std::vector<std::string> lines;
  lines.reserve(late.size());
  for (const LateRank& rank : late) {
    lines.push_back("run " + inert(rank.run_id) + ": " + lateRankLine(rank));
  }
  return lines;
}

} // namespace

void LiveMetrics::refresh() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (read_at_ && start - *read_at_ < kMinAge) {
    return;
  }
  live_ = folder_.read(LiveFolder::Clock::now());
  sayAll(live_.copies);
  sayAll(stepChangeLines(steps_.look(live_.reports)));
  look_ = lookOf(live_.reports, wallClockNs());
  look_.problems = live_.problems;
  sayAll(lateRankLines(late_.look(look_)));
  sayAll(hangs_.look(look_));
  sayAll(verified_.look(live_));
  read_at_ = Clock::now();
  read_seconds_ = std::chrono::duration<double>(*read_at_ - start).count();
}

Exposition LiveMetrics::exposition() {
  refresh();
  std::vector<const Report*> reports;
  reports.reserve(live_.reports.size());
  for (const auto& report : live_.reports) {
    reports.push_back(report.get());
  }
  Exposition exposition;
  addJobMetrics(std::move(reports), depth_, limit_, exposition);
  limit_.forgetUnused();
  addStepChanges(steps_, exposition);
  addLateRanks(late_.late(), exposition);
  hangs_.addTo(exposition);
  verified_.addTo(exposition);
  exposition.add(MetricId::kUnreadableFiles, "", static_cast<uint64_t>(live_.unreadable));
  exposition.add(MetricId::kReadSeconds, "", read_seconds_);
  return exposition;
}

std::string LiveMetrics::metrics(Dialect dialect) {
  const std::lock_guard lock(mutex_);
  return exposition().text(dialect);
}

std::vector<std::string> LiveMetrics::otlp(const std::string& host) {
  const std::lock_guard lock(mutex_);
  return otlpRequests(exposition(), {.host = host, .now_ns = wallClockNs()});
}

std::string LiveMetrics::hostDocument(const HostQuestion& question) {
  const std::lock_guard lock(mutex_);
  refresh();
  HostDocument document{hostName(), look_, {}};
  if (question.traffic) {
    document.traffic = trafficOf(live_.reports);
  }
  return hostText(document, question);
}

std::string LiveMetrics::reportArchive() {
  std::vector<std::shared_ptr<const Report>> reports;
  {
    const std::lock_guard lock(mutex_);
    refresh();
    reports = live_.reports;
  }
  return archiveOf(reports);
}

RunList LiveMetrics::runs() {
  const std::lock_guard lock(runs_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!listed_at_ || now - *listed_at_ > kListAge) {
    const Result<RunList> runs = listRuns(path_, {.most = kMostRuns}, {});
    runs_ = runs ? *runs : RunList(); // the folder may have no run yet
    listed_at_ = std::chrono::steady_clock::now();
  }
  return runs_;
}

std::string LiveMetrics::page(const std::string& folder_name) {
  const RunList listed = runs(); // before the lock: a large folder must not delay the metrics
  const std::lock_guard lock(mutex_);
  refresh();
  return servePage(live_, hangs_, listed, folder_name, wallClockNs());
}

std::optional<std::string> LiveMetrics::jobData(const AttemptKey& key) {
  // Read the clock before locking: a thread that waited for another's read gets the data of that read.
  const auto now = LiveJobs::Clock::now();
  const std::lock_guard lock(mutex_);
  const std::string* data = jobs_.kept(key, now);
  if (data == nullptr) {
    refresh();
    data = jobs_.make(live_, key, verified_.verdictOf(key), LiveJobs::Clock::now());
  }
  return data == nullptr ? std::nullopt : std::optional(*data);
}

Dialect wantedDialect(const std::string& accept) {
  const bool open_metrics = accept.find("application/openmetrics-text") != std::string::npos;
  return open_metrics ? Dialect::kOpenMetrics : Dialect::kPrometheus;
}

} // namespace commtap
