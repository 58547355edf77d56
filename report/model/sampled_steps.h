// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace commtap {

/// The size that the samples file of a process does not exceed. 100,000 parameters have about 25 samples in it.
inline constexpr uint64_t kMostSamplesBytes = 35'000'000;

/// The steps of each optimizer at whose start its parameters are sampled. The first step is 1.
struct SampledSteps {
  bool is_doubling = false;     ///< 1 to 5, 9, 17, 33 and so on to 2^20 + 1, then each 2^20 steps
  std::vector<uint64_t> listed; ///< ascending

  bool operator==(const SampledSteps&) const = default;

  bool isOn() const {
    return is_doubling || !listed.empty();
  }
  bool contains(uint64_t step) const;
};

/// Reads "0" or "off", "1" or "on" (doubling), or several steps: "1,50,100". One step is a list too, unless it is 1.
std::optional<SampledSteps> sampledStepsFromText(std::string_view text);

} // namespace commtap
