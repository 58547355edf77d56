// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/change_detector.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

} // namespace commtap
