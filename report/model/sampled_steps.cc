// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "report/model/options.h"

namespace commtap {
namespace {

constexpr uint64_t kLongestPause = uint64_t{1} << 20U; ///< steps between two samples
constexpr uint64_t kAllUpTo = 5;

/// Averaging every 2^n steps, as local SGD does, is done between 2^n and 2^n + 1.
bool isDoubling(uint64_t step) {
  const uint64_t before = step - 1;
  return step <= kAllUpTo || (before <= kLongestPause ? std::has_single_bit(before) : before % kLongestPause == 0);
}

/// Removes a number above 0, and the comma behind it, from the start of `text`.
std::optional<uint64_t> takeStep(std::string_view& text) {
  uint64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (error != std::errc() || step == 0 || (!text.empty() && text.front() != ',') || text == ",") {
    return std::nullopt;
  }
  text.remove_prefix(text.empty() ? 0 : 1);
  return step;
}

} // namespace

bool SampledSteps::contains(uint64_t step) const {
  return is_doubling ? step > 0 && isDoubling(step) : std::binary_search(listed.begin(), listed.end(), step);
}

std::optional<SampledSteps> sampledStepsFromText(std::string_view text) {
  if (text == "0" || text == "off" || text == "1" || text == "on") {
    return SampledSteps{text == "1" || text == "on", {}};
  }
  SampledSteps steps;
  do {
    const std::optional<uint64_t> step = takeStep(text);
    if (!step) {
      return std::nullopt;
    }
    steps.listed.push_back(*step);
  } while (!text.empty());
  std::sort(steps.listed.begin(), steps.listed.end());
  return steps;
}

} // namespace commtap
