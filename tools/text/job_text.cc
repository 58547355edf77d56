// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_text.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/job/job_report.h"
#include "tools/text/call_text.h"
#include "tools/text/text.h"

namespace commtap {

namespace {

uint64_t callsIn(const JobStep& step) {
  uint64_t calls = 0;
  for (const JobStepAmount& amount : step.collectives) {
    calls += amount.count.sum;
  }
  return calls;
}

/// Returns whether more was communicated outside of the steps than the set-up, which comes before a first evaluation,
/// and of what.
std::string callsOutside(const JobReport& job) {
  uint64_t calls = 0;
  for (const JobStep& step : job.outside_steps) {
    calls += callsIn(step);
  }
  uint64_t setup = 0;
  for (const JobCollective& row : job.collectives) {
    setup += row.setup ? row.amount.count.sum : 0;
  }
  return calls <= setup ? ""
                        : fmt::format(
                              "; among them calls outside of steps, as of {}",
                              unfinishedStep(job) == nullptr ? "an evaluation" : "one unfinished");
}

} // namespace

Means::Means(const JobReport& job)
    : steps_(stepsOf(job)),
      ranks_(rankCount(job)),
      outside_(callsOutside(job)),
      has_ended_(
          std::any_of(job.steps.begin(), job.steps.end(), [](const JobStep& step) { return step.timed_ranks; })) {}

void Means::add(const JobCollective& row, Mean& mean) const {
  const auto divisor = static_cast<double>(ranks_) * static_cast<double>(row.setup || steps_ == 0 ? 1 : steps_);
  mean.calls += static_cast<double>(row.amount.count.sum) / divisor;
  mean.bytes += static_cast<double>(row.amount.bytes.sum) / divisor;
}

void CallSpread::add(const JobCollective& row, const JobReport& job) {
  const RankRanges ranks = row.rank_set < job.rank_sets.size() ? job.rank_sets[row.rank_set] : RankRanges();
  has_unranked_ = has_unranked_ || row.amount.ranks != countOf(ranks);
  if (row.amount.count.min != row.amount.count.max) {
    uneven_.push_back(&row);
    return;
  }
  const auto calls = static_cast<int64_t>(row.amount.count.sum / std::max<uint64_t>(row.amount.ranks, 1));
  for (const auto& [first, last] : ranks) {
    changes_[first] += calls;
    changes_[last + 1] -= calls;
  }
}

CallSpread::RanksByCalls CallSpread::evenCalls(const RankRanges& all) const {
  RanksByCalls ranks_by_calls;
  int64_t calls = 0;
  size_t others = countOf(all);
  for (auto change = changes_.begin(); change != changes_.end() && std::next(change) != changes_.end(); ++change) {
    calls += change->second;
    const size_t ranks = countOf(intersectionOf(all, {{change->first, std::next(change)->first - 1}}));
    ranks_by_calls[calls] += ranks;
    others -= ranks;
  }
  ranks_by_calls[0] += others;
  std::erase_if(ranks_by_calls, [](const auto& part) { return part.second == 0; });
  return ranks_by_calls;
}

std::string CallSpread::text(const JobReport& job, uint64_t steps) const {
  RanksByCalls ranks_by_calls = evenCalls(job.ranks);
  if (has_unranked_ || ranks_by_calls.empty()) {
    return "";
  }
  if (uneven_.size() > 1 || (!uneven_.empty() && ranks_by_calls.size() > 1)) {
    return "ranks differ";
  }
  if (!uneven_.empty()) {
    const auto [base, ranks] = *ranks_by_calls.begin();
    const RankedAmount& amount = uneven_.front()->amount;
    ranks_by_calls = {{base, ranks - amount.ranks}};
    ranks_by_calls[base + static_cast<int64_t>(amount.count.min)] += 1;
    ranks_by_calls[base + static_cast<int64_t>(amount.count.max)] += amount.ranks - 1;
    std::erase_if(ranks_by_calls, [](const auto& part) { return part.second == 0; });
  }
  if (ranks_by_calls.size() == 1) {
    return "";
  }
  const auto number = [steps](int64_t sum) {
    return countText(static_cast<double>(sum) / static_cast<double>(std::max<uint64_t>(steps, 1)));
  };
  const auto idle = ranks_by_calls.extract(0);
  const size_t all = countOf(job.ranks);
  return number(ranks_by_calls.begin()->first) +
         (ranks_by_calls.size() > 1 ? " to " + number(ranks_by_calls.rbegin()->first) : "") +
         (idle ? fmt::format(" on {} of {}", all - idle.mapped(), counted(all, "rank")) : "");
}

std::string unitText(const Means& means) {
  const std::string ranks = counted(means.ranks(), "rank");
  return means.steps() == 0 ? fmt::format("Per rank: the mean of {}; the run has no training steps", ranks)
                            : fmt::format(
                                  "Per rank and step: all but set-up, divided by {} and {}{}{}",
                                  ranks,
                                  counted(means.steps(), "step"),
                                  means.isOneOpenStep() ? "; none was seen to end (show --steps says why)" : "",
                                  means.outside());
}

Mean Means::setupOf(const JobReport& job) const {
  Mean setup;
  for (const JobCollective& row : job.collectives) {
    if (row.setup) {
      add(row, setup);
    }
  }
  return setup;
}

std::string setupText(const JobReport& job, const Means& means) {
  const Mean setup = means.setupOf(job);
  CallSpread spread;
  for (const JobCollective& row : job.collectives) {
    if (row.setup) {
      spread.add(row, job);
    }
  }
  const std::string by_rank = spread.text(job, 1);
  return setup.calls == 0 ? ""
                          : fmt::format(
                                "set-up, before the first forward: {} {} and {} per rank{}",
                                countText(setup.calls),
                                setup.calls == 1 ? "call" : "calls",
                                humanBytes(setup.bytes),
                                by_rank.empty() ? "" : " (calls: " + by_rank + ")");
}

namespace {

constexpr size_t kNameColumns = 50;

std::string timeText(const JobReport& job) {
  std::string text = ", started " + formatSecond(job.started_at_ns) + "Z";
  if (job.ended_at_ns && *job.ended_at_ns >= job.started_at_ns) {
    text += " (" + humanDuration(static_cast<double>(*job.ended_at_ns - job.started_at_ns)) + ")";
  }
  return text;
}

std::string runLine(const JobReport& job, int64_t first_attempt, int64_t last_attempt) {
  std::string line = "run " + inert(job.run_id.empty() ? "without an id" : job.run_id);
  line += job.name.empty() ? "" : " (" + shorten(inert(job.name), kNameColumns) + ")";
  line += timeText(job);
  line += job.planned ? ", planned: nothing was communicated" : "";
  line += job.torch_version.empty() ? "" : ", torch " + inert(job.torch_version);
  line += '\n';
  if (first_attempt != last_attempt) {
    line += fmt::format("attempt {} of {} to {} (--attempt N)\n", job.attempt, first_attempt, last_attempt);
  }
  return line;
}

std::string ranksLine(const JobReport& job, Scope scope) {
  const std::string world = job.world_size ? std::to_string(*job.world_size) : "an unknown number";
  const size_t ranks = countOf(job.ranks);
  std::string line;
  if (scope == Scope::kProcess && ranks == 1) {
    line = fmt::format("rank {} of {}", rankText(job.ranks), world);
  } else if (ranks > 0) {
    const char* const what = scope == Scope::kRun ? "sum over " : "";
    line = fmt::format("{}{} of {} ranks: {}", what, ranks, world, rankText(job.ranks));
  }
  if (const size_t unranked = unrankedOf(job); unranked > 0) {
    line += (line.empty() ? "" : ", and ") + counted(unranked, "process", "processes") + " without a rank";
  }
  return line + "\n";
}

std::string exitLines(const JobReport& job, const Color& color) {
  std::string lines;
  for (const ExitSummary& exit : exitsOf(job)) {
    const std::string line = exitText(exit);
    lines += line.empty()
                 ? ""
                 : (exit.hasEndedBadly() || exit.exit == ExitKind::kRunning ? color.warning(line) : line) + "\n";
  }
  return lines;
}

std::string notSeenLines(const JobReport& job, const Color& color) {
  std::string lines;
  for (const NotSeenSummary& item : job.not_seen) {
    lines += "  " + notSeenText(item) + "\n";
  }
  return lines.empty()
             ? ""
             : color.warning("NOT SEEN: missing from the numbers below, or attributed to another row") + "\n" + lines;
}

} // namespace

std::string headerText(const JobReport& job, Scope scope, const Color& color) {
  const bool has_attempts = !job.attempts.empty();
  std::string text =
      runLine(job, has_attempts ? job.attempts.front() : job.attempt, has_attempts ? job.attempts.back() : job.attempt);
  text += ranksLine(job, scope);
  if (!job.missing.empty() && scope != Scope::kProcess) {
    text += color.warning("no report of " + ranksText(job.missing)) + "\n";
  }
  if (job.other_runs > 0) {
    text += leftOutText(job.other_runs) + "\n";
  }
  if (const ProcessesOfRank lives = processesOfRank(job); lives.count > 1 && scope != Scope::kProcess) {
    text += fmt::format(
        "{} processes of a rank {}are added up{}: the numbers, also those per step, are their sums\n",
        lives.count,
        lives.follow ? "" : "ran at the same time and ",
        lives.follow ? ", as in a sweep" : "");
  }
  return text + exitLines(job, color) + notSeenLines(job, color);
}

std::string leftOutText(uint64_t runs) {
  return counted(runs, "other run") + " left out (commtap list, --run ID)";
}

std::string headerText(const JobReport& job, const Color& color) {
  return headerText(job, Scope::kRun, color);
}

std::string notSeenText(const NotSeenSummary& summary) {
  const NotSeenEntry& entry = summary.entry;
  return fmt::format(
      "{} {}: {}{}{}",
      entry.count,
      inert(entry.reason),
      inert(entry.meaning),
      entry.detail.empty() ? "" : "; first: " + inert(entry.detail),
      summary.ranks.empty() ? "" : " (" + ranksText(summary.ranks) + ")");
}

std::string endText(const ExitSummary& exit) {
  const std::string signal = exit.signal ? signalName(static_cast<int>(*exit.signal)) : "";
  switch (exit.exit) {
    case ExitKind::kRunning:
      return "still running, or on a machine that cannot be checked: the numbers are current values";
    case ExitKind::kSignal:
      return "ended by " + (signal.empty() ? "a signal" : signal);
    case ExitKind::kKilled:
      return (signal.empty() ? "crashed or killed (the signal is not known)"
                             : "killed after the launcher sent " + signal) +
             "; the numbers end at that moment";
    case ExitKind::kAfterWork:
      return "ended by a signal or its launcher after the work; the numbers are whole";
    case ExitKind::kNormal:
    case ExitKind::kUnderscoreExit:
      break;
  }
  return exit.hasFailed() ? fmt::format("ended with status {}", *exit.status) : "";
}

std::string exitText(const ExitSummary& exit) {
  std::string who = exit.ranks.empty() ? "" : ranksText(exit.ranks);
  if (exit.unranked > 0) {
    who += (who.empty() ? "" : ", ") + counted(exit.unranked, "process", "processes") + " without a rank";
  }
  const std::string end = endText(exit);
  return end.empty() ? "" : who + ": " + end;
}

std::vector<std::string> badEnds(const std::vector<const JobReport*>& jobs) {
  std::vector<std::string> lines;
  for (const JobReport* const job : jobs) {
    for (const ExitSummary& exit : exitsOf(*job)) {
      if (exit.hasEndedBadly()) {
        lines.push_back(job->source + ": " + exitText(exit));
      }
    }
  }
  return lines;
}

std::string sizeText(uint32_t size) {
  return size == 0 ? "?" : std::to_string(size);
}

namespace {

/// The parts of a row's key that its name may lack.
using Parts = std::vector<std::string>;

std::string asyncText(AsyncOp async_op) {
  return async_op == AsyncOp::kYes ? "async" : async_op == AsyncOp::kNo ? "not async" : "";
}

Parts partsOf(const JobCollective& row) {
  return {
      row.op,
      row.dtype,
      row.reduce_op,
      asyncText(row.async_op),
      row.issued_in == row.module ? "" : "issued in " + row.issued_in,
      row.compiled ? "compiled" : ""};
}

/// Writes into `texts` the parts in which the rows at `places` differ.
void addDistinctions(const std::vector<std::pair<size_t, Parts>>& places, std::vector<std::string>& texts) {
  for (size_t part = 0; part < places.front().second.size(); ++part) {
    const std::string& first = places.front().second[part];
    const bool differs =
        std::any_of(places.begin(), places.end(), [&](const auto& place) { return place.second[part] != first; });
    for (const auto& [place, parts] : places) {
      if (differs && !parts[part].empty()) {
        texts[place] += ", " + inert(parts[part]);
      }
    }
  }
}

} // namespace

std::vector<std::string> distinctionsOf(
    std::span<const JobCollective* const> rows,
    std::span<const std::string> names) {
  std::map<std::string, std::vector<std::pair<size_t, Parts>>> by_name;
  for (size_t i = 0; i < rows.size(); ++i) {
    by_name[names[i]].emplace_back(i, partsOf(*rows[i]));
  }
  std::vector<std::string> texts(rows.size());
  for (const auto& [name, places] : by_name) {
    addDistinctions(places, texts);
  }
  return texts;
}

std::string adviceShareText(const Advice& advice, const JobReport& job) {
  const Means means(job);
  Mean all;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      means.add(row, all);
    }
  }
  Mean part;
  for (const JobCollective* row : advice.rows) {
    if (!row->setup) {
      means.add(*row, part);
    }
  }
  const bool saves_bytes = advice.bytes > 0 && part.bytes * 100 >= all.bytes; // the calls of numbers say more
  const double of_calls = advice.calls > 0 ? part.calls / all.calls : 0;
  const double share = saves_bytes ? part.bytes / all.bytes : of_calls;
  return share > 0
             ? fmt::format("; its rows have {} of the {}", percentText(100 * share), saves_bytes ? "bytes" : "calls")
             : "";
}

std::string adviceMemoryText(const Advice& advice) {
  return advice.memory_bytes > 0 ? fmt::format("; keeping it takes about {} per rank", humanBytes(advice.memory_bytes))
                                 : "";
}

std::string placeOf(const JobReport& job, const std::string& path) {
  return pathWord(path) + (job.other_runs > 0 ? " --run " + pathWord(job.run_id) : "");
}

std::string adviceLine(const std::vector<Advice>& advice, const std::string& amount, const std::string& place) {
  if (advice.empty()) {
    return "";
  }
  const std::string more = advice.size() > 1 ? fmt::format(" and {} more", advice.size() - 1) : "";
  return fmt::format("advice: {}{}{}: commtap advise {}\n", advice[0].rule->name, amount, more, place);
}

std::string groupLabel(const JobGroup& group) {
  const bool is_known = !group.desc.empty() || group.members.size() != 1;
  return inert(group.name) + (is_known ? "" : " [" + rangesText(group.members.front()) + "]");
}

} // namespace commtap
