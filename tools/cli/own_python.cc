// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/own_python.h"

#include <cstdlib>

namespace commtap {
namespace {

/// commtap/__main__.py sets it to sys.executable.
constexpr const char* kVariable = "COMMTAP_STARTED_BY";

std::string& storedPython() {
  static std::string python = "python3";
  return python;
}

} // namespace

void takeOwnPython() {
  const char* const python = std::getenv(kVariable);
  if (python != nullptr && *python != '\0') {
    storedPython() = python;
  }
  unsetenv(kVariable);
}

const std::string& ownPython() {
  return storedPython();
}

} // namespace commtap
