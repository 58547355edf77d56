// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/exit_status.h"

#include <atomic>
#include <cstdlib>

namespace commtap {
namespace {

constexpr int kStatusBits = 0xff; ///< that a parent gets
constinit std::atomic<int> exit_status{-1};

} // namespace

void ExitStatus::watch() {
  on_exit([](int status, void* /*unused*/) { exit_status.store(status & kStatusBits); }, nullptr);
}

int ExitStatus::get() {
  return exit_status.load();
}

} // namespace commtap
