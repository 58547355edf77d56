// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/watching.h"

#include <unistd.h>

#include <mutex>

#include "report/options.h"
#include "tracker/python_bridge.h"
#include "tracker/registration.h"

namespace commtap {

void setWatching(bool on) {
  static std::mutex mutex;
  static bool is_on = true;
  const std::lock_guard<std::mutex> lock(mutex);
  if (is_on == on) {
    return;
  }
  is_on = on;
  if (on) {
    startKernels(parseOptions(environ).options.ops);
  } else {
    stopKernels();
  }
  setPythonEnabled(on);
}

} // namespace commtap
