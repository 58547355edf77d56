// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/exit_handler.h"

#include <atomic>
#include <cstdlib>

namespace commtap {
namespace {

constinit std::atomic<void (*)(int status)> function{nullptr};

void end(int status) {
  if (void (*ends)(int) = function.exchange(nullptr); ends != nullptr) {
    ends(status);
  }
}

} // namespace

void ExitHandler::install(void (*ends)(int status)) {
  function.store(ends);
  std::atexit([] { end(kUnknown); });
  renew();
}

void ExitHandler::renew() {
  on_exit([](int status, void* /*unused*/) { end(status); }, nullptr);
}

} // namespace commtap
