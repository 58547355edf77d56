// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/not_sampled_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/job/job_summary.h"
#include "report/model/not_seen.h"
#include "report/verify/found_fault.h"
#include "tools/text/disagreement_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns the ranks whose file ends within a sample.
RankRanges cutRanks(const RunSamples& run) {
  std::vector<int64_t> ranks;
  for (const ProcessSamples& process : run.processes) {
    if (process.is_cut && process.job.rank) {
      ranks.push_back(*process.job.rank);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return rangesOf(std::move(ranks));
}

std::string sentenceOf(const NotSeenSummary& summary) {
  const std::string ranks = summary.ranks.empty() ? "some ranks" : ranksText(summary.ranks);
  const std::string detail = inert(summary.entry.detail);
  if (summary.entry.reason == notSeenName(NotSeen::kUnsampledParameters)) {
    return fmt::format(
        "{}: {} could not be read, the first of {}",
        ranks,
        counted(summary.entry.count, "value or gradient", "values or gradients"),
        detail);
  }
  if (summary.entry.reason == notSeenName(NotSeen::kSamplesLost)) {
    return fmt::format("{}: {} missing: {}", ranks, counted(summary.entry.count, "sample is", "samples are"), detail);
  }
  return "";
}

} // namespace

std::vector<std::string> notSampledText(const RunSamples& run, const Verification& result) {
  std::vector<std::string> lines;
  const RankRanges missing = gapsIn(result.ranks, result.world_size.value_or(0));
  if (!missing.empty()) {
    const char* which = run.unreadable > 0 ? " that could be read" : "";
    lines.push_back(ranksText(missing) + (countOf(missing) == 1 ? " has no samples" : " have no samples") + which);
  }
  if (const RankRanges cut = cutRanks(run); !cut.empty()) {
    lines.push_back(ranksText(cut) + ": the file ends within a sample, which is left out");
  }
  if (result.incomplete > 0) {
    lines.push_back(fmt::format(
        "{} not in each sample of {} optimizer",
        counted(result.incomplete, "parameter is", "parameters are"),
        result.incomplete == 1 ? "its" : "their"));
  }
  if (result.apart > 0) {
    lines.push_back(
        counted(result.apart, "sample is", "samples are") +
        " of another moment of the job than those of the other ranks at that step, and not compared");
  }
  std::transform(run.not_seen.begin(), run.not_seen.end(), std::back_inserter(lines), sentenceOf);
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

} // namespace commtap
