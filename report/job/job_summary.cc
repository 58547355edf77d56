// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_summary.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace commtap {
namespace {

/// Collects the ranks that have something in common.
struct RankSet {
  std::vector<int64_t> ranks;
  size_t unranked = 0;

  void add(const Job& job) {
    if (job.rank) {
      ranks.push_back(*job.rank);
    } else {
      ++unranked;
    }
  }
};

void summarizeRanks(std::span<const Report* const> reports, JobSummary& summary) {
  RankSet all;
  for (const Report* report : reports) {
    all.add(report->job);
    if (report->job.world_size) {
      summary.world_size = std::max(summary.world_size.value_or(0), *report->job.world_size);
    }
  }
  summary.processes = reports.size();
  summary.unranked = all.unranked;
  summary.ranks = rankRanges(std::move(all.ranks));
  summary.rank_count = countOf(summary.ranks);
  if (summary.world_size) {
    summary.missing = gapsIn(summary.ranks, *summary.world_size);
  }
}

void summarizeTimes(std::span<const Report* const> reports, JobSummary& summary) {
  summary.started_at_ns = reports.front()->job.started_at_ns;
  summary.ended_at_ns = 0;
  for (const Report* report : reports) {
    summary.started_at_ns = std::min(summary.started_at_ns, report->job.started_at_ns);
    const std::optional<uint64_t>& ended = report->job.ended_at_ns;
    summary.ended_at_ns = ended && summary.ended_at_ns ? std::max(summary.ended_at_ns, ended) : std::nullopt;
  }
}

std::vector<ExitSummary> exitsOf(std::span<const Report* const> reports) {
  std::map<std::pair<ExitKind, std::optional<int64_t>>, RankSet> sets;
  for (const Report* report : reports) {
    sets[{report->job.exit, report->job.exit_signal}].add(report->job);
  }
  std::vector<ExitSummary> exits;
  exits.reserve(sets.size());
  for (auto& [key, set] : sets) {
    exits.push_back({key.first, key.second, rankRanges(std::move(set.ranks)), set.unranked});
  }
  return exits;
}

std::vector<NotSeenSummary> notSeenOf(std::span<const Report* const> reports) {
  std::vector<NotSeenSummary> summaries;
  std::vector<RankSet> sets;
  for (const Report* report : reports) {
    for (const NotSeenEntry& entry : report->not_seen) {
      auto found = std::find_if(summaries.begin(), summaries.end(), [&](const NotSeenSummary& summary) {
        return summary.entry.reason == entry.reason;
      });
      if (found == summaries.end()) {
        found = summaries.insert(found, {entry, {}});
        found->entry.count = 0;
        sets.emplace_back();
      }
      found->entry.count += entry.count;
      sets[static_cast<size_t>(found - summaries.begin())].add(report->job);
    }
  }
  for (size_t i = 0; i < summaries.size(); ++i) {
    summaries[i].ranks = rankRanges(std::move(sets[i].ranks));
  }
  return summaries;
}

} // namespace

RankRanges rankRanges(std::vector<int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  RankRanges ranges;
  for (const int64_t rank : ranks) {
    if (!ranges.empty() && (rank == ranges.back().second || rank - 1 == ranges.back().second)) {
      ranges.back().second = rank;
    } else {
      ranges.emplace_back(rank, rank);
    }
  }
  return ranges;
}

RankRanges gapsIn(const RankRanges& present, int64_t world_size) {
  RankRanges gaps;
  int64_t next = 0;
  for (const auto& [first, last] : present) {
    if (first > next && next < world_size) {
      gaps.emplace_back(next, std::min(first, world_size) - 1);
    }
    if (last >= world_size - 1) {
      return gaps;
    }
    next = std::max<int64_t>(last + 1, 0);
  }
  if (next < world_size) {
    gaps.emplace_back(next, world_size - 1);
  }
  return gaps;
}

size_t countOf(const RankRanges& ranges) {
  size_t count = 0;
  for (const auto& [first, last] : ranges) {
    count += static_cast<size_t>(last) - static_cast<size_t>(first) + 1;
  }
  return count;
}

std::string rankText(const RankRanges& ranges) {
  constexpr size_t kMaxRanges = 16;
  std::string text;
  for (size_t i = 0; i < std::min(ranges.size(), kMaxRanges); ++i) {
    const auto& [first, last] = ranges[i];
    text += (i == 0 ? "" : ", ") + std::to_string(first);
    text += first == last ? "" : "-" + std::to_string(last);
  }
  return ranges.size() > kMaxRanges ? text + ", ..." : text;
}

JobSummary summaryOf(std::span<const Report* const> reports) {
  JobSummary summary;
  if (reports.empty()) {
    return summary;
  }
  const Job& first = reports.front()->job;
  summary.run_id = first.run_id;
  summary.attempt = first.attempt;
  summary.torch_version = first.torch_version;
  summarizeRanks(reports, summary);
  summarizeTimes(reports, summary);
  summary.exits = exitsOf(reports);
  summary.not_seen = notSeenOf(reports);
  return summary;
}

std::vector<const ReportFile*>
selectFiles(const ReportFolder& folder, std::optional<int64_t> attempt, std::optional<int64_t> rank) {
  std::vector<const ReportFile*> selected;
  const int64_t last = folder.files.empty() ? 0 : folder.files.back().report.job.attempt;
  for (const ReportFile& file : folder.files) {
    const Job& job = file.report.job;
    if (job.attempt == attempt.value_or(last) && (!rank || job.rank == rank)) {
      selected.push_back(&file);
    }
  }
  return selected;
}

} // namespace commtap
