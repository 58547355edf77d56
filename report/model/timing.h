// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commtap {

/// Selects the timed collectives and the clocks.
struct Timing {
  uint32_t every = 0;  ///< times the collectives of each n-th step; 0: times none
  bool device = false; ///< times those of GPU backends too, with events on the device

  bool operator==(const Timing&) const = default;

  bool isOn() const {
    return every > 0;
  }
};

/// Returns "off", "host", "device" or "sample:10".
std::string timingText(Timing timing);
std::optional<Timing> timingFromText(std::string_view text);

} // namespace commtap
