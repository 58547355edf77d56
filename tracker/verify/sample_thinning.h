// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace commtap {

/// Says what of a sample is kept, so that a file stays small if a process has very many parameters. The choice depends
/// on a parameter's name and the number of parameters alone: it is the same on each rank that holds a replica.
class SampleThinning {
 public:
  static constexpr size_t kMostRows = 16384;    ///< from the third sample of an optimizer on
  static constexpr size_t kMostWithSums = 4096; ///< in each sample

  /// A sample of `parameters` parameters, after `earlier` samples of the same optimizer.
  SampleThinning(size_t parameters, uint64_t earlier);

  bool hasRow(std::string_view name) const;
  bool hasSums(std::string_view name) const;

 private:
  uint32_t rows_; ///< one of so many has a row; a power of two, so that fewer ones are among more
  uint32_t sums_;
};

} // namespace commtap
