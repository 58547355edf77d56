// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "tools/http/http_get.h"

namespace commtap {

/// The time and the bytes that the answers of all hosts may take together. Threads may share it.
class HostsBudget {
 public:
  HostsBudget(std::chrono::seconds time, uint64_t bytes) : time_(time), bytes_(bytes) {}

  /// Reads a page as readPage() does. Returns "", or why it is not read.
  std::string read(const GetTarget& target, const HttpLimits& limits, const BodySink& sink);

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::seconds time_;
  uint64_t bytes_;
  Clock::time_point until_ = Clock::now() + time_;
  std::atomic<uint64_t> taken_ = 0; ///< bytes
};

} // namespace commtap
