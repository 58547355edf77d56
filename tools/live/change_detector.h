// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace commtap {

/// Finds sudden changes of a series that is otherwise steady, one value after the other. A change is found when the
/// last kConfirm values all lie on one side of the reference, and their median differs from the reference's median by
/// more than `least` of it and by more than kSpreads standard deviations. The reference are the up to kReference values
/// before; it is empty again after a change. The standard deviation is estimated by the median absolute deviation (the
/// Hampel identifier: F. R. Hampel, "The influence curve and its role in robust estimation", 1974), so that single slow
/// steps, such as those that write a checkpoint, neither are a change nor hide one.
class ChangeDetector {
 public:
  static constexpr size_t kConfirm = 8; ///< values
  static constexpr size_t kLeastReference = 16;
  static constexpr size_t kReference = 64;
  static constexpr double kSpreads = 6;

  struct Change {
    double before = 0; ///< median of the reference
    double after = 0;  ///< median of the last kConfirm values
  };

  /// `least`: the smallest change, as a share of the value before.
  explicit ChangeDetector(double least) : least_(least) {}

  /// Returns the change that began kConfirm - 1 values before this one.
  std::optional<Change> add(double value);

 private:
  std::optional<Change> changeNow() const;

  double least_;
  std::deque<double> reference_;
  std::deque<double> recent_;
};

} // namespace commtap
