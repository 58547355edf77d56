// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>

namespace commtap {

/// Shows a progress bar and the time since its start on stderr after a delay, if stderr is a terminal.
class ProgressBar {
 public:
  /// `what` is done: "reading".
  ProgressBar(const char* what, std::chrono::milliseconds delay);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Erases the bar.
  ~ProgressBar();

  void update(size_t done, size_t total);

 private:
  using Clock = std::chrono::steady_clock;

  const char* what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point started_;
  Clock::time_point next_;
};

/// Runs `read` with a progress bar and erases the bar before it returns.
template <typename Read>
auto withProgress(
    Read read,
    const char* what = "reading",
    std::chrono::milliseconds delay = std::chrono::milliseconds(1000)) {
  ProgressBar bar(what, delay);
  return read([&bar](size_t done, size_t total) { bar.update(done, total); });
}

} // namespace commtap
