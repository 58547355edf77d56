// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/exit_status.h"

#include <atomic>
#include <cstdlib>

namespace commtap {
namespace {

constinit std::atomic<int> exit_status{ExitStatus::kUnknown};

} // namespace

void ExitStatus::watch() {
  on_exit([](int status, void* /*unused*/) { exit_status.store(status); }, nullptr);
}

int ExitStatus::get() {
  return exit_status.load();
}

} // namespace commtap
