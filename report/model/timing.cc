// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/timing.h"

#include <charconv>

namespace commtap {
namespace {

constexpr std::string_view kSample = "sample:";

} // namespace

std::string timingText(Timing timing) {
  if (!timing.isOn()) {
    return "off";
  }
  if (timing.every > 1) {
    return std::string(kSample) + std::to_string(timing.every);
  }
  return timing.device ? "device" : "host";
}

std::optional<Timing> timingFromText(std::string_view text) {
  if (text == "off") {
    return Timing{0};
  }
  if (text == "host") {
    return Timing{1};
  }
  if (text == "device") {
    return Timing{1, true};
  }
  if (!text.starts_with(kSample)) {
    return std::nullopt;
  }
  text.remove_prefix(kSample.size());
  Timing timing{0, true};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), timing.every);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && timing.isOn() ? std::optional<Timing>(timing) : std::nullopt;
}

} // namespace commtap
