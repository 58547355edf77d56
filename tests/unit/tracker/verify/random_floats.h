// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace commtap {

/// Returns normally distributed numbers that depend on the seed.
inline std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(generator);
  }
  return values;
}

} // namespace commtap
