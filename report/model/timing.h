// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commtap {

/// Which collectives are timed, and by which clocks.
struct Timing {
  uint32_t every = 0;  ///< each n-th collective; 0: none
  bool device = false; ///< those of GPU backends too, by events on the device

  bool operator==(const Timing&) const = default;

  bool isOn() const {
    return every > 0;
  }
};

/// "off", "host", "device", "sample:10".
std::string timingText(Timing timing);
std::optional<Timing> timingFromText(std::string_view text);

} // namespace commtap
