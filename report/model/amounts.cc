// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/amounts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
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

} // namespace commtap
