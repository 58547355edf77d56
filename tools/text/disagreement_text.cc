// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/call_text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxValues = 4;
constexpr size_t kMaxDisagreementLines = 20;

/// Returns how a process ended, for one or some of several ranks; "" if it ended normally.
std::string endText(const JobProcess& process, bool is_one) {
  switch (process.exit) {
    case ExitKind::kKilled:
      return is_one ? " (killed)" : " (some were killed)";
    case ExitKind::kSignal: {
      const std::string signal = process.exit_signal ? signalName(static_cast<int>(*process.exit_signal)) : "a signal";
      return is_one ? " (ended by " + signal + ")" : " (some ended by " + signal + ")";
    }
    case ExitKind::kRunning:
      return is_one ? " (still running)" : " (some are still running)";
    case ExitKind::kNormal:
    case ExitKind::kUnderscoreExit:
    case ExitKind::kAfterWork:
      break;
  }
  if (process.exit_status.value_or(0) != 0) {
    return fmt::format(" ({}ended with status {})", is_one ? "" : "some ", *process.exit_status);
  }
  return {};
}

/// Returns how the processes of a few ranks ended, if that explains why they have less.
std::string endText(const RankRanges& ranks, const JobReport& job) {
  constexpr size_t kFew = 8;
  if (countOf(ranks) > kFew) {
    return {};
  }
  for (const JobProcess& process : job.processes) {
    const bool is_here = process.rank && std::any_of(ranks.begin(), ranks.end(), [&](const RankRange& range) {
                           return range.first <= *process.rank && *process.rank <= range.second;
                         });
    const std::string text = is_here ? endText(process, countOf(ranks) == 1) : "";
    if (!text.empty()) {
      return text;
    }
  }
  return {};
}

std::string amountText(const Disagreement& disagreement, const Disagreement::Value& value, bool is_first) {
  if (disagreement.what == Disagreement::What::kBytes) {
    return humanBytes(value.bytes.value_or(0));
  }
  return fmt::format("{}{}", value.count, is_first ? (value.count == 1 ? " call" : " calls") : "");
}

std::string callText(const Disagreement::Value& value) {
  const std::string bytes = value.bytes ? " of " + humanBytes(*value.bytes) : "";
  return fmt::format(
      "{}{} in {}{}", kindName(value.call->kind), bytes, inert(value.call->module), factsText(*value.call));
}

std::string valuesText(const Disagreement& disagreement, const JobReport& job) {
  std::string text;
  for (size_t i = 0; i < std::min(disagreement.values.size(), kMaxValues); ++i) {
    const Disagreement::Value& value = disagreement.values[i];
    text += i == 0 ? ": " : "; ";
    text += (value.call ? callText(value) : amountText(disagreement, value, i == 0)) + " on " + ranksText(value.ranks);
    text += i == 0 ? "" : endText(value.ranks, job);
  }
  return text + (disagreement.values.size() > kMaxValues ? "; ..." : "");
}

std::string samenessOf(const Disagreement::Value& value) {
  const std::string call = value.call ? fmt::format(
                                            "{}\n{}\n{}\n{}",
                                            value.call->module,
                                            value.call->op,
                                            kindName(value.call->kind),
                                            factsText(*value.call))
                                      : "";
  return fmt::format("{}\n{}\n{}", value.count, value.bytes ? std::to_string(*value.bytes) : "", call);
}

/// Returns a text that is equal for disagreements that differ only in their ranks.
std::string samenessOf(const Disagreement& each) {
  std::string text = fmt::format(
      "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
      disagreementName(each.what),
      each.group,
      each.sequence,
      each.module,
      each.phase ? phaseName(*each.phase) : "",
      each.op,
      kindName(each.kind),
      each.dtype,
      each.reduce_op);
  for (const Disagreement::Value& value : each.values) {
    text += "\n" + samenessOf(value);
  }
  return text;
}

RankRanges united(const RankRanges& a, const RankRanges& b) {
  std::vector<int64_t> ranks;
  for (const RankRanges* ranges : {&a, &b}) {
    for (const auto& [first, last] : *ranges) {
      for (int64_t rank = first; rank <= last; ++rank) {
        ranks.push_back(rank);
      }
    }
  }
  return rankRanges(std::move(ranks));
}

