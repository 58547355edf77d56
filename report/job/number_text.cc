// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace commtap {
namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 512> text{}; // 309 digits before the point at most
  return {text.data(), static_cast<size_t>(std::snprintf(text.data(), text.size(), "%.*f", decimals, value))};
}

/// Rounds a half up, as JavaScript does on the page: a long double holds such a value and its multiple exactly.
std::string rounded(double value, int decimals) {
  const long double scaled = value * std::pow(10.0L, decimals);
  const bool is_half = scaled - std::floor(scaled) == 0.5L;
  return fixed(is_half ? std::nextafter(value, HUGE_VAL) : value, decimals);
}

/// Returns three significant digits, even if rounding reaches the next power of ten. Uses fewer for an exact whole
/// number.
std::string threeDigits(double value, bool may_be_exact) {
  return rounded(value, may_be_exact && value == std::floor(value) ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

} // namespace

std::string humanBytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return threeDigits(bytes, unit == 0) + " " + kUnits[unit];
}

std::string humanDuration(double ns) {
  struct Unit {
    const char* name;
    double next; ///< number of these units in one of the next unit
  };
  constexpr std::array<Unit, 6> kUnits = {{{"ns", 1000}, {"us", 1000}, {"ms", 1000}, {"s", 60}, {"min", 60}, {"h", 0}}};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && ns >= kUnits[unit].next) {
    ns /= kUnits[unit].next;
    ++unit;
  }
  return threeDigits(ns, unit == 0) + " " + kUnits[unit].name;
}

std::string countText(double count) {
  if (count == std::floor(count)) {
    return fixed(count, 0);
  }
  constexpr int kDigits = 6;
  const int decimals = std::max(0, kDigits - 1 - static_cast<int>(std::floor(std::log10(std::abs(count)))));
  std::string text = rounded(count, decimals);
  text.erase(decimals > 0 ? text.find_last_not_of('0') + 1 : text.size());
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string percentText(double percent) {
  constexpr double kLeast = 0.001;
  if (percent < kLeast) {
    return percent == 0 ? "0 %" : "<0.001 %";
  }
  return rounded(percent, percent < 0.1 ? 3 : percent < 100 ? 1 : 0) + " %";
}

std::string percentText(double before, double after) {
  if (before == after || before == 0) {
    return before == after ? "" : "new";
  }
  return (after > before ? "+" : "-") + percentText(100 * std::abs(after - before) / before);
}

} // namespace commtap
