// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_distance.h"

#include <algorithm>
#include <cmath>

namespace commtap {
namespace {

// An update that float32 rounds otherwise by 1e-6 changes the last bit of one in a thousand numbers of a short type.
constexpr RoundingBounds kFloat{.values = 1e-6, .gradients = 1e-4, .updates = 1e-6};
constexpr RoundingBounds kHalf{.values = 0.01, .gradients = 0.02, .updates = 1e-4};
constexpr RoundingBounds kBfloat{.values = 0.05, .gradients = 0.1, .updates = 1e-4};

/// Sums are rounded as float32 is. So the distances of a finer type have the bounds of float32.
RoundingBounds boundsOf(std::string_view dtype) {
  if (dtype.empty() || dtype == "float32" || dtype == "float64") {
    return kFloat;
  }
  return dtype == "float16" ? kHalf : kBfloat;
}

} // namespace

RoundingBounds roundingBounds(std::string_view dtype, std::string_view coarse_dtype, uint64_t steps) {
  constexpr double kMeasuredSteps = 300;
  const RoundingBounds own = boundsOf(dtype);
  const RoundingBounds coarse = boundsOf(coarse_dtype);
  const double growth = std::max(1.0, static_cast<double>(steps) / kMeasuredSteps);
  return {
      .values = std::max(own.values, coarse.values) * growth,
      .gradients = std::max(own.gradients, coarse.gradients),
      .updates = own.updates * growth};
}

bool isRounding(double values, std::optional<double> gradients, const RoundingBounds& bounds) {
  if (!gradients || *gradients == 0) {
    return values < (gradients ? bounds.updates : bounds.values);
  }
  // Adam makes a whole update of a gradient that is as small as its rounding: the share of such elements is about
  // the distance of the gradients, and an update is some hundredths of the values.
  constexpr double kUpdate = 0.01;
  return *gradients < bounds.gradients && values < std::max(bounds.values, kUpdate * std::sqrt(*gradients));
}

bool isNearStart(const SampleRow& a, const SampleRow& b, size_t dimensions) {
  constexpr double kNear = 0.1; // two drawn matrices are about 1.4 apart
  if (dimensions < 2 || a.value.is_constant || b.value.is_constant || !a.has_sums || !b.has_sums) {
    return false;
  }
  const std::optional<double> distance = replicaDistance(a.value, b.value, true);
  return distance && *distance < kNear;
}

std::optional<double> replicaDistance(const Digest& a, const Digest& b, bool has_sums) {
  if (a.has_non_finite || b.has_non_finite) {
    return std::nullopt;
  }
  if (has_sums) {
    return digestDistance(a, b);
  }
  // A distance that is this large is no rounding, whatever the dtype.
  constexpr double kFar = 0.1;
  const double largest = std::sqrt(std::max(a.squares, b.squares));
  const double difference = std::abs(std::sqrt(a.squares) - std::sqrt(b.squares));
  return largest > 0 && difference > kFar * largest ? std::optional(difference / largest) : std::nullopt;
}

} // namespace commtap
