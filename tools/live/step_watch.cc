// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/step_watch.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the standard deviation of normal values with this median absolute deviation.
double spreadOf(const std::deque<double>& values, double median) {
  constexpr double kOfNormal = 1.4826; // 1 / 0.6745, the 75th percentile of the standard normal distribution
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) {
    deviations.push_back(std::abs(value - median));
  }
  return kOfNormal * medianOf(std::move(deviations));
}

} // namespace

std::optional<ChangeDetector::Change> ChangeDetector::add(double value) {
  recent_.push_back(value);
  if (recent_.size() > kConfirm) {
    reference_.push_back(recent_.front());
    recent_.pop_front();
  }
  if (reference_.size() > kReference) {
    reference_.pop_front();
  }
  const std::optional<Change> change = changeNow();
  if (change) {
    reference_.clear();
  }
  return change;
}

std::optional<ChangeDetector::Change> ChangeDetector::changeNow() const {
  if (recent_.size() < kConfirm || reference_.size() < kLeastReference) {
    return std::nullopt;
  }
  const double before = medianOf({reference_.begin(), reference_.end()});
  const auto [lowest, highest] = std::minmax_element(recent_.begin(), recent_.end());
  if (*lowest <= before && *highest >= before) {
    return std::nullopt;
  }
  const double after = medianOf({recent_.begin(), recent_.end()});
  const double difference = std::abs(after - before);
  const bool is_change = difference > least_ * std::abs(before) && difference > kSpreads * spreadOf(reference_, before);
  return is_change ? std::optional(Change{before, after}) : std::nullopt;
}

namespace {

/// Step times vary by themselves; bytes and counts of a steady job do not.
constexpr double kLeastOfTime = 0.1;
constexpr double kLeastOfAmounts = 0.01;

std::array<double, 3> valuesOf(const Step& step) {
  double bytes = 0;
  double count = 0;
  for (const StepAmount& amount : step.collectives) {
    bytes += static_cast<double>(amount.bytes);
    count += static_cast<double>(amount.count);
  }
  const auto steps = static_cast<double>(step.steps);
  const auto ns = static_cast<double>(*step.ended_at_ns) - static_cast<double>(step.started_at_ns);
  return {ns / kNsPerSecond / steps, bytes / steps, count / steps};
}

std::string amountText(StepValue what, double value) {
  switch (what) {
    case StepValue::kTime:
      return humanDuration(value * kNsPerSecond);
    case StepValue::kBytes:
      return humanBytes(value);
    case StepValue::kCollectives:
      return fmt::format("{:g} collectives", value);
  }
  return "";
}

bool isOneEvent(const StepChange& a, const StepChange& b) {
  const uint64_t apart = a.step > b.step ? a.step - b.step : b.step - a.step;
  return a.run_id == b.run_id && a.attempt == b.attempt && a.what == b.what && apart <= ChangeDetector::kConfirm &&
         (a.after > a.before) == (b.after > b.before);
}

} // namespace

StepWatch::Process::Process() : values{Value(kLeastOfTime), Value(kLeastOfAmounts), Value(kLeastOfAmounts)} {}

std::vector<StepChange> StepWatch::look(std::span<const std::shared_ptr<const Report>> reports) {
  std::vector<StepChange> found;
  std::set<Key> there;
  for (const auto& report : reports) {
    const Job& job = report->job;
    const Key key(job.run_id, job.attempt, job.host, job.pid, job.started_at_ns);
    there.insert(key);
    lookAt(*report, processes_[key], found);
  }
  std::erase_if(processes_, [&there](const auto& entry) { return !there.contains(entry.first); });
  return found;
}

void StepWatch::lookAt(const Report& report, Process& process, std::vector<StepChange>& found) {
  const Job& job = report.job;
  for (const Step& step : report.steps) {
    if (step.first_step < process.next_step || !step.ended_at_ns) {
      continue;
    }
    process.next_step = step.first_step + step.steps;
    process.starts.push_back(step.first_step);
    if (process.starts.size() > ChangeDetector::kConfirm) {
      process.starts.erase(process.starts.begin());
    }
    const std::array<double, 3> values = valuesOf(step);
    for (size_t i = 0; i < values.size(); ++i) {
      Value& value = process.values[i];
      const auto change = value.detector.add(values[i]);
      if (change || value.changes.count == 0) {
        value.changes.last = {job.run_id, job.attempt, job.rank, static_cast<StepValue>(i), process.starts.front()};
      }
      if (change) {
        value.changes.last.before = change->before;
        value.changes.last.after = change->after;
        ++value.changes.count;
        found.push_back(value.changes.last);
      }
    }
  }
}

std::vector<StepChanges> StepWatch::changes() const {
  std::map<std::tuple<std::string, int64_t, std::optional<int64_t>, StepValue>, StepChanges> of_ranks;
  for (const auto& [key, process] : processes_) {
    for (const Value& value : process.values) {
      const StepChange& last = value.changes.last;
      if (process.next_step > 0) {
        StepChanges& sum = of_ranks[{last.run_id, last.attempt, last.rank, last.what}];
        sum = {sum.count + value.changes.count, last}; // a rank's programs run one after the other
      }
    }
  }
  std::vector<StepChanges> all;
  all.reserve(of_ranks.size());
  for (auto& [key, changes] : of_ranks) {
    all.push_back(std::move(changes));
  }
  return all;
}

std::vector<std::string> stepChangeLines(const std::vector<StepChange>& changes) {
  std::vector<std::pair<StepChange, size_t>> events; // the first change of each, and how many ranks made it
  for (const StepChange& change : changes) {
    const auto same = std::find_if(
        events.begin(), events.end(), [&change](const auto& event) { return isOneEvent(event.first, change); });
    if (same == events.end()) {
      events.emplace_back(change, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [change, ranks] : events) {
    const std::string who = change.rank ? fmt::format("rank {}", *change.rank) : "a process without a rank";
    const std::string others = ranks > 1 ? fmt::format(" and {} more", ranks - 1) : "";
    lines.push_back(fmt::format(
        "run {}: from step {} on, {} per step went from {} to {} ({}{})",
        inert(change.run_id),
        change.step,
        kStepValueNames.at(static_cast<size_t>(change.what)),
        amountText(change.what, change.before),
        amountText(change.what, change.after),
        who,
        others));
  }
  return lines;
}

} // namespace commtap
