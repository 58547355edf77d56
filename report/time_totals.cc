// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/time_totals.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/totals.h"

namespace commtap {
namespace {

/// Whether every rank has to come before any can leave.
bool leavesTogether(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kAllGather || kind == Kind::kReduceScatter ||
         kind == Kind::kAllToAll || kind == Kind::kBarrier;
}

/// The running times of each rank in one process group.
class RankTimes {
 public:
  void add(int64_t rank, const Durations& running) {
    ranks_[rank] += running;
  }

  /// nullopt for fewer than two ranks.
  std::optional<Straggler> straggler() const {
    if (ranks_.size() < 2) {
      return std::nullopt;
    }
    const auto shorter = [](const auto& a, const auto& b) { return mean(a.second) < mean(b.second); };
    const auto [last, first] = std::minmax_element(ranks_.begin(), ranks_.end(), shorter);
    return Straggler{last->first, mean(first->second) - mean(last->second)};
  }

 private:
  static double mean(const Durations& running) {
    return static_cast<double>(running.sum_ns) / static_cast<double>(running.count);
  }

  std::map<int64_t, Durations> ranks_;
};

/// "dp" are several groups, each of which waits for itself alone.
using Members = std::vector<uint32_t>;

struct Sum {
  TimeTotals totals;
  std::map<Members, RankTimes> groups;
};

const Group* groupOf(const Report& report, const Collective& row) {
  const auto found = std::find_if(
      report.groups.begin(), report.groups.end(), [&row](const Group& group) { return group.name == row.group; });
  return found == report.groups.end() ? nullptr : &*found;
}

void add(const Report& report, const Collective& row, Sum& sum) {
  sum.totals.count += row.count;
  sum.totals.time += row.time;
  const Durations& running = row.time.of(DurationKind::kRunning);
  const Group* group = groupOf(report, row);
  if (running.count > 0 && group != nullptr && report.job.rank && leavesTogether(row.kind)) {
    sum.groups[group->ranks].add(*report.job.rank, running);
  }
}

TimeTotals totalsOf(Sum& sum) {
  for (const auto& [members, times] : sum.groups) {
    const std::optional<Straggler> straggler = times.straggler();
    if (straggler && (!sum.totals.straggler || sum.totals.straggler->late_by_ns < straggler->late_by_ns)) {
      sum.totals.straggler = straggler;
    }
  }
  return std::move(sum.totals);
}

} // namespace

std::vector<TimeTotals> timeTotals(std::span<const Report* const> reports, TimesBy by, std::optional<Phase> phase) {
  std::map<std::tuple<std::string, Kind, std::string>, Sum> sums;
  for (const Report* report : reports) {
    for (const Collective& row : report->collectives) {
      if (row.time.isKnown() && (!phase || row.phase == *phase)) {
        const std::string module = by == TimesBy::kModule ? row.module : "";
        const std::string& title = groupTitle(*report, row.group);
        Sum& sum = sums[{module, row.kind, title}];
        sum.totals.module = module;
        sum.totals.kind = row.kind;
        sum.totals.group = title;
        add(*report, row, sum);
      }
    }
  }
  std::vector<TimeTotals> all;
  for (auto& [key, sum] : sums) {
    all.push_back(totalsOf(sum));
  }
  std::stable_sort(all.begin(), all.end(), [](const TimeTotals& a, const TimeTotals& b) {
    return a.time.of(DurationKind::kBlocked).sum_ns > b.time.of(DurationKind::kBlocked).sum_ns;
  });
  return all;
}

} // namespace commtap
