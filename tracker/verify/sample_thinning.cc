// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampler.h"

#include <bit>

#include "report/base/checksum.h"

namespace commtap {
namespace {

constexpr uint64_t kWhole = 2; ///< samples of each optimizer that have all rows: the second shows what the first misses

uint32_t shareOf(size_t parameters, size_t most) {
  return static_cast<uint32_t>(std::bit_ceil((parameters + most - 1) / most));
}

bool isAmong(std::string_view name, uint32_t share) {
  Checksum sum;
  sum.add(name);
  return (sum.value() & (share - 1)) == 0;
}

} // namespace

SampleThinning::SampleThinning(size_t parameters, uint64_t earlier)
    : rows_(earlier < kWhole ? 1 : shareOf(parameters, kMostRows)), sums_(shareOf(parameters, kMostWithSums)) {}

bool SampleThinning::hasRow(std::string_view name) const {
  return rows_ <= 1 || isAmong(name, rows_);
}

bool SampleThinning::hasSums(std::string_view name) const {
  return sums_ <= 1 || isAmong(name, sums_);
}

} // namespace commtap
