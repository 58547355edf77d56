// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/amounts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/model/saturating.h"

namespace commtap {

StepAmount sumOf(const Step& step) {
  StepAmount sum;
  for (const StepAmount& amount : step.collectives) {
    addSaturating(sum.count, amount.count);
    addSaturating(sum.bytes, amount.bytes);
    addSaturating(sum.running_ns, amount.running_ns);
    addSaturating(sum.exposed_ns, amount.exposed_ns);
  }
  return sum;
}

std::vector<StepPlace> placesOf(std::span<const Step> steps) {
  const bool trains = std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.training_steps; });
  std::vector<StepPlace> places;
  uint64_t trained = steps.empty() ? 0 : steps.front().first_step;
  for (const Step& step : steps) {
    const uint64_t training = step.training_steps.value_or(0);
    places.push_back(trains ? StepPlace(trained, training) : StepPlace(step.first_step, step.steps));
    addSaturating(trained, training);
  }
  return places;
}

uint64_t stepsOf(const Report& report) {
  const std::vector<StepPlace> places = placesOf(report.steps);
  uint64_t end = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    auto [end_of_step, steps] = places[i];
    addSaturating(end_of_step, steps);
    const Step& step = report.steps[i];
    const bool is_made = step.training_steps || step.ended_at_ns || sumOf(step).count > 0;
    end = is_made ? std::max(end, end_of_step) : end;
  }
  return end;
}

std::optional<uint64_t> endedSteps(const Report& report) {
  if (report.steps.empty()) {
    return std::nullopt;
  }
  const Step& last = report.steps.back();
  const bool trains = std::any_of(
      report.steps.begin(), report.steps.end(), [](const Step& step) { return step.training_steps.has_value(); });
  return trains ? stepsOf(report) : last.first_step + (last.ended_at_ns ? last.steps : 0);
}

bool isDescribed(const Group& group) {
  return !group.desc.empty() && group.desc != "undefined";
}

const std::string& groupTitle(const Group& group) {
  return isDescribed(group) ? group.desc : group.name;
}

std::vector<GroupIdentity> identitiesOf(const std::vector<Group>& groups) {
  const auto is_before = [](const std::vector<uint32_t>* a, const std::vector<uint32_t>* b) { return *a < *b; };
  using Counts = std::map<const std::vector<uint32_t>*, uint32_t, decltype(is_before)>;
  std::map<std::string, Counts> made; // by title
  std::set<std::string_view> names;
  std::vector<GroupIdentity> identities;
  for (const Group& group : groups) {
    const size_t mark = group.name.rfind('#');
    const bool is_repeated = !isDescribed(group) && names.contains(std::string_view(group.name).substr(0, mark));
    std::string title = is_repeated ? group.name.substr(0, mark) : groupTitle(group);
    names.insert(group.name);
    const uint32_t nth = ++made[title][&group.ranks];
    identities.push_back({std::move(title), nth});
  }
  return identities;
}

const Group* groupNamed(const Report& report, const std::string& name) {
  for (const Group& group : report.groups) {
    if (group.name == name) {
      return &group;
    }
  }
  return nullptr;
}

const std::string& groupTitle(const Report& report, const std::string& name) {
  const Group* group = groupNamed(report, name);
  return group == nullptr ? name : groupTitle(*group);
}

Amount& Amount::operator+=(const Amount& other) {
  addSaturating(count, other.count);
  addSaturating(bytes, other.bytes);
  bus_bytes += other.bus_bytes;
  return *this;
}

Amount sumOf(const Amounts& amounts, std::optional<Phase> phase, std::optional<Kind> kind) {
  Amount sum;
  for (const auto& [key, amount] : amounts) {
    if ((!phase || key.phase == *phase) && (!kind || key.kind == *kind)) {
      sum += amount;
    }
  }
  return sum;
}

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
