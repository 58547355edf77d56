// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace commtap {
namespace {

constexpr std::array<std::string_view, kDisagreementKinds> kDisagreementNames =
    {"order", "count", "unmatched", "bytes", "module", "stopped"};

std::vector<ExitSummary> exitsOf(const JobReport& job) {
  using End = std::tuple<ExitKind, std::optional<int64_t>, std::optional<int64_t>>;
  std::map<End, std::pair<std::vector<int64_t>, size_t>> sets;
  for (const JobProcess& process : job.processes) {
    auto& [ranks, unranked] = sets[{process.exit, process.exit_signal, process.exit_status}];
    if (process.rank) {
      ranks.push_back(*process.rank);
    } else {
      ++unranked;
    }
  }
  std::vector<ExitSummary> exits;
  exits.reserve(sets.size());
  for (auto& [end, set] : sets) {
    const auto& [exit, signal, status] = end;
    exits.push_back({exit, signal, status, rankRanges(std::move(set.first)), set.second});
  }
  return exits;
}

/// Returns the number of processes without a rank.
size_t unrankedOf(const JobReport& job) {
  return static_cast<size_t>(std::count_if(
      job.processes.begin(), job.processes.end(), [](const JobProcess& process) { return !process.rank; }));
}

} // namespace

JobReport::JobReport() = default;
JobReport::JobReport(const JobReport&) = default;
JobReport::JobReport(JobReport&&) noexcept = default;
JobReport& JobReport::operator=(const JobReport&) = default;
JobReport& JobReport::operator=(JobReport&&) noexcept = default;
JobReport::~JobReport() = default;

std::string_view disagreementName(Disagreement::What what) {
  return kDisagreementNames[static_cast<size_t>(what)];
}

std::optional<Disagreement::What> disagreementFromName(std::string_view name) {
  const auto found = std::find(kDisagreementNames.begin(), kDisagreementNames.end(), name);
  return found == kDisagreementNames.end()
             ? std::nullopt
             : std::optional(static_cast<Disagreement::What>(found - kDisagreementNames.begin()));
}

std::span<const Disagreement> seriousDisagreements(const JobReport& job) {
  const auto end = std::find_if(job.disagreements.begin(), job.disagreements.end(), [](const Disagreement& each) {
    return each.what >= Disagreement::What::kModule;
  });
  return {job.disagreements.begin(), end};
}

Amount sumOf(const RankedAmount& amount) {
  return {amount.count.sum, amount.bytes.sum, amount.bus_bytes.sum};
}

Amounts amountsOf(const JobReport& job) {
  Amounts amounts;
  for (const JobTotal& total : job.totals) {
    amounts[total.key] += sumOf(total.amount);
  }
  return amounts;
}

uint64_t successiveProcesses(const JobReport& job) {
  std::vector<const JobProcess*> processes;
  for (const JobProcess& process : job.processes) {
    processes.push_back(&process);
  }
  std::sort(processes.begin(), processes.end(), [](const JobProcess* a, const JobProcess* b) {
    return a->started_at_ns < b->started_at_ns;
  });
  struct Lives {
    uint64_t count = 0;
    uint64_t end_ns = 0; ///< of the last one that ended
  };
  std::map<int64_t, Lives> by_rank;
  uint64_t most = 0;
  for (const JobProcess* process : processes) {
    if (process->rank) {
      Lives& lives = by_rank[*process->rank];
      lives.count += process->started_at_ns >= lives.end_ns ? 1 : 0;
      lives.end_ns = std::max({lives.end_ns, process->ended_at_ns.value_or(0), process->last_activity_ns});
      most = std::max(most, lives.count);
    }
  }
  return most;
}

uint64_t rankCount(const JobReport& job) {
  return std::max<uint64_t>(countOf(job.ranks) + unrankedOf(job), 1);
}

bool isRunning(const JobReport& job) {
  return std::any_of(job.processes.begin(), job.processes.end(), [](const JobProcess& process) {
    return process.exit == ExitKind::kRunning;
  });
}

bool hasEndedBadly(const JobReport& job) {
  const std::vector<ExitSummary> exits = summaryOf(job).exits;
  return std::any_of(exits.begin(), exits.end(), [](const ExitSummary& exit) { return exit.hasEndedBadly(); });
}

bool mayYetAgree(const Disagreement& disagreement, bool runs) {
  return runs && disagreement.what != Disagreement::What::kOrder;
}

JobSummary summaryOf(const JobReport& job) {
  JobSummary summary;
  summary.run_id = job.run_id;
  summary.name = job.name;
  summary.attempt = job.attempt;
  summary.torch_version = job.torch_version;
  summary.world_size = job.world_size;
  summary.planned = job.planned;
  summary.processes = job.processes.size();
  summary.unranked = unrankedOf(job);
  summary.ranks = job.ranks;
  summary.rank_count = countOf(job.ranks);
  summary.missing = job.missing;
  summary.started_at_ns = job.started_at_ns;
  summary.ended_at_ns = job.ended_at_ns;
  summary.exits = exitsOf(job);
  summary.not_seen = job.not_seen;
  return summary;
}

} // namespace commtap
