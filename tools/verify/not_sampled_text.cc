// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/job/job_summary.h"
#include "report/model/not_seen.h"
#include "report/verify/faults.h"
#include "tools/text/call_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns the ranks of the processes for which `holds` is true.
template <typename Holds>
RankRanges ranksWith(const RunSamples& run, const Holds& holds) {
  std::vector<int64_t> ranks;
  for (const ProcessSamples& process : run.processes) {
    if (holds(process) && process.job.rank) {
      ranks.push_back(*process.job.rank);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return rangesOf(std::move(ranks));
}

bool isEmpty(const SampledParameter& parameter) {
  return std::find(parameter.shape.begin(), parameter.shape.end(), 0) != parameter.shape.end();
}

/// Returns the parameters of models that have no elements on any rank: DeepSpeed's ZeRO-3 leaves them so between uses.
/// FSDP1 with original parameters has empty ones on some ranks only.
std::set<std::string> emptyParameters(const RunSamples& run) {
  std::set<std::string> empty;
  std::set<std::string> others;
  for (const ProcessSamples& process : run.processes) {
    for (const SampledParameter& parameter : process.parameters) {
      (isEmpty(parameter) ? empty : others).insert(parameter.name);
    }
  }
  for (const std::string& name : others) {
    empty.erase(name);
  }
  return empty;
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

/// Adds what of inputs is missing in the samples, on which ranks and how often.
void addGaps(const RunSamples& run, std::vector<std::string>& lines) {
  std::map<std::string, std::pair<uint64_t, std::vector<int64_t>>> gaps;
  for (const ProcessSamples& process : run.processes) {
    std::map<std::string, uint64_t> of_rank;
    for (const Sample& sample : process.samples) {
      for (const SampledGap& gap : sample.gaps) {
        of_rank[gap.why] += gap.count;
      }
    }
    for (const auto& [why, count] : of_rank) {
      gaps[why].first += count;
      gaps[why].second.push_back(process.job.rank.value_or(-1));
    }
  }
  for (auto& [why, gap] : gaps) {
    std::sort(gap.second.begin(), gap.second.end());
    lines.push_back(fmt::format("{}: {} {}", ranksText(rangesOf(std::move(gap.second))), gap.first, inert(why)));
  }
}

} // namespace

std::vector<std::string> notSampledText(const RunSamples& run, const Verification& result) {
  std::vector<std::string> lines;
  const RankRanges missing = gapsIn(result.ranks, result.world_size.value_or(0));
  if (!missing.empty()) {
    const char* which = run.unreadable > 0 ? " that could be read" : "";
    lines.push_back(ranksText(missing) + (countOf(missing) == 1 ? " has no samples" : " have no samples") + which);
  }
  if (const RankRanges cut = ranksWith(run, [](const ProcessSamples& each) { return each.is_cut; }); !cut.empty()) {
    lines.push_back(ranksText(cut) + ": the file ends within a sample, which is left out");
  }
  if (const RankRanges damaged = ranksWith(run, [](const ProcessSamples& each) { return !each.damage.empty(); });
      !damaged.empty()) {
    lines.push_back(ranksText(damaged) + ": the file is damaged, and the samples from there on are left out");
  }
  if (!run.doubled.empty()) {
    lines.push_back(fmt::format(
        "several processes of this run and attempt are {}, and of each the one with the most samples is judged: did "
        "two "
        "jobs have one run id?",
        ranksText(rangesOf(run.doubled))));
  }
  if (result.incomplete > 0) {
    lines.push_back(fmt::format(
        "{} not in each sample of a rank, and compared where {} sampled",
        counted(result.incomplete, "parameter is", "parameters are"),
        result.incomplete == 1 ? "it is" : "they are"));
  }
  if (result.apart > 0) {
    lines.push_back(
        counted(result.apart, "sample is", "samples are") +
        " of another moment of the job than those of the other ranks at that step, and not compared");
  }
  if (const std::set<std::string> empty = emptyParameters(run); !empty.empty()) {
    lines.push_back(fmt::format(
        "{} no elements on any rank when samples are taken, the first of {}",
        counted(empty.size(), "parameter has", "parameters have"),
        inert(*empty.begin())));
  }
  addGaps(run, lines);
  const auto is_forward = [](const Sample& sample) { return sample.batch.forwards > 0; };
  if (result.reductions > 0 && std::none_of(run.processes.begin(), run.processes.end(), [&](const auto& process) {
        return std::any_of(process.samples.begin(), process.samples.end(), is_forward);
      })) {
    lines.emplace_back("no module was called outside of compiled code, so the data of the ranks is not known");
  }
  std::transform(run.not_seen.begin(), run.not_seen.end(), std::back_inserter(lines), sentenceOf);
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

} // namespace commtap
