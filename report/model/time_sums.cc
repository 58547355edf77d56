// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/time_sums.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/model/amounts.h"
#include "report/model/saturating.h"

namespace commtap {

bool leavesTogether(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kAllGather || kind == Kind::kReduceScatter ||
         kind == Kind::kAllToAll || kind == Kind::kBarrier;
}

TimeSums::Sum& TimeSums::sumOf(const Collective& row, const Group* group) {
  TimeTotals head;
  if (by_ == TimesBy::kModule) {
    head.module = row.module;
    head.label = row.label;
    head.setup = row.setup;
  }
  head.kind = row.kind;
  head.group = row.group;
  if (group != nullptr) {
    head.group = groupTitle(*group);
    head.backend = group->backend;
    head.group_size = group->size;
  }
  Sum& sum = sums_[{head.module, head.label, head.setup, head.kind, head.group, head.backend, head.group_size}];
  if (sum.totals.count == 0) {
    sum.totals = std::move(head);
  }
  return sum;
}

void TimeSums::add(const Report& report) {
  std::unordered_map<std::string_view, const Group*> groups;
  for (const Group& group : report.groups) {
    groups.emplace(group.name, &group);
  }
  for (const Collective& row : report.collectives) {
    if (!row.time.isKnown() || (phase_ && row.phase != *phase_)) {
      continue;
    }
    const auto known = groups.find(row.group);
    const Group* group = known == groups.end() ? nullptr : known->second;
    Sum& sum = sumOf(row, group);
    addSaturating(sum.totals.count, row.count);
    sum.totals.time += row.time;
    const Durations& running = row.time.of(DurationKind::kRunning);
    if (running.count > 0 && group != nullptr && leavesTogether(row.kind)) {
      Arrivals& arrivals = sum.groups[group->ranks];
      addSaturating(arrivals.coming.calls, row.count);
      addSaturating(arrivals.coming.count, running.count);
      addSaturating(arrivals.coming.running_ns, running.sum_ns);
      addSaturating(arrivals.coming.exposed_ns, row.time.of(DurationKind::kExposed).sum_ns);
      coming_.insert(&arrivals);
    }
  }
}

void TimeSums::endRank(std::optional<int64_t> rank) {
  for (Arrivals* arrivals : coming_) {
    const RankTimes coming = std::exchange(arrivals->coming, RankTimes());
    const double mean = static_cast<double>(coming.running_ns) / static_cast<double>(coming.count);
    if (by_ == TimesBy::kGroup) {
      arrivals->all.push_back(coming);
    }
    if (!rank) {
      continue;
    }
    const bool is_first = arrivals->ranks++ == 0;
    if (is_first || mean < arrivals->shortest_ns) {
      arrivals->shortest_ns = mean;
      arrivals->last_rank = *rank;
    }
    arrivals->longest_ns = is_first ? mean : std::max(arrivals->longest_ns, mean);
  }
  coming_.clear();
}

/// Returns the straggler of the process group with the largest delay.
std::optional<Straggler> TimeSums::stragglerOf(const Sum& sum) {
  std::optional<Straggler> worst;
  for (const auto& [members, arrivals] : sum.groups) {
    const double late_by_ns = arrivals.longest_ns - arrivals.shortest_ns;
    if (arrivals.ranks > 1 && (!worst || worst->late_by_ns < late_by_ns)) {
      worst = {arrivals.last_rank, late_by_ns};
    }
  }
  return worst;
}

/// Returns nullopt if nothing was exposed, or the ranks of a process group cannot be compared.
std::optional<ExposedCauses> TimeSums::causesOf(const Sum& sum) {
  ExposedCauses causes;
  for (const auto& [members, arrivals] : sum.groups) {
    uint64_t network_ns = UINT64_MAX;
    for (const RankTimes& rank : arrivals.all) {
      if (arrivals.all.size() < 2 || rank.count != arrivals.all.front().count || rank.count < rank.calls) {
        return std::nullopt;
      }
      network_ns = std::min(network_ns, rank.running_ns);
    }
    for (const RankTimes& rank : arrivals.all) {
      // The end of a collective is the network's: exposed time that is shorter is not a wait for ranks.
      const uint64_t beyond_ns = rank.exposed_ns - std::min(rank.exposed_ns, network_ns);
      const uint64_t late_ns = std::min(beyond_ns, rank.running_ns - network_ns);
      addSaturating(causes.late_peer_ns, late_ns);
      addSaturating(causes.network_ns, rank.exposed_ns - late_ns);
    }
  }
  uint64_t all_ns = causes.late_peer_ns;
  addSaturating(all_ns, causes.network_ns);
  const bool is_all = all_ns == sum.totals.time.of(DurationKind::kExposed).sum_ns;
  return all_ns > 0 && is_all ? std::optional(causes) : std::nullopt;
}

std::vector<TimeTotals> TimeSums::take() {
  std::vector<TimeTotals> all;
  for (auto& [key, sum] : sums_) {
    sum.totals.straggler = stragglerOf(sum);
    sum.totals.causes = causesOf(sum);
    all.push_back(std::move(sum.totals));
  }
  sums_.clear();
  coming_.clear();
  std::stable_sort(all.begin(), all.end(), [](const TimeTotals& a, const TimeTotals& b) {
    return a.time.of(DurationKind::kExposed).sum_ns > b.time.of(DurationKind::kExposed).sum_ns;
  });
  return all;
}

} // namespace commtap
