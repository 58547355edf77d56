// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "report/model/model.h"
#include "tools/text/color.h"

namespace commtap {

/// The steps of all ranks, added up by number.
class StepSums {
 public:
  struct Sum {
    uint64_t forward_passes = 0;
    uint64_t backward_passes = 0;
    uint64_t count = 0;
    uint64_t bytes = 0;
    double longest_ms = 0; ///< longest step on any rank
    uint64_t blocked_ns = 0;
    uint64_t duration_ns = 0; ///< sum over all ranks
    bool runs = false;        ///< still running on a rank
  };
  using Key = std::pair<uint64_t, uint64_t>; ///< first step, steps

  void add(const Report& report);

  const std::map<Key, Sum>& sums() const {
    return sums_;
  }
  /// Returns whether a process timed every collective. The blocked time of sampled collectives would be incomplete.
  bool isTimed() const {
    return is_timed_;
  }

 private:
  std::map<Key, Sum> sums_;
  bool is_timed_ = false;
};

/// Returns the table of training steps, with the spread of their durations below it.
std::string stepsText(const StepSums& steps, const Color& color);

} // namespace commtap
