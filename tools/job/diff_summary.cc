// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/diff_summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tools/job/change_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// A change, and by how much it changes the mean over all ranks: in bytes, or in calls if the bytes are equal.
struct MeanDelta {
  const ChangeBundle* change = nullptr;
  double delta = 0;
};

bool hasEqualBytes(const Change& change) {
  return isNear(change.before.bytes, change.after.bytes);
}

bool hasEqualCalls(const Change& change) {
  return isNear(change.before.count, change.after.count);
}

std::string meanCalls(double count) {
  return countText(count) + (count == 1 ? " call" : " calls");
}

/// Returns "3 more calls (24 to 27)".
std::string moreCalls(const Change& change) {
  const double delta = change.countDelta();
  return fmt::format(
      "{} {} {} ({} to {})",
      countText(std::abs(delta)),
      delta > 0 ? "more" : "fewer",
      std::abs(delta) == 1 ? "call" : "calls",
      countText(change.before.count),
      countText(change.after.count));
}

/// Returns "12.5 % more bytes", or "4.00 MiB more" if there were none before, or the share would round to nothing.
std::string moreBytes(const Change& change) {
  constexpr double kLeastPercent = 0.001;
  const double delta = change.bytesDelta();
  const bool is_more = delta > 0;
  if (change.before.bytes == 0 || std::abs(delta) / change.before.bytes * 100 < kLeastPercent) {
    return humanBytes(std::abs(delta)) + (is_more ? " more" : " less");
  }
  return percentText(change.before.bytes, change.after.bytes).substr(1) + (is_more ? " more bytes" : " fewer bytes");
}

/// Returns how an amount changed; `unit`: "per rank and step".
std::string amountWords(const Change& change, const std::string& unit) {
  if (hasEqualBytes(change)) {
    const std::string bytes = humanBytes(change.after.bytes);
    return hasEqualCalls(change) ? fmt::format("as much {} ({} in {})", unit, bytes, meanCalls(change.after.count))
                                 : fmt::format("as many bytes {} ({}) in {}", unit, bytes, moreCalls(change));
  }
  return fmt::format(
      "{} {} ({} to {}), {}",
      moreBytes(change),
      unit,
      humanBytes(change.before.bytes),
      humanBytes(change.after.bytes),
      hasEqualCalls(change) ? "in as many calls (" + countText(change.after.count) + ")" : moreCalls(change));
}

/// Returns the share of the mean over all ranks of a job that a row of a bundle has.
double perRankOfJob(uint64_t sum, const JobReport& job, uint64_t steps) {
  return static_cast<double>(sum) / static_cast<double>(rankCount(job)) /
         static_cast<double>(std::max<uint64_t>(steps, 1));
}

/// Returns the changes in set-up or those outside of it, the largest growth first.
std::vector<MeanDelta> deltasOf(const JobDiff& diff, bool setup, uint64_t PerRank::*sum) {
  const ComparedSteps steps = setup ? ComparedSteps() : diff.steps;
  std::vector<MeanDelta> parts;
  for (const ChangeBundle& each : diff.changes) {
    if (!diff.steps.arePerStep() || each.first.setup == setup) {
      const double delta = perRankOfJob(each.change.after.*sum, *diff.after, steps.after) -
                           perRankOfJob(each.change.before.*sum, *diff.before, steps.before);
      parts.push_back({&each, delta * static_cast<double>(each.modules.size())});
    }
  }
  std::stable_sort(
      parts.begin(), parts.end(), [](const MeanDelta& a, const MeanDelta& b) { return a.delta > b.delta; });
  return parts;
}

/// Removes each new row together with one of its kind that is gone and had as much: these only moved. Leaves all if no
/// other row changed.
std::vector<MeanDelta> withoutMoved(std::vector<MeanDelta> parts) {
  const std::vector<MeanDelta> all = parts;
  const auto is_new = [](const MeanDelta& part) { return part.change->change.before.ranks == 0; };
  for (const MeanDelta& gone : all) {
    const auto moved = std::find_if(parts.begin(), parts.end(), [&](const MeanDelta& part) {
      return gone.change->change.after.ranks == 0 && is_new(part) && isNear(part.delta, -gone.delta) &&
             part.change->first.kind == gone.change->first.kind;
    });
    if (moved != parts.end()) {
      parts.erase(moved);
      std::erase_if(parts, [&gone](const MeanDelta& part) { return part.change == gone.change; });
    }
  }
  return parts.empty() ? all : parts;
}

/// Returns where an amount changed; "" if nothing did. `net`: how much it changed in all, tolerated changes included.
std::string whereWords(const std::vector<MeanDelta>& parts, double net) {
  double grown = 0;
  double fallen = 0;
  for (const MeanDelta& part : parts) {
    (part.delta > 0 ? grown : fallen) += std::abs(part.delta);
  }
  if (parts.empty()) {
    return "";
  }
  const MeanDelta& most = net < 0 ? parts.back() : parts.front();
  const double same = net < 0 ? fallen : grown;
  const double against = net < 0 ? grown : fallen;
  if (parts.size() == 1) {
    return (isNear(most.delta, net) ? ": " : ": mostly ") + rowText(*most.change);
  }
  if (net != 0 && against <= same / 4) { // what is against it takes little from it
    const bool is_most = std::abs(most.delta) * 2 >= std::max(same, std::abs(net));
    return (is_most ? ": mostly " : "; the largest part is ") + rowText(*most.change);
  }
  if (grown == 0 && fallen == 0) {
    return ", but not on the same ranks: " + rowText(*most.change) + fmt::format(" and {} more", parts.size() - 1);
  }
  return "; the largest growth is " + rowText(*parts.front().change) + ", the largest decrease " +
         rowText(*parts.back().change);
}

/// Returns how the amounts in set-up or outside of it changed, and where.
std::string partWords(const JobDiff& diff, const Change& change, bool setup, const std::string& unit) {
  const bool equal_bytes = hasEqualBytes(change);
  const std::vector<MeanDelta> parts =
      withoutMoved(deltasOf(diff, setup, equal_bytes ? &PerRank::count_sum : &PerRank::bytes_sum));
  const double net = equal_bytes ? change.countDelta() : change.bytesDelta();
  return amountWords(change, unit) + whereWords(parts, equal_bytes && hasEqualCalls(change) ? 0 : net);
}

} // namespace

std::string diffSummary(const JobDiff& diff) {
  const std::string dtypes =
      diff.dtypes.empty()
          ? ""
          : diff.dtypes.front() + (diff.dtypes.size() > 1 ? fmt::format(", and {} more", diff.dtypes.size() - 1) : "");
  if (diff.changes.empty()) {
    const std::string same = diff.bucketed == 0 ? "" : ", except for " + bucketedText(diff);
    return !dtypes.empty() ? "the same calls and bytes" + same + ", in other dtypes: " + inert(dtypes)
           : same.empty()  ? "no differences"
                           : "the same" + same;
  }
  const bool per_step = diff.steps.arePerStep();
  std::string text =
      "communicates " + partWords(diff, diff.total, false, per_step ? "per rank and step" : "per rank and run");
  const bool has_setup =
      std::any_of(diff.changes.begin(), diff.changes.end(), [](const ChangeBundle& each) { return each.first.setup; });
  if (per_step && has_setup) {
    text += "; in set-up " + partWords(diff, diff.setup, true, "per rank");
  }
  return text + (dtypes.empty() ? "" : "; " + inert(dtypes));
}

} // namespace commtap
