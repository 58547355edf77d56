// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

namespace commtap {

// A group's collectives are compared by stretches: ranges of sequence numbers, each with one sum. The first
// kStretchesPerPart stretches are one part, and have kStretchCalls collectives each. So have those of the second part.
// From the third part on, the stretches of a part are twice as long as those of the part before. So a stretch is never
// longer than the larger of kStretchCalls and the 64th part of the number of its last collective.

inline constexpr uint64_t kStretchCalls = 1024;
inline constexpr uint32_t kStretchesPerPart = 64;

/// Returns the position, from 0, of the stretch with the collective `sequence`, which is at least 1.
constexpr uint32_t stretchOf(uint64_t sequence) {
  const uint64_t nth = (sequence - 1) / kStretchCalls;
  if (nth < kStretchesPerPart) {
    return static_cast<uint32_t>(nth);
  }
  const auto part = static_cast<uint32_t>(std::bit_width(nth / kStretchesPerPart));
  return part * kStretchesPerPart + static_cast<uint32_t>(nth >> (part - 1)) - kStretchesPerPart;
}

/// Returns the number of the first collective of a stretch.
constexpr uint64_t stretchBegin(uint32_t stretch) {
  const uint64_t part = stretch / kStretchesPerPart;
  const uint64_t place = stretch % kStretchesPerPart;
  const uint64_t nth = part == 0 ? place : (kStretchesPerPart + place) << (part - 1);
  return nth * kStretchCalls + 1;
}

/// Returns the number of the last collective of a stretch.
constexpr uint64_t stretchEnd(uint32_t stretch) {
  return stretchBegin(stretch + 1) - 1;
}

} // namespace commtap
