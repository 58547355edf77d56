// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/progress.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace commtap {
namespace {

constexpr std::chrono::milliseconds kProgressInterval(100);
constexpr size_t kWidth = 40;

} // namespace

ProgressBar::ProgressBar(const char* what, std::chrono::milliseconds delay)
    : what_(what), terminal_(isatty(STDERR_FILENO) == 1), started_(Clock::now()), next_(started_ + delay) {}

ProgressBar::~ProgressBar() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void ProgressBar::update(size_t done, size_t total) {
  if (!terminal_ || total == 0 || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + kProgressInterval;
  shown_ = true;
  const size_t filled = kWidth * done / total;
  fmt::print(
      stderr,
      "\r{} [{}{}] {}/{}, {} s",
      what_,
      std::string(filled, '#'),
      std::string(kWidth - filled, ' '),
      done,
      total,
      std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - started_).count());
  std::fflush(stderr);
}

} // namespace commtap