/// Adds the ranks of a disagreement that differs in nothing else.
void addRanks(const Disagreement& each, DisagreementBundle& bundle) {
  ++bundle.groups;
  Disagreement& sum = bundle.disagreement;
  sum.members.insert(sum.members.end(), each.members.begin(), each.members.end());
  for (size_t i = 0; i < sum.values.size(); ++i) {
    sum.values[i].ranks = united(sum.values[i].ranks, each.values[i].ranks);
  }
}

} // namespace

std::string ranksText(const RankRanges& ranks) {
  return (countOf(ranks) == 1 ? "rank " : "ranks ") + rankText(ranks);
}

std::vector<DisagreementBundle> bundled(std::span<const Disagreement> disagreements) {
  std::map<std::string, size_t> places;
  std::vector<DisagreementBundle> bundles;
  for (const Disagreement& each : disagreements) {
    const auto [place, is_new] = places.emplace(samenessOf(each), bundles.size());
    if (is_new) {
      bundles.push_back({each, 1});
    } else {
      addRanks(each, bundles[place->second]);
    }
  }
  return bundles;
}

std::string disagreementText(const Disagreement& disagreement, const JobReport& job) {
  return disagreementText(DisagreementBundle{disagreement, 1}, job);
}

std::string disagreementText(const DisagreementBundle& bundle, const JobReport& job) {
  const Disagreement& disagreement = bundle.disagreement;
  const RankRanges members = rankRanges({disagreement.members.begin(), disagreement.members.end()});
  const std::string groups = bundle.groups > 1 ? fmt::format(" ({} groups, alike)", bundle.groups) : "";
  const std::string where =
      fmt::format("on {} of {}{}", inert(job.groups[disagreement.group].name), ranksText(members), groups);
  if (disagreement.what == Disagreement::What::kUnmatched) {
    const Disagreement::Value& sent = disagreement.values[0];
    const Disagreement::Value& received = disagreement.values[1];
    return fmt::format(
        "sends without matching receives {}: {} sends of {}, {} receives of {}",
        where,
        sent.count,
        humanBytes(sent.bytes.value_or(0)),
        received.count,
        humanBytes(received.bytes.value_or(0)));
  }
  if (disagreement.what == Disagreement::What::kOrder) {
    return fmt::format("different collectives as number {} {}", disagreement.sequence, where) +
           valuesText(disagreement, job);
  }
  const std::string phase(disagreement.phase ? phaseName(*disagreement.phase) : "");
  return fmt::format("{} in {} ({}) {}", kindName(disagreement.kind), inert(disagreement.module), phase, where) +
         valuesText(disagreement, job);
}

namespace {

/// Ranks that run, or that ended badly, may differ for no other reason.
std::string_view titleOf(const Disagreement& disagreement, bool runs, bool ended_badly) {
  switch (disagreement.what) {
    case Disagreement::What::kModule:
      return "Ranks agree on the number of calls, not on the module";
    case Disagreement::What::kStopped:
      return "Ranks were killed, and stopped at different points of one sequence (as after a hang: commtap show "
             "--last)";
    default:
      return mayYetAgree(disagreement, runs)
                 ? "RANKS DIFFER SO FAR: some still run, or their end is not known (commtap why)"
             : ended_badly ? "RANKS DISAGREE, and ranks failed or were killed: see commtap why"
                           : "RANKS DISAGREE: likely a hang or a bug";
  }
}

} // namespace

std::string disagreementLines(const JobReport& job, const Color& color) {
  const std::vector<DisagreementBundle> bundles = bundled(job.disagreements);
  const bool runs = isRunning(job);
  const bool ended_badly = hasEndedBadly(job);
  std::string text;
  std::string_view title;
  uint64_t shown = 0;
  for (size_t i = 0; i < std::min(bundles.size(), kMaxDisagreementLines); ++i) {
    const std::string_view above = std::exchange(title, titleOf(bundles[i].disagreement, runs, ended_badly));
    text += title == above ? "" : color.warning(title) + "\n";
    text += "  " + disagreementText(bundles[i], job) + "\n";
    shown += bundles[i].groups;
  }
  if (job.disagreements_found > shown) {
    text += fmt::format("  and {} more: commtap export --format job\n", job.disagreements_found - shown);
  }
  return text;
}

} // namespace commtap
